import { CompactSign, exportJWK, generateKeyPair, importJWK, type CryptoKey, type JWK } from 'jose';
import { Database } from '../../../src/adapters/postgres/database';
import { ChannelSignatures } from '../../../src/adapters/signatures';
import type { DecisionEnvelope } from '../../../src/domain/approval/decision';
import { registerChannelKey } from '../../../src/main/signingKey';
import { createDatabase, query, type TestDatabase } from '../../support/database';

let database: TestDatabase;
let pool: Database;
let verifier: ChannelSignatures;
let ours: JWK;

beforeAll(async () => {
  database = await createDatabase();
  pool = new Database(database.url);
  verifier = new ChannelSignatures(pool);
  ours = await registered('ours');
});
afterAll(async () => {
  await pool.close();
  await database.drop();
});

const envelope: DecisionEnvelope = {
  tenant: 'acme',
  runId: 'run_1',
  approvalId: 'apr_1',
  decisionId: 'dec_1',
  decision: 'edit',
  proposalHash: 'a'.repeat(64),
  revision: 2,
  arguments: { amount: { value: '100.00', currency: 'USD' } },
  actor: 'lead',
  receivedAt: 1_793_491_200_000,
};
const type = 'countersign-decision+jws';

async function newKey(kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  return { ...(await exportJWK(privateKey)), kid };
}

async function registered(kid: string, tenant: string | null = null): Promise<JWK> {
  const key = await newKey(kid);
  await registerChannelKey(database.ownerUrl, key);
  await query(database.ownerUrl, 'update channel_keys set tenant = $2 where kid = $1', [kid, tenant]);
  return key;
}

const sign = (content: unknown, key: JWK) =>
  new ChannelSignatures(pool, key).sign(content as DecisionEnvelope);

/** A JWS with any header and payload, which our own signing would not make. */
async function crafted(
  header: Record<string, unknown>,
  payload: string,
  key: JWK | CryptoKey | Uint8Array,
  alg = 'EdDSA',
): Promise<string> {
  const signer = key instanceof Uint8Array || !('kty' in key) ? key : await importJWK(key, alg);
  return new CompactSign(new TextEncoder().encode(payload))
    .setProtectedHeader({ alg, typ: type, kid: 'ours', ...header })
    .sign(signer);
}

const refused = (jws: string) =>
  expect(verifier.verify(jws)).rejects.toMatchObject({ code: 'signature_invalid', details: {} });

describe('a signed decision', () => {
  test('R29: comes back as it was signed, with the channel that signed it', async () => {
    expect(await verifier.verify(await sign(envelope, ours))).toEqual({
      ...envelope,
      channel: 'signed:ours',
    });
  });

  test('R29: any changed character makes it worthless', async () => {
    const jws = await sign(envelope, ours);
    const parts = jws.split('.') as [string, string, string];
    for (const [part, text] of parts.entries()) {
      for (const at of [0, Math.floor(text.length / 2), text.length - 3]) {
        const other = text[at] === 'A' ? 'B' : 'A';
        const changed = parts.with(part, text.slice(0, at) + other + text.slice(at + 1));
        await refused(changed.join('.'));
      }
    }
    await refused(parts.slice(0, 2).join('.'));
    await refused(`${parts[0]}.${parts[1]}.`);
  });

  test('R29: another payload under an old signature is refused', async () => {
    const [header, , signature] = (await sign(envelope, ours)).split('.');
    const other = Buffer.from(JSON.stringify({ ...envelope, actor: 'admin' })).toString('base64url');
    await refused(`${header}.${other}.${signature}`);
  });

  test('R29: another algorithm, none at all, or our public key as a shared secret is refused', async () => {
    const payload = JSON.stringify(envelope);
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: type, kid: 'ours' })).toString('base64url');
    await refused(`${none}.${Buffer.from(payload).toString('base64url')}.`);
    const secret = Buffer.from(ours.x ?? '', 'base64url');
    await refused(await crafted({}, payload, secret, 'HS256'));
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    await refused(await crafted({}, payload, privateKey, 'ES256'));
  });

  test.each([
    ['another type', { typ: 'JWT' }],
    ['no type', { typ: undefined }],
    ['no key id', { kid: undefined }],
    ['a key id that nobody registered', { kid: 'theirs' }],
    ['a critical extension', { crit: ['exp'], exp: 1 }],
  ])('R29: %s is refused, although the signature is right', async (_what, header) => {
    const right = await crafted({}, JSON.stringify(envelope), ours);
    expect(await verifier.verify(right)).toMatchObject({ actor: 'lead' });
    const jws = await crafted(header, JSON.stringify(envelope), ours).catch(() => 'not even signable');
    await refused(jws);
  });

  test.each([
    ['an unknown field', { ...envelope, comment: 'free text' }],
    ['no actor', { ...envelope, actor: undefined }],
    ['another decision', { ...envelope, decision: 'bless' }],
    ['a time that is none', { ...envelope, receivedAt: -1 }],
    ['something else entirely', ['approve']],
  ])('R29: a payload with %s is refused', async (_what, payload) => {
    await refused(await crafted({}, JSON.stringify(payload), ours));
  });

  test('R29: a payload that is no JSON is refused', async () => {
    await refused(await crafted({}, 'approve!', ours));
  });

  test('R38: a key that is bound to a tenant signs for that tenant alone', async () => {
    const theirs = await registered('globex-key', 'globex');
    await refused(await sign(envelope, theirs));
    expect(await verifier.verify(await sign({ ...envelope, tenant: 'globex' }, theirs))).toMatchObject({
      tenant: 'globex',
    });
  });

  test('R29: a key that was not registered, or is revoked, signs nothing any more', async () => {
    await refused(await sign(envelope, await newKey('ours')));
    const revoked = await registered('revoked');
    const jws = await sign(envelope, revoked);
    expect(await verifier.verify(jws)).toMatchObject({ actor: 'lead' });
    await query(database.ownerUrl, `update channel_keys set revoked_at = now() where kid = 'revoked'`);
    await refused(jws);
  });

  test('R26: a key store that does not answer is no verdict about the signature', async () => {
    const jws = await sign(envelope, ours);
    const away = new Database('postgresql://nobody@127.0.0.1:1/nothing');
    const verdict = await new ChannelSignatures(away).verify(jws).catch((error: unknown) => error);
    await away.close();
    expect(verdict).toMatchObject({ code: 'ECONNREFUSED' });
  });
});
