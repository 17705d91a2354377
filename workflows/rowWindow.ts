import {
  getExternalWorkflowHandle,
  ParentClosePolicy,
  startChild,
  WorkflowIdReusePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import {
  defineSearchAttributeKey,
  SearchAttributeType,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common';
import type { AdmittedRows } from '../activities/admitBatchItems';
import type { RefundBatchInput } from '../src/domain/batch/batch';
import { refundWorkflowId, taskQueues } from '../src/domain/contract';
import type { RefundInput } from '../src/domain/refund/state';
import type { BatchNews } from './batchNews';
import { cancelSignal } from './messages';
import type { refund } from './refund';
import { amountText } from './view';
import { durably, quick } from './steps';

/** The most runs of one batch that move at the same time; those that wait for people do not count. */
const windowSize = 40;
/** How many of them have to end before the window is filled again, so that a step of the batch starts several. */
const endedAtOnce = 8;
/** Rows of one execution, far below what a history may hold (R35): a row is some ten events. */
const defaultRowsPerExecution = 400;
const firstLookMs = 1_000;
const longestLookMs = 60_000;

const tenantKey = defineSearchAttributeKey('CountersignTenant', SearchAttributeType.KEYWORD);
const phaseKey = defineSearchAttributeKey('CountersignPhase', SearchAttributeType.KEYWORD);
const amountKey = defineSearchAttributeKey('CountersignAmount', SearchAttributeType.INT);
const currencyKey = defineSearchAttributeKey('CountersignCurrency', SearchAttributeType.KEYWORD);

/** The rows of a batch on their way: so many at a time, each a run of its own. */
export class RowWindow {
  private started: string[] = [];
  private rows = 0;
  private ended = 0;
  private lookMs = firstLookMs;
  private last: AdmittedRows | undefined;

  constructor(
    private readonly input: RefundBatchInput,
    private readonly news: BatchNews,
  ) {}

  /** Starts as many rows as there is room for. @returns whether rows are still to be started */
  async fill(): Promise<boolean> {
    const { tenant, runId: batchId } = this.input;
    for (;;) {
      const told = this.started;
      const admitted = await durably(() =>
        quick.admitBatchItems({ tenant, batchId, window: windowSize, started: told }),
      );
      this.started = [];
      await Promise.all(admitted.start.map((input) => this.start(input)));
      this.cancelWaiting(admitted);
      this.last = admitted;
      this.rows += admitted.start.length;
      if (admitted.start.length > 0) this.lookMs = firstLookMs;
      if (admitted.pace === 'cancelled') return false;
      const room = windowSize - admitted.moving;
      if (
        admitted.pace === 'on' &&
        admitted.waiting > 0 &&
        room > 0 &&
        admitted.start.length > 0 &&
        !this.isLong
      )
        continue;
      return admitted.waiting > 0;
    }
  }

  /** Until there is room again, the batch was changed, or it is time to look whether runs that were started earlier have ended. */
  async pause(): Promise<void> {
    const paused = this.last?.pace === 'paused';
    if (await this.news.wait(paused ? longestLookMs : this.lookMs)) this.lookMs = firstLookMs;
    else this.lookMs = Math.min(this.lookMs * 2, longestLookMs);
    this.ended = 0;
  }

  get isLong(): boolean {
    const { rowsPerExecution = defaultRowsPerExecution } = this.input;
    return this.rows >= rowsPerExecution || workflowInfo().continueAsNewSuggested;
  }

  /** What has started is on record, so that the next execution has to know nothing. */
  async handOver(): Promise<void> {
    const { tenant, runId: batchId } = this.input;
    const started = this.started;
    await durably(() => quick.admitBatchItems({ tenant, batchId, window: 0, started }));
    this.started = [];
  }

  private async start(input: RefundInput): Promise<void> {
    const { tenant, runId, paymentId, arguments: args } = input;
    this.started.push(runId);
    try {
      const child = await startChild<typeof refund>('refund', {
        workflowId: refundWorkflowId(tenant, runId),
        taskQueue: taskQueues.bulk,
        args: [input],
        workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
        // A row outlives its batch's workflow: people may still be deciding about it.
        parentClosePolicy: ParentClosePolicy.ABANDON,
        // Below refunds that somebody waits for, and tenants take turns.
        priority: { priorityKey: 4, fairnessKey: tenant },
        typedSearchAttributes: [
          { key: tenantKey, value: tenant },
          { key: phaseKey, value: 'validating' },
          { key: amountKey, value: args.amount.minor },
          { key: currencyKey, value: args.amount.currency },
        ],
        staticSummary: `${amountText(args.amount)} on ${paymentId}`,
      });
      const over = () => this.over();
      child.result().then(over, over);
    } catch (error) {
      // An earlier execution had started it.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      this.over();
    }
  }

  private over(): void {
    this.ended += 1;
    if (this.ended >= endedAtOnce || this.last?.waiting === 0) this.news.tell();
  }

  private cancelWaiting({ cancel, cancelledBy }: AdmittedRows): void {
    if (cancelledBy === null) return;
    for (const runId of cancel) {
      const run = getExternalWorkflowHandle(refundWorkflowId(this.input.tenant, runId));
      // One that has ended meanwhile has nothing left to cancel.
      run.signal(cancelSignal, { actor: cancelledBy }).catch(() => undefined);
    }
  }
}
