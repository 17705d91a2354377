import { patched } from '@temporalio/workflow';
import type { DecisionAnswer } from '../src/domain/approval/message';
import type { Desk } from './desk';
import { durably, quick } from './steps';

interface Cancel {
  readonly actor: string;
  /** Absent for one that came by signal. */
  readonly answer?: (answer: DecisionAnswer) => void;
}

/** Who wants the run cancelled, in the order in which they came. What a message says of its sender is no proof yet. */
export class Cancels {
  private readonly waiting: Cancel[] = [];

  get first(): string | undefined {
    return this.waiting[0]?.actor;
  }

  /** Answered when the run has ended, so that whoever cancels sees what became of it. */
  ask(actor: string): Promise<DecisionAnswer> {
    return new Promise((answer) => this.waiting.push({ actor, answer }));
  }

  signal(actor: string): void {
    if (!this.waiting.some((cancel) => cancel.actor === actor)) this.waiting.push({ actor });
  }

  /** Answers all of them, or those of one actor. */
  answer(answer: DecisionAnswer, actor?: string): void {
    const told = this.waiting.filter((cancel) => actor === undefined || cancel.actor === actor);
    for (const cancel of told) {
      this.waiting.splice(this.waiting.indexOf(cancel), 1);
      cancel.answer?.(answer);
    }
  }
}

/**
 * Whether the run is cancelled by somebody who may. The door has recorded who that is; whoever can only send messages to
 * the workflow is nobody (R29). Asked only where somebody cancels: one more `await` elsewhere would reorder what older
 * histories hold.
 */
export async function isCancelled(desk: Desk): Promise<boolean> {
  const { tenant, runId } = desk.input;
  for (let actor = desk.cancels.first; actor !== undefined; actor = desk.cancels.first) {
    if (!patched('cancel-on-record')) return true;
    const asked = actor;
    const { onRecord } = await durably(() => quick.confirmCancel({ tenant, runId, actor: asked }));
    if (onRecord) return true;
    desk.cancels.answer({ accepted: false, code: 'forbidden', detail: 'no such cancel is on record' }, asked);
  }
  return false;
}
