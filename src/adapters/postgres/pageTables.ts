import type { ColumnType } from 'kysely';
import type { Time } from './columns';

/** Tables of the pages. */
export interface PageTables {
  web_sessions: {
    id: string;
    tenant: string;
    key_id: string;
    time_zone: string | null;
    created_at: Time;
    seen_at: Time;
    expires_at: ColumnType<Date, Date, never>;
  };
  sign_in_failures: { source: string; at: Time };
}
