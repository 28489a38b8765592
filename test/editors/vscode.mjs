/**
 * The extension in VS Code, without a screen: the packed .vsix in code-server, whose page Chromium opens. `ask-vscode.cjs`
 * runs beside the extension, as an extension of its own, and asks through the API of VS Code what a person would see.
 * Everything is installed once, into the user's cache.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execaSync } from 'execa';
import { unzipSync } from 'fflate';
import { findNode } from '../nodes.mjs';
import { FILES } from './vscode-files.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));
const VERSION = '4.139.1';
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'statedsl-tests', `vscode-${VERSION}`);
const editor = join(cache, 'node_modules/code-server');
const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome'];

/** How long all questions may take on a busy machine. */
const LIMIT_MS = 600_000;
/** How long a scene may take to show what is wanted. */
const SCENE_MS = 60_000;

export const isInstalled = () => existsSync(join(cache, 'complete'));

function npm(folder, ...words) {
  const all = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', ...words];
  const { exitCode, stderr } = execaSync('npm', all, { cwd: folder, reject: false, timeout: 600_000 });
  return exitCode === 0 ? null : (stderr || 'npm failed').trim().split('\n')[0];
}

function findBrowser() {
  const folders = (process.env.PATH ?? '').split(':');
  return BROWSERS.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync) ?? null;
}

/** Null, or why it cannot be had. No native module is needed, so no script of a package runs. */
export function install() {
  const { problem } = findNode('24');
  if (problem !== undefined) return problem;
  if (findBrowser() === null && process.getuid?.() === 0) {
    execaSync('apt-get', ['update'], { reject: false });
    execaSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], { reject: false, stdio: 'inherit' });
  }
  if (findBrowser() === null) return 'there is no Chromium: apt-get install chromium';
  if (isInstalled()) return null;
  mkdirSync(cache, { recursive: true });
  const inside = join(editor, 'lib/vscode');
  const failed =
    npm(cache, '--no-save', `code-server@${VERSION}`, 'playwright-core@1.65.1') ??
    npm(inside, '--omit=dev') ??
    npm(join(inside, 'extensions'), '--omit=dev');
  if (failed === null) writeFileSync(join(cache, 'complete'), '');
  return failed;
}

function write(folder, files) {
  for (const [path, contents] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), contents);
  }
}

/** The packed extension, as it would be installed, and the one that asks. */
function placeExtensions(folder) {
  execaSync(process.execPath, [join(root, 'bundle/vsix.mjs'), '--to', folder]);
  const [archive] = readdirSync(folder).filter((name) => name.endsWith('.vsix'));
  const extensions = join(folder, 'extensions');
  const prefix = 'extension/';
  const members = Object.entries(unzipSync(readFileSync(join(folder, archive))))
    .filter(([path]) => path.startsWith(prefix) && !path.endsWith('/'))
    .map(([path, contents]) => [path.slice(prefix.length), contents]);
  write(join(extensions, 'statedsl.statedsl'), Object.fromEntries(members));
  const manifest = {
    ...{ name: 'asking', publisher: 'statedsl-test', version: '1.0.0', engines: { vscode: '^1.100.0' } },
    ...{ main: './ask-vscode.cjs', activationEvents: ['onStartupFinished'] },
    capabilities: { untrustedWorkspaces: { supported: true } },
  };
  write(join(extensions, 'statedsl-test.asking'), { 'package.json': JSON.stringify(manifest) });
  copyFileSync(join(here, 'ask-vscode.cjs'), join(extensions, 'statedsl-test.asking/ask-vscode.cjs'));
  return extensions;
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks all questions in an empty folder; resolves with the answers. `isTrusted`: whether the person trusts the folder. */
export async function askVscode(folder, { only = '', isTrusted = true, files = FILES } = {}) {
  const workspace = join(folder, 'workspace');
  write(workspace, files);
  const extensions = placeExtensions(folder);
  const said = join(folder, 'said.json');
  const port = await freePort();
  write(folder, {
    'config.yaml': '',
    'user/User/settings.json': JSON.stringify({
      'workbench.startupEditor': 'none',
      'telemetry.telemetryLevel': 'off',
      'extensions.autoUpdate': false,
      'extensions.autoCheckUpdates': false,
      'chat.disableAIFeatures': true,
      'git.enabled': false,
      'files.autoSave': 'off',
      'security.workspace.trust.startupPrompt': 'never',
    }),
  });
  const { path: node } = findNode('24');
  const words = [
    ...[join(editor, 'out/node/entry.js'), '--config', join(folder, 'config.yaml'), '--auth', 'none'],
    ...['--bind-addr', `127.0.0.1:${port}`, '--disable-telemetry', '--disable-update-check'],
    ...['--user-data-dir', join(folder, 'user'), '--extensions-dir', extensions],
    ...(isTrusted ? ['--disable-workspace-trust'] : []),
  ];
  const log = [];
  const server = spawn(node, words, {
    cwd: workspace,
    env: { ...process.env, HOME: folder, STATEDSL_SAID: said, STATEDSL_ONLY: only, STATEDSL_WORKSPACE: workspace },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (bytes) => log.push(bytes.toString()));
  const { chromium } = createRequire(join(cache, 'package.json'))('playwright-core');
  const browser = await chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox', '--disable-gpu'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  try {
    for (let turn = 0; !log.join('').includes('HTTP server listening'); turn++) {
      assert.ok(turn < 600 && server.exitCode === null, `the editor does not start:\n${log.join('')}`);
      await pause(100);
    }
    await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(workspace)}`, { timeout: 120_000 });
    const shown = {};
    const scene = `${said}.scene`;
    for (let left = LIMIT_MS; !existsSync(said) && left > 0; left -= 200) {
      await pause(200);
      if (!existsSync(scene)) continue;
      const name = readFileSync(scene, 'utf8');
      for (const end = Date.now() + SCENE_MS; Date.now() < end; ) {
        shown[name] = await shownIn(page);
        if (COMPLETE[name](shown[name])) break;
        await pause(200);
      }
      rmSync(scene);
    }
    assert.ok(existsSync(said), `the questions were not answered:\n${log.join('').slice(-4000)}`);
    const answers = JSON.parse(readFileSync(said, 'utf8'));
    if (answers.error !== undefined || process.env.STATEDSL_SCREEN !== undefined) await keepScreen(page);
    return { ...answers, shown };
  } catch (cause) {
    await keepScreen(page);
    throw cause;
  } finally {
    await browser.close();
    try {
      process.kill(-server.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

/** When a scene shows all that is wanted of it. If it never does, what it shows is judged. */
const COMPLETE = {
  program: ({ squiggles, lenses, colors }) => squiggles > 0 && lenses.length > 0 && colors > 5,
  views: ({ graph, labels }) =>
    graph !== null && graph.now.length > 0 && labels.some((one) => /state entered/.test(one)),
  tests: ({ labels }) => labels.some((one) => /\(Failed\)/.test(one)),
  restricted: ({ notices }) => notices.length > 0,
};

/** What the window shows, besides what its API says. */
async function shownIn(page) {
  const texts = (place, selector) => place.locator(selector).evaluateAll((all) => all.map((one) => one.textContent));
  const labels = await page
    .locator('[role=treeitem]')
    .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
  const graphs = await Promise.all(
    page.frames().map(async (frame) => ({
      nodes: await texts(frame, '.node text').catch(() => []),
      now: await texts(frame, '.node.now text').catch(() => []),
    })),
  );
  return {
    squiggles: await page.locator('.squiggly-error').count(),
    lenses: await texts(page, '.codelens-decoration a'),
    colors: new Set(
      await page.locator('.view-line span[class*="mtk"]').evaluateAll((all) => all.map((one) => one.className)),
    ).size,
    labels: labels.filter((one) => one !== null),
    notices: await texts(page, '.notification-list-item-message, .dialog-message-container'),
    graph: graphs.find(({ nodes }) => nodes.length > 0) ?? null,
  };
}

async function keepScreen(page) {
  const path = join(root, 'node_modules/.cache/editors/vscode.png');
  mkdirSync(dirname(path), { recursive: true });
  await page.screenshot({ path }).catch(() => undefined);
  console.error(`a picture of the window: ${path}`);
}
