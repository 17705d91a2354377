import type { LedgerFigures } from '../domain/ledger/accounts';
import type { OurBooks, OurRefund } from '../domain/reconciliation/books';

export interface BooksOfPayment {
  /** Undefined where the balance is not on record. */
  readonly books: OurBooks | undefined;
  readonly refunds: OurRefund[];
  /** Runs of this tenant, of this payment or named by a refund of it. */
  readonly runIds: ReadonlySet<string>;
  /** The last time that a run of ours moved something here, ms since the epoch. */
  readonly movedAt: number;
}

/** One movement of a payment's money, minor units, with the balances after it. */
export interface LedgerMovement {
  readonly seq: number;
  /** ms since the epoch. */
  readonly at: number;
  /** The same as PostgreSQL writes it. */
  readonly atText: string;
  readonly currency: string;
  readonly runId: string | null;
  readonly requester: string | null;
  readonly moved: LedgerFigures;
  readonly balances: LedgerFigures;
  /** The audit row of the same transaction, where there is one. */
  readonly audit: {
    readonly actor: string;
    readonly event: string;
    readonly reason: string | null;
    readonly providerId: string | null;
  } | null;
}

/** Everything that our books hold about single payments, for comparing and for showing. */
export interface PaymentBooks {
  /** The one id of a payment of this tenant, by `ch_…` or `pi_…`. */
  idOf(paymentOrIntent: string): Promise<string | undefined>;
  /** Those of these payments that are this tenant's: it has their balance, or a run that a refund of theirs names. */
  ownAmong(
    refunds: readonly { readonly paymentId: string; readonly runId?: string }[],
  ): Promise<ReadonlySet<string>>;
  /**
   * Everything about one payment, with its balance locked until the transaction ends.
   * @param refunds of the provider, so that calls on record under another payment are found as well
   */
  lock(
    paymentId: string,
    refunds: readonly { readonly id: string; readonly runId?: string }[],
  ): Promise<BooksOfPayment>;
  /** The oldest movement first. @param after the last `seq` of the page before, 0 for none */
  history(paymentId: string, after: number, limit: number): Promise<LedgerMovement[]>;
}
