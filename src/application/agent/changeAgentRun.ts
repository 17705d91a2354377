import { CountersignError } from '../../domain/errors';
import type { AgentRunInput, AgentState } from '../../domain/agent/state';
import { groups } from '../../domain/people';
import type { AgentRun } from '../../ports/agentRuns';
import type { Store, Unit } from '../../ports/store';
import { onNewestVersion, versionConflict } from '../versions';

/**
 * Reads a run, changes its state, and writes it under the version that was read. Whoever comes second is told so, reads
 * again and tries again (R34); with `expectedVersion` the conflict is the caller's. With `wakes`, the workflow is owed the
 * word of it, under `order:<version>`.
 * @param change answers with the same state where there is nothing to change
 * @throws CountersignError not_found, version_conflict (details: version), and what `change` throws
 */
export async function changeAgentRun(
  store: Store,
  { tenant, runId }: AgentRunInput,
  actor: string,
  change: (state: AgentState, run: AgentRun) => AgentState,
  {
    expectedVersion,
    wakes = false,
  }: { readonly expectedVersion?: number | undefined; readonly wakes?: boolean } = {},
): Promise<AgentRun> {
  return onNewestVersion(expectedVersion, () =>
    store.inTenant(tenant, async (unit) => {
      const run = await unit.agentRuns.find(runId);
      if (!run) throw new CountersignError('not_found');
      const seen = expectedVersion ?? run.version;
      if (run.version !== seen) throw versionConflict(run.version);
      const state = change(run.state, run);
      if (state === run.state) return run;
      if (!(await unit.agentRuns.save(runId, seen, state))) throw versionConflict(seen);
      await record(unit, actor, run, state);
      const version = run.version + 1;
      if (wakes) await unit.outbox.owe({ runId, kind: 'agent', ref: `order:${version}` });
      return { ...run, state, version };
    }),
  );
}

/** Every transition with who caused it; a run that needs a person tells those who can see it and have it go on. */
async function record(unit: Unit, actor: string, before: AgentRun, state: AgentState): Promise<void> {
  const { runId, version } = before;
  if (before.state.plan.length === 0 && state.plan.length > 0)
    await unit.audit.append({
      runId,
      actor: 'countersign',
      event: 'agent_run_planned',
      step: 'plan',
      after: { plan: state.plan.map(({ id }) => id), by: state.plannedBy },
    });
  for (const { id } of state.plan) {
    if (state.stepStatuses[id] !== 'completed' || before.state.stepStatuses[id] === 'completed') continue;
    await unit.audit.append({
      runId,
      actor: 'countersign',
      event: 'agent_step_completed',
      step: id,
      after: state.stepOutputs[id],
      effectKey: `${runId}:${id}`,
    });
  }
  if (state.status === before.state.status) return;
  await unit.audit.append({
    runId,
    actor,
    event: `agent_run_${state.status}`,
    step: `${state.status}:${version + 1}`,
    after: { nextStepIndex: state.nextStepIndex, pausedBy: state.pausedBy },
    ...(state.lastError === null ? {} : { reason: state.lastError.code }),
  });
  if (state.status !== 'needs_review') return;
  await unit.notifications.tell({
    key: `${runId}:needs_review:${version + 1}`,
    runId,
    recipient: `group:${groups.admins}`,
    template: 'agent_run_needs_review',
    data: { code: state.lastError?.code ?? null, stepId: state.lastError?.stepId ?? null },
  });
}
