/** What amounts and currencies are refused with; part of the one catalogue in errors.ts. */
export const moneyErrors = {
  amount_invalid: {
    status: 422,
    retry: 'fail',
    meaning: 'The amount is not a plain decimal string such as "49.00".',
  },
  amount_not_positive: { status: 422, retry: 'fail', meaning: 'The amount must be above zero.' },
  amount_too_precise: {
    status: 422,
    retry: 'fail',
    meaning: 'The amount has more decimals than its currency.',
  },
  amount_too_large: {
    status: 422,
    retry: 'fail',
    meaning: 'The amount is larger than can be represented exactly.',
  },
  amount_not_representable: {
    status: 422,
    retry: 'fail',
    meaning: 'The payment provider cannot move exactly this amount in this currency.',
  },
  currency_unknown: {
    status: 422,
    retry: 'fail',
    meaning: 'That is not the upper-case code of a currency that pays for things.',
  },
  currency_mismatch: { status: 422, retry: 'fail', meaning: 'The payment was made in another currency.' },
} as const;
