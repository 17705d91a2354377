import {
  isFinal,
  type AcceptedRefund,
  type OrderLines,
  type Page,
  type Refund,
  type TimelineEntry,
} from '../client';
import { amountText, summaryOf } from './amountText';
import { more } from './lists';
import { table } from './terminal/table';
import { beside, fields, padded, printable } from './terminal/text';
import { age, clock, moment } from './terminal/time';

export function started({ runId, phase }: AcceptedRefund, idempotencyKey: string): string {
  return `${runId} is ${phase}
  idempotency key  ${idempotencyKey} (sent again with the same options, it is the same refund)

Follow it: countersign refund watch ${runId}
`;
}

export function refundPage(refund: Refund): string {
  const { arguments: now, proposed, result, review, approval } = refund;
  const changed =
    proposed.amount.value !== now.amount.value ? ` (proposed: ${amountText(proposed.amount)})` : '';
  return [
    `${refund.runId}  ${refund.phase}\n`,
    fields([
      ['amount', `${amountText(now.amount)}${changed}`],
      ['reason', now.reason],
      ['payment', refund.paymentId],
      ['customer', refund.customerId],
      ['order', refund.orderId],
      ['part of', refund.splitId],
      ...lineFields(refund),
      ['thread', refund.threadId],
      ['note', refund.note],
      ['requested by', refund.requester],
      ['on behalf of', refund.onBehalfOf],
      ['requested', moment(refund.createdAt)],
      ['last change', moment(refund.updatedAt)],
      [
        'approval',
        approval &&
          `${approval.id}, revision ${approval.revision}, ${approval.status}${approval.status === 'open' ? ` until ${moment(approval.deadline)}` : ''}`,
      ],
      ['brake', heldText(refund)],
      ['needs review', review && `${review.detail} (${review.code})`],
      ['tried', review && review.tried.join('; ')],
      ['result', result && resultText(result)],
    ]),
    whatNext(refund),
  ].join('');
}

/** Whoever looks at a refund or an approval sees that nothing moves, and why (R55). */
export function heldText({ brake }: Pick<Refund, 'brake'>): string | null {
  if (!brake) return null;
  return `PULLED by ${brake.actor} ${moment(brake.at)}, no money moves: ${brake.reason}`;
}

/** What goes back of the order: units, of how many, and their share. */
export function lineFields({ lines, shipping }: OrderLines): [string, string][] {
  return [
    ...lines.map(({ lineId, quantity, of, amount }): [string, string] => [
      'line',
      `${printable(lineId)}: ${quantity} of ${of.quantity}, ${amountText(amount)} of ${amountText(of.amount)}`,
    ]),
    ...(shipping
      ? [['shipping', `${amountText(shipping.amount)} of ${amountText(shipping.of)}`] as [string, string]]
      : []),
  ];
}

function whatNext({ runId, phase, approval, review }: Refund): string {
  if (isFinal(phase)) return '';
  if (review)
    return `\nIt needs a person: countersign refund review ${runId} --action ${review.actions.join('|')}\n`;
  return approval?.status === 'open'
    ? `\nIt waits for a person: countersign approvals show ${approval.id}\n`
    : `\nFollow it: countersign refund watch ${runId}\n`;
}

export function refundList(page: Page<Refund>, filtered: boolean): string {
  if (page.items.length === 0) {
    return filtered
      ? 'No refund is like that. All of them: countersign refund list\n'
      : 'There is no refund yet. Propose one: countersign refund start --help\n';
  }
  const lines = table(page.items, [
    { title: 'RUN', of: ({ runId }) => runId },
    { title: 'PHASE', of: ({ phase }) => phase },
    { title: 'AMOUNT', of: (refund) => amountText(refund.arguments.amount) },
    { title: 'REQUESTED', of: ({ createdAt }) => age(createdAt) },
    { title: 'BY', of: ({ requester }) => requester, optional: true, cut: true },
    { title: 'REASON', of: (refund) => refund.arguments.reason, optional: true, cut: true },
    { title: 'PAYMENT', of: ({ paymentId }) => paymentId, optional: true },
    { title: 'ORDER', of: ({ orderId }) => orderId ?? '', optional: true, cut: true },
  ]);
  return `${lines}${more(page)}`;
}

export function timelineLine({ at, actor, onBehalfOf, event, after, reason }: TimelineEntry): string {
  const spoken = onBehalfOf === null ? '' : `for ${onBehalfOf}`;
  const what = [spoken, summaryOf(after), reason ?? ''].filter((text) => text !== '').join('; ');
  const lead = `${clock(at)}  ${event.padEnd(20)}  ${padded(printable(actor), 12)}`;
  return what === '' ? `${lead.trimEnd()}\n` : beside(`${lead}  `, printable(what));
}

export function whatBecame({ runId, phase, result, arguments: { amount } }: Refund): string {
  return `\n${runId} is ${phase}: ${result ? resultText(result) : amountText(amount)}\n`;
}

function resultText({ outcome, refundId, amount, code, detail }: NonNullable<Refund['result']>): string {
  if (amount && refundId) return `${amountText(amount)} went back as ${refundId}`;
  const why = [code, detail].filter((text) => text !== null && text !== outcome);
  return [`${outcome}, no money moved`, ...why].join('; ');
}
