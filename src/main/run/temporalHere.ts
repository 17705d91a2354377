import type { TemporalSettings } from '../../adapters/temporal/connection';
import type { Settings } from '../settings';
import { isRunning, readUpReport } from '../upReport';
import { temporalSettings } from '../wiring';

/** The Temporal that the environment names, or else that of a running `countersign up`. */
export function temporalHere(settings: Settings): TemporalSettings | undefined {
  const up = readUpReport(settings);
  const address = settings.TEMPORAL_ADDRESS ?? (up && isRunning(up) ? up.temporalAddress : undefined);
  return address === undefined ? undefined : temporalSettings({ ...settings, TEMPORAL_ADDRESS: address });
}
