import {
  begun,
  planned,
  stepBegun,
  stepFailed,
  stepTaken,
  stepWaits,
  wordsErased,
} from '../../domain/agent/progress';
import { standardPlan } from '../../domain/agent/plan';
import type { AgentRunInput } from '../../domain/agent/state';
import { CountersignError } from '../../domain/errors';
import type { AgentDesk } from '../../ports/agentDesk';
import type { AgentRun } from '../../ports/agentRuns';
import { wake } from './agentRuns';
import { takeStep } from './agentSteps';
import { changeAgentRun } from './changeAgentRun';
import { planByModel } from './draftByModel';
import { spentOn } from './spentOn';
import { workOf, type AgentUseCases } from './stepWork';

/** Of transitions that nobody in particular causes. */
const us = 'countersign';

/** What workflow `agentRun` does, over the use cases that every caller goes through. */
export function agentDesk(useCases: AgentUseCases): AgentDesk {
  const { store } = useCases;
  return {
    async open(at) {
      await requireAgentRun(useCases, at);
      return (await changeAgentRun(store, at, us, begun)).state;
    },

    async plan(at, signal) {
      const run = await requireAgentRun(useCases, at);
      if (run.state.plan.length > 0 || run.state.status !== 'running') return run.state;
      const { plan, by } = await planOf(useCases, run, signal);
      return (await changeAgentRun(store, at, us, (state) => planned(state, plan, by))).state;
    },

    async take({ stepId, ...at }, signal) {
      const began = await changeAgentRun(store, at, us, (state) => stepBegun(state, stepId) ?? state);
      const step = began.state.plan[began.state.nextStepIndex];
      if (began.state.status !== 'running' || step?.id !== stepId) return began.state;
      const output = await takeStep[step.type](await workOf(useCases, began, signal), step);
      const done = await changeAgentRun(store, at, us, (state) =>
        output === 'waiting' ? stepWaits(state, stepId) : stepTaken(state, stepId, output),
      );
      return done.state;
    },

    wake: (at, ref) => wake(useCases, at, ref),

    async fail({ stepId, failure, ...at }) {
      let pauseMs: number | null = null;
      const { state } = await changeAgentRun(store, at, us, (before) => {
        const failed = stepFailed(before, stepId, failure);
        pauseMs = failed.pauseMs;
        return failed.state;
      });
      return { state, pauseMs };
    },

    async endErased(tenant) {
      const runIds = await store.inTenant(tenant, ({ agentRuns }) => agentRuns.withoutTexts());
      for (const runId of runIds)
        await changeAgentRun(store, { tenant, runId }, us, wordsErased, { wakes: true });
    },
  };
}

async function planOf({ model, store }: AgentUseCases, run: AgentRun, signal: AbortSignal) {
  if (!model || !run.texts) return { plan: standardPlan, by: 'rules' };
  return planByModel(model, run.texts.goal, signal, spentOn(store, run));
}

async function requireAgentRun(
  { store }: AgentUseCases,
  { tenant, runId }: AgentRunInput,
): Promise<AgentRun> {
  const run = await store.inTenant(tenant, ({ agentRuns }) => agentRuns.find(runId));
  if (!run) throw new CountersignError('not_started_here', 'no such agent run was taken in');
  return run;
}
