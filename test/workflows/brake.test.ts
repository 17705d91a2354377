import type { BrakeState } from '../../src/client';
import { actor } from '../cli/actors';
import { query } from '../support/database';
import { until } from '../support/processes';
import { TestStack } from '../support/stack';

describe('the kill switch', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(() => stack.stop());

  const move = (engaged: boolean, reason: string, who: 'admin' | 'lead' = 'admin') =>
    stack.as(who).call('POST', '/v1/brake', { engaged, reason });
  const creates = async (charge: string) => (await stack.provider.refunds(charge)).length;

  test('R55: pulled, nothing is sent to the provider; decisions count, and the release pays without loss', async () => {
    const charge = await stack.provider.charge(20_000);
    const approval = await stack.as('service').openApproval({ paymentId: charge, amount: '120.00' });
    expect((await move(true, 'duplicate refunds reported')).body.engaged).toMatchObject({
      scope: 'acme',
      actor: 'admin',
      reason: 'duplicate refunds reported',
    });

    const held = { scope: 'acme', actor: 'admin', reason: 'duplicate refunds reported' };
    expect(await stack.as('reviewer1').approval(approval.id)).toMatchObject({ brake: held });
    const shownTo = actor(stack, 'reviewer1');
    expect((await shownTo('approvals', 'show', approval.id)).stdout).toMatch(
      /brake +PULLED by admin.*duplicate/,
    );

    expect((await stack.as('reviewer1').decide(approval, 'approve')).body.status).toBe('approved');
    await stack.as('service').untilPhase(approval.runId, 'executing');
    const description = async () => {
      const { raw } = await stack.temporal.handle('acme', approval.runId).describe();
      return raw.pendingActivities?.[0];
    };
    await until(
      async () => (await description())?.lastFailure?.applicationFailureInfo?.type === 'brake_engaged',
    );
    expect(await creates(charge)).toBe(0);
    const shown = (await stack.as('service').call('GET', `/v1/refunds/${approval.runId}`)).body;
    expect(shown).toMatchObject({ phase: 'executing', brake: held });
    expect((await shownTo('refund', 'show', approval.runId)).stdout).toMatch(/brake +PULLED by admin/);
    const sent = await query(stack.database.adminUrl, 'select from effects where run_id = $1', [
      approval.runId,
    ]);
    expect(sent).toEqual([]);

    await move(false, 'checked, no duplicates');
    const paid = await stack.as('service').untilPhase(approval.runId, 'completed', 30_000);
    expect([await creates(charge), paid.brake]).toEqual([1, null]);
  });

  test('R55: who pulled and released it, and why, is kept and shown; only an administrator moves it', async () => {
    const refused = await move(true, 'I would rather not', 'lead');
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
    const { body } = await stack.as('reviewer1').call('GET', '/v1/brake');
    expect(body.engaged).toBeNull();
    const { history } = body as BrakeState;
    expect(history.map((move) => [move.engaged, move.actor, move.reason])).toEqual([
      [false, 'admin', 'checked, no duplicates'],
      [true, 'admin', 'duplicate refunds reported'],
    ]);
    await expect(query(stack.database.adminUrl, 'delete from brakes')).rejects.toThrow('append-only');
  });

  test('R55: the command line pulls, shows and releases it', async () => {
    const reviewer = actor(stack, 'reviewer1');
    const admin = actor(stack, 'admin');
    expect((await admin('brake', 'pull', '--reason', 'from the terminal')).code).toBe(0);
    expect((await reviewer('brake', 'show')).stdout).toMatch(/PULLED for acme by admin.*from the terminal/);
    expect((await reviewer('brake', 'release', '--reason', 'no')).code).toBe(1);
    expect((await admin('brake', 'release', '--reason', 'fine again', '--json')).json['engaged']).toBeNull();
    expect((await reviewer('brake', 'show')).stdout).toMatch(/Released.*[\s\S]*from the terminal/);
  });

  test('R55: one tenant’s switch leaves the others alone; the one for all holds everybody', async () => {
    await move(true, 'acme only');
    const charge = await stack.provider.charge(2_000);
    const other = await stack.as('service', 'globex').startRefund({ paymentId: charge, amount: '10.00' });
    await stack.as('service', 'globex').untilPhase(other.body.runId, 'completed');
    await move(false, 'over');

    const all = `insert into brakes (scope, engaged, reason, actor) values ('*', $1, 'provider incident', 'operations')`;
    await query(stack.database.ownerUrl, all, [true]);
    const held = await stack
      .as('service', 'globex')
      .startRefund({ paymentId: charge, amount: '10.00', reason: 'goodwill' });
    await stack.as('service', 'globex').untilPhase(held.body.runId, 'executing');
    expect((await stack.as('lead', 'globex').call('GET', '/v1/brake')).body.engaged).toMatchObject({
      scope: '*',
    });
    expect(await creates(charge)).toBe(1);
    await query(stack.database.ownerUrl, all, [false]);
    await stack.as('service', 'globex').untilPhase(held.body.runId, 'completed', 30_000);
  });
});
