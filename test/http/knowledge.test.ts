import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Countersign } from '../../src/client';
import { runCli } from '../cli/runCli';
import { testTokens } from '../support/shared';
import { TestStack } from '../support/stack';

let stack: TestStack;
let folder: string;
beforeAll(async () => {
  stack = await TestStack.start({ workers: 0 });
  folder = mkdtempSync(join(tmpdir(), 'countersign-knowledge-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await stack.stop();
});

const body = {
  document: 'handbook',
  format: 'markdown',
  text: '# Handbook\n\n## Damaged\n\nA torn teapot is refunded.',
};
const client = (who: 'admin' | 'agent' | 'service') =>
  new Countersign({ baseUrl: stack.apiUrl, token: testTokens.acme[who] });
const cli = (who: 'admin' | 'agent' | 'service', ...args: string[]) =>
  runCli(args, { COUNTERSIGN_API_URL: stack.apiUrl, COUNTERSIGN_TOKEN: testTokens.acme[who] });

describe('/v1/knowledge', () => {
  test('ingest, search, cite, change, delete', async () => {
    const admin = stack.as('admin');
    const first = await admin.call('POST', '/v1/knowledge', body);
    expect(first).toMatchObject({
      status: 200,
      body: { version: 1, changed: true, title: 'Handbook', passages: 1 },
    });
    expect((await admin.call('POST', '/v1/knowledge', body)).body).toEqual({ ...first.body, changed: false });
    const { body: found } = await stack.as('agent').call('GET', '/v1/knowledge/search?q=torn%20teapots');
    expect(found.items).toMatchObject([
      { citation: 'knowledge:handbook#1.1', headings: ['Handbook', 'Damaged'], words: ['teapots', 'torn'] },
    ]);
    const passage = '/v1/knowledge/handbook/passages/1.1';
    expect((await stack.as('agent').call('GET', passage)).body.quote).toBe('A torn teapot is refunded.');
    expect((await admin.call('GET', '/v1/knowledge/handbook/passages')).body.items).toHaveLength(1);
    await admin.call('POST', '/v1/knowledge', { ...body, text: '# Other'.concat('\n\nText.') });
    expect(await admin.call('GET', passage)).toMatchObject({
      status: 410,
      body: { code: 'passage_superseded', version: 1, current: 2 },
    });
    expect((await admin.call('GET', '/v1/knowledge?limit=1')).body).toMatchObject({
      items: [{ document: 'handbook' }],
    });
    expect((await admin.call('DELETE', '/v1/knowledge/handbook')).status).toBe(204);
    expect((await admin.call('GET', '/v1/knowledge/handbook')).status).toBe(404);
  });

  test('R41: bad input is refused for what it is, in the settled order', async () => {
    const admin = stack.as('admin');
    const status = async (...call: Parameters<typeof admin.call>) => (await admin.call(...call)).status;
    expect(
      (await stack.as('service').call('POST', '/v1/knowledge', { ...body, document: 'A B' })).status,
    ).toBe(422);
    expect((await stack.as('service').call('POST', '/v1/knowledge', body)).status).toBe(403);
    expect((await stack.as('agent').call('DELETE', '/v1/knowledge/nothing')).status).toBe(404);
    for (const change of [
      { document: 'search' },
      { format: 'pdf' },
      { text: ' ' },
      { text: 'a'.repeat(500_001) },
      { extra: 1 },
    ])
      expect({
        change: Object.keys(change),
        status: await status('POST', '/v1/knowledge', { ...body, ...change }),
      }).toEqual({
        change: Object.keys(change),
        status: 422,
      });
    expect(
      await status('POST', '/v1/knowledge', { ...body, document: 'long', text: 'a '.repeat(100_000) }),
    ).toBe(200);
    await admin.call('DELETE', '/v1/knowledge/long');
    expect(await status('POST', '/v1/memories', 'b'.repeat(70_000))).toBe(413);
    for (const path of [
      'search?q=',
      'search',
      'search?q=a&limit=99',
      'search?q=%00',
      'search?q=a&document=A',
      '?cursor=%20',
    ])
      expect({
        path,
        status: await status('GET', `/v1/knowledge${path.startsWith('?') ? '' : '/'}${path}`),
      }).toEqual({
        path,
        status: 422,
      });
    expect(await status('GET', '/v1/knowledge/nothing/passages/x')).toBe(404);
  });

  test('a refund may name a passage as evidence', async () => {
    const paymentId = await stack.provider.charge(1_000);
    const evidence = ['knowledge:handbook#1.1'];
    const started = await stack.as('agent').startRefund({ paymentId, amount: '5.00', evidence });
    expect(started.status).toBe(202);
  });
});

describe('/v1/memories/search', () => {
  const remember = (key: string, value: string) =>
    stack.as('service').call('POST', '/v1/memories', {
      ownerId: 'cus_7',
      key,
      value,
      kind: 'semantic',
      source: 'user_explicit',
    });

  test('finds by words and ids, and explains', async () => {
    await remember('preference/channel', 'Prefers e-mail about ORDER-42.');
    await remember('preference/colour', 'Likes blue teapots and e-mail.');
    const { body: plain } = await stack
      .as('service')
      .call('GET', '/v1/memories/search?owner=cus_7&q=order-42');
    expect(plain).toMatchObject({ items: [{ memory: { key: 'preference/channel' } }], asOf: null });
    expect(plain).not.toHaveProperty('explanation');
    const path = '/v1/memories/search?owner=cus_7&q=teapot%20e-mail%20unicorn&explain=true&limit=1';
    const { body: explained } = await stack.as('service').call('GET', path);
    expect(explained).toMatchObject({
      items: [{ memory: { key: 'preference/colour' }, why: { terms: [{ word: 'teapot' }, {}, {}] } }],
      explanation: { leftOut: [{ key: 'preference/channel' }], unknownWords: ['unicorn'] },
    });
    const early = `${path}&as_of=2020-01-01T00:00:00Z`;
    expect((await stack.as('service').call('GET', early)).body.items).toEqual([]);
  });

  test('R46: nobody names another owner but who may, and a bad scope is refused', async () => {
    const status = async (who: 'reviewer1' | 'service' | 'admin', query: string) =>
      (await stack.as(who).call('GET', `/v1/memories/search?${query}`)).status;
    expect(await status('reviewer1', 'q=teapot&owner=cus_7')).toBe(403);
    expect(await status('reviewer1', 'q=teapot')).toBe(200);
    expect(await status('service', 'q=teapot&owner=*')).toBe(422);
    expect(await status('service', 'q=')).toBe(422);
    expect(await status('service', 'q=a&as_of=yesterday')).toBe(422);
    const { body: foreign } = await stack
      .as('service', 'globex')
      .call('GET', '/v1/memories/search?q=teapot&owner=cus_7');
    expect(foreign.items).toEqual([]);
  });

  test('by the client and the command line', async () => {
    const { items } = await client('service').recall.search('blue teapot', { owner: 'cus_7', explain: true });
    expect(items[0]).toMatchObject({ memory: { key: 'preference/colour' }, why: { parts: { ids: 0 } } });
    const shown = await cli(
      'service',
      'memory',
      'search',
      'blue',
      'unicorn',
      '--owner',
      'cus_7',
      '--explain',
    );
    expect(shown).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/preference\/colour[\s\S]*Nothing has: unicorn/),
    });
    const refused = await cli('service', 'memory', 'search', 'blue', '--limit', '51');
    expect(refused.code).toBe(2);
  });
});

describe('countersign knowledge', () => {
  test('ingests a folder, and the same again changes nothing', async () => {
    mkdirSync(join(folder, 'guides'));
    writeFileSync(join(folder, 'guides', 'Returns by Post.md'), '# Returns\n\nSend the kettle back.');
    writeFileSync(join(folder, 'about.html'), '<h1>About</h1><p>A shop of kettles.</p>');
    writeFileSync(join(folder, 'skipped.pdf'), 'x');
    const first = await cli('admin', 'knowledge', 'ingest', folder, '--json');
    expect(first).toMatchObject({
      code: 0,
      json: {
        items: [
          { document: 'about', changed: true },
          { document: 'guides-returns-by-post', title: 'Returns' },
        ],
      },
    });
    const again = await cli('admin', 'knowledge', 'ingest', folder);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/about .*unchanged/) });
    const found = await cli('agent', 'knowledge', 'search', 'kettle', '--document', 'about');
    expect(found).toMatchObject({ code: 0, stdout: 'knowledge:about#1.1  About\n  A shop of kettles.\n' });
    const shown = await cli('agent', 'knowledge', 'show', 'knowledge:guides-returns-by-post#1.1', '--json');
    expect(shown.json).toMatchObject({ quote: 'Send the kettle back.' });
    expect((await cli('agent', 'knowledge', 'show', 'about')).stdout).toContain('knowledge:about#1.1');
    expect((await cli('agent', 'knowledge', 'list')).stdout).toMatch(
      /^DOCUMENT [\s\S]*^about .*^guides-returns-by-post /ms,
    );
    expect((await cli('admin', 'knowledge', 'delete', 'about')).code).toBe(0);
    await expect(client('agent').knowledge.show('about')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('says what is wrong: 1 refused, 2 wrong usage', async () => {
    const file = join(folder, 'card.txt');
    writeFileSync(file, 'Pay with 4111 1111 1111 1111.');
    const runs = await Promise.all([
      cli('admin', 'knowledge', 'ingest', file),
      cli('service', 'knowledge', 'ingest', join(folder, 'about.html')),
      cli('admin', 'knowledge', 'show', 'knowledge:nothing#1.1'),
      cli('admin', 'knowledge', 'ingest', join(folder, 'skipped.pdf')),
      cli('admin', 'knowledge', 'ingest', join(folder, 'missing.md')),
      cli('admin', 'knowledge', 'ingest', folder, '--id', 'one'),
    ]);
    expect(runs.map(({ code }) => code)).toEqual([1, 1, 1, 2, 2, 2]);
    expect(runs[0]?.stderr).toContain('card number');
  });
});
