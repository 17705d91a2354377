import type { RefundView } from '../../src/application/views';
import type { EmbeddedPerson } from '../../src/sandbox/embeddedTenants';
import { query } from '../support/database';
import { until } from '../support/processes';
import { TestStack } from '../support/stack';
import { eventsOf } from '../workflows/evidence';

type Starter = 'service' | 'lead';

/** What the tests of this folder do to a stack: refunds asked for, faults of the provider, a day that passes. */
export class Scene {
  private constructor(readonly stack: TestStack) {}

  static async open(options: { workers?: number } = {}): Promise<Scene> {
    return new Scene(await TestStack.start(options));
  }

  get service() {
    return this.stack.as('service');
  }

  /** Rows as the superuser sees them. */
  get books() {
    const { adminUrl } = this.stack.database;
    return {
      rows: <Row extends object>(text: string, values: unknown[] = []) => query<Row>(adminUrl, text, values),
    };
  }

  charge(amount = 20_000): Promise<string> {
    return this.stack.provider.charge(amount);
  }

  /** @returns the run's id */
  async start(charge: string, amount: string, who: Starter = 'service'): Promise<string> {
    const answer = await this.stack.as(who).startRefund({ paymentId: charge, amount });
    if (answer.status !== 202) throw new Error(`expected 202, got ${answer.status} ${answer.text}`);
    return (answer.body as { runId: string }).runId;
  }

  /** A fault of the calls that move this payment's money. @returns how it is taken back */
  async fault(
    charge: string,
    kind: string,
    more: Record<string, unknown> = {},
  ): Promise<() => Promise<void>> {
    const match = { method: 'POST', path: '/v1/refunds', payment: charge };
    const { id } = (await this.stack.provider.admin('POST', 'faults', { kind, match, ...more })) as {
      id: number;
    };
    return async () => void (await this.stack.provider.admin('DELETE', `faults/${id}`));
  }

  review(runId: string, action: string, refundId?: string, who: EmbeddedPerson = 'lead') {
    return this.stack.as(who).call('POST', `/v1/refunds/${runId}/review`, { action, refundId });
  }

  cancel(runId: string, who: EmbeddedPerson = 'service') {
    return this.stack.as(who).call('POST', `/v1/refunds/${runId}/cancel`);
  }

  brake(engaged: boolean, reason = 'a test of the brake') {
    return this.stack.as('admin').call('POST', '/v1/brake', { engaged, reason });
  }

  /** Resolves when the run's audit log has this event. */
  async seen(runId: string, event: string, times = 1): Promise<void> {
    const seen = async () => (await eventsOf(this.stack, runId)).filter((e) => e === event).length;
    await until(async () => (await seen()) >= times, 60_000);
  }

  /** The key's age at the provider and in our journal, as a day would make it. */
  async aDayPasses(runId: string): Promise<void> {
    await query(
      this.stack.database.adminUrl,
      `update effects set first_sent_at = first_sent_at - interval '25 hours',
         updated_at = updated_at - interval '25 hours' where run_id = $1`,
      [runId],
    );
    await this.stack.provider.admin('DELETE', `idempotency_keys?key=${runId}:issue_refund`);
  }

  /** A run whose call got no answer, whose key the provider has forgotten, and for which nothing is found. */
  async unknownBeyondTheWindow(
    charge: string,
    amount: string,
    who: Starter = 'service',
  ): Promise<{ runId: string; refund: RefundView }> {
    const mend = await this.fault(charge, 'cut_before', { times: null });
    const runId = await this.start(charge, amount, who);
    await this.seen(runId, 'refund_outcome_unknown');
    await this.aDayPasses(runId);
    await mend();
    return { runId, refund: await this.service.untilPhase(runId, 'needs_review') };
  }

  stop(): Promise<void> {
    return this.stack.stop();
  }
}
