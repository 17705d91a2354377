import type { ProviderDatabase } from './database';
import type { DueWork } from './dueWork';
import { eventInsert, planWebhooks } from './eventRecord';
import type { FaultBook } from './faultBook';
import { executionKinds, transportKinds } from './faultKinds';
import type { FaultKind, TakenFault } from './faultKinds';
import type { BoundOperation, Call, NewEvent } from './operation';
import { paymentsOf } from './payments';
import { logRequest, recordAnswer, storedAnswer } from './requestRecord';
import type { RequestLine, StoredAnswer } from './requestRecord';
import { StripeError, internalError, keyInUse } from './stripeError';
import type { WebhookCourier } from './webhookCourier';

export interface PipelineParts {
  readonly db: ProviderDatabase;
  readonly faults: FaultBook;
  readonly courier: WebhookCourier;
  readonly dueWork: DueWork;
  /** How long an idempotency key is remembered, milliseconds. */
  readonly keyTtlMs: number;
  readonly onError: (error: unknown) => void;
}

export interface Answer extends StoredAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly replayed: boolean;
  /** The connection is to be destroyed without an answer. */
  readonly cut: boolean;
}

type Faults = ReadonlyMap<FaultKind, TakenFault['settings']>;

/**
 * The way of every call to the simulated API: parameters, key in flight, transport faults, replay, execution in
 * one transaction with its key and log line, and last what is done to the answer.
 */
export class CallPipeline {
  private readonly inFlight = new Set<string>();

  constructor(private readonly parts: PipelineParts) {}

  async answer(call: Call, operation: BoundOperation, id: string): Promise<Answer> {
    const taken: string[] = [];
    const line = (status: number | null, answered = true, replayed = false): RequestLine => ({
      call,
      payment: paymentsOf(call.form, id)[0] ?? null,
      parameters: call.form,
      status,
      answered,
      replayed,
      faults: [...taken],
    });
    const slot =
      call.method === 'POST' && call.idempotencyKey !== null
        ? `${call.account} ${call.idempotencyKey}`
        : undefined;
    try {
      const run = operation.bind(call.form);
      if (slot !== undefined) this.claim(slot);
      try {
        return await this.proceed(call, run, id, taken, line);
      } finally {
        if (slot !== undefined) this.inFlight.delete(slot);
      }
    } catch (error) {
      const refusal = this.refusalOf(error);
      await logRequest(this.parts.db, line(refusal.status)).catch(this.parts.onError);
      return answerOf(call, refusal);
    }
  }

  private claim(slot: string): void {
    if (this.inFlight.has(slot)) throw keyInUse();
    this.inFlight.add(slot);
  }

  private async proceed(
    call: Call,
    run: ReturnType<BoundOperation['bind']>,
    id: string,
    taken: string[],
    line: (status: number | null, answered?: boolean, replayed?: boolean) => RequestLine,
  ): Promise<Answer> {
    const { db } = this.parts;
    const transport = await this.take(transportKinds, call, id, taken);
    const latency = transport.get('latency')?.ms ?? 0;
    if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency));
    if (transport.has('cut_before')) {
      await logRequest(db, line(null, false));
      return { status: 0, body: '', requestId: call.requestId, headers: {}, replayed: false, cut: true };
    }
    if (transport.has('in_flight_409')) throw keyInUse();
    const limited = transport.get('status_429');
    if (limited !== undefined) throw tooMany(limited);

    const cut = transport.has('cut_after_commit');
    const stored = call.method === 'POST' ? await storedAnswer(db, call, this.parts.keyTtlMs) : undefined;
    if (stored !== undefined) {
      await logRequest(db, line(stored.status, !cut, true));
      return {
        ...stored,
        headers: { 'Idempotent-Replayed': 'true', 'Original-Request': stored.requestId },
        replayed: true,
        cut,
      };
    }
    const execution = await this.take(executionKinds, call, id, taken);
    const answer =
      call.method === 'GET'
        ? await this.read(call, run, id, execution, line(200, !cut))
        : await this.execute(call, run, id, execution, line, cut);
    return { ...answer, cut };
  }

  private async read(
    call: Call,
    run: ReturnType<BoundOperation['bind']>,
    id: string,
    execution: Faults,
    line: RequestLine,
  ): Promise<Answer> {
    if (execution.has('status_500')) throw internalError();
    const body = await run({ db: this.parts.db, call, id, faults: execution, events: [] });
    await logRequest(this.parts.db, line);
    return {
      status: 200,
      body: JSON.stringify(body),
      requestId: call.requestId,
      headers: {},
      replayed: false,
      cut: false,
    };
  }

  private async execute(
    call: Call,
    run: ReturnType<BoundOperation['bind']>,
    id: string,
    execution: Faults,
    line: (status: number | null, answered?: boolean) => RequestLine,
    cut: boolean,
  ): Promise<Answer> {
    const { db, faults, keyTtlMs, courier, dueWork } = this.parts;
    const broken = execution.get('status_500');
    try {
      if (broken !== undefined && broken.afterEffect !== true) throw internalError();
      const done = await db.transaction().execute(async (tx) => {
        const events: NewEvent[] = [];
        const body = await run({ db: tx, call, id, faults: execution, events });
        const answer =
          broken === undefined
            ? { status: 200, body: JSON.stringify(body), requestId: call.requestId }
            : answerOf(call, internalError());
        const { written, insert } = eventInsert(call, events);
        const endpoints = await recordAnswer(tx, call, answer, line(answer.status, !cut), keyTtlMs, insert);
        return { answer, webhooks: await planWebhooks(tx, faults, call.atMs, written, endpoints) };
      });
      await courier.deliverNow(done.webhooks.beforeAnswer);
      if (done.webhooks.planned || execution.size > 0) dueWork.wake();
      return { headers: {}, ...done.answer, replayed: false, cut };
    } catch (error) {
      // A refusal after execution began is this key's answer from now on; a failure of our own is not.
      if (!(error instanceof StripeError) || error.status === 409) throw error;
      const answer = answerOf(call, error);
      await recordAnswer(db, call, answer, line(error.status, !cut), keyTtlMs, eventInsert(call, []).insert);
      return answer;
    }
  }

  private async take(kinds: readonly FaultKind[], call: Call, id: string, taken: string[]): Promise<Faults> {
    const faults = await this.parts.faults.take(kinds, {
      method: call.method,
      path: call.path,
      idempotencyKey: call.idempotencyKey,
      payments: paymentsOf(call.form, id),
    });
    taken.push(...faults.map((fault) => fault.kind));
    return new Map(faults.map((fault) => [fault.kind, fault.settings]));
  }

  private refusalOf(error: unknown): StripeError {
    if (error instanceof StripeError) return error;
    this.parts.onError(error);
    return internalError();
  }
}

export function answerOf(call: Pick<Call, 'requestId'>, error: StripeError): Answer {
  return {
    status: error.status,
    body: JSON.stringify(error.toJson()),
    requestId: call.requestId,
    headers: error.headers,
    replayed: false,
    cut: false,
  };
}

function tooMany(settings: TakenFault['settings']): StripeError {
  const code = settings.code ?? 'rate_limit';
  const message =
    code === 'rate_limit'
      ? 'Too many requests in too short a time.'
      : 'Another request is working on this object at the moment.';
  const headers =
    settings.retryAfterSeconds === undefined ? {} : { 'Retry-After': String(settings.retryAfterSeconds) };
  return new StripeError(429, { type: 'invalid_request_error', code, message }, headers);
}
