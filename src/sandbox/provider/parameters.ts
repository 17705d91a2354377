import { z } from 'zod';
import type { FormRecord } from './formEncoding';
import { invalidRequest } from './stripeError';

/** Largest amount in minor units that is accepted; Stripe documents eight digits for most currencies, twelve for some. */
export const largestAmount = 999_999_999_999;

const currencies = new Set(Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()));

/** Amounts that the provider takes only in steps: three-decimal currencies in tens, ISK and UGX in whole units. */
const steps: Readonly<Record<string, number>> = {
  bhd: 10,
  jod: 10,
  kwd: 10,
  omr: 10,
  tnd: 10,
  isk: 100,
  ugx: 100,
};

export const amount = z
  .string()
  .regex(/^\d{1,18}$/, 'parameter_invalid_integer')
  .transform(Number)
  .refine((value) => value >= 1, 'parameter_invalid_integer')
  .refine((value) => value <= largestAmount, 'amount_too_large');

export const currency = z
  .string()
  .transform((code) => code.toLowerCase())
  .refine((code) => currencies.has(code), 'invalid_currency');

export const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
export const text = z.string().min(1, 'parameter_invalid_empty').max(5_000);
export const metadata = z
  .union([z.literal('').transform(() => ({})), z.record(z.string().max(40), z.string().max(500))])
  .refine((value) => Object.keys(value).length <= 50, 'metadata holds at most 50 keys');
export const expand = z.array(z.string().max(100)).max(20).optional();

const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/, 'parameter_invalid_integer')
  .transform(Number);

/** What every list takes. */
export const listParameters = {
  limit: wholeNumber.refine((value) => value >= 1 && value <= 100, 'parameter_invalid_integer').optional(),
  starting_after: text.optional(),
  ending_before: text.optional(),
  created: z
    .union([
      wholeNumber.transform((at) => ({ gte: at, lte: at })),
      z.strictObject({ gt: wholeNumber, gte: wholeNumber, lt: wholeNumber, lte: wholeNumber }).partial(),
    ])
    .optional(),
  expand,
};

export const justExpand = z.strictObject({ expand });

/**
 * Checks a form against its schema.
 * @throws StripeError 400 that names the parameter, before anything was executed
 */
export function parseParameters<T>(schema: z.ZodType<T>, form: FormRecord): T {
  const result = schema.safeParse(form);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const param = (issue?.path ?? [])
    .map((part, index) => (index === 0 ? String(part) : `[${String(part)}]`))
    .join('');
  if (issue?.code === 'unrecognized_keys') {
    const unknown = issue.keys.join(', ');
    throw invalidRequest(`Received unknown parameter: ${unknown}`, {
      code: 'parameter_unknown',
      param: unknown,
    });
  }
  if (issue?.code === 'invalid_type' && !(param in form) && issue.path.length === 1) {
    throw invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param });
  }
  const value = form[param];
  const shown = typeof value === 'string' ? value.slice(0, 100) : '';
  switch (issue?.message) {
    case 'parameter_invalid_integer':
      throw invalidRequest(`Invalid positive integer: ${shown}`, {
        code: 'parameter_invalid_integer',
        param,
      });
    case 'amount_too_large':
      throw invalidRequest(`Amount must be no more than ${String(largestAmount)}`, {
        code: 'amount_too_large',
        param,
      });
    case 'parameter_invalid_empty':
      throw invalidRequest(`You passed an empty string for '${param}'.`, {
        code: 'parameter_invalid_empty',
        param,
      });
    case 'invalid_currency':
      throw invalidRequest(`Invalid currency: ${shown}`, { param });
    default:
      throw invalidRequest(`Invalid ${param}: ${issue?.message ?? 'not of its form'}`, { param });
  }
}

/** @throws StripeError 400 where the currency can't carry exactly this amount at the provider */
export function checkStep(minorUnits: number, currencyCode: string): void {
  const step = steps[currencyCode] ?? 1;
  if (minorUnits % step !== 0) {
    throw invalidRequest(`Invalid amount: in ${currencyCode} it must be a multiple of ${String(step)}`, {
      code: 'parameter_invalid_integer',
      param: 'amount',
    });
  }
}

/** The amount as Stripe writes it in its messages, for example `$25.00`. */
export function displayAmount(minorUnits: number, currencyCode: string): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency: currencyCode });
  const decimals = steps[currencyCode] === 100 ? 2 : (format.resolvedOptions().maximumFractionDigits ?? 2);
  return format.format(minorUnits / 10 ** decimals);
}
