import { Option, type Command } from 'commander';
import { Countersign } from '../client';
import { readSettings, type Settings } from '../main/settings';
import { readUpReport, upReportPath, type KnownUp } from '../main/upReport';
import { UsageError } from './failure';
import { watches } from './watch';

export interface ConnectionOptions {
  readonly apiUrl?: string;
  readonly token?: string;
  readonly as?: string;
  readonly json?: boolean;
  /** Of the commands that read. */
  readonly watch?: boolean;
}

/** What every command that calls the API takes. */
export function callsApi(command: Command): Command {
  const shared = [
    new Option('--json', 'print the answer of the API as JSON; errors as problem+json'),
    new Option('--api-url <url>', 'where the API is (COUNTERSIGN_API_URL)'),
    new Option('--token <token>', 'who acts (COUNTERSIGN_TOKEN, which other users of this host can not see)'),
    new Option('--as <tenant/person>', 'a person of the embedded set-up, such as acme/reviewer1').conflicts(
      'token',
    ),
  ];
  for (const option of shared) command.addOption(option.helpGroup('Who acts, and where:'));
  return command;
}

/** What every list and page of the API takes. */
export function readsApi(command: Command): Command {
  return callsApi(watches(command));
}

/**
 * A client of the API for whoever acts. Nobody acts by default: without a token it has to be said who.
 * @throws UsageError that says what to set
 */
export function connect(options: ConnectionOptions): Countersign {
  const settings = settingsOfCommand();
  const embedded = readUpReport(settings);
  // A person of the embedded set-up is known there only, whatever other API the environment names.
  const { baseUrl, token } =
    options.as === undefined
      ? {
          baseUrl: options.apiUrl ?? settings.COUNTERSIGN_API_URL ?? embedded?.apiUrl,
          token: options.token ?? settings.COUNTERSIGN_TOKEN,
        }
      : { baseUrl: options.apiUrl ?? embedded?.apiUrl, token: tokenOf(options.as, embedded, settings) };
  if (baseUrl === undefined) {
    throw new UsageError(
      `no API is known: set COUNTERSIGN_API_URL, or run: countersign up (there is no ${upReportPath(settings)})`,
    );
  }
  if (!URL.canParse(baseUrl)) throw new UsageError(`--api-url: ${baseUrl} is not a URL`);
  if (token === undefined) {
    throw new UsageError(
      embedded
        ? `say who acts: --as acme/service (or ${peopleOf(embedded).slice(1).join(', ')}), --token, or COUNTERSIGN_TOKEN`
        : 'say who acts: --token or COUNTERSIGN_TOKEN',
    );
  }
  return new Countersign({ baseUrl, token, retry: { retries: 3 } });
}

/** @throws UsageError that names every variable that is not of its form */
export function settingsOfCommand(): Settings {
  try {
    return readSettings();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function tokenOf(as: string, embedded: KnownUp | undefined, settings: Settings): string {
  if (!embedded) {
    throw new UsageError(
      `--as names people of the embedded set-up, and there is none at ${upReportPath(settings)}; run: countersign up`,
    );
  }
  const [tenant = '', person = ''] = as.split('/', 2);
  const people = Object.hasOwn(embedded.tokens, tenant) ? embedded.tokens[tenant] : undefined;
  const token = people && Object.hasOwn(people, person) ? people[person] : undefined;
  if (token === undefined) throw new UsageError(`--as ${as}: one of ${peopleOf(embedded).join(', ')}`);
  return token;
}

function peopleOf({ tokens }: KnownUp): string[] {
  return Object.entries(tokens).flatMap(([tenant, people]) =>
    Object.keys(people).map((person) => `${tenant}/${person}`),
  );
}
