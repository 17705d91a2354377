import { METADATA_ENCODING_KEY as encoding, type Payload } from '@temporalio/common';
import { generateKeyPair, exportJWK } from 'jose';
import { signDecision } from '../../src/adapters/signatures/decisionJws';
import type { DecisionEnvelope } from '../../src/domain/approval/decision';
import { refundWorkflowId } from '../../src/domain/contract';
import { parseSigningKey } from '../../src/main/signingKey';
import type { ApprovalView } from '../../src/application/views';
import { query } from '../support/database';
import { until } from '../support/processes';
import { signingKey } from '../support/shared';
import { TestStack } from '../support/stack';
import { auditOf, eventsOf, historyOf, openWork, paidOut, refundCalls } from './evidence';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('decisions that come as signals', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(() => stack.stop());

  const opened = (amount?: string) => stack.opened(amount);

  const signal = (runId: string, payload: unknown) =>
    stack.temporal.handle('acme', runId).signal('approval', payload);

  /** Bytes as they are, past every converter. */
  const signalBytes = (runId: string, payload: Payload | null) =>
    stack.temporal.connection.workflowService.signalWorkflowExecution({
      namespace: stack.temporal.namespace,
      workflowExecution: { workflowId: refundWorkflowId('acme', runId) },
      signalName: 'approval',
      input: { payloads: payload ? [payload] : [] },
    });

  const envelope = (approval: ApprovalView, more: Partial<DecisionEnvelope> = {}): DecisionEnvelope => ({
    tenant: 'acme',
    runId: approval.runId,
    approvalId: approval.id,
    decisionId: 'signed-1',
    decision: 'approve',
    proposalHash: approval.proposalHash,
    actor: 'reviewer1',
    receivedAt: Date.now(),
    ...more,
  });

  async function refusedSignals(runId: string): Promise<(string | null)[]> {
    return (await auditOf(stack, runId))
      .filter((line) => line.event === 'signal_refused')
      .map((line) => line.reason);
  }

  async function noTaskFailed(runId: string): Promise<void> {
    const failed = (await historyOf(stack, runId)).filter((e) => e.workflowTaskFailedEventAttributes);
    expect(failed).toEqual([]);
  }

  /** The approval is as it was, and still can be decided. */
  async function unchangedAndAlive({ charge, approval }: { charge: string; approval: ApprovalView }) {
    expect(await stack.as('service').approval(approval.id)).toEqual(approval);
    expect(await refundCalls(stack, charge)).toEqual([]);
    const decided = await stack.as('reviewer2').decide(approval, 'approve');
    expect(decided.status).toBe(200);
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[12_000, 'succeeded']]);
    await noTaskFailed(approval.runId);
  }

  test.each<[string, Payload | null]>([
    ['undecodable JSON', { metadata: { [encoding]: bytes('json/plain') }, data: bytes('{"approve": tr') }],
    [
      'JSON of broken UTF-8',
      { metadata: { [encoding]: bytes('json/plain') }, data: Uint8Array.of(0xff, 0xfe) },
    ],
    ['an unknown encoding', { metadata: { [encoding]: bytes('binary/mystery') }, data: bytes('approve') }],
    ['no metadata at all', { data: bytes('approve') }],
    ['empty bytes', { metadata: { [encoding]: bytes('json/plain') }, data: new Uint8Array() }],
    ['no payload', null],
  ])('R26: a signal of %s never stalls the run and is recorded as refused', async (_what, payload) => {
    const run = await opened();
    await signalBytes(run.approval.runId, payload);
    await until(async () => (await refusedSignals(run.approval.runId)).length > 0);
    expect(await refusedSignals(run.approval.runId)).toEqual(['signature_invalid']);
    await unchangedAndAlive(run);
  });

  test('R26: unsigned decisions, rubbish and deep or long values change nothing and are recorded as refused', async () => {
    const run = await opened();
    const { runId, id, proposalHash } = run.approval;
    const rubbish: unknown[] = [
      'approve',
      '',
      42,
      null,
      true,
      [],
      ['approve'],
      { approve: true },
      { jws: 7 },
      { jws: '' },
      { jws: 'a.b.c' },
      { jws: 'x'.repeat(9_000) },
      { decision: 'approve', approvalId: id, proposalHash, actor: 'reviewer1' },
      // What the API says inside, sent by somebody else: no such decision is on record.
      { kind: 'recorded', approvalId: id, decisionId: 'invented', decision: 'approve', proposalHash },
    ];
    for (const payload of rubbish) await signal(runId, payload);
    await until(async () => (await openWork(stack, runId)).workflowTask === false);
    await until(async () => (await refusedSignals(runId)).length >= 3);
    expect(new Set(await refusedSignals(runId))).toEqual(new Set(['signature_invalid']));
    await unchangedAndAlive(run);
  });

  test('R26: an update that cannot be decoded or names no recorded decision is refused and changes nothing', async () => {
    const run = await opened();
    const { runId, id, proposalHash } = run.approval;
    const handle = stack.temporal.handle('acme', runId);
    await expect(handle.executeUpdate('decide', { args: ['rubbish'] })).rejects.toMatchObject({
      cause: { type: 'invalid_request' },
    });
    const invented = {
      kind: 'recorded',
      approvalId: id,
      decisionId: 'made-up',
      decision: 'approve',
      proposalHash,
    };
    const answer = await handle.executeUpdate('decide', { args: [invented] });
    expect(answer).toMatchObject({ accepted: false, code: 'signature_invalid' });
    await unchangedAndAlive(run);
  });

  test('R26: a decision signed by a registered channel key counts like any other, sent twice once', async () => {
    const { charge, approval } = await opened();
    const signed = await stack.as('reviewer1').call('POST', `/v1/approvals/${approval.id}/signatures`, {
      decision: 'approve',
      proposalHash: approval.proposalHash,
    });
    expect(signed.body).toMatchObject({ signal: 'approval', workflowId: `refund/acme/${approval.runId}` });
    expect((await stack.as('service').approval(approval.id)).votes).toEqual([]);
    await signal(approval.runId, { jws: signed.body.jws });
    await signal(approval.runId, signed.body.jws);
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect((await stack.as('service').approval(approval.id)).votes).toMatchObject([{ actor: 'reviewer1' }]);
    expect(await paidOut(stack, charge)).toEqual([[12_000, 'succeeded']]);
  });

  test('R24: the same person by the API and by a signed signal is one vote', async () => {
    const { charge, approval } = await opened('800.00');
    await stack.as('reviewer1').decide(approval, 'approve');
    await signal(approval.runId, {
      jws: await signDecision(envelope(approval), await parseSigningKey(signingKey)),
    });
    await until(async () => (await eventsOf(stack, approval.runId)).includes('decision_refused'));
    expect(await stack.as('service').approval(approval.id)).toMatchObject({
      status: 'open',
      votes: [{ actor: 'reviewer1' }],
    });
    expect(await refundCalls(stack, charge)).toEqual([]);
  });

  test('R29: a signature by an unregistered, a revoked or another tenant’s key is refused', async () => {
    const run = await opened();
    const keyOf = async (kid: string) => {
      const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
      return { privateJwk: { ...(await exportJWK(privateKey)), kid }, publicJwk: await exportJWK(publicKey) };
    };
    const register = (kid: string, jwk: unknown, tenant: string | null, revoked: boolean) =>
      query(
        stack.database.ownerUrl,
        `insert into channel_keys (kid, tenant, public_jwk, revoked_at, confirmed_by) values ($1, $2, $3, $4, 'owner')`,
        [kid, tenant, JSON.stringify(jwk), revoked ? new Date() : null],
      );
    const stranger = await keyOf('stranger');
    const revoked = await keyOf('revoked');
    const foreign = await keyOf('foreign');
    await register('revoked', revoked.publicJwk, null, true);
    await register('foreign', foreign.publicJwk, 'globex', false);
    for (const { privateJwk } of [stranger, revoked, foreign]) {
      await signal(run.approval.runId, { jws: await signDecision(envelope(run.approval), privateJwk) });
    }
    // Under the kid of a registered key, but not by it.
    const { kid } = await parseSigningKey(signingKey);
    const forged = { ...stranger.privateJwk, kid: kid ?? '' };
    await signal(run.approval.runId, { jws: await signDecision(envelope(run.approval), forged) });
    await until(async () => (await refusedSignals(run.approval.runId)).length === 4);
    await unchangedAndAlive(run);
  });

  test('R21: a decision signed for another run, another revision or by somebody without the right is refused', async () => {
    const run = await opened();
    const other = await opened();
    const key = await parseSigningKey(signingKey);
    const { runId } = run.approval;
    await signal(runId, { jws: await signDecision(envelope(other.approval), key) });
    await until(async () => (await refusedSignals(runId)).length === 1);

    const wrong = [
      envelope(run.approval, { decisionId: 's-stale', proposalHash: '0'.repeat(64) }),
      envelope(run.approval, { decisionId: 's-requester', actor: 'service' }),
      envelope(run.approval, { decisionId: 's-admin', actor: 'admin' }),
      envelope(run.approval, { decisionId: 's-nobody', actor: 'nobody' }),
    ];
    for (const decision of wrong) await signal(runId, { jws: await signDecision(decision, key) });
    const refused = async () =>
      (await auditOf(stack, runId)).filter((line) => line.event === 'decision_refused');
    await until(async () => (await refused()).length === wrong.length);
    expect((await refused()).map((line) => [line.actor, line.reason])).toEqual([
      ['reviewer1', 'decision_stale'],
      ['service', 'forbidden'],
      ['admin', 'forbidden'],
      ['nobody', 'forbidden'],
    ]);
    await unchangedAndAlive(run);
  });
});
