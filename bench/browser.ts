/** A real browser for the benchmark of the page: Chromium of the system, and what `npm run test:browser` installs to drive it. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from './scratch.js';

/** What the benchmark uses of playwright-core. */
export interface Page {
  goto(url: string): Promise<unknown>;
  evaluate<T>(script: string): Promise<T>;
  close(): Promise<void>;
  context(): { newCDPSession(page: Page): Promise<{ send<T>(method: string): Promise<T> }> };
  readonly mouse: { move(x: number, y: number): Promise<void>; wheel(x: number, y: number): Promise<void> };
}

export interface Browser {
  newPage(options: { readonly viewport: { readonly width: number; readonly height: number } }): Promise<Page>;
  close(): Promise<void>;
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** Null if there is none. */
export async function launchBrowser(): Promise<Browser | null> {
  const packages = join(root, 'node_modules/.cache/browser');
  const folders = (process.env.PATH ?? '').split(':');
  const executablePath = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
  if (executablePath === undefined || !existsSync(packages)) return null;
  const { chromium } = createRequire(join(packages, 'package.json'))('playwright-core') as {
    readonly chromium: { launch(options: object): Promise<Browser> };
  };
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** Until a condition holds in the page, looked at before each frame.  */
export async function untilTrue(page: Page, condition: string): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const look = () => ((${condition}) ? resolve(null) : requestAnimationFrame(look));
    look();
  })`);
}
