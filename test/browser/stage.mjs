/** A folder with programs and runs, a service that shows it, and a browser that looks at it. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { execaSync } from 'execa';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const cli = join(root, 'dist/cli.js');
const load = createRequire(join(process.env.STATEDSL_BROWSER_PACKAGES, 'package.json'));
const { chromium } = load('playwright-core');
const axe = load.resolve('axe-core/axe.min.js');

/** Waiting is for facts; this only ends a test that waits for one that does not come. */
const LIMIT_MS = 60_000;
export const TOKEN = 'a-token-of-a-browser-test';

const left = new WeakMap();

/**
 * What a test leaves ends in the reverse of the order in which it began: a folder is removed when nothing writes into it any
 * more. All of it ends, also if one fails to: a service that stays would keep this process, too.
 */
export function atEnd(test, end) {
  const ends = left.get(test);
  if (ends !== undefined) {
    ends.push(end);
    return;
  }
  const first = [end];
  left.set(test, first);
  test.after(async () => {
    const failures = [];
    for (const one of first.reverse())
      await Promise.resolve()
        .then(one)
        .catch((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  });
}

/** A folder of its own for each test. `files`: its programs. */
export function makeFolder(test, files) {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-page-'));
  atEnd(test, () => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, 'token'), TOKEN, { mode: 0o600 });
  return folder;
}

/** Makes the folder a repository with one commit; the function runs git in it. */
export function makeRepository(folder) {
  const person = ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false'];
  const git = (...words) => execaSync('git', [...person, ...words], { cwd: folder });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-q', '-m', 'begin');
  return git;
}

/** Executes a program to its end; the id of the run. */
export function runProgram(folder, ...words) {
  const { stdout } = execaSync(process.execPath, [cli, 'run', '--json', '--quiet', ...words], {
    cwd: folder,
    reject: false,
    stdin: 'ignore',
  });
  const { run_id: id, diagnostics } = JSON.parse(stdout);
  if (id === undefined) throw new Error(`the program has errors: ${JSON.stringify(diagnostics)}`);
  return id;
}

/** Ends a run that another process executes. */
export function cancelRun(folder, id) {
  execaSync(process.execPath, [cli, 'cancel', id], { cwd: folder, reject: false });
}

export function runIds(folder) {
  return readdirSync(join(folder, '.statedsl/runs')).filter((name) => /^[0-9a-f-]{36}$/.test(name));
}

/** Starts a service; `port` 0 is any free one. */
export async function startService(test, folder, { port = 0, words = [] } = {}) {
  const listen = ['serve', '--json', '--listen', `127.0.0.1:${port}`, '--token-file', 'token'];
  // One for an engine executes nothing.
  if (!words.includes('--on')) listen.push('--grace', '1s');
  const child = spawn(process.execPath, [cli, ...listen, ...words], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const stop = async (signal = 'SIGTERM') => {
    child.kill(signal);
    await ended;
  };
  atEnd(test, () => stop('SIGKILL'));
  const { value: line } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const { address } = JSON.parse(line);
  return { address, port: Number(new URL(address).port), stop };
}

/** What starts the engine in memory of other tests and prints its address. Commands are executed in a folder, for a user. */
const ENGINE = `
import { liveEngine, NAMESPACE } from './live-engine.ts';
const [cwd = '', user = ''] = process.argv.slice(2);
console.log(JSON.stringify({ url: await liveEngine({}, { cwd, submitters: [user] }), namespace: NAMESPACE }));
`;

/** An engine in memory in a process of its own, whose worker executes commands in this folder: words for `serve`. */
export async function startEngine(test, folder) {
  const { outputFiles } = await build({
    stdin: { contents: ENGINE, loader: 'ts', resolveDir: join(root, 'test/engine') },
    ...{ bundle: true, write: false, platform: 'node', format: 'esm', target: 'node20', logLevel: 'error' },
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    // It ends when its process is killed.
    plugins: [
      {
        name: 'ends',
        setup(bundle) {
          bundle.onResolve({ filter: /^vitest$/ }, () => ({ path: 'vitest', namespace: 'ends' }));
          const contents = 'export const onTestFinished = () => undefined;';
          bundle.onLoad({ filter: /.*/, namespace: 'ends' }, () => ({ contents }));
        },
      },
    ],
  });
  const file = join(mkdtempSync(join(tmpdir(), 'statedsl-engine-')), 'engine.mjs');
  writeFileSync(file, outputFiles[0].contents);
  atEnd(test, () => rmSync(dirname(file), { recursive: true, force: true }));
  const child = spawn(process.execPath, [file, folder, userInfo().username], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  atEnd(test, () => {
    child.kill('SIGKILL');
    return ended;
  });
  const { value: line } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const { url, namespace } = JSON.parse(line);
  return ['--on', url, '--namespace', namespace];
}

/** Starts a run over HTTP; its id. */
export async function startProgram({ address }, program, inputs = {}) {
  const response = await fetch(`${address}/api/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ program, inputs }),
  });
  const { run_id: id, ...answer } = await response.json();
  if (response.status !== 201) throw new Error(`the run was not accepted: ${JSON.stringify(answer)}`);
  return id;
}

let browser = null;

export async function closeBrowser() {
  await browser?.close();
}

/** A page that is signed in. `log` has everything that should not happen: errors, violations, requests to elsewhere. */
export async function openPage(test, { address }, { path = '/', ...looks } = {}) {
  const mark = path.includes('?') ? '&' : '?';
  return open(test, { home: `${address}/`, url: `${address}${path}${mark}token=${TOKEN}` }, looks);
}

/** A page from a file. */
export async function openFile(test, url, looks = {}) {
  return open(test, { home: url, url }, looks);
}

/** Writes the latest run of a folder as a page in a file. */
export function writePage(folder, file) {
  execaSync(process.execPath, [cli, 'report', '--html', file], { cwd: folder });
}

async function open(test, { home, url }, { theme = 'light', width = 1280, height = 800 }) {
  browser ??= await chromium.launch({ executablePath: process.env.STATEDSL_BROWSER, args: ['--no-sandbox'] });
  const context = await browser.newContext({ colorScheme: theme, viewport: { width, height } });
  atEnd(test, () => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(LIMIT_MS);
  const log = [];
  page.on('pageerror', ({ message }) => log.push(`error: ${message}`));
  page.on('console', (message) => message.type() === 'error' && log.push(`console: ${message.text()}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(home)) log.push(`request: ${request.url()}`);
  });
  page.on('dialog', (dialog) => {
    log.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  return { page, log };
}

/** Waits until a check of what is drawn holds: a page is laid out after its address and its data have changed. */
export async function untilTrue(check) {
  const limit = Date.now() + LIMIT_MS;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > limit) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** What axe finds wrong: one line for each element. */
export async function findBarriers(page) {
  const script = load('node:fs').readFileSync(axe, 'utf8');
  // The policy of the page permits no script of others, so the browser itself evaluates this one.
  await page.evaluate(script);
  const { violations } = await page.evaluate(() => globalThis.axe.run({ resultTypes: ['violations'] }));
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
  );
}

/** Boxes of one kind that lie over each other, what is cut off, and a page that is wider than the screen. */
export async function findBroken(page) {
  return page.evaluate(() => {
    const found = [];
    if (document.documentElement.scrollWidth > innerWidth)
      found.push(`the page is ${document.documentElement.scrollWidth} wide`);
    const boxes = (selector) =>
      [...document.querySelectorAll(selector)]
        .map((one) => ({
          words: (one.getAttribute('aria-label') ?? one.textContent).slice(0, 40),
          isScrolled: one.closest('.scroll') !== null,
          ...one.getBoundingClientRect().toJSON(),
        }))
        .filter(({ width, height }) => width > 0 && height > 0);
    const parts = '.panel, .run-screen > *, .fact, .actions button, .filters > *, [role="tab"], .panel-tools > *';
    for (const selector of parts.split(', ')) {
      const all = boxes(selector);
      all.forEach((a, at) => {
        for (const b of all.slice(at + 1)) {
          const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
          const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
          if (across > 1 && down > 1) found.push(`${selector}: ${a.words} lies over ${b.words}`);
        }
      });
    }
    for (const { words, left, right, isScrolled } of boxes('h1, button, [role="tab"], .fact, .filters > *'))
      if (!isScrolled && (left < -1 || right > innerWidth + 1)) found.push(`cut: ${words}`);
    return found;
  });
}
