import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from 'typescript';
import { addService, askToErase, openPayload, rotate } from '../../docs/examples/administration';
import { handleComplaint } from '../../docs/examples/agentRuns';
import { approve, lower, mostUrgent } from '../../docs/examples/approvals';
import { faultsOf, refundAll, refusedRows } from '../../docs/examples/batches';
import { patientClient, refundOrExplain } from '../../docs/examples/errors';
import { cite, forget, rememberAndRecall, whyNotRemembered } from '../../docs/examples/memory';
import { booksOf, stopFor, whatHeDid, whatIfStricter } from '../../docs/examples/operations';
import { largeRefundsSince, refundAReturn } from '../../docs/examples/refunds';
import { Countersign } from '../../src/client';
import { packageRoot } from '../../src/main/version';
import { seedHandbook } from '../../src/main/seedHandbook';
import { agentScene } from '../agent/agentScene';
import { refundOf } from '../client/clients';
import { FrontDoor } from '../client/frontDoor';
import { until } from '../support/processes';
import { testTokens } from '../support/shared';
import { TestStack } from '../support/stack';

const text = (file: string) => readFileSync(join(packageRoot, file), 'utf8');

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.stop());

const as = (person: keyof typeof testTokens.acme) =>
  new Countersign({ baseUrl: stack.apiUrl, token: testTokens.acme[person] });

describe('the client in the README', () => {
  test('refunds in five lines, as they stand there', async () => {
    const [, snippet = ''] = /```ts\n([\s\S]*?)```/.exec(text('README.md')) ?? [];
    const lines = snippet.split('\n').filter((line) => !line.startsWith('import'));
    const { outputText } = ts.transpileModule(lines.join('\n'), {
      compilerOptions: { target: ts.ScriptTarget.ES2022 },
    });
    const printed: unknown[] = [];
    // The snippet is our own document's; running it is the point.
    // eslint-disable-next-line @typescript-eslint/no-implied-eval
    const run = new Function(
      'Countersign',
      'baseUrl',
      'token',
      'paymentId',
      'returnId',
      'console',
      `return (async () => { ${outputText} })()`,
    ) as (...args: unknown[]) => Promise<void>;
    const paymentId = await stack.provider.charge(4_900);
    await run(Countersign, stack.apiUrl, testTokens.acme.service, paymentId, '17', {
      log: (...words: unknown[]) => printed.push(...words),
    });
    const [refund] = await stack.provider.refunds(paymentId);
    expect(printed).toEqual(['completed', refund?.id]);
    expect(refund?.amount).toBe(4_900);
  });
});

describe('the examples of the client', () => {
  test('there is one of every area, and docs/client.md names each of them', () => {
    const files = readdirSync(join(packageRoot, 'docs', 'examples'));
    const examples = files.map((file) => text(`docs/examples/${file}`)).join('\n');
    const areas = Object.entries(as('service')).flatMap(([name, area]) =>
      typeof area === 'object' && name !== 'transport' ? [name] : [],
    );
    expect(areas.length).toBeGreaterThan(15);
    const [shown, described] = [examples, text('docs/client.md')];
    expect(areas.filter((area) => !shown.includes(`.${area}.`))).toEqual([]);
    expect(areas.filter((area) => !described.includes(`\`${area}\``))).toEqual([]);
    expect(files.filter((file) => !described.includes(`(examples/${file})`))).toEqual([]);
  });

  test('R2, R3: a refund is started, watched to its end and found again; under the same key it stays one', async () => {
    const paymentId = await stack.provider.charge(10_000);
    const done = await refundAReturn(as('service'), paymentId, '18');
    expect(done.happened.at(-1)).toBe('completed');
    expect(await refundAReturn(as('service'), paymentId, '18')).toEqual(done);
    expect((await stack.provider.refunds(paymentId)).map(({ id }) => id)).toEqual([done.refundId]);
    expect(await largeRefundsSince(as('service'), '2026-01-01T00:00:00Z')).toEqual([]);
  });

  test('R21: a reviewer finds what is urgent, approves what he has read, or lowers it; what has changed he reads again', async () => {
    const reviewer = as('reviewer1');
    await stack.opened('60.00');
    const one = (await mostUrgent(reviewer, 'approvers'))!;
    expect(await approve(reviewer, one)).toBe('approved');
    const { approval } = await stack.opened('600.00');
    const read = await reviewer.approvals.show(approval.id);
    expect(await lower(as('reviewer2'), read, '550.00')).toBe('open');
    expect(await approve(reviewer, read)).toBe('read it again: it is revision 2 now');
    expect(await approve(reviewer, await reviewer.approvals.show(approval.id))).toBe('approved');
  });

  test('R14: refusals are told apart by their code; what gets no answer is sent again under the same key', async () => {
    const paymentId = await stack.provider.charge(10_000);
    const asked = (value: string, key: string) =>
      refundOrExplain(as('service'), refundOf(paymentId, value), key);
    expect(await asked('100.01', 'e-1')).toBe('only 10000 cents are left of that payment');
    expect(await asked('10.00', 'e-2')).toMatch(/^run_/);
    expect(await asked('11.00', 'e-2')).toBe('that key was used for another refund');
    expect(await refundOrExplain(as('service'), { ...refundOf('', '1') }, 'e-3')).toMatch('paymentId');
    const door = await FrontDoor.before(stack.apiUrl);
    const busy = { kind: 'answered', status: 429, body: { code: 'rate_limited' } } as const;
    door.next(busy, { kind: 'answer_lost' });
    const patient = patientClient(door.url, testTokens.acme.service);
    expect(await refundOrExplain(patient, refundOf(paymentId, '12.00'), 'e-4')).toMatch(/^run_/);
    expect(door.seen.map(({ headers }) => headers['idempotency-key'])).toEqual(Array(3).fill('e-4'));
    await door.close();
  });

  test('R36: a file of refunds is one run that a person approves as a whole; faults are named by row', async () => {
    const paymentId = await stack.provider.charge(10_000);
    const rows = (amount: string) =>
      `key,paymentId,amount,currency,reason\na,${paymentId},1.00,USD,damaged\nb,${paymentId},${amount},USD,damaged\n`;
    expect(await refusedRows(as('service'), rows('1.001'))).toEqual(['row 2, amount: amount_too_precise']);
    const tried = faultsOf(as('service'), rows('99.01'));
    const all = refundAll(as('service'), rows('2.00'), 'cups');
    await until(async () => {
      const waiting = await mostUrgent(as('reviewer1'), 'approvers');
      return (
        waiting?.runId.startsWith('bat_') === true && (await approve(as('reviewer1'), waiting)) === 'approved'
      );
    });
    expect(await tried).toEqual([expect.stringMatching(/^row 2: exceeds_remaining, /)]);
    const { state, outcomes } = await all;
    expect([state, outcomes]).toEqual(['completed', ['a: completed', 'b: completed']]);
  });

  test('an agent handles a complaint; a customer is remembered, recalled and forgotten, and documents are cited', async () => {
    await seedHandbook(stack.database.url);
    const { conversation } = agentScene(stack);
    const paymentId = await stack.provider.charge(3_000);
    const threadId = await conversation(`My lamp arrived broken. I paid 30.00 USD, ${paymentId}.`, 'cus_7');
    const handled = handleComplaint(as('agent'), threadId, 'cus_7');
    const { memoryId, recalled, context } = await rememberAndRecall(as('service'), 'cus_8');
    expect(recalled).toEqual(['Answer in English.']);
    expect(context.text).toContain('ORDER-42');
    expect(await whyNotRemembered(as('service'), 'cus_8', 'I pay with 4242 4242 4242 4242')).not.toEqual([]);
    expect(await forget(as('service'), memoryId ?? '', 'cus_8')).toBe(1);
    expect(await cite(as('admin'), 'broken goods')).toEqual({
      citation: expect.stringMatching(/^knowledge:broken-goods#1\./),
      quote: expect.stringContaining('90 days'),
    });
    const { status, refundRunId } = await handled;
    expect(status).toBe('completed');
    expect((await as('service').refunds.show(refundRunId ?? '')).paymentId).toBe(paymentId);
  });

  test('operators and administrators do their work', async () => {
    const admin = as('admin');
    const from = new Date(Date.now() - 60_000).toISOString();
    const { charge } = await stack.opened();
    expect(await booksOf(admin, charge)).toEqual({ causes: ['captured', 'reserved'], differences: [] });
    const stopped = await stopFor(admin, 'a drill', async () => (await admin.brake.show()).engaged?.reason);
    expect([stopped, (await admin.brake.show()).engaged]).toEqual(['a drill', null]);
    expect(await whatHeDid(admin, 'admin', from)).toEqual(expect.arrayContaining(['reconciliation_started']));
    expect(await whatIfStricter(admin)).toEqual([expect.stringMatching(/^other currencies: /)]);
    const shop = await addService(admin, 'shop', stack.apiUrl);
    expect(await rotate(shop)).toMatchObject({ id: 'shop', scopes: ['refunds:propose', 'refunds:read'] });
    expect(await askToErase(admin, 'cus_8')).toBe('unconfirmed');
    await expect(openPayload(admin, 'AAAA')).rejects.toMatchObject({ code: 'not_found' });
  });
});
