import { base64url, compactVerify, CompactSign, decodeProtectedHeader, importJWK, type JWK } from 'jose';
import { decisionEnvelope, type DecisionEnvelope } from '../../domain/approval/decision';
import { CountersignError } from '../../domain/errors';
import { isDatabaseOutage } from '../../domain/outage';

/** A registered key. `expiresAt` in ms since the epoch; null is no end. */
export interface ChannelKey {
  readonly publicJwk: JWK;
  readonly expiresAt: number | null;
  readonly revoked: boolean;
}

/** Looks a channel key up by its `kid`, among the tenant's own and Countersign's. */
export interface ChannelKeys {
  find(tenant: string, kid: string): Promise<ChannelKey | undefined>;
}

const type = 'countersign-decision+jws';

/**
 * What a key has signed before its end may wait so long for a worker, ms. A key that is no longer trusted is revoked,
 * which ends everything at once; the time in a signature is only what its signer says.
 */
const longestUnderway = 7 * 24 * 3_600_000;

/** @throws CountersignError signature_invalid for anything but a decision signed by a registered key of that tenant */
export async function verifyDecision(
  jws: string,
  keys: ChannelKeys,
): Promise<DecisionEnvelope & { channel: string }> {
  try {
    const { alg, typ, kid } = decodeProtectedHeader(jws);
    if (alg !== 'EdDSA' || typ !== type || typeof kid !== 'string') throw refused();
    // Nothing of it is believed yet; it only says whose key to ask for.
    const envelope = decisionEnvelope.parse(JSON.parse(decodedPayload(jws)));
    const key = await keys.find(envelope.tenant, kid);
    if (!key) throw refused();
    await compactVerify(jws, await importJWK(key.publicJwk, 'EdDSA'), { algorithms: ['EdDSA'] });
    if (key.revoked) throw refused(`the channel key ${kid} was revoked`);
    if (hasEnded(key, envelope.receivedAt)) throw refused(`the channel key ${kid} has ended`);
    return { ...envelope, channel: `signed:${kid}` };
  } catch (error) {
    // A key store that does not answer is no verdict about the signature.
    if (isDatabaseOutage(error)) throw error;
    if (error instanceof CountersignError && error.code === 'signature_invalid') throw error;
    throw refused();
  }
}

function hasEnded({ expiresAt }: ChannelKey, signedAt: number): boolean {
  return expiresAt !== null && (signedAt >= expiresAt || Date.now() > expiresAt + longestUnderway);
}

function decodedPayload(jws: string): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(base64url.decode(jws.split('.')[1] ?? ''));
}

/** `privateJwk`: Ed25519, with the `kid` under which its public half is registered. */
export async function signDecision(envelope: DecisionEnvelope, privateJwk: JWK): Promise<string> {
  if (privateJwk.kid === undefined) throw new CountersignError('internal', 'the signing key has no kid');
  return new CompactSign(new TextEncoder().encode(JSON.stringify(decisionEnvelope.parse(envelope))))
    .setProtectedHeader({ alg: 'EdDSA', typ: type, kid: privateJwk.kid })
    .sign(await importJWK(privateJwk, 'EdDSA'));
}

function refused(detail?: string): CountersignError {
  return new CountersignError('signature_invalid', detail);
}
