import { embeddedTokens } from '../../src/main/seedTenants';

/** What the run's one PostgreSQL and one Temporal server are set up with; only ever on this machine's loopback. */
export const passwords = {
  owner: 'owner-of-tests',
  application: 'application-of-tests',
  provider: 'provider-of-tests',
};

export const templateDatabase = 'countersign_template';

export const testTokens = embeddedTokens((name) => `${name}-for-tests-only`);

/** An Ed25519 key made for the tests; it signs nothing else. */
export const signingKey = JSON.stringify({
  kty: 'OKP',
  crv: 'Ed25519',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
});

/** `npm run test:scale` sends as many messages, and refunds as many rows, as the rules speak of. */
export const fullScale = process.env['COUNTERSIGN_TEST_SCALE'] === 'full';

export const namespaceNames = Array.from({ length: 130 }, (_, i) => `suite-${i + 1}`);

export function ownerUrlOf(adminUrl: string, database: string): string {
  return urlAs(adminUrl, 'countersign_owner', passwords.owner, database);
}

export function urlAs(adminUrl: string, user: string, password: string, database: string): string {
  const url = new URL(adminUrl);
  url.username = user;
  url.password = password;
  url.pathname = `/${database}`;
  return url.href;
}

export function fromSetup(
  name: 'PG_ADMIN_URL' | 'TEMPORAL_ADDRESS' | 'TEMPORAL_UI' | 'TEMPORAL_CLI' | 'FOLDER',
): string {
  const value = process.env[`COUNTERSIGN_TEST_${name}`];
  if (value === undefined) throw new Error('the run was not set up; start it with: npx jest');
  return value;
}
