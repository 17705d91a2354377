import type { Payload } from '@temporalio/common';
import type { SealedPayloads, WirePayload } from '../../ports/payloads';
import { EncryptionCodec } from './encryption';
import type { EncryptionKey } from './encryptionKeys';

/** The payloads of encrypted histories, opened with the keys of this process. */
export class TemporalSealedPayloads implements SealedPayloads {
  private readonly codec: EncryptionCodec;

  constructor(keys: readonly EncryptionKey[]) {
    this.codec = new EncryptionCodec(keys);
  }

  reveal(tenant: string, payloads: readonly WirePayload[]): WirePayload[] {
    return payloads.map((payload) => toWire(this.codec.reveal(tenant, fromWire(payload))));
  }
}

function fromWire({ metadata, data }: WirePayload): Payload {
  const bytes = Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')]);
  return {
    metadata: Object.fromEntries(bytes) as Record<string, Buffer>,
    ...(data === undefined ? {} : { data: Buffer.from(data, 'base64') }),
  };
}

function toWire({ metadata, data }: Payload): WirePayload {
  const texts = Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)]);
  return {
    metadata: Object.fromEntries(texts) as Record<string, string>,
    ...(data ? { data: base64(data) } : {}),
  };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
