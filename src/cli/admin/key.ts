import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Identity, KeyState, Scope } from '../../client';
import { scopes } from '../../domain/access/scopes';
import { callsApi, connect, readsApi, type ConnectionOptions } from '../connection';
import { answer, example } from '../output';
import { fields } from '../terminal/text';
import { moment } from '../terminal/time';
import { confirm, confirms, several, type Confirmable } from './confirmation';
import { keyTable, tokenPage } from './text';
import { shown } from '../watch';

interface CreateOptions extends ConnectionOptions {
  readonly person: string;
  readonly name: string;
  readonly scope: string[];
  readonly expiresInDays?: number;
}

const dayMs = 86_400_000;
const scopeHelp = `\nScopes, which only narrow what the person's groups allow:\n${fields(Object.entries(scopes))}`;

/** `countersign admin key …` */
export function addKeyCommands(admin: Command): void {
  const key = admin.command('key').description('API keys: who calls, and which doors his key opens');

  readsApi(
    key
      .command('list')
      .description('by person; never their tokens')
      .option('--person <id>')
      .addOption(new Option('--state <state>').choices(['active', 'unconfirmed', 'expired', 'revoked'])),
  )
    .addHelpText('after', example('admin key list --state unconfirmed'))
    .action(async (options: ConnectionOptions & { person?: string; state?: KeyState }) => {
      const { person, state } = options;
      await shown(options, {
        read: () => connect(options).admin.keys({ person, state }),
        text: (page) => keyTable(page.items),
      });
    });

  readsApi(key.command('show').description('one of them; never its token').argument('<id>'))
    .addHelpText('after', example('admin key show key_7f3a'))
    .action(async (id: string, options: ConnectionOptions) => {
      await shown(options, {
        read: () => connect(options).admin.key(id),
        text: (found) => keyTable([found]),
      });
    });

  callsApi(
    key
      .command('create')
      .description('make a key and print its token, once')
      .requiredOption('--person <id>', 'whom it stands for')
      .requiredOption('--name <name>', 'tells it from his others, such as laptop')
      .requiredOption('--scope <scope>', 'what it opens; may be repeated', several)
      .option('--expires-in-days <n>', 'when it ends; without it, when it is revoked', wholeNumber),
  )
    .addHelpText('after', scopeHelp)
    .addHelpText(
      'after',
      example(
        'admin key create --person shop --name live --scope refunds:propose --scope refunds:read',
        'admin key create --person m.ortiz --name laptop --scope approvals:read --scope approvals:decide',
      ),
    )
    .action(async ({ person, name, scope, expiresInDays, ...options }: CreateOptions) => {
      const minted = await connect(options).admin.createKey({
        person,
        name,
        scopes: scope as Scope[],
        ...(expiresInDays === undefined
          ? {}
          : { expiresAt: new Date(Date.now() + expiresInDays * dayMs).toISOString() }),
      });
      answer(options.json, minted, () => tokenPage(minted));
    });

  callsApi(
    key
      .command('confirm')
      .description('confirm a key that another administrator made for somebody who decides or administers')
      .argument('<id>'),
  )
    .addHelpText('after', example('admin key confirm key_7f3a'))
    .action(async (id: string, options: ConnectionOptions) => {
      const confirmed = await connect(options).admin.confirmKey(id);
      answer(options.json, confirmed, () => keyTable([confirmed]));
    });

  overlaps(
    callsApi(key.command('rotate').description('another token in its place, printed once').argument('<id>')),
  )
    .addHelpText('after', example('admin key rotate key_7f3a --overlap-hours 48'))
    .action(
      async (id: string, { overlapHours, ...options }: ConnectionOptions & { overlapHours: number }) => {
        const minted = await connect(options).admin.rotateKey(id, overlapHours);
        answer(options.json, minted, () => tokenPage(minted));
      },
    );

  confirms(
    callsApi(
      key
        .command('revoke')
        .description('end a key at once and for good')
        .argument('<id>')
        .requiredOption('--reason <text>', 'why; it is kept for good'),
    ),
  )
    .addHelpText('after', example('admin key revoke key_7f3a --reason "laptop lost" --yes'))
    .action(async (id: string, options: ConnectionOptions & Confirmable & { reason: string }) => {
      await confirm(options, `${id} stops opening anything, for good.`);
      const revoked = await connect(options).admin.revokeKey(id, options.reason);
      answer(options.json, revoked, () => keyTable([revoked]));
    });
}

/** `countersign key …`: the one that is used. */
export function addOwnKeyCommands(root: Command): void {
  const own = root
    .command('key')
    .description('the key that is used: whom it stands for, and changing its token');

  readsApi(own.command('show').description('whom the token stands for, and what it opens'))
    .addHelpText('after', example('key show'))
    .action(async (options: ConnectionOptions) => {
      await shown(options, { read: () => connect(options).self.show(), text: identityPage });
    });

  overlaps(
    callsApi(own.command('rotate').description('another token in its place, which nobody else has seen')),
  )
    .addHelpText('after', example('key rotate --overlap-hours 0'))
    .action(async ({ overlapHours, ...options }: ConnectionOptions & { overlapHours: number }) => {
      const minted = await connect(options).self.rotate(overlapHours);
      answer(
        options.json,
        minted,
        () =>
          `${minted.token}\n\nThe old token ends ${overlapHours === 0 ? 'now' : `in ${overlapHours} h`}.\n`,
      );
    });
}

function identityPage({ tenant, id, kind, groups, limit, key }: Identity): string {
  return `${tenant}/${id}\n\n${fields([
    ['kind', kind],
    ['groups', groups.join(', ') || 'none'],
    ['limit', limit ?? 'none'],
    ['key', key.id],
    ['scopes', key.scopes.join(' ')],
    ['ends', key.expiresAt === null ? 'when it is revoked' : moment(key.expiresAt)],
  ])}`;
}

export function overlaps(command: Command): Command {
  return command.option('--overlap-hours <n>', 'for how long the old one goes on, 0 to 720', wholeNumber, 24);
}

function wholeNumber(value: string): number {
  if (!/^\d{1,5}$/.test(value)) throw new InvalidArgumentError('a whole number is wanted');
  return Number(value);
}
