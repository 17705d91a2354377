import type { z } from 'zod';
import type {
  AcceptedRefund,
  AppendedMessages,
  Approval,
  Batch,
  BatchItem,
  CheckedPage,
  Difference,
  HeldSource,
  Memory,
  MemoryCandidate,
  MemoryDecision,
  MemoryHold,
  MemoryVersion,
  Movement,
  Page,
  Policy,
  PolicyReport,
  PolicySummary,
  Reconciliation,
  RecordedDecision,
  Refund,
  SourceHoldReport,
  SplitRefund,
  Thread,
  ThreadContext,
  ThreadMessage,
  TimelineEntry,
} from '../../src/client';
import type { policySchema, reportSchema, summarySchema } from '../../src/http/policies';
import { approvalSchema, type recordedSchema } from '../../src/http/approvalSchemas';
import type { checkedPageSchema } from '../../src/http/inboxCheck';
import type {
  candidateSchema,
  holdSchema,
  reportSchema as sourceReportSchema,
  sourceSchema,
} from '../../src/http/memoryReviewViews';
import type { decisionSchema, memorySchema, versionSchema } from '../../src/http/memoryViews';
import type { movementSchema } from '../../src/http/payments';
import type { differenceSchema, reconciliationSchema } from '../../src/http/reconciliations';
import type { batchSchema, itemSchema } from '../../src/http/batchSchemas';
import { acceptedSchema, refundSchema, splitSchema, timelineSchema } from '../../src/http/schemas';
import type { contextSchema } from '../../src/http/threadContext';
import type { appendedSchema, threadSchema, turnSchema } from '../../src/http/threads';
import { Countersign } from '../../src/client';
import { testTokens } from '../support/shared';
import { TestStack } from '../support/stack';

/** Everything below read-only, as the client hands it out. */
type ReadOnly<T> = unknown extends T
  ? T
  : T extends object
    ? { readonly [Member in keyof T]: ReadOnly<T[Member]> }
    : T;
/** A compile error, found by `npm run types`, unless both are the same type. */
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? [] : ['these types differ', A, B];
const same = <A, B>(..._proof: Same<ReadOnly<A>, ReadOnly<B>>): void => undefined;

describe('the types of the client', () => {
  test('are those of the answers of the API', async () => {
    same<AcceptedRefund, z.infer<typeof acceptedSchema>>();
    same<Refund, z.infer<typeof refundSchema>>();
    same<SplitRefund, z.infer<typeof splitSchema>>();
    same<Approval, z.infer<typeof approvalSchema>>();
    same<Batch, z.infer<typeof batchSchema>>();
    same<BatchItem, z.infer<typeof itemSchema>>();
    same<CheckedPage, z.infer<typeof checkedPageSchema>>();
    same<RecordedDecision, z.infer<typeof recordedSchema>>();
    same<PolicySummary, z.infer<typeof summarySchema>>();
    same<Policy, z.infer<typeof policySchema>>();
    same<PolicyReport, z.infer<typeof reportSchema>>();
    same<Page<TimelineEntry>, z.infer<typeof timelineSchema>>();
    same<Reconciliation, z.infer<typeof reconciliationSchema>>();
    same<Difference, z.infer<typeof differenceSchema>>();
    same<Movement, z.infer<typeof movementSchema>>();
    same<Memory, z.infer<typeof memorySchema>>();
    same<MemoryVersion, z.infer<typeof versionSchema>>();
    same<MemoryDecision, z.infer<typeof decisionSchema>>();
    same<MemoryCandidate, z.infer<typeof candidateSchema>>();
    same<MemoryHold, z.infer<typeof holdSchema>>();
    same<HeldSource, z.infer<typeof sourceSchema>>();
    same<SourceHoldReport, z.infer<typeof sourceReportSchema>>();
    same<Thread, z.infer<typeof threadSchema>>();
    same<ThreadMessage, z.infer<typeof turnSchema>>();
    same<AppendedMessages, z.infer<typeof appendedSchema>>();
    same<ThreadContext, z.infer<typeof contextSchema>>();

    // And the API answers so, member for member.
    const stack = await TestStack.start();
    try {
      const charge = await stack.provider.charge(20_000);
      const service = stack.as('service');
      const started = await service.startRefund({ paymentId: charge, amount: '60.00', note: 'n' });
      expect(acceptedSchema.strict().parse(started.body)).toEqual(started.body);
      const { runId } = started.body as AcceptedRefund;
      await service.untilPhase(runId, 'waiting_approval');
      const approval = await service.approval(runId.replace('run_', 'apr_'));
      expect(approvalSchema.strict().parse(approval)).toEqual(approval);
      await stack.as('reviewer1').decide(approval, 'approve');
      const done = await service.untilPhase(runId, 'completed');
      expect(refundSchema.strict().parse(done)).toEqual(done);
      const { refunds } = new Countersign({ baseUrl: stack.apiUrl, token: testTokens.acme.service });
      const split = await refunds.split(
        {
          orderId: 'order-1',
          amount: { value: '10.00', currency: 'USD' },
          reason: 'damaged',
          payments: [{ paymentId: charge }],
        },
        { idempotencyKey: 'split-1' },
      );
      expect(splitSchema.strict().parse(split)).toEqual(split);
      expect(await refunds.showSplit(split.splitId)).toMatchObject({
        splitId: split.splitId,
        orderId: 'order-1',
      });
      const { body } = await service.call('GET', `/v1/refunds/${runId}/timeline`);
      expect(timelineSchema.strict().parse(body)).toEqual(body);
    } finally {
      await stack.stop();
    }
  });
});
