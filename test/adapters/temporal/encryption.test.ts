import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { EncryptionCodec } from '../../../src/adapters/temporal/encryption';
import { parseEncryptionKeys } from '../../../src/adapters/temporal/encryptionKeys';
import { readSettings } from '../../../src/main/settings';
import { payloadConverter, undecodable } from '../../../workflows/payloadConverter';

const [older, newer] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
const codecOf = (keys: string) => new EncryptionCodec(keys === '' ? [] : parseEncryptionKeys(keys));
const context = { type: 'workflow', namespace: 'n', workflowId: 'refund/acme/run_1' } as const;

const value = { paymentId: 'ch_secretive', note: 'a note' };
const plain = defaultPayloadConverter.toPayload(value);

async function sealed(keys: string): Promise<Payload> {
  const [payload] = await codecOf(keys).encode([plain], context);
  return payload!;
}

async function read(keys: string, payload: Payload): Promise<unknown> {
  const [opened] = await codecOf(keys).decode([payload]);
  return payloadConverter.fromPayload(opened!);
}

const altered = (payload: Payload, change: (data: Buffer) => void): Payload => {
  const data = Buffer.from(payload.data!);
  change(data);
  return { ...payload, data };
};

describe('payloads of histories', () => {
  test('R40: are ciphertext, another one each time, and say by which key and of which tenant they are', async () => {
    const [one, other] = [await sealed(newer), await sealed(newer)];
    const texts = Object.entries(one.metadata!).map(([k, v]) => [k, Buffer.from(v).toString()]);
    expect(Object.fromEntries(texts)).toEqual({
      encoding: 'binary/encrypted',
      'encryption-key-id': parseEncryptionKeys(newer)[0]!.id,
      'countersign-tenant': 'acme',
    });
    expect(Buffer.from(one.data!).toString('latin1')).not.toContain('secretive');
    expect(Buffer.from(one.data!).equals(Buffer.from(other.data!))).toBe(false);
    expect(await read(newer, one)).toEqual(value);
  });

  test('R40: written under an older key, or under none, they are read as before', async () => {
    expect(await read(`${newer},${older}`, await sealed(older))).toEqual(value);
    expect(await read(newer, plain)).toEqual(value);
    expect(await read(newer, await sealed(''))).toEqual(value);
  });

  test.each(['', older])(
    'R40: without their key the task fails and names it, it ends no run',
    async (keys) => {
      const { id } = parseEncryptionKeys(newer)[0]!;
      await expect(read(keys, await sealed(newer))).rejects.toThrow(`encrypted under key ${id}`);
    },
  );

  test('R26: rubbish that calls itself encrypted, and ciphertext that was changed or moved to another tenant, is the sentinel', async () => {
    const payload = await sealed(newer);
    const foreign = {
      ...payload,
      metadata: { ...payload.metadata, 'countersign-tenant': Buffer.from('globex') },
    };
    const rubbish = [
      foreign,
      altered(payload, (data) => (data[data.length - 1]! ^= 1)),
      altered(payload, (data) => (data[0]! ^= 1)),
      altered(payload, (data) => (data[15]! ^= 1)),
      { ...payload, data: Buffer.from('short') },
      { ...payload, metadata: { ...payload.metadata, 'encryption-key-id': Buffer.from('mine') } },
      { metadata: { encoding: Buffer.from('binary/encrypted') } },
    ];
    for (const item of rubbish) expect(await read(newer, item)).toEqual(undecodable);
  });

  test('R38: are opened for the administrators of their own tenant only', async () => {
    const payload = await sealed(newer);
    const codec = codecOf(newer);
    expect(codec.reveal('acme', payload)).toMatchObject({ data: plain.data });
    expect(codec.reveal('globex', payload)).toBe(payload);
    expect(codec.reveal('', payload)).toBe(payload);
    expect(codecOf(older).reveal('acme', payload)).toBe(payload);
  });
});

describe('COUNTERSIGN_ENCRYPTION_KEYS', () => {
  test.each([
    ['nonsense!', 'key 1 is not base64'],
    [`${newer},`, 'key 2 is empty; keys are separated by single commas'],
    [`${newer},${randomBytes(16).toString('base64')}`, 'key 2 has 16 bytes, 32 are wanted'],
    [`${newer}, ${newer}`, 'key 2 is key 1 again'],
  ])(
    'R40: a malformed list stops every process at its start, and says what is wrong without the key',
    (keys, why) => {
      const failing = () => readSettings({ COUNTERSIGN_ENCRYPTION_KEYS: keys });
      expect(failing).toThrow(`COUNTERSIGN_ENCRYPTION_KEYS: ${why}`);
      expect(failing).not.toThrow(newer);
    },
  );
});
