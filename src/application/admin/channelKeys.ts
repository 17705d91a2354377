import { calculateJwkThumbprint, importJWK } from 'jose';
import type { ChannelRotation, NewChannelKey, PublicKey } from '../../domain/access/bodies';
import { awaitsConfirmation, unfit } from '../../domain/access/separation';
import { CountersignError } from '../../domain/errors';
import type { ChannelKey } from '../../ports/keys';
import type { Principal } from '../../ports/people';
import type { Unit } from '../../ports/store';
import type { UseCases } from '../dependencies';
import { refuseSensitive } from '../freeText';
import { administer, auditChange, readAsAdministrator } from './administer';
import { maybeOneHuman } from './apiKeys';

const hourMs = 3_600_000;

export async function listChannelKeys(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
): Promise<ChannelKey[]> {
  return readAsAdministrator(useCases, principal, ({ channelKeys }) => channelKeys.list());
}

/** @throws CountersignError not_found */
export async function showChannelKey(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
  kid: string,
): Promise<ChannelKey> {
  return readAsAdministrator(useCases, principal, (unit) => channelKeyOr404(unit, kid));
}

/**
 * The public half of a channel's key. A channel says who decided, so its key proves nothing until another administrator
 * has confirmed it. @throws CountersignError invalid_request, already_exists
 */
export async function registerChannelKey(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
  body: NewChannelKey,
): Promise<ChannelKey> {
  const { channel, publicKey } = body;
  const kid = body.kid ?? (await thumbprint(publicKey));
  return administer(useCases, principal, `register key ${kid} of channel ${channel}`, (unit) =>
    register(unit, principal, kid, channel, publicKey),
  );
}

/** By somebody else than who registered it. @throws CountersignError not_found, separation_of_duties, key_ended */
export async function confirmChannelKey(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
  kid: string,
): Promise<ChannelKey> {
  return administer(useCases, principal, `confirm channel key ${kid}`, async (unit, actor) => {
    const before = await channelKeyOr404(unit, kid);
    const oneHuman = await maybeOneHuman(unit, actor.id, before.createdBy);
    if (!awaitsConfirmation(actor, before, oneHuman)) return before;
    const after = await unit.channelKeys.confirm(kid, actor.id);
    await auditChange(unit, principal, {
      event: 'channel_key_confirmed',
      before: summary(before),
      after: summary(after),
    });
    return after;
  });
}

/**
 * Another key for the same channel, to be confirmed; what the old one signs counts for `overlapHours` at most.
 * @throws CountersignError not_found, invalid_request, already_exists, key_ended
 */
export async function rotateChannelKey(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
  of: string,
  { publicKey, overlapHours, ...named }: ChannelRotation,
): Promise<ChannelKey> {
  const kid = named.kid ?? (await thumbprint(publicKey));
  return administer(useCases, principal, `rotate channel key ${of}`, async (unit) => {
    const before = await channelKeyOr404(unit, of);
    if (before.replacedBy !== null)
      throw new CountersignError('key_ended', `it was rotated already, by ${before.replacedBy}`);
    if (before.state === 'revoked' || before.state === 'expired') throw new CountersignError('key_ended');
    const added = await register(unit, principal, kid, before.channel, publicKey);
    const ended = await unit.channelKeys.replace(of, kid, overlapHours * hourMs);
    await auditChange(unit, principal, {
      event: 'channel_key_rotated',
      before: summary(ended),
      after: summary(added),
    });
    return added;
  });
}

/**
 * At once and for good: nothing that it signed counts any more, also a vote that it brought and that is not paid yet.
 * @throws CountersignError not_found, sensitive_text
 */
export async function revokeChannelKey(
  useCases: Pick<UseCases, 'store'>,
  principal: Principal,
  kid: string,
  reason: string,
): Promise<ChannelKey> {
  refuseSensitive('reason', reason);
  return administer(useCases, principal, `revoke channel key ${kid}`, async (unit) => {
    const before = await channelKeyOr404(unit, kid);
    if (before.state === 'revoked') return before;
    const after = await unit.channelKeys.revoke(kid);
    await auditChange(unit, principal, {
      event: 'channel_key_revoked',
      before: summary(before),
      after: summary(after),
      reason,
    });
    return after;
  });
}

async function register(
  unit: Unit,
  principal: Principal,
  kid: string,
  channel: string,
  publicKey: PublicKey,
): Promise<ChannelKey> {
  const added = await unit.channelKeys.add({ kid, channel, publicKey, createdBy: principal.id });
  if (!added) throw new CountersignError('already_exists', `there is a channel key ${kid} already`);
  await auditChange(unit, principal, { event: 'channel_key_registered', after: summary(added) });
  return added;
}

/** @throws CountersignError invalid_request */
async function thumbprint(publicKey: PublicKey): Promise<string> {
  try {
    await importJWK(publicKey, 'EdDSA');
    return await calculateJwkThumbprint(publicKey);
  } catch {
    throw unfit('publicKey', 'that is no Ed25519 public key');
  }
}

async function channelKeyOr404({ channelKeys }: Unit, kid: string): Promise<ChannelKey> {
  const key = await channelKeys.find(kid);
  if (!key) throw new CountersignError('not_found');
  return key;
}

function summary(key: ChannelKey): Record<string, unknown> {
  const { kid, channel, state, confirmedBy, expiresAt, replacedBy } = key;
  return { kid, channel, state, confirmedBy, expiresAt, replacedBy };
}
