import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** @throws Error that says how to get one */
export function chromiumPath(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const candidates = [
    process.env['CHROMIUM_PATH'] ?? '',
    ...folders.flatMap((folder) => names.map((name) => join(folder, name))),
  ];
  const found = candidates.find((path) => path !== '' && isExecutable(path));
  if (found !== undefined) return found;
  throw new Error('these tests need Chromium: apt-get install chromium, or set CHROMIUM_PATH to one');
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A real Chromium. Root has to do without its sandbox; nothing but our own pages is opened. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath(),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
}

export interface Visiting {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the browser complained about: errors of scripts, and everything that the content security policy stopped. */
  readonly complaints: string[];
}

/** A browser of one person, signed in at `url`. */
export async function visit(
  browser: Browser,
  url: string,
  token: string | undefined,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Visiting> {
  const context = await browser.newContext({ baseURL: url, ...options });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (/Content.Security.Policy|Refused to/i.test(message.text())) complaints.push(message.text());
  });
  if (token !== undefined) {
    await page.goto('/sign-in');
    await page.fill('#token', token);
    await page.press('#token', 'Enter');
    await page.waitForURL('**/inbox');
  }
  return { context, page, complaints };
}
