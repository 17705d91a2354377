import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startChild, type StartedChild } from '../../sandbox/embedded/childProcess';
import { ChildRecord } from '../../sandbox/embedded/leftovers';
import { untilReady } from '../../sandbox/embedded/readiness';
import type { UpReport } from '../up';
import { cliEntry } from '../version';
import { patienceMs } from './countersignApi';
import type { Narrator } from './narrator';

export interface DemoWorker {
  readonly name: string;
  readonly pid: number;
}

const stopGraceMs = 8_000;

/** Worker processes that the demo itself starts, so that it decides who lives. */
export class Workers {
  private readonly alive = new Map<string, StartedChild>();
  private readonly record: ChildRecord;
  private stopping = false;

  constructor(
    private readonly report: UpReport,
    private readonly narrator: Narrator,
    private readonly hashKey: string,
  ) {
    this.record = new ChildRecord(join(report.dataDir, 'demo-children.json'));
  }

  /** `countersign worker` as a process of its own; resolves when it polls. */
  async start(name: string): Promise<DemoWorker> {
    const { databaseUrl, temporalAddress, providerKey, providerUrl, dataDir } = this.report;
    const readyFile = join(dataDir, 'run', `${name}.ready`);
    mkdirSync(join(dataDir, 'run'), { recursive: true });
    rmSync(readyFile, { force: true });
    const child = await startChild(
      {
        name,
        command: process.execPath,
        args: [cliEntry, 'worker'],
        env: {
          DATABASE_URL: databaseUrl,
          TEMPORAL_ADDRESS: temporalAddress,
          STRIPE_API_KEY: providerKey,
          STRIPE_API_BASE: providerUrl,
          COUNTERSIGN_HASH_KEY: this.hashKey,
          COUNTERSIGN_READY_FILE: readyFile,
        },
        ready: async () => undefined,
      },
      { logs: join(dataDir, 'logs'), children: this.record, baseEnv: {} },
    );
    this.alive.set(name, child);
    void child.ended.then(() => this.alive.delete(name));
    if (this.stopping) await stopChild(child);
    const signal = AbortSignal.any([AbortSignal.timeout(patienceMs), child.endedSignal]);
    await untilReady(async () => {
      if (!existsSync(readyFile))
        throw new Error(`${name} does not poll. Its log ends:\n${child.lastLines()}`);
    }, signal);
    this.narrator.say(`${name} polls (pid ${child.pid}).`);
    return { name, pid: child.pid };
  }

  /** SIGKILL: no farewell, no clean-up. Resolves when the process is gone. */
  async kill({ name, pid }: DemoWorker): Promise<void> {
    const child = this.alive.get(name);
    if (!child) throw new Error(`${name} has died by itself`);
    child.kill('SIGKILL');
    const how = await child.ended;
    this.narrator.say(`${name} (pid ${pid}) ${how}.`);
  }

  /** After a scene that broke off, somebody must be there to work in the next one. */
  async ensureOne(): Promise<void> {
    if (this.alive.size === 0) await this.start('worker-spare');
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all([...this.alive.values()].map((child) => stopChild(child)));
  }
}

async function stopChild(child: StartedChild): Promise<void> {
  child.kill('SIGTERM');
  await Promise.race([child.ended, pause(stopGraceMs, undefined, { signal: child.endedSignal })]).catch(
    () => undefined,
  );
  child.kill('SIGKILL');
  await child.ended;
}
