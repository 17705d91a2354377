import { z } from 'zod';
import { parseEncryptionKeys } from '../adapters/temporal/encryptionKeys';
import { defaultWindowDays } from '../domain/reconciliation/difference';

/**
 * The one place that reads the environment. Unset means embedded: `countersign up` chooses addresses and keys and
 * hands them to its parts through these same names.
 */
const url = z.url();
const port = z.coerce.number().int().min(0).max(65535);

const cron = z.string().regex(/^(off|@\w+|\S+( +\S+){4})$/, 'a cron expression of five fields, or off');

const environment = z.object({
  TEMPORAL_ADDRESS: z.string().min(1).optional(),
  TEMPORAL_NAMESPACE: z.string().min(1).default('default'),
  TEMPORAL_API_KEY: z.string().min(1).optional(),
  TEMPORAL_TLS_SERVER_NAME: z.string().min(1).optional(),
  TEMPORAL_TLS_CA: z.string().min(1).optional(),
  TEMPORAL_TLS_CERT: z.string().min(1).optional(),
  TEMPORAL_TLS_KEY: z.string().min(1).optional(),
  TEMPORAL_CLI_PATH: z.string().min(1).optional(),
  DATABASE_URL: url.optional(),
  /** The owner's; used by `migrate` alone. */
  COUNTERSIGN_MIGRATION_DATABASE_URL: url.optional(),
  STRIPE_API_KEY: z.string().min(1).optional(),
  STRIPE_API_BASE: url.optional(),
  STRIPE_WEBHOOK_SECRET: z.string().min(1).optional(),
  COUNTERSIGN_API_URL: url.optional(),
  COUNTERSIGN_TOKEN: z.string().min(1).optional(),
  COUNTERSIGN_TENANT: z.string().min(1).optional(),
  COUNTERSIGN_HTTP_HOST: z.string().min(1).default('127.0.0.1'),
  COUNTERSIGN_HTTP_PORT: port.optional(),
  /** Calls that one key may make to one API process in a minute; 0 for no limit. */
  COUNTERSIGN_CALLS_PER_MINUTE: z.coerce.number().int().min(0).max(10_000_000).default(6_000),
  /** Where people reach the API and its pages behind a proxy, which is where https ends. */
  COUNTERSIGN_PUBLIC_URL: url.optional(),
  /** Of the Temporal Web UI; pages then link to the workflow of a run. */
  COUNTERSIGN_TEMPORAL_UI_URL: url.optional(),
  COUNTERSIGN_DATA_DIR: z.string().min(1).default('.countersign'),
  /** Keys for the payloads in Temporal's history, base64 of 32 bytes each, separated by commas; the first encrypts. */
  COUNTERSIGN_ENCRYPTION_KEYS: z
    .string()
    .transform((text, context) => {
      try {
        return parseEncryptionKeys(text);
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message });
        return z.NEVER;
      }
    })
    .optional(),
  /** Ed25519 private JWK of the API's own channel key. */
  COUNTERSIGN_SIGNING_KEY: z.string().min(2).optional(),
  /** Keys the hash of customers in search attributes; the API alone needs it. */
  COUNTERSIGN_HASH_KEY: z.string().min(16).optional(),
  /** Administers the sandbox provider; never set in production. */
  COUNTERSIGN_SANDBOX_ADMIN_TOKEN: z.string().min(8).optional(),
  /** How long the sandbox provider remembers idempotency keys. */
  COUNTERSIGN_SANDBOX_KEY_EXPIRY_SECONDS: z.coerce.number().int().min(1).default(86_400),
  /** When every tenant is reconciled with the provider, a cron expression in UTC; `off` for never. */
  COUNTERSIGN_RECONCILE_SCHEDULE: cron.default('17 3 * * *'),
  /** How many days of refunds each of those compares. */
  COUNTERSIGN_RECONCILE_WINDOW_DAYS: z.coerce.number().int().min(1).max(366).default(defaultWindowDays),
  /** A payment on which a refund of ours has moved this recently is left for the next one, seconds. */
  COUNTERSIGN_RECONCILE_GRACE_SECONDS: z.coerce.number().int().min(0).max(86_400).default(900),
  /** When what is kept no longer is taken away, for every tenant, a cron expression in UTC; `off` for never. */
  COUNTERSIGN_RETENTION_SCHEDULE: cron.default('47 2 * * *'),
  /** Steps of batches that one worker does at the same time; refunds that come alone have slots of their own. */
  COUNTERSIGN_BULK_CONCURRENCY: z.coerce.number().int().min(1).max(200).default(20),
  /** Calls to the provider and long steps of batches a second, over all workers. */
  COUNTERSIGN_BULK_CALLS_PER_SECOND: z.coerce.number().positive().max(10_000).default(50),
  /** Who drafts the refunds of agent runs, and summarizes: rules, or a model by the API of one of these. */
  COUNTERSIGN_MODEL: z.enum(['rules', 'anthropic', 'openai']).default('rules'),
  COUNTERSIGN_MODEL_NAME: z.string().min(1).optional(),
  COUNTERSIGN_MODEL_API_KEY: z.string().min(1).optional(),
  /** Another address that speaks the same API. */
  COUNTERSIGN_MODEL_BASE_URL: url.optional(),
  /** `auto`: an answer that the API holds to a schema, until the server has refused that; `off`: by calls of tools alone. */
  COUNTERSIGN_MODEL_STRUCTURED_OUTPUT: z.enum(['auto', 'off']).default('auto'),
  COUNTERSIGN_MODEL_TIMEOUT_SECONDS: z.coerce.number().positive().max(540).default(60),
  /** What a model sees of a conversation at most, tokens. */
  COUNTERSIGN_MODEL_CONTEXT_TOKENS: z.coerce.number().int().min(500).max(1_000_000).default(8_000),
  /** US dollars for a million tokens; runs show what they have cost by these. */
  COUNTERSIGN_MODEL_INPUT_PRICE: z.coerce.number().min(0).max(10_000).default(0),
  COUNTERSIGN_MODEL_OUTPUT_PRICE: z.coerce.number().min(0).max(10_000).default(0),
  /** Written by a worker once it polls; `up` waits for it. */
  COUNTERSIGN_READY_FILE: z.string().min(1).optional(),
  XDG_CACHE_HOME: z.string().min(1).optional(),
  HOME: z.string().min(1).optional(),
  /** How old the newest signed anchor of the audit log may get, minutes. */
  COUNTERSIGN_AUDIT_ANCHOR_MINUTES: z.coerce.number().positive().max(1440).default(60),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
});

export type Settings = z.infer<typeof environment>;

/** Every name that is read, for the tests of the compose file and the documents. */
export const settingNames: readonly string[] = Object.keys(environment.shape);

/** @throws Error that names every variable that is not of its form */
export function readSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  // An empty variable is an unset one: compose files and shells write both.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(given);
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`the environment is not as it should be:\n${wrong.join('\n')}`);
}

/** The reader's language tag by the usual variables, where this Node knows it; undefined for `C` and `POSIX`. */
export function readLocale(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const name = [env['LC_ALL'], env['LC_MONETARY'], env['LANG']].find(Boolean) ?? '';
  try {
    return Intl.NumberFormat.supportedLocalesOf(name.replace(/[.@].*$/, '').replaceAll('_', '-'))[0];
  } catch {
    return undefined;
  }
}

/** How wide the reader wants tables, columns: COLUMNS, where it is exported. */
export function readColumns(env: NodeJS.ProcessEnv = process.env): number | undefined {
  const columns = env['COLUMNS'] ?? '';
  return /^[1-9]\d{0,4}$/.test(columns) ? Number(columns) : undefined;
}

/** @throws Error that says which variable is missing and what sets it */
export function required<Name extends keyof Settings>(
  settings: Settings,
  name: Name,
): NonNullable<Settings[Name]> {
  const value = settings[name];
  if (value === undefined) throw new Error(`${name} is not set; set it, or run: countersign up`);
  return value;
}
