import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const source = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Every rule in light; in dark those about colour, which is all that differs there. */
const runs = [
  ['light', 'axe.run(document)'],
  ['dark', 'axe.run(document, { runOnly: ["cat.color"] })'],
] as const;

/** What axe-core finds wrong with the page that is open, in light and in dark. */
export async function violations(page: Page): Promise<string[]> {
  const found: string[] = [];
  await page.evaluate(source);
  for (const [colorScheme, run] of runs) {
    await page.emulateMedia({ colorScheme });
    const { violations: all } = await page.evaluate<{ violations: Violation[] }>(run);
    for (const { id, nodes } of all) {
      for (const { html, failureSummary } of nodes)
        found.push(`${colorScheme} ${id}: ${html} ${failureSummary}`);
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}
