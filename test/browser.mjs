/**
 * The page in a real browser, against real runs: `npm run test:browser`. The browser is Chromium of the system, which is
 * installed with apt where that is permitted; what drives it comes from the package registry, into `node_modules/.cache`.
 * Words after `--` select tests by their names.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execaNode, execaSync } from 'execa';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, 'node_modules/.cache/browser');
const PACKAGES = ['playwright-core@1.65.1', 'axe-core@4.14.1'];
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

function findBrowser() {
  const folders = (process.env.PATH ?? '').split(':');
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync) ?? null;
}

/** Null if it cannot be had. */
function installBrowser() {
  const found = findBrowser();
  if (found !== null || process.getuid?.() !== 0) return found;
  execaSync('apt-get', ['update'], { reject: false });
  execaSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], { reject: false, stdio: 'inherit' });
  return findBrowser();
}

function installPackages() {
  const versions = PACKAGES.map((name) => join(cache, 'node_modules', name.replace(/@[^@]+$/, ''), 'package.json'));
  if (versions.every(existsSync)) return;
  mkdirSync(cache, { recursive: true });
  const words = ['install', '--prefix', cache, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', ...PACKAGES];
  execaSync('npm', words, { stdio: 'inherit' });
}

const browser = installBrowser();
if (browser === null) {
  console.error('error: there is no Chromium: install it with `apt-get install chromium`');
  process.exit(1);
}
installPackages();
const only = process.argv.slice(2).map((pattern) => `--test-name-pattern=${pattern}`);
for (const file of ['page', 'questions', 'kinds', 'many', 'screens', 'file']) {
  const { exitCode } = await execaNode(join(root, `test/browser/${file}.test.mjs`), [], {
    // What a failed test leaves must not keep the process.
    nodeOptions: ['--test-reporter=spec', '--test-force-exit', ...only],
    env: { STATEDSL_BROWSER: browser, STATEDSL_BROWSER_PACKAGES: cache },
    stdio: 'inherit',
    reject: false,
  });
  process.exitCode ||= exitCode ?? 1;
}
