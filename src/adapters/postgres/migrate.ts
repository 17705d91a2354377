import { Kysely, Migrator, PostgresDialect, type Migration } from 'kysely';
import { Pool } from 'pg';
import * as refunds from './migrations/0001_refunds';
import * as memory from './migrations/0002_memory';
import * as audit from './migrations/0003_audit';
import * as ledgerEntries from './migrations/0004_ledger_entries';
import * as brakes from './migrations/0005_brakes';
import * as reviews from './migrations/0006_reviews';
import * as reconciliations from './migrations/0007_reconciliations';
import * as linesAndSplits from './migrations/0008_lines_and_splits';
import * as policyRules from './migrations/0009_policy_rules';
import * as peopleAndKeys from './migrations/0010_people_and_keys';
import * as decisions from './migrations/0011_decisions';
import * as auditAnchors from './migrations/0012_audit_anchors';
import * as inbox from './migrations/0013_inbox';
import * as riskFacts from './migrations/0014_risk_facts';
import * as memoryGovernance from './migrations/0015_memory_governance';
import * as recallAndKnowledge from './migrations/0016_recall_and_knowledge';
import * as threads from './migrations/0017_threads';
import * as retentionAndErasure from './migrations/0018_retention_and_erasure';
import * as pages from './migrations/0019_pages';
import * as operatorPages from './migrations/0020_operator_pages';
import * as batches from './migrations/0021_batches';
import * as agentRuns from './migrations/0022_agent_runs';
import * as spokenFor from './migrations/0023_spoken_for';
import * as pinsAndRecall from './migrations/0024_pins_and_recall';
import * as proceduralApprovals from './migrations/0025_procedural_approvals';
import * as batchVersions from './migrations/0026_batch_versions';
import * as recallOfFew from './migrations/0028_recall_of_few';
import * as tenantNews from './migrations/0029_tenant_news';
import * as ownerRights from './migrations/0030_owner_rights';

/** In order; a released migration is never edited. */
const migrations: Record<string, Migration> = {
  '0001_refunds': refunds,
  '0002_memory': memory,
  '0003_audit': audit,
  '0004_ledger_entries': ledgerEntries,
  '0005_brakes': brakes,
  '0006_reviews': reviews,
  '0007_reconciliations': reconciliations,
  '0008_lines_and_splits': linesAndSplits,
  '0009_policy_rules': policyRules,
  '0010_people_and_keys': peopleAndKeys,
  '0011_decisions': decisions,
  '0012_audit_anchors': auditAnchors,
  '0013_inbox': inbox,
  '0014_risk_facts': riskFacts,
  '0015_memory_governance': memoryGovernance,
  '0016_recall_and_knowledge': recallAndKnowledge,
  '0017_threads': threads,
  '0018_retention_and_erasure': retentionAndErasure,
  '0019_pages': pages,
  '0020_operator_pages': operatorPages,
  '0021_batches': batches,
  '0022_agent_runs': agentRuns,
  '0023_spoken_for': spokenFor,
  '0024_pins_and_recall': pinsAndRecall,
  '0025_procedural_approvals': proceduralApprovals,
  '0026_batch_versions': batchVersions,
  '0028_recall_of_few': recallOfFew,
  '0029_tenant_news': tenantNews,
  '0030_owner_rights': ownerRights,
};

/** Brings the database to the newest schema. `url` is the owner's; safe to run from several places at once. */
export async function migrate(url: string): Promise<string[]> {
  const pool = new Pool({ connectionString: url, max: 1 });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
    const { error, results } = await migrator.migrateToLatest();
    if (error) throw error instanceof Error ? error : new Error('migration failed', { cause: error });
    return (results ?? []).filter((r) => r.status === 'Success').map((r) => r.migrationName);
  } finally {
    await db.destroy();
  }
}
