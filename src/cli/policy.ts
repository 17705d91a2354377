import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Option, type Command } from 'commander';
import type { Policy, PolicyReport, PolicyToPublish } from '../client';
import { CountersignError } from '../domain/errors';
import { policyFileNames, readPolicyFolder, type PolicyFolder } from '../main/policyFolder';
import { callsApi, connect, readsApi, type ConnectionOptions } from './connection';
import { UsageError } from './failure';
import { listOptions, more, showList, type ListOptions } from './lists';
import { answer, example, remark } from './output';
import { checked, compared, policyList, policyPage, tested } from './policyText';
import { shown } from './watch';

const folderHelp = `a folder with ${Object.values(policyFileNames).join(', ')}`;

interface Json {
  readonly json?: boolean;
}

/** `countersign policy …` */
export function addPolicyCommands(root: Command): void {
  const policy = root.command('policy').description('who may do what, how many must agree, and by when');

  here(policy.command('check').description('say what is wrong with a policy; needs no API'))
    .addHelpText('after', example('policy check policies/acme'))
    .action(async (folder: string, { json }: Json) => {
      const report = await reportOn(read(folder));
      tell(json, report, () => checked(report));
    });

  here(policy.command('test').description('run the example cases of a policy; needs no API'))
    .addHelpText('after', example('policy test policies/acme'))
    .action(async (folder: string, { json }: Json) => {
      const report = await reportOn(read(folder));
      tell(json, report, () => tested(report));
    });

  callsApi(
    policy
      .command('diff')
      .description('say in words what a policy would change, and which examples come out otherwise')
      .argument('<folder>', folderHelp)
      .option('--against <folder>', 'another folder, without an API; by default the version in force')
      .option('--published <version>', 'another version than the one in force'),
  )
    .addHelpText(
      'after',
      example('policy diff policies/acme', 'policy diff policies/acme --against main/acme'),
    )
    .action(diff);

  callsApi(
    policy
      .command('publish')
      .description('put a policy in force, once its examples come out as they say; administrators only')
      .argument('<folder>', folderHelp)
      .requiredOption('--expected <version>', 'the version that it replaces, as diff compared with it')
      .option('--name <version>', 'what to call it; a number without it')
      .option('--comment <text>', 'why; it is kept for good'),
  )
    .addHelpText('after', example('policy publish policies/acme --expected 7 --comment "limits of 2027"'))
    .action(publish);

  readsApi(listOptions(policy.command('list').description('published versions, newest first')))
    .addHelpText('after', example('policy list'))
    .action(async (options: ListOptions & ConnectionOptions) => {
      const { policies } = connect(options);
      await showList(
        options,
        {},
        { page: (filter) => policies.list(filter), all: (filter) => policies.all(filter) },
        (page) => policyList(page.items) + more(page),
      );
    });

  readsApi(
    policy
      .command('show')
      .description('one version in words and rules; the one in force without a name')
      .argument('[version]')
      .addOption(
        new Option('--write <folder>', 'write its three files there, to change them').conflicts('watch'),
      ),
  )
    .addHelpText('after', example('policy show', 'policy show 7 --write policies/acme'))
    .action(show);
}

function here(command: Command): Command {
  return command.argument('<folder>', folderHelp).option('--json', 'print the report as JSON');
}

/** The compiled engine takes a moment to load: only for commands that need it. */
async function reportOn(written: PolicyFolder, against?: PolicyFolder): Promise<PolicyReport> {
  const { checkWrittenPolicy } = await import('../main/policyChecks.js');
  return checkWrittenPolicy(written, against);
}

function read(folder: string): PolicyFolder {
  try {
    return readPolicyFolder(folder);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** A policy that could not be published is exit code 1. */
function tell(json: boolean | undefined, report: PolicyReport, forPeople: () => string): void {
  answer(json, withoutParsed(report), forPeople);
  if (!report.ok) process.exitCode = 1;
}

function withoutParsed({ ok, problems, cases, changes, changedAnswers }: PolicyReport): PolicyReport {
  return { ok, problems, cases, changes, changedAnswers };
}

async function diff(
  folder: string,
  options: ConnectionOptions & { against?: string; published?: string },
): Promise<void> {
  const { against, published } = options;
  if (against !== undefined && published !== undefined)
    throw new UsageError('--against compares with a folder, --published with a version: one of them');
  const written = read(folder);
  const other = against === undefined ? await connect(options).policies.show(published) : undefined;
  const report = await reportOn(written, other ?? read(against ?? ''));
  const name = other ? `version ${other.version}` : (against ?? '');
  tell(options.json, report, () => compared(name, report));
  if (other && report.ok && report.changes.length > 0)
    remark(options.json, `\nTo publish it: countersign policy publish ${folder} --expected ${other.version}`);
}

async function publish(
  folder: string,
  options: ConnectionOptions & { expected: string; name?: string; comment?: string },
): Promise<void> {
  const written = read(folder);
  const { policies } = connect(options);
  const { problems, cases } = await reportOn(written);
  const failed = cases.filter(({ passed }) => !passed);
  if (problems.length > 0 || failed.length > 0)
    throw new CountersignError(
      'policy_invalid',
      'it is not published: it is not valid, or an example fails',
      {
        problems,
        cases: failed,
      },
    );
  const { expected: expectedVersion, name: version, comment } = options;
  // It has just been found valid, so table and cases are what they are called.
  const body = { ...written, expectedVersion, version, comment } as PolicyToPublish;
  const published = await policies.publish(body);
  answer(
    options.json,
    published,
    () =>
      `Version ${published.version} is in force. What waits for people goes on under the version that it was opened under, and meets this one before money moves.\n`,
  );
}

async function show(
  version: string | undefined,
  options: ConnectionOptions & { write?: string },
): Promise<void> {
  const { policies } = connect(options);
  const policy = await shown(options, { read: () => policies.show(version), text: policyPage });
  if (options.write !== undefined) write(options.write, policy);
}

/** Never over what is there: somebody may be working on it. */
function write(folder: string, { cedar, table, cases }: Policy): void {
  const text = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  const contents = {
    [policyFileNames.cedar]: cedar,
    [policyFileNames.table]: text(table),
    [policyFileNames.cases]: text(cases),
  };
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(contents)) {
    try {
      writeFileSync(join(folder, name), content, { flag: 'wx' });
    } catch (error) {
      throw new UsageError(
        `${join(folder, name)} is not written: ${error instanceof Error ? error.message : ''}`,
      );
    }
  }
}
