/**
 * The commands of the gates `compile`, `test` and `lint`, and of gates that a project defines. They come from the
 * configuration, or else from files of the project such as package.json: the first source with a command wins. Nothing is
 * executed to find them.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDuration } from '../../machine/duration.js';
import { isJsonObject } from '../../prelude/json-object.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { whyForeign, whyUnreadable } from '../readable-file.js';
import type { Configuration } from './load-configuration.js';

interface ConfiguredGate {
  readonly command: string;
  readonly timeoutMs: number;
  readonly idleMs?: number;
}

/** How long the command of a gate may run by default, in milliseconds. */
const TIMEOUT_MS = 600_000;

/** A command that was found and is not used, with the reason: it names the file. */
interface RefusedGate {
  readonly refused: string;
}

type Discovered = 'compile' | 'test' | 'lint';
type Commands = Partial<Record<Discovered, string>>;

/** Gates that use the command of another gate if they have none, and examine its output. */
const ANSWERED_BY: Readonly<Record<string, Discovered>> = { coverage: 'test', tests_found: 'test' };

interface CommandSource {
  /** The first of these that exists is read. */
  readonly names: readonly string[];
  readonly commands: (text: string, folder: string) => Commands;
}

/** In order of preference. Of the makefiles, make takes the first. */
const SOURCES: readonly CommandSource[] = [
  { names: ['package.json'], commands: packageScripts },
  { names: ['GNUmakefile', 'makefile', 'Makefile'], commands: makefile },
  { names: ['go.mod'], commands: () => ({ compile: 'go build ./...', test: 'go test ./...', lint: 'go vet ./...' }) },
  { names: ['Cargo.toml'], commands: () => ({ compile: 'cargo build', test: 'cargo test', lint: 'cargo clippy' }) },
  { names: ['pyproject.toml'], commands: pyproject },
];

/**
 * Finds the command of a gate by its name, for a project in `folder`; null if there is none. A file that was found decides
 * nothing if another user can write it.
 */
export function gateCommands(
  { gates, defaults }: Pick<Configuration, 'gates' | 'defaults'>,
  folder: string,
): (name: string) => ConfiguredGate | RefusedGate | null {
  let found: ReturnType<typeof discover> | null = null;
  const usual = gateTimeoutMs({ defaults });
  const find = (name: string): ConfiguredGate | RefusedGate | null => {
    const given = Object.hasOwn(gates, name) ? gates[name] : undefined;
    if (typeof given === 'string') return { command: given, timeoutMs: usual };
    if (given !== undefined)
      return omitUndefined({
        command: given.run,
        timeoutMs: (given.timeout && parseDuration(given.timeout)) || usual,
        idleMs: (given.idle && parseDuration(given.idle)) || undefined,
      });
    if (Object.hasOwn(ANSWERED_BY, name)) return find(ANSWERED_BY[name] as string);
    if (name !== 'compile' && name !== 'test' && name !== 'lint') return null;
    found ??= discover(folder);
    const one = found[name];
    return one === undefined || 'refused' in one ? (one ?? null) : { ...one, timeoutMs: usual };
  };
  return find;
}

/** How long gates may run that have no limit of their own. */
export function gateTimeoutMs({ defaults }: Pick<Configuration, 'defaults'>): number {
  return (defaults.gate_timeout && parseDuration(defaults.gate_timeout)) || TIMEOUT_MS;
}

function discover(folder: string): Partial<Record<Discovered, { readonly command: string } | RefusedGate>> {
  const found: Partial<Record<Discovered, { readonly command: string } | RefusedGate>> = {};
  for (const { names, commands } of SOURCES) {
    const name = names.find((file) => existsSync(join(folder, file)));
    const text = name === undefined ? null : textOf(join(folder, name));
    if (name === undefined || text === null) continue;
    const why = whyForeign(join(folder, name));
    for (const [gate, command] of Object.entries(commands(text, folder)) as [Discovered, string][]) {
      const known = found[gate];
      if (why !== null) found[gate] ??= { refused: `\`${name}\` is not used, because ${why}` };
      else if (known === undefined || 'refused' in known) found[gate] = { command };
    }
  }
  return found;
}

function textOf(path: string): string | null {
  try {
    // Reading a pipe would block, and its content would decide which command runs.
    return whyUnreadable(path, 'all') === null ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}

/** The script that `npm init` writes if there are no tests: it says so and fails. */
const NO_TESTS = /no test specified/;

const PACKAGE_MANAGERS: Readonly<Record<string, string>> = {
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lockb': 'bun',
  'bun.lock': 'bun',
};

function packageScripts(text: string, folder: string): Commands {
  const { scripts, packageManager } = readPackage(text);
  const locked = Object.keys(PACKAGE_MANAGERS).find((file) => {
    const path = join(folder, file);
    return existsSync(path) && whyForeign(path) === null;
  });
  const named = /^(npm|pnpm|yarn|bun)@/.exec(packageManager)?.[1];
  const manager = named ?? (locked === undefined ? 'npm' : (PACKAGE_MANAGERS[locked] as string));
  const has = (script: string): boolean => Object.hasOwn(scripts, script) && typeof scripts[script] === 'string';
  const test = has('test') && !NO_TESTS.test(String(scripts.test));
  return omitUndefined({
    compile: has('build') ? `${manager} run build` : undefined,
    test: test ? `${manager} run test` : undefined,
    lint: has('lint') ? `${manager} run lint` : undefined,
  });
}

function readPackage(text: string): { scripts: Readonly<Record<string, unknown>>; packageManager: string } {
  try {
    const { scripts, packageManager } = JSON.parse(text) as { scripts?: unknown; packageManager?: unknown };
    const isMapping = isJsonObject(scripts);
    return {
      scripts: isMapping ? (scripts as Record<string, unknown>) : {},
      packageManager: typeof packageManager === 'string' ? packageManager : '',
    };
  } catch {
    // Running the project's scripts reports the mistake in this file.
    return { scripts: {}, packageManager: '' };
  }
}

function makefile(text: string): Commands {
  const targets = new Set<string>();
  // `name other: needs`, and neither an assignment nor a line of a recipe.
  for (const [, names] of text.matchAll(/^([^\s#:=][^#:=\n]*)::?(?![:=])/gm))
    for (const target of (names as string).trim().split(/\s+/)) targets.add(target);
  const compile = ['compile', 'build'].find((target) => targets.has(target));
  return omitUndefined({
    compile: compile === undefined ? undefined : `make ${compile}`,
    test: targets.has('test') ? 'make test' : undefined,
    lint: targets.has('lint') ? 'make lint' : undefined,
  });
}

/** Keeps bytecode out of the project, because files that a gate leaves behind would count as changes of the step. */
const COMPILE_PYTHON = `PYTHONPYCACHEPREFIX="\${TMPDIR:-/tmp}/statedsl-pycache" python3 -m compileall -q .`;

function pyproject(text: string): Commands {
  const linter = ['ruff', 'pylint', 'flake8'].find((tool) => text.includes(`[tool.${tool}`));
  const lint = { ruff: 'ruff check .', pylint: 'pylint --recursive=y .', flake8: 'flake8' }[linter ?? ''];
  return { compile: COMPILE_PYTHON, test: 'python3 -m pytest', ...omitUndefined({ lint }) };
}
