import { z } from 'zod';
import type { FaultRow } from './schema';

/** What happens to the call itself, whether or not it does anything. */
export const transportKinds = [
  'latency',
  'cut_before',
  'in_flight_409',
  'status_429',
  'cut_after_commit',
] as const;
/** What happens inside a call that executes (never on a replay). */
export const executionKinds = [
  'status_500',
  'insufficient_balance',
  'refund_pending',
  'refund_fails_later',
  'requires_action',
] as const;
/** What happens to the webhooks of one event. */
export const webhookKinds = [
  'webhook_never',
  'webhook_delay',
  'webhook_duplicate',
  'webhook_reorder',
  'webhook_before_response',
] as const;

export const faultKinds = [...transportKinds, ...executionKinds, ...webhookKinds] as const;
export type FaultKind = (typeof faultKinds)[number];

/** What each does; the command line shows it. */
export const faultMeanings: Readonly<Record<FaultKind, string>> = {
  latency: 'the call is held before anything is done',
  cut_before: 'the connection is cut before anything is done',
  in_flight_409: 'refused as if another call with the same key were being carried out',
  status_429: 'refused as too many calls, or as a locked object',
  cut_after_commit: 'the call is carried out, and the connection cut instead of an answer',
  status_500: 'an error of the provider itself, replayed for the key from then on',
  insufficient_balance: 'the balance does not cover the refund: refused, or left pending',
  refund_pending: 'the refund is made and is not settled yet',
  refund_fails_later: 'the refund succeeds, and fails later',
  requires_action: 'the refund waits for the customer',
  webhook_never: 'the event is listed, but never sent',
  webhook_delay: 'the event is sent late',
  webhook_duplicate: 'the event is sent twice',
  webhook_reorder: 'the event is held until a later one has overtaken it',
  webhook_before_response: 'the event is sent before the call that caused it is answered',
};

export const faultSettings = z.strictObject({
  /** latency: how long the call is held; webhook_delay and webhook_reorder: how long at most. */
  ms: z.int().min(0).max(600_000).optional(),
  /** status_429: seconds in Retry-After; left out, the header is too. */
  retryAfterSeconds: z.int().min(0).max(86_400).optional(),
  /** status_429: `lock_timeout` says that the object is busy, `rate_limit` (default) that calls are too many. */
  code: z.enum(['rate_limit', 'lock_timeout']).optional(),
  /** status_500: the effect is committed although the answer, now and replayed, is a 500. */
  afterEffect: z.boolean().optional(),
  /** insufficient_balance: `pending` accepts the refund and leaves it waiting for funds. */
  as: z.enum(['error', 'pending']).optional(),
  /** refund_pending, refund_fails_later, requires_action: when it moves on by itself; left out, it waits for `/sandbox/refunds/:id`. */
  afterMs: z.int().min(0).optional(),
  /** refund_fails_later and refund_pending: why it failed in the end. */
  failureReason: z.string().max(100).optional(),
});
export type FaultSettings = z.infer<typeof faultSettings>;

/** The settings that each kind takes, and the one without which it would do nothing. */
const settingsTaken: Readonly<
  Record<FaultKind, { takes: readonly (keyof FaultSettings)[]; needs?: keyof FaultSettings }>
> = {
  latency: { takes: ['ms'], needs: 'ms' },
  cut_before: { takes: [] },
  in_flight_409: { takes: [] },
  status_429: { takes: ['retryAfterSeconds', 'code'] },
  cut_after_commit: { takes: [] },
  status_500: { takes: ['afterEffect'] },
  insufficient_balance: { takes: ['as', 'afterMs'] },
  refund_pending: { takes: ['afterMs', 'failureReason'] },
  refund_fails_later: { takes: ['afterMs', 'failureReason'] },
  requires_action: { takes: ['afterMs'] },
  webhook_never: { takes: [] },
  webhook_delay: { takes: ['ms'], needs: 'ms' },
  webhook_duplicate: { takes: [] },
  webhook_reorder: { takes: ['ms'] },
  webhook_before_response: { takes: [] },
};

export const faultRequest = z
  .strictObject({
    kind: z.enum(faultKinds),
    match: z
      .strictObject({
        method: z.enum(['GET', 'POST', 'DELETE']).optional(),
        /** A path with `*` for any part, for example `/v1/refunds*`. */
        path: z.string().startsWith('/').max(200).optional(),
        idempotencyKey: z.string().max(255).optional(),
        /** A charge or payment intent that the call names, or that the event is about. */
        payment: z.string().max(100).optional(),
        /** For webhook faults: the event type, with `*` for any part. */
        event: z.string().max(100).optional(),
      })
      .default({}),
    /** The next so many matching calls. Default 1, or no limit with a probability. */
    times: z.int().min(1).nullable().optional(),
    probability: z.number().min(0).max(1).optional(),
    /** Makes the dice repeatable: the same seed and order of calls give the same faults. */
    seed: z.string().max(100).optional(),
  })
  .extend(faultSettings.shape)
  .superRefine(
    ({ kind, match, times: _times, probability: _probability, seed: _seed, ...settings }, issues) => {
      const refuse = (message: string): void => issues.addIssue({ code: 'custom', message });
      const { takes, needs } = settingsTaken[kind];
      for (const [name, value] of Object.entries(settings))
        if (value !== undefined && !takes.some((taken) => taken === name)) refuse(`${kind} takes no ${name}`);
      if (needs !== undefined && settings[needs] === undefined) refuse(`${kind} needs ${needs}`);
      // A fault that could match nothing would be silent, and taken for a system that stands it.
      const webhook = webhookKinds.some((of) => of === kind);
      const never = webhook ? (['method', 'path', 'idempotencyKey'] as const) : (['event'] as const);
      for (const name of never)
        if (match[name] !== undefined)
          refuse(`${kind} is about ${webhook ? 'an event' : 'a call'}, which has no ${name}`);
    },
  );
export type FaultRequest = z.infer<typeof faultRequest>;

/** One fault that was taken for a call. */
export interface TakenFault {
  readonly id: number;
  readonly kind: FaultKind;
  readonly settings: FaultSettings;
}

/** The faults of one call, by kind. */
export type ExecutionFaults = ReadonlyMap<FaultKind, FaultSettings>;

export function faultView(row: FaultRow): Record<string, unknown> {
  return {
    id: row.id,
    kind: row.kind,
    match: {
      method: row.method,
      path: row.path,
      idempotencyKey: row.idempotency_key,
      payment: row.payment,
      event: row.event,
    },
    times: row.remaining,
    active: row.remaining !== 0,
    probability: row.probability,
    seed: row.seed,
    considered: row.considered,
    hits: row.hits,
    ...row.settings,
  };
}
