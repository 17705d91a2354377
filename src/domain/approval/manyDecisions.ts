import { z } from 'zod';
import { externalId } from '../refund/request';
import { decisionComment, decisionId, proposalHash } from './decision';
import { rejectReasons } from './state';

/** What can be decided about many approvals at once: the decisions that need nothing of the single one. */
export const togetherKinds = ['approve', 'reject'] as const;
export type TogetherKind = (typeof togetherKinds)[number];

/** So many approvals are decided together at most. */
export const mostTogether = 100;

/** The body of `POST /v1/approvals/decisions`: one decision about each of these revisions. */
export const manyDecisionsBody = z
  .strictObject({
    decision: z.enum(togetherKinds),
    comment: decisionComment.optional(),
    reasonCode: z.enum(rejectReasons).optional(),
    items: z
      .array(z.strictObject({ approvalId: externalId, proposalHash, decisionId: decisionId.optional() }))
      .min(1)
      .max(mostTogether),
  })
  .superRefine(({ decision, reasonCode, items }, ctx) => {
    const issue = (path: (string | number)[], message: string) =>
      ctx.addIssue({ code: 'custom', path, message });
    if (decision !== 'reject' && reasonCode !== undefined)
      issue(['reasonCode'], 'only reject has reasonCode');
    const places = new Map<string, number>();
    items.forEach(({ approvalId }, place) => {
      const before = places.get(approvalId);
      if (before === undefined) places.set(approvalId, place);
      else issue(['items', place, 'approvalId'], `the same approval as item ${before}; name each once`);
    });
  });
export type ManyDecisionsBody = z.infer<typeof manyDecisionsBody>;
