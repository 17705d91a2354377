import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fromSetup, testTokens } from '../support/shared';
import { until } from '../support/processes';
import { TestStack } from '../support/stack';
import { actor } from './actors';
import { runCli } from './runCli';

describe('countersign approvals, besides voting', () => {
  let stack: TestStack;
  let reviewer1: ReturnType<typeof actor>;
  let reviewer2: ReturnType<typeof actor>;
  let service: ReturnType<typeof actor>;
  beforeAll(async () => {
    stack = await TestStack.start();
    reviewer1 = actor(stack, 'reviewer1');
    reviewer2 = actor(stack, 'reviewer2');
    service = actor(stack, 'service');
  });
  afterAll(() => stack.stop());

  const open = async (amount: string, more: Record<string, unknown> = {}) => {
    const charge = await stack.provider.charge(1_000_000);
    return stack.as('service').openApproval({ paymentId: charge, amount, ...more });
  };

  test('R25: a question and its answer, as whoever asks, whoever answers and whoever reads sees them', async () => {
    const { id } = await open('120.00', { evidence: ['photo of the box'] });
    const asked = await reviewer1('approvals', 'request-info', id, '--comment', 'which parcel?');
    expect([asked.code, asked.stdout]).toEqual([0, 'Asked; the answer comes back to you; 0 of 1 votes\n']);
    expect(asked.stderr).toContain('photo of the box');
    const waiting = await reviewer2('approvals', 'show', id);
    expect(waiting.stdout).toMatch(
      /request info +reviewer1: which parcel\? \(waits for an answer, dec_\w+\)/,
    );
    const again = await reviewer1('approvals', 'request-info', id, '--comment', 'or which?', '--json');
    expect([again.code, again.problem.code]).toEqual([1, 'info_already_requested']);
    const question = String(again.problem['questionId']);
    const answered = await service(
      ...['approvals', 'answer-info', id, '--question', question, '--comment', 'the second', '--json'],
    );
    expect(answered.json).toMatchObject({
      infoRequests: [{ id: question, open: false, answer: { by: 'service', text: 'the second' } }],
    });
    const shown = await reviewer2('approvals', 'show', id);
    expect(shown.stdout).toMatch(/answer info +service: the second\n/);
    expect(shown.stdout).not.toContain('waits for an answer');
  });

  test('R25: claim and release, and what others are told meanwhile', async () => {
    const { id } = await open('120.00');
    const claimed = await reviewer1('approvals', 'claim', id);
    expect([claimed.code, claimed.stdout]).toEqual([
      0,
      expect.stringMatching(/^Yours until .+; 0 of 1 votes\n$/),
    ]);
    expect((await reviewer2('approvals', 'show', id)).stdout).toMatch(/claimed +by reviewer1 until /);
    const refused = await reviewer2('approvals', 'approve', id);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(
      /reviewer1 has claimed this approval until [^\n]+\n +it is over by itself then/,
    );
    expect((await reviewer1('approvals', 'release', id)).stdout).toBe('Released; 0 of 1 votes\n');
    const approved = await reviewer2('approvals', 'approve', id, '--json');
    expect(approved.json).toMatchObject({ status: 'approved', claim: null });
  });

  test('R24: delegate, withdraw and vote', async () => {
    const { id } = await open('800.00');
    const nobody = await reviewer1('approvals', 'delegate', id, '--json');
    expect([nobody.code, nobody.problem.detail]).toEqual([2, expect.stringContaining('--to')]);
    const agent = await reviewer1('approvals', 'delegate', id, '--to', 'agent', '--json');
    expect([agent.code, agent.problem.code]).toEqual([1, 'forbidden']);
    const given = await reviewer1('approvals', 'delegate', id, '--to', 'lead', '--comment', 'on leave');
    expect(given.stdout).toBe('Handed over to lead; 0 of 2 votes\n');
    expect((await reviewer2('approvals', 'show', id)).stdout).toMatch(/handed over +reviewer1 to lead, /);
    const vote = await reviewer1('approvals', 'approve', id);
    expect(vote.stderr).toContain('countersign approvals withdraw');
    expect((await reviewer1('approvals', 'withdraw', id)).stdout).toBe('Taken back; 0 of 2 votes\n');
    expect((await reviewer1('approvals', 'approve', id)).stdout).toBe(
      'Counted: 1 of 2 votes for 800.00 USD\n',
    );
    const back = await reviewer1('approvals', 'withdraw', id, '--json');
    expect(back.json).toMatchObject({ status: 'open', votes: [], delegations: [] });
    const none = await reviewer2('approvals', 'withdraw', id, '--json');
    expect([none.code, none.problem.code]).toEqual([1, 'nothing_to_withdraw']);
  });

  test('R28: escalate, comment, and a rejection that says why in a word', async () => {
    const { id } = await open('120.00');
    const escalated = await reviewer1('approvals', 'escalate', id);
    expect(escalated.stdout).toBe('Asked too: finance-lead; 0 of 1 votes\n');
    const said = await service('approvals', 'comment', id, '--comment', 'the customer called');
    expect(said.stdout).toBe('Said; 0 of 1 votes\n');
    const wrong = await reviewer2('approvals', 'reject', id, '--reason-code', 'mood', '--json');
    expect([wrong.code, wrong.problem.detail]).toEqual([2, expect.stringContaining('suspected_fraud')]);
    await reviewer2('approvals', 'reject', id, '--reason-code', 'suspected_fraud', '--comment', 'third time');
    const shown = await reviewer1('approvals', 'show', id);
    expect(shown.stdout).toMatch(/why +suspected_fraud\n/);
    expect(shown.stdout).toMatch(/comment +service: the customer called\n/);
    expect(shown.stdout).toMatch(/reject +reviewer2: third time\n/);
  });

  test.each([
    ['request-info', [], '--comment'],
    ['answer-info', [], '--comment'],
    ['comment', [], '--comment'],
    ['sign', ['--decision', 'comment'], '--comment'],
    ['sign', ['--decision', 'delegate'], '--to'],
    ['sign', ['--decision', 'approve', '--to', 'lead'], 'a delegation, and nothing else'],
    ['sign', ['--decision', 'approve', '--reason-code', 'other'], 'belongs to reject'],
  ])('%s %j without what it needs is wrong usage', async (command, args, named) => {
    const run = await reviewer1('approvals', command, 'apr_1', ...args, '--json');
    expect([run.code, run.stdout, run.problem.detail]).toEqual([2, '', expect.stringContaining(named)]);
  });

  test('R39: a comment that is refused is nowhere in the answer, and the decision can be sent again without it', async () => {
    const { id } = await open('120.00');
    const card = await reviewer1('approvals', 'comment', id, '--comment', 'card 4242424242424242', '--json');
    expect([card.code, card.problem.code]).toEqual([1, 'sensitive_text']);
    expect(card.stdout + card.stderr).not.toContain('4242');
    expect((await reviewer1('approvals', 'comment', id, '--comment', 'his card')).code).toBe(0);
  });

  test('R26: a question signed with its words, sent by the plain Temporal command', async () => {
    const { id } = await open('120.00');
    const signed = await runCli(
      ['approvals', 'sign', id, '--decision', 'request_info', '--comment', 'which parcel?'],
      {
        COUNTERSIGN_API_URL: stack.apiUrl,
        COUNTERSIGN_TOKEN: testTokens.acme.reviewer1,
        TEMPORAL_ADDRESS: fromSetup('TEMPORAL_ADDRESS'),
        TEMPORAL_NAMESPACE: stack.temporal.namespace,
      },
    );
    const [, command = ''] = /^ {2}(temporal workflow signal .*)$/m.exec(signed.stderr) ?? [];
    expect(command).not.toContain('parcel');
    await promisify(execFile)('sh', ['-c', command.replace(/^temporal/, `"${fromSetup('TEMPORAL_CLI')}"`)], {
      env: { PATH: process.env['PATH'] },
    });
    await until(async () => (await stack.as('service').approval(id)).infoRequests.length === 1);
    expect((await stack.as('service').approval(id)).infoRequests).toMatchObject([
      { by: 'reviewer1', question: 'which parcel?', open: true },
    ]);
  });
});
