/** Set by the supervisor in what it starts, so that a process knows whether its standard input means anything. */
export const supervisedVariable = 'COUNTERSIGN_SUPERVISED';

/**
 * For our own processes that a supervisor started: its end of our standard input closes when it dies, however
 * it dies. `onGone` may then stop cleanly; after `graceMs` the process ends whatever `onGone` does.
 *
 * Not for a process that a person started: there, standard input may be closed from the beginning.
 */
export function exitWhenParentDies(onGone: () => void = () => process.exit(1), graceMs = 5_000): void {
  let gone = false;
  const parentIsGone = (): void => {
    if (gone) return;
    gone = true;
    setTimeout(() => process.exit(1), graceMs).unref();
    onGone();
  };
  process.stdin.once('end', parentIsGone);
  process.stdin.once('close', parentIsGone);
  process.stdin.once('error', parentIsGone);
  process.stdin.resume();
  // Watching must not keep a process alive that has nothing left to do.
  process.stdin.unref();
}
