import { createHash } from 'node:crypto';

/** A key for payloads, 32 bytes. Its name follows from it, so no two keys can be confused under one name. */
export interface EncryptionKey {
  /** 16 hexadecimal digits, which stand beside each payload. */
  readonly id: string;
  readonly secret: Buffer;
}

const bytes = 32;

/**
 * Keys separated by commas, each 32 bytes in base64. The first encrypts; all decrypt, so a key is rotated by putting
 * a new one before it.
 * @throws RangeError that says which key is not of its form, never what it is
 */
export function parseEncryptionKeys(text: string): EncryptionKey[] {
  const keys = text.split(',').map((part, index) => parseKey(part.trim(), index + 1));
  for (const [index, { id }] of keys.entries()) {
    const first = keys.findIndex((key) => key.id === id);
    if (first !== index) throw new RangeError(`key ${index + 1} is key ${first + 1} again`);
  }
  return keys;
}

function parseKey(text: string, place: number): EncryptionKey {
  if (text === '') throw new RangeError(`key ${place} is empty; keys are separated by single commas`);
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) throw new RangeError(`key ${place} is not base64`);
  const secret = Buffer.from(text, 'base64');
  if (secret.length !== bytes)
    throw new RangeError(
      `key ${place} has ${secret.length} bytes, ${bytes} are wanted; make one with: openssl rand -base64 32`,
    );
  return { id: keyId(secret), secret };
}

/** Of 256 random bits, so that nobody finds the key by it. */
function keyId(secret: Buffer): string {
  return createHash('sha256').update('countersign payload key\n').update(secret).digest('hex').slice(0, 16);
}
