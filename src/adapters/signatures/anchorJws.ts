import { compactVerify, CompactSign, decodeProtectedHeader, importJWK, type JWK } from 'jose';
import type { Anchor } from '../../domain/audit/chain';
import type { AnchorKey, AnchorSigner } from '../../ports/auditLog';

const type = 'countersign-audit-anchor+jws';

/** Signs anchors with a process's own Ed25519 key, under the `kid` of its registered public half. */
export class JwsAnchorSigner implements AnchorSigner {
  constructor(private readonly privateJwk: JWK) {}

  async sign(anchor: Anchor): Promise<string> {
    const { kid } = this.privateJwk;
    if (kid === undefined) throw new RangeError('the signing key has no kid');
    return new CompactSign(new TextEncoder().encode(JSON.stringify(anchor)))
      .setProtectedHeader({ alg: 'EdDSA', typ: type, kid })
      .sign(await importJWK(this.privateJwk, 'EdDSA'));
  }

  read(jws: string, keys: readonly AnchorKey[]): Promise<Anchor | undefined> {
    return readAnchor(jws, [...keys]);
  }
}

/** @returns what was signed, or undefined where none of `keys` (public, by `kid`) has signed it */
export async function readAnchor(jws: string, keys: readonly JWK[]): Promise<Anchor | undefined> {
  try {
    const header = decodeProtectedHeader(jws);
    const key = keys.find(({ kid }) => kid !== undefined && kid === header.kid);
    if (header.typ !== type || !key) return undefined;
    const { payload } = await compactVerify(jws, await importJWK(key, 'EdDSA'), { algorithms: ['EdDSA'] });
    return JSON.parse(new TextDecoder().decode(payload)) as Anchor;
  } catch {
    return undefined;
  }
}
