import type { DecisionEnvelope } from '../domain/approval/decision';

/** A decision proved by a channel's key: compact JWS, EdDSA, `kid` in the header. */
export interface DecisionSignatures {
  /** @throws CountersignError signature_invalid */
  verify(jws: string): Promise<DecisionEnvelope & { readonly channel: string }>;
  sign(envelope: DecisionEnvelope): Promise<string>;
}
