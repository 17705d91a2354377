import type { AgentRun, AgentRunStatus, NewAgentRun } from './agentRunTypes';
import { itemsOfPages } from './pages';
import type { PageOptions } from './reconciliations';
import { pause } from './retry';
import type { CallOptions, Transport } from './transport';
import type { Page } from './types';

export interface AgentRunFilter extends PageOptions {
  readonly status?: AgentRunStatus | undefined;
}

const path = '/v1/runs';
const lookEveryMs = 500;

/** `countersign.runs`: agents that work towards a goal, step by step. */
export class AgentRuns {
  constructor(private readonly transport: Transport) {}

  /**
   * Starts one.
   * @param options `idempotencyKey`: the same key and goal give the same run. Take it from your own records
   * @throws CountersignError invalid_request, sensitive_text, thread_unknown, insufficient_scope, idempotency_conflict
   */
  async start(
    run: NewAgentRun,
    { idempotencyKey = crypto.randomUUID(), signal }: CallOptions & { readonly idempotencyKey?: string } = {},
  ): Promise<AgentRun> {
    const headers = { 'idempotency-key': idempotencyKey };
    return (await this.transport.call<AgentRun>({ method: 'POST', path, body: run, headers, signal })).body;
  }

  /** @throws CountersignError not_found */
  async show(runId: string, options: CallOptions = {}): Promise<AgentRun> {
    return (await this.transport.call<AgentRun>({ path: at(runId), ...options })).body;
  }

  /** One page, newest first. */
  async list(filter: AgentRunFilter = {}, options: CallOptions = {}): Promise<Page<AgentRun>> {
    return (await this.transport.call<Page<AgentRun>>({ path, query: { ...filter }, ...options })).body;
  }

  /** Every one that the filter lets through, page after page. */
  all(filter: Omit<AgentRunFilter, 'cursor'> = {}, options: CallOptions = {}): AsyncGenerator<AgentRun> {
    return itemsOfPages((cursor) => this.list({ ...filter, cursor }, options));
  }

  /**
   * Pauses it before its next step.
   * @param options `expectedVersion`: refused when it has changed since
   * @throws CountersignError not_found, forbidden, version_conflict, agent_run_ended
   */
  async pause(runId: string, options: OrderOptions = {}): Promise<AgentRun> {
    return this.order(runId, 'pause', options);
  }

  /**
   * Goes on at the next step, with a new budget of steps.
   * @param options `expectedVersion`: refused when it has changed since
   * @throws CountersignError not_found, forbidden, version_conflict, agent_run_ended, agent_run_not_paused
   */
  async resume(runId: string, options: OrderOptions = {}): Promise<AgentRun> {
    return this.order(runId, 'resume', options);
  }

  /**
   * It as it changes, until it goes on no more by itself: ended, paused, or waiting for a person's review. While people
   * decide about its refund it waits on. Give a `signal` to stop waiting.
   */
  async *watch(runId: string, options: CallOptions = {}): AsyncGenerator<AgentRun, void, undefined> {
    for (let version = 0; ; await pause(lookEveryMs, options.signal)) {
      const now = await this.show(runId, options);
      if (now.version !== version) yield now;
      version = now.version;
      if (now.status !== 'pending' && now.status !== 'running') return;
    }
  }

  private async order(
    runId: string,
    verb: 'pause' | 'resume',
    { expectedVersion, signal }: OrderOptions,
  ): Promise<AgentRun> {
    const call = { method: 'POST', path: `${at(runId)}/${verb}`, body: { expectedVersion }, signal } as const;
    return (await this.transport.call<AgentRun>(call)).body;
  }
}

interface OrderOptions extends CallOptions {
  readonly expectedVersion?: number | undefined;
}

function at(runId: string): string {
  return `${path}/${encodeURIComponent(runId)}`;
}
