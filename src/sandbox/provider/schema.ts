import type { ColumnType, Generated, JSONColumnType, Selectable } from 'kysely';

/**
 * The provider's own tables. Amounts are integers in minor units; `created` is in seconds, as Stripe shows
 * it; columns that end in `_ms` are milliseconds since the epoch.
 */
export interface ProviderTables {
  charges: ChargeTable;
  refunds: RefundTable;
  disputes: DisputeTable;
  idempotency_keys: IdempotencyKeyTable;
  requests: RequestTable;
  faults: FaultTable;
  events: EventTable;
  webhook_endpoints: WebhookEndpointTable;
  webhook_deliveries: WebhookDeliveryTable;
}

export type Metadata = Record<string, string>;

/** One row is a charge and, one to one, its payment intent. */
interface ChargeTable {
  seq: Generated<number>;
  id: string;
  payment_intent: string;
  account: string;
  amount: number;
  amount_captured: number;
  amount_refunded: number;
  /** What open and lost disputes hold; it can't be refunded. */
  amount_disputed: number;
  ever_disputed: Generated<boolean>;
  currency: string;
  captured: boolean;
  manual_capture: boolean;
  voided: Generated<boolean>;
  customer: string | null;
  description: string | null;
  metadata: JSONColumnType<Metadata>;
  created: number;
}

export const refundStatuses = ['pending', 'requires_action', 'succeeded', 'failed', 'canceled'] as const;
export type RefundStatus = (typeof refundStatuses)[number];

interface RefundTable {
  seq: Generated<number>;
  id: string;
  account: string;
  charge: string;
  payment_intent: string;
  amount: number;
  currency: string;
  reason: string | null;
  status: RefundStatus;
  pending_reason: string | null;
  failure_reason: string | null;
  metadata: JSONColumnType<Metadata>;
  created: number;
  /** A change of status that happens by itself at `due_ms`, or null. */
  due_status: RefundStatus | null;
  due_ms: number | null;
}

export const disputeStatuses = ['warning_needs_response', 'needs_response', 'won', 'lost'] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];

interface DisputeTable {
  seq: Generated<number>;
  id: string;
  account: string;
  charge: string;
  payment_intent: string;
  amount: number;
  currency: string;
  reason: string;
  status: DisputeStatus;
  created: number;
}

interface IdempotencyKeyTable {
  account: string;
  key: string;
  fingerprint: string;
  request_id: string;
  status: number;
  body: string;
  created_ms: number;
}

interface RequestTable {
  seq: Generated<number>;
  id: string;
  account: string | null;
  method: string;
  path: string;
  idempotency_key: string | null;
  /** The charge or payment intent that the request names, where it names one. */
  payment: string | null;
  /** The status that was made; null when the request was cut before it was looked at. */
  status: number | null;
  /** False when the answer was withheld by cutting the connection. */
  answered: boolean;
  replayed: boolean;
  faults: string[];
  /** What was sent, decoded from its form; every value is a string still. */
  parameters: Generated<Record<string, unknown>>;
  at_ms: number;
}

interface FaultTable {
  id: Generated<number>;
  kind: string;
  method: string | null;
  path: string | null;
  idempotency_key: string | null;
  payment: string | null;
  event: string | null;
  /** Calls left, or null for no limit. */
  remaining: number | null;
  probability: number | null;
  seed: string | null;
  settings: JSONColumnType<Record<string, unknown>>;
  /** Matching calls so far, whether or not the dice hit. */
  considered: Generated<number>;
  hits: Generated<number>;
  created_ms: number;
}

interface EventTable {
  seq: Generated<number>;
  id: string;
  account: string;
  type: string;
  object_id: string;
  data: ColumnType<EventData, string, never>;
  request_id: string | null;
  idempotency_key: string | null;
  created: number;
}

export interface EventData {
  object: Record<string, unknown>;
  previous_attributes?: Record<string, unknown>;
}

interface WebhookEndpointTable {
  seq: Generated<number>;
  id: string;
  account: string;
  url: string;
  secret: string;
  enabled_events: string[];
  enabled: boolean;
  description: string | null;
  metadata: JSONColumnType<Metadata>;
  created: number;
}

interface WebhookDeliveryTable {
  id: Generated<number>;
  event: string;
  endpoint: string;
  status: 'waiting' | 'delivered' | 'abandoned';
  /** Held until another event has been delivered to this endpoint (or until `due_ms`). */
  held: boolean;
  attempts: Generated<number>;
  due_ms: number;
  last_result: string | null;
}

export type ChargeRow = Selectable<ChargeTable>;
export type RefundRow = Selectable<RefundTable>;
export type DisputeRow = Selectable<DisputeTable>;
export type EventRow = Selectable<EventTable>;
export type FaultRow = Selectable<FaultTable>;
export type WebhookEndpointRow = Selectable<WebhookEndpointTable>;
