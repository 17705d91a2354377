import { PostgresAuditLog } from '../../src/adapters/postgres/auditLog';
import { Database } from '../../src/adapters/postgres/database';
import { PostgresAuthenticator } from '../../src/adapters/postgres/people';
import { PostgresStore } from '../../src/adapters/postgres/store';
import { JwsAnchorSigner } from '../../src/adapters/signatures/anchorJws';
import { difference } from '../../src/domain/reconciliation/compare';
import { parseSigningKey } from '../../src/main/signingKey';
import type { ProviderPayment } from '../../src/ports/payments';
import type { RunChange } from '../../src/ports/runs';
import type { Unit } from '../../src/ports/store';
import { openApproval } from '../domain/approval/approvalFixture';
import { signingKey, testTokens } from '../support/shared';
import { PagesInThisProcess } from './pagesInThisProcess';

/** What operators look at, written as the application's own login; no worker and no Temporal is there. */
export class OperatorGround {
  private constructor(
    readonly pages: PagesInThisProcess,
    private readonly database: Database,
    private readonly store: PostgresStore,
  ) {}

  static async open(): Promise<OperatorGround> {
    const pages = await PagesInThisProcess.start();
    const database = new Database(pages.database.url, 2);
    return new OperatorGround(pages, database, new PostgresStore(database));
  }

  in<T>(work: (unit: Unit) => Promise<T>, tenant = 'acme'): Promise<T> {
    return this.store.inTenant(tenant, work);
  }

  /** A run of 120.00 USD that holds its amount. */
  async run(runId: string, change: RunChange = {}, more: { requester?: string; tenant?: string } = {}) {
    const { requester = 'service', tenant = 'acme' } = more;
    const payment: ProviderPayment = {
      account: 'default',
      paymentId: `ch_${runId}`,
      currency: 'USD',
      captured: 20_000,
      refundedElsewhere: 0,
      disputed: 0,
      paidAt: Date.now(),
    };
    const { paymentId } = payment;
    await this.in(async ({ ledger, runs, audit }) => {
      await ledger.adopt(payment);
      await runs.create({
        ...{ runId, idempotencyKey: runId, fingerprint: 'f', requester, paymentId, customer: 'cus_ada' },
        request: {
          paymentId,
          amount: { minor: 12_000, currency: 'USD' },
          reason: 'damaged',
          orderId: 'ORDER-42',
        },
      });
      await ledger.reserve(runId, paymentId, 12_000);
      await audit.append({ runId, actor: requester, event: 'refund_requested', step: 'intake' });
      await runs.change(runId, change);
    }, tenant);
  }

  /** A run that can't go on by itself: what its call came to is not known. */
  async inReview(runId: string, requester = 'service'): Promise<void> {
    await this.run(
      runId,
      {
        phase: 'needs_review',
        review: {
          code: 'provider_key_reused',
          detail: 'the provider has forgotten the key, and no refund is found',
          since: Date.now() - 3_600_000,
          round: 1,
          tried: ['asked for a refund by its key'],
          actions: ['retry', 'resolve_paid', 'fail'],
        },
      },
      { requester },
    );
    await this.in(({ effects }) => effects.begin(`${runId}:issue_refund`, runId, 'issue_refund', 'r'));
  }

  /** A run that waits for one of the approvers, until the day after tomorrow. */
  async waiting(runId: string): Promise<void> {
    await this.run(runId, { phase: 'waiting_approval' });
    const approval = openApproval(12_000, {
      id: runId.replace('run', 'apr'),
      runId,
      target: `ch_${runId}`,
      requester: 'service',
      proposalHash: runId,
      openedAt: Date.now(),
      deadline: Date.now() + 48 * 3_600_000,
    });
    await this.in(({ approvals }) => approvals.save(approval, 'e'));
  }

  /** @returns the id of a difference that waits for a person */
  async difference(paymentId: string, runId?: string): Promise<string> {
    await this.in(async ({ reconciliations, differences }) => {
      await reconciliations.create({ id: 'rec_1', requestedBy: 'schedule', from: 0, to: Date.now() });
      await differences.replace('rec_1', paymentId, [
        difference('refund_missing', {
          ...(runId === undefined ? {} : { runId }),
          ours: { amount: { minor: 12_000, currency: 'USD' }, status: 'succeeded' },
          theirs: null,
          explanation: `The provider does not list the refund of ${paymentId}.`,
        }),
      ]);
    });
    const [row] = await this.pages.asOwner(
      `select id from reconciliation_differences where payment_id = '${paymentId}'`,
    );
    return String(row?.['id']);
  }

  /** Something that is remembered of a customer. @returns its id */
  async remember(owner: string, key: string, value: string): Promise<string> {
    const id = `mem_${owner}_${key}`;
    await this.pages.asOwner(`with d as (insert into memory_decisions
        (id, tenant, owner, kind, key, allowed, rule_ids, policy_version, reason, actor, actor_kind)
        values ('dec_${id}', 'acme', '${owner}', 'semantic', '${key}', true, '{allow.policy,policy:remember-asked}', 'v1',
          'The policy permits it.', 'agent', 'agent') returning id)
      insert into memories (id, tenant, owner, kind, key, value, source, confidence, evidence, personal, version, decision_id, valid_from)
      select '${id}', 'acme', '${owner}', 'semantic', '${key}', '${value}', 'inferred', 0.8, '[]', false, 1, id, now() from d`);
    return id;
  }

  /** The audit log's use cases, and an administrator who asks them. */
  async auditor() {
    const anchorSigner = new JwsAnchorSigner(await parseSigningKey(signingKey));
    const principal = await new PostgresAuthenticator(this.database).authenticate(
      testTokens.acme.admin ?? '',
    );
    if (!principal) throw new Error('the administrator has no key');
    return { useCases: { auditLog: new PostgresAuditLog(this.database), anchorSigner }, principal };
  }

  async stop(): Promise<void> {
    await this.database.close();
    await this.pages.stop();
  }
}
