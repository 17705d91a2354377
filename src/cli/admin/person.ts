import { Option, type Command } from 'commander';
import type { Person, PersonChange } from '../../client';
import { callsApi, connect, readsApi, type ConnectionOptions } from '../connection';
import { UsageError } from '../failure';
import { listOptions, more, showList, type ListOptions } from '../lists';
import { answer, example } from '../output';
import { confirm, confirms, several, type Confirmable } from './confirmation';
import { personPage, personTable } from './text';
import { shown } from '../watch';

interface AddOptions extends ConnectionOptions {
  readonly kind: Person['kind'];
  readonly name: string;
  readonly group?: string[];
  readonly limit?: string;
}

interface ChangeOptions extends ConnectionOptions {
  readonly name?: string;
  readonly addGroup?: string[];
  readonly removeGroup?: string[];
  /** False for `--no-limit`. */
  readonly limit?: string | false;
  readonly fromVersion?: string;
}

/** `countersign admin person …` */
export function addPersonCommands(admin: Command): void {
  const person = admin.command('person').description('people, services and agents of the tenant');

  readsApi(
    listOptions(person.command('list').description('by id'))
      .option('--group <group>', 'members of this group')
      .option('--active', 'only those who are active'),
  )
    .addHelpText('after', example('admin person list --group approvers'))
    .action(async (options: ListOptions & ConnectionOptions & { group?: string; active?: boolean }) => {
      const { admin: doors } = connect(options);
      const { group, active } = options;
      await showList(
        options,
        { group, active },
        { page: (filter) => doors.people(filter), all: (filter) => doors.allPeople(filter) },
        (page) => personTable(page.items) + more(page),
      );
    });

  readsApi(person.command('show').description('one of them').argument('<id>'))
    .addHelpText('after', example('admin person show m.ortiz'))
    .action(async (id: string, options: ConnectionOptions) => {
      await shown(options, {
        read: () => connect(options).admin.person(id),
        text: personPage,
      });
    });

  callsApi(
    person
      .command('add')
      .description('add one; what he may do comes from his groups, and a key is made apart')
      .argument('<id>', 'a handle, not an e-mail address: it stays in the audit log')
      .requiredOption('--name <text>', 'what he is called')
      .addOption(new Option('--kind <kind>').choices(['person', 'service', 'agent']).default('person'))
      .option('--group <group>', 'may be repeated', several)
      .option('--limit <amount>', "his approval limit, in major units of the refund's currency"),
  )
    .addHelpText(
      'after',
      example('admin person add m.ortiz --name "M. Ortiz" --group approvers --limit 5000'),
    )
    .action(async (id: string, { kind, name: displayName, group = [], limit, ...options }: AddOptions) => {
      const body = { id, kind, displayName, groups: group, limit: limit ?? null };
      const added = await connect(options).admin.addPerson(body);
      answer(options.json, added, () => personPage(added));
    });

  callsApi(
    person
      .command('change')
      .description('change name, groups or limit of somebody else')
      .argument('<id>')
      .option('--name <text>')
      .option('--add-group <group>', 'may be repeated', several)
      .option('--remove-group <group>', 'may be repeated', several)
      .option('--limit <amount>')
      .option('--no-limit', 'none from now on')
      .option('--from-version <n>', 'the version that was looked at; without it, what is there now'),
  )
    .addHelpText('after', example('admin person change m.ortiz --add-group finance-lead --no-limit'))
    .action(change);

  const move = (name: 'deactivate' | 'activate', description: string) =>
    confirms(callsApi(person.command(name).description(description).argument('<id>')))
      .addHelpText('after', example(`admin person ${name} m.ortiz --yes`))
      .action(async (id: string, options: ConnectionOptions & Confirmable) => {
        const active = name === 'activate';
        if (!active)
          await confirm(options, `Every key of ${id} stops opening, and open votes stop counting.`);
        const { admin: doors } = connect(options);
        const { version } = await doors.person(id);
        const changed = await doors.changePerson(id, { version, active });
        answer(options.json, changed, () => personPage(changed));
      });
  move('deactivate', 'out at once: no key opens, and a vote on what is not paid yet counts no more');
  move('activate', 'in again, with the groups and keys that there are');
}

async function change(id: string, options: ChangeOptions): Promise<void> {
  const { name, addGroup = [], removeGroup = [], limit } = options;
  if (name === undefined && limit === undefined && addGroup.length + removeGroup.length === 0)
    throw new UsageError('say what changes: --name, --add-group, --remove-group, --limit or --no-limit');
  const { admin: doors } = connect(options);
  const before = await doors.person(id);
  const groups = [...before.groups.filter((group) => !removeGroup.includes(group)), ...addGroup];
  const body: PersonChange = {
    version: options.fromVersion === undefined ? before.version : Number(options.fromVersion),
    ...(name === undefined ? {} : { displayName: name }),
    ...(limit === undefined ? {} : { limit: limit === false ? null : limit }),
    ...(addGroup.length + removeGroup.length === 0 ? {} : { groups }),
  };
  const changed = await doors.changePerson(id, body);
  answer(options.json, changed, () => personPage(changed));
}
