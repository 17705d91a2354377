import type { BodyOf, Schemas } from './schemas';

/** The number of an event, or a moment as ISO 8601 with a time zone. */
export type PastPoint = number | string;

/** What a run was after one event of its audit log. Null: not so far, or not written down by that release. */
export type PastState = Schemas['PastState'];
/** One member in which two states differ, such as `approval.votes`. */
export type PastChange = PastState['changes'][number];
export type PastDifference = Schemas['PastDifference'];

/** What is to be otherwise than in the run that is forked; `null` leaves out what that one had. */
export type ForkRequest = BodyOf<'forkRefund'>;
