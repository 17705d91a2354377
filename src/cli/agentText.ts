import type { AgentRun, AgentStepOutput, Page } from '../client';
import { more } from './lists';
import { table } from './terminal/table';
import { printable } from './terminal/text';
import { age } from './terminal/time';

export function agentRunText(run: AgentRun): string {
  const { runId, status, goal, plan, stepStatuses, stepOutputs, retryCounts, usage, plannedBy } = run;
  const steps = table(plan, [
    { title: 'STEP', of: ({ id }) => id },
    { title: 'STATUS', of: ({ id }) => stepStatuses[id] ?? 'pending' },
    { title: 'RETRIES', of: ({ id }) => String(retryCounts[id] ?? 0), optional: true },
    { title: 'CAME TO', of: ({ id }) => outputText(stepOutputs[id]), cut: true },
  ]);
  const cost = usage.calls === 0 ? '' : `Models: ${usage.calls} calls, ${usage.costUsd} USD\n`;
  return `${runId} is ${status}${why(run)}
Goal: ${goal === null ? '(erased)' : printable(goal)}
Conversation: ${run.conversationId}, version ${run.version}
${plan.length === 0 ? 'There is no plan yet.\n' : `Planned by ${printable(plannedBy ?? 'rules')}:\n${steps}`}${cost}${next(run)}`;
}

export function agentRunLine({ status, plan, nextStepIndex, stepStatuses }: AgentRun): string {
  const step = plan[nextStepIndex];
  return step ? `${status}: ${step.id} ${stepStatuses[step.id] ?? 'pending'}` : status;
}

export function agentRunList(page: Page<AgentRun>): string {
  if (page.items.length === 0)
    return 'There is no such agent run. Start one: countersign agent run --goal …\n';
  const lines = table(page.items, [
    { title: 'RUN', of: ({ runId }) => runId },
    { title: 'STATUS', of: ({ status }) => status },
    { title: 'STEP', of: ({ plan, nextStepIndex }) => plan[nextStepIndex]?.id ?? '' },
    { title: 'BEGUN', of: ({ createdAt }) => age(createdAt) },
    { title: 'GOAL', of: ({ goal }) => goal ?? '(erased)', optional: true, cut: true },
  ]);
  return `${lines}${more(page)}`;
}

function why({ lastError, pausedBy, pauseRequested }: AgentRun): string {
  const paused =
    pausedBy === 'step_budget' ? ', its budget of steps is spent' : pausedBy ? ', as was asked' : '';
  const wanted = pauseRequested ? ', and pauses after this step' : '';
  return `${paused}${wanted}${lastError ? `: ${lastError.code} at ${lastError.stepId}, ${printable(lastError.detail)}` : ''}`;
}

function next({ runId, status, stepOutputs }: AgentRun): string {
  if (status === 'paused' || status === 'needs_review') return `Go on: countersign agent resume ${runId}\n`;
  const refund = Object.values(stepOutputs).find((output) => 'refundRunId' in output);
  return refund && 'refundRunId' in refund
    ? `Its refund: countersign refund show ${refund.refundRunId}\n`
    : '';
}

function outputText(output: AgentStepOutput | undefined): string {
  if (output === undefined) return '';
  return printable(
    Object.entries(output)
      .map(([name, value]) => `${name} ${wordOf(value)}`)
      .join(', '),
  );
}

function wordOf(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(' ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.values(value).join(' ');
}
