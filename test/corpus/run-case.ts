/**
 * Runs a case's program through the library with real commands, in a folder of its own that holds the case's
 * files. The folder is also the home of the run's store, so that what is on disk can be looked at afterwards.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readStart } from '../../src/cli/preparation/start-state.js';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import type { Compilation } from '../../src/language/check/compile.js';
import type { Machine } from '../../src/machine/machine.js';
import { loadConfiguration } from '../../src/runtime/configuration/load-configuration.js';
import { createRedactor } from '../../src/runtime/redact.js';
import { fixedOptions, interpreterOptions, type RunOptions, secretsOf } from '../../src/runtime/run/run-options.js';
import type { RunReport } from '../../src/runtime/run/run-report.js';
import { run } from '../../src/runtime/run/start-run.js';
import { decodeEvent } from '../../src/runtime/store/large-values.js';
import { VERSION } from '../../src/runtime/version.js';
import { git } from '../harness/process.js';
import { type Bound, type Case, type CaseOptions, filesOf, optionsOf, sectionText } from './case-file.js';
import type { Undisturbed } from './crash-case.js';
import { eventLine } from './event-line.js';

export interface Ran {
  readonly report: RunReport;
  readonly events: readonly RunEvent[];
  /** The visible events, one a line; the folder and the run's id are written as `$DIR` and `$RUN`. */
  readonly lines: string;
  /** The report as JSON, written like that; it says nothing about time. */
  readonly result: string;
  /** The text of a file below the folder, with a final line end as in sections; null if the file does not exist. */
  readonly wrote: (path: string) => string | null;
  /** What is needed to make the run again. */
  readonly undisturbed: Undisturbed;
}

type Command = NonNullable<RunOptions['commands']>[string];

function boundCommand(bound: Bound): Command {
  let calls = 0;
  return (args) => {
    if ('throws' in bound) throw new Error(bound.throws);
    if ('args' in bound) return args as string[];
    const value = 'values' in bound ? bound.values[Math.min(calls++, bound.values.length - 1)] : bound.value;
    return value as ReturnType<Command>;
  };
}

export function writeFiles(folder: string, files: ReadonlyMap<string, string>): void {
  for (const [name, text] of files) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    if (text.startsWith('#!')) chmodSync(path, 0o755);
  }
}

async function runOptions(options: CaseOptions, folder: string): Promise<RunOptions> {
  const { configuration, problems } = await loadConfiguration(folder);
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'));
  const commands = Object.entries(options.commands ?? {}).map(([name, bound]) => [name, boundCommand(bound)] as const);
  const { answers } = options;
  return {
    dir: join(folder, '.statedsl'),
    cwd: folder,
    jobs: options.jobs ?? 4,
    commands: Object.fromEntries(commands),
    env: { ...process.env, ...options.env },
    agents: { agents: configuration.agents, folder: configuration.folder },
    secrets: configuration.secrets,
    person: 'tester',
    // As the command line does.
    ownProcess: true,
    ...(answers === undefined ? {} : { ask: async ({ name }) => answers[name] ?? null }),
    ...(options.autoEvents === undefined ? {} : { autoEvents: options.autoEvents }),
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(options.git === undefined ? {} : { worktree: true }),
    ...(options.effectTimeoutMs === undefined ? {} : { effectTimeoutMs: options.effectTimeoutMs }),
    ...(options.suspendAfterMs === undefined ? {} : { suspendAfterMs: options.suspendAfterMs }),
  };
}

function startOf(the: Case, machine: Machine, sources: Compilation['sources']): Pick<RunOptions, 'start'> {
  const { start } = optionsOf(the);
  if (start === undefined) return {};
  const read = readStart(start, machine, [...sources]);
  if ('diagnostics' in read) throw new Error(read.diagnostics.map(({ message }) => message).join('\n'));
  return { start: read.start };
}

function makeRepository(folder: string): void {
  git(folder, 'init', '-q');
  git(folder, 'add', '--all');
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'case');
}

/** The files of a case were read in memory, as if they were in the working directory. Now they have a location. */
function inWorkingDirectory(machine: Machine, folder: string): Machine {
  if (machine.plans === undefined) return machine;
  return JSON.parse(JSON.stringify(machine).replaceAll(`"${process.cwd()}/`, `"${folder}/`)) as Machine;
}

export async function runCase(the: Case, machine: Machine, sources: Compilation['sources']): Promise<Ran> {
  return inFolder(the, (folder) => runIn(folder, the, machine, sources));
}

/** A folder with the files of the case, for as long as the action takes. */
export async function inFolder<T>(the: Case, action: (folder: string) => Promise<T>): Promise<T> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'statedsl-case-')));
  try {
    writeFiles(folder, filesOf(the));
    if (optionsOf(the).git) makeRepository(folder);
    return await action(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function runIn(
  folder: string,
  the: Case,
  compiled: Machine,
  sources: Compilation['sources'],
): Promise<Ran> {
  const machine = inWorkingDirectory(compiled, folder);
  const events: RunEvent[] = [];
  let at = 0;
  const inputs = JSON.parse(sectionText(the, 'inputs') ?? '{}');
  const options = {
    ...(await runOptions(optionsOf(the), folder)),
    ...startOf(the, machine, sources),
    inputs,
    onEvent: (event: RunEvent, { time }: { time: string }) => {
      events.push(event);
      at = Date.parse(time);
    },
  };
  const { worktree: _, ...report } = await run(machine, options);
  const lines = events.map(eventLine).filter((line) => line !== null);
  const text = lines.map((line) => `${line}\n`).join('');
  const steady = (printed: string) => printed.replaceAll(folder, '$DIR').replaceAll(report.run_id, '$RUN');
  const written = new Map<string, string>();
  for (const { name } of the.sections) {
    if (!name.startsWith('wrote ')) continue;
    const path = join(folder, name.slice(6));
    if (existsSync(path)) written.set(name.slice(6), readFileSync(path, 'utf8').replace(/(?<!\n)$/, '\n'));
  }
  return {
    report,
    events,
    lines: steady(text),
    result: steady(`${JSON.stringify({ ...report, duration_ms: 0 })}\n`),
    wrote: (path) => written.get(path) ?? null,
    undisturbed: undisturbedRun(machine, options, { folder, events, report, at }),
  };
}

function undisturbedRun(
  machine: Machine,
  options: RunOptions,
  { folder, events, report, at }: { folder: string } & Pick<Undisturbed, 'events' | 'report' | 'at'>,
): Undisturbed {
  const { inputs = {}, ask = null } = options;
  const [first] = events;
  const base = first?.type === 'run_started' ? (first.worktree?.base ?? null) : null;
  const fixed = fixedOptions(machine, options, base);
  const artifacts = new Map<string, string>();
  for (const kept of readdirSync(join(folder, '.statedsl/runs'), { withFileTypes: true })) {
    if (!kept.isDirectory()) continue;
    const stored = join(folder, '.statedsl/runs', kept.name, 'artifacts');
    for (const name of readdirSync(stored)) artifacts.set(name, readFileSync(join(stored, name), 'utf8'));
  }
  // As a process that resumes the run reads them.
  const kept = join(folder, '.statedsl/runs', report.run_id, 'artifacts');
  const whole = existsSync(kept) ? events.map((event) => decodeEvent(event, kept)) : events;
  const interpreter = interpreterOptions(machine, fixed, { inputs, record: true, version: VERSION });
  return {
    machine,
    options: { ...interpreter, matches: remembered(interpreter.matches) },
    fixed,
    inputs,
    redactor: createRedactor(secretsOf(machine, options)),
    events: whole,
    report,
    at,
    artifacts,
    ask,
  };
}

/** A pattern that takes too long takes that long once. */
function remembered(matches: Undisturbed['options']['matches']): typeof matches {
  const known = new Map<string, boolean | null>();
  return (regex, text) => {
    const key = JSON.stringify([regex.source, regex.flags, text]);
    if (!known.has(key)) known.set(key, matches(regex, text));
    return known.get(key) as boolean | null;
  };
}
