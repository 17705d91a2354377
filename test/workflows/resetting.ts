import { refundWorkflowId } from '../../src/domain/contract';
import { until } from '../support/processes';
import type { TestStack } from '../support/stack';
import { historyOf, openWork } from './evidence';

type Event = Awaited<ReturnType<typeof historyOf>>[number];
export type EventId = NonNullable<Event['eventId']>;

export function idOf(event: Event | undefined): EventId {
  if (!event?.eventId) throw new Error('the history has no such event');
  return event.eventId;
}

/** The last completed workflow task of a run that rests: a place to come back to. */
export async function restingPlaceOf(stack: TestStack, runId: string): Promise<EventId> {
  await until(async () => {
    const { timers, workflowTask } = await openWork(stack, runId);
    return timers === 1 && !workflowTask;
  });
  const done = (await historyOf(stack, runId)).filter((e) => e.workflowTaskCompletedEventAttributes);
  return idOf(done.at(-1));
}

/** As an operator does it: Temporal goes back to `place` and applies again what was signalled since. `notAgain`: kinds of events that it leaves out. */
export async function resetTo(
  { temporal }: TestStack,
  runId: string,
  place: EventId,
  notAgain: readonly number[] = [],
): Promise<void> {
  await temporal.connection.workflowService.resetWorkflowExecution({
    namespace: temporal.namespace,
    workflowExecution: { workflowId: refundWorkflowId('acme', runId) },
    reason: 'a test of resets',
    requestId: `reset-${runId}-${String(place)}`,
    workflowTaskFinishEventId: place,
    resetReapplyExcludeTypes: [...notAgain],
  });
}
