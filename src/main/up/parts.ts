import { existsSync, mkdirSync, rmSync } from 'node:fs';
import type { DataFolder } from '../../sandbox/embedded/dataFolder';
import type { PartSpec } from '../../sandbox/embedded/partSpec';
import { untilHttpAnswers, untilReady } from '../../sandbox/embedded/readiness';
import { cliEntry } from '../version';
import type { Plan } from './plan';

interface ApiSecrets {
  readonly signingKey: string;
  readonly hashKey: string;
  /** Of the endpoint at our own sandbox provider; at another one the environment says it. */
  readonly webhookSecret: string | undefined;
}

/** Our own processes: each the same program with another command, told where things are by the environment. */
export function apiPart(plan: Plan, secrets: ApiSecrets): PartSpec {
  return ownPart(
    'api',
    ['api'],
    {
      ...sharedEnv(plan),
      COUNTERSIGN_HTTP_PORT: String(plan.ports.api),
      COUNTERSIGN_SIGNING_KEY: secrets.signingKey,
      COUNTERSIGN_HASH_KEY: secrets.hashKey,
      ...(plan.temporalUiUrl === null ? {} : { COUNTERSIGN_TEMPORAL_UI_URL: plan.temporalUiUrl }),
      ...(secrets.webhookSecret === undefined ? {} : { STRIPE_WEBHOOK_SECRET: secrets.webhookSecret }),
    },
    (signal) => untilHttpAnswers(`${plan.apiUrl}/readyz`, signal),
  );
}

export function providerPart(plan: Plan): PartSpec {
  return ownPart(
    'provider',
    ['sandbox'],
    {
      DATABASE_URL: plan.providerDatabaseUrl,
      COUNTERSIGN_HTTP_PORT: String(plan.ports.provider),
      STRIPE_API_KEY: plan.providerKey,
      COUNTERSIGN_SANDBOX_ADMIN_TOKEN: plan.providerAdminToken,
    },
    (signal) => untilHttpAnswers(`${plan.providerUrl}/healthz`, signal),
  );
}

export function workerPart(plan: Plan, folder: DataFolder, index: number): PartSpec {
  const directory = folder.file('run');
  const readyFile = folder.file('run', `worker-${index}.ready`);
  return {
    ...ownPart(
      `worker-${index}`,
      ['worker'],
      {
        ...sharedEnv(plan),
        COUNTERSIGN_HASH_KEY: folder.secret('hash-key'),
        COUNTERSIGN_READY_FILE: readyFile,
      },
      (signal) =>
        untilReady(async () => {
          if (!existsSync(readyFile)) throw new Error('the worker does not poll yet');
        }, signal),
    ),
    prepare: async () => {
      mkdirSync(directory, { recursive: true });
      rmSync(readyFile, { force: true });
    },
  };
}

function sharedEnv(plan: Plan): Record<string, string> {
  return {
    DATABASE_URL: plan.databaseUrl,
    TEMPORAL_ADDRESS: plan.temporalAddress,
    STRIPE_API_KEY: plan.providerKey,
    // Stripe itself is the SDK's own default.
    ...(plan.runs.provider || plan.providerUrl !== 'https://api.stripe.com'
      ? { STRIPE_API_BASE: plan.providerUrl }
      : {}),
  };
}

function ownPart(
  name: string,
  args: string[],
  env: Record<string, string>,
  ready: PartSpec['ready'],
): PartSpec {
  return { name, command: process.execPath, args: [cliEntry, ...args], env, ready };
}
