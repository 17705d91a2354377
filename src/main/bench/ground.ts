import type { Settings } from '../settings';

/** From now on, Ctrl-C and SIGTERM end the bench and all its processes. */
export function interrupted(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => reject(new Error(`interrupted by ${signal}`)));
  });
}

/** Whatever the environment names: a bench changes nothing outside its own folder. */
export function embedded(settings: Settings, folder: string): Settings {
  return {
    ...settings,
    COUNTERSIGN_DATA_DIR: folder,
    TEMPORAL_ADDRESS: undefined,
    DATABASE_URL: undefined,
    COUNTERSIGN_MIGRATION_DATABASE_URL: undefined,
    STRIPE_API_KEY: undefined,
    STRIPE_API_BASE: undefined,
  };
}
