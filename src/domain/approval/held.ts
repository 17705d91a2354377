import type { Phase } from '../contract';
import type { ApprovalState } from './state';

/** What query `approvalState` answers: the approval as the workflow itself has it, with the execution that has it. */
export interface HeldApproval {
  readonly phase: Phase;
  /** The Temporal execution; another one than `firstEpoch` after a reset. */
  readonly epoch: string;
  /** Where the run began, or went on after its history had become long. */
  readonly firstEpoch: string;
  /** The execution that applied the last decision, if any was. */
  readonly votedIn: string | null;
  /** Null until it is published. */
  readonly approval: ApprovalState | null;
}

export function wasReset({ epoch, firstEpoch }: HeldApproval): boolean {
  return epoch !== firstEpoch;
}
