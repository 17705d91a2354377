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
  /** Parameters that may be an id that there is, by its name in `Known`; the others are made up. */
  readonly ids?: Readonly<Record<string, string>>;
}
/** What there is, by its name. */
type Known = Readonly<Record<string, string>>;

/** @param throwaway a token for the call that ends whichever token it is called with */
const areas = (throwaway: string): readonly Area[] => [
  { where: '^/v1/self/rotate', token: throwaway },
  { where: '^/v1/refunds/split', token: acme.service, ids: { 'path.splitId': 'split' } },
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
  { where: '^/v1/memories/candidates', token: acme.admin, ids: { 'path.id': 'candidate' } },
  { where: '^/v1/memories/(.*quarantine|holds|sources)', token: acme.admin, ids: { 'path.id': 'memory' } },
  { where: '^/v1/memories', token: acme.lead, ids: { 'path.id': 'memory' } },
  { where: '^/v1/knowledge', token: acme.admin, ids: { 'path.document': 'document' } },
  { where: '^/v1/batches', token: acme.service, ids: { 'path.batchId': 'batch' } },
  { where: '^/v1/runs', token: acme.agent, ids: { 'path.runId': 'agentRun', 'body.threadId': 'thread' } },
  { where: '^/v1/policies', token: acme.admin, ids: { 'path.version': 'policy' } },
  { where: '^/v1/reconciliations/differences', token: acme.admin },
  { where: '^/v1/reconciliations', token: acme.admin, ids: { 'path.id': 'reconciliation' } },
  { where: '^/v1/audit', token: acme.admin },
  { where: '^/v1/payments', token: acme.lead, ids: { 'path.paymentId': 'payment' } },
  // They take people, keys and money away from whoever is called there: from nobody else here.
  { where: '^/v1/admin/people', token: globex.admin, ids: { 'path.id': 'person' } },
  { where: '^/v1/admin/groups', token: globex.admin, ids: { 'path.name': 'group' } },
  { where: '^/v1/admin/keys', token: globex.admin, ids: { 'path.id': 'key' } },
  { where: '^/v1/admin/holds', token: globex.admin, ids: { 'path.id': 'hold' } },
  { where: '^/v1/erasures', token: globex.admin, ids: { 'path.id': 'erasure' } },
  { where: '^/v1/(admin|brake)', token: globex.admin },
];

describe('schemathesis', () => {
  let stack: TestStack;
  let folder: string;
  beforeAll(async () => {
    stack = await TestStack.start();
    folder = mkdtempSync(join(tmpdir(), 'countersign-schemathesis-'));
    writeFileSync(join(folder, 'schemathesis.toml'), settings(await somethingOfEach()));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await stack.stop();
  });

  async function made(
    who: Parameters<TestStack['as']>,
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ) {
    const answer = await stack.as(...who).call('POST', path, body, headers);
    if (answer.status > 202) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.body as Record<string, string> & { key: { id: string } };
  }

  async function somethingOfEach(): Promise<{ known: Known; throwaway: string }> {
    const { charge, approval } = await stack.opened();
    const csv = { 'idempotency-key': 'b1', 'content-type': 'text/csv' };
    const rows = `key,paymentId,amount,currency,reason\nr1,${charge},70.00,USD,damaged\n`;
    const key = (name: string) => ({ person: 'service', name, scopes: ['refunds:read'] });
    const order = { orderId: 'o-2', amount: { value: '9.00', currency: 'USD' }, reason: 'damaged' };
    const remembered = { kind: 'semantic', source: 'user_explicit', explicitUserRequest: true };
    const rule = { kind: 'procedural', source: 'inferred', explicitUserRequest: false };
    const [thread, memory, candidate, document, batch, split, reconciliation, throwaway] = await Promise.all([
      made(['service'], '/v1/threads', { title: 'A cup' }),
      made(['lead'], '/v1/memories', { key: 'language', value: 'answer in English', ...remembered }),
      made(['agent'], '/v1/memories', { ownerId: 'cus_1', key: 'tone', value: 'Be brief.', ...rule }),
      made(['admin'], '/v1/knowledge', {
        document: 'returns',
        format: 'markdown',
        text: '# Returns\n\nIn 90 days.',
      }),
      made(['service'], '/v1/batches', rows, csv),
      made(
        ['service'],
        '/v1/refunds/split',
        { ...order, payments: [{ paymentId: charge }] },
        { 'idempotency-key': 's1' },
      ),
      made(['admin'], '/v1/reconciliations', { windowDays: 1 }),
      made(['admin'], '/v1/admin/keys', key('throwaway')),
    ]);
    const agentRun = await made(
      ['agent'],
      '/v1/runs',
      { goal: `Refund ${charge}` },
      { 'idempotency-key': 'a1' },
    );
    const person = { id: 'somebody', kind: 'service', displayName: 'Somebody', groups: [] };
    const admin: Parameters<TestStack['as']> = ['admin', 'globex'];
    const [, group, minted, hold, erasure] = await Promise.all([
      made(admin, '/v1/admin/people', person),
      made(admin, '/v1/admin/groups', { name: 'some-group', description: '' }),
      made(admin, '/v1/admin/keys', key('minted')),
      made(admin, '/v1/admin/holds', { scope: 'person', subject: 'cus_held', reason: 'an audit' }),
      made(admin, '/v1/erasures', { person: 'cus_gone' }),
    ]);
    const { body: policies } = await stack.as('admin').call('GET', '/v1/policies');
    const known = {
      ...{ refund: approval.runId, payment: charge, approval: approval.id, proposal: approval.proposalHash },
      ...{ thread: thread.id, memory: memory.memoryId, candidate: candidate.candidateId },
      ...{
        document: document.document,
        batch: batch.batchId,
        agentRun: agentRun.runId,
        split: split.splitId,
      },
      ...{ policy: policies.items[0].version, reconciliation: reconciliation.id, person: person.id },
      ...{ group: group.name, key: minted.key.id, hold: hold.id, erasure: erasure.id },
    } as Known;
    const missing = Object.entries(known).filter(([, id]) => typeof id !== 'string');
    if (missing.length > 0) throw new Error(`there is no id of: ${missing.join(', ')}`);
    return { known, throwaway: throwaway.token ?? '' };
  }

  function settings({ known, throwaway }: { known: Known; throwaway: string }): string {
    const bearer = (token: string) => `headers = { Authorization = "Bearer ${token}" }`;
    const taken = ([parameter, name]: [string, string]) =>
      `"${parameter}" = { dictionary = "${name}", probability = 0.7 }`;
    return [
      bearer(acme.lead),
      readFileSync(join(__dirname, 'document', 'schemathesis.toml'), 'utf8'),
      ...Object.entries(known).map(([name, id]) => `[dictionaries.${name}]\nvalues = ["${id}"]`),
      ...areas(throwaway).map(({ where, token, ids: parameters = {} }) =>
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
    const url = `${stack.apiUrl}/openapi.json`;
    const bounds = ['--max-examples', '2', '--seed', '20261130', '--workers', '1', '--no-color'];
    const { found, output } = await schemathesis(['run', url, ...bounds], folder);
    expect(found ? output : 'nothing found').toBe('nothing found');
    // It has really called: every operation, some of them often.
    const [, generated] = /(\d+) generated/.exec(output) ?? [];
    expect(Number(generated)).toBeGreaterThan(500);
    expect(output).toMatch(/Tested: \d{3}/);
  }, 420_000);
});
