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

export const faultRequest = z
  .strictObject({
    kind: z.enum(faultKinds),
    match: z
      .strictObject({
        method: z.enum(['GET', 'POST', 'DELETE']).optional(),
        /** A path with `*` for any part, for example `/v1/refunds*`. */
        path: z.string().startsWith('/').max(200).optional(),
        idempotencyKey: z.string().max(255).optional(),
        /** A charge or payment intent that the call names. */
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
  .extend(faultSettings.shape);
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
