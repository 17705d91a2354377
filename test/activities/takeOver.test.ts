import { refundWorkflowId } from '../../src/domain/contract';
import { ActivityFixture } from './activityFixture';

describe('takeOver: an execution that goes on from a long one', () => {
  let stand: ActivityFixture;
  beforeAll(async () => {
    stand = await ActivityFixture.open();
  });
  afterAll(() => stand.close());

  const next = 'execution-2';

  async function votedOn() {
    const { approval, input } = await stand.published(60_000);
    const message = await stand.recorded(stand.envelope(approval, 'reviewer1', 'approve'));
    const { approval: voted } = await stand.run('applyDecision', stand.toApply(approval, message));
    const { tenant, runId } = input;
    const workflowId = refundWorkflowId(tenant, runId);
    return { voted, message, toTakeOver: { tenant, runId, workflowId, from: stand.epoch, epoch: next } };
  }

  test('R35, R36: votes and decision ids go along; executed twice, it is on record once', async () => {
    const { voted, message, toTakeOver } = await votedOn();
    const taken = await stand.twice('takeOver', toTakeOver);
    expect(taken).toEqual({ approval: voted, round: 1, by: next });
    // The same decision once more, in the new execution: the answer that it had.
    const again = { ...stand.toApply(voted, message), epoch: next };
    expect(await stand.run('applyDecision', again)).toMatchObject({
      answer: { accepted: true },
      approval: voted,
    });
    expect((await stand.events(toTakeOver.runId)).filter((e) => e === 'continued')).toHaveLength(1);
  });

  test('R27: after a reset of the one that took over, and for one that took over from nobody, votes are void', async () => {
    for (const change of [{ epoch: 'execution-3' }, { from: 'execution-0', epoch: 'execution-4' }]) {
      const { voted, toTakeOver } = await votedOn();
      await stand.run('takeOver', toTakeOver);
      const { approval } = await stand.run('takeOver', { ...toTakeOver, ...change });
      expect(approval).toMatchObject({ votes: [], revision: 2, status: 'open' });
      expect(approval?.proposalHash).not.toBe(voted.proposalHash);
    }
  });

  test('R29: a workflow that was started by hand, or under another id, takes over nothing', async () => {
    const { toTakeOver } = await votedOn();
    const { from: _from, ...byHand } = toTakeOver;
    const before = await stand.everyRow();
    for (const forged of [byHand, { ...toTakeOver, workflowId: `${toTakeOver.workflowId}/2` }]) {
      await expect(stand.run('takeOver', forged)).rejects.toMatchObject({ type: 'not_started_here' });
    }
    expect(await stand.everyRow()).toEqual(before);
  });
});
