import { ApplicationFailure, continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { BatchResult, RefundBatchInput } from '../src/domain/batch/batch';
import { isRefundInput } from '../src/domain/refund/state';
import { BatchNews } from './batchNews';
import { awaitDecision, answerLateDecisions } from './decision';
import { Desk } from './desk';
import { goesOn, goOn } from './longRun';
import { refundOf } from './money';
import { RowWindow } from './rowWindow';
import { durably, patient, quick } from './steps';

type Ending = 'completed' | 'rejected' | 'expired' | 'cancelled';

/** While the last rows wait for people, who may take days; their runs wake the batch before that. */
const longestLookMs = 3_600_000;

/**
 * Thousands of refunds as one run: every row is looked at → what may run is frozen → people decide on the whole, where
 * they are asked to → rows start as runs of their own, so many at a time → every row has an outcome. Where it stands is
 * in the database, row by row, so that no row is done again whatever dies.
 */
export async function refundBatch(input: RefundBatchInput): Promise<BatchResult> {
  if (!isRefundInput(input)) throw ApplicationFailure.nonRetryable('that is no batch', 'invalid_request');
  if (input.continued && !goesOn())
    throw ApplicationFailure.nonRetryable('nothing goes on here', 'not_started_here');
  const desk = new Desk(input);
  const news = new BatchNews((actor) => desk.cancels.signal(actor));
  const rows = new RowWindow(input, news);

  if (input.continued) await goOn(desk);
  const agreed = desk.approval?.status === 'approved' ? 'run' : await agree(desk);
  if (agreed !== 'run') return finish(desk, rows, news, agreed);

  // From here a cancel stops what has not started; the rows that move are past the point where the batch speaks for them.
  desk.close();
  desk.enter('executing', 'its rows');
  while (await rows.fill()) {
    await rows.pause();
    if (rows.isLong) {
      await rows.handOver();
      const { remindedHours, reviews } = desk;
      await continueAsNew<typeof refundBatch>({ ...input, continued: { remindedHours, reviews } });
    }
  }
  await rows.handOver();
  return finish(desk, rows, news, 'completed');
}

/** Until people have agreed, where they are asked: nothing has started. */
async function agree(desk: Desk): Promise<'run' | Ending> {
  const { tenant, runId: batchId } = desk.input;
  if (!desk.approval) {
    while ((await patient.checkBatch({ tenant, batchId })).more);
    desk.opening = true;
    const frozen = await patient.freezeManifest({ tenant, batchId, epoch: desk.epoch, now: Date.now() });
    desk.opening = false;
    if (frozen.kind !== 'ask') return frozen.kind === 'run' ? 'run' : 'completed';
    desk.approval = frozen.approval;
    desk.state = { ...desk.state, action: frozen.approval.action, arguments: frozen.approval.arguments };
    desk.enter('waiting_approval', `a decision. ${frozen.approval.policy.explanation}`);
  }
  for (;;) {
    const decided = await awaitDecision(desk);
    if (decided !== 'approved') return decided;
    await answerLateDecisions(desk);
    const { epoch, votedIn } = desk;
    const opened = await patient.openBatch({
      ...{ tenant, batchId, epoch },
      ...(votedIn === undefined ? {} : { votedIn }),
    });
    if (opened.kind === 'open') return 'run';
    // Approved by people whose votes do not stand, or of other rows: nothing of it may run.
    if (opened.kind === 'refused') return 'rejected';
    desk.approval = opened.approval;
    desk.votedIn = undefined;
  }
}

/** Ends once every row has an outcome, however long people take over the last ones. */
async function finish(desk: Desk, rows: RowWindow, news: BatchNews, ending: Ending): Promise<BatchResult> {
  const { tenant, runId: batchId } = desk.input;
  desk.close();
  for (let pauseMs = 1_000; ; pauseMs = Math.min(pauseMs * 2, longestLookMs)) {
    const closing = { tenant, batchId, state: ending, epoch: desk.epoch, now: Date.now() };
    const { state, unfinished } = await durably(() => quick.closeBatch(closing));
    if (unfinished === 0) {
      await answerLateDecisions(desk);
      desk.conclude({ outcome: state === 'validated' ? 'completed' : (state as Ending) });
      return { batchId, state };
    }
    if (workflowInfo().continueAsNewSuggested)
      return continueAsNew<typeof refundBatch>({
        ...refundOf(desk),
        continued: { remindedHours: 0, reviews: 0 },
      });
    if (await news.wait(pauseMs)) pauseMs = 500;
    await rows.fill();
  }
}
