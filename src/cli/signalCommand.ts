import type { SignedDecision } from '../client';
import { readUpReport } from '../main/upReport';
import { settingsOfCommand } from './connection';

/** The plain Temporal command that delivers a signed decision; a JWS and our ids hold nothing that a shell would touch. */
export function signalCommand({ jws, workflowId, signal }: SignedDecision): string {
  const settings = settingsOfCommand();
  const address =
    settings.TEMPORAL_ADDRESS ??
    readUpReport(settings)?.temporalAddress ??
    '<host:port of the Temporal server>';
  return [
    'temporal workflow signal',
    `--workflow-id ${workflowId}`,
    `--name ${signal}`,
    `--input '"${jws}"'`,
    `--address ${address}`,
    ...(settings.TEMPORAL_NAMESPACE === 'default' ? [] : [`--namespace ${settings.TEMPORAL_NAMESPACE}`]),
  ].join(' ');
}
