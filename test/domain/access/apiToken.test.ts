import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { isTokenFormed, tokenFrom, withCheck } from '../../../src/domain/access/apiToken';
import { refusedKinds } from '../../../src/domain/screening/screen';

describe('API tokens', () => {
  const token = tokenFrom(randomBytes(48));

  test('have a prefix that a scanner knows, and more randomness than anybody can guess', () => {
    expect(token).toMatch(/^cs_[0-9A-Za-z]{40,60}$/);
    expect(new Set(Array.from({ length: 200 }, () => tokenFrom(randomBytes(48)))).size).toBe(200);
  });

  test('end in the CRC-32 of the rest, in base 62', () => {
    const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    const value = [...token.slice(-6)].reduce((sum, letter) => sum * 62 + alphabet.indexOf(letter), 0);
    expect(value).toBe(crc32(token.slice(0, -6)));
  });

  test('a single wrong, missing or doubled letter is noticed at every place', () => {
    expect(isTokenFormed(token)).toBe(true);
    for (let i = 3; i < token.length; i += 1) {
      const other = token[i] === 'x' ? 'y' : 'x';
      expect(isTokenFormed(token.slice(0, i) + other + token.slice(i + 1))).toBe(false);
      expect(isTokenFormed(token.slice(0, i) + token.slice(i + 1))).toBe(false);
      expect(isTokenFormed(`${token.slice(0, i)}x${token.slice(i)}`)).toBe(false);
    }
    for (const nothing of ['', 'cs_', 'Bearer', `x${token}`, ` ${token}`, `${token} `, withCheck('cs_short')])
      expect(isTokenFormed(nothing)).toBe(false);
  });

  test("R39: screening takes ours for secrets, and a provider's ids with the same prefix for ids", () => {
    expect(refusedKinds(`my key is in the note ${token}, sorry`)).toEqual(['secret']);
    expect(refusedKinds('session cs_live_a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6 was paid')).toEqual([]);
  });
});
