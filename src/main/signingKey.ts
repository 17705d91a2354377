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

/** Registers the public half, so that workers accept what the API signs. `ownerUrl` is the migrating role's. */
export async function registerChannelKey(ownerUrl: string, privateJwk: JWK): Promise<void> {
  const { kty, crv, x, kid } = privateJwk;
  await withConnection(ownerUrl, (client) =>
    client.query(`insert into channel_keys (kid, public_jwk) values ($1, $2) on conflict do nothing`, [
      kid,
      JSON.stringify({ kty, crv, x }),
    ]),
  );
}
