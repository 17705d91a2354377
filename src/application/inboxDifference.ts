import { wasReset, type HeldApproval } from '../domain/approval/held';
import { differingParts } from '../domain/approval/projection';
import type { ApprovalState } from '../domain/approval/state';
import type { InboxRow } from '../ports/inbox';
import type { RunState } from '../ports/runStates';

export const inboxDifferenceKinds = ['differs', 'missing_row', 'row_without_run', 'unanswered'] as const;
export type InboxDifferenceKind = (typeof inboxDifferenceKinds)[number];

export interface InboxDifference {
  readonly kind: InboxDifferenceKind;
  readonly runId: string;
  readonly approvalId: string | null;
  /** Which parts of the approval differ; none unless the kind is `differs`. */
  readonly fields: readonly string[];
  readonly explanation: string;
  readonly repaired: boolean;
}

/** A difference with both sides, as a repair needs them. */
export interface Finding extends Omit<InboxDifference, 'repaired'> {
  readonly row: InboxRow | undefined;
  readonly state: RunState;
}

/** Compares one row with what its run has. @returns undefined where they agree */
export function findDifference(
  runId: string,
  row: InboxRow | undefined,
  state: RunState,
): Finding | undefined {
  const finding = (
    kind: InboxDifferenceKind,
    explanation: string,
    fields: readonly string[] = [],
  ): Finding => {
    const approvalId = row?.id ?? (state.kind === 'running' ? state.held.approval?.id : undefined) ?? null;
    return { kind, runId, approvalId, fields, explanation, row, state };
  };
  switch (state.kind) {
    case 'unanswered':
      return finding('unanswered', 'no worker says what the run has; start one, and check again');
    case 'gone':
    case 'ended':
      if (row?.columns.status !== 'open') return undefined;
      return finding('row_without_run', withoutRun(state));
    case 'running': {
      const { held } = state;
      if (!row)
        return held.approval
          ? finding('missing_row', 'the run waits and the inbox does not show it')
          : undefined;
      const fields = held.approval ? fieldsOf(row, held, held.approval) : ['status'];
      if (fields.length === 0) return undefined;
      return finding('differs', differing(row, held), fields);
    }
  }
}

/** Which execution a row belongs to follows from the run only while it was never reset. */
function fieldsOf(row: InboxRow, held: HeldApproval, approval: ApprovalState): string[] {
  const parts = differingParts(row, approval);
  return wasReset(held) || row.epoch === held.epoch ? parts : [...parts, 'epoch'];
}

/** The run was reset, and what it has now is older than the row; its next decision asks anew, with a new revision. */
export function isBeforeReset(row: InboxRow, held: HeldApproval): boolean {
  return wasReset(held) && row.epoch !== held.epoch;
}

function differing(row: InboxRow, held: HeldApproval): string {
  if (!held.approval) return 'the inbox shows an approval that the run has not opened';
  if (isBeforeReset(row, held))
    return 'the run was reset, so the row is of before; the next decision asks anew, and nothing is repaired';
  return 'the row is not what the run has';
}

function withoutRun(state: Extract<RunState, { kind: 'gone' | 'ended' }>): string {
  if (state.kind === 'gone') return 'the inbox shows it open, and Temporal knows no such run any more';
  if (state.how === 'completed') return 'the inbox shows it open, and the run has ended';
  return `the inbox shows it open, and the run was ended from outside (${state.how.replace('_', ' ')})`;
}
