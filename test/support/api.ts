import { randomUUID } from 'node:crypto';
import { isFinal, type Phase } from '../../src/domain/contract';
import type { ApprovalView, RefundView, TimelineEntry } from '../../src/application/views';
import { until } from './processes';

/** A test says what a body has to be; how it gets at it is not checked twice. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export interface Answer<Body = any> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
  readonly text: string;
}

export interface Refunding {
  readonly paymentId: string;
  readonly amount: string;
  readonly currency?: string;
  readonly reason?: string;
  readonly key?: string;
  readonly [field: string]: unknown;
}

/** Calls the API as one person, over HTTP, and waits for what a run comes to. */
export type ApiCaller = ReturnType<typeof apiCaller>;

export function apiCaller(apiUrl: string, token: string | undefined) {
  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(`${apiUrl}${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = /[/+]json\b/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: json ? JSON.parse(text) : undefined,
    };
  }

  const startRefund = ({
    amount,
    currency = 'USD',
    reason = 'damaged',
    key = randomUUID(),
    ...more
  }: Refunding) =>
    call(
      'POST',
      '/v1/refunds',
      { amount: { value: amount, currency }, reason, ...more },
      { 'idempotency-key': key },
    );

  const refund = async (runId: string) => (await call('GET', `/v1/refunds/${runId}`)).body as RefundView;
  const timeline = async (runId: string) =>
    (await call('GET', `/v1/refunds/${runId}/timeline`)).body.items as TimelineEntry[];
  const approval = async (id: string) => (await call('GET', `/v1/approvals/${id}`)).body as ApprovalView;

  /** The run once it has come to `phase`, or to an end. */
  async function untilPhase(runId: string, phase: Phase, limitMs?: number): Promise<RefundView> {
    let seen: RefundView | undefined;
    await until(async () => {
      seen = await refund(runId);
      return seen.phase === phase || isFinal(seen.phase);
    }, limitMs);
    if (seen?.phase !== phase) throw new Error(`expected ${phase}, the run is ${JSON.stringify(seen)}`);
    return seen;
  }

  /** Starts a refund that needs people, and waits until it is in the inbox. */
  async function openApproval(refunding: Refunding): Promise<ApprovalView> {
    const started = await startRefund(refunding);
    if (started.status !== 202) throw new Error(`expected 202, got ${started.status} ${started.text}`);
    await untilPhase(started.body.runId, 'waiting_approval');
    return approval(approvalIdOf(started.body.runId));
  }

  const decide = (
    approval: Pick<ApprovalView, 'id' | 'proposalHash'>,
    decision: string,
    more: Record<string, unknown> = {},
  ) =>
    call('POST', `/v1/approvals/${approval.id}/decisions`, {
      decision,
      proposalHash: approval.proposalHash,
      ...more,
    });

  return { call, startRefund, refund, timeline, approval, untilPhase, openApproval, decide };
}

export function approvalIdOf(runId: string): string {
  return runId.replace(/^run_/, 'apr_');
}
