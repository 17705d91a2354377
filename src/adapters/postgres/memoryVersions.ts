import { sql, type Selectable } from 'kysely';
import type { MemoryScope } from '../../domain/memory/candidate';
import type { MemoryState, MemoryVersion } from '../../ports/memory';
import type { Transaction } from './database';
import { isPinned, memoryOf, type MemoryRow } from './memoryRows';
import type { MemoryTables } from './memoryTables';

const pageSize = 200;

type VersionRow = MemoryRow & {
  state: MemoryState;
} & Pick<
    Selectable<MemoryTables['memory_decisions']>,
    'rule_ids' | 'policy_version' | 'reason' | 'actor' | 'decided_at'
  >;

/** Every version of the memory that `id` is one of, newest first. */
export async function versionsOf(trx: Transaction, scope: MemoryScope, id: string): Promise<MemoryVersion[]> {
  const rows = await versions(trx, scope)
    .where((row) =>
      row.exists(
        row
          .selectFrom('memories as named')
          .select('named.id')
          .where('named.id', '=', id)
          .where('named.tenant', '=', scope.tenant)
          .where('named.owner', '=', scope.owner)
          .whereRef('named.kind', '=', 'm.kind')
          .whereRef('named.key', '=', 'm.key'),
      ),
    )
    .orderBy('m.version', 'desc')
    .execute();
  return rows.map(versionOf);
}

/** A page of everything, by key, kind and version. */
export async function pageOfVersions(
  trx: Transaction,
  scope: MemoryScope,
  after: MemoryVersion | undefined,
): Promise<{ items: MemoryVersion[]; last: boolean }> {
  let rows = versions(trx, scope);
  if (after) {
    rows = rows.where(
      sql<boolean>`(m.key, m.kind, m.version) > (${after.key}, ${after.kind}, ${after.version}::integer)`,
    );
  }
  const found = await rows.orderBy('m.key').orderBy('m.kind').orderBy('m.version').limit(pageSize).execute();
  return { items: found.map(versionOf), last: found.length < pageSize };
}

function versions(trx: Transaction, { tenant, owner }: MemoryScope) {
  return trx
    .selectFrom('memories as m')
    .innerJoin('memory_decisions as d', 'd.id', 'm.decision_id')
    .selectAll('m')
    .select(isPinned('m').as('pinned'))
    .select(['d.rule_ids', 'd.policy_version', 'd.reason', 'd.actor', 'd.decided_at'])
    .select(
      sql<MemoryState>`case
        when exists (select 1 from memory_holds h where h.memory_id = m.id and h.hold = 'revocation') then 'revoked'
        when exists (select 1 from memory_holds h where h.memory_id = m.id and h.ended_at is null) then 'quarantined'
        when m.valid_to is not null then 'superseded'
        when m.expires_at <= clock_timestamp() then 'expired'
        when m.fades_at <= clock_timestamp() then 'faded'
        else 'believed' end`.as('state'),
    )
    .where('m.tenant', '=', tenant)
    .where('m.owner', '=', owner);
}

function versionOf(row: VersionRow): MemoryVersion {
  return {
    ...memoryOf(row),
    state: row.state,
    decision: {
      ruleIds: row.rule_ids,
      policyVersion: row.policy_version,
      reason: row.reason,
      actor: row.actor,
      at: row.decided_at.getTime(),
    },
  };
}
