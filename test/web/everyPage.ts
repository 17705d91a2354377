import { mkdirSync, mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { ApprovalView } from '../../src/application/views';
import { packageRoot } from '../../src/main/version';
import { violations } from './axe';

interface Ground {
  /** A page of a reviewer who is signed in. */
  readonly page: () => Promise<Page>;
  readonly open: (amount: string, more?: Record<string, unknown>) => Promise<ApprovalView>;
  /** One statement, as the database's owner. */
  readonly asOwner: (statement: string) => Promise<unknown>;
}

/** Nothing that axe-core finds, and no page wider than a phone. */
export async function look(page: Page, name: string): Promise<void> {
  expect([name, await violations(page)]).toEqual([name, []]);
  await page.setViewportSize({ width: 360, height: 740 });
  const [content, window] = await page.evaluate<number[]>(
    '[document.documentElement.scrollWidth, innerWidth]',
  );
  expect([name, content]).toEqual([name, window]);
  const one = [await page.locator('h1').count(), await page.locator('main').count()];
  expect([name, ...one]).toEqual([name, 1, 1]);
  await page.setViewportSize({ width: 1200, height: 800 });
}

/** What must be so on every page, whatever it shows; over a stack that runs already. */
export function everyPage({ page: signedIn, open, asOwner }: Ground): void {
  const evidence = [
    { label: 'photo of the parcel', url: 'https://example.com/photo.jpg', text: 'the lid is cracked' },
    'order says "fragile"',
  ];
  const note = 'Arrived broken; the customer sent a photo the same day.';
  const full = () => open('4800.00', { note, evidence, onBehalfOf: 'm.ortiz', orderId: 'ORDER-42' });

  async function rememberSomething(): Promise<void> {
    await asOwner(`with d as (insert into memory_decisions
        (id, tenant, owner, kind, key, allowed, rule_ids, policy_version, reason, actor, actor_kind)
        values ('dec_seen', 'acme', 'reviewer1', 'semantic', 'language', true, '{r}', 'v', 'r', 'agent', 'agent') returning id)
      insert into memories (id, tenant, owner, kind, key, value, source, confidence, evidence, personal, version, decision_id, valid_from)
      select 'mem_seen', 'acme', 'reviewer1', 'semantic', 'language', 'Bengali', 'inferred', 0.8,
        '[{"kind":"run","ref":"run_1"}]', true, 1, id, now() from d`);
  }

  describe('every page', () => {
    test('is without a violation that axe-core finds, in light and dark, and fits a phone', async () => {
      await rememberSomething();
      const approval = await full();
      const page = await signedIn();
      const addresses = [
        '/inbox',
        '/inbox?q=nothing',
        '/inbox?min_amount=x',
        '/inbox/none',
        `/inbox/${approval.id}`,
      ];
      addresses.push('/memory', '/preferences', '/docs', '/inbox?status=any&group=approvers');
      for (const address of addresses) {
        await page.goto(address);
        await look(page, address);
      }
      await page.goto('/memory');
      await page.click('button.danger');
      await page.waitForSelector('body[data-kind="confirm"]');
      await look(page, 'forgetting');
      await page.goto(`/inbox/${approval.id}`);
      await page.click('#approve');
      await page.waitForSelector('body[data-kind="confirm"]');
      await look(page, 'confirming');
      await page.click('button[name="back"]');
      await page.fill('#amount', 'x');
      await page.press('#amount', 'Enter');
      await page.waitForSelector('[role="alert"]');
      await look(page, 'refused');
      await page.context().clearCookies();
      await page.goto('/inbox');
      await look(page, '/sign-in');
    });

    test('begins with a way past the top, and the focus is always to be seen', async () => {
      const page = await signedIn();
      await page.goto('/inbox');
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.textContent')).toContain('Skip to content');
      expect((await page.locator('.skip').boundingBox())?.width).toBeGreaterThan(50);
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.querySelector("main").contains(document.activeElement)')).toBe(
        true,
      );
      expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    });

    // `npm run pictures` writes them into docs/images.
    test('the pictures of the documents can be taken, and are small', async () => {
      const folder = process.env['PICTURES_INTO'] ?? mkdtempSync(join(tmpdir(), 'countersign-pictures-'));
      mkdirSync(folder, { recursive: true });
      const approval = await full();
      for (const [amount, more] of [
        ['6000.00', { reason: 'duplicate' }],
        ['120.00', { reason: 'not_received', onBehalfOf: 'm.ortiz' }],
        ['89.90', { reason: 'goodwill' }],
      ] as const)
        await open(amount, more);
      // As if they had come in over two days, the oldest first.
      await asOwner(`update approvals a set opened_at = opened_at - shift, deadline = deadline - shift,
        state = state || jsonb_build_object('openedAt', (state ->> 'openedAt')::bigint - ms, 'deadline', (state ->> 'deadline')::bigint - ms)
        from (select id as shifted, ms, ms * interval '1 millisecond' as shift from
          (select id, (row_number() over (order by opened_at desc) * 9400000)::bigint as ms from approvals where status = 'open') o) s
        where a.id = s.shifted`);
      const page = await signedIn();
      await page.setViewportSize({ width: 1120, height: 640 });
      for (const [name, address] of [
        ['inbox', '/inbox'],
        ['approval', `/inbox/${approval.id}`],
        ['run', `/runs/${approval.runId}`],
      ] as const) {
        await page.goto(address);
        const path = join(folder, `${name}.png`);
        await page.screenshot({ path });
        expect(statSync(path).size).toBeLessThan(150_000);
        expect(readFileSync(path).subarray(1, 4).toString()).toBe('PNG');
        expect(statSync(join(packageRoot, 'docs', 'images', `${name}.png`)).size).toBeGreaterThan(10_000);
      }
    });
  });
}
