import { z } from 'zod';
import { identifyProcess, isSameProcessRunning, processIdentitySchema, stopProcess } from './processIdentity';
import { readStateFile, writeStateFile } from './stateFile';

const stopSignalSchema = z.enum(['SIGTERM', 'SIGINT']);
/** PostgreSQL takes SIGINT as "stop now, cleanly"; on SIGTERM it would wait for its clients. */
export type StopSignal = z.infer<typeof stopSignalSchema>;

const childSchema = processIdentitySchema.extend({ name: z.string(), stopSignal: stopSignalSchema });
export type RecordedChild = z.infer<typeof childSchema>;

/**
 * Which processes were started for a data folder, on disk. When the one that started them is killed, the
 * next one on the same folder finds and stops what stayed behind.
 */
export class ChildRecord {
  private children: RecordedChild[];

  constructor(private readonly path: string) {
    this.children = readStateFile(path, z.array(childSchema)) ?? [];
  }

  add(name: string, pid: number, stopSignal: StopSignal): void {
    this.children = [...this.children, { name, stopSignal, ...identifyProcess(pid) }];
    writeStateFile(this.path, this.children);
  }

  remove(pid: number): void {
    this.children = this.children.filter((child) => child.pid !== pid);
    try {
      writeStateFile(this.path, this.children);
    } catch (error) {
      // Somebody deleted the folder under us: then nobody will look for leftovers in it either.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  /**
   * Stops what an earlier run left behind, the last started first, and forgets it. A process that merely
   * got the same pid is left alone.
   *
   * @returns those that were still running
   */
  async stopLeftovers(graceMs: number): Promise<readonly RecordedChild[]> {
    const running = this.children.filter(isSameProcessRunning).reverse();
    for (const child of running) await stopProcess(child, child.stopSignal, graceMs);
    if (this.children.length > 0) {
      this.children = [];
      writeStateFile(this.path, this.children);
    }
    return running;
  }
}
