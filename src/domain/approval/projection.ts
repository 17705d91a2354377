import { jsonbText } from '../audit/jsonbText';
import { isOfMoney } from '../refund/state';
import type { ApprovalState, ApprovalStatus } from './state';

/** What lists are filtered and sorted by. Amount in minor units, 0 of no currency where there is none; times in ms since the epoch. */
export interface InboxColumns {
  readonly status: ApprovalStatus;
  readonly approverGroup: string;
  readonly amount: number;
  readonly currency: string;
  readonly openedAt: number;
  readonly deadline: number;
}

/** Which part of the approval each column repeats. */
const repeats: Record<keyof InboxColumns, keyof ApprovalState> = {
  status: 'status',
  approverGroup: 'policy',
  amount: 'arguments',
  currency: 'arguments',
  openedAt: 'openedAt',
  deadline: 'deadline',
};

export function columnsOf({
  status,
  policy,
  arguments: args,
  openedAt,
  deadline,
}: ApprovalState): InboxColumns {
  const { minor, currency } = isOfMoney(args) ? args.amount : { minor: 0, currency: '' };
  return {
    status,
    approverGroup: policy.oneFrom ?? policy.approverGroup,
    amount: minor,
    currency,
    openedAt: Math.trunc(openedAt),
    deadline: Math.trunc(deadline),
  };
}

/**
 * In which parts a row of the inbox is not what the approval makes it, in its state or in the columns beside it.
 * @returns names of ApprovalState's members, sorted; none when the row is exactly the approval
 */
export function differingParts(
  row: { readonly approval: ApprovalState; readonly columns: InboxColumns },
  approval: ApprovalState,
): (keyof ApprovalState)[] {
  const expected = columnsOf(approval);
  const columns = Object.keys(repeats) as (keyof InboxColumns)[];
  const parts = [
    ...new Set([...Object.keys(row.approval), ...Object.keys(approval)]),
  ] as (keyof ApprovalState)[];
  const differing = [
    ...parts.filter((part) => jsonbText(row.approval[part]) !== jsonbText(approval[part])),
    ...columns.filter((column) => row.columns[column] !== expected[column]).map((column) => repeats[column]),
  ];
  return [...new Set(differing)].sort();
}
