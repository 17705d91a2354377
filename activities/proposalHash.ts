import { createHash } from 'node:crypto';
import type { ApprovalState } from '../src/domain/approval/state';
import type { AdmittedLine } from '../src/domain/refund/lines';
import { isOfMoney } from '../src/domain/refund/state';

type Hashed = Pick<
  ApprovalState,
  'tenant' | 'runId' | 'id' | 'revision' | 'action' | 'target' | 'arguments' | 'linesHash'
>;

/**
 * Names exactly one revision of one proposal (R21): 64 hexadecimal digits over tenant, run, approval, revision,
 * action, target and effective arguments, in a fixed order, with the lines where it has some.
 */
export function proposalHash(proposal: Hashed): string {
  const args = proposal.arguments;
  const content = [
    'countersign-proposal-1',
    proposal.tenant,
    proposal.runId,
    proposal.id,
    proposal.revision,
    proposal.action,
    proposal.target,
    ...(isOfMoney(args) ? [args.amount.minor, args.amount.currency, args.reason] : [args.kind]),
    ...(proposal.linesHash === undefined ? [] : [proposal.linesHash]),
  ];
  return digest(content);
}

/** Over what a refund gives back of an order, line by line with its share; undefined where it names no lines. */
export function linesHash(lines: readonly AdmittedLine[]): string | undefined {
  if (lines.length === 0) return undefined;
  return digest(
    lines.map(({ lineId, quantity, of, amount }) => [
      lineId,
      quantity,
      of.quantity,
      of.amount.minor,
      amount.minor,
    ]),
  );
}

function digest(content: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

export function rehash(approval: ApprovalState): ApprovalState {
  return { ...approval, proposalHash: proposalHash(approval) };
}
