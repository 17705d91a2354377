/**
 * A page of rows of which one more was asked for than it holds.
 * @returns `last`: the row after which the next page begins; absent where this page is the last
 */
export function pageOf<Row>(rows: readonly Row[], limit: number): { page: Row[]; last?: Row } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return rows.length > limit && last !== undefined ? { page, last } : { page };
}
