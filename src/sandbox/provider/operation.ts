import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { ExecutionFaults } from './faultKinds';
import type { FormRecord } from './formEncoding';
import type { EventData, ProviderTables } from './schema';
import type { StripeObject } from './stripeObjects';

/** One request to the simulated API, after its key was checked. */
export interface Call {
  readonly requestId: string;
  readonly account: string;
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string | null;
  readonly form: FormRecord;
  /** When it was received, milliseconds since the epoch. */
  readonly atMs: number;
}

export interface NewEvent {
  readonly type: string;
  readonly data: EventData & { object: StripeObject };
}

/** What an operation works with. For a POST, `db` is the transaction that its effect, key and log share. */
export interface Work {
  readonly db: Kysely<ProviderTables>;
  readonly call: Call;
  /** The `:id` of the path, empty where it has none. */
  readonly id: string;
  readonly faults: ExecutionFaults;
  readonly events: NewEvent[];
}

export interface Operation<P> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** In Hono's form, for example `/v1/charges/:id`. */
  readonly path: string;
  readonly parameters: z.ZodType<P>;
  run(work: Work, parameters: P): Promise<StripeObject>;
}

/** An operation whose parameters are checked and then known only to itself. */
export interface BoundOperation {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** Checks the form and gives what runs. @throws StripeError 400 before anything was executed */
  bind(form: FormRecord): (work: Work) => Promise<StripeObject>;
}

/** Stripe shows seconds. */
export function seconds(atMs: number): number {
  return Math.floor(atMs / 1_000);
}
