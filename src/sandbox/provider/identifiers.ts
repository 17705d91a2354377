import { createHash, randomBytes } from 'node:crypto';

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A new id in Stripe's form, `<prefix>_` and 24 letters and digits. */
export function newId(prefix: 'ch' | 'pi' | 're' | 'dp' | 'evt' | 'we' | 'req' | 'whsec'): string {
  let id = '';
  for (const byte of randomBytes(24)) id += letters.charAt(byte % letters.length);
  return `${prefix}_${id}`;
}

/** The account that a secret key stands for. Only this digest is stored, never the key. */
export function accountOfKey(apiKey: string): string {
  return `acct_${createHash('sha256').update(apiKey).digest('hex').slice(0, 16)}`;
}
