import type { Client } from '@temporalio/client';

/** One refund on its way. The stages are awaited by events, and its end is the end of the workflow for everybody. */
export interface RefundUnderWay {
  readonly workflowId: string;
  /** Resolves once the refund asks for its decision. */
  waits(): Promise<void>;
  approve(): Promise<void>;
}

/** One of the systems that are compared, as somebody uses it. */
export interface Subject {
  readonly name: SubjectName;
  /** Which worker process does its work. */
  readonly workedBy: WorkerName;
  start(charge: string): Promise<RefundUnderWay>;
}

export type WorkerName = 'countersign' | 'bare';

/** `countersign`: its use cases called in the bench's process; `countersignHttp`: through its API. */
export type SubjectName = 'bare' | 'countersign' | 'countersignHttp';

/** Waits for the end of the workflow, as every client can. */
export async function untilCompleted(temporal: Client, { workflowId }: RefundUnderWay): Promise<void> {
  await temporal.workflow.getHandle(workflowId).result();
}

/** Takes one refund all the way. @returns its workflow id */
export async function refundOnce(temporal: Client, subject: Subject, charge: string): Promise<string> {
  const refund = await subject.start(charge);
  await refund.waits();
  await refund.approve();
  await untilCompleted(temporal, refund);
  return refund.workflowId;
}

/** Waits until the worker has nothing left to do for a refund that waits. */
export async function untilQuiet(temporal: Client, { workflowId }: RefundUnderWay): Promise<void> {
  const handle = temporal.workflow.getHandle(workflowId);
  while ((await handle.describe()).raw.pendingWorkflowTask) {
    // Asking is the only way to know; each answer takes Temporal a millisecond or two.
  }
}
