import type { Client } from '@temporalio/client';
import { bareTaskQueue } from './bare/contract';
import type { Subject } from './subject';
import { refundMinor } from './provider';

/** Refunds that have asked for their decision, or are awaited. */
export class Proposals {
  private readonly known = new Map<string, { settle: () => void; proposed: Promise<void> }>();

  proposed(id: string): void {
    this.entry(id).settle();
  }

  async until(id: string): Promise<void> {
    await this.entry(id).proposed;
    this.known.delete(id);
  }

  private entry(id: string): { settle: () => void; proposed: Promise<void> } {
    const known = this.known.get(id);
    if (known) return known;
    let settle: () => void = () => undefined;
    const proposed = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const entry = { settle, proposed };
    this.known.set(id, entry);
    return entry;
  }
}

/** The bare workflow, used as the SDK's samples use theirs: start, signal, result. */
export function bareSubject(temporal: Client, proposals: Proposals): Subject {
  return {
    name: 'bare',
    workedBy: 'bare',
    start: async (charge) => {
      const workflowId = `bare-refund/${charge}`;
      const handle = await temporal.workflow.start('bareRefund', {
        workflowId,
        taskQueue: bareTaskQueue,
        args: [{ id: workflowId, charge, amount: refundMinor }],
      });
      return {
        workflowId,
        waits: () => proposals.until(workflowId),
        approve: () => handle.signal('approved'),
      };
    },
  };
}
