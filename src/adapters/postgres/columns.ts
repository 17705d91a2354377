import type { ColumnType } from 'kysely';

export type Json<T = unknown> = ColumnType<T, string, string>;
/** Follows from other columns of the row. */
export type Computed<T> = ColumnType<T, never, never>;
export type Time = ColumnType<Date, Date | string | undefined, Date | string>;
export type EndTime = ColumnType<Date | null, Date | null | undefined, Date | null>;
