/**
 * How many runs a property gets, and from which seed: the same every time, so that a failure can be repeated. fast-check
 * prints seed and path of whatever fails; `MONEY_SEED` looks elsewhere.
 */
export function seeded(numRuns: number): { numRuns: number; seed: number } {
  return { numRuns, seed: Number(process.env['MONEY_SEED'] ?? 20_261_129) };
}
