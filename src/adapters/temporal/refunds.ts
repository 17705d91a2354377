import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { taskQueues } from '../../domain/contract';
import { formatAmount } from '../../domain/money/decimal';
import type { RefundInput } from '../../domain/refund/state';

const keyword = SearchAttributeType.KEYWORD;
const attribute = {
  tenant: defineSearchAttributeKey('CountersignTenant', keyword),
  phase: defineSearchAttributeKey('CountersignPhase', keyword),
  customer: defineSearchAttributeKey('CountersignCustomer', keyword),
  amount: defineSearchAttributeKey('CountersignAmount', SearchAttributeType.INT),
  currency: defineSearchAttributeKey('CountersignCurrency', keyword),
};

/** How a refund is started, besides its workflow id. */
export function refundStart(input: RefundInput, customerHash: string | null) {
  const { amount, reason } = input.arguments;
  return {
    taskQueue: taskQueues.refunds,
    args: [input],
    workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
    typedSearchAttributes: [
      { key: attribute.tenant, value: input.tenant },
      { key: attribute.phase, value: 'validating' },
      { key: attribute.amount, value: amount.minor },
      { key: attribute.currency, value: amount.currency },
      ...(customerHash === null ? [] : [{ key: attribute.customer, value: customerHash }]),
    ],
    staticSummary: `${formatAmount(amount)} ${amount.currency} on ${input.paymentId}`,
    staticDetails: `Refund for tenant ${input.tenant}, reason ${reason}. Our run id is ${input.runId}.`,
  };
}
