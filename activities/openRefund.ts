import { refundWorkflowId } from '../src/domain/contract';
import { CountersignError, type ErrorCode } from '../src/domain/errors';
import { checkAdmissible } from '../src/domain/refund/admission';
import type { RefundInput } from '../src/domain/refund/state';
import { effectKey } from '../src/domain/steps';
import type { Run } from '../src/ports/runs';
import type { Dependencies } from './dependencies';

export type OpenedRefund =
  | {
      readonly admitted: true;
      readonly paymentId: string;
      /** The call to the provider is on record. */ readonly journalled: boolean;
    }
  | { readonly admitted: false; readonly code: ErrorCode; readonly detail: string };

export interface RefundToOpen extends RefundInput {
  readonly workflowId: string;
}

/**
 * Validates the payment by the provider's own record and holds its amount, unless the door has done so already.
 * A workflow without an intake row, or with other figures than its intake, was started past the API: refused.
 */
export function openRefund({ store, payments }: Pick<Dependencies, 'store' | 'payments'>) {
  return async (input: RefundToOpen): Promise<OpenedRefund> => {
    // One run is one workflow: a second execution under another id could end or free what the first one holds.
    if (input.workflowId !== refundWorkflowId(input.tenant, input.runId))
      throw new CountersignError('not_started_here');
    const { run, journalled } = await store.inTenant(input.tenant, async (unit) => {
      await unit.outbox.done({ runId: input.runId, kind: 'start', ref: 'start' });
      const effect = await unit.effects.find(effectKey(input.runId, 'issue_refund'));
      return { run: await unit.runs.find(input.runId), journalled: effect !== undefined };
    });
    if (!run || !sameAsIntake(run, input)) throw new CountersignError('not_started_here');
    // A run that had ended without paying and was reset has given its amount back: it is admitted afresh.
    const holds = run.money !== 'none' && run.money !== 'freed';
    if (holds || journalled) return { admitted: true, paymentId: run.paymentId, journalled };

    try {
      const payment = await payments.loadPayment(run.request.paymentId, 4_000);
      return await store.inTenant(input.tenant, async (unit) => {
        const balance = await unit.ledger.adopt(payment);
        const { document } = await unit.policies.newest();
        checkAdmissible(
          { ...balance, voided: payment.voided },
          run.amount,
          document.refundWindowHours,
          run.createdAt,
        );
        await unit.ledger.reserve(input.runId, balance.paymentId, run.amount.minor);
        const customer = balance.customer ?? run.customer;
        await unit.runs.change(input.runId, { ...(customer === null ? {} : { customer }) });
        await unit.audit.append({
          runId: input.runId,
          actor: 'countersign',
          event: 'reserved',
          step: 'open_refund',
          after: { amount: run.amount, paymentId: balance.paymentId },
        });
        return { admitted: true, paymentId: balance.paymentId, journalled };
      });
    } catch (error) {
      if (!(error instanceof CountersignError) || error.retry === 'retry' || error.status >= 500) throw error;
      return { admitted: false, code: error.code, detail: error.detail };
    }
  };
}

function sameAsIntake(run: Run, input: RefundInput): boolean {
  const { amount, reason } = input.arguments;
  return (
    run.requester === input.requester &&
    run.onBehalfOf === (input.onBehalfOf ?? null) &&
    run.request.amount.minor === amount.minor &&
    run.request.amount.currency === amount.currency &&
    run.request.reason === reason
  );
}
