import { runWorkflowId } from '../domain/contract';
import { temporalHere } from '../main/run/temporalHere';
import { settingsOfCommand } from './connection';
import { UsageError } from './failure';

/** The Temporal that commands read histories from. @throws UsageError that says what to set */
export function temporalOfCommand() {
  const temporal = temporalHere(settingsOfCommand());
  if (temporal) return temporal;
  throw new UsageError(
    'histories are read from Temporal itself: set TEMPORAL_ADDRESS, and TEMPORAL_NAMESPACE, TEMPORAL_TLS_* or TEMPORAL_API_KEY as the workers have them; or run: countersign up',
  );
}

/** @throws UsageError for what is no id */
export function workflowIdOf(tenant: string, runId: string): string {
  return checked(runWorkflowId(tenant, runId));
}

/** Workflow ids go into a query of Temporal's own language. @throws UsageError */
export function checked(id: string): string {
  if (/^[A-Za-z0-9_./:-]{1,400}$/.test(id)) return id;
  throw new UsageError(`${id} is no id of a run`);
}
