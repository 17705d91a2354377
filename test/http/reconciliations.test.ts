import type { DifferenceView } from '../../src/application/reconciliationViews';
import { movementSchema } from '../../src/http/payments';
import { differenceSchema, reconciliationSchema } from '../../src/http/reconciliations';
import { TestStack } from '../support/stack';
import { query } from '../support/database';
import {
  behindOurBack,
  differencesOf,
  paid,
  reconciled,
  withoutEvents,
  withoutGrace,
} from '../workflows/reconciling';
import { bytesOf, expectProblem } from './doorFixture';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start({ env: withoutGrace });
  await withoutEvents(stack);
});
afterAll(() => stack.stop());

const as = (...who: Parameters<TestStack['as']>) => stack.as(...who);
const dismiss = (id: string, body: unknown, who: 'lead' | 'reviewer1' | 'admin' = 'lead') =>
  as(who).call('POST', `/v1/reconciliations/differences/${id}/dismiss`, body);

/** Something that only a person can clear. */
async function missingRefund(requester: 'service' | 'lead' = 'service'): Promise<DifferenceView> {
  const charge = await stack.provider.charge(20_000);
  const { body } = await as(requester).startRefund({ paymentId: charge, amount: '10.00' });
  const { runId } = body as { runId: string };
  await as('service').untilPhase(runId, 'completed');
  await behindOurBack(stack, `update effects set provider_id = 're_of_${runId}' where run_id = '${runId}'`);
  await reconciled(stack);
  const found = (await differencesOf(stack, charge)).find(({ kind }) => kind === 'refund_missing');
  if (!found) throw new Error('nothing was found');
  return found;
}

describe('who may do what', () => {
  test.each(['service', 'agent', 'reviewer1'] as const)('%s may not start a reconciliation', async (who) => {
    expectProblem(await as(who).call('POST', '/v1/reconciliations', {}), 403, 'forbidden');
  });

  test.each(['admin', 'lead'] as const)('%s may, and is named by it', async (who) => {
    const started = await as(who).call('POST', '/v1/reconciliations', { windowDays: 3 });
    expect([started.status, started.body]).toEqual([
      202,
      expect.objectContaining({ state: 'queued', requestedBy: who, finishedAt: null }),
    ]);
    const { from, to } = started.body.window as { from: string; to: string };
    expect(Date.parse(to) - Date.parse(from)).toBe(3 * 86_400_000);
  });

  test('a difference is dismissed by the reviewing group, and not by whoever asked for the refund', async () => {
    const { id } = await missingRefund('lead');
    expectProblem(await dismiss(id, { comment: 'seen' }, 'admin'), 403, 'forbidden');
    expectProblem(await dismiss(id, { comment: 'seen' }, 'reviewer1'), 403, 'forbidden');
    expectProblem(await dismiss(id, { comment: 'seen' }), 403, 'separation_of_duties');
    const rows = await query<{ actor: string; event: string; reason: string }>(
      stack.database.adminUrl,
      `select actor, event, reason from audit where run_id = $1 order by seq`,
      [id],
    );
    expect(rows.map(({ actor, reason }) => [actor, reason])).toEqual([
      ['admin', 'forbidden'],
      ['reviewer1', 'forbidden'],
      ['lead', 'separation_of_duties'],
    ]);
  });
});

describe('dismissing', () => {
  test('R37: it is closed with its comment and on record; again it is the same, by others it is refused', async () => {
    const { id, paymentId } = await missingRefund();
    const done = await dismiss(id, { comment: ' booked by hand ' });
    expect([done.status, done.body]).toEqual([
      200,
      expect.objectContaining({ id, status: 'dismissed', dismissedBy: 'lead', comment: 'booked by hand' }),
    ]);
    const again = await dismiss(id, { comment: 'booked by hand' });
    expect([again.status, again.body]).toEqual([200, done.body]);
    expectProblem(await dismiss(id, { comment: 'other' }), 409, 'difference_not_open');
    const rows = await query<{ event: string; text: string }>(
      stack.database.adminUrl,
      `select event, (audit.*)::text as text from audit where run_id = $1 order by seq`,
      [id],
    );
    expect(rows.map(({ event }) => event)).toEqual(['difference_dismissed', 'dismissal_refused']);
    // The audit log carries no free text.
    expect(rows[0]?.text).not.toContain('booked');

    await reconciled(stack);
    const [same] = (await differencesOf(stack, paymentId)).filter((found) => found.id === id);
    expect(same).toMatchObject({ status: 'dismissed', dismissedBy: 'lead' });
    await behindOurBack(stack, `update effects set state = 'pending' where run_id = '${same?.runId}'`);
    await reconciled(stack);
    const [changed] = (await differencesOf(stack, paymentId)).filter((found) => found.id === id);
    expect(changed).toMatchObject({ status: 'open', dismissedBy: null, comment: null });
  });

  test.each<[string, unknown, string]>([
    ['without a comment', {}, 'invalid_request'],
    ['with an empty one', { comment: '  ' }, 'invalid_request'],
    ['with one that is too long', { comment: 'x'.repeat(2_001) }, 'invalid_request'],
    ['with something besides', { comment: 'c', force: true }, 'invalid_request'],
    ['with a card number in it', { comment: 'card 4242 4242 4242 4242' }, 'sensitive_text'],
  ])('R41: %s it is refused, and stays open', async (_what, body, code) => {
    const { id, paymentId } = await missingRefund();
    expectProblem(await dismiss(id, body, 'admin'), 422, code);
    expect((await differencesOf(stack, paymentId)).find((found) => found.id === id)?.status).toBe('open');
  });
});

describe('lists', () => {
  test('page by page the same as at once, each once, and by status', async () => {
    for (let i = 0; i < 3; i += 1) await missingRefund();
    const list = async (filter: string) =>
      (await as('service').call('GET', `/v1/reconciliations${filter}`)).body as {
        items: { id: string; status: string }[];
        nextCursor: string | null;
      };
    for (const kind of ['?', '/differences?', '/differences?status=open&']) {
      const whole = await list(`${kind}limit=200`);
      expect(whole.items.length).toBeGreaterThan(2);
      const schema = kind === '?' ? reconciliationSchema : differenceSchema;
      for (const item of whole.items) expect(schema.strict().parse(item)).toEqual(item);
      const pieces: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page = await list(`${kind}limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
        pieces.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
      }
      expect(pieces).toEqual(whole.items.map(({ id }) => id));
      if (kind.includes('open')) expect(whole.items.every(({ status }) => status === 'open')).toBe(true);
    }
  });

  test.each(['?limit=0', '?cursor=x', '/differences?status=closed', '/differences?limit=201'])(
    'R41: %s is refused',
    async (filter) => {
      expectProblem(await as('service').call('GET', `/v1/reconciliations${filter}`), 422, 'invalid_request');
    },
  );
});

describe("a payment's history", () => {
  test('R6: every movement to the cent, with run, actor, cause and the balances after it; pi_ and ch_ are the same', async () => {
    const charge = await stack.provider.charge(20_000);
    const first = await paid(stack, charge, '12.34');
    const open = await as('service').openApproval({ paymentId: charge, amount: '60.00' });
    await as('reviewer1').decide(open, 'reject');
    await as('service').untilPhase(open.runId, 'rejected');
    await stack.provider.stripe.refunds.create({ charge, amount: 100 });
    await reconciled(stack);

    const path = (id: string) => `/v1/payments/${id}/history`;
    const { body } = await as('service').call('GET', path(charge));
    const items = body.items as Record<string, unknown>[];
    for (const item of items) expect(movementSchema.strict().parse(item)).toEqual(item);
    expect(
      items.map(({ cause, runId, actor, event, refundId }) => [cause, runId, actor, event, refundId]),
    ).toEqual([
      ['captured', null, 'provider', null, null],
      ['reserved', first.runId, 'service', 'requested', null],
      ['refunded', first.runId, 'provider', 'refund_succeeded', first.refundId],
      ['reserved', open.runId, 'service', 'requested', null],
      ['released', open.runId, 'reviewer1', 'rejected', null],
      ['refunded_at_provider', null, 'provider', null, null],
    ]);
    expect(items.map(({ movements }) => movements)).toEqual([
      [
        { account: 'customer', value: '-200.00' },
        { account: 'captured', value: '200.00' },
      ],
      [
        { account: 'captured', value: '-12.34' },
        { account: 'reserved', value: '12.34' },
      ],
      [
        { account: 'reserved', value: '-12.34' },
        { account: 'refunded', value: '12.34' },
      ],
      [
        { account: 'captured', value: '-60.00' },
        { account: 'reserved', value: '60.00' },
      ],
      [
        { account: 'captured', value: '60.00' },
        { account: 'reserved', value: '-60.00' },
      ],
      [
        { account: 'captured', value: '-1.00' },
        { account: 'refunded', value: '1.00' },
      ],
    ]);
    expect(items.at(-1)?.['balances']).toEqual({
      customer: '-200.00',
      captured: '186.66',
      reserved: '0.00',
      unknown: '0.00',
      refunded: '13.34',
      disputed: '0.00',
    });

    const { payment_intent: intent } = await stack.provider.stripe.charges.retrieve(charge);
    expect((await as('service').call('GET', path(intent as string))).text).toBe(
      (await as('service').call('GET', path(charge))).text,
    );
    // From before intents were kept here.
    await behindOurBack(stack, `update payments set intent = null where payment_id = '${charge}'`);
    expect((await as('service').call('GET', path(intent as string))).body).toEqual(body);

    const pieces: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await as('service').call('GET', `${path(charge)}?limit=4${cursor && `&cursor=${cursor}`}`);
      pieces.push(...(page.body.items as unknown[]));
      cursor = page.body.nextCursor as string | null;
    }
    expect(pieces).toEqual(items);
  });
});

describe("R38: another tenant's is an unknown one, to the byte", () => {
  test('reconciliations, differences and payments', async () => {
    const difference = await missingRefund();
    const { id } = await reconciled(stack);
    const charge = await stack.provider.stripe.charges.retrieve(difference.paymentId);
    const intent = charge.payment_intent as string;
    const globex = as('lead', 'globex');
    for (const [method, foreign, unknown, body] of [
      ['GET', `/v1/reconciliations/${id}`, '/v1/reconciliations/rec_0', undefined],
      [
        'GET',
        `/v1/reconciliations/differences/${difference.id}`,
        '/v1/reconciliations/differences/dif_0',
        undefined,
      ],
      [
        'POST',
        `/v1/reconciliations/differences/${difference.id}/dismiss`,
        '/v1/reconciliations/differences/dif_0/dismiss',
        { comment: 'mine' },
      ],
      ['GET', `/v1/payments/${charge.id}/history`, '/v1/payments/ch_0/history', undefined],
      ['GET', `/v1/payments/${intent}/history`, '/v1/payments/pi_0/history', undefined],
    ] as const) {
      const answers = await Promise.all([
        globex.call(method, foreign, body),
        globex.call(method, unknown, body),
      ]);
      expectProblem(answers[0], 404, 'not_found');
      expect(bytesOf(answers[0])).toBe(bytesOf(answers[1]));
    }
  });
});
