import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const source = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What axe-core finds wrong with the page that is open, in light and in dark. */
export async function violations(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(source);
    const { violations: all } = await page.evaluate<{ violations: Violation[] }>('axe.run(document)');
    for (const { id, nodes } of all) {
      for (const { html, failureSummary } of nodes)
        found.push(`${colorScheme} ${id}: ${html} ${failureSummary}`);
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}
