import { randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { signDecision } from '../../src/adapters/signatures/decisionJws';
import type { ApprovalView } from '../../src/application/views';
import { secondAdministrator } from '../http/adminFixture';
import { expectProblem } from '../http/doorFixture';
import { query } from '../support/database';
import { until } from '../support/processes';
import { TestStack } from '../support/stack';
import { auditOf, eventsOf, paidOut, refundCalls } from './evidence';

describe('channels that sign decisions', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(() => stack.stop());

  const opened = (amount: string) => stack.opened(amount, 200_000);

  async function newKey(): Promise<{ privateJwk: JWK; publicKey: object }> {
    const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
    const jwk = await exportJWK(privateKey);
    const { kty, crv, x } = jwk;
    return { privateJwk: { ...jwk, kid: await calculateJwkThumbprint(jwk) }, publicKey: { kty, crv, x } };
  }

  const doors = '/v1/admin/channel-keys';

  async function registered(channel = 'desk'): Promise<JWK & { kid: string }> {
    const { privateJwk, publicKey } = await newKey();
    const made = await stack.as('admin').call('POST', doors, { channel, publicKey });
    expect([made.status, made.body.state, made.body.kid]).toEqual([201, 'unconfirmed', privateJwk.kid]);
    return privateJwk as JWK & { kid: string };
  }

  async function confirmed(): Promise<JWK & { kid: string }> {
    const key = await registered();
    const second = await secondAdministrator(stack);
    expect((await second.as.call('POST', `${doors}/${key.kid}/confirm`)).body.state).toBe('active');
    return key;
  }

  async function signal(
    { runId, id, proposalHash }: ApprovalView,
    actor: string,
    key: JWK,
    receivedAt = Date.now(),
    tenant = 'acme',
  ): Promise<void> {
    const decision = 'approve' as const;
    const envelope = {
      tenant,
      runId,
      approvalId: id,
      decisionId: randomUUID(),
      decision,
      proposalHash,
      actor,
    };
    const jws = await signDecision({ ...envelope, receivedAt }, key);
    await stack.temporal.handle('acme', runId).signal('approval', jws);
  }

  const refusedSignals = async (runId: string) =>
    (await auditOf(stack, runId)).filter((line) => line.event === 'signal_refused').length;
  const refusedAt = (runId: string, count: number) =>
    until(async () => (await refusedSignals(runId)) === count);

  test('R29: a key counts once another administrator has confirmed it, and not a moment before', async () => {
    const { charge, approval } = await opened('120.00');
    const key = await registered();
    await signal(approval, 'reviewer1', key);
    await refusedAt(approval.runId, 1);
    expectProblem(
      await stack.as('admin').call('POST', `${doors}/${key.kid}/confirm`),
      403,
      'separation_of_duties',
    );
    await signal(approval, 'reviewer1', key);
    await refusedAt(approval.runId, 2);
    expect(await refundCalls(stack, charge)).toEqual([]);

    const second = await secondAdministrator(stack);
    await second.as.call('POST', `${doors}/${key.kid}/confirm`);
    await signal(approval, 'reviewer1', key);
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[12_000, 'succeeded']]);
  });

  test("R38: a key of one tenant signs nothing of another's, whatever it claims", async () => {
    const { charge, approval } = await opened('120.00');
    const { privateJwk, publicKey } = await newKey();
    const globex = stack.as('admin', 'globex');
    await globex.call('POST', doors, { channel: 'desk', publicKey });
    await query(stack.database.adminUrl, `update channel_keys set confirmed_by = 'lead' where kid = $1`, [
      privateJwk.kid,
    ]);
    await signal(approval, 'reviewer1', privateJwk);
    await signal(approval, 'reviewer1', privateJwk, Date.now(), 'globex');
    await refusedAt(approval.runId, 2);
    expect(await refundCalls(stack, charge)).toEqual([]);
    expectProblem(await stack.as('admin').call('GET', `${doors}/${privateJwk.kid ?? ''}`), 404, 'not_found');
  });

  test('R29: what a revoked key signs is refused and recorded', async () => {
    const { approval } = await opened('120.00');
    const key = await confirmed();
    const revoked = await stack
      .as('admin')
      .call('POST', `${doors}/${key.kid}/revoke`, { reason: 'host compromised' });
    expect(revoked.body.state).toBe('revoked');
    await signal(approval, 'reviewer1', key);
    await refusedAt(approval.runId, 1);
    expect((await stack.as('service').approval(approval.id)).votes).toEqual([]);
  });

  test('R23: a vote that a key brought counts no more once the key is revoked, and the run waits for another', async () => {
    const { charge, approval } = await opened('800.00');
    const key = await confirmed();
    await signal(approval, 'reviewer1', key);
    await until(async () => (await stack.as('service').approval(approval.id)).votes.length === 1);
    await stack.as('admin').call('POST', `${doors}/${key.kid}/revoke`, { reason: 'host compromised' });
    await stack.as('reviewer2').decide(approval, 'approve');
    await until(async () => (await eventsOf(stack, approval.runId)).includes('authorization_wait_again'));
    await stack.as('service').untilPhase(approval.runId, 'waiting_approval');
    expect(await stack.as('service').approval(approval.id)).toMatchObject({
      votes: [{ actor: 'reviewer2' }],
    });
    expect(await refundCalls(stack, charge)).toEqual([]);
    await stack.as('lead').decide(approval, 'approve');
    await stack.as('service').untilPhase(approval.runId, 'completed');
  });

  test('a rotated key goes on for its overlap; what it signs after that is refused, what it signed before is not lost', async () => {
    const old = await confirmed();
    const next = await newKey();
    const rotated = await stack
      .as('admin')
      .call('POST', `${doors}/${old.kid}/rotate`, { publicKey: next.publicKey, overlapHours: 1 });
    expect([rotated.status, rotated.body]).toEqual([
      201,
      expect.objectContaining({ channel: 'desk', state: 'unconfirmed' }),
    ]);
    const second = await secondAdministrator(stack);
    await second.as.call('POST', `${doors}/${rotated.body.kid as string}/confirm`);

    const within = await opened('120.00');
    await signal(within.approval, 'reviewer1', old);
    await stack.as('service').untilPhase(within.approval.runId, 'completed');
    await query(stack.database.adminUrl, `update channel_keys set expires_at = now() where kid = $1`, [
      old.kid,
    ]);
    const { approval } = await opened('120.00');
    await signal(approval, 'reviewer1', old);
    await refusedAt(approval.runId, 1);
    await signal(approval, 'reviewer1', old, Date.now() - 60_000);
    await stack.as('service').untilPhase(approval.runId, 'completed');
    const by = await opened('120.00');
    await signal(by.approval, 'reviewer1', next.privateJwk);
    await stack.as('service').untilPhase(by.approval.runId, 'completed');
  });

  test('R29: a person deactivated after his vote has no vote when the refund is about to be paid', async () => {
    const { charge, approval } = await opened('800.00');
    await stack.as('reviewer1').decide(approval, 'approve');
    const { version } = (await stack.as('admin').call('GET', '/v1/admin/people/reviewer1')).body as {
      version: number;
    };
    const change = (from: number, active: boolean) =>
      stack.as('admin').call('PATCH', '/v1/admin/people/reviewer1', { version: from, active });
    await change(version, false);
    expectProblem(await stack.as('reviewer1').decide(approval, 'reject'), 401, 'unauthenticated');
    await stack.as('reviewer2').decide(approval, 'approve');
    await until(async () => (await eventsOf(stack, approval.runId)).includes('authorization_wait_again'));
    expect(await refundCalls(stack, charge)).toEqual([]);
    await change(version + 1, true);
  });

  test.each([
    ['a private key', { publicKey: { kty: 'OKP', crv: 'Ed25519', x: 'a'.repeat(43), d: 'b' } }],
    ['another curve', { publicKey: { kty: 'OKP', crv: 'X25519', x: 'a'.repeat(43) } }],
    ['a key that is too short', { publicKey: { kty: 'OKP', crv: 'Ed25519', x: 'a' } }],
    ['no channel', { channel: undefined }],
  ])('R41: %s is not registered', async (_what, wrong) => {
    const { publicKey } = await newKey();
    const refused = await stack.as('admin').call('POST', doors, { channel: 'desk', publicKey, ...wrong });
    expectProblem(refused, 422, 'invalid_request');
  });
});
