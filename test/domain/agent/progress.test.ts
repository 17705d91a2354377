import fc from 'fast-check';
import { readPlan, standardPlan } from '../../../src/domain/agent/plan';
import {
  begun,
  mostRetries,
  mostWaits,
  nextMove,
  pauseAsked,
  planned,
  resumed,
  stepBegun,
  stepFailed,
  stepTaken,
  stepWaits,
  wordsErased,
} from '../../../src/domain/agent/progress';
import { newAgentState, type AgentState } from '../../../src/domain/agent/state';
import { errorCatalogue, type ErrorCode } from '../../../src/domain/errors';

const run = { runId: 'agr_1', tenantId: 'acme', conversationId: 'thr_1', maxStepsPerRun: null };
const running = (maxStepsPerRun: number | null = null): AgentState =>
  planned(begun(newAgentState({ ...run, maxStepsPerRun })), standardPlan, 'rules');
const output = { turns: [] };

function refusal(work: () => unknown): unknown {
  try {
    work();
    return 'done';
  } catch (error) {
    return (error as { code?: string }).code ?? error;
  }
}

test('a new run is planned first, then takes its steps in order, and is completed after the last', () => {
  let state = begun(newAgentState(run));
  expect(nextMove(state)).toEqual({ kind: 'plan' });
  state = planned(state, standardPlan, 'rules');
  const taken: string[] = [];
  for (let move = nextMove(state); move.kind === 'take'; move = nextMove(state)) {
    taken.push(move.stepId);
    state = stepTaken(stepBegun(state, move.stepId) ?? state, move.stepId, output);
  }
  expect(taken).toEqual(standardPlan.map(({ id }) => id));
  expect([nextMove(state), state.status]).toEqual([{ kind: 'ended' }, 'completed']);
});

test('R36: whatever is paused, resumed, waited for and repeated, no step is taken twice and none is left out', () => {
  const orders = fc.array(fc.constantFrom('take', 'wait', 'repeat', 'pause', 'resume', 'retry', 'open'), {
    maxLength: 120,
  });
  fc.assert(
    fc.property(orders, fc.option(fc.integer({ min: 1, max: 3 })), (sequence, budget) => {
      let state = running(budget);
      const done: string[] = [];
      for (const order of [
        ...sequence,
        ...Array.from({ length: 40 }, (_, i) => (i % 2 ? 'take' : 'resume')),
      ]) {
        const move = nextMove(state);
        if (order === 'pause' && move.kind !== 'ended') state = pauseAsked(state);
        if (order === 'resume' && ['paused', 'needs_review'].includes(state.status)) state = resumed(state);
        if (order === 'open') state = begun(state);
        if (move.kind === 'idle' && state.status === 'running') state = begun(state);
        if (move.kind !== 'take') continue;
        const before = stepBegun(state, move.stepId);
        if (!before) continue;
        if (order === 'wait') state = stepWaits(before, move.stepId);
        if (order === 'retry')
          state = stepFailed(before, move.stepId, { code: 'dependency_unavailable', detail: '' }).state;
        if (order === 'take' || order === 'repeat') {
          state = stepTaken(before, move.stepId, output);
          done.push(move.stepId);
          if (order === 'repeat') expect(stepTaken(state, move.stepId, output)).toBe(state);
        }
      }
      expect(done).toEqual(standardPlan.slice(0, done.length).map(({ id }) => id));
      expect(state.status).toBe('completed');
    }),
  );
});

test('a pause comes between two steps, never in one', () => {
  const inStep = stepBegun(running(), 'look_up_order') as AgentState;
  const asked = pauseAsked(inStep);
  expect(asked).toMatchObject({ status: 'running', pauseRequested: true });
  expect(stepTaken(asked, 'look_up_order', output)).toMatchObject({ status: 'paused', pausedBy: 'asked' });
  expect(resumed(asked)).toMatchObject({ status: 'running', pauseRequested: false });
  expect(pauseAsked(running())).toMatchObject({ status: 'paused', nextStepIndex: 0 });
  expect(stepBegun(pauseAsked(running()), 'look_up_order')).toBeUndefined();
});

test('R14: every code of the catalogue leads to what its row says: retry, wait, a person, or the end', () => {
  const leads: Record<string, string> = {};
  for (const code of Object.keys(errorCatalogue) as ErrorCode[]) {
    const { state, pauseMs } = stepFailed(running(), 'look_up_order', {
      code,
      detail: '',
      retryAfterMs: 7_000,
    });
    const seen = pauseMs === null ? state.status : `again after ${pauseMs}`;
    const { retry } = errorCatalogue[code];
    expect([code, leads[retry] ?? seen]).toEqual([code, seen]);
    leads[retry] = seen;
    expect(state.lastError).toMatchObject({ code, stepId: 'look_up_order' });
  }
  expect(leads).toEqual({
    retry: 'again after 1000',
    look_up: 'again after 1000',
    wait: 'again after 7000',
    ask_person: 'needs_review',
    fail: 'failed',
  });
});

test.each([
  ['dependency_unavailable', mostRetries],
  ['model_rate_limited', mostWaits],
] as const)(
  '%s is tried again %i times, then a person is asked; a resume begins to count anew',
  (code, most) => {
    let state = running();
    const pauses: (number | null)[] = [];
    for (let tries = 0; tries <= most; tries += 1) {
      const failed = stepFailed(state, 'look_up_order', { code, detail: '' });
      state = failed.state;
      pauses.push(failed.pauseMs);
    }
    expect(state).toMatchObject({ status: 'needs_review', nextStepIndex: 0 });
    expect(pauses.slice(0, -1).every((pause) => pause !== null && pause <= 60_000)).toBe(true);
    expect(pauses.at(-1)).toBeNull();
    const again = resumed(state);
    expect(again).toMatchObject({ status: 'running', retryCounts: {} });
    expect(stepFailed(again, 'look_up_order', { code, detail: '' }).pauseMs).not.toBeNull();
  },
);

test('an ended run takes no orders, and one that goes on is not resumed', () => {
  const failed = stepFailed(running(), 'look_up_order', { code: 'payment_unknown', detail: '' }).state;
  expect(refusal(() => resumed(failed))).toBe('agent_run_ended');
  expect(refusal(() => pauseAsked(failed))).toBe('agent_run_ended');
  expect(refusal(() => resumed(running()))).toBe('agent_run_not_paused');
});

test('R49: a run whose words were erased ends where it stands; what comes in of it later changes no end', () => {
  const inStep = stepBegun(running(), 'look_up_order') as AgentState;
  const ended = wordsErased(pauseAsked(inStep));
  expect(ended).toMatchObject({
    ...{ status: 'failed', pauseRequested: false, stepStatuses: { look_up_order: 'failed' } },
    lastError: { code: 'agent_run_erased', stepId: 'look_up_order' },
  });
  expect(wordsErased(newAgentState(run))).toMatchObject({ status: 'failed', lastError: { stepId: 'plan' } });
  expect(wordsErased(ended)).toBe(ended);
  expect(nextMove(ended)).toEqual({ kind: 'ended' });
  // The step that was running comes back: what it did is on record, and nothing goes on.
  const after = stepTaken(ended, 'look_up_order', output);
  expect(after).toMatchObject({
    ...{ status: 'failed', nextStepIndex: 0, lastError: ended.lastError },
    ...{ stepStatuses: { look_up_order: 'completed' }, stepOutputs: { look_up_order: output } },
  });
  expect(stepWaits(ended, 'look_up_order')).toBe(ended);
  const failure = { code: 'dependency_unavailable', detail: '' } as const;
  expect(stepFailed(ended, 'look_up_order', failure)).toEqual({ state: ended, pauseMs: null });
  const unplanned = wordsErased(begun(newAgentState(run)));
  expect(planned(unplanned, standardPlan, 'rules')).toBe(unplanned);
});

describe('a plan that somebody else made', () => {
  const proposed = standardPlan.map(({ id: _ours, ...step }) => step);
  test('the standard one may run, and its ids are ours', () => {
    expect(readPlan(proposed)).toEqual(standardPlan);
  });

  const only = (...types: string[]) => proposed.filter(({ type }) => types.includes(type));
  test.each<[string, unknown]>([
    ['no list', { steps: proposed }],
    ['no step', []],
    ['an unknown step', [{ type: 'issue_refund' }]],
    ['a step that approves', [{ type: 'approve' }]],
    ['a field too many', [{ type: 'look_up_order', approved: true }]],
    ['an id of its own', [{ id: 'cus_42', type: 'look_up_order' }]],
    ['one step twice', [proposed[0], proposed[0]]],
    ['a proposal without a draft', only('look_up_order', 'propose_refund')],
    ['a draft without the handbook', only('look_up_order', 'gather_evidence', 'draft_refund')],
    ['waiting for nothing', only('await_refund')],
    ['a huge one', Array.from({ length: 5_000 }, () => proposed[0])],
  ])('%s is refused', (_what, plan) => {
    expect(refusal(() => readPlan(plan))).toBe('agent_plan_invalid');
  });
});
