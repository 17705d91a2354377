import type { Approval, Decision, DecisionOutcome, Page } from '../client';
import { amountText } from './amountText';
import { more } from './lists';
import { riskLines } from './riskText';
import { heldText, lineFields } from './refundText';
import { table } from './terminal/table';
import { fields } from './terminal/text';
import { age, moment } from './terminal/time';

export function approvalPage(approval: Approval): string {
  const { policy, decidedBy } = approval;
  const groups = [policy.approverGroup, ...policy.escalatedTo].join(', ');
  const oneFrom = policy.oneFrom === null ? '' : `, one of them from ${policy.oneFrom}`;
  return [
    `${approval.id}  ${approval.status}\n`,
    fields([
      ...subjectFields(approval),
      ...lineFields(approval),
      ['requested by', approval.requester],
      ['on behalf of', approval.onBehalfOf],
      ['revision', [approval.revision, approval.revisionReason].filter((part) => part !== null).join(', ')],
      ['hash', approval.proposalHash],
      ['policy', `${policy.explanation} (${policy.ruleIds.join(', ')}; version ${policy.version})`],
      ['with recent', policy.aggregate && `${amountText(policy.aggregate)} on this payment or customer`],
      ['brake', heldText(approval)],
      ['stop at', approval.risk.join(', ') || null],
      ['votes', `${approval.votes.length} of ${approval.needed} (${groups}${oneFrom})`],
      ...approval.votes.map(
        ({ actor, at, onAuthorityOf }) =>
          ['', `${actor}${onAuthorityOf === null ? '' : ` for ${onAuthorityOf}`}, ${moment(at)}`] as const,
      ),
      ...approval.delegations.map(
        ({ from, to, at }) => ['handed over', `${from} to ${to}, ${moment(at)}`] as const,
      ),
      ['claimed', approval.claim && `by ${approval.claim.by} until ${moment(approval.claim.until)}`],
      ['open since', moment(approval.openedAt)],
      ['deadline', approval.status === 'open' ? deadlineText(approval) : null],
      ['decided', decidedBy && `${decidedBy.decision} by ${decidedBy.actor}, ${moment(decidedBy.at)}`],
      ['why', decidedBy?.reasonCode ?? null],
      ...approval.evidence.map(
        ({ id, label, url, text }) =>
          [id, [label, url, text].filter((part) => part !== null).join('; ')] as const,
      ),
      ...riskLines(approval.facts),
      ...factLines(approval.facts).filter(([name]) => name !== 'evidence' && name !== 'risk'),
      ...conversation(approval),
      ['run', approval.runId],
    ]),
  ].join('');
}

function subjectFields({ arguments: args, target }: Approval): [string, string | null][] {
  if ('amount' in args)
    return [
      ['refund', `${amountText(args.amount)} on ${target}`],
      ['reason', args.reason],
    ];
  return [
    ['remember', args.key ?? '(gone)'],
    ['of', args.owner],
    ['value', args.value],
    ['from', args.source],
    ['candidate', target],
  ];
}

/** What is decided about, in few words. */
export function subjectText({ arguments: args }: Approval): string {
  if ('amount' in args) return amountText(args.amount);
  return args.key === null ? 'rule' : `rule ${args.key}`;
}

function deadlineText({ deadline, clock }: Approval): string {
  if (clock.pausedSince !== null) return `${moment(deadline)} at the latest; a question stops the clock`;
  if (clock.extendedFrom === null) return moment(deadline);
  return `${moment(deadline)}; it was ${moment(clock.extendedFrom)} before an outage`;
}

/** What people have said, each under the decision with which they said it. */
function conversation({ timeline, infoRequests }: Approval): [string, string][] {
  const waiting = new Set(infoRequests.filter(({ open }) => open).map(({ id }) => id));
  return timeline
    .filter(({ comment }) => comment !== null)
    .map(({ decisionId, decision, actor, comment }) => [
      decision.replace('_', ' '),
      `${actor}: ${comment}${waiting.has(decisionId) ? ` (waits for an answer, ${decisionId})` : ''}`,
    ]);
}

export function howToDecide({ id, status, action }: Approval): string {
  if (status !== 'open') return '';
  const edit = `        countersign approvals edit ${id} --amount <less>\n`;
  return `
Decide: countersign approvals approve ${id}
${action === 'issue_refund' ? edit : ''}        countersign approvals reject ${id} --comment <why>
Or:     countersign approvals request-info|escalate|delegate|claim|withdraw|comment ${id}
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
    { title: 'AMOUNT', of: subjectText },
    { title: 'VOTES', of: ({ votes, needed }) => `${votes.length} of ${needed}` },
    status === 'open'
      ? { title: 'DEADLINE', of: ({ deadline }) => age(deadline) }
      : { title: 'DECIDED BY', of: ({ decidedBy }) => decidedBy?.actor ?? '', cut: true },
    { title: 'RISK', of: ({ risk }) => risk.join(', '), optional: true, cut: true },
    { title: 'REASON', of: ({ reason }) => reason ?? '', optional: true, cut: true },
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
  const what = subjectText(approval);
  const votes = `${approval.votes.length} of ${approval.needed} votes`;
  if (approval.status === 'open') {
    if (kind === 'edit') return `Now ${what}, revision ${approval.revision}, ${votes}\n`;
    return kind === 'approve' ? `Counted: ${votes} for ${what}\n` : `${done(kind, approval)}; ${votes}\n`;
  }
  const next = approval.action === 'adopt_memory' ? 'memory candidate' : 'refund watch';
  return `${id} is ${approval.status}: ${what}\nSee what comes of it: countersign ${next} ${approval.runId}\n`;
}

/** What came of a decision that is no vote. */
function done(kind: Decision['decision'], { claim, timeline, policy }: Approval): string {
  switch (kind) {
    case 'request_info':
      return 'Asked; the answer comes back to you';
    case 'answer_info':
      return 'Answered; whoever asked is told';
    case 'escalate':
      return `Asked too: ${policy.escalatedTo.join(', ')}`;
    case 'delegate':
      return `Handed over to ${timeline.findLast(({ decision }) => decision === 'delegate')?.to ?? 'another'}`;
    case 'claim':
      return claim ? `Yours until ${moment(claim.until)}` : 'Claimed';
    case 'release':
      return 'Released';
    case 'withdraw':
      return 'Taken back';
    default:
      return 'Said';
  }
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
