import type { TemporalSettings } from '../../adapters/temporal/connection';
import { PastExecutions } from '../../adapters/temporal/pastExecutions';
import { CountersignError } from '../../domain/errors';

/**
 * Whatever of Temporal's histories `work` reads.
 * @throws CountersignError dependency_unavailable where nothing answers at its address
 */
export async function withExecutions<T>(
  temporal: TemporalSettings,
  work: (executions: PastExecutions) => Promise<T>,
): Promise<T> {
  const executions = await PastExecutions.connect(temporal).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new CountersignError(
      'dependency_unavailable',
      `Temporal does not answer at ${temporal.address} (${why}); check TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE`,
    );
  });
  try {
    return await work(executions);
  } finally {
    await executions.close();
  }
}
