// Prints .env.example with our own secrets filled in at random: `node docker/new-env.mjs > .env`.
// What only the provider can give stays empty, and compose refuses to start until it is there.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { URL } from 'node:url';

const signingKey = () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  return `'${JSON.stringify(privateKey.export({ format: 'jwk' }))}'`;
};

const secretFor = (name) => {
  if (name.endsWith('_PASSWORD')) return randomBytes(24).toString('hex');
  if (name === 'COUNTERSIGN_HASH_KEY') return randomBytes(32).toString('hex');
  if (name === 'COUNTERSIGN_SIGNING_KEY') return signingKey();
  return '';
};

const example = readFileSync(new URL('../.env.example', import.meta.url), 'utf8');
process.stdout.write(example.replace(/^([A-Z_]+)=$/gm, (_line, name) => `${name}=${secretFor(name)}`));
