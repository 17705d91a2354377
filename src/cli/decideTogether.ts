import {
  CountersignError,
  type Approval,
  type Countersign,
  type RejectReason,
  type TogetherOutcome,
} from '../client';
import { mostTogether, type TogetherKind } from '../domain/approval/manyDecisions';
import { errorCatalogue } from '../domain/errors';
import { formatAmount, parseAmount } from '../domain/money/decimal';
import { spreadOf } from '../domain/money/spread';
import { confirm, type Confirmable } from './admin/confirmation';
import { amountText } from './amountText';
import { subjectText } from './approvalText';
import { connect } from './connection';
import type { DecisionOptions } from './decisionBody';
import { UsageError } from './failure';
import { answer, remark } from './output';
import { table } from './terminal/table';

const names = { approve: 'Approve', reject: 'Reject' } as const;

/**
 * Decides about several approvals at once: they are read and shown, asked about in one question, and each is decided by
 * itself. Exits 1 where one of them was refused.
 * @throws UsageError
 */
export async function decideTogether(
  ids: readonly string[],
  decision: TogetherKind,
  options: DecisionOptions & Confirmable,
): Promise<void> {
  checkTogether(ids, options);
  const { approvals } = connect(options);
  const read = await readEach(ids, approvals);
  const found = read.flatMap((one) => ('approval' in one ? [one.approval] : []));
  if (found.length > 0) {
    remark(options.json, proposals(found));
    const sums = sumsOf(found).join(' and ');
    await confirm(options, `${names[decision]} ${found.length} approvals${sums === '' ? '' : `, ${sums}`}?`);
  }
  const { comment, reasonCode } = options;
  const shared = { decision, comment, reasonCode: reasonCode as RejectReason | undefined };
  const named = found.map(({ id, proposalHash }) => ({ approvalId: id, proposalHash }));
  const decided = named.length === 0 ? [] : await approvals.decideMany({ ...shared, items: named });
  const items = read.map((one) => ('approval' in one ? outcomeOf(one.approval.id, decided) : one.outcome));
  answer(options.json, { items }, () => outcomes(items, found));
  const refused = items.filter(({ status }) => status === 'refused');
  if (refused.length === 0) return;
  process.exitCode = 1;
  remark(
    options.json,
    `${refused.length} of ${items.length} refused; see what became of one with: countersign approvals show ${refused[0]?.approvalId}`,
  );
}

function checkTogether(ids: readonly string[], { hash, decisionId, evidenceSeen }: DecisionOptions): void {
  const ofOne = Object.entries({
    '--hash': hash,
    '--decision-id': decisionId,
    '--evidence-seen': evidenceSeen,
  });
  const given = ofOne.find(([, value]) => value !== undefined);
  if (given) throw new UsageError(`${given[0]} is about one approval; give one id with it`);
  const twice = ids.find((id, place) => ids.indexOf(id) !== place);
  if (twice !== undefined) throw new UsageError(`${twice} is named twice`);
  if (ids.length > mostTogether)
    throw new UsageError(`at most ${mostTogether} approvals are decided together; these are ${ids.length}`);
}

type Read = { readonly approval: Approval } | { readonly outcome: TogetherOutcome };

/** What is not there, or not for this person to see, is refused by itself, as the others may be. */
async function readEach(ids: readonly string[], approvals: Countersign['approvals']): Promise<Read[]> {
  const read: Read[] = [];
  for (const id of ids) {
    try {
      read.push({ approval: await approvals.show(id) });
    } catch (error) {
      if (!(error instanceof CountersignError) || ![403, 404].includes(error.status)) throw error;
      read.push({ outcome: { approvalId: id, status: 'refused', problem: problemOf(error) } });
    }
  }
  return read;
}

type Problem = Extract<TogetherOutcome, { status: 'refused' }>['problem'];

function problemOf({ code, status, detail, details }: CountersignError): Problem {
  const title = errorCatalogue[code].meaning;
  const { requestId = '' } = details as { readonly requestId?: string };
  return { type: `urn:countersign:error:${code}`, title, status, code, detail, requestId };
}

function outcomeOf(id: string, decided: readonly TogetherOutcome[]): TogetherOutcome {
  const outcome = decided.find(({ approvalId }) => approvalId === id);
  if (!outcome) throw new Error(`the API does not say what came of ${id}`);
  return outcome;
}

/** Exactly what is about to be decided. */
function proposals(approvals: readonly Approval[]): string {
  const outliers = spreads(approvals).flatMap((spread) => spread.outliers.map(({ approval }) => approval));
  const marksOf = (approval: Approval) => [
    ...approval.risk,
    ...(outliers.includes(approval) ? ['far above the others'] : []),
  ];
  const lines = table(approvals, [
    { title: 'APPROVAL', of: ({ id }) => id },
    { title: 'AMOUNT', of: subjectText },
    { title: 'ON', of: ({ target }) => target },
    { title: 'VOTES', of: ({ votes, needed }) => `${votes.length} of ${needed}` },
    {
      title: 'STOP AT',
      of: (approval) => marksOf(approval).join(', '),
      optional: true,
      cut: true,
    },
    { title: 'BY', of: ({ requester }) => requester, optional: true, cut: true },
    { title: 'REASON', of: ({ reason }) => reason ?? '', optional: true, cut: true },
    {
      title: 'HASH',
      of: ({ proposalHash }) => proposalHash,
      short: ({ proposalHash }) => proposalHash.slice(0, 12),
    },
  ]);
  const sums = sumsOf(approvals).join(', ');
  return sums === '' ? lines.trimEnd() : `${lines}In all: ${sums}`;
}

function sumsOf(approvals: readonly Approval[]): string[] {
  return spreads(approvals).map(({ sum }) =>
    amountText({ value: formatAmount(sum), currency: sum.currency }),
  );
}

/** For each currency. */
function spreads(approvals: readonly Approval[]) {
  const priced = approvals.flatMap((approval) => {
    if (!('amount' in approval.arguments)) return [];
    const { value, currency } = approval.arguments.amount;
    return [{ approval, amount: parseAmount(value, currency, { allowWithdrawn: true }) }];
  });
  const currencies = [...new Set(priced.map(({ amount }) => amount.currency))];
  return currencies.map((currency) => spreadOf(priced.filter(({ amount }) => amount.currency === currency)));
}

function outcomes(items: readonly TogetherOutcome[], approvals: readonly Approval[]): string {
  const amountOf = ({ approvalId }: TogetherOutcome) => {
    const approval = approvals.find(({ id }) => id === approvalId);
    return approval ? subjectText(approval) : '';
  };
  return table(items, [
    { title: 'APPROVAL', of: ({ approvalId }) => approvalId },
    { title: 'AMOUNT', of: amountOf },
    { title: 'OUTCOME', of: outcomeText },
    {
      title: 'WHY',
      of: (item) => (item.status === 'refused' ? item.problem.detail : ''),
      optional: true,
      cut: true,
    },
  ]);
}

function outcomeText(item: TogetherOutcome): string {
  switch (item.status) {
    case 'applied': {
      const { status, votes, needed } = item.approval;
      return status === 'open' ? `counted, ${votes.length} of ${needed}` : status;
    }
    case 'recorded':
      return 'on record; no worker is up';
    case 'refused':
      return `refused, ${item.problem.code}`;
  }
}
