import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { until } from '../support/processes';
import { fromSetup, testTokens } from '../support/shared';
import { TestStack } from '../support/stack';
import { actor } from './actors';
import { runCli } from './runCli';
import { decidedTogether } from './together';

describe('countersign approvals', () => {
  let stack: TestStack;
  let reviewer1: ReturnType<typeof actor>;
  let reviewer2: ReturnType<typeof actor>;
  beforeAll(async () => {
    stack = await TestStack.start();
    reviewer1 = actor(stack, 'reviewer1');
    reviewer2 = actor(stack, 'reviewer2');
  });
  afterAll(() => stack.stop());

  const open = async (amount: string, more: Record<string, unknown> = {}) => {
    const charge = await stack.provider.charge(1_000_000);
    return stack.as('service').openApproval({ paymentId: charge, amount, ...more });
  };
  const paid = async (charge: string) => (await stack.provider.refunds(charge)).map(({ amount }) => amount);

  test('an empty inbox says what to do next', async () => {
    const globex = await actor(stack, 'reviewer1', 'globex')('approvals', 'list');
    expect([globex.code, globex.stdout]).toEqual([0, expect.stringContaining('countersign refund list')]);
  });

  test('what waits is listed and shown with amount, votes, deadline and hash', async () => {
    const approval = await open('600.00', { note: 'two boxes', orderId: 'O-9' });
    const list = await reviewer1('approvals', 'list');
    expect(list.stdout).toMatch(/^APPROVAL +AMOUNT +VOTES +DEADLINE/);
    expect(list.stdout).toMatch(new RegExp(`${approval.id} +600\\.00 USD +0 of 2 +in 71 h`));
    const young = await reviewer1('approvals', 'list', '--min-age', '24h', '--json');
    expect(young.json).toEqual({ items: [], nextCursor: null });
    const group = await reviewer1('approvals', 'list', '--group', 'approvers', '--all', '--json');
    expect(group.json.items.map(({ id }) => id)).toContain(approval.id);

    const shown = await reviewer1('approvals', 'show', approval.id);
    for (const text of [
      approval.proposalHash,
      '600.00 USD on ch_',
      '0 of 2',
      'two boxes',
      'O-9',
      'captured 10000.00 USD',
    ])
      expect(shown.stdout).toContain(text);
    const raw = await reviewer1('approvals', 'show', approval.id, '--json');
    expect(raw.json).toEqual(await stack.as('reviewer1').approval(approval.id));
  });

  test('R21: approve without a hash shows what it approves, and approves exactly that', async () => {
    const approval = await open('120.00');
    const approved = await reviewer1('approvals', 'approve', approval.id, '--comment', 'photo checked');
    expect(approved.code).toBe(0);
    expect(approved.stderr).toContain(approval.proposalHash);
    expect(approved.stderr).toContain('120.00 USD');
    expect(approved.stdout).toContain(`${approval.id} is approved: 120.00 USD`);
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paid(approval.target)).toEqual([12_000]);
  });

  test('R21: with a hash it is binding: of another revision it is refused, and nothing is paid', async () => {
    const approval = await open('120.00');
    const edited = await stack.as('reviewer1').decide(approval, 'edit', {
      arguments: { amount: { value: '130.00', currency: 'USD' } },
    });
    expect(edited.body).toMatchObject({ status: 'open', revision: 2 });
    const stale = await reviewer2(
      'approvals',
      'approve',
      approval.id,
      '--hash',
      approval.proposalHash,
      '--json',
    );
    expect([stale.code, stale.stdout]).toEqual([1, '']);
    expect(stale.problem).toMatchObject({ status: 409, code: 'decision_stale', currentRevision: 2 });
    expect(await paid(approval.target)).toEqual([]);

    const now = await reviewer2(
      ...['approvals', 'approve', approval.id, '--hash', edited.body.proposalHash, '--json'],
    );
    expect(now.json).toMatchObject({ status: 'approved', proposalHash: edited.body.proposalHash });
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paid(approval.target)).toEqual([13_000]);
  });

  test('R24: two votes take two people; one person twice is told so', async () => {
    const approval = await open('600.00');
    const first = await reviewer1('approvals', 'approve', approval.id);
    expect(first.stdout).toBe('Counted: 1 of 2 votes for 600.00 USD\n');
    const named = ['--decision-id', 'another', '--json'];
    const twice = await reviewer1('approvals', 'approve', approval.id, ...named);
    expect([twice.code, twice.problem.code]).toEqual([1, 'already_voted']);
    const second = await reviewer2('approvals', 'approve', approval.id, '--json');
    expect(second.json).toMatchObject({ status: 'approved', needed: 2 });
  });

  test('R25: the same decision id counts once and answers as the first time', async () => {
    const approval = await open('600.00');
    const args = ['approvals', 'approve', approval.id, '--decision-id', 'click-1', '--json'];
    const [first, again] = [await reviewer1(...args), await reviewer1(...args)];
    expect([first.code, again.code]).toEqual([0, 0]);
    expect(again.json.votes).toHaveLength(1);
    const other = await reviewer1('approvals', 'reject', approval.id, '--decision-id', 'click-1', '--json');
    expect([other.code, other.problem.code]).toEqual([1, 'decision_conflict']);
  });

  test('R22: an edit executes exactly the edited amount; one that can not be is refused', async () => {
    const approval = await open('120.00');
    const above = await reviewer1('approvals', 'edit', approval.id, '--amount', '10000.01');
    expect(above.code).toBe(1);
    expect(above.stderr).toContain('asked for: 10000.01 USD, remaining: 10000.00 USD');
    const same = await reviewer1('approvals', 'edit', approval.id, '--amount', '120', '--json');
    expect([same.code, same.problem.code]).toEqual([1, 'edit_changes_nothing']);
    const other = await reviewer1(
      'approvals',
      'edit',
      approval.id,
      '--amount',
      '80',
      '--currency',
      'EUR',
      '--json',
    );
    expect([other.code, other.problem.code]).toEqual([1, 'currency_mismatch']);
    const empty = await reviewer1('approvals', 'edit', approval.id, '--json');
    expect([empty.code, empty.problem.detail]).toEqual([2, expect.stringContaining('--amount')]);

    const lowered = await reviewer1('approvals', 'edit', approval.id, '--amount', '80.00', '--json');
    expect(lowered.json).toMatchObject({
      revision: 2,
      arguments: { amount: { value: '80.00', currency: 'USD' }, reason: 'damaged' },
    });
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paid(approval.target)).toEqual([8_000]);
  });

  test('R31: reject ends it, and nothing is at the provider', async () => {
    const approval = await open('120.00');
    const rejected = await reviewer1(
      'approvals',
      'reject',
      approval.id,
      '--comment',
      'opened by the customer',
    );
    expect([rejected.code, rejected.stdout]).toEqual([0, expect.stringContaining('is rejected')]);
    await stack.as('service').untilPhase(approval.runId, 'rejected');
    const late = await reviewer2('approvals', 'approve', approval.id, '--json');
    expect([late.code, late.problem]).toEqual([
      1,
      expect.objectContaining({ code: 'already_decided', decidedBy: 'reviewer1', decision: 'reject' }),
    ]);
    expect(await paid(approval.target)).toEqual([]);
  });

  test('R23: who asked does not approve, and R39: no card number is taken as a comment', async () => {
    const approval = await open('120.00', { onBehalfOf: 'reviewer1' });
    const own = await reviewer1('approvals', 'approve', approval.id, '--json');
    expect([own.code, own.problem.code]).toEqual([1, 'separation_of_duties']);
    const service = await actor(stack, 'service')('approvals', 'approve', approval.id, '--json');
    expect([service.code, service.problem.status]).toEqual([1, 403]);
    const card = await reviewer2(
      'approvals',
      'reject',
      approval.id,
      '--comment',
      '4242424242424242',
      '--json',
    );
    expect([card.code, card.problem.code]).toEqual([1, 'sensitive_text']);
  });

  decidedTogether({ open, paid, reviewer1: (...args) => reviewer1(...args) });
  describe('sign', () => {
    /** As it was printed, with the real command line of Temporal. */
    const runPrinted = (command: string) =>
      promisify(execFile)('sh', ['-c', command.replace(/^temporal/, `"${fromSetup('TEMPORAL_CLI')}"`)], {
        env: { PATH: process.env['PATH'] },
      });
    const sign = (...args: string[]) =>
      runCli(['approvals', 'sign', ...args], {
        COUNTERSIGN_API_URL: stack.apiUrl,
        COUNTERSIGN_TOKEN: testTokens.acme.reviewer1,
        TEMPORAL_ADDRESS: fromSetup('TEMPORAL_ADDRESS'),
        TEMPORAL_NAMESPACE: stack.temporal.namespace,
      });
    const printedCommand = (stderr: string) => /^ {2}(temporal workflow signal .*)$/m.exec(stderr)![1]!;

    test('a signed decision, sent by the plain Temporal command as printed, is the decision', async () => {
      const approval = await open('120.00');
      const signed = await sign(approval.id, '--decision', 'approve');
      expect([signed.code, signed.stdout]).toEqual([0, expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)]);
      expect((await stack.as('reviewer1').approval(approval.id)).status).toBe('open');
      await runPrinted(printedCommand(signed.stderr));
      await stack.as('service').untilPhase(approval.runId, 'completed');
      expect(await stack.as('reviewer1').approval(approval.id)).toMatchObject({
        status: 'approved',
        decidedBy: { actor: 'reviewer1', decision: 'approve' },
      });
      expect(await paid(approval.target)).toEqual([12_000]);
    });

    test('R26: one that was changed on the way changes nothing, and the refusal is on record', async () => {
      const approval = await open('120.00');
      const signed = await sign(approval.id, '--decision', 'approve');
      const jws = signed.stdout.trim();
      const [header, , signature] = jws.split('.');
      const forged = `${header}.${Buffer.from('{"decision":"approve"}').toString('base64url')}.${signature}`;
      await runPrinted(printedCommand(signed.stderr).replace(jws, forged));
      const refusals = async () => {
        const { text } = await stack.as('service').call('GET', `/v1/refunds/${approval.runId}/timeline`);
        const { items } = JSON.parse(text) as { items: { event: string }[] };
        return items.filter(({ event }) => event === 'signal_refused');
      };
      await until(async () => (await refusals()).length > 0);
      expect(await stack.as('reviewer1').approval(approval.id)).toMatchObject({ status: 'open', votes: [] });
      expect(await paid(approval.target)).toEqual([]);
    });

    test('edit and reject can be signed too; an unknown decision is refused', async () => {
      const approval = await open('120.00');
      const edit = await sign(approval.id, '--decision', 'edit', '--amount', '70.00', '--json');
      expect(edit.json).toEqual({
        jws: expect.any(String),
        workflowId: `refund/acme/${approval.runId}`,
        signal: 'approval',
        proposalHash: approval.proposalHash,
      });
      const unknown = await sign(approval.id, '--decision', 'maybe', '--json');
      expect([unknown.code, unknown.problem.code]).toEqual([1, 'invalid_request']);
      const mixed = await sign(approval.id, '--decision', 'reject', '--amount', '70.00', '--json');
      expect([mixed.code, mixed.problem.code]).toEqual([2, 'invalid_request']);
    });
  });

  test('R26: with no worker up a decision is on record, and applied by the next worker', async () => {
    const approval = await open('120.00');
    await stack.killWorkers('SIGKILL');
    const approved = await reviewer1('approvals', 'approve', approval.id, '--json');
    expect([approved.code, approved.json]).toEqual([
      0,
      { status: 'recorded', decisionId: expect.any(String), proposalHash: approval.proposalHash },
    ]);
    const people = await reviewer1('approvals', 'approve', approval.id);
    expect(people.stdout).toContain(`On record as ${approved.json.decisionId}; no worker is up`);
    await stack.startWorker();
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paid(approval.target)).toEqual([12_000]);
  });
});
