import type { Approval, Decision } from '../client';
import type { ConnectionOptions } from './connection';
import { UsageError } from './failure';

/** What the commands that decide take; each takes those that belong to it. */
export interface DecisionOptions extends ConnectionOptions {
  readonly hash?: string;
  readonly comment?: string;
  readonly decisionId?: string;
  readonly amount?: string;
  readonly currency?: string;
  readonly reason?: string;
  readonly reasonCode?: string;
  readonly to?: string;
  readonly question?: string;
  readonly evidenceSeen?: string[];
  readonly onBehalfOf?: string;
}

/**
 * The body of the decision. `shown` is what was fetched because no hash was given: the decision names that, and with it
 * the evidence that is then printed.
 * @throws UsageError
 */
export async function decisionOf(
  id: string,
  kind: Decision['decision'],
  options: DecisionOptions,
  show: (id: string) => Promise<Approval>,
): Promise<{ body: Decision; shown?: Approval }> {
  const { hash, comment, decisionId, amount, currency, reason, reasonCode, to, question } = options;
  checkBelongs(kind, options);
  const needed = hash === undefined || (amount !== undefined && currency === undefined);
  const approval = needed ? await show(id) : undefined;
  const shown = hash === undefined ? approval : undefined;
  const seen =
    options.evidenceSeen ?? (shown && !options.json ? shown.evidence.map((item) => item.id) : undefined);
  const changes = {
    ...(amount === undefined
      ? {}
      : { amount: { value: amount, currency: currency ?? currencyOf(approval) } }),
    ...(reason === undefined ? {} : { reason: reason as NonNullable<Approval['reason']> }),
  };
  const body: Decision = {
    decision: kind,
    proposalHash: hash ?? approval?.proposalHash ?? '',
    ...(shown ? { policyVersion: shown.policy.version } : {}),
    ...(kind === 'edit' ? { arguments: changes } : {}),
    ...(reasonCode === undefined ? {} : { reasonCode: reasonCode as NonNullable<Decision['reasonCode']> }),
    ...(to === undefined ? {} : { to }),
    ...(question === undefined ? {} : { questionId: question }),
    ...(seen && seen.length > 0 ? { evidenceSeen: seen } : {}),
    comment,
    decisionId,
    onBehalfOf: options.onBehalfOf,
  };
  return shown ? { body, shown } : { body };
}

function currencyOf(approval: Approval | undefined): string {
  return approval && 'amount' in approval.arguments ? approval.arguments.amount.currency : '';
}

/** `sign` takes every option, so that not all of them fit. */
function checkBelongs(kind: Decision['decision'], options: DecisionOptions): void {
  const { amount, currency, reason, reasonCode, to, question, comment } = options;
  if (kind === 'edit' && amount === undefined && reason === undefined)
    throw new UsageError('an edit says what changes: --amount, --reason or both');
  if (kind !== 'edit' && (amount ?? currency ?? reason) !== undefined)
    throw new UsageError('--amount, --currency and --reason belong to an edit');
  if (kind !== 'reject' && reasonCode !== undefined) throw new UsageError('--reason-code belongs to reject');
  if ((kind === 'delegate') !== (to !== undefined))
    throw new UsageError('a delegation, and nothing else, says --to whom');
  if (kind !== 'answer_info' && question !== undefined)
    throw new UsageError('--question belongs to answer-info');
  if (['request_info', 'answer_info', 'comment'].includes(kind) && comment === undefined)
    throw new UsageError('what is said stands in --comment');
}
