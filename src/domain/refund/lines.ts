import { CountersignError } from '../errors';
import { allocate } from '../money/allocate';
import { formatAmount } from '../money/decimal';
import type { Money } from '../money/money';
import { providerStep } from '../money/providerAmounts';

/** A line of an order as it was bought: all its units, and what they cost together, taxes included. */
export interface BoughtLine {
  readonly quantity: number;
  readonly amount: Money;
}

/** Some units of a line, as a caller asks to refund them. */
export interface RefundLine {
  readonly lineId: string;
  readonly quantity: number;
  readonly of: BoughtLine;
  /** What the caller takes its share to be; refused where it is another. */
  readonly amount?: Money;
}

/** Shipping, whole or in part; of one order it is refunded once. */
export interface RefundShipping {
  readonly of: Money;
  readonly amount: Money;
}

/** Shipping is the line without a name, which no caller can give. */
export const shippingLine = '';

/** A line of a refund that was taken in, with its exact share. */
export interface AdmittedLine extends RefundLine {
  readonly amount: Money;
}

/** What other refunds that hold or have moved money have of a line. */
export interface TakenLine {
  readonly quantity: number;
  /** Minor units. */
  readonly minor: number;
  /** As the first of them said that it was bought. */
  readonly of: BoughtLine;
}

type Taken = ReadonlyMap<string, TakenLine>;

/**
 * The share of some units of a line, given what others have of it: what all of them together come to by largest
 * remainder, less what the others have, so that units refunded one by one come to exactly the whole. It is the exact
 * share rounded down or up; only the last units take what is left, should refunds in between have been given back.
 */
export function shareOfUnits(
  { amount, quantity: all }: BoughtLine,
  taken: Pick<TakenLine, 'quantity' | 'minor'>,
  quantity: number,
): Money {
  const { currency } = amount;
  const left = amount.minor - taken.minor;
  const together = taken.quantity + quantity;
  if (together >= all) return { minor: left, currency };
  const step = providerStep(currency);
  const steps = { minor: Math.floor(amount.minor / step), currency };
  const [reached = steps] = allocate(steps, [together, all - together]);
  const exact = BigInt(amount.minor) * BigInt(quantity);
  const divisor = BigInt(all) * BigInt(step);
  const low = Number(exact / divisor) * step;
  const high = exact % divisor === 0n ? low : low + step;
  const share = Math.max(low, Math.min(high, reached.minor * step - taken.minor));
  return { minor: Math.min(left, share), currency };
}

/**
 * Each line with its share, where its units are still to be had and all shares come to the amount (R11).
 * @throws CountersignError line_changed, line_exhausted, amount_not_of_lines
 */
export function admitLines(
  { lines = [], shipping }: { lines?: readonly RefundLine[]; shipping?: RefundShipping },
  taken: Taken,
  amount: Money,
): AdmittedLine[] {
  const admitted = lines.map((line, index): AdmittedLine => {
    const path = `lines.${index}`;
    refuseIfTaken(line, taken, path);
    const share = shareOfUnits(line.of, taken.get(line.lineId) ?? { quantity: 0, minor: 0 }, line.quantity);
    if (line.amount && line.amount.minor !== share.minor)
      throw notOfLines(`${path}.amount`, `these units come to ${text(share)}`, share);
    return { ...line, amount: share };
  });
  if (shipping) {
    const line = {
      lineId: shippingLine,
      quantity: 1,
      of: { quantity: 1, amount: shipping.of },
      amount: shipping.amount,
    };
    refuseIfTaken(line, taken, 'shipping');
    admitted.push(line);
  }
  const sum = sumOf(admitted, amount.currency);
  if (sum.minor !== amount.minor) throw notOfLines('amount', `the lines come to ${text(sum)}`, sum);
  return admitted;
}

/**
 * A run that had given its lines back may have them again, at the shares that were agreed on.
 * @throws CountersignError line_changed, line_exhausted
 */
export function admitLinesAgain(lines: readonly AdmittedLine[], taken: Taken): void {
  for (const [index, line] of lines.entries()) {
    const path = line.lineId === shippingLine ? 'shipping' : `lines.${index}`;
    refuseIfTaken(line, taken, path);
    const others = taken.get(line.lineId)?.minor ?? 0;
    if (others + line.amount.minor > line.of.amount.minor)
      throw problem('line_exhausted', path, 'other refunds have left less of this line than its share');
  }
}

/**
 * An edit may take from what the lines come to, and never adds: their units stay taken.
 * @throws CountersignError amount_not_of_lines
 */
export function refuseMoreThanLines(lines: readonly AdmittedLine[], minor: number): void {
  const [first] = lines;
  if (!first) return;
  const sum = sumOf(lines, first.amount.currency);
  if (minor > sum.minor)
    throw notOfLines(
      'amount',
      `the lines of this refund come to ${text(sum)}; an edit only lowers that`,
      sum,
    );
}

function sumOf(lines: readonly AdmittedLine[], currency: string): Money {
  return { minor: lines.reduce((all, { amount }) => all + amount.minor, 0), currency };
}

/** Paths and figures only: a line's name is the caller's own, and may be anything. */
function refuseIfTaken(line: RefundLine, taken: Taken, path: string): void {
  const others = taken.get(line.lineId);
  if (!others) return;
  const { of } = others;
  if (of.quantity !== line.of.quantity || !same(of.amount, line.of.amount)) {
    const units = path === 'shipping' ? '' : `${of.quantity} for `;
    throw problem(
      'line_changed',
      `${path}.of`,
      `earlier refunds of this order say ${units}${text(of.amount)}`,
    );
  }
  const left = of.quantity - others.quantity;
  if (line.quantity <= left) return;
  throw path === 'shipping'
    ? problem('line_exhausted', path, 'the shipping of this order is refunded already, or about to be')
    : problem('line_exhausted', `${path}.quantity`, `${left} of ${of.quantity} are left to refund`, {
        requestedUnits: line.quantity,
        remainingUnits: left,
      });
}

function notOfLines(path: string, message: string, expected: Money): CountersignError {
  return problem('amount_not_of_lines', path, message, {
    expected: { value: formatAmount(expected), currency: expected.currency },
  });
}

function problem(
  code: 'line_changed' | 'line_exhausted' | 'amount_not_of_lines',
  path: string,
  message: string,
  details: Record<string, unknown> = {},
): CountersignError {
  return new CountersignError(code, `${path}: ${message}`, { issues: [{ path, message }], ...details });
}

function same(left: Money, right: Money): boolean {
  return left.minor === right.minor && left.currency === right.currency;
}

function text(amount: Money): string {
  return `${formatAmount(amount)} ${amount.currency}`;
}
