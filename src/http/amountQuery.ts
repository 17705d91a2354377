import { z } from '@hono/zod-openapi';
import { CountersignError } from '../domain/errors';
import { parseAmount } from '../domain/money/decimal';

const bound = z
  .string()
  .max(20)
  .optional()
  .openapi({ description: 'Major units of `currency`, which it needs' });

/** Bounds of a list by amount. */
export const amountQuery = {
  currency: z.string().length(3).optional(),
  min_amount: bound,
  max_amount: bound,
};

interface Bounds {
  readonly currency?: string | undefined;
  readonly min_amount?: string | undefined;
  readonly max_amount?: string | undefined;
}

/** In minor units. @throws CountersignError invalid_request, amount_* for bounds that are no amounts of the currency */
export function amountBounds({ currency, min_amount: from, max_amount: to }: Bounds) {
  if (currency === undefined && (from ?? to) !== undefined) throw needsCurrency();
  const minor = (value: string | undefined) =>
    value === undefined || currency === undefined ? undefined : parseAmount(value, currency).minor;
  return { amountFrom: minor(from), amountTo: minor(to) };
}

export function needsCurrency(): CountersignError {
  return new CountersignError('invalid_request', 'currency: amounts compare within one currency only', {
    issues: [{ path: 'currency', message: 'name one to filter or sort by amount' }],
  });
}
