import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { schemathesis } from '../support/schemathesis';
import { testTokens } from '../support/shared';
import { TestStack } from '../support/stack';

const { acme, globex } = testTokens;
interface Area {
  /** The first that fits an operation counts. */
  readonly where: string;
  /** Whoever gets past 403 there. */
  readonly token: string;
  /** Parameters that may be an id that there is; the others are made up. */
  readonly ids?: Readonly<Record<string, keyof Known>>;
}
interface Known {
  readonly refund: string;
  readonly payment: string;
  readonly approval: string;
  readonly proposal: string;
  readonly thread: string;
  readonly document: string;
  readonly memory: string;
}

const areas: readonly Area[] = [
  {
    where: '^/v1/refunds',
    token: acme.service,
    ids: { 'path.runId': 'refund', 'body.paymentId': 'payment' },
  },
  { where: '^/v1/threads', token: acme.service, ids: { 'path.id': 'thread' } },
  { where: '^/v1/approvals/check', token: acme.admin },
  {
    where: '^/v1/approvals',
    token: acme.lead,
    ids: { 'path.id': 'approval', 'body.proposalHash': 'proposal' },
  },
  { where: '^/v1/memories/(.*quarantine|holds|candidates|sources)', token: acme.admin },
  { where: '^/v1/memories', token: acme.lead, ids: { 'path.id': 'memory' } },
  { where: '^/v1/knowledge', token: acme.admin, ids: { 'path.document': 'document' } },
  { where: '^/v1/(policies|reconciliations|audit)', token: acme.admin },
  { where: '^/v1/payments', token: acme.lead, ids: { 'path.paymentId': 'payment' } },
  // They take people, keys and money away from whoever is called there: from nobody else here.
  { where: '^/v1/(admin|erasures|brake)', token: globex.admin },
];

describe('schemathesis', () => {
  let stack: TestStack;
  let folder: string;
  beforeAll(async () => {
    stack = await TestStack.start();
    folder = mkdtempSync(join(tmpdir(), 'countersign-schemathesis-'));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await stack.stop();
  });

  async function somethingOfEach(): Promise<Known> {
    const { charge, approval } = await stack.opened();
    const [thread, memory, document] = await Promise.all([
      stack.as('service').call('POST', '/v1/threads', { title: 'A cup' }),
      stack.as('lead').call('POST', '/v1/memories', {
        ...{ key: 'language', value: 'answer in English', kind: 'semantic' },
        ...{ source: 'user_explicit', explicitUserRequest: true },
      }),
      stack.as('admin').call('POST', '/v1/knowledge', {
        ...{ document: 'returns', format: 'markdown', text: '# Returns\n\nWithin 90 days.' },
      }),
    ]);
    return {
      ...{ refund: approval.runId, payment: charge, approval: approval.id, proposal: approval.proposalHash },
      ...{ thread: thread.body.id, memory: memory.body.memoryId, document: document.body.document },
    };
  }

  function settings(ids: Known): string {
    const bearer = (token: string) => `headers = { Authorization = "Bearer ${token}" }`;
    const taken = ([parameter, name]: [string, string]) =>
      `"${parameter}" = { dictionary = "${name}", probability = 0.7 }`;
    return [
      bearer(acme.lead),
      readFileSync(join(__dirname, 'document', 'schemathesis.toml'), 'utf8'),
      ...Object.entries(ids).map(([name, id]) => `[dictionaries.${name}]\nvalues = ["${id}"]`),
      ...areas.map(({ where, token, ids: parameters = {} }) =>
        [
          '[[operations]]',
          `include-path-regex = "${where}"`,
          bearer(token),
          `parameters = { ${Object.entries(parameters).map(taken).join(', ')} }`,
        ].join('\n'),
      ),
    ].join('\n\n');
  }

  test('finds no 500 and no breach of the document, in a bounded number of cases', async () => {
    writeFileSync(join(folder, 'schemathesis.toml'), settings(await somethingOfEach()));
    const url = `${stack.apiUrl}/openapi.json`;
    const bounds = ['--max-examples', '2', '--seed', '20261130', '--workers', '1', '--no-color'];
    const { found, output } = await schemathesis(['run', url, ...bounds], folder);
    expect(found ? output : 'nothing found').toBe('nothing found');
    // It has really called: every operation but the two that are left out, some of them often.
    const [, generated] = /(\d+) generated/.exec(output) ?? [];
    expect(Number(generated)).toBeGreaterThan(500);
    expect(output).toMatch(/Tested: \d{3}/);
  }, 420_000);
});
