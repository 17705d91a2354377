import type { Audit, AuditEntry, AuditRow } from '../../ports/audit';
import type { Transaction } from './database';
import { keepSpokenFor } from './spokenFor';

const json = (value: unknown): string | null =>
  value === undefined || value === null ? null : JSON.stringify(value);

/** Sequence number, time and hash come from the table's own trigger, so no caller can choose them. */
export class PostgresAudit implements Audit {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async append(entry: AuditEntry): Promise<void> {
    await this.trx
      .insertInto('audit')
      .values({
        tenant: this.tenant,
        run_id: entry.runId,
        actor: entry.actor,
        event: entry.event,
        step: entry.step,
        before: json(entry.before),
        after: json(entry.after),
        reason: entry.reason ?? null,
        policy_version: entry.policyVersion ?? null,
        effect_key: entry.effectKey ?? null,
        provider_id: entry.providerId ?? null,
        // The trigger sets what follows.
        seq: 0,
        at: new Date(0),
        prev_hash: '',
        hash: '',
      })
      .onConflict((oc) => oc.columns(['run_id', 'step']).doNothing())
      .execute();
    const { runId: ref, step, onBehalfOf } = entry;
    await keepSpokenFor(this.trx, this.tenant, { ref, step, onBehalfOf });
  }

  async has(runId: string, step: string): Promise<boolean> {
    const row = await this.trx
      .selectFrom('audit')
      .select('seq')
      .where('run_id', '=', runId)
      .where('step', '=', step)
      .executeTakeFirst();
    return row !== undefined;
  }

  async ofRun(runId: string): Promise<AuditRow[]> {
    const rows = await this.trx
      .selectFrom('audit')
      .leftJoin('spoken_for', (join) =>
        join
          .onRef('spoken_for.tenant', '=', 'audit.tenant')
          .onRef('spoken_for.ref', '=', 'audit.run_id')
          .onRef('spoken_for.step', '=', 'audit.step'),
      )
      .selectAll('audit')
      .select('on_behalf_of')
      .where('run_id', '=', runId)
      .orderBy('seq')
      .execute();
    return rows.map((row) => ({
      runId: row.run_id,
      seq: row.seq,
      at: row.at.getTime(),
      actor: row.actor,
      event: row.event,
      step: row.step,
      hash: row.hash,
      ...(row.before === null ? {} : { before: row.before }),
      ...(row.after === null ? {} : { after: row.after }),
      ...(row.reason === null ? {} : { reason: row.reason }),
      ...(row.policy_version === null ? {} : { policyVersion: row.policy_version }),
      ...(row.effect_key === null ? {} : { effectKey: row.effect_key }),
      ...(row.provider_id === null ? {} : { providerId: row.provider_id }),
      ...(row.on_behalf_of === null ? {} : { onBehalfOf: row.on_behalf_of }),
    }));
  }
}
