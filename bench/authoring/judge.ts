/**
 * Judges an answer to a task by what it does. A scenario puts fake commands and agents on the machine, runs the answer, lets
 * a person answer, kills the process, and compares what was called with the expectations. No text is looked at.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'yaml';

/** A text, `/a pattern/`, a number, or a range. In lists and objects each part is compared. */
type Wanted = unknown;

interface Expected {
  readonly exit?: number;
  /** What the run returned. */
  readonly result?: Wanted;
  /** What was printed on both streams. */
  readonly prints?: Wanted;
  /** How often a command or agent was called, or with which arguments (an agent: prompts), in order. */
  readonly calls?: Readonly<Record<string, Wanted>>;
  /** These calls came in this order, with any others between them; an agent is only its name. */
  readonly order?: readonly string[];
  /** How many calls of one command ran at the same time, at most. */
  readonly at_once?: Readonly<Record<string, number>>;
  /** Null for a file that does not exist. */
  readonly files?: Readonly<Record<string, Wanted>>;
}

/** What is on the machine: a fake is the shell text of its body, see `FAKE`. */
interface Machine {
  readonly files?: Readonly<Record<string, string>>;
  readonly commands?: Readonly<Record<string, string>>;
  readonly agents?: Readonly<Record<string, string>>;
  readonly gates?: Readonly<Record<string, string>>;
}

interface Scenario extends Machine {
  readonly name: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Files of the machine in which a text is replaced by another. */
  readonly edit?: Readonly<Record<string, readonly [string, string]>>;
  /** Words of the command line instead of `run ANSWER`. */
  readonly words?: string;
  /** What people answer, one after the other: `yes`, or `signal NAME JSON`. */
  readonly answers?: readonly string[];
  /** A fake calls `crash`: then the process is killed, and the run resumed. */
  readonly crash?: true;
  readonly expect: Expected;
}

export interface Task extends Machine {
  readonly name: string;
  readonly level: 'small' | 'medium' | 'large';
  /** The name of the file that the author writes. */
  readonly answer: string;
  readonly about: readonly string[];
  /** It works in a git repository. */
  readonly git?: true;
  readonly request: string;
  readonly scenarios: readonly Scenario[];
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Performs a command line of statedsl. The process is killed as soon as the file `killAt` exists. */
export type CommandLine = (
  words: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; killAt?: string },
) => Promise<Ended>;

export function readTasks(folder: string): Task[] {
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const text = (file: string) => readFileSync(join(folder, name, file), 'utf8');
      return { name, answer: 'flow.dsl', request: text('task.md'), ...parse(text('judge.yaml')) } as Task;
    });
}

/** How the file of an answer ends: `.dsl`, `.test.dsl`, `.yaml`, `.json`. */
export function endingOf({ answer }: Task): string {
  return answer.slice(answer.indexOf('.'));
}

/** Each fake records its calls, then does what the scenario says: `$n` is the number of the call, `$prompt` the prompt. */
const FAKE = `base=\${0%/*}; base=\${base%/*}; name=\${0##*/}; n=1
set -C
until { : > "$base/calls/$name.$n"; } 2> /dev/null; do n=$((n + 1)); done
set +C
[ "\${0%/agents/*}" = "$0" ] && prompt=$* || prompt=$(cat)
printf %s "$prompt" > "$base/calls/$name.$n"
echo "> $n $name $([ "\${0%/agents/*}" = "$0" ] && echo $*)" >> "$base/calls/log"
trap 'echo "< $n $name" >> "$base/calls/log"' EXIT
crash() {
  [ -e "$base/calls/killed" ] && return
  : > "$base/calls/crash"
  for i in {1..500}; do [ -e "$base/calls/killed" ] && exit 99; sleep 0.02; done
}
together() {
  for i in {1..250}; do [ -e "$base/calls/$name.$1" ] && return; sleep 0.02; done
  echo "$name was not called $1 times at once" >&2
  exit 97
}
`;

interface Place {
  readonly root: string;
  readonly here: string;
  readonly env: NodeJS.ProcessEnv;
}

function prepare(root: string, task: Task, scenario: Partial<Scenario>, answer: string): Place {
  const here = join(root, 'here');
  const write = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode });
  };
  for (const folder of ['here', 'calls', 'bin', 'agents']) mkdirSync(join(root, folder));
  const fakes = (kind: 'commands' | 'agents', folder: string) => {
    const bodies = Object.entries({ ...task[kind], ...scenario[kind] });
    for (const [name, body] of bodies) write(join(root, folder, name), `#!/usr/bin/env bash\n${FAKE}${body}\n`, 0o755);
    return bodies.map(([name]) => name);
  };
  fakes('commands', 'bin');
  const agents = fakes('agents', 'agents').map((name) => [
    name,
    { adapter: 'command', run: [join(root, 'agents', name)] },
  ]);
  const gates = { ...task.gates, ...scenario.gates };
  if (agents.length > 0 || Object.keys(gates).length > 0)
    write(join(here, 'statedsl.config.yaml'), stringify({ agents: Object.fromEntries(agents), gates }));
  for (const [name, text] of Object.entries({ ...task.files, ...scenario.files })) {
    const [was, now] = scenario.edit?.[name] ?? ['', ''];
    if (!text.includes(was)) throw new Error(`${task.name}: ${name} does not contain ${was}`);
    write(
      join(here, name),
      text.replace(was, () => now),
    );
  }
  write(join(here, task.answer), answer);
  if (task.git) {
    const script = 'git init -q . && git add -A && git -c user.name=A -c user.email=a@localhost commit -qm first';
    if (spawnSync('bash', ['-c', script], { cwd: here }).status !== 0)
      throw new Error('git could not make a repository');
  }
  const { STATEDSL_DIR: _, ...env } = process.env;
  return { root, here, env: { ...env, CI: '1', PATH: [join(root, 'bin'), env.PATH].join(delimiter) } };
}

async function inFolder<T>(action: (root: string) => Promise<T>): Promise<T> {
  const root = mkdtempSync(join(tmpdir(), 'statedsl-authoring-'));
  try {
    return await action(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

export interface Checked {
  readonly isValid: boolean;
  /** Neither an error nor a warning. */
  readonly isClean: boolean;
  /** What an author sees between two rounds. */
  readonly printed: string;
}

export function checkAnswer(task: Task, answer: string, statedsl: CommandLine): Promise<Checked> {
  return inFolder(async (root) => {
    const { here, env } = prepare(root, task, everything(task), answer);
    const { code, stdout, stderr } = await statedsl(['check', '--json', task.answer], { cwd: here, env });
    const printed = (stdout === '' ? stderr : stdout).replaceAll(root, '');
    return { isValid: code === 0, isClean: !/"severity": ?"(error|warning)"/.test(stdout), printed };
  });
}

/** The machine of all scenarios together. */
function everything({ scenarios }: Task): Machine {
  const all = (part: 'files' | 'commands' | 'agents') => Object.assign({}, ...scenarios.map((one) => one[part]));
  return { files: all('files'), commands: all('commands'), agents: all('agents') };
}

/** What is wrong with the behaviour of an answer; empty if it is right. */
export async function judge(task: Task, answer: string, statedsl: CommandLine): Promise<string[]> {
  const wrong: string[] = [];
  for (const scenario of task.scenarios) {
    const problems = await inFolder(async (root) => {
      const place = prepare(root, task, scenario, answer);
      const { last, printed } = await perform(task, scenario, place, statedsl);
      return problemsOf(scenario.expect, last, printed, place);
    });
    wrong.push(...problems.map((problem) => `${scenario.name}: ${problem}`));
  }
  return wrong;
}

interface Waiting {
  readonly kind: string;
  readonly name?: string;
  /** Of an approval. */
  readonly path?: string;
}

interface Report {
  readonly run_id?: string;
  readonly returned?: unknown;
  readonly waiting?: readonly Waiting[];
  readonly error?: { readonly kind: string } | null;
  readonly worktree?: { readonly directory: string };
}

function reportOf({ stdout }: Ended): Report {
  try {
    return JSON.parse(stdout) as Report;
  } catch {
    return {};
  }
}

const SUSPENDED = 75;

async function perform(task: Task, scenario: Scenario, { root, here, env }: Place, statedsl: CommandLine) {
  const killAt = join(root, 'calls/crash');
  let printed = '';
  const command = async (words: readonly string[]): Promise<Ended> => {
    const ended = await statedsl(words, { cwd: here, env, ...(scenario.crash ? { killAt } : {}) });
    printed += ended.stdout + ended.stderr;
    return ended;
  };
  const inputs = Object.entries(scenario.inputs ?? {}).flatMap(([name, value]) => [
    '-i',
    typeof value === 'string' ? `${name}=${value}` : `${name}:=${JSON.stringify(value)}`,
  ]);
  let last = await command(scenario.words?.split(' ') ?? ['run', task.answer, '--json', ...inputs]);
  if (scenario.crash && last.code === null) {
    writeFileSync(join(root, 'calls/killed'), '');
    last = await command(['resume', '--json']);
  }
  for (const answer of scenario.answers ?? []) {
    const { run_id = '', waiting = [] } = reportOf(last);
    if (last.code !== SUSPENDED) break;
    const [, signal, payload] = /^signal (\S+) ?(.*)$/.exec(answer) ?? [];
    const asked = waiting.find(({ kind }) => kind !== 'signal' && kind !== 'time');
    const words =
      signal === undefined
        ? ['answer', run_id, `${asked?.name ?? asked?.path}=${answer}`]
        : ['signal', run_id, signal, ...(payload ? [payload] : [])];
    last = await command([...words, '--json']);
  }
  return { last, printed };
}

/** What the fakes recorded: the arguments or prompts of each, and the log of all. */
function recorded(root: string) {
  const folder = join(root, 'calls');
  const names = readdirSync(folder);
  const log = names.includes('log') ? readFileSync(join(folder, 'log'), 'utf8').trimEnd().split('\n') : [];
  const calls = (name: string): string[] => {
    const texts: string[] = [];
    while (names.includes(`${name}.${texts.length + 1}`))
      texts.push(readFileSync(join(folder, `${name}.${texts.length + 1}`), 'utf8'));
    return texts;
  };
  const started = log.filter((line) => line.startsWith('>')).map((line) => line.replace(/^> \d+ /, '').trimEnd());
  return { log, calls, started };
}

function problemsOf(expected: Expected, last: Ended, printed: string, { root, here }: Place): string[] {
  const { log, calls, started } = recorded(root);
  const problems: string[] = [];
  const compare = (what: string, got: unknown, wanted: Wanted): void => {
    if (!fits(got, wanted)) problems.push(`${what} is ${shown(got)}, not ${shown(wanted)}`);
  };
  if (reportOf(last).error?.kind === 'limit') problems.push('only a limit of the run ended it');
  if (expected.exit !== undefined) compare('the exit code', last.code, expected.exit);
  if (expected.result !== undefined) compare('the result', reportOf(last).returned, expected.result);
  if (expected.prints !== undefined) compare('what was printed', printed, expected.prints);
  for (const [name, wanted] of Object.entries(expected.calls ?? {})) {
    const got = calls(name);
    compare(`calls of ${name}`, isAboutArguments(wanted) ? got : got.length, wanted);
  }
  let from = 0;
  for (const call of expected.order ?? []) {
    const at = started.indexOf(call, from);
    if (at < 0) problems.push(`\`${call}\` does not come in its order: ${started.join(', ')}`);
    else from = at + 1;
  }
  for (const [name, most] of Object.entries(expected.at_once ?? {})) {
    const got = mostAtOnce(log, name);
    if (got > most) problems.push(`${got} calls of ${name} at once, not ${most}`);
  }
  const folder = reportOf(last).worktree?.directory ?? here;
  for (const [name, wanted] of Object.entries(expected.files ?? {}))
    compare(`the file ${name}`, contentOf(join(folder, name)), wanted);
  return problems.length === 0 ? [] : [...problems, `  after: ${started.join(', ')}\n${printed.slice(-800)}`];
}

const isAboutArguments = (wanted: Wanted) =>
  Array.isArray(wanted) || (typeof wanted === 'object' && wanted !== null && 'sorted' in wanted);

function contentOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trimEnd();
  } catch {
    return null;
  }
}

function mostAtOnce(log: readonly string[], name: string): number {
  let now = 0;
  let most = 0;
  for (const line of log) {
    const [sign, , who] = line.split(' ');
    if (who !== name) continue;
    now += sign === '>' ? 1 : -1;
    most = Math.max(most, now);
  }
  return most;
}

/** A text fits the same text and the number that it writes; `/x/` is a pattern, `{least, most}` a range, `{sorted}` any order. */
function fits(got: unknown, wanted: Wanted): boolean {
  if (typeof wanted === 'string' && /^\/.*\/s?$/s.test(wanted)) {
    const end = wanted.lastIndexOf('/');
    return new RegExp(wanted.slice(1, end), `u${wanted.slice(end + 1)}`).test(textOf(got));
  }
  if (Array.isArray(wanted)) {
    const list = typeof got === 'string' ? parsed(got) : got;
    return Array.isArray(list) && list.length === wanted.length && wanted.every((one, at) => fits(list[at], one));
  }
  if (typeof wanted === 'object' && wanted !== null) {
    const { least, most, sorted } = wanted as { least?: number; most?: number; sorted?: unknown[] };
    if (sorted !== undefined) return Array.isArray(got) && fits([...got].sort(), sorted);
    if (least !== undefined || most !== undefined)
      return Number(got) >= (least ?? 0) && Number(got) <= (most ?? Number.POSITIVE_INFINITY);
    const object = typeof got === 'string' ? parsed(got) : got;
    if (typeof object !== 'object' || object === null) return false;
    return Object.entries(wanted).every(([key, one]) => fits((object as Record<string, unknown>)[key], one));
  }
  return isDeepStrictEqual(got, wanted) || (wanted !== null && got !== null && textOf(got) === textOf(wanted).trim());
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : JSON.stringify(value));
const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 400) ?? 'missing';
