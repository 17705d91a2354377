import { heartbeat } from '@temporalio/activity';

const everyMs = 500;

/** Beats while `work` runs, so that the death of this worker is noticed within a second or two, not by a long time-out. */
export async function whileHeartbeating<T>(work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => heartbeat(), everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
