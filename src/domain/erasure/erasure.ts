export const erasureStates = ['unconfirmed', 'erasing', 'finished', 'cancelled'] as const;
export type ErasureState = (typeof erasureStates)[number];

/** What keeps an erasure from being finished; it goes on by itself when that has passed. */
export const erasureObstacles = [
  /** Somebody has to keep the person's data. */
  'legal_hold',
  /** Refunds of the person that have not ended, or whose run is under a hold of its own. */
  'refunds_unfinished',
  'refunds_held',
  /** Refunds whose histories Temporal is deleting. */
  'histories_deleting',
  /** Tables in which the person is still named. */
  'still_named',
] as const;

export interface WaitingFor {
  readonly code: (typeof erasureObstacles)[number];
  readonly count: number;
  /** Where, for `still_named`. */
  readonly tables?: readonly string[];
}

/** Counts of rows by table, and no more: it stays when the person is gone. */
export interface ErasureReport {
  readonly erased: Readonly<Record<string, number>>;
  /** Refunds of which Temporal has nothing any more. */
  readonly histories: number;
  /** Every table that was looked through at the end, and the rows of it that still name the person. */
  readonly looked: Readonly<Record<string, number>>;
  /** Rows that name him and stay for a reason, by table. */
  readonly kept: Readonly<Record<string, { readonly rows: number; readonly reason: string }>>;
}

/** Input of workflow `erasePerson`: whose data it is stands in the database alone, where it can be erased too. */
export interface ErasureInput {
  readonly tenant: string;
  readonly erasureId: string;
}

export function isErasureInput(input: unknown): input is ErasureInput {
  return typeof input === 'object' && input !== null && 'tenant' in input && 'erasureId' in input;
}

export interface ErasureResult {
  readonly erasureId: string;
  readonly state: 'finished' | 'gone';
}
