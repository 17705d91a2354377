import { z } from 'zod';
import { isSameIdentity } from '../access/identity';
import type { Authority } from '../approval/state';
import { CountersignError, type ErrorCode } from '../errors';
import { refuseUnlessPermitted, type Ask, type RefundFacts } from '../policy/authorization';
import { externalId, freeText } from './request';

/** What a person can do about a run that can't go on by itself. */
export const reviewActions = ['retry', 'resolve_paid', 'fail'] as const;
export type ReviewAction = (typeof reviewActions)[number];

/** The body of `POST /v1/refunds/{runId}/review`. */
export const reviewBody = z
  .strictObject({
    action: z.enum(reviewActions),
    /** The provider's refund that paid this run; with `resolve_paid` only. */
    refundId: externalId.optional(),
    comment: freeText.max(2000).optional(),
  })
  .refine(({ action, refundId }) => (action === 'resolve_paid') === (refundId !== undefined), {
    path: ['refundId'],
    message: 'resolve_paid names the refund, the other actions name none',
  });
export type ReviewBody = z.infer<typeof reviewBody>;

/** Why a run waits for a person, and what was tried; shown as it is. Times in ms since the epoch. */
export interface Review {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly since: number;
  /** Counts the reviews of one run, from 1. */
  readonly round: number;
  readonly tried: readonly string[];
  readonly actions: readonly ReviewAction[];
}

/** A person's order about a run in review, as recorded. */
export interface ReviewOrder {
  readonly id: string;
  readonly runId: string;
  readonly action: ReviewAction;
  readonly refundId?: string;
  readonly actor: string;
}

/**
 * A review is settled by a person whom policy permits, and not by whoever asked for the money.
 * @throws CountersignError forbidden, separation_of_duties
 */
export function checkReviewer(
  reviewGroup: string,
  who: Authority | undefined,
  run: RefundFacts,
  ask: Ask,
): void {
  const otherwise = `only members of ${reviewGroup} settle a review`;
  if (who?.kind !== 'person') throw new CountersignError('forbidden', otherwise);
  refuseUnlessPermitted(ask({ who, action: 'review', refund: run }), otherwise);
  const asked = [run.requester, run.onBehalfOf, ...(run.request.askedBy ?? [])];
  if (asked.some((id) => isSameIdentity(id, who.id)))
    throw new CountersignError(
      'separation_of_duties',
      'whoever asked for a refund may not settle its review',
    );
}

/** @throws CountersignError review_contradicted for what this review does not offer */
export function checkOffered(action: ReviewAction, offered: readonly ReviewAction[]): void {
  if (offered.includes(action)) return;
  throw new CountersignError('review_contradicted', `here a person can: ${offered.join(', ')}`, { offered });
}
