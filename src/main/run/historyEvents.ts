import { temporal } from '@temporalio/proto';
import type { TemporalSettings } from '../../adapters/temporal/connection';
import { withExecutions } from './withExecutions';

type Event = temporal.api.history.v1.IHistoryEvent;

/** One event of a Temporal history, without its payloads. */
export interface HistoryEventView {
  readonly workflowId: string;
  /** Temporal's own, of the execution. */
  readonly runId: string;
  readonly eventId: number;
  readonly at: string;
  readonly type: string;
  /** Which activity, timer, signal, update or marker. */
  readonly name: string | null;
}

/** Every event that Temporal still has of this workflow, execution by execution. @throws CountersignError dependency_unavailable */
export async function historyEvents(
  settings: TemporalSettings,
  workflowId: string,
): Promise<HistoryEventView[]> {
  return withExecutions(settings, async (executions) => {
    const events: HistoryEventView[] = [];
    for await (const { history, ...execution } of executions.of(workflowId))
      for (const event of history.events ?? []) events.push({ ...execution, ...view(event) });
    return events;
  });
}

function view(event: Event) {
  const { eventId, eventTime, eventType } = event;
  const ms = Number(eventTime?.seconds ?? 0) * 1_000 + Math.floor((eventTime?.nanos ?? 0) / 1_000_000);
  return {
    eventId: Number(eventId ?? 0),
    at: new Date(ms).toISOString(),
    type: words(temporal.api.enums.v1.EventType[eventType ?? 0] ?? 'EVENT_TYPE_UNKNOWN'),
    name: nameOf(event),
  };
}

/** `EVENT_TYPE_ACTIVITY_TASK_SCHEDULED` as `activity task scheduled`. */
function words(type: string): string {
  return type.replace('EVENT_TYPE_', '').toLowerCase().replaceAll('_', ' ');
}

function nameOf(event: Event): string | null {
  const accepted = event.workflowExecutionUpdateAcceptedEventAttributes;
  return (
    event.activityTaskScheduledEventAttributes?.activityType?.name ??
    event.workflowExecutionSignaledEventAttributes?.signalName ??
    accepted?.acceptedRequest?.input?.name ??
    event.timerStartedEventAttributes?.timerId ??
    event.timerFiredEventAttributes?.timerId ??
    event.markerRecordedEventAttributes?.markerName ??
    null
  );
}
