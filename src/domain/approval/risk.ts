/**
 * What a reviewer should stop at; each is a fact of the request, none a guess. Told by the database from the approval
 * itself (migration 0013): refunds count together with others (`aggregate`), the daily cap of automatic refunds is
 * reached, a senior group must be among the voters, an edit raised the amount, the payment was under dispute when the
 * approval was opened, somebody else asked in a person's name.
 */
export const riskMarks = [
  'aggregate',
  'daily_cap',
  'senior_only',
  'edited_up',
  'disputed',
  'on_behalf',
] as const;
export type RiskMark = (typeof riskMarks)[number];
