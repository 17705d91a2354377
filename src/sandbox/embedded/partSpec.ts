import type { StopSignal } from './leftovers';

/** How to run one part; the same again when it is restarted, so ports and files stay what they were. */
export interface PartSpec {
  /** Also names its log: `<logs>/<name>.log`. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Beside the environment that every part gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Leaves out that environment, for programs that are not ours and have no use for our keys. */
  readonly withoutBaseEnv?: boolean;
  readonly stopSignal?: StopSignal;
  /** Another user to run as; only root can ask for that. */
  readonly runAs?: { readonly uid: number; readonly gid: number };
  /** Opened by us and handed down from file descriptor 3 on. */
  readonly openDirectories?: readonly string[];
  /** Runs before each start. */
  readonly prepare?: () => Promise<void>;
  /** Resolves when the part serves. `signal` aborts when it ended, took too long or is to stop. */
  readonly ready: (signal: AbortSignal) => Promise<void>;
}
