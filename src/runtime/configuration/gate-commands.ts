/**
 * The commands of the gates `compile`, `test` and `lint`, and of gates that a project defines. They come from the
 * configuration, or else from files of the project such as package.json: the first source with a command wins. Nothing is
 * executed to find them.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDuration } from '../../machine/duration.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { whyUnreadable } from '../readable-file.js';
import type { Configuration } from './configuration.js';

interface GateCommand {
  readonly command: string;
  readonly timeoutMs: number;
}

/** How long the command of a gate may run by default, in milliseconds. */
const TIMEOUT_MS = 600_000;

type Discovered = 'compile' | 'test' | 'lint';
type Commands = Partial<Record<Discovered, string>>;

/** Gates that use the command of another gate if they have none, and examine its output. */
const ANSWERED_BY: Readonly<Record<string, Discovered>> = { coverage: 'test', tests_found: 'test' };

/** The sources, in order of preference. */
const SOURCES: readonly ((folder: string) => Commands)[] = [packageScripts, makefile, goModule, cargo, pyproject];

/** Finds the command of a gate by its name, for a project in `folder`; null if there is none. */
export function gateCommands(
  { gates, defaults }: Pick<Configuration, 'gates' | 'defaults'>,
  folder: string,
): (name: string) => GateCommand | null {
  let found: Commands | null = null;
  const usual = gateTimeoutMs({ defaults });
  const discoveredCommand = (name: Discovered): string | undefined => {
    found ??= discover(folder);
    return found[name];
  };
  const find = (name: string): GateCommand | null => {
    const given = Object.hasOwn(gates, name) ? gates[name] : undefined;
    if (typeof given === 'string') return { command: given, timeoutMs: usual };
    if (given !== undefined)
      return { command: given.run, timeoutMs: (given.timeout && parseDuration(given.timeout)) || usual };
    if (Object.hasOwn(ANSWERED_BY, name)) return find(ANSWERED_BY[name] as string);
    const command = name === 'compile' || name === 'test' || name === 'lint' ? discoveredCommand(name) : undefined;
    return command === undefined ? null : { command, timeoutMs: usual };
  };
  return find;
}

/** How long gates may run that have no limit of their own. */
export function gateTimeoutMs({ defaults }: Pick<Configuration, 'defaults'>): number {
  return (defaults.gate_timeout && parseDuration(defaults.gate_timeout)) || TIMEOUT_MS;
}

function discover(folder: string): Commands {
  const commands: Commands = {};
  for (const source of SOURCES)
    for (const [name, command] of Object.entries(source(folder))) commands[name as Discovered] ??= command;
  return commands;
}

function textOf(folder: string, name: string): string | null {
  try {
    const path = join(folder, name);
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

function packageScripts(folder: string): Commands {
  const text = textOf(folder, 'package.json');
  if (text === null) return {};
  const { scripts, packageManager } = readPackage(text);
  const locked = Object.keys(PACKAGE_MANAGERS).find((file) => existsSync(join(folder, file)));
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
    const isMapping = typeof scripts === 'object' && scripts !== null && !Array.isArray(scripts);
    return {
      scripts: isMapping ? (scripts as Record<string, unknown>) : {},
      packageManager: typeof packageManager === 'string' ? packageManager : '',
    };
  } catch {
    // Running the project's scripts reports the mistake in this file.
    return { scripts: {}, packageManager: '' };
  }
}

/** The names that make looks for, in its order. */
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];

function makefile(folder: string): Commands {
  const name = MAKEFILES.find((file) => existsSync(join(folder, file)));
  const text = name === undefined ? null : textOf(folder, name);
  if (text === null) return {};
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

function goModule(folder: string): Commands {
  if (!existsSync(join(folder, 'go.mod'))) return {};
  return { compile: 'go build ./...', test: 'go test ./...', lint: 'go vet ./...' };
}

function cargo(folder: string): Commands {
  if (!existsSync(join(folder, 'Cargo.toml'))) return {};
  return { compile: 'cargo build', test: 'cargo test', lint: 'cargo clippy' };
}

/** Keeps bytecode out of the project, because files that a gate leaves behind would count as changes of the step. */
const COMPILE_PYTHON = `PYTHONPYCACHEPREFIX="\${TMPDIR:-/tmp}/statedsl-pycache" python3 -m compileall -q .`;

function pyproject(folder: string): Commands {
  const text = textOf(folder, 'pyproject.toml');
  if (text === null) return {};
  const linter = ['ruff', 'pylint', 'flake8'].find((tool) => text.includes(`[tool.${tool}`));
  const lint = { ruff: 'ruff check .', pylint: 'pylint --recursive=y .', flake8: 'flake8' }[linter ?? ''];
  return { compile: COMPILE_PYTHON, test: 'python3 -m pytest', ...omitUndefined({ lint }) };
}
