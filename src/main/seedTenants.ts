import { tokenHash } from '../adapters/postgres/people';
import { withCheck } from '../domain/access/apiToken';
import { everyScope } from '../domain/access/scopes';
import { groups } from '../domain/people';
import {
  embeddedPeople,
  embeddedPolicy,
  embeddedTenants,
  type EmbeddedPerson,
} from '../sandbox/embeddedTenants';
import { withConnection } from '../sandbox/embedded/postgresDatabases';

export type Tokens = Record<keyof typeof embeddedTenants, Record<EmbeddedPerson, string>>;

/** One stable token a person, from wherever the data folder keeps its secrets. */
export function embeddedTokens(secret: (name: string) => string): Tokens {
  const tenants = Object.keys(embeddedTenants) as (keyof typeof embeddedTenants)[];
  const people = Object.keys(embeddedPeople) as EmbeddedPerson[];
  return Object.fromEntries(
    tenants.map((tenant) => [
      tenant,
      Object.fromEntries(
        people.map((id) => [id, withCheck(`cs_${tenant}_${id}_${secret(`token-${tenant}-${id}`)}`)]),
      ),
    ]),
  ) as Tokens;
}

/** Seeds the embedded tenants; what is there already, and may have been changed since, stays. `ownerUrl` is the migrating role's. */
export async function seedTenants(ownerUrl: string, tokens: Tokens): Promise<void> {
  await withConnection(ownerUrl, async (client) => {
    for (const [tenant, name] of Object.entries(embeddedTenants)) {
      await client.query('insert into tenants (id, name) values ($1, $2) on conflict do nothing', [
        tenant,
        name,
      ]);
      await client.query(
        `insert into policies (tenant, version, document, cedar, cases) values ($1, $2, $3, $4, $5)
         on conflict do nothing`,
        [
          tenant,
          embeddedPolicy.version,
          JSON.stringify(embeddedPolicy.document),
          embeddedPolicy.cedar,
          JSON.stringify(embeddedPolicy.cases),
        ],
      );
      await client.query(
        'insert into groups (tenant, name) select $1, unnest($2::text[]) on conflict do nothing',
        [tenant, Object.values(groups)],
      );
      for (const [id, person] of Object.entries(embeddedPeople)) {
        await client.query(
          `insert into principals (tenant, id, kind, display_name, groups, limit_major)
           values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
          [tenant, id, person.kind, person.name, person.groups, person.limitMajor],
        );
        await client.query(
          'insert into groups (tenant, name) select $1, unnest($2::text[]) on conflict do nothing',
          [tenant, person.groups],
        );
        const token = tokens[tenant as keyof Tokens][id as EmbeddedPerson];
        await client.query(
          `insert into api_keys (token_hash, tenant, principal_id, scopes, confirmed_by)
           values ($1, $2, $3, $4, 'countersign') on conflict do nothing`,
          [tokenHash(token), tenant, id, [everyScope]],
        );
      }
    }
  });
}
