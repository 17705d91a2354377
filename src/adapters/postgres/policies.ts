import { isDeepStrictEqual } from 'node:util';
import { sql, type Selectable } from 'kysely';
import { CountersignError } from '../../domain/errors';
import { policyCases } from '../../domain/policy/cases';
import { policyDocument, type Policy } from '../../domain/policy/document';
import { pageOf } from '../../domain/page';
import type { NewPolicy, Policies, PublishedPolicy } from '../../ports/policies';
import type { Transaction } from './database';
import type { Tables } from './tables';

export class PostgresPolicies implements Policies {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async newest(): Promise<Policy> {
    const row = await this.policies().orderBy('number', 'desc').limit(1).executeTakeFirst();
    if (!row) throw new Error(`tenant ${this.tenant} has no policy; publish one`);
    return policyOf(row);
  }

  async published(version: string): Promise<Policy> {
    const row = await this.policies().where('version', '=', version).executeTakeFirst();
    if (!row) throw new Error(`tenant ${this.tenant} has no policy ${version}`);
    return policyOf(row);
  }

  async find(version: string): Promise<PublishedPolicy | undefined> {
    const row = await this.rows().where('version', '=', version).executeTakeFirst();
    return row && publishedOf(row);
  }

  async list(page: {
    before?: number;
    limit: number;
  }): Promise<{ items: PublishedPolicy[]; next: number | null }> {
    const { before = Number.MAX_SAFE_INTEGER, limit } = page;
    const rows = await this.rows()
      .where('number', '<', sql<number>`${before}::bigint`)
      .orderBy('number', 'desc')
      .limit(limit + 1)
      .execute();
    const { page: newest, last } = pageOf(rows, limit);
    return { items: newest.map(publishedOf), next: last?.number ?? null };
  }

  async publish(policy: NewPolicy, expected: string): Promise<PublishedPolicy> {
    await sql`select pg_advisory_xact_lock(hashtextextended(${this.tenant}, 9))`.execute(this.trx);
    const [newest, before] = (await this.list({ limit: 2 })).items;
    if (!newest) throw new Error(`tenant ${this.tenant} has no policy; publish one`);
    if (before?.version === expected && isSame(newest, policy)) return newest;
    if (newest.version !== expected) {
      throw new CountersignError(
        'version_conflict',
        `the policy in force is ${newest.version}, not ${expected}; compare with it and publish again`,
        { newest: newest.version },
      );
    }
    const { version = String(newest.number + 1) } = policy;
    if (await this.find(version)) {
      throw new CountersignError('version_conflict', `there is a version ${version} already`, {
        newest: newest.version,
      });
    }
    await this.trx
      .insertInto('policies')
      .values({
        tenant: this.tenant,
        version,
        document: JSON.stringify(policy.document),
        cedar: policy.cedar,
        cases: JSON.stringify(policy.cases),
        published_by: policy.publishedBy,
        comment: policy.comment ?? null,
      })
      .execute();
    return (await this.find(version)) ?? newest;
  }

  private policies() {
    return this.trx
      .selectFrom('policies')
      .select(['version', 'document', 'cedar'])
      .where('tenant', '=', this.tenant);
  }

  private rows() {
    return this.trx.selectFrom('policies').selectAll().where('tenant', '=', this.tenant);
  }
}

type Row = Selectable<Tables['policies']>;

function policyOf({ version, document, cedar }: Pick<Row, 'version' | 'document' | 'cedar'>): Policy {
  return { version, document: policyDocument.parse(document), cedar };
}

function publishedOf(row: Row): PublishedPolicy {
  return {
    ...policyOf(row),
    number: row.number,
    cases: policyCases.parse(row.cases),
    publishedAt: row.published_at.getTime(),
    publishedBy: row.published_by,
    comment: row.comment,
  };
}

/** The same request again, whose answer got lost. */
function isSame(published: PublishedPolicy, policy: NewPolicy): boolean {
  const { version = published.version } = policy;
  return (
    version === published.version &&
    policy.publishedBy === published.publishedBy &&
    policy.cedar === published.cedar &&
    isDeepStrictEqual(policy.document, published.document) &&
    isDeepStrictEqual(policy.cases, published.cases)
  );
}
