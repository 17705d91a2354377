import type { ApprovalView } from '../../application/views';
import { amountText, type Reader } from '../reader';
import { reasonWords } from '../words';

type Subject = Pick<ApprovalView, 'arguments' | 'reason'>;

/** What is decided about, in few words: an amount, or a rule of procedure by its key. */
export function subjectText({ arguments: args }: Pick<Subject, 'arguments'>, reader: Reader): string {
  if ('amount' in args) return amountText(args.amount, reader);
  return args.key === null ? 'a rule that is gone' : `rule ${args.key}`;
}

export function reasonText({ reason }: Pick<Subject, 'reason'>): string {
  return reason === null ? 'To be remembered' : reasonWords[reason];
}
