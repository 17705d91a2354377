import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { TestStack } from '../support/stack';
import { testTokens } from '../support/shared';
import { launchChromium, visit } from '../support/browser';

let stack: TestStack;
let browser: Browser;
beforeAll(async () => {
  [stack, browser] = await Promise.all([TestStack.start(), launchChromium()]);
  const pay = () => stack.provider.charge(1_000_000, 'usd', { customer: 'cus_pages' });
  await stack
    .as('service')
    .openApproval({
      paymentId: await pay(),
      amount: '120.00',
      note: 'A broken teapot',
      evidence: [{ label: 'photo', url: 'https://example.com/p.jpg', text: 'lid cracked' }],
    });
  await stack.as('service').openApproval({ paymentId: await pay(), amount: '6000.00', onBehalfOf: 'maria' });
});
afterAll(async () => {
  await browser.close();
  await stack.stop();
});
test('look', async () => {
  for (const scheme of ['light', 'dark'] as const)
    for (const width of [1200, 390]) {
      const { page, complaints, context } = await visit(browser, stack.apiUrl, testTokens.acme.reviewer1, {
        colorScheme: scheme,
        viewport: { width, height: 900 },
      });
      const shot = (n: string) =>
        page.screenshot({ path: `/tmp/shots/${n}-${scheme}-${width}.png`, fullPage: true });
      const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
      const check = async (n: string) => {
        await page.evaluate(axe);
        const r = (await page.evaluate(`axe.run(document)`)) as any;
        console.log(
          n,
          scheme,
          width,
          r.violations.map((v: any) => [
            v.id,
            v.nodes.map((x: any) => x.html.slice(0, 150) + x.failureSummary),
          ]),
        );
      };
      await shot('list');
      await check('list');
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/inbox/apr_*');
      await shot('detail');
      await check('detail');
      await page.keyboard.press('a');
      await page.waitForSelector('body[data-kind=confirm]');
      await shot('confirm');
      await check('confirm');
      console.log(complaints, page.url());
      await context.close();
    }
});
