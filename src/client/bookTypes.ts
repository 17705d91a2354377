import type { Schemas } from './schemas';

/** One comparison of our books with the provider's. */
export type Reconciliation = Schemas['Reconciliation'];
export type ReconciliationState = Reconciliation['state'];
/** What a reconciliation found; the same difference found again is the same item. */
export type Difference = Schemas['Difference'];
export type DifferenceKind = Difference['kind'];
export type DifferenceStatus = Difference['status'];
/** One movement of a payment's money. Values are signed decimal strings in major units of `currency`. */
export type Movement = Schemas['Movement'];
export type LedgerAccount = Movement['movements'][number]['account'];
