import type { ProviderDatabase } from './database';
import { recordEvents } from './eventRecord';
import type { FaultBook } from './faultBook';
import type { NewEvent } from './operation';
import { moveRefund } from './refundChanges';
import type { WebhookCourier } from './webhookCourier';

/** The longest sleep without looking again, milliseconds. */
const longestMs = 60_000;
/** How long after an error, for example a restarting database, it looks again. */
const afterErrorMs = 1_000;

/** What the provider does by itself: refunds that settle or fail later, and webhooks. It wakes only when something is due. */
export class DueWork {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private again = false;
  private closed = false;

  constructor(
    private readonly db: ProviderDatabase,
    private readonly faults: FaultBook,
    private readonly courier: WebhookCourier,
    private readonly now: () => number,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Looks for due work now, and sets the timer for the next. */
  wake(): void {
    if (this.closed) return;
    if (this.running !== undefined) {
      this.again = true;
      return;
    }
    clearTimeout(this.timer);
    this.running = this.run()
      .catch((error: unknown) => {
        this.onError(error);
        this.sleep(afterErrorMs);
      })
      .finally(() => {
        this.running = undefined;
        if (!this.again) return;
        this.again = false;
        this.wake();
      });
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    this.courier.close();
    await this.running;
  }

  private async run(): Promise<void> {
    await this.settleDueRefunds();
    await this.courier.deliverDue();
    await this.sleepUntilDue();
  }

  private async sleepUntilDue(): Promise<void> {
    const refund = await this.db
      .selectFrom('refunds')
      .select((of) => of.fn.min('due_ms').as('due_ms'))
      .where('due_ms', 'is not', null)
      .executeTakeFirst();
    const dueTimes = [refund?.due_ms, await this.courier.nextDueMs()].filter(
      (due) => typeof due === 'number',
    );
    if (dueTimes.length === 0) return;
    this.sleep(Math.min(Math.max(Math.min(...dueTimes) - this.now(), 0), longestMs));
  }

  private sleep(ms: number): void {
    if (this.closed) return;
    this.timer = setTimeout(() => {
      this.wake();
    }, ms);
  }

  private async settleDueRefunds(): Promise<void> {
    const atMs = this.now();
    const due = await this.db
      .selectFrom('refunds')
      .select(['id', 'account', 'due_status'])
      .where('due_ms', '<=', atMs)
      .limit(200)
      .execute();
    for (const { id, account, due_status } of due) {
      if (due_status === null) continue;
      await this.db.transaction().execute(async (tx) => {
        const events: NewEvent[] = [];
        const moved = await moveRefund(tx, events, id, due_status);
        if (moved === undefined)
          await tx
            .updateTable('refunds')
            .set({ due_ms: null, due_status: null })
            .where('id', '=', id)
            .execute();
        await recordEvents(tx, this.faults, { account, requestId: null, idempotencyKey: null, atMs }, events);
      });
    }
  }
}
