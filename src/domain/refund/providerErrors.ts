/** The payment provider as activities see it; part of the one catalogue in ../errors.ts. Causes: adapters/payments/failureTable.ts. */
export const providerErrors = {
  brake_engaged: {
    status: 503,
    retry: 'wait',
    meaning: 'The kill switch is pulled; nothing is sent to the provider until it is released.',
  },
  provider_unknown: {
    status: 502,
    retry: 'look_up',
    meaning: 'The provider did not answer; whether it acted is unknown.',
  },
  provider_in_flight: {
    status: 502,
    retry: 'retry',
    meaning: 'The provider is still working on the same key.',
  },
  provider_rate_limited: { status: 503, retry: 'wait', meaning: 'The provider asks to slow down.' },
  provider_error: {
    status: 502,
    retry: 'look_up',
    meaning: 'The provider answered with an error of its own.',
  },
  provider_refused: { status: 502, retry: 'fail', meaning: 'The provider refused the refund.' },
  provider_key_reused: {
    status: 502,
    retry: 'ask_person',
    meaning: 'The provider knows this key with other parameters.',
  },
  provider_authentication: {
    status: 502,
    retry: 'ask_person',
    meaning: 'The provider does not accept our credentials.',
  },
  provider_already_refunded: {
    status: 502,
    retry: 'look_up',
    meaning: 'The provider says that the payment is refunded; it counts only if that refund is ours.',
  },
} as const;
