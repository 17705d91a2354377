import { migrate } from '../adapters/postgres/migrate';
import { required, type Settings } from './settings';
import { parseSigningKey, registerChannelKey } from './signingKey';

/** Brings the schema up to date and registers the API's signing key where it is given. Needs the owner's URL. */
export async function runMigrate(settings: Settings): Promise<string[]> {
  const ownerUrl = settings.COUNTERSIGN_MIGRATION_DATABASE_URL ?? required(settings, 'DATABASE_URL');
  const applied = await migrate(ownerUrl);
  if (settings.COUNTERSIGN_SIGNING_KEY !== undefined) {
    await registerChannelKey(ownerUrl, await parseSigningKey(settings.COUNTERSIGN_SIGNING_KEY));
  }
  return applied;
}
