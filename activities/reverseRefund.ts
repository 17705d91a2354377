import { reopenedWorkflowId } from '../src/domain/contract';
import { CountersignError } from '../src/domain/errors';
import { hasFailed } from '../src/domain/refund/providerRefund';
import type { RefundInput } from '../src/domain/refund/state';
import { effectKey } from '../src/domain/steps';
import type { PaymentProvider, ProviderRefund } from '../src/ports/payments';
import type { Run } from '../src/ports/runs';
import type { Unit } from '../src/ports/store';
import type { Dependencies } from './dependencies';

export interface RefundToReverse {
  readonly input: RefundInput;
  readonly workflowId: string;
  /** The provider's refund that failed after it had succeeded. */
  readonly refundId: string;
  /** Which refund of this run that was. */
  readonly round: number;
}

/**
 * The money came back: the balance has it again, and the requester is told once (R17). The first step of a reopened
 * run, so what the workflow was started with counts for nothing here: the provider has to say that the refund failed,
 * and our books that this run had paid with it.
 * @throws CountersignError not_started_here
 */
export function reverseRefund({ store, payments }: Pick<Dependencies, 'store' | 'payments'>) {
  return async ({ input, workflowId, refundId, round }: RefundToReverse): Promise<void> => {
    const { tenant, runId } = input;
    if (workflowId !== reopenedWorkflowId(tenant, runId, refundId)) throw startedElsewhere();
    const refund = await failedRefund(payments, refundId);
    const key = effectKey(runId, 'issue_refund', round);
    await store.inTenant(tenant, async (unit) => {
      const run = await paidBy(unit, input, refund, key);
      if (await unit.audit.has(runId, `reverse:${refundId}`)) return;
      if (run.phase !== 'completed') throw startedElsewhere();
      await unit.effects.recordReversal(key);
      if (run.money === 'paid') await unit.ledger.reverse(runId);
      await unit.notifications.tell({
        key: `${effectKey(runId, 'notify')}:reversed:${refundId}`,
        runId,
        recipient: run.requester,
        template: 'refund_failed_later',
        data: { refundId, amount: run.amount },
      });
      await unit.audit.append({
        runId,
        actor: 'provider',
        event: 'refund_failed_later',
        step: `reverse:${refundId}`,
        before: { money: 'paid' },
        after: { money: 'freed' },
        effectKey: key,
        providerId: refundId,
      });
    });
  };
}

async function failedRefund(payments: PaymentProvider, refundId: string): Promise<ProviderRefund> {
  const refund = await payments.getRefund(refundId).catch((error: unknown) => {
    if (error instanceof CountersignError && error.code === 'payment_unknown') throw startedElsewhere();
    throw error;
  });
  if (!hasFailed(refund.status)) throw startedElsewhere();
  return refund;
}

/** The run as it paid: with this refund, this amount, on this payment, asked for by the same. */
async function paidBy(unit: Unit, input: RefundInput, refund: ProviderRefund, key: string): Promise<Run> {
  const run = await unit.runs.find(input.runId);
  const effect = await unit.effects.find(key);
  if (!run || effect?.providerId !== refund.id) throw startedElsewhere();
  const { minor, currency } = run.executed?.amount ?? run.amount;
  const { amount } = input.arguments;
  const same =
    run.paymentId === input.paymentId &&
    run.requester === input.requester &&
    run.onBehalfOf === (input.onBehalfOf ?? null) &&
    minor === amount.minor &&
    currency === amount.currency;
  if (!same) throw startedElsewhere();
  return run;
}

function startedElsewhere(): CountersignError {
  return new CountersignError('not_started_here');
}
