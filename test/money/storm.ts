import fc from 'fast-check';

/** One thing that goes wrong with the call that moves money, or with the news about it. */
export interface Trouble {
  readonly kind: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface Wish {
  /** Which of the two payments. */
  readonly payment: 0 | 1;
  /** Minor units; equal ones are wanted: they are two refunds, not one (R2). */
  readonly amount: number;
  /** How often the caller sends it, always under its one key. */
  readonly sends: number;
}

/** What happens in one run of the property, all of it at once. */
export interface Storm {
  readonly wishes: readonly Wish[];
  readonly troubles: readonly (Trouble & { readonly payment: 0 | 1 })[];
  readonly news: readonly Trouble[];
  /** After so many calls for money the worker is killed, and another one started. */
  readonly deaths: readonly number[];
}

const payment = fc.constantFrom(0 as const, 1 as const);
const times = fc.integer({ min: 1, max: 3 });

const trouble: fc.Arbitrary<Trouble> = fc.oneof(
  times.map((n) => ({ kind: 'cut_after_commit', settings: { times: n } })),
  times.map((n) => ({ kind: 'cut_before', settings: { times: n } })),
  times.map((n) => ({ kind: 'in_flight_409', settings: { times: n } })),
  fc.constantFrom(true, false).map((afterEffect) => ({ kind: 'status_500', settings: { afterEffect } })),
  times.map((n) => ({ kind: 'status_429', settings: { times: n, retryAfterSeconds: 1 } })),
  times.map((n) => ({ kind: 'latency', settings: { times: n, ms: 700 } })),
  fc.constantFrom<Record<string, unknown>>({}, { failureReason: 'expired_or_canceled_card' }).map((more) => ({
    kind: 'refund_pending',
    settings: { afterMs: 400, ...more },
  })),
  fc.constant({ kind: 'refund_fails_later', settings: { afterMs: 600 } }),
  fc.constant({ kind: 'insufficient_balance', settings: {} }),
);

const news: fc.Arbitrary<Trouble> = fc
  .constantFrom(
    { kind: 'webhook_duplicate', settings: {} },
    { kind: 'webhook_reorder', settings: { ms: 500 } },
    { kind: 'webhook_delay', settings: { ms: 800 } },
    { kind: 'webhook_before_response', settings: {} },
  )
  .map(({ kind, settings }) => ({ kind, settings: { ...settings, times: null } }));

/** `captured`: of each payment, minor units. The wishes together are more than that. */
export function storms(captured: number): fc.Arbitrary<Storm> {
  const wish = fc.record<Wish>({
    payment,
    amount: fc.constantFrom(captured / 4, captured / 4, captured / 2, 1_01),
    sends: fc.integer({ min: 1, max: 3 }),
  });
  return fc.record<Storm>({
    wishes: fc.array(wish, { minLength: 6, maxLength: 8 }),
    troubles: fc.array(
      fc.tuple(payment, trouble).map(([of, what]) => ({ payment: of, ...what })),
      { minLength: 4, maxLength: 7 },
    ),
    news: fc.uniqueArray(news, { maxLength: 2, selector: ({ kind }) => kind }),
    deaths: fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 2 }),
  });
}
