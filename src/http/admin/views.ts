import { z } from '@hono/zod-openapi';
import type { MintedKey } from '../../application/admin/apiKeys';
import type { Person } from '../../ports/directory';
import type { ApiKey, ChannelKey } from '../../ports/keys';

/** What the doors of administrators answer. */
const time = z.iso.datetime();
const end = time.nullable();
const states = z
  .enum(['active', 'unconfirmed', 'expired', 'revoked'])
  .describe('unconfirmed: waits for a second administrator and opens nothing');

export const tenantSchema = z
  .object({ id: z.string(), name: z.string(), active: z.boolean(), version: z.number().int() })
  .openapi('Tenant');

export const personSchema = z
  .object({
    id: z.string(),
    kind: z.enum(['person', 'service', 'agent']),
    displayName: z.string(),
    groups: z.array(z.string()),
    limit: z.string().nullable().openapi({ description: "Major units of the refund's currency; null: none" }),
    active: z.boolean(),
    version: z.number().int().describe('A change names the version that it was made from'),
    createdAt: time,
    updatedAt: time,
  })
  .openapi('Person');

export const groupSchema = z
  .object({
    name: z.string(),
    description: z.string(),
    members: z.array(z.string()),
    version: z.number().int(),
  })
  .openapi('Group');

export const keySchema = z
  .object({
    id: z.string(),
    person: z.string(),
    name: z.string(),
    scopes: z.array(z.string()),
    state: states,
    createdBy: z.string(),
    createdAt: time,
    confirmedBy: z.string().nullable(),
    expiresAt: end,
    revokedAt: end,
    replacedBy: z.string().nullable(),
    lastUsedAt: end.openapi({ description: 'To the hour' }),
  })
  .openapi('ApiKey');

export const mintedKeySchema = z
  .object({ key: keySchema, token: z.string().openapi({ description: 'Told once; only its hash is kept' }) })
  .openapi('MintedKey');

export const channelKeySchema = z
  .object({
    kid: z.string(),
    channel: z.string(),
    publicKey: z.object({ kty: z.string(), crv: z.string(), x: z.string() }),
    state: states,
    createdBy: z.string(),
    createdAt: time,
    confirmedBy: z.string().nullable(),
    expiresAt: end,
    revokedAt: end,
    replacedBy: z.string().nullable(),
  })
  .openapi('ChannelKey');

const iso = (at: number): string => new Date(at).toISOString();
const endOf = (at: number | null): string | null => (at === null ? null : iso(at));

export function personView(person: Person): z.infer<typeof personSchema> {
  const { id, kind, displayName, groups, limitMajor: limit, active, version, createdAt, updatedAt } = person;
  const times = { createdAt: iso(createdAt), updatedAt: iso(updatedAt) };
  return { id, kind, displayName, groups: [...groups], limit, active, version, ...times };
}

export function keyView(key: ApiKey): z.infer<typeof keySchema> {
  const { scopes, createdAt, expiresAt, revokedAt, lastUsedAt, ...rest } = key;
  return {
    ...rest,
    scopes: [...scopes],
    createdAt: iso(createdAt),
    expiresAt: endOf(expiresAt),
    revokedAt: endOf(revokedAt),
    lastUsedAt: endOf(lastUsedAt),
  };
}

export function mintedView({ key, token }: MintedKey): z.infer<typeof mintedKeySchema> {
  return { key: keyView(key), token };
}

export function channelKeyView(key: ChannelKey): z.infer<typeof channelKeySchema> {
  const { createdAt, expiresAt, revokedAt, ...rest } = key;
  return { ...rest, createdAt: iso(createdAt), expiresAt: endOf(expiresAt), revokedAt: endOf(revokedAt) };
}
