import type { BatchApproval, BatchKind } from '../../domain/batch/batch';
import { commonReason } from '../../domain/batch/manifest';
import { mostRows, type RawRow, type ReadRefundRow, type RowIssue } from '../../domain/batch/row';
import { CountersignError } from '../../domain/errors';
import type { Money } from '../../domain/money/money';
import { refuseUnlessPermitted } from '../../domain/policy/authorization';
import type { Batch, NewBatch } from '../../ports/batches';
import type { Principal } from '../../ports/people';
import type { UseCases } from '../dependencies';
import { refuseSensitiveIds } from '../freeText';
import { fingerprintOf, idFrom } from '../intake';
import { humanBehind } from '../onBehalfOf';
import { carry, oweNews } from './carry';
import { checkDocumentRows, checkRefundRows, type CheckedRows } from './rows';

export interface BatchToStart {
  readonly kind: BatchKind;
  readonly approval: BatchApproval;
  /** Every row is looked at, also at the provider, and nothing runs. */
  readonly dryRun: boolean;
  /** Rows that are not as they should be: the file is refused, or they are left out and named. */
  readonly invalidRows: 'refuse' | 'leave_out';
  readonly onBehalfOf?: string | undefined;
  readonly rows: readonly RawRow[];
}

/**
 * Takes in a file of refunds or documents as one run. The same key and file give the same batch; a file that is refused
 * uses its key up for nothing. A dry run has a key of its own.
 * @throws CountersignError batch_empty, batch_too_large, batch_invalid (details: rows), batch_mixed_currencies,
 * sensitive_text, forbidden, idempotency_conflict
 */
export async function startBatch(
  useCases: UseCases,
  principal: Principal,
  idempotencyKey: string,
  asked: BatchToStart,
): Promise<Batch> {
  const { kind, approval, dryRun, rows, onBehalfOf } = asked;
  const { tenant } = principal;
  if (rows.length === 0) throw new CountersignError('batch_empty');
  if (rows.length > mostRows)
    throw new CountersignError(
      'batch_too_large',
      `one batch takes ${mostRows} rows, and the file has ${rows.length}`,
      { mostRows },
    );
  refuseSensitiveIds({ 'Idempotency-Key': idempotencyKey });
  // No caller's key has a space.
  const key = dryRun ? `dry-run ${idempotencyKey}` : idempotencyKey;
  const batchId = idFrom(kind === 'refunds' ? 'bat' : 'ing', tenant, key);
  const human = await humanBehind(useCases, tenant, onBehalfOf);
  const checked =
    kind === 'refunds'
      ? await checkRefundRows(rows, { tenant, batchId, onBehalfOf })
      : await checkDocumentRows(rows, principal.id);
  refuseInvalid(checked, asked);
  const { read } = checked;
  const amount = kind === 'refunds' ? sumOf(read, approval) : null;
  await refuseUnlessMay(useCases, principal, human.onBehalfOf ?? null, read);
  const batch: NewBatch = {
    ...{ batchId, kind, approval, dryRun, idempotencyKey: key, requester: principal.id },
    onBehalfOf: human.onBehalfOf ?? null,
    fingerprint: fingerprintOf({
      kind,
      approval,
      onBehalfOf: onBehalfOf ?? null,
      items: checked.items,
      issues: checked.issues,
    }),
    asked: amount && { amount, reason: commonReason(read.map(({ request }) => request)) },
    items: checked.items,
    leftOut: checked.issues,
  };
  const started = await takeIn(useCases, principal, batch);
  await carry(useCases, started);
  return started;
}

/** Rows that can't be read refuse the file, or are left out; a file of nothing else is refused. */
function refuseInvalid({ items, issues }: CheckedRows, { invalidRows, dryRun }: BatchToStart): void {
  if (issues.length === 0) return;
  if (items.length > 0 && (dryRun || invalidRows === 'leave_out')) return;
  throw invalid(issues);
}

/** The report of all rows; a refusal shows this many and counts the rest. */
const shownIssues = 1_000;

function invalid(issues: readonly RowIssue[]): CountersignError {
  const rows = new Set(issues.map(({ row }) => row)).size;
  return new CountersignError(
    'batch_invalid',
    `${rows} ${rows === 1 ? 'row is' : 'rows are'} not as they should be; nothing was started`,
    { rows: issues.slice(0, shownIssues), rowCount: rows, issueCount: issues.length },
  );
}

/** @throws CountersignError batch_mixed_currencies where one sum is asked about */
function sumOf(rows: readonly ReadRefundRow[], approval: BatchApproval): Money {
  const [first] = rows;
  if (!first) throw new CountersignError('batch_empty');
  const { currency } = first.request.amount;
  const same = rows.filter(({ request }) => request.amount.currency === currency);
  if (same.length < rows.length && approval === 'manifest')
    throw new CountersignError('batch_mixed_currencies', undefined, {
      currencies: [...new Set(rows.map(({ request }) => request.amount.currency))],
    });
  const minor = same.reduce((sum, { request }) => sum + request.amount.minor, 0);
  if (!Number.isSafeInteger(minor)) throw new CountersignError('amount_too_large');
  return { minor, currency };
}

/** Asked of the largest amount of each reason and currency here, and of every row when it is taken in. */
async function refuseUnlessMay(
  { store, authorization }: UseCases,
  who: Principal,
  onBehalfOf: string | null,
  rows: readonly ReadRefundRow[],
): Promise<void> {
  const policy = await store.inTenant(who.tenant, (unit) => unit.policies.newest());
  const ask = authorization.under(policy);
  if (rows.length === 0) {
    const question = { who, action: 'manage', setting: 'knowledge' } as const;
    return refuseUnlessPermitted(ask(question), 'only an administrator changes documents');
  }
  const largest = new Map<string, ReadRefundRow['request']>();
  for (const { request } of rows) {
    const key = `${request.reason} ${request.amount.currency}`;
    const before = largest.get(key);
    if (!before || before.amount.minor < request.amount.minor) largest.set(key, request);
  }
  for (const request of largest.values()) {
    const refund = { tenant: who.tenant, requester: who.id, onBehalfOf, amount: request.amount, request };
    refuseUnlessPermitted(ask({ who, action: 'propose', refund }), 'this identity may not propose refunds');
  }
}

async function takeIn({ store }: UseCases, { tenant }: Principal, batch: NewBatch): Promise<Batch> {
  const { batchId, idempotencyKey, fingerprint } = batch;
  return store.inTenant(tenant, async (unit) => {
    if (await unit.batches.create(batch)) {
      await oweNews(unit, batchId);
      await unit.audit.append({
        runId: batchId,
        actor: batch.requester,
        event: 'batch_requested',
        step: 'request',
        after: {
          kind: batch.kind,
          approval: batch.approval,
          dryRun: batch.dryRun,
          rows: batch.items.length,
          leftOut: batch.leftOut.length,
        },
      });
    } else {
      const known = await unit.runs.byIdempotencyKey(idempotencyKey);
      const id = known?.runId === batchId ? { batchId } : { runId: known?.runId };
      if (known?.runId !== batchId || known.fingerprint !== fingerprint)
        throw new CountersignError('idempotency_conflict', undefined, id);
    }
    const found = await unit.batches.find(batchId);
    if (!found) throw new CountersignError('internal', 'the key was taken, but its batch is not there');
    return found;
  });
}
