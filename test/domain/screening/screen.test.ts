import fc from 'fast-check';
import { neverStored } from '../../../src/domain/screening/finding';
import { redact, refusedKinds, screenText } from '../../../src/domain/screening/screen';

const kinds = (text: string): string[] => screenText(text).map(({ kind }) => kind);

describe('bank accounts', () => {
  it.each([
    'DE89370400440532013000',
    'de89 3704 0044 0532 0130 00',
    'IBAN:GB29NWBK60161331926819',
    'my iban is FR14 2004 1010 0505 0001 3M02 606.',
    'ＮＬ９１ＡＢＮＡ０４１７１６４３００',
    'NL91\u200bABNA\u200b0417164300',
    'routing number 021000021',
    'bank account no. 12345678',
  ])('R39: finds %s', (text) => {
    expect(kinds(text)).toEqual(['bank_account']);
  });

  it.each(['DE89370400440532013001', 'order DE12 of 2024', 'my account 12345678', 'AB12CD34EF56GH78IJ90'])(
    'leaves %s alone',
    (text) => {
      expect(kinds(text)).toEqual([]);
    },
  );
});

describe('national ids', () => {
  it.each([
    '123-45-6789',
    'my SSN is 123456789',
    'AB 12 34 56 C',
    'NINO: AB123456C',
    '529.982.247-25',
    '11010519491231002X',
    'RSSMRA85T10A562S',
    '1 85 05 78 006 084 91',
    'aadhaar 2345 6789 0123',
    'passport number C01X00T47',
    '１２３-４５-６７８９',
  ])('R43: finds %s', (text) => {
    expect(kinds(text)).toEqual(['national_id']);
  });

  it.each([
    '000-12-3456',
    '666-12-3456',
    '111.111.111-11',
    'part 12-345-6789',
    'passport control took 2 hours',
    'AB123456C',
  ])('leaves %s alone', (text) => {
    expect(kinds(text)).toEqual([]);
  });
});

describe('secrets', () => {
  // Put together here, so that no scanner takes this file for a leak.
  const body = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';
  it.each([
    `sk_${'live'}_${body}`,
    `rk_${'test'}_${body}`,
    `whsec_${body}`,
    `AKIA${'IOSFODNN7EXAMPLE'}`,
    `ghp_${body}`,
    `github_pat_${body}`,
    `xoxb-${'123456789012'}-${body}`,
    `eyJhbGciOiJIUzI1NiJ9.${'eyJzdWIiOiIxIn0'}.${body}`,
    `-----BEGIN RSA ${'PRIVATE'} KEY-----\nMIIEow\n-----END`,
    `Authorization: Bearer ${body}`,
    'my password is hunter2',
    'My PASSWORD is: swordfish',
    'my pass\u200bword is hunter2',
    'mi contraseña es gato123',
    'mon mot de passe est soleil99',
    'Mein Passwort lautet Sommer24',
    '密码是abc12345',
    'পাসওয়ার্ড: abc12345',
    `api_key=${body}`,
    `client secret: ${body}`,
    `postgres://app:${'s3cret'}@db.example/x`,
    'my pin is 4821',
  ])('R39: finds a secret in %s', (text) => {
    expect(kinds(text)).toContain('secret');
  });

  it.each([
    'I forgot my password',
    'the password is not working',
    'password reset mail never came',
    'Idempotency-Key: 9b2f0c1e-6a55-4d0e-9f7a-3d2b8c9e1a11',
    'the secret of good service',
    'bearer of bad news',
    'deliver to pin code 560001',
    'https://shop.example:8443/orders/1234',
    'skating shoes, size 42',
  ])('leaves "%s" alone', (text) => {
    expect(kinds(text)).toEqual([]);
  });

  it.each(['cvv 123', 'CVC: 4567', 'the security code is 123', 'cvv２ １２３', 'código de seguridad 123'])(
    'R39: finds a named card security code in %s',
    (text) => {
      expect(kinds(text)).toEqual(['card_security_code']);
    },
  );
});

describe('personal data and health', () => {
  it.each([
    'ann@example.com',
    'ＡＮＮ＠ｅｘａｍｐｌｅ．ｃｏｍ',
    '+44 20 7946 0958',
    'call me on 555 010 9988',
    '221b Baker Street',
    'Hauptstraße 5',
  ])('finds %s, and the refund door lets it in', (text) => {
    expect(kinds(text)).toEqual(['personal']);
    expect(refusedKinds(text)).toEqual([]);
  });

  it.each([
    'diagnosed with diabetes',
    'estoy embarazada',
    'ich bin schwanger',
    '我有糖尿病',
    'আমার ডায়াবেটিস আছে',
  ])('R43: finds health in %s', (text) => {
    expect(kinds(text)).toContain('health');
  });

  it('leaves everyday notes alone', () => {
    for (const note of [
      'Parcel 3 of 5 arrived damaged, photos attached. Refund 49.00 USD please.',
      'Customer asked on 2024-05-30 and 2024-06-12; order ORDER-42, 3 items at 12.50, 20.00 and 100.00 EUR',
      'Answer in English. Store credit is fine.',
      'Le colis est arrivé cassé, merci de rembourser 120,00 EUR',
      'পণ্যটি ভাঙা ছিল, ১২০.০০ টাকা ফেরত দিন',
    ]) {
      expect({ note, kinds: kinds(note) }).toEqual({ note, kinds: [] });
    }
  });
});

describe('findings', () => {
  it('R39: say where and what kind, never the value; redaction leaves nothing of it', () => {
    const text = 'a ４２４２ 4242\u200b 4242 4242 b ann@example.com cvv 123 c';
    expect(Object.keys(screenText(text)[0] ?? {}).sort()).toEqual(['end', 'kind', 'start']);
    expect(redact(text)).toBe(
      'a [redacted:card_number] b [redacted:personal] [redacted:card_security_code] c',
    );
  });

  it('a private key is redacted with its body', () => {
    const key = `x -----BEGIN ${'PRIVATE'} KEY-----\nMIIEowIBAAKCAQEA\nabc=\n-----END ${'PRIVATE'} KEY-----`;
    expect(redact(key)).toBe('x [redacted:secret]');
  });

  it('redaction is stable and offsets are within the text, whatever the text', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.constantFrom(
        '4242 4242 4242 4242',
        'ann@example.com',
        '\u200b',
        '123-45-6789',
        'my password is x1y2z3',
        '\ufdfa',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join(' ');
        let end = 0;
        for (const finding of screenText(text)) {
          expect(finding.start).toBeGreaterThanOrEqual(end);
          expect(finding.end).toBeGreaterThan(finding.start);
          end = finding.end;
        }
        expect(end).toBeLessThanOrEqual(text.length);
        expect(refusedKinds(redact(text), neverStored)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
