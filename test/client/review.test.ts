import { Countersign } from '../../src/client';
import { Scene } from '../money/scene';
import { testTokens } from '../support/shared';
import { paidOut } from '../workflows/evidence';
import { refused } from './clients';

describe('the client settles a review', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open();
  });
  afterAll(() => scene.stop());
  const client = (person: 'lead' | 'agent') =>
    new Countersign({ baseUrl: scene.stack.apiUrl, token: testTokens.acme[person] });

  test('R15: resolved as paid by a refund of the provider; what contradicts it, and who may not, is refused with its code', async () => {
    const charge = await scene.charge();
    const { runId } = await scene.unknownBeyondTheWindow(charge, '12.00');
    const { refunds } = client('lead');
    expect((await refunds.show(runId)).review).toMatchObject({ code: 'provider_key_reused', round: 1 });
    const byAgent = await refused(client('agent').refunds.review(runId, { action: 'retry' }));
    expect([byAgent.status, byAgent.code]).toEqual([403, 'forbidden']);

    const other = await scene.stack.provider.stripe.refunds.create({ charge, amount: 1_199 });
    const wrong = await refused(refunds.review(runId, { action: 'resolve_paid', refundId: other.id }));
    expect([wrong.status, wrong.code]).toEqual([409, 'review_contradicted']);
    const right = await scene.stack.provider.stripe.refunds.create({ charge, amount: 1_200 });
    const order = { action: 'resolve_paid', refundId: right.id, comment: 'made by hand' } as const;
    expect((await refunds.review(runId, order)).status).toBe('applied');
    await scene.service.untilPhase(runId, 'completed');
    expect((await refunds.show(runId)).result?.refundId).toBe(right.id);
    expect(await paidOut(scene.stack, charge)).toHaveLength(2);
  });
});
