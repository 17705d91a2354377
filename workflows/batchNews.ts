import { condition, defineSignal, setHandler } from '@temporalio/workflow';
import { signalNames } from '../src/domain/contract';

/** Who cancelled it, where somebody has. */
export const batchChanged = defineSignal<[{ readonly cancelledBy?: string } | undefined]>(
  signalNames.batchChanged,
);

/**
 * News of a batch: it was paused, resumed or cancelled, or a row of it has moved. What it is stands in the database; the
 * signal only wakes whoever waits.
 */
export class BatchNews {
  private news = false;

  constructor(cancelled: (by: string) => void = () => undefined) {
    setHandler(batchChanged, (change) => {
      this.news = true;
      if (typeof change?.cancelledBy === 'string') cancelled(change.cancelledBy);
    });
  }

  tell(): void {
    this.news = true;
  }

  /** Waits for news at most `ms`. @returns whether there were any */
  async wait(ms: number): Promise<boolean> {
    const came = await condition(() => this.news, ms);
    this.news = false;
    return came;
  }
}
