import { testTokens } from '../support/shared';
import { PagesInThisProcess } from './pagesInThisProcess';

let pages: PagesInThisProcess;
beforeAll(async () => {
  pages = await PagesInThisProcess.start();
});
afterAll(() => pages.stop());

describe('signing in', () => {
  test('leads to where somebody was going, with a cookie that no script reads and no other site sends', async () => {
    const nobody = pages.visitor();
    const away = await nobody.get('/inbox?q=a');
    expect([away.status, away.headers.get('location')]).toEqual([303, '/sign-in?next=%2Finbox%3Fq%3Da']);
    const page = await nobody.get(away.headers.get('location') ?? '');
    expect(page.html).toContain('name="next" value="/inbox?q=a"');
    const fields = { token: testTokens.acme.reviewer1 ?? '', next: '/inbox?q=a' };
    const signed = await pages.visitor().post('/sign-in', fields);
    expect([signed.status, signed.headers.get('location')]).toEqual([303, '/inbox?q=a']);
    expect(signed.headers.get('set-cookie')).toMatch(
      /^countersign=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  test('behind https the cookie is bound to this host, and the address of the proxy is nobody', async () => {
    const https = pages.doors('https://refunds.example');
    const from = (ip: string) =>
      pages.visitor({ 'x-forwarded-for': `6.6.6.6, ${ip}` }, https, 'https://refunds.example');
    const signed = await from('1.1.1.1').post('/sign-in', { token: testTokens.acme.lead ?? '' });
    expect(signed.headers.get('set-cookie')).toMatch(
      /^__Host-countersign=.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(signed.headers.get('strict-transport-security')).toMatch(/max-age=\d{8}/);
    for (let i = 0; i < 10; i += 1) await from('2.2.2.2').post('/sign-in', { token: 'cs_wrong' });
    const blocked = await from('2.2.2.2').post('/sign-in', { token: testTokens.acme.lead ?? '' });
    expect([blocked.status, blocked.headers.get('retry-after')]).toEqual([429, '60']);
    expect((await from('3.3.3.3').post('/sign-in', { token: testTokens.acme.lead ?? '' })).status).toBe(303);
  });

  test('R29: a token that opens nothing, or is not of a person, opens no session and is not shown again', async () => {
    for (const [token, status] of [
      ['cs_nonsense', 401],
      ['', 401],
      [testTokens.acme.service ?? '', 403],
      [testTokens.acme.agent ?? '', 403],
    ] as const) {
      const refused = await pages.visitor().post('/sign-in', { token });
      expect([refused.status, refused.headers.get('set-cookie')]).toEqual([status, null]);
      if (token !== '') expect(refused.html).not.toContain(token);
    }
  });

  test('signing out ends the session, and takes the pages that the browser kept', async () => {
    const me = await pages.signedIn();
    const secret = me.secret;
    const out = await me.post('/sign-out', {});
    expect([out.status, out.headers.get('clear-site-data'), me.secret]).toEqual([303, '"cache"', '']);
    me.secret = secret;
    expect((await me.get('/inbox')).status).toBe(303);
  });

  test('R23: a key that is revoked ends its sessions at once, on every page and in streams', async () => {
    const made = await pages.signedIn('reviewer2');
    expect((await made.get('/memory')).status).toBe(200);
    await pages.asOwner(
      `update api_keys set revoked_at = now() where tenant = 'acme' and principal_id = 'reviewer2'`,
    );
    for (const path of ['/inbox', '/memory', '/preferences']) expect((await made.get(path)).status).toBe(303);
    expect((await made.get('/inbox/events', { accept: 'text/event-stream' })).status).toBe(401);
  });
});

describe('a form', () => {
  test.each([
    ['another site, by its origin', { origin: 'https://evil.example' }],
    ['another site, by what browsers say', { 'sec-fetch-site': 'cross-site' }],
    ['a page without an origin', { origin: 'null' }],
    ['a neighbour under the same domain', { 'sec-fetch-site': 'same-site' }],
  ])('R29: of %s does nothing', async (_from, headers) => {
    const me = await pages.signedIn();
    for (const [path, fields] of [
      ['/preferences', { zone: 'Asia/Tokyo' }],
      ['/sign-out', {}],
      ['/sign-in', { token: testTokens.acme.lead ?? '' }],
      ['/memory/mem_x/forget', { confirmed: 'yes' }],
    ] as const) {
      const refused = await me.post(path, fields, headers);
      expect([path, refused.status, refused.headers.get('set-cookie')]).toEqual([path, 403, null]);
    }
    expect((await me.get('/inbox')).text).toContain('Times are in Europe/Berlin');
  });

  test("R29: without this session's own token does nothing either", async () => {
    const [me, other] = [await pages.signedIn(), await pages.signedIn()];
    for (const csrf of ['', other.csrf, me.csrf.slice(0, -1)]) {
      await me.post('/preferences', { csrf, zone: 'Asia/Tokyo' });
      await me.post('/sign-out', { csrf });
      expect((await me.get('/inbox')).text).toContain('Times are in Europe/Berlin');
      const refused = await me.post('/inbox/apr_none/decisions', { csrf, decision: 'approve' });
      expect(refused.status).toBe(404);
    }
    await me.post('/preferences', { zone: 'Asia/Tokyo' });
    expect((await me.get('/inbox')).text).toContain('Times are in Asia/Tokyo');
  });

  test('R41: is bounded, and of the one form that browsers send', async () => {
    const me = await pages.signedIn();
    expect((await me.post('/preferences', { zone: 'x'.repeat(70_000) })).status).toBe(413);
    expect((await me.post('/preferences', {}, { 'content-type': 'application/json' })).status).toBe(415);
    expect((await me.get('/inbox/%00')).status).toBe(404);
  });
});

test('every page has the strict policy; pages and the API stand under one address', async () => {
  const me = await pages.signedIn();
  for (const path of [
    '/sign-in',
    '/inbox',
    '/inbox/none',
    '/memory',
    '/preferences',
    '/docs',
    '/assets/x/forms.js',
  ]) {
    const { headers, html } = await me.get(path);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'/,
    );
    expect(html).not.toMatch(
      /<script(?![^>]* src="\/assets\/)|<style| style="| on\w+="|(src|href)="(https?:)?\/\/(?!example)/,
    );
  }
  expect((await me.get('/')).headers.get('location')).toBe('/inbox');
  expect((await me.get('/docs')).text).toContain('POST /v1/approvals/{id}/decisions');
  for (const path of ['/v1/approvals', '/inboxes', '/nothing']) {
    expect((await me.get(path)).headers.get('content-type')).toBe('application/problem+json');
  }
});
