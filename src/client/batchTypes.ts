import type { Schemas } from './schemas';

/** Thousands of refunds or documents as one run. */
export type Batch = Schemas['Batch'];
export type BatchKind = Batch['kind'];
export type BatchState = Batch['state'];
/** What may run, as it was frozen before people were asked. */
export type ManifestSummary = Schemas['ManifestSummary'];

/** One row of the file, from 1. `name`: the key that the row gave, or the document. */
export type BatchItem = Schemas['BatchItem'];
export type ItemOutcome = BatchItem['outcome'];
