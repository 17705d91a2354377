import type { DifferenceKind, DifferenceStatus } from '../../domain/reconciliation/difference';

interface DifferenceWords {
  readonly name: string;
  readonly means: string;
  readonly todo: string;
}

/** What our books and the provider's can differ in, and what to do about each; the runbook says more. */
export const differenceWords: Readonly<Record<DifferenceKind, DifferenceWords>> = {
  refund_by_hand: {
    name: 'Refunded by hand',
    means: "Somebody refunded in the provider's dashboard, and no event told us.",
    todo: 'Nothing: the balance counts it. Where it happens often, look at the webhook endpoint.',
  },
  refund_unrecorded: {
    name: 'Refund not on record',
    means: 'The provider has a refund with our run id that no call on record made.',
    todo: 'See what its run waits for: an unknown outcome is asked about with the same key. Where it was paid twice or had been refused, find out who made it, take the money back at the provider or book it, then dismiss this.',
  },
  refund_missing: {
    name: 'Refund missing at the provider',
    means: 'We have a refund on record that the provider does not list.',
    todo: "Check that the provider's key is of the account that took the payment, and ask the provider with the refund's id. The customer may not have been paid.",
  },
  status_differs: {
    name: 'Another status',
    means: 'The provider has settled or failed a refund that we have otherwise.',
    todo: 'Usually nothing: its run was told. A failed one needs a review. Where it is still open a day later, see what the run waits for.',
  },
  amount_differs: {
    name: 'Another amount',
    means: 'Both have the refund, with different amounts.',
    todo: "Somebody changed a row: compare it with the run's timeline, whose rows are chained by hash, and correct it under change control.",
  },
  payment_missing: {
    name: 'Payment unknown to the provider',
    means: 'The provider knows no such payment.',
    todo: "Another account's key, or a test payment in a live database: check the provider's key.",
  },
  payment_unreadable: {
    name: 'Payment that can not be read',
    means: "The provider's record of it can't be represented exactly.",
    todo: 'The explanation says why; report it.',
  },
  payment_changed: {
    name: 'Payment changed',
    means: 'Captured, disputed or refunded without us is not what we had, and no event told us.',
    todo: 'Nothing here: the balance follows. A dispute is answered at the provider.',
  },
  balance_differs: {
    name: 'Another balance',
    means: 'Each refund agrees and the balance does not, or the balance is gone.',
    todo: "Look at the payment's history. Where the row is missing, pull the brake and restore it from back-up first: a new one would not know what was paid.",
  },
  ledger_differs: {
    name: 'Our own books disagree',
    means: 'Balance, entries and runs of one payment disagree: somebody wrote past the ledger.',
    todo: "Find out who had the database owner's login, and restore from the entries, which only ever grow.",
  },
};

export const differenceStatusWords: Readonly<Record<DifferenceStatus, string>> = {
  open: 'Open',
  adopted: 'Taken over',
  gone: 'Gone',
  dismissed: 'Dismissed',
};
