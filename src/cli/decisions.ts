import { Option, type Command } from 'commander';
import type { Decision } from '../client';
import { togetherKinds } from '../domain/approval/manyDecisions';
import { decisionKinds } from '../domain/approval/message';
import { rejectReasons } from '../domain/approval/state';
import { confirms, type Confirmable } from './admin/confirmation';
import { approvalPage, decided } from './approvalText';
import { callsApi, connect } from './connection';
import { decideTogether } from './decideTogether';
import { decisionOf, type DecisionOptions } from './decisionBody';
import { onBehalfOf } from './onBehalfOf';
import { answer, example, remark } from './output';
import { signalCommand } from './signalCommand';
import { sayingWhoCould } from './whoCould';

interface DecisionCommand {
  readonly name: string;
  readonly kind: Decision['decision'];
  readonly description: string;
  readonly example: string;
  readonly options?: (command: Command) => Command;
}

const commands: readonly DecisionCommand[] = [
  {
    name: 'approve',
    kind: 'approve',
    description:
      'vote for exactly what is shown; several are shown, asked about once, and decided each by itself',
    example: '--comment "photo checked"',
    options: withComment,
  },
  {
    name: 'edit',
    kind: 'edit',
    description: 'propose another amount or reason, as a new revision',
    example: '--amount 80.00',
    options: (command) => withEdit(withComment(command)),
  },
  {
    name: 'reject',
    kind: 'reject',
    description: 'end it, or several at once; nothing is refunded',
    example: '--reason-code insufficient_evidence --comment "no photo"',
    options: (command) => withReasonCode(withComment(command)),
  },
  {
    name: 'request-info',
    kind: 'request_info',
    description: 'ask whoever asked for the refund; the answer comes back to you',
    example: '--comment "which of the two parcels?"',
    options: withText,
  },
  {
    name: 'answer-info',
    kind: 'answer_info',
    description: 'answer a question about a refund that you asked for',
    example: '--comment "the second one"',
    options: (command) => withQuestion(withText(command)).option(...onBehalfOf),
  },
  {
    name: 'escalate',
    kind: 'escalate',
    description: "ask the policy's next group now; nobody is removed",
    example: '--comment "beyond me"',
    options: withComment,
  },
  {
    name: 'delegate',
    kind: 'delegate',
    description: 'hand your say over to another person, who decides with his own groups and limit',
    example: '--to lead',
    options: (command) => withRecipient(withComment(command), true),
  },
  {
    name: 'claim',
    kind: 'claim',
    description: 'take it up: for a while nobody else approves or edits it',
    example: '',
  },
  { name: 'release', kind: 'release', description: 'give your claim up', example: '' },
  {
    name: 'withdraw',
    kind: 'withdraw',
    description: 'take back your vote, or what you have handed over',
    example: '--comment "seen too late"',
    options: withComment,
  },
  {
    name: 'comment',
    kind: 'comment',
    description: 'say something to everybody who reads it',
    example: '--comment "the customer called again"',
    options: (command) => withText(command).option(...onBehalfOf),
  },
];

/** `countersign approvals approve|edit|reject|request-info|…|sign` */
export function addDecisionCommands(approvals: Command): void {
  for (const { name, kind, description, options, example: rest } of commands) {
    const together = togetherKinds.find((known) => known === kind);
    const named = approvals.command(name).description(description);
    const command = decides(together ? confirms(named.argument('<id...>')) : named.argument('<id>'));
    const one = `approvals ${name} apr_7f3a ${rest}`.trim();
    callsApi(options ? options(command) : command)
      .addHelpText(
        'after',
        together ? example(one, `approvals ${name} apr_7f3a apr_90c1 --yes`) : example(one),
      )
      .action((ids: string | string[], given: DecisionOptions & Confirmable) => {
        const [id = '', ...more] = [ids].flat();
        return together && more.length > 0
          ? decideTogether([id, ...more], together, given)
          : decide(id, kind, given);
      });
  }
  const sign = decides(
    approvals
      .command('sign')
      .description('print a signed decision for tools that can only signal a workflow')
      .argument('<id>')
      .requiredOption('--decision <decision>', decisionKinds.join(', ')),
  );
  callsApi(withQuestion(withRecipient(withReasonCode(withEdit(withComment(sign))))))
    .addHelpText('after', example('approvals sign apr_7f3a --decision approve'))
    .action(signed);
}

function decides(command: Command): Command {
  return command
    .option('--hash <proposalHash>', 'the proposal that was looked at; without it, what is shown now')
    .option('--evidence-seen <id...>', 'the evidence that was looked at; without it, what is shown now')
    .option('--decision-id <id>', 'names this decision: sent twice it counts once');
}

function withComment(command: Command): Command {
  return command.option('--comment <text>', 'for the record; no card numbers, no secrets');
}

function withText(command: Command): Command {
  return command.requiredOption('--comment <text>', 'what you say; no card numbers, no secrets');
}

function withEdit(command: Command): Command {
  return command
    .option('--amount <amount>', 'the new amount in major units')
    .option('--currency <code>', 'that of the refund, which can not change')
    .option('--reason <reason>', 'the new reason');
}

function withReasonCode(command: Command): Command {
  return command.addOption(
    new Option('--reason-code <code>', 'why, in a word that can be counted').choices(rejectReasons),
  );
}

function withRecipient(command: Command, mandatory = false): Command {
  return command.addOption(
    new Option('--to <person>', 'who decides instead of you').makeOptionMandatory(mandatory),
  );
}

function withQuestion(command: Command): Command {
  return command.option('--question <id>', 'which question, where several are open');
}

async function decide(id: string, kind: Decision['decision'], options: DecisionOptions): Promise<void> {
  const { approvals } = connect(options);
  const { body, shown } = await decisionOf(id, kind, options, (of) => approvals.show(of));
  if (shown) remark(options.json, approvalPage(shown));
  const outcome = await sayingWhoCould(approvals.decide(id, body), () => approvals.show(id));
  const { proposalHash } = body;
  answer(options.json, outcome.status === 'applied' ? outcome.approval : { ...outcome, proposalHash }, () =>
    decided(id, kind, outcome),
  );
}

async function signed(
  id: string,
  options: DecisionOptions & { decision: Decision['decision'] },
): Promise<void> {
  const { approvals } = connect(options);
  const { body, shown } = await decisionOf(id, options.decision, options, (of) => approvals.show(of));
  if (shown) remark(options.json, approvalPage(shown));
  const proof = await approvals.sign(id, body);
  answer(options.json, { ...proof, proposalHash: body.proposalHash }, () => `${proof.jws}\n`);
  remark(options.json, `\nDecided once this is run:\n\n  ${signalCommand(proof)}\n`);
}
