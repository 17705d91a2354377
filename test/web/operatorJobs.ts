import { standardPlan } from '../../src/domain/agent/plan';
import { begun, planned, stepBegun, stepFailed, stepTaken } from '../../src/domain/agent/progress';
import { newAgentState, type AgentState, type AgentStepOutput } from '../../src/domain/agent/state';
import type { OperatorGround } from './operatorFixture';
import type { Visitor } from './visitor';

interface Scene {
  readonly ground: OperatorGround;
  readonly lead: Visitor;
  readonly admin: Visitor;
  readonly reviewer: Visitor;
}

const amount = { value: '120.00', currency: 'USD' };
/** What the steps of a run come to up to its proposal. */
const outputs: readonly AgentStepOutput[] = [
  { paymentId: 'ch_lamp', captured: amount, remaining: amount },
  { turns: ['thread:t#1'] },
  { memories: [] },
  { passages: ['knowledge:h#1.1'] },
  { amount, reason: 'damaged', cites: [], by: 'rules' },
  { refundRunId: 'run_done', phase: 'validating' },
];

const at = (runId: string, conversationId: string) =>
  planned(
    begun(newAgentState({ runId, tenantId: 'acme', conversationId, maxStepsPerRun: null })),
    standardPlan,
    'rules',
  );

function after(state: AgentState, steps: number): AgentState {
  return outputs.slice(0, steps).reduce((before, output) => {
    const stepId = before.plan[before.nextStepIndex]?.id ?? '';
    return stepTaken(stepBegun(before, stepId) ?? before, stepId, output);
  }, state);
}

/** Agent runs and batches as operators see and direct them; over a ground that is laid already. */
export function operatorJobs(scene: () => Scene): void {
  let ground: OperatorGround;
  let lead: Visitor;
  let admin: Visitor;
  let reviewer: Visitor;
  beforeAll(() => {
    ({ ground, lead, admin, reviewer } = scene());
  });
  const rows = (statement: string) => ground.pages.asOwner(statement);

  describe('agent runs', () => {
    const idOf = (n: number) => `agr_${String(n).repeat(32)}`;
    const [proposed, asks, theirs] = [idOf(1), idOf(2), idOf(3)];
    const threadId = `thr_${'2'.repeat(32)}`;

    async function agentRun(state: AgentState, tenant = 'acme'): Promise<void> {
      const { runId } = state;
      const texts = { owner: 'cus_ada', goal: 'See to <b>Ada</b>', onBehalfOf: 'reviewer2' };
      const run = { runId, fingerprint: 'f', requester: 'agent', keyId: 'k', state, ...texts };
      await ground.in(({ agentRuns }) => agentRuns.create(run), tenant);
    }

    beforeAll(async () => {
      await ground.in(({ threads }) =>
        threads.create({ id: threadId, owner: 'cus_ada', title: null, createdBy: 'service' }),
      );
      await agentRun(after(at(proposed, threadId), 6));
      const failure = { code: 'agent_needs_input', detail: 'the conversation names no payment' } as const;
      await agentRun(stepFailed(at(asks, threadId), 'look_up_order', failure).state);
      await agentRun(at(theirs, threadId), 'globex');
    });

    test('are listed by status for whom they concern, and one shows goal, plan, outputs and its refund', async () => {
      const listed = await admin.get('/agents');
      expect(listed.text).toContain('See to <b>Ada</b> Needs a person Look up the payment agent');
      expect(listed.html).not.toContain(theirs);
      const found = (await admin.get('/agents?status=running')).html;
      expect([found.includes(`/agents/${proposed}"`), found.includes(asks)]).toEqual([true, false]);
      expect((await admin.get('/agents?status=busy')).status).toBe(422);
      expect((await admin.get('/reviews')).text).toContain('1 waiting in agent runs');
      expect((await reviewer.get('/agents')).text).toContain('No agent run concerns you yet.');

      const { html, text } = await admin.get(`/agents/${proposed}`);
      expect(text).toContain('A worker is at “Wait for its end”.');
      expect(text).toMatch(/Look up the payment Completed 0 ch_lamp: USD 120\.00 of USD 120\.00 remain/);
      expect(text).toMatch(/Draft a refund Completed 0 USD 120\.00, arrived damaged; cites 0; by rules/);
      expect(html).toContain('<a href="/runs/run_done">The refund</a>');
      expect(html).not.toContain('<b>Ada</b>');
      expect(text).toContain('agent for reviewer2');
    });

    test('R34, R36: are paused, resumed and answered by whoever may direct them, on the version that he read', async () => {
      const press = (visitor: Visitor, runId: string, order: string, fields: Record<string, string> = {}) =>
        visitor.post(`/agents/${runId}/${order}`, { version: '1', ...fields });
      const paused = await press(admin, proposed, 'pause');
      expect([paused.status, paused.headers.get('location')]).toEqual([
        303,
        `/agents/${proposed}?done=pause`,
      ]);
      const shown = await admin.get(`/agents/${proposed}?done=pause`);
      expect(shown.text).toContain('It pauses before its next step.');
      expect(shown.text).toContain('Somebody paused it before “Wait for its end”.');
      const stale = await press(admin, proposed, 'resume');
      expect([stale.status, stale.html.includes('role="alert"')]).toEqual([409, true]);
      expect((await press(admin, proposed, 'resume', { version: '2' })).status).toBe(303);

      expect((await admin.get(`/agents/${asks}`)).text).toContain('the conversation names no payment');
      const said = { text: 'It is ch_lamp,\r\nsays Ada' };
      const card = await press(admin, asks, 'answer', { text: '4242 4242 4242 4242' });
      expect([card.status, card.html.includes('4242</textarea>')]).toEqual([422, true]);
      const old = await press(admin, asks, 'answer', { ...said, version: '7' });
      expect([old.status, old.html.includes('says Ada</textarea>')]).toEqual([409, true]);
      expect((await press(admin, asks, 'answer', said)).headers.get('location')).toBe(
        `/agents/${asks}?done=answer`,
      );
      expect(
        await rows(`select role, text, author from thread_turns where thread_id = '${threadId}'`),
      ).toEqual([{ role: 'user', text: 'It is ch_lamp,\nsays Ada', author: 'admin' }]);
      expect(await rows(`select status from agent_runs where run_id = '${asks}'`)).toEqual([
        { status: 'running' },
      ]);
      // Sent twice, it is said once.
      expect((await press(admin, asks, 'answer', said)).status).toBe(409);
    });

    test('R38: what does not concern somebody, and what is of another tenant, gives the page of unknown ones', async () => {
      const none = await reviewer.get(`/agents/${idOf(9)}`);
      for (const [visitor, runId] of [
        [reviewer, proposed],
        [reviewer, theirs],
      ] as const) {
        const seen = await visitor.get(`/agents/${runId}`);
        expect([seen.status, seen.html]).toEqual([404, none.html]);
        expect((await visitor.post(`/agents/${runId}/pause`, { version: '1' })).status).toBe(404);
      }
    });
  });

  describe('batches', () => {
    const [moving, done, theirs] = ['bat_moving', 'bat_done', 'bat_theirs'];
    beforeAll(async () => {
      await rows(`insert into batches (batch_id, tenant, kind, requester, approval, dry_run, state, rows, amount, currency, reason, ended_at)
        values ('${moving}', 'acme', 'refunds', 'service', 'manifest', false, 'running', 3, 36000, 'USD', 'damaged', null),
          ('${done}', 'acme', 'refunds', 'service', 'each', false, 'completed', 1, 12000, 'USD', 'damaged', now()),
          ('${theirs}', 'globex', 'refunds', 'service', 'each', false, 'running', 1, 12000, 'USD', 'damaged', null)`);
      await rows(`insert into batch_items (batch_id, row, tenant, state, run_id, code, detail)
        values ('${moving}', 1, 'acme', 'started', 'run_done', null, null),
          ('${moving}', 2, 'acme', 'ready', null, null, null),
          ('${moving}', 3, 'acme', 'left_out', null, 'payment_unknown', 'no such payment')`);
    });

    test('are listed, and one shows how far it is, what was left out, and its result as a file', async () => {
      const listed = await admin.get('/batches');
      expect(listed.text).toContain('Refunds Going on 2 of 3 USD 360.00 service');
      expect(listed.html).not.toContain(theirs);
      expect((await admin.get('/batches?cursor=x')).status).toBe(422);
      const { html, text } = await admin.get(`/batches/${moving}`);
      expect(text).toContain('2 of 3 rows have an outcome 1 waiting 1 completed 1 left out');
      expect(html).toContain('<progress aria-labelledby="progress-title" max="3" value="2"');
      expect(text).toContain('Row 3: No such payment.');
      const file = await admin.get(`/batches/${moving}/result?format=csv`);
      expect(file.headers.get('content-disposition')).toBe(`attachment; filename="${moving}.csv"`);
      expect(file.html.trim().split('\n')).toHaveLength(4);
      expect((await admin.get(`/batches/${moving}/result?format=pdf`)).status).toBe(422);
    });

    test('are paused, resumed and, asked once more, cancelled by whoever may; R38: nobody sees another tenant’s', async () => {
      const offers = async (visitor: Visitor, id: string) =>
        (await visitor.get(`/batches/${id}`)).html.includes('Cancel the batch…');
      expect([await offers(admin, moving), await offers(lead, moving), await offers(admin, done)]).toEqual([
        true,
        false,
        false,
      ]);
      expect((await lead.post(`/batches/${moving}/pause`, {})).status).toBe(403);
      expect((await admin.post(`/batches/${moving}/pause`, {})).headers.get('location')).toBe(
        `/batches/${moving}?done=pause`,
      );
      expect((await admin.get(`/batches/${moving}`)).text).toContain('going on, paused');
      expect((await admin.post(`/batches/${moving}/resume`, {})).status).toBe(303);
      expect((await admin.post(`/batches/${moving}/resume`, {})).status).toBe(409);
      const asked = await admin.post(`/batches/${moving}/cancel`, {});
      expect([asked.status, asked.text.includes('Cancel the batch of 3 rows?')]).toEqual([200, true]);
      expect(await rows(`select cancelled_by from batches where batch_id = '${moving}'`)).toEqual([
        { cancelled_by: null },
      ]);
      expect((await admin.post(`/batches/${moving}/cancel`, { confirmed: 'yes' })).status).toBe(303);
      expect((await admin.get(`/batches/${moving}`)).text).toContain('being cancelled');
      expect((await admin.post(`/batches/${done}/pause`, {})).status).toBe(409);
      const none = await admin.get('/batches/bat_none');
      for (const path of [`/batches/${theirs}`, `/batches/${theirs}/result`]) {
        const seen = await admin.get(path);
        expect([path, seen.status, seen.html]).toEqual([path, 404, none.html]);
      }
    });
  });
}
