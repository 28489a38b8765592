/**
 * Runs programs with the built command line while its processes are killed at random moments, and reports what became
 * of them. Every command of these programs notes in the file `log` that it began and that it ended, so that one that is
 * done twice, or beside itself, is found.
 */
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import { readJournalLine } from '../../src/runtime/store/journal-line.js';
import { eventLine } from '../corpus/event-line.js';
import { cli, type Result, type Started, start } from '../harness/process.js';

/** `./mark SECONDS [EXIT]`: a command that takes its time. `./flaky`: fails at its first try. */
const scripts = {
  mark: `#!/bin/sh
echo "begin $STATEDSL_EFFECT_ID/$STATEDSL_ATTEMPT $$" >> log
sleep "$1"
echo "end $STATEDSL_EFFECT_ID/$STATEDSL_ATTEMPT $$" >> log
exit "\${2:-0}"
`,
  flaky: `#!/bin/sh
./mark "$1"
[ "$STATEDSL_ATTEMPT" -ge 2 ]
`,
  // The same effect counts once, however often it is done.
  tick: `#!/bin/sh
mkdir -p ticks
touch "ticks/$STATEDSL_EFFECT_ID"
ls ticks | wc -l
`,
};

export interface Crashing {
  readonly program: string;
  /** What a suspended run is told, by what it waits for. */
  readonly tell?: Readonly<Record<string, readonly string[]>>;
}

/** Kills the command line alone, its process group, or everything that belongs to the run. */
export type Kill = 'alone' | 'group' | 'everything';

export interface Blow {
  readonly afterMs: number;
  readonly kill: Kill;
}

export interface Came {
  /** The object of `--json` without what differs from run to run. */
  readonly result: string;
  /** The visible events, one a line. */
  readonly visible: string;
  /** Effects with their tries, in order of their names. */
  readonly effects: readonly string[];
  /** What must not be, one line a finding. */
  readonly wrong: readonly string[];
}

interface LogLine {
  readonly what: string;
  readonly effect: string;
  readonly pid: string;
}

/** Runs a program to its end. Each blow falls on one process of the command line; then another goes on. */
export async function survive({ program, tell = {} }: Crashing, blows: readonly Blow[]): Promise<Came> {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-crash-'));
  try {
    writeFileSync(join(folder, 'program.dsl'), program);
    for (const [name, text] of Object.entries(scripts)) {
      writeFileSync(join(folder, name), text);
      chmodSync(join(folder, name), 0o755);
    }
    return await blowByBlow(folder, tell, [...blows]);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function blowByBlow(folder: string, tell: NonNullable<Crashing['tell']>, blows: Blow[]): Promise<Came> {
  const deaths: Death[] = [];
  let args = ['run', 'program.dsl'];
  for (let rounds = 0; ; rounds++) {
    if (rounds > 40) return { result: '', visible: '', effects: [], wrong: ['it does not come to an end'] };
    const { code, stdout, stderr } = await struck(folder, args, blows.shift() ?? null);
    const run = runFolder(folder);
    if (code === null) {
      // A failed run that had told its end would be tried again.
      args = run === null ? ['run', 'program.dsl'] : hasToldItsEnd(folder) ? ['show'] : ['resume'];
      if (run !== null) deaths.push(deathOf(folder, run));
      continue;
    }
    const report = stdout === '' ? null : JSON.parse(stdout);
    if (code === 75) {
      const open = report.waiting.map(({ name, kind }: { name: string; kind: string }) => name ?? kind)[0];
      args = [...(tell[open] ?? ['resume'])].map((word) => (word === 'RUN' ? report.run_id : word));
      continue;
    }
    if (code !== 0 && code !== 1) return { result: '', visible: '', effects: [], wrong: [`exit ${code}: ${stderr}`] };
    return { ...cameOf(folder, report), wrong: wrongIn(folder, deaths) };
  }
}

/** What was done when a process died. */
interface Death {
  /** Lines of the log. */
  readonly lines: number;
  /** Effects that had an outcome on record. */
  readonly finished: ReadonlySet<string>;
}

function deathOf(folder: string, run: string): Death {
  const finished = new Set<string>();
  for (const event of eventsOf(run))
    if (event.type === 'effect_settled') finished.add(`${runId(run)}:${event.effect}/${event.attempt}`);
  return { lines: logOf(folder).length, finished };
}

function wrongIn(folder: string, deaths: readonly Death[]): string[] {
  const wrong: string[] = [];
  const log = logOf(folder);
  for (const { lines, finished } of deaths)
    for (const { what, effect } of log.slice(lines))
      if (what === 'begin' && finished.has(effect)) wrong.push(`${effect} was finished, and was done again`);
  const begun = new Map<string, string>();
  for (const { what, effect, pid } of log) {
    if (what === 'begin') begun.set(effect, pid);
    else if (begun.get(effect) !== pid) wrong.push(`${effect} went on beside its repetition`);
  }
  const ended = new Set(log.filter(({ what }) => what === 'end').map(({ effect }) => effect));
  for (const effect of begun.keys()) if (!ended.has(effect)) wrong.push(`${effect} never came to its end`);
  return wrong;
}

function hasToldItsEnd(folder: string): boolean {
  const index = join(folder, '.statedsl/runs/index.ndjson');
  return existsSync(index) && /"status":"(returned|failed)".*\n$/.test(readFileSync(index, 'utf8'));
}

/** Members of the object of `--json` that are the same for every run of a program; `show` prints more. */
const steady = ['status', 'machine', 'state', 'states', 'returned', 'tracked', 'error', 'waiting', 'cost', 'effects'];

function cameOf(folder: string, report: Record<string, unknown>): Omit<Came, 'wrong'> {
  const run = runFolder(folder) ?? '';
  const visible = eventsOf(run)
    .filter(({ type }) => type !== 'run_suspended' && type !== 'run_interrupted')
    .map(eventLine)
    .filter((line) => line !== null);
  const effects = new Set(logOf(folder).map(({ effect }) => effect.slice(runId(run).length + 1)));
  return {
    result: JSON.stringify(steady.map((name) => [name, report[name]])),
    visible: `${visible.join('\n')}\n`,
    effects: [...effects].sort(),
  };
}

/** Its exit code is null when it was killed. */
async function struck(folder: string, args: readonly string[], blow: Blow | null): Promise<Result> {
  const { STATEDSL_RUN_ID: _, CI: __, ...env } = process.env;
  const child = start(process.execPath, [cli, ...args, '--json'], { cwd: folder, env, detached: true });
  const timer = blow === null ? undefined : setTimeout(() => strike(folder, child, blow.kill), blow.afterMs);
  const result = await child.end;
  clearTimeout(timer);
  return result;
}

function strike(folder: string, child: Started, kill: Kill): void {
  if (child.hasEnded()) return;
  const run = kill === 'everything' ? runFolder(folder) : null;
  process.kill(kill === 'alone' ? child.pid : -child.pid, 'SIGKILL');
  if (run === null) return;
  for (const pid of processesOf(runId(run))) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended a moment ago.
    }
  }
}

/** Processes that belong to a run, by their environment. */
export function processesOf(id: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`STATEDSL_RUN_ID=${id}`);
      } catch {
        return false;
      }
    });
}

/** The folder of the only run; null before it began. */
function runFolder(folder: string): string | null {
  const runs = join(folder, '.statedsl/runs');
  const begun = existsSync(runs) ? readdirSync(runs).filter((name) => existsSync(join(runs, name, 'run.json'))) : [];
  return begun[0] === undefined ? null : join(runs, begun[0]);
}

function runId(run: string): string {
  return run.slice(run.lastIndexOf('/') + 1);
}

/** The whole events of a journal. */
export function eventsOf(run: string): RunEvent[] {
  const lines = readFileSync(join(run, 'journal.ndjson'), 'utf8').split('\n');
  return lines.map((line) => readJournalLine(line)?.event).filter((event) => event !== undefined);
}

function logOf(folder: string): LogLine[] {
  const path = join(folder, 'log');
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [what = '', effect = '', pid = ''] = line.split(' ');
      return { what, effect, pid };
    });
}
