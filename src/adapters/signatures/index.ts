import type { JWK } from 'jose';
import type { DecisionEnvelope } from '../../domain/approval/decision';
import { CountersignError } from '../../domain/errors';
import type { DecisionSignatures } from '../../ports/signatures';
import { lookUpChannelKey } from '../postgres/channelKeys';
import type { Database } from '../postgres/database';
import { signDecision, verifyDecision, type ChannelKeys } from './decisionJws';

/** Channel keys kept in PostgreSQL; `ownKey` is the private key of this process, where it signs at all. */
export class ChannelSignatures implements DecisionSignatures {
  private readonly keys: ChannelKeys;

  constructor(
    database: Database,
    private readonly ownKey?: JWK,
  ) {
    this.keys = {
      find: (tenant, kid) => database.unscoped((db) => lookUpChannelKey(db, tenant, kid)),
    };
  }

  async verify(jws: string): Promise<DecisionEnvelope & { channel: string }> {
    return verifyDecision(jws, this.keys);
  }

  async sign(envelope: DecisionEnvelope): Promise<string> {
    if (!this.ownKey) throw new CountersignError('internal', 'this process has no signing key');
    return signDecision(envelope, this.ownKey);
  }
}
