import type { DataFolder } from '../../sandbox/embedded/dataFolder';
import { claimPorts } from '../../sandbox/embedded/freePort';
import { databaseUrl } from '../../sandbox/embedded/postgresServer';
import { temporalAddress } from '../../sandbox/embedded/temporalServer';
import type { Settings } from '../settings';

/** Which parts `up` runs itself, where everything is, and what stands in for a part that the environment names. */
export interface Plan {
  readonly ports: Readonly<Record<'postgres' | 'temporal' | 'temporalUi' | 'provider' | 'api', number>>;
  readonly runs: { readonly postgres: boolean; readonly temporal: boolean; readonly provider: boolean };
  /** The application's login: no superuser, owns nothing. */
  readonly databaseUrl: string;
  readonly ownerUrl: string;
  readonly providerDatabaseUrl: string;
  readonly temporalAddress: string;
  readonly temporalUiUrl: string | null;
  readonly providerUrl: string;
  readonly providerKey: string;
  readonly providerAdminToken: string;
  readonly apiUrl: string;
  readonly workers: number;
}

export const logins = {
  owner: 'countersign_owner',
  application: 'countersign',
  provider: 'provider_sandbox',
} as const;
export const databases = { countersign: 'countersign', provider: 'provider_sandbox' } as const;

const usualPorts = { postgres: 15432, temporal: 17233, temporalUi: 18233, provider: 12111, api: 8080 };

export interface UpOptions {
  readonly workers: number;
  readonly portBase?: number;
}

export async function makePlan(settings: Settings, folder: DataFolder, options: UpOptions): Promise<Plan> {
  const remembered = folder.rememberedPorts();
  const ports = await claimPorts(['postgres', 'temporal', 'temporalUi', 'provider', 'api'], {
    usual: {
      ...usualPorts,
      ...(settings.COUNTERSIGN_HTTP_PORT === undefined ? {} : { api: settings.COUNTERSIGN_HTTP_PORT }),
    },
    ...(options.portBase === undefined ? {} : { base: options.portBase }),
    ...(remembered ? { remembered } : {}),
  });
  folder.rememberPorts(ports);
  const provider = settings.STRIPE_API_BASE === undefined && settings.STRIPE_API_KEY === undefined;
  const at = (user: string, secret: string, database: string) =>
    databaseUrl({ user, password: folder.secret(secret), port: ports.postgres, database });
  const embeddedUrl = at(logins.application, 'postgres-application', databases.countersign);
  const embeddedOwnerUrl = at(logins.owner, 'postgres-owner', databases.countersign);
  return {
    ports,
    runs: {
      postgres: settings.DATABASE_URL === undefined || provider,
      temporal: settings.TEMPORAL_ADDRESS === undefined,
      provider,
    },
    databaseUrl: settings.DATABASE_URL ?? embeddedUrl,
    ownerUrl: settings.COUNTERSIGN_MIGRATION_DATABASE_URL ?? settings.DATABASE_URL ?? embeddedOwnerUrl,
    providerDatabaseUrl: at(logins.provider, 'postgres-provider', databases.provider),
    temporalAddress: settings.TEMPORAL_ADDRESS ?? temporalAddress(ports.temporal),
    temporalUiUrl: settings.TEMPORAL_ADDRESS === undefined ? `http://127.0.0.1:${ports.temporalUi}` : null,
    providerUrl: provider
      ? `http://127.0.0.1:${ports.provider}`
      : (settings.STRIPE_API_BASE ?? 'https://api.stripe.com'),
    providerKey: settings.STRIPE_API_KEY ?? `sk_test_${folder.secret('provider-key')}`,
    providerAdminToken: folder.secret('provider-admin'),
    apiUrl: `http://127.0.0.1:${ports.api}`,
    workers: options.workers,
  };
}
