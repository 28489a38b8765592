/**
 * Starts the benchmark: it measures the sources as they are, bundled like the program itself. `--nodes` does that on every
 * version of Node that statedsl supports and prints one column for each. A first argument `FILE.ts` starts another one.
 */
import { spawnSync } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { findNode, VERSIONS } from '../test/nodes.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [entry, ...args] = process.argv[2]?.endsWith('.ts')
  ? process.argv.slice(2)
  : ['table.ts', ...process.argv.slice(2)];
const outfile = join(root, 'node_modules/.cache/statedsl-bench', `${basename(entry, '.ts')}.mjs`);

/** What depends most on the version: starting, commands, effects. */
const ROWS = ['start', 'DO: true', 'durable effects'];

// Reading the certificates would triple the start of Node 20 and flatter every ratio; without SHLVL, bash starts slower.
const { NODE_EXTRA_CA_CERTS, ...environment } = process.env;
const env = { SHLVL: '1', ...environment, STATEDSL_BENCH_ROOT: root };
// Behind a proxy with a certificate of its own, the benchmarks that install a peer still need it.
if (NODE_EXTRA_CA_CERTS) env.npm_config_cafile ??= NODE_EXTRA_CA_CERTS;

function measure(node, args, stdout) {
  const { status, stdout: printed } = spawnSync(node, ['--expose-gc', outfile, ...args], {
    stdio: ['inherit', stdout, 'inherit'],
    env,
    maxBuffer: 1 << 24,
  });
  process.exitCode ||= status ?? 1;
  return printed;
}

/** One line for each comparison, one column for each Node: the ratio of time that passed, and that of processors. */
function printColumns(results) {
  const ratio = (number, unit = '×') => (Number.isFinite(number) ? `${number.toFixed(2)} ${unit}` : '–');
  const cell = ({ ratio: passed, cpuRatio, unit, passes }) =>
    `${ratio(passed, unit)}${cpuRatio === undefined ? '' : ` (cpu ${ratio(cpuRatio)})`}${passes ? '' : ' MISSED'}`;
  const line = (what, cells) =>
    console.log([what.padEnd(44), ...cells.map((one) => one.padEnd(28))].join('').trimEnd());
  line(
    '',
    results.map(({ version }) => `Node ${version}`),
  );
  const [first] = results;
  for (const [at, { what }] of (first?.rows ?? []).entries())
    line(
      what,
      results.map(({ rows }) => (rows[at] === undefined ? '–' : cell(rows[at]))),
    );
}

function onAllNodes(args) {
  const names = args.filter((arg) => !arg.startsWith('--'));
  const rows = names.length === 0 ? [...args, ...ROWS] : args;
  const results = VERSIONS.flatMap((version) => {
    const { path, problem } = findNode(version);
    if (path !== undefined)
      return [{ version, rows: JSON.parse(measure(path, [...rows, '--json'], 'pipe').toString()) }];
    console.error(problem);
    return [];
  });
  printColumns(results);
}

await build({
  absWorkingDir: root,
  entryPoints: [`bench/${entry}`],
  outfile,
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.20',
  external: ['xstate'],
  banner: { js: "import { createRequire as $require } from 'node:module'; const require = $require(import.meta.url);" },
  logLevel: 'warning',
});
if (args.includes('--nodes')) onAllNodes(args.filter((arg) => arg !== '--nodes'));
else measure(process.execPath, args, 'inherit');
