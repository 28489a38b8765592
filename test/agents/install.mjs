/**
 * The agent programs themselves, from the package registry, in the user's cache: installed once for a set of versions.
 * Their install scripts do not run. They would only put native programs at other paths, so these are started where they are.
 */
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { execaSync } from 'execa';

const PLATFORM = `${process.platform}-${process.arch}`;
const VERSIONS = {
  '@anthropic-ai/claude-code': '2.1.330',
  '@openai/codex': '0.169.0',
  '@google/gemini-cli': '0.61.0',
  '@qwen-code/qwen-code': '0.24.4',
  'opencode-ai': '1.18.33',
  [`node-${process.platform}-${process.arch}`]: '22.23.3',
};
const MINUTES = 60_000;

export const PROGRAMS = ['claude', 'codex', 'gemini', 'qwen', 'opencode'];

const key = Object.values(VERSIONS).join('_');
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'statedsl-tests', `agents-${key}`);
const inCache = (...path) => join(cache, 'node_modules', ...path);

function codexProgram() {
  const vendor = inCache('@openai', `codex-${PLATFORM}`, 'vendor');
  const [target = ''] = existsSync(vendor) ? readdirSync(vendor) : [];
  return join(vendor, target, 'bin', 'codex');
}

/** What is started for each program: a native program, or a script for the Node that came with it. */
const FILES = {
  claude: () => [inCache('@anthropic-ai', `claude-code-${PLATFORM}`, 'claude')],
  codex: () => [codexProgram()],
  gemini: () => [node(), inCache('@google', 'gemini-cli', 'bundle', 'gemini.js')],
  qwen: () => [node(), inCache('@qwen-code', 'qwen-code', 'cli-entry.js')],
  opencode: () => [inCache(`opencode-${PLATFORM}`, 'bin', 'opencode')],
};
const node = () => inCache(`node-${PLATFORM}`, 'bin', 'node');

/** Keeps what the program printed and its exit code, in a folder for each call. */
const RECORDER = (started) => `#!/bin/sh
n=0
while ! mkdir "$STATEDSL_RECORD.$n" 2>/dev/null; do n=$((n + 1)); done
here="$STATEDSL_RECORD.$n"
${started} "$@" > "$here/stdout" 2> "$here/stderr"
code=$?
echo $code > "$here/exit"
cat "$here/stdout"
cat "$here/stderr" >&2
exit $code
`;

const missing = () => PROGRAMS.filter((program) => !FILES[program]().every((file) => existsSync(file)));

function npmInstall() {
  mkdirSync(cache, { recursive: true });
  const packages = Object.entries(VERSIONS).map(([name, version]) => `${name}@${version}`);
  const words = ['install', '--prefix', cache, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', ...packages];
  const { exitCode, stderr = '', originalMessage } = execaSync('npm', words, { reject: false, timeout: 8 * MINUTES });
  if (exitCode === 0) return null;
  const error = stderr.split('\n').find((line) => line.startsWith('npm error'));
  return error ?? originalMessage ?? 'npm ended without saying why';
}

/** Puts all programs into the empty `folder`, for PATH. Gives the reason where they cannot be had, else null. */
export function installPrograms(folder, { recording = false } = {}) {
  if (process.platform === 'win32') return 'the tests start them as on Linux and macOS';
  const failure = missing().length === 0 ? null : npmInstall();
  if (failure !== null) return `the registry does not give them: ${failure}`;
  if (missing().length > 0) return `not for ${PLATFORM}: ${missing().join(', ')}`;
  for (const program of PROGRAMS) {
    const files = FILES[program]();
    const path = join(folder, program);
    const started = files.map((file) => `'${file}'`).join(' ');
    if (recording) writeFileSync(path, RECORDER(started), { mode: 0o755 });
    else if (files.length === 1) symlinkSync(files[0], path);
    else writeFileSync(path, `#!/bin/sh\nexec ${started} "$@"\n`, { mode: 0o755 });
  }
  return null;
}
