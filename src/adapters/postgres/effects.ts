import { sql } from 'kysely';
import { CountersignError, type ErrorCode } from '../../domain/errors';
import type { Effect, EffectJournal, EffectState } from '../../ports/ledger';
import type { ProviderRefund, ProviderRefundStatus } from '../../ports/payments';
import { isSqlState, type Transaction } from './database';

const stateOf: Record<ProviderRefundStatus, EffectState> = {
  succeeded: 'succeeded',
  pending: 'pending',
  requires_action: 'pending',
  failed: 'failed',
  canceled: 'failed',
};

export class PostgresEffects implements EffectJournal {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async begin(key: string, runId: string, step: string, request: string): Promise<Effect> {
    const row = await this.trx
      .insertInto('effects')
      .values({ key, tenant: this.tenant, run_id: runId, step, request: request, state: 'sent' })
      .onConflict((oc) =>
        oc.column('key').doUpdateSet((eb) => ({
          attempts: eb('effects.attempts', '+', 1),
          updated_at: sql<Date>`clock_timestamp()`,
        })),
      )
      .returningAll()
      .executeTakeFirstOrThrow();
    return effectOf(row);
  }

  async find(key: string): Promise<Effect | undefined> {
    const row = await this.trx.selectFrom('effects').selectAll().where('key', '=', key).executeTakeFirst();
    return row && effectOf(row);
  }

  async ofRun(runId: string): Promise<Effect[]> {
    const rows = await this.trx
      .selectFrom('effects')
      .selectAll()
      .where('run_id', '=', runId)
      .orderBy('first_sent_at')
      .orderBy('key')
      .execute();
    return rows.map(effectOf);
  }

  async unresolvedOf(runId: string): Promise<Effect | undefined> {
    const row = await this.trx
      .selectFrom('effects')
      .selectAll()
      .where('run_id', '=', runId)
      .where('state', 'not in', ['refused', 'failed'])
      .executeTakeFirst();
    return row && effectOf(row);
  }

  async ofRefund(providerId: string): Promise<(Effect & { runId: string }) | undefined> {
    const row = await this.trx
      .selectFrom('effects')
      .selectAll()
      .where('provider_id', '=', providerId)
      .executeTakeFirst();
    return row && { ...effectOf(row), runId: row.run_id };
  }

  async recordRefund(key: string, runId: string, refund: ProviderRefund): Promise<void> {
    const outcome = { state: stateOf[refund.status], provider_id: refund.id, error_code: null };
    await this.trx
      .insertInto('effects')
      .values({
        key,
        tenant: this.tenant,
        run_id: runId,
        step: 'issue_refund',
        request: '',
        attempts: 0,
        ...outcome,
      })
      .onConflict((oc) => oc.column('key').doUpdateSet({ ...outcome, updated_at: sql`clock_timestamp()` }))
      .execute()
      .catch((error: unknown) => {
        // 23505: two runs named one refund of the provider at the same moment.
        if (isSqlState(error, '23505'))
          throw new CountersignError('review_contradicted', `refund ${refund.id} pays another run already`);
        throw error;
      });
  }

  async recordReversal(key: string): Promise<void> {
    await this.trx
      .updateTable('effects')
      .set({ state: 'failed', updated_at: sql`clock_timestamp()` })
      .where('key', '=', key)
      .execute();
  }

  async recordFailure(key: string, state: 'unknown' | 'refused', code: ErrorCode): Promise<void> {
    await this.trx
      .updateTable('effects')
      .set({ state, error_code: code, updated_at: sql`clock_timestamp()` })
      .where('key', '=', key)
      .where('state', 'in', ['sent', 'unknown'])
      .execute();
  }
}

function effectOf(row: {
  key: string;
  request: string;
  state: EffectState;
  attempts: number;
  first_sent_at: Date;
  provider_id: string | null;
  updated_at: Date;
  error_code: string | null;
}): Effect {
  return {
    key: row.key,
    request: row.request,
    state: row.state,
    attempts: row.attempts,
    firstSentAt: row.first_sent_at.getTime(),
    providerId: row.provider_id,
    lastSentAt: row.updated_at.getTime(),
    errorCode: row.error_code as ErrorCode | null,
  };
}
