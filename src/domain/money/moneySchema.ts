import { z } from 'zod';
import { exponentOfPaymentCurrency } from './currencies';
import type { Money } from './money';

/** Money as it is stored and as it crosses a process boundary; knows withdrawn currencies too. */
export const moneySchema = z.strictObject({
  minor: z.int().nonnegative(),
  currency: z.string().refine((code) => exponentOfPaymentCurrency(code) !== undefined, {
    error: 'not the upper-case code of a currency that pays for things',
  }),
}) satisfies z.ZodType<Money>;
