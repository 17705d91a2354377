import type { Command } from 'commander';
import { settingsOfCommand } from '../connection';
import { answer, example } from '../output';
import { table, when } from '../terminal/table';
import { shown, watches, type WatchOptions } from '../watch';
import { confirm, confirms, type Confirmable } from './confirmation';
import { tokenPage } from './text';

const ownersLogin = "needs the owner's login in COUNTERSIGN_MIGRATION_DATABASE_URL";
const owners = () => import('../../main/tenants.js');

interface BootstrapOptions {
  readonly tenant: string;
  readonly name?: string;
  readonly person: string;
  readonly displayName: string;
  readonly json?: boolean;
}

/** What whoever owns the database does, without an API: tenants, their first administrator, Countersign's own keys. */
export function addOwnerCommands(admin: Command): void {
  admin
    .command('bootstrap')
    .description(
      `make a tenant and its first administrator, or its second, and print his key once; ${ownersLogin}`,
    )
    .requiredOption('--tenant <id>', 'a-z, 0-9 and dash')
    .option('--name <text>', 'what the tenant is called')
    .option('--person <id>', 'the administrator', 'admin')
    .option('--display-name <text>', 'what he is called', 'Administrator')
    .option('--json', 'print the key and its token as JSON')
    .addHelpText('after', example('admin bootstrap --tenant acme --name "Acme" --person m.ortiz'))
    .action(async ({ tenant, name = tenant, person, displayName, json }: BootstrapOptions) => {
      const first = { tenant, tenantName: name, person, displayName };
      const minted = await (await owners()).runBootstrap(settingsOfCommand(), first);
      answer(json, minted, () => tokenPage(minted));
    });

  const signing = admin
    .command('signing-key')
    .description("Countersign's own channel keys, with which the API signs what it delivers");
  watches(signing.command('list').description(`the public halves that are registered; ${ownersLogin}`))
    .option('--json', 'print them as JSON')
    .addHelpText('after', example('admin signing-key list'))
    .action(async (options: WatchOptions) => {
      await shown(options, {
        read: async () => ({ items: await (await owners()).listSigningKeys(settingsOfCommand()) }),
        text: ({ items }) =>
          table(items, [
            { title: 'KID', of: ({ kid }) => kid },
            when('SINCE', ({ createdAt }) => new Date(createdAt).toISOString()),
            { title: 'STATE', of: ({ revokedAt }) => (revokedAt === null ? 'active' : 'revoked') },
          ]),
      });
    });
  confirms(
    signing
      .command('revoke')
      .description(`end one after another was put in its place; ${ownersLogin}`)
      .argument('<kid>')
      .option('--json', 'print it as JSON'),
  )
    .addHelpText('after', example('admin signing-key revoke 8f2c --yes'))
    .action(async (kid: string, { json, ...options }: Confirmable & { json?: boolean }) => {
      await confirm(options, `What ${kid} signed and no worker has taken yet will be refused.`);
      const key = await (await owners()).revokeSigningKey(settingsOfCommand(), kid);
      answer(json, key, () => `${key.kid} is revoked\n`);
    });
}
