import { TestStack } from '../support/stack';
import { testTokens } from '../support/shared';
import { until } from '../support/processes';
import { runCli } from '../cli/runCli';
import { Agent, ways, type ToolAnswer } from './agents';

describe('the Model Context Protocol door, with the official client', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(() => stack.stop());

  const damaged = (paymentId: string, value: string) => ({
    paymentId,
    amount: { value, currency: 'USD' },
    reason: 'damaged',
  });

  describe.each(ways)('over %s', (way) => {
    let agent: Agent;
    let reviewer: Agent;
    beforeAll(async () => {
      agent = await Agent.connect(way, stack.apiUrl, testTokens.acme.agent);
      reviewer = await Agent.connect(way, stack.apiUrl, testTokens.acme.reviewer1);
    });
    afterAll(() => Promise.all([agent.close(), reviewer.close()]));

    test('R1, R2: an agent that tries again never refunds twice, and a second refund has a key of its own', async () => {
      const charge = await stack.provider.charge(20_000);
      const first = await agent.call('propose_refund', damaged(charge, '20.00'));
      const again = await agent.call('propose_refund', damaged(charge, '20'));
      expect(again).toEqual({
        refused: false,
        content: expect.objectContaining({ runId: first.content['runId'] }),
      });

      const reworded = await agent.call('propose_refund', {
        ...damaged(charge, '20.00'),
        note: 'it arrived broken',
      });
      expect(reworded).toEqual({
        refused: true,
        content: expect.objectContaining({
          code: 'idempotency_conflict',
          detail: expect.stringContaining('requestKey of its own'),
        }),
      });

      const second = await agent.call('propose_refund', {
        ...damaged(charge, '20.00'),
        requestKey: `second-${charge}`,
      });
      expect(second.refused).toBe(false);
      for (const { content } of [first, second])
        await stack.as('service').untilPhase(String(content['runId']), 'completed');
      expect((await stack.provider.refunds(charge)).map(({ amount }) => amount)).toEqual([2_000, 2_000]);
    });

    test('R29: an agent has no tool to decide with, and a decision is refused to it by name too', async () => {
      const charge = await stack.provider.charge(20_000);
      const { content } = await agent.call('propose_refund', damaged(charge, '120.00'));
      const runId = String(content['runId']);
      await stack.as('service').untilPhase(runId, 'waiting_approval');
      const { approval } = (await agent.call('show_refund', { runId })).content as {
        approval: { id: string };
      };
      const shown = (await agent.call('show_approval', { approvalId: approval.id })).content;
      const decision = { approvalId: approval.id, proposalHash: shown['proposalHash'], decision: 'approve' };

      expect((await agent.tools()).map(({ name }) => name)).not.toContain('decide');
      await expect(agent.call('decide', decision)).rejects.toThrow(/decide/);
      expect((await reviewer.call('show_refund', { runId })).content['phase']).toBe('waiting_approval');

      // The same words from a person, with his own key.
      expect((await reviewer.tools()).map(({ name }) => name)).toContain('decide');
      const stale = { ...decision, proposalHash: '0'.repeat(64) };
      expect((await reviewer.call('decide', stale)).content).toMatchObject({ code: 'decision_stale' });
      expect((await reviewer.call('decide', decision)).content).toMatchObject({
        status: 'applied',
        approval: { status: 'approved', decidedBy: { actor: 'reviewer1' } },
      });
      await stack.as('service').untilPhase(runId, 'completed');
      const timeline = (await agent.call('refund_timeline', { runId })).content['items'] as {
        event: string;
      }[];
      expect(timeline.at(-1)).toMatchObject({ event: 'completed' });
    });

    test('R23: a person who proposed through it does not approve what he proposed', async () => {
      const charge = await stack.provider.charge(20_000);
      const { content } = await reviewer.call('propose_refund', damaged(charge, '130.00'));
      await stack.as('service').untilPhase(String(content['runId']), 'waiting_approval');
      const found = (await reviewer.call('list_approvals', { limit: 50 })).content['items'] as {
        id: string;
        runId: string;
        proposalHash: string;
      }[];
      const { id, proposalHash } = found.find(({ runId }) => runId === content['runId'])!;
      const own = await reviewer.call('decide', { approvalId: id, proposalHash, decision: 'approve' });
      expect(own).toEqual({
        refused: true,
        content: expect.objectContaining({ code: 'separation_of_duties' }),
      });
    });

    test('R38: a foreign run and approval are answered byte for byte as unknown ones', async () => {
      const charge = await stack.provider.charge(20_000);
      const { id, runId } = await stack.as('service').openApproval({ paymentId: charge, amount: '120.00' });
      const stranger = await Agent.connect(way, stack.apiUrl, testTokens.globex.reviewer1);
      const { proposalHash } = (await reviewer.call('show_approval', { approvalId: id })).content;
      const unknown = { run: 'run_00000000000000000000', approval: 'apr_00000000000000000000' };
      const asked = (run: string, approval: string) =>
        Promise.all([
          stranger.call('show_refund', { runId: run }),
          stranger.call('refund_timeline', { runId: run }),
          stranger.call('cancel_refund', { runId: run }),
          stranger.call('show_approval', { approvalId: approval }),
          stranger.call('decide', { approvalId: approval, proposalHash, decision: 'approve' }),
        ]);
      const answers = await asked(runId, id);
      expect(answers.every(({ content }) => content['code'] === 'not_found')).toBe(true);
      expect(bytes(answers)).toBe(bytes(await asked(unknown.run, unknown.approval)));
      await stranger.close();
    });

    test('R1, R36: an agent run is started once however often it is asked for, and is paused and resumed', async () => {
      const owner = `cus_mcp_${way.length}`;
      const service = stack.as('service');
      const begun = await service.call('POST', '/v1/threads', { ownerId: owner });
      const threadId = String(begun.body.id);
      const said = [{ role: 'user', text: `Broken: ${await stack.provider.charge(20_000)}` }];
      await service.call('POST', `/v1/threads/${threadId}/messages?owner=${owner}`, { messages: said });
      const goal = { goal: 'See to this customer', threadId, ownerId: owner, maxStepsPerRun: 1 };
      const first = await agent.call('start_agent_run', goal);
      const { runId, requestKey } = first.content as { runId: string; requestKey: string };
      expect((await agent.call('start_agent_run', goal)).content).toMatchObject({ runId, requestKey });
      expect(await agent.call('start_agent_run', { ...goal, goal: 'Help him' })).toEqual({
        refused: true,
        content: expect.objectContaining({
          ...{ code: 'idempotency_conflict', requestKey, runId },
          detail: expect.stringContaining('requestKey of its own'),
        }),
      });

      const paused = async (nextStepIndex: number) => {
        let seen: ToolAnswer['content'] = {};
        await until(async () => {
          seen = (await agent.call('show_agent_run', { runId })).content;
          return seen['status'] === 'paused' && seen['nextStepIndex'] === nextStepIndex;
        });
        return Number(seen['version']);
      };
      const version = await paused(1);
      const stale = await agent.call('resume_agent_run', { runId, expectedVersion: version - 1 });
      expect(stale.content).toMatchObject({ code: 'version_conflict' });
      expect((await agent.call('resume_agent_run', { runId, expectedVersion: version })).refused).toBe(false);
      await paused(2);
      expect((await agent.call('pause_agent_run', { runId })).content).toMatchObject({ status: 'paused' });
      const listed = (await agent.call('list_agent_runs', { status: 'paused' })).content['items'];
      expect(listed).toEqual(expect.arrayContaining([expect.objectContaining({ runId })]));

      // What a key may not do at the API, it may not do here; what somebody may not see is not there.
      const scopes = ['runs:read', 'refunds:propose'];
      const minted = await stack
        .as('admin')
        .call('POST', '/v1/admin/keys', { person: 'agent', name: `reader-${way.length}`, scopes });
      const reader = await Agent.connect(way, stack.apiUrl, String(minted.body.token));
      for (const [tool, input] of [
        ['start_agent_run', goal],
        ['resume_agent_run', { runId }],
        ['pause_agent_run', { runId }],
      ] as const)
        expect((await reader.call(tool, input)).content).toMatchObject({ code: 'insufficient_scope' });
      expect((await reader.call('show_agent_run', { runId })).content).toMatchObject({ runId });
      expect((await reviewer.call('start_agent_run', goal)).content['runId']).toBeUndefined();
      const unknown = `agr_${'0'.repeat(32)}`;
      for (const tool of ['show_agent_run', 'pause_agent_run', 'resume_agent_run']) {
        const [theirs, none] = [
          await reviewer.call(tool, { runId }),
          await reviewer.call(tool, { runId: unknown }),
        ];
        expect([theirs.content['code'], bytes([theirs])]).toEqual(['not_found', bytes([none])]);
      }
      await reader.close();
    });

    test('R41: rubbish gets a precise refusal, and no run', async () => {
      const wrong = await agent.call('propose_refund', { paymentId: 'ch_1', amount: '20' });
      expect(wrong.refused).toBe(true);
      expect(JSON.stringify(wrong.content)).toMatch(/amount/);
      const charge = await stack.provider.charge(1_000);
      expect((await agent.call('propose_refund', damaged(charge, '10.01'))).content).toMatchObject({
        code: 'exceeds_remaining',
      });
    });

    test('R46, R53: memory and knowledge are found as data, and nobody else reads another owner', async () => {
      const admin = stack.as('admin');
      const handbook = 'Parcels that arrive damaged are refunded in full within fourteen days.';
      const document = {
        document: `handbook-${way === 'HTTP' ? 'b' : 'a'}`,
        title: 'Handbook',
        format: 'text',
        text: handbook,
      };
      expect((await admin.call('POST', '/v1/knowledge', document)).status).toBeLessThan(300);
      const passages = (await agent.call('search_knowledge', { text: 'damaged parcels' })).content['items'];
      expect(JSON.stringify(passages)).toContain('knowledge:');
      expect((await agent.call('search_memory', { text: 'language' })).content).toMatchObject({ items: [] });
      const foreign = await reviewer.call('search_memory', { text: 'language', owner: 'reviewer2' });
      expect(foreign.content).toMatchObject({ code: 'forbidden' });
    });

    test('the policy is explained in words, and every tool says whether it changes anything', async () => {
      const policy = (await agent.call('explain_policy', {})).content;
      expect(policy['inWords']).toEqual(expect.arrayContaining([expect.stringContaining('50.00')]));
      expect((await agent.call('who_am_i', {})).content).toMatchObject({ id: 'agent', kind: 'agent' });
      for (const tool of await agent.tools()) {
        expect(tool.description).toBeTruthy();
        expect(typeof tool.annotations?.readOnlyHint).toBe('boolean');
      }
    });
  });

  test('R29: without a key, or with one that nobody knows, there is nothing; another page of the browser is refused', async () => {
    const post = (headers: Record<string, string>) =>
      fetch(`${stack.apiUrl}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      });
    expect((await post({})).status).toBe(401);
    expect((await post({ authorization: 'Bearer cs_nobody' })).status).toBe(401);
    const authorization = `Bearer ${testTokens.acme.agent}`;
    expect((await post({ authorization, origin: 'https://elsewhere.example' })).status).toBe(403);

    const env = { COUNTERSIGN_API_URL: stack.apiUrl, COUNTERSIGN_TOKEN: 'cs_nobody' };
    const refused = await runCli(['mcp'], env);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/token/);
    expect(refused.stdout).toBe('');
  });
});

/** All of it but the name of the request itself. */
function bytes(answers: readonly ToolAnswer[]): string {
  return JSON.stringify(answers).replace(/"requestId":"[^"]+"/g, '');
}
