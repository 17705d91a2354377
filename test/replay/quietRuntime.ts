import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';

/** Workers and replays inside a test process tell errors only: a control that fails on purpose would fill the screen. */
export function quietRuntime(): void {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR' }), forward: {} } },
  });
}
