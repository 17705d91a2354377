import { z } from 'zod';
import { freeText } from '../refund/request';
import { versionRead } from '../version';
import { scopeNames } from './scopes';

/** What administrators send. Ids stand in the audit log for good, so they are handles, not e-mail addresses. */
export const personId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'a handle of a-z, 0-9, point, dash and underscore, at most 64');
/** Who stands in the audit log beside people. */
const reserved = new Set(['countersign', 'owner', 'policy', 'unknown', 'workflow']);

export const groupName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'a-z, 0-9 and dash, at most 64');
export const tenantId = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'a-z, 0-9 and dash, at most 40');
export const displayName = freeText
  .max(100)
  .refine((text) => text.trim() !== '' && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), 'one line that is not empty')
  .meta({ minLength: 1 });
const label = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'a-z, 0-9, point, dash and underscore, at most 64');
const groupList = z.array(groupName).max(50);
/** Major units of whatever currency a refund has; null is no limit. */
const limit = z
  .string()
  .regex(/^(0|[1-9]\d{0,11})(\.\d{1,4})?$/, 'a decimal string such as "5000.00"')
  .nullable();

export const tenantChange = z.strictObject({ name: displayName, version: versionRead });

export const newPerson = z.strictObject({
  id: personId.refine((id) => !reserved.has(id), 'that is a name of Countersign itself'),
  kind: z.enum(['person', 'service', 'agent']),
  displayName,
  groups: groupList.default([]),
  limit: limit.default(null),
});
export type NewPerson = z.infer<typeof newPerson>;

export const personChange = z.strictObject({
  version: versionRead,
  displayName: displayName.optional(),
  groups: groupList.optional(),
  limit: limit.optional(),
  active: z.boolean().optional(),
});
export type PersonChange = z.infer<typeof personChange>;

export const newGroup = z.strictObject({ name: groupName, description: freeText.max(200).default('') });
export type NewGroup = z.infer<typeof newGroup>;

export const groupChange = z.strictObject({
  version: versionRead,
  description: freeText.max(200).optional(),
  add: z.array(personId).max(100).default([]),
  remove: z.array(personId).max(100).default([]),
});
export type GroupChange = z.infer<typeof groupChange>;

const overlapHours = z
  .int()
  .min(0)
  .max(30 * 24);

export const newKey = z.strictObject({
  person: personId,
  /** Tells one key of a person from his others; no two that live have one name. */
  name: label,
  scopes: z.array(z.enum(scopeNames)).min(1).max(scopeNames.length),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
});
export type NewKey = z.infer<typeof newKey>;

/** For how long the old one goes on beside the new. */
export const rotation = z.strictObject({ overlapHours: overlapHours.default(24) });

export const revocation = z.strictObject({ reason: freeText.min(1).max(500) });

const publicKey = z.strictObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'an Ed25519 public key, base64url'),
});
export type PublicKey = z.infer<typeof publicKey>;

const kid = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, 'letters, digits, point, dash, underscore');

export const newChannelKey = z.strictObject({
  channel: label,
  /** As the channel names it in its signatures; without it, the key's own thumbprint (RFC 7638). */
  kid: kid.optional(),
  publicKey,
});
export type NewChannelKey = z.infer<typeof newChannelKey>;

export const channelRotation = z.strictObject({
  kid: kid.optional(),
  publicKey,
  overlapHours: overlapHours.default(24),
});
export type ChannelRotation = z.infer<typeof channelRotation>;
