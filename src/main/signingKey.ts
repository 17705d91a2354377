import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { withConnection } from '../sandbox/embedded/postgresDatabases';

/** The API's own channel key, from its JSON; the `kid` is the key's thumbprint where it has none. */
export async function parseSigningKey(json: string): Promise<JWK> {
  const jwk = JSON.parse(json) as JWK;
  if (jwk.kty !== 'OKP' || jwk.crv !== 'Ed25519' || jwk.d === undefined) {
    throw new Error('COUNTERSIGN_SIGNING_KEY is not an Ed25519 private key in JWK form');
  }
  return { ...jwk, kid: jwk.kid ?? (await calculateJwkThumbprint(jwk)) };
}

export async function newSigningKey(): Promise<string> {
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  return JSON.stringify(await exportJWK(privateKey));
}

/**
 * Registers the public half, so that workers accept what the API signs. `ownerUrl` is the migrating role's.
 * @throws Error for a key that was revoked: whatever it signed would be refused
 */
export async function registerChannelKey(ownerUrl: string, privateJwk: JWK): Promise<void> {
  const { kty, crv, x, kid } = privateJwk;
  await withConnection(ownerUrl, async (client) => {
    await client.query(
      `insert into channel_keys (kid, public_jwk, confirmed_by) values ($1, $2, 'owner') on conflict do nothing`,
      [kid, JSON.stringify({ kty, crv, x })],
    );
    const revoked = await client.query(
      'select from channel_keys where tenant is null and kid = $1 and revoked_at is not null',
      [kid],
    );
    if (revoked.rowCount) throw new Error(`COUNTERSIGN_SIGNING_KEY was revoked (kid ${kid}); make a new one`);
  });
}
