import type { Command } from 'commander';
import type { Approval, Decision } from '../client';
import { approvalPage, decided } from './approvalText';
import { callsApi, connect, type ConnectionOptions } from './connection';
import { UsageError } from './failure';
import { answer, example, remark } from './output';
import { signalCommand } from './signalCommand';

interface DecisionOptions extends ConnectionOptions {
  readonly hash?: string;
  readonly comment?: string;
  readonly decisionId?: string;
}

interface EditOptions extends DecisionOptions {
  readonly amount?: string;
  readonly currency?: string;
  readonly reason?: string;
}

/** `countersign approvals approve|edit|reject|sign` */
export function addDecisionCommands(approvals: Command): void {
  callsApi(comments(decides(approvals.command('approve').description('vote for exactly what is shown'))))
    .addHelpText('after', example('approvals approve apr_7f3a --comment "photo checked"'))
    .action((id: string, options: DecisionOptions) => decide(id, 'approve', options));

  callsApi(
    comments(
      edits(
        decides(approvals.command('edit').description('propose another amount or reason, as a new revision')),
      ),
    ),
  )
    .addHelpText('after', example('approvals edit apr_7f3a --amount 80.00'))
    .action((id: string, options: EditOptions) => decide(id, 'edit', options));

  callsApi(comments(decides(approvals.command('reject').description('end it; nothing is refunded'))))
    .addHelpText('after', example('approvals reject apr_7f3a --comment "opened by the customer"'))
    .action((id: string, options: DecisionOptions) => decide(id, 'reject', options));

  callsApi(
    edits(
      decides(
        approvals
          .command('sign')
          .description('print a signed decision for tools that can only signal a workflow')
          .requiredOption('--decision <decision>', 'approve, edit or reject'),
      ),
    ),
  )
    .addHelpText('after', example('approvals sign apr_7f3a --decision approve'))
    .action(sign);
}

function decides(command: Command): Command {
  return command
    .argument('<id>')
    .option('--hash <proposalHash>', 'the proposal that was looked at; without it, what is shown now')
    .option('--decision-id <id>', 'names this decision: sent twice it counts once');
}

/** A signed decision carries no free text. */
function comments(command: Command): Command {
  return command.option('--comment <text>', 'for the record; no card numbers, no secrets');
}

function edits(command: Command): Command {
  return command
    .option('--amount <amount>', 'the new amount in major units')
    .option('--currency <code>', 'that of the refund, which can not change')
    .option('--reason <reason>', 'the new reason');
}

async function decide(id: string, kind: Decision['decision'], options: EditOptions): Promise<void> {
  const { approvals } = connect(options);
  const { body, shown } = await decisionOf(id, kind, options, (of) => approvals.show(of));
  if (shown) remark(options.json, approvalPage(shown));
  const outcome = await approvals.decide(id, body);
  const { proposalHash } = body;
  answer(options.json, outcome.status === 'applied' ? outcome.approval : { ...outcome, proposalHash }, () =>
    decided(id, kind, outcome),
  );
}

async function sign(id: string, options: EditOptions & { decision: string }): Promise<void> {
  const { approvals } = connect(options);
  const kind = options.decision as Decision['decision'];
  const { body, shown } = await decisionOf(id, kind, options, (of) => approvals.show(of));
  if (shown) remark(options.json, approvalPage(shown));
  const signed = await approvals.sign(id, body);
  answer(options.json, { ...signed, proposalHash: body.proposalHash }, () => `${signed.jws}\n`);
  remark(options.json, `\nDecided once this is run:\n\n  ${signalCommand(signed)}\n`);
}

/** The body of the decision; `shown` is what was fetched because no hash was given, which it then names. */
async function decisionOf(
  id: string,
  kind: Decision['decision'],
  options: EditOptions,
  show: (id: string) => Promise<Approval>,
): Promise<{ body: Decision; shown?: Approval }> {
  const { hash, comment, decisionId, amount, currency, reason } = options;
  if (kind === 'edit' && amount === undefined && reason === undefined)
    throw new UsageError('an edit says what changes: --amount, --reason or both');
  if (kind !== 'edit' && (amount ?? currency ?? reason) !== undefined)
    throw new UsageError('--amount, --currency and --reason belong to an edit');
  const needed = hash === undefined || (amount !== undefined && currency === undefined);
  const approval = needed ? await show(id) : undefined;
  const changes = {
    ...(amount === undefined
      ? {}
      : { amount: { value: amount, currency: currency ?? approval?.arguments.amount.currency ?? '' } }),
    ...(reason === undefined ? {} : { reason: reason as Approval['reason'] }),
  };
  const body: Decision = {
    decision: kind,
    proposalHash: hash ?? approval?.proposalHash ?? '',
    ...(kind === 'edit' ? { arguments: changes } : {}),
    comment,
    decisionId,
  };
  return hash === undefined && approval ? { body, shown: approval } : { body };
}
