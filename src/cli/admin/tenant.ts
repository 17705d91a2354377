import type { Command } from 'commander';
import type { Tenant } from '../../client';
import { callsApi, connect, readsApi, settingsOfCommand, type ConnectionOptions } from '../connection';
import { answer, example } from '../output';
import { table } from '../terminal/table';
import { confirm, confirms, type Confirmable } from './confirmation';
import { shown, watches, type WatchOptions } from '../watch';

const ownersLogin = "needs the owner's login in COUNTERSIGN_MIGRATION_DATABASE_URL";
const owners = () => import('../../main/tenants.js');

/** `countersign admin tenant …`: one's own by the API, all of them by the owner of the database. */
export function addTenantCommands(admin: Command): void {
  const tenant = admin.command('tenant').description('the tenant itself');

  readsApi(tenant.command('show').description('whose administrator one is'))
    .addHelpText('after', example('admin tenant show'))
    .action(async (options: ConnectionOptions) => {
      await shown(options, {
        read: () => connect(options).admin.showTenant(),
        text: (own) => tenantTable([own]),
      });
    });

  callsApi(tenant.command('rename').description('give it another name').argument('<name>'))
    .addHelpText('after', example('admin tenant rename "Acme Retail"'))
    .action(async (name: string, options: ConnectionOptions) => {
      const { admin: doors } = connect(options);
      const { version } = await doors.showTenant();
      const renamed = await doors.renameTenant(name, version);
      answer(options.json, renamed, () => tenantTable([renamed]));
    });

  watches(tenant.command('list').description(`all tenants; ${ownersLogin}`))
    .option('--json', 'print them as JSON')
    .addHelpText('after', example('admin tenant list'))
    .action(async (options: WatchOptions) => {
      await shown(options, {
        read: async () => ({ items: await (await owners()).listTenants(settingsOfCommand()) }),
        text: ({ items }) => tenantTable(items),
      });
    });

  const move = (name: 'deactivate' | 'activate', description: string) =>
    confirms(
      tenant
        .command(name)
        .description(`${description}; ${ownersLogin}`)
        .argument('<id>')
        .option('--json', 'print it as JSON'),
    )
      .addHelpText('after', example(`admin tenant ${name} acme --yes`))
      .action(async (id: string, { json, ...options }: Confirmable & { json?: boolean }) => {
        const active = name === 'activate';
        if (!active) await confirm(options, `Every key of ${id} stops opening anything, at once.`);
        const changed = await (await owners()).setTenantActive(settingsOfCommand(), id, active);
        answer(json, changed, () => tenantTable([changed]));
      });
  move('deactivate', 'no key of it opens anything; refunds that are under way go on');
  move('activate', 'its keys open again');
}

function tenantTable(tenants: readonly Tenant[]): string {
  return table(tenants, [
    { title: 'TENANT', of: ({ id }) => id },
    { title: 'NAME', of: ({ name }) => name },
    { title: 'STATE', of: ({ active }) => (active ? 'active' : 'deactivated') },
  ]);
}
