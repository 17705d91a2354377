import { existsSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { z } from 'zod';
import type { PublicKey } from '../../client';
import { callsApi, connect, readsApi, type ConnectionOptions } from '../connection';
import { UsageError } from '../failure';
import { answer, example, remark } from '../output';
import { confirm, confirms, type Confirmable } from './confirmation';
import { overlaps } from './key';
import { channelTable } from './text';
import { shown } from '../watch';

interface KeyOptions extends ConnectionOptions {
  readonly publicKey: string;
  readonly kid?: string;
}

/** `countersign admin channel …` */
export function addChannelCommands(admin: Command): void {
  const channel = admin.command('channel').description('public keys of the channels that sign decisions');

  readsApi(channel.command('list').description('by channel'))
    .addHelpText('after', example('admin channel list'))
    .action(async (options: ConnectionOptions) => {
      await shown(options, {
        read: () => connect(options).admin.channelKeys(),
        text: (page) => channelTable(page.items),
      });
    });

  readsApi(channel.command('show').description('one of them').argument('<kid>'))
    .addHelpText('after', example('admin channel show 8f2c'))
    .action(async (kid: string, options: ConnectionOptions) => {
      await shown(options, {
        read: () => connect(options).admin.channelKey(kid),
        text: (found) => channelTable([found]),
      });
    });

  namesKey(
    callsApi(
      channel.command('register').description('a public key, to be confirmed by another administrator'),
    ).requiredOption('--channel <name>', 'such as slack'),
  )
    .addHelpText('after', example('admin channel register --channel slack --public-key slack.jwk'))
    .action(async ({ channel: name, kid, publicKey, ...options }: KeyOptions & { channel: string }) => {
      const key = {
        channel: name,
        publicKey: readPublicKey(publicKey),
        ...(kid === undefined ? {} : { kid }),
      };
      const registered = await connect(options).admin.registerChannelKey(key);
      answer(options.json, registered, () => channelTable([registered]));
      remark(options.json, toConfirm(registered.kid));
    });

  callsApi(
    channel.command('confirm').description('confirm what another administrator registered').argument('<kid>'),
  )
    .addHelpText('after', example('admin channel confirm 8f2c'))
    .action(async (kid: string, options: ConnectionOptions) => {
      const confirmed = await connect(options).admin.confirmChannelKey(kid);
      answer(options.json, confirmed, () => channelTable([confirmed]));
    });

  overlaps(
    namesKey(callsApi(channel.command('rotate').description('another key in its place').argument('<kid>'))),
  )
    .addHelpText('after', example('admin channel rotate 8f2c --public-key next.jwk --overlap-hours 48'))
    .action(
      async (
        old: string,
        { publicKey, kid, overlapHours, ...options }: KeyOptions & { overlapHours: number },
      ) => {
        const rotation = {
          publicKey: readPublicKey(publicKey),
          overlapHours,
          ...(kid === undefined ? {} : { kid }),
        };
        const added = await connect(options).admin.rotateChannelKey(old, rotation);
        answer(options.json, added, () => channelTable([added]));
        remark(options.json, toConfirm(added.kid));
      },
    );

  confirms(
    callsApi(
      channel
        .command('revoke')
        .description('end a key at once; votes that it signed and that are not paid yet count no more')
        .argument('<kid>')
        .requiredOption('--reason <text>', 'why; it is kept for good'),
    ),
  )
    .addHelpText('after', example('admin channel revoke 8f2c --reason "host compromised" --yes'))
    .action(async (kid: string, options: ConnectionOptions & Confirmable & { reason: string }) => {
      await confirm(options, `Nothing that ${kid} signed counts any more.`);
      const revoked = await connect(options).admin.revokeChannelKey(kid, options.reason);
      answer(options.json, revoked, () => channelTable([revoked]));
    });
}

function namesKey(command: Command): Command {
  return command
    .requiredOption('--public-key <jwk>', 'an Ed25519 public key as JWK: a file, or the JSON itself')
    .option('--kid <kid>', "as its signatures name it; without it, the key's thumbprint");
}

const publicJwk = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  d: z.never().optional(),
});

/** A private key is never sent anywhere, also not by mistake. @throws UsageError */
function readPublicKey(given: string): PublicKey {
  const text = given.trimStart().startsWith('{') || !existsSync(given) ? given : readFileSync(given, 'utf8');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new UsageError('--public-key: neither a file that is there nor JSON');
  }
  const parsed = publicJwk.safeParse(json);
  if (!parsed.success)
    throw new UsageError(
      typeof json === 'object' && json !== null && 'd' in json
        ? '--public-key: that is the private key; keep it, and give the same JWK without "d"'
        : '--public-key: an Ed25519 public key as JWK is wanted: {"kty":"OKP","crv":"Ed25519","x":"…"}',
    );
  const { kty, crv, x } = parsed.data;
  return { kty, crv, x };
}

function toConfirm(kid: string): string {
  return `\nIt proves nothing until another administrator confirms it: countersign admin channel confirm ${kid}\n`;
}
