import { allHandlersFinished, condition, continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { ApprovalState } from '../src/domain/approval/state';
import type { ErrorCode } from '../src/domain/errors';
import type { ProposalInput } from '../src/domain/refund/state';
import type { Desk } from './desk';
import { durably, failureCode, quick } from './steps';

/**
 * Whether Temporal says that this history has become long, far below its limits (R35). Asked synchronously, since one
 * more `await` would reorder what older histories hold. A reopened run, which waits for one person, goes on as it is.
 */
export function isLong({ input }: Desk): boolean {
  return workflowInfo().continueAsNewSuggested && input.reopened === undefined;
}

/**
 * Goes on in a new execution of the same workflow id, which begins with an empty history. Everything that was decided
 * is in PostgreSQL; messages that nobody has answered yet are answered first, so this returns where there are any.
 */
export async function startAnew(desk: Desk): Promise<void> {
  desk.refuseOrders();
  await condition(() => allHandlersFinished() || desk.isAsked, '1s');
  if (desk.isAsked || !allHandlersFinished()) return;
  const { remindedHours, reviews } = desk;
  await continueAsNew<(input: ProposalInput) => Promise<unknown>>({
    ...desk.input,
    continued: { remindedHours, reviews },
  });
}

/** Whether Temporal itself says so; a workflow that was started by hand can only claim it. */
export function goesOn(): boolean {
  return workflowInfo().continuedFromExecutionRunId !== undefined;
}

/** Takes over what the execution before had. @returns why the refund is refused: after a reset its amount may be gone */
export async function goOn(desk: Desk): Promise<{ code: ErrorCode; detail: string } | undefined> {
  const { epoch, input } = desk;
  const { tenant, runId } = input;
  const { workflowId, continuedFromExecutionRunId } = workflowInfo();
  const from = continuedFromExecutionRunId === undefined ? {} : { from: continuedFromExecutionRunId };
  try {
    const { approval, round, by } = await durably(() =>
      quick.takeOver({ tenant, runId, workflowId, epoch, ...from }),
    );
    desk.round = round;
    desk.home = by;
    if (approval) holdOn(desk, approval, by);
    return undefined;
  } catch (error) {
    const refused = failureCode(error);
    if (!refused || refused.code === 'not_started_here') throw error;
    return refused;
  }
}

function holdOn(desk: Desk, approval: ApprovalState, by: string): void {
  desk.approval = approval;
  desk.votedIn = by;
  desk.state = { ...desk.state, arguments: approval.arguments };
  if (approval.status === 'open')
    desk.enter('waiting_approval', `a decision. ${approval.policy.explanation}`);
}
