import { setTimeout as pause } from 'node:timers/promises';
import { CountersignError } from '../../domain/errors';
import { startChild, type StartedChild, type Surroundings } from './childProcess';
import type { PartSpec } from './partSpec';

/**
 * Ctrl-C reaches the whole process group, so a child may be gone before we ourselves are told to stop. Only
 * after this long does its end count as a death.
 */
const settleMs = 100;

export interface PartTiming {
  /** How long a part may take to become ready. */
  readonly readyTimeoutMs: number;
  /** How long it may take to stop before it is killed. */
  readonly stopGraceMs: number;
  /** The longest pause before a part is started again; the first pauses are much shorter. */
  readonly maxRestartDelayMs: number;
}

export interface PartNews {
  readonly started: (pid: number) => void;
  readonly ready: (pid: number) => void;
  readonly died: (pid: number | null, how: string) => void;
  readonly restarted: (pid: number) => void;
  readonly stopped: () => void;
}

/** One part's life: started, kept alive, stopped. */
export class Part {
  private child: StartedChild | undefined;
  private isReady = false;
  private readonly stopRequest = new AbortController();
  private life: Promise<void> = Promise.resolve();

  constructor(
    readonly spec: PartSpec,
    private readonly surroundings: Surroundings,
    private readonly timing: PartTiming,
    private readonly news: PartNews,
  ) {}

  /** Null while it isn't running. */
  get pid(): number | null {
    return this.child?.pid ?? null;
  }

  get ready(): boolean {
    return this.isReady;
  }

  /** Resolves when the part is ready; from then on it is kept alive. Rejects when the first start fails. */
  async start(): Promise<void> {
    const launched = this.launch();
    // stop() waits for a start that is under way, whatever becomes of it.
    this.life = launched.then(
      () => undefined,
      () => undefined,
    );
    const child = await launched;
    this.life = this.keepAlive(child);
  }

  /** From now on it isn't restarted, and its end is no death. */
  expectEnd(): void {
    if (!this.stopping) this.stopRequest.abort(new Error('it was asked to stop'));
  }

  async stop(): Promise<void> {
    this.expectEnd();
    const child = this.child;
    if (child !== undefined) await this.end(child);
    await this.life;
    this.news.stopped();
  }

  private get stopping(): boolean {
    return this.stopRequest.signal.aborted;
  }

  private async keepAlive(first: StartedChild): Promise<void> {
    let child = first;
    for (;;) {
      const readySince = Date.now();
      const how = await child.ended;
      await this.waitUnlessStopping(settleMs);
      if (this.stopping) return;
      this.news.died(child.pid, how);
      // A part that served for a while is started again at once, one that died young after a breath.
      const relaunched = await this.relaunch(Date.now() - readySince > 10_000 ? 0 : 1);
      if (relaunched === undefined) return;
      child = relaunched;
      this.news.restarted(child.pid);
    }
  }

  private async relaunch(earlierFailures: number): Promise<StartedChild | undefined> {
    for (let failures = earlierFailures; ; failures += 1) {
      if (failures > 0) {
        await this.waitUnlessStopping(Math.min(50 * 2 ** failures, this.timing.maxRestartDelayMs));
      }
      if (this.stopping) return undefined;
      try {
        return await this.launch();
      } catch (error) {
        if (this.stopping) return undefined;
        this.news.died(null, error instanceof Error ? error.message : String(error));
      }
    }
  }

  private async launch(): Promise<StartedChild> {
    await this.spec.prepare?.();
    this.stopRequest.signal.throwIfAborted();
    const child = await startChild(this.spec, this.surroundings).catch((error: unknown) => {
      throw unavailable(`${this.spec.name} could not be started: ${(error as Error).message}`);
    });
    this.child = child;
    void child.ended.then(() => {
      this.isReady = false;
      if (this.child === child) this.child = undefined;
    });
    this.news.started(child.pid);
    await this.untilReady(child);
    this.isReady = true;
    this.news.ready(child.pid);
    return child;
  }

  private async untilReady(child: StartedChild): Promise<void> {
    const { name, ready } = this.spec;
    const timeout = AbortSignal.timeout(this.timing.readyTimeoutMs);
    const signal = AbortSignal.any([child.endedSignal, this.stopRequest.signal, timeout]);
    try {
      await ready(signal);
      signal.throwIfAborted();
    } catch (error) {
      const how = child.endedSignal.aborted
        ? `${name} ${await child.ended} before it was ready`
        : `${name} did not become ready: ${error instanceof Error ? error.message : String(error)}`;
      await this.end(child);
      throw unavailable(`${how}. The end of its log:\n${child.lastLines()}`);
    }
  }

  private async end(child: StartedChild): Promise<void> {
    if (child.endedSignal.aborted) return;
    child.kill(this.spec.stopSignal ?? 'SIGTERM');
    const inTime = await Promise.race([
      child.ended.then(() => true),
      pause(this.timing.stopGraceMs, false, { ref: false, signal: child.endedSignal }).catch(() => true),
    ]);
    if (!inTime) child.kill('SIGKILL');
    await child.ended;
  }

  private async waitUnlessStopping(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.stopRequest.signal }).catch(() => undefined);
  }
}

function unavailable(detail: string): CountersignError {
  return new CountersignError('dependency_unavailable', detail);
}
