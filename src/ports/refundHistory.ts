import type { RiskFacts } from '../domain/risk/facts';

/** The past of refunds, as our own records have it. */
export interface RefundHistory {
  /** What there was besides this run, up to `now` (ms). @throws CountersignError internal for a run without a payment */
  factsOf(runId: string, now: number): Promise<RiskFacts>;
}
