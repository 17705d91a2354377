import { EventEmitter } from 'node:events';
import { CountersignError } from '../../domain/errors';
import type { DataFolder } from './dataFolder';
import { Part, type PartTiming } from './part';
import type { PartSpec } from './partSpec';

export type { PartSpec } from './partSpec';

export interface PartEvent {
  readonly name: string;
  readonly pid: number;
}

/** What happens to the parts, as it happens. */
export interface SupervisorEvents {
  /** The process is there. */
  started: [PartEvent];
  /** It serves. */
  ready: [PartEvent];
  /** It ended, or could not be started again, without having been asked to stop. It will be tried again. */
  died: [{ readonly name: string; readonly pid: number | null; readonly how: string }];
  /** It serves again, under another pid. */
  restarted: [PartEvent];
  stopped: [{ readonly name: string }];
}

export interface SupervisorOptions extends Partial<PartTiming> {
  readonly folder: Pick<DataFolder, 'logs' | 'children'>;
  /** The environment that every part starts from. */
  readonly baseEnv: Readonly<NodeJS.ProcessEnv>;
}

/**
 * Starts parts, starts one again when it dies, and stops all of them. Children share our process group, so
 * that Ctrl-C and a signal to the group reach them too.
 */
export class Supervisor extends EventEmitter<SupervisorEvents> {
  /** In order of start; the parts of one row were started together and stop together. */
  private readonly rows: Part[][] = [];
  private readonly timing: PartTiming;
  private stopped: Promise<void> | undefined;

  constructor(private readonly options: SupervisorOptions) {
    super();
    this.timing = {
      readyTimeoutMs: options.readyTimeoutMs ?? 60_000,
      stopGraceMs: options.stopGraceMs ?? 10_000,
      maxRestartDelayMs: options.maxRestartDelayMs ?? 5_000,
    };
  }

  /**
   * Starts parts beside each other and resolves when all are ready. When it fails, `stop()` ends the others.
   *
   * @throws CountersignError dependency_unavailable with the end of the part's log
   */
  async start(...specs: readonly PartSpec[]): Promise<void> {
    if (this.stopped !== undefined)
      throw new CountersignError('dependency_unavailable', 'Everything is being stopped.');
    const row = specs.map((spec) => this.partOf(spec));
    this.rows.push(row);
    await Promise.all(row.map((part) => part.start()));
  }

  /** By name; null for a part that isn't running at the moment. */
  pids(): Record<string, number | null> {
    return Object.fromEntries(this.rows.flat().map((part) => [part.spec.name, part.pid]));
  }

  allReady(): boolean {
    return this.rows.flat().every((part) => part.ready);
  }

  /** Stops everything, the last started first, and resolves when no process is left. May be called again. */
  stop(): Promise<void> {
    this.stopped ??= this.stopRows();
    return this.stopped;
  }

  private async stopRows(): Promise<void> {
    for (const part of this.rows.flat()) part.expectEnd();
    for (const row of this.rows.toReversed()) await Promise.all(row.map((part) => part.stop()));
  }

  private partOf(spec: PartSpec): Part {
    const { name } = spec;
    const surroundings = {
      logs: this.options.folder.logs,
      children: this.options.folder.children,
      baseEnv: this.options.baseEnv,
    };
    return new Part(spec, surroundings, this.timing, {
      started: (pid) => this.emit('started', { name, pid }),
      ready: (pid) => this.emit('ready', { name, pid }),
      died: (pid, how) => this.emit('died', { name, pid, how }),
      restarted: (pid) => this.emit('restarted', { name, pid }),
      stopped: () => this.emit('stopped', { name }),
    });
  }
}
