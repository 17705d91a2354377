import type { AgentRun, AgentRunStatus, NewAgentRun } from './agentRunTypes';
import { liveChanges, liveProgress } from './events';
import { order, type OrderOptions } from './orders';
import { itemsOfPages } from './pages';
import type { PageOptions } from './reconciliations';
import type { CallOptions, Transport } from './transport';
import type { Page, TimelineEntry } from './types';

export interface AgentRunFilter extends PageOptions {
  readonly status?: AgentRunStatus | undefined;
}

const path = '/v1/runs';

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
   * @throws CountersignError not_found, forbidden, version_conflict, agent_run_ended
   */
  async pause(runId: string, options: OrderOptions = {}): Promise<AgentRun> {
    return order(this.transport, at(runId), 'pause', options);
  }

  /**
   * Goes on at the next step, with a new budget of steps.
   * @throws CountersignError not_found, forbidden, version_conflict, agent_run_ended, agent_run_not_paused
   */
  async resume(runId: string, options: OrderOptions = {}): Promise<AgentRun> {
    return order(this.transport, at(runId), 'resume', options);
  }

  /**
   * It as it changes, until it goes on no more by itself: ended, paused, or waiting for a person's review. While people
   * decide about its refund it waits on. Give a `signal` to stop waiting.
   */
  async *watch(runId: string, options: CallOptions = {}): AsyncGenerator<AgentRun, void, undefined> {
    const stands = ({ status }: AgentRun) => status !== 'pending' && status !== 'running';
    yield* liveProgress(this.transport, `${at(runId)}/events`, stands, options);
  }

  /** Something whenever it has changed, and each time that it is connected. Never ends by itself: give a `signal`. */
  changes(runId: string, options: CallOptions = {}): AsyncGenerator<void, void, undefined> {
    return liveChanges(this.transport, `${at(runId)}/events`, options);
  }

  /** Every transition so far, with who and when. @throws CountersignError not_found */
  async timeline(runId: string, options: CallOptions = {}): Promise<readonly TimelineEntry[]> {
    const call = { path: `${at(runId)}/timeline`, ...options };
    return (await this.transport.call<Page<TimelineEntry>>(call)).body.items;
  }
}

function at(runId: string): string {
  return `${path}/${encodeURIComponent(runId)}`;
}
