import { exitWhenParentDies, supervisedVariable } from '../sandbox/embedded/exitWhenParentDies';

/** Runs `stop` once on SIGTERM or Ctrl-C, or when the supervisor that started this process is gone; then exits. */
export function stopWithDignity(stop: () => Promise<void>): void {
  let stopping: Promise<void> | undefined;
  const once = () => {
    stopping ??= stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', once);
  process.on('SIGINT', once);
  if (process.env[supervisedVariable] !== undefined) exitWhenParentDies(once);
}
