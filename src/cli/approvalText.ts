import type { Approval, Decision, DecisionOutcome, Page } from '../client';
import { amountText } from './amountText';
import { more } from './lists';
import { lineFields } from './refundText';
import { table } from './terminal/table';
import { fields } from './terminal/text';
import { age, moment } from './terminal/time';

export function approvalPage(approval: Approval): string {
  const { policy, arguments: now, decidedBy } = approval;
  const groups = [policy.approverGroup, ...policy.escalatedTo].join(', ');
  const oneFrom = policy.oneFrom === null ? '' : `, one of them from ${policy.oneFrom}`;
  return [
    `${approval.id}  ${approval.status}\n`,
    fields([
      ['refund', `${amountText(now.amount)} on ${approval.target}`],
      ['reason', now.reason],
      ...lineFields(approval),
      ['requested by', approval.requester],
      ['on behalf of', approval.onBehalfOf],
      ['revision', [approval.revision, approval.revisionReason].filter((part) => part !== null).join(', ')],
      ['hash', approval.proposalHash],
      ['policy', `${policy.explanation} (${policy.ruleIds.join(', ')}; version ${policy.version})`],
      ['with recent', `${amountText(policy.aggregate)} on this payment or customer`],
      ['stop at', approval.risk.join(', ') || null],
      ['votes', `${approval.votes.length} of ${approval.needed} (${groups}${oneFrom})`],
      ...approval.votes.map(({ actor, at }) => ['', `${actor}, ${moment(at)}`] as const),
      ['open since', moment(approval.openedAt)],
      ['deadline', approval.status === 'open' ? moment(approval.deadline) : null],
      ['decided', decidedBy && `${decidedBy.decision} by ${decidedBy.actor}, ${moment(decidedBy.at)}`],
      ...factLines(approval.facts),
      ['run', approval.runId],
    ]),
  ].join('');
}

export function howToDecide({ id, status }: Approval): string {
  if (status !== 'open') return '';
  return `
Decide: countersign approvals approve ${id}
        countersign approvals edit ${id} --amount <less>
        countersign approvals reject ${id} --comment <why>
`;
}

export function approvalList(page: Page<Approval>, status: string): string {
  if (page.items.length === 0) {
    return status === 'open'
      ? 'Nothing waits for a decision. All refunds: countersign refund list\n'
      : `No approval is ${status}. Those that wait: countersign approvals list\n`;
  }
  const lines = table(page.items, [
    { title: 'APPROVAL', of: ({ id }) => id },
    { title: 'AMOUNT', of: (approval) => amountText(approval.arguments.amount) },
    { title: 'VOTES', of: ({ votes, needed }) => `${votes.length} of ${needed}` },
    status === 'open'
      ? { title: 'DEADLINE', of: ({ deadline }) => age(deadline) }
      : { title: 'DECIDED BY', of: ({ decidedBy }) => decidedBy?.actor ?? '', cut: true },
    { title: 'RISK', of: ({ risk }) => risk.join(', '), optional: true, cut: true },
    { title: 'REASON', of: ({ reason }) => reason, optional: true, cut: true },
    { title: 'BY', of: ({ requester }) => requester, optional: true, cut: true },
    { title: 'PAYMENT', of: ({ target }) => target, optional: true },
    { title: 'OPENED', of: ({ openedAt }) => age(openedAt), optional: true },
  ]);
  return `${lines}${more(page)}`;
}

export function decided(id: string, kind: Decision['decision'], outcome: DecisionOutcome): string {
  if (outcome.status === 'recorded') {
    return `On record as ${outcome.decisionId}; no worker is up, it takes effect as soon as one is.
See then: countersign approvals show ${id}
`;
  }
  const { approval } = outcome;
  const amount = amountText(approval.arguments.amount);
  const votes = `${approval.votes.length} of ${approval.needed} votes`;
  if (approval.status === 'open') {
    return kind === 'edit'
      ? `Now ${amount}, revision ${approval.revision}, ${votes}\n`
      : `Counted: ${votes} for ${amount}\n`;
  }
  return `${id} is ${approval.status}: ${amount}\nSee what comes of it: countersign refund watch ${approval.runId}\n`;
}

/** What the approver should know, whatever it is: the API decides what to tell. */
function factLines(facts: Approval['facts']): [string, string][] {
  return Object.entries(facts).flatMap(([name, value]): [string, string][] => {
    if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return [];
    return [[name, factText(value)]];
  });
}

function factText(value: unknown): string {
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT.*Z$/.test(value)) return moment(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return value.map(factText).join('; ');
  if ('value' in value && 'currency' in value) return `${String(value.value)} ${String(value.currency)}`;
  return Object.entries(value)
    .filter(([, member]) => member !== null)
    .map(([name, member]) => `${name} ${factText(member)}`)
    .join(', ');
}
