/**
 * Publishes the version in package.json: `npm run release` packs it and shows what would be published;
 * with `--to FOLDER` the package stays there; `npm run release -- --publish` publishes it, which a hosted CI job does after `.ci/run` (`.github/workflows/release.yml`).
 *
 * What is published carries provenance: the registry signs which commit of which repository it was built from. For that the
 * manifest has to name the repository. It is the one that the job runs in, so a fork can release under its own name.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const manifestFile = join(root, 'package.json');
/** What a package has to hold besides the program itself. */
const NEEDED = [
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'dist/cli.js',
  'dist/store.cjs',
  'dist/index.mjs',
  'dist/library.cjs',
  'dist/index.d.mts',
  'dist/viewer/index.html.gz',
  'dist/elk.js.gz',
  'dist/licences.txt',
  'dist/sbom.cdx.json',
];

function fail(problem) {
  console.error(`error: ${problem}`);
  process.exit(1);
}

const output = (program, ...args) => execFileSync(program, args, { cwd: root, encoding: 'utf8' }).trim();

function checkVersion({ version }) {
  const tag = process.env.GITHUB_REF_NAME;
  if (tag !== `v${version}`) fail(`the tag is ${tag ?? 'missing'}, and package.json says ${version}`);
  if (output('git', 'status', '--porcelain') !== '') fail('the checkout has changes that are not committed');
  const heading = new RegExp(`^## ${version.replaceAll('.', '\\.')}\\b`, 'm');
  if (!heading.test(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')))
    fail(`CHANGELOG.md has no section for ${version}`);
}

/** The manifest with the repository that this job runs in. */
function withRepository(manifest) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
  if (server === undefined || repository === undefined)
    fail('only a job of a hosted CI can prove where the package comes from');
  const home = `${server}/${repository}`;
  return {
    ...manifest,
    repository: { type: 'git', url: `git+${home}.git` },
    bugs: { url: `${home}/issues` },
    homepage: `${home}#readme`,
  };
}

function pack(folder) {
  const [{ filename, files, size }] = JSON.parse(
    output('npm', 'pack', '--json', '--silent', '--pack-destination', folder),
  );
  const missing = NEEDED.filter((path) => !files.some((file) => file.path === path));
  if (missing.length > 0) fail(`the package lacks ${missing.join(', ')}`);
  const { components } = JSON.parse(readFileSync(join(root, 'dist/sbom.cdx.json'), 'utf8'));
  console.log(
    `${filename}: ${files.length} files, ${Math.round(size / 1000)} kB, ${components.length} bundled packages`,
  );
  return join(folder, filename);
}

const [, kept] = /^--to (.+)$/.exec(process.argv.slice(2, 4).join(' ')) ?? [];
const publishes = process.argv.includes('--publish');
const written = readFileSync(manifestFile, 'utf8');
/** Who installs the package builds nothing: scripts would only make npm ask whether they may run. */
const { scripts: _scripts, devDependencies: _devDependencies, ...manifest } = JSON.parse(written);
if (publishes) checkVersion(manifest);
const scratch = mkdtempSync(join(tmpdir(), 'statedsl-release-'));
try {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
  const packed = publishes ? withRepository(manifest) : manifest;
  writeFileSync(manifestFile, `${JSON.stringify(packed, null, 2)}\n`);
  if (kept !== undefined) mkdirSync(kept, { recursive: true });
  const tarball = pack(kept ?? scratch);
  if (publishes)
    execFileSync('npm', ['publish', tarball, '--provenance', '--access', 'public'], { cwd: root, stdio: 'inherit' });
} finally {
  writeFileSync(manifestFile, written);
  rmSync(scratch, { recursive: true, force: true });
}
