import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import type { ApprovalView, RefundView } from '../../application/views';
import { finalPhases } from '../../domain/contract';
import { readStateFile } from '../../sandbox/embedded/stateFile';
import { locateTemporalCli } from '../../sandbox/embedded/temporalCli';
import type { Settings } from '../settings';
import type { RunningUp, UpReport } from '../up';
import type { Checks } from './checks';
import { CountersignApi, type Answer } from './countersignApi';
import type { Narrator } from './narrator';
import { ProviderBooks } from './providerBooks';
import { TemporalView } from './temporalView';
import { Workers } from './workers';

export interface Scene {
  readonly title: string;
  readonly play: (stage: Stage) => Promise<void>;
}

/** On every run's timeline; saying them each time would make the story long. */
const untold = new Set(['requested', 'policy_evaluated', 'decision_received', 'notified']);

/** Refund amounts as the API takes them. */
const usd = (value: string) => ({ value, currency: 'USD' });

/** Everything that a scene needs: the people, the parts, and who counts. */
export class Stage {
  readonly service: CountersignApi;
  readonly agent: CountersignApi;
  readonly reviewer1: CountersignApi;
  readonly reviewer2: CountersignApi;
  /** The same service at another company. */
  readonly stranger: CountersignApi;

  private constructor(
    private readonly running: RunningUp,
    readonly narrator: Narrator,
    readonly checks: Checks,
    readonly provider: ProviderBooks,
    readonly temporal: TemporalView,
    readonly workers: Workers,
  ) {
    const { apiUrl, tokens } = this.report;
    this.service = new CountersignApi(apiUrl, tokens.acme.service);
    this.agent = new CountersignApi(apiUrl, tokens.acme.agent);
    this.reviewer1 = new CountersignApi(apiUrl, tokens.acme.reviewer1);
    this.reviewer2 = new CountersignApi(apiUrl, tokens.acme.reviewer2);
    this.stranger = new CountersignApi(apiUrl, tokens.globex.service);
  }

  static async set(
    settings: Settings,
    running: RunningUp,
    narrator: Narrator,
    checks: Checks,
  ): Promise<Stage> {
    const { providerUrl, providerKey, temporalAddress, dataDir } = running.report();
    const { path: cliPath } = await locateTemporalCli({
      env: process.env,
      userCache: settings.XDG_CACHE_HOME ?? join(settings.HOME ?? dataDir, '.cache'),
      dataFolder: dataDir,
      ...(settings.TEMPORAL_CLI_PATH === undefined ? {} : { configuredPath: settings.TEMPORAL_CLI_PATH }),
    });
    return new Stage(
      running,
      narrator,
      checks,
      new ProviderBooks(providerUrl, providerKey, secretOf(dataDir, 'provider-admin')),
      await TemporalView.connect(temporalAddress, cliPath),
      new Workers(running.report(), narrator, secretOf(dataDir, 'hash-key')),
    );
  }

  get report(): UpReport {
    return this.running.report();
  }

  say(text: string): void {
    this.narrator.say(text);
  }

  /** Asks for a refund as the service; the answer may be a refusal. */
  ask(charge: string, value: string, extra: object = {}): Promise<Answer<{ runId: string; phase: string }>> {
    const body = { paymentId: charge, amount: usd(value), reason: 'damaged', ...extra };
    return this.service.post('/v1/refunds', body, { 'idempotency-key': `demo-${randomUUID()}` });
  }

  /** @returns the run's id. @throws Error when it isn't accepted */
  async propose(charge: string, value: string): Promise<string> {
    const { status, body } = await this.ask(charge, value);
    if (status !== 202) throw new Error(`the refund of ${value} is answered ${status} ${body.code ?? ''}`);
    return body.runId;
  }

  /** A proposal that waits for people. */
  async proposeAndWait(charge: string, value: string): Promise<ApprovalView> {
    const runId = await this.propose(charge, value);
    await this.service.follow(runId, 'approval_opened');
    return this.approvalOf(runId);
  }

  refund(runId: string): Promise<RefundView> {
    return this.service.read(`/v1/refunds/${runId}`);
  }

  async approvalOf(runId: string): Promise<ApprovalView> {
    const { approval } = await this.refund(runId);
    if (!approval) throw new Error(`${runId} has no approval`);
    return this.reviewer1.read(`/v1/approvals/${approval.id}`);
  }

  decide(
    who: CountersignApi,
    { id, proposalHash }: ApprovalView,
    decision: 'approve' | 'edit' | 'reject',
    value?: string,
  ): Promise<Answer<Partial<ApprovalView>>> {
    const edit = value === undefined ? {} : { arguments: { amount: usd(value) } };
    return who.post(`/v1/approvals/${id}/decisions`, { decision, proposalHash, ...edit });
  }

  /** Tells the run's way up to its end. @returns the phase it ended in */
  async untilDone(runId: string): Promise<string> {
    const entries = await this.service.follow(runId, ...finalPhases);
    const way = entries.map(({ event }) => event).filter((event) => !untold.has(event));
    this.say(way.join(' → ').replaceAll('_', ' '));
    return (await this.refund(runId)).phase;
  }

  async eventsOf(runId: string): Promise<string[]> {
    const { items } = await this.service.read<{ items: { event: string }[] }>(
      `/v1/refunds/${runId}/timeline`,
    );
    return items.map(({ event }) => event);
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.workers.stop(), this.temporal.close()]);
  }
}

/** A secret of the embedded set-up, from its data folder. */
export function secretOf(dataDir: string, name: string): string {
  const secret = readStateFile(join(dataDir, 'secrets.json'), z.record(z.string(), z.string()))?.[name];
  if (secret === undefined) throw new Error(`the data folder holds no secret ${name}`);
  return secret;
}
