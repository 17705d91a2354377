import { CountersignError } from './errors';

const connectionLost = /^(ECONN|ETIMEDOUT|EPIPE|57P|08|53)/;
const poolGaveUp = /timeout exceeded when trying to connect|Connection terminated/;

/** Whether PostgreSQL is away, going away or full, as Node, the driver and SQLSTATE say it: another attempt may do. */
export function isDatabaseOutage(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || error instanceof CountersignError) return false;
  if ('code' in error && connectionLost.test(String(error.code))) return true;
  return error instanceof Error && poolGaveUp.test(error.message);
}

/** For what is recorded as owed: what does not answer now gets it by re-delivery. Throws any other error on. */
export function leftToRedelivery(error: unknown): void {
  if (!(error instanceof CountersignError) || error.code !== 'dependency_unavailable') throw error;
}
