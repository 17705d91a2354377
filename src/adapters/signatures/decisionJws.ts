import { compactVerify, CompactSign, decodeProtectedHeader, importJWK, type JWK } from 'jose';
import { decisionEnvelope, type DecisionEnvelope } from '../../domain/approval/decision';
import { CountersignError } from '../../domain/errors';
import { isDatabaseOutage } from '../../domain/outage';

/** Looks a channel key up by its `kid`; a key bound to a tenant signs for that tenant alone. */
export interface ChannelKeys {
  find(kid: string): Promise<{ readonly tenant: string | null; readonly publicJwk: JWK } | undefined>;
}

const type = 'countersign-decision+jws';

/** @throws CountersignError signature_invalid for anything but a decision signed by a registered key */
export async function verifyDecision(
  jws: string,
  keys: ChannelKeys,
): Promise<DecisionEnvelope & { channel: string }> {
  try {
    const header = decodeProtectedHeader(jws);
    if (header.alg !== 'EdDSA' || header.typ !== type || typeof header.kid !== 'string') throw refused();
    const key = await keys.find(header.kid);
    if (!key) throw refused();
    const { payload } = await compactVerify(jws, await importJWK(key.publicJwk, 'EdDSA'), {
      algorithms: ['EdDSA'],
    });
    const envelope = decisionEnvelope.parse(JSON.parse(new TextDecoder().decode(payload)));
    if (key.tenant !== null && key.tenant !== envelope.tenant) throw refused();
    return { ...envelope, channel: `signed:${header.kid}` };
  } catch (error) {
    // A key store that does not answer is no verdict about the signature.
    if (isDatabaseOutage(error)) throw error;
    throw refused();
  }
}

/** `privateJwk`: Ed25519, with the `kid` under which its public half is registered. */
export async function signDecision(envelope: DecisionEnvelope, privateJwk: JWK): Promise<string> {
  if (privateJwk.kid === undefined) throw new CountersignError('internal', 'the signing key has no kid');
  return new CompactSign(new TextEncoder().encode(JSON.stringify(decisionEnvelope.parse(envelope))))
    .setProtectedHeader({ alg: 'EdDSA', typ: type, kid: privateJwk.kid })
    .sign(await importJWK(privateJwk, 'EdDSA'));
}

function refused(): CountersignError {
  return new CountersignError('signature_invalid');
}
