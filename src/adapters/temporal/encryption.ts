import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec, SerializationContext } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { EncryptionKey } from './encryptionKeys';

const cipher = 'aes-256-gcm';
const encoding = 'binary/encrypted';
const ivBytes = 12;
const tagBytes = 16;

const { Payload: PayloadMessage } = temporal.api.common.v1;

/**
 * Encrypts every payload under the first key with AES-256-GCM, bound to the tenant whose workflow it is of. What was
 * written without encryption is read as it is. Without keys nothing is encrypted, and what is encrypted is refused.
 *
 * A payload that doesn't decrypt under its own key is rubbish and is passed on as it is: the payload converter makes
 * its sentinel of it, so that it stalls no workflow task (R26). One under a key that this process lacks is an error,
 * which fails the task until the key is there: taking it for rubbish would end the run.
 */
export class EncryptionCodec implements PayloadCodec {
  private readonly keys: ReadonlyMap<string, EncryptionKey>;
  private readonly first: EncryptionKey | undefined;

  constructor(keys: readonly EncryptionKey[]) {
    this.keys = new Map(keys.map((key) => [key.id, key]));
    this.first = keys[0];
  }

  async encode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    const { first } = this;
    if (!first) return payloads;
    const tenant = tenantOf(context?.workflowId);
    return payloads.map((payload) => encrypt(first, tenant, payload));
  }

  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => this.decrypt(payload));
  }

  /** For people who look at one tenant's histories: only its payloads, and nothing that can't be decrypted, is opened. */
  reveal(tenant: string, payload: Payload): Payload {
    const sealed = sealOf(payload);
    return sealed && this.keys.has(sealed.keyId) && sealed.tenant === tenant
      ? this.decrypt(payload)
      : payload;
  }

  private decrypt(payload: Payload): Payload {
    const sealed = sealOf(payload);
    if (!sealed) return payload;
    const key = this.keys.get(sealed.keyId);
    if (!key)
      throw new Error(
        `a payload is encrypted under key ${sealed.keyId}, which COUNTERSIGN_ENCRYPTION_KEYS does not hold; add that key behind the first`,
      );
    try {
      return PayloadMessage.decode(opened(key, sealed));
    } catch {
      return payload;
    }
  }
}

interface Seal {
  readonly keyId: string;
  readonly tenant: string;
  readonly data: Uint8Array;
}

/** Undefined for what is not encrypted, or only says so. */
function sealOf({ metadata, data }: Payload): Seal | undefined {
  if (!metadata || textOf(metadata['encoding']) !== encoding) return undefined;
  const keyId = textOf(metadata['encryption-key-id']);
  if (!/^[0-9a-f]{16}$/.test(keyId) || !data || data.length < ivBytes + tagBytes) return undefined;
  return { keyId, tenant: textOf(metadata['countersign-tenant']), data };
}

function encrypt({ id, secret }: EncryptionKey, tenant: string, payload: Payload): Payload {
  const iv = randomBytes(ivBytes);
  const sealing = createCipheriv(cipher, secret, iv);
  sealing.setAAD(boundTo(id, tenant));
  const text = sealing.update(PayloadMessage.encode(payload).finish());
  return {
    metadata: {
      encoding: Buffer.from(encoding),
      'encryption-key-id': Buffer.from(id),
      'countersign-tenant': Buffer.from(tenant),
    },
    data: Buffer.concat([iv, text, sealing.final(), sealing.getAuthTag()]),
  };
}

function opened({ id, secret }: EncryptionKey, { tenant, data }: Seal): Buffer {
  const opening = createDecipheriv(cipher, secret, data.subarray(0, ivBytes), { authTagLength: tagBytes });
  opening.setAAD(boundTo(id, tenant));
  opening.setAuthTag(data.subarray(data.length - tagBytes));
  const text = opening.update(data.subarray(ivBytes, data.length - tagBytes));
  return Buffer.concat([text, opening.final()]);
}

function boundTo(keyId: string, tenant: string): Buffer {
  return Buffer.from(`${keyId}\n${tenant}`);
}

/** Workflow ids are `<type>/<tenant>/…`; a payload of any other is of no tenant. */
export function tenantOf(workflowId: string | undefined): string {
  return /^[a-z]+\/([a-z0-9][a-z0-9-]{0,39})(\/|$)/i.exec(workflowId ?? '')?.[1] ?? '';
}

function textOf(bytes: Uint8Array | null | undefined): string {
  return bytes ? Buffer.from(bytes).toString('utf8') : '';
}
