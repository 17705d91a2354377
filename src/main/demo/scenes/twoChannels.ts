import { paid } from '../providerBooks';
import type { ApprovalView } from '../../../application/views';
import { refundWorkflowId } from '../../../domain/contract';
import type { Scene, Stage } from '../stage';

/** One refund, approved by two people over two channels. */
export const twoChannels: Scene = {
  title: 'Approved twice, from the terminal and from the inbox',
  async play(stage) {
    const { provider, checks } = stage;
    const charge = await provider.charge(360_00);
    const approval = await stage.proposeAndWait(charge, '120.00');
    await forgedSignal(stage, approval);

    const signed = await stage.reviewer2.post<{ jws: string; workflowId: string }>(
      `/v1/approvals/${approval.id}/signatures`,
      { decision: 'approve', proposalHash: approval.proposalHash },
    );
    stage.say(
      `Reviewer 2 signs: temporal workflow signal --name approval --input '"${signed.body.jws.slice(0, 24)}…"'`,
    );
    const sent = await stage.temporal.signalByCli(signed.body.workflowId, signed.body.jws);
    stage.say('Reviewer 1 clicks Approve a blink later.');
    const clicked = await stage.decide(stage.reviewer1, approval, 'approve');
    checks.equal('the plain Temporal CLI can deliver a signed decision', sent.failure, '');
    checks.equal('approved twice, it completes', await stage.untilDone(approval.runId), 'completed');
    const { decidedBy } = await stage.approvalOf(approval.runId);
    checks.equal(
      'the first approval counts, the second is told so',
      { decidedBy: decidedBy?.actor, second: [clicked.status, clicked.body.code] },
      { decidedBy: 'reviewer2', second: [409, 'already_decided'] },
    );
    checks.equal('approved twice, paid once', await provider.refundsOf(charge), [paid(120_00)]);
    checks.equal('and the provider saw one key', (await provider.refundCalls(charge)).keys, 1);
  },
};

async function forgedSignal(stage: Stage, approval: ApprovalView): Promise<void> {
  const workflowId = refundWorkflowId('acme', approval.runId);
  stage.say('Somebody with access to Temporal sends a signal that says "approve". Nobody signed it.');
  await stage.temporal.signalByCli(workflowId, 'approve');
  const trail = await stage.service.follow(approval.runId, 'signal_refused');
  const { status, votes, revision } = await stage.approvalOf(approval.runId);
  stage.checks.equal(
    'an unsigned signal is refused, on record, and changes nothing',
    { reason: trail.at(-1)?.reason, status, votes, revision },
    { reason: 'signature_invalid', status: 'open', votes: [], revision: 1 },
  );
}
