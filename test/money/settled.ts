import type { TestStack } from '../support/stack';
import { query } from '../support/database';
import { balanceOf, brokenAuditRows, told } from '../workflows/evidence';
import { entriesOf, overdraws, totals } from './ledgerBooks';

/**
 * Compares what the provider has done with what our books say, once everything has come to rest. Counted at the
 * provider; each sentence that comes back is something that must not be.
 */
export async function wrongs(
  stack: Pick<TestStack, 'database' | 'provider'>,
  charge: string,
): Promise<string[]> {
  const found: string[] = [];
  const refunds = await stack.provider.refunds(charge);
  const { amount_captured } = await stack.provider.stripe.charges.retrieve(charge);
  const alive = refunds.filter(({ status }) => status !== 'failed' && status !== 'canceled');
  const gone = sum(alive.map(({ amount }) => amount));
  if (gone > amount_captured) found.push(`${gone} left, of ${amount_captured} captured`);

  const runs = await query<Run>(
    stack.database.adminUrl,
    `select run_id as id, phase, money, amount::int from runs where payment_id = $1`,
    [charge],
  );
  let paid = 0;
  let open = 0;
  for (const run of runs) {
    const its = alive.filter(({ metadata }) => metadata?.['countersign_run_id'] === run.id);
    if (its.length > 1) found.push(`${run.id} was refunded ${its.length} times`);
    const right = its.length === 1 && its[0]?.amount === run.amount;
    if (run.phase === 'completed' && !right) found.push(`${run.id} is completed and not refunded`);
    if (['rejected', 'failed', 'cancelled', 'expired'].includes(run.phase) && its.length > 0)
      found.push(`${run.id} is ${run.phase} and refunded`);
    if (!final.has(run.phase) && run.phase !== 'needs_review')
      found.push(`${run.id} is neither over nor shown: ${run.phase}`);
    if (run.money === 'paid') paid += run.amount;
    if (run.money === 'unknown' || run.money === 'reserved') open += run.amount;
    for (const wrong of await toldWrongly(stack, run)) found.push(wrong);
    if ((await brokenAuditRows(stack, run.id)).length > 0)
      found.push(`the audit chain of ${run.id} is broken`);
  }

  const balance = await balanceOf(stack, charge);
  if (!balance) return runs.length === 0 ? found : [...found, 'there is no balance'];
  if (balance.refunded !== paid) found.push(`the balance has ${balance.refunded} refunded, its runs ${paid}`);
  if (balance.unknown + balance.reserved !== open) found.push('the balance holds another sum than its runs');
  const ofUnresolved = sum(
    alive.filter((r) => unresolved(runs, r.metadata?.['countersign_run_id'])).map((r) => r.amount),
  );
  if (gone - ofUnresolved !== balance.refunded)
    found.push(`the provider paid ${gone - ofUnresolved}, the ledger says ${balance.refunded}`);
  const books = {
    rows: <Row extends object>(text: string, values: unknown[] = []) =>
      query<Row>(stack.database.adminUrl, text, values),
  };
  const entries = await entriesOf(books, charge);
  const { refunded, reserved, unknown, captured } = totals(entries);
  if (refunded !== balance.refunded || reserved + unknown !== open)
    found.push('the entries do not add up to the balance');
  if (captured < 0 || overdraws(entries).length > 0) found.push('more was held than was left');
  return found;
}

interface Run {
  readonly id: string;
  readonly phase: string;
  readonly money: string;
  readonly amount: number;
}

const final = new Set(['completed', 'rejected', 'failed', 'cancelled', 'expired']);

/** A person has to say what became of it; until then its refund, if there is one, is counted as held. */
function unresolved(runs: readonly Run[], runId: string | undefined): boolean {
  const run = runs.find(({ id }) => id === runId);
  return run?.phase === 'needs_review';
}

/** Told once, and as it is. */
async function toldWrongly(stack: Pick<TestStack, 'database'>, { id, phase }: Run): Promise<string[]> {
  const words = await told(stack, id);
  const last = words.at(-1);
  const found = new Set(words).size === words.length ? [] : [`${id} was told twice: ${words.join()}`];
  if (phase === 'completed' && last !== 'refund_completed') found.push(`${id} is completed, told ${last}`);
  if (phase === 'failed' && last !== 'refund_failed' && last !== 'refund_failed_later')
    found.push(`${id} is failed, told ${last}`);
  return found;
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
