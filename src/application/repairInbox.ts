import { randomUUID } from 'node:crypto';
import { close } from '../domain/approval/decide';
import { reviewerFacts } from '../domain/approval/facts';
import { wasReset, type HeldApproval } from '../domain/approval/held';
import type { ApprovalState } from '../domain/approval/state';
import { isFinal } from '../domain/contract';
import type { InboxRow } from '../ports/inbox';
import type { Principal } from '../ports/people';
import type { RunState } from '../ports/runStates';
import type { Unit } from '../ports/store';
import { isBeforeReset, type Finding } from './inboxDifference';

interface Repair {
  readonly approval: ApprovalState;
  readonly epoch: string;
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly reason: string;
}

/**
 * Writes the row anew as its run has it, with the audit row that says what it was and is.
 * @returns false where nothing certain says what the row has to be
 */
export async function repairRow(unit: Unit, principal: Principal, finding: Finding): Promise<boolean> {
  const repair = await repairOf(unit, finding);
  if (!repair) return false;
  const { row, runId } = finding;
  const { approval, epoch, facts, reason } = repair;
  await unit.approvals.save(approval, epoch, facts);
  await unit.audit.append({
    runId,
    actor: principal.id,
    event: 'inbox_repaired',
    step: `repair_inbox:${randomUUID()}`,
    ...(row ? { before: { ...shown(row.approval), columns: row.columns, epoch: row.epoch } } : {}),
    after: { ...shown(approval), epoch },
    reason,
    policyVersion: approval.policy.policyVersion,
  });
  return true;
}

async function repairOf(unit: Unit, { kind, runId, row, state }: Finding): Promise<Repair | undefined> {
  switch (kind) {
    case 'unanswered':
      return undefined;
    case 'missing_row':
      return state.kind === 'running' ? missing(unit, runId, state.held) : undefined;
    case 'differs':
      return row && state.kind === 'running' ? differing(row, state.held) : undefined;
    case 'row_without_run':
      return row && ended(unit, runId, row, state);
  }
}

function differing(row: InboxRow, held: HeldApproval): Repair | undefined {
  if (!held.approval || isBeforeReset(row, held)) return undefined;
  return { approval: held.approval, epoch: held.epoch, reason: 'the row was not what the run has' };
}

async function missing(unit: Unit, runId: string, held: HeldApproval): Promise<Repair | undefined> {
  const { approval } = held;
  const run = await unit.runs.find(runId);
  const payment = approval && (await unit.ledger.find(approval.target));
  if (!run || !payment) return undefined;
  // After a reset nobody knows whether the row had been asked anew: as of before, the next decision does it again.
  const epoch = wasReset(held) ? (held.votedIn ?? held.firstEpoch) : held.epoch;
  return { approval, epoch, facts: reviewerFacts(run, payment), reason: 'the row was missing' };
}

/** As the run itself has decided, else as our record of its end says, else as Temporal says that it was stopped. */
async function ended(unit: Unit, runId: string, row: InboxRow, state: RunState): Promise<Repair | undefined> {
  const { epoch } = row;
  const held = state.kind === 'ended' ? state.held?.approval : undefined;
  if (held && held.status !== 'open') return { approval: held, epoch, reason: 'the run has ended' };
  const approval = held ?? row.approval;
  const run = await unit.runs.find(runId);
  if (run && isFinal(run.phase)) {
    const closed = await closedAs(unit, approval, run.phase, run.updatedAt);
    return closed && { approval: closed, epoch, reason: 'the run has ended' };
  }
  if (state.kind !== 'ended' || state.how === 'completed') return undefined;
  const reason = `the run was ended from outside: ${state.how}`;
  return { approval: close(approval, 'cancelled', 'countersign', state.endedAt), epoch, reason };
}

async function closedAs(
  unit: Unit,
  approval: ApprovalState,
  outcome: string,
  at: number,
): Promise<ApprovalState | undefined> {
  if (outcome === 'expired') return close(approval, 'expired', 'countersign', at);
  const status = outcome === 'completed' ? 'approved' : 'rejected';
  const deciding = status === 'approved' ? ['approve', 'edit'] : ['reject'];
  const applied = await unit.decisions.appliedTo([approval.id]);
  const last = applied.findLast(({ envelope }) => deciding.includes(envelope.decision))?.envelope;
  if (last && (outcome === 'completed' || outcome === 'rejected'))
    return {
      ...approval,
      status,
      decidedBy: { actor: last.actor, decision: last.decision, at: last.receivedAt },
    };
  return outcome === 'completed' ? undefined : close(approval, 'cancelled', 'countersign', at);
}

/** What the audit log keeps: figures, names and hashes, and nothing that somebody wrote. */
function shown({
  status,
  revision,
  proposalHash,
  votes,
  deadline,
  escalatedTo,
  claim,
  decidedBy,
}: ApprovalState) {
  return { status, revision, proposalHash, votes, deadline, escalatedTo, claim, decidedBy };
}
