/** For whom services and agents did what the audit log and the memory gate have of them. */
export interface SpokenTables {
  spoken_for: { tenant: string; ref: string; step: string; on_behalf_of: string | null };
}
