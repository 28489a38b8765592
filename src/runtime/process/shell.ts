/**
 * Performs commands: a request with shell text or a list of words becomes a process, and its end an outcome. The shell
 * reads no profile and no start-up file, because a person's shell settings are not part of a program.
 */
import { existsSync, readFileSync, statSync, unlinkSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { Outcome, Output, PipeMember } from '../../interpreter/events/event.js';
import type { ArgvRequest, ShellRequest, ShellValue } from '../../interpreter/request.js';
import type { ShellInsertion, ShellText } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { unreachable } from '../../prelude/unreachable.js';
import type { EffectContext } from '../effect-context.js';
import { stopSignalOf } from '../stop-signal.js';
import { openToRead } from '../store/own-file.js';
import { reasonOf } from '../store/store-error.js';
import { ArrivalOrder, type ErrorSink, errorSink, lastHeard, type OutputSink, outputSink } from './output.js';
import { type ProcessEnd, runProcess } from './process.js';
import { artifactPath } from './scratch.js';
import { ARGUMENT_BYTES, bindShellText, SCRIPT_ARGUMENT_BYTES } from './shell-values.js';

export type Environment = Readonly<Record<string, string>>;

/** The directories in which the system looks for programs if PATH is not set. */
export const SYSTEM_PATH = '/usr/bin:/bin';

/** Variables that make a shell run other code first, or pass its options on to other shells. */
const shellStartUp = /^(BASH_ENV|ENV|PROMPT_COMMAND|PS4|SHELLOPTS|BASHOPTS|BASH_FUNC_.*)$/s;

/** The environment that commands inherit. */
export function inheritedEnvironment(given: Readonly<Record<string, string | undefined>>): Environment {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && !shellStartUp.test(name)) kept[name] = value;
  return kept;
}

/** A program with its words and its own variables. */
export interface ProgramCommand {
  readonly argv: readonly string[];
  readonly env: Environment;
}

/** The part of a request that starting its process needs. */
export type ProcessRequest = Pick<
  ShellRequest,
  | 'effect'
  | 'attempt'
  | 'stepAttempt'
  | 'directory'
  | 'cwd'
  | 'env'
  | 'stdin'
  | 'timeoutMs'
  | 'idleMs'
  | 'needsText'
  | 'ok'
> & {
  /** Nothing that it starts may outlive the run. */
  readonly serves?: 'agent';
};

export async function performArgv(
  request: ArgvRequest,
  context: EffectContext,
  inherited: Environment,
): Promise<Outcome> {
  const problem = argumentProblem(request.argv);
  if (problem !== null) return problem;
  const ended = await performCommand({ argv: request.argv, env: {} }, request, context, inherited);
  return 'code' in ended ? cannotStart(ended, request.argv[0] ?? '', directoryOf(request, context)) : ended;
}

export async function performShell(
  request: ShellRequest,
  context: EffectContext,
  inherited: Environment,
  findShell: FindShell,
): Promise<Outcome> {
  const direct = directCommand(request.template, request.values);
  // A program that cannot be started directly is started with a shell, which also has the usual error messages.
  if (direct !== null) {
    const ended = await performCommand({ argv: direct, env: {} }, request, context, inherited);
    if (!('code' in ended)) return ended;
  }
  // The shell comes from the PATH of the run, even if the command has its own PATH.
  const shell = findShell(request.shell, inherited.PATH ?? SYSTEM_PATH);
  if (shell === null) return missingShell(request.shell);
  const { scratch } = context.resources;
  const report = shell.kind === 'bash' && request.template.pipes !== undefined ? scratch.path('pipe') : null;
  const bound = bindShellText(request.template, request.values, {
    shell: shell.kind,
    scratchFile: (text) => scratch.file(text),
    pipeReport: report,
  });
  if (!bound.ok) return { kind: 'not-started', reason: bound.message, error_type: bound.errorType };
  // bash mistakes a socket as standard input for a remote login and would read a start-up file.
  const options = shell.kind === 'bash' ? ['--norc', '--noprofile'] : [];
  if (request.strict === 'script') options.push('-e');
  // Only bash has this option; `check` warns about `shell=sh`.
  if (request.strict !== undefined && shell.kind === 'bash') options.push('-o', 'pipefail');
  const script =
    Buffer.byteLength(bound.script) > SCRIPT_ARGUMENT_BYTES ? [scratch.file(bound.script)] : ['-c', bound.script];
  const ended = await performCommand(
    { argv: [shell.path, ...options, ...script], env: bound.env },
    request,
    context,
    inherited,
  );
  if ('code' in ended) return cannotStart(ended, shell.kind, directoryOf(request, context));
  if (report === null || ended.kind !== 'exited') return ended;
  return { ...ended, ...omitUndefined({ pipe: failedPipe(report, request.template, ended.exit) }) };
}

/**
 * How the members of the pipe ended that made a script fail, from what its shell wrote: the line, an exit code for each
 * member, and the last command. Undefined if no pipe did. A name that could be another one is left out: the line of a compound
 * command is only near it, and several pipes may be on one line.
 */
function failedPipe(report: string, { pipes = [] }: ShellText, exit: number | null): PipeMember[] | undefined {
  if (exit === null || exit === 0 || !existsSync(report)) return undefined;
  const [numbers = '', ...command] = readFileSync(report, 'utf8').split('\n');
  unlinkSync(report);
  const [line = 0, ...codes] = numbers.trimEnd().split(' ').map(Number);
  if (codes.length < 2 || codes.findLast((code) => code !== 0) !== exit) return undefined;
  const alike = pipes.filter(({ members }) => members.length === codes.length);
  const before = alike.filter((pipe) => pipe.line <= line);
  const near = alike.length === 1 ? alike : before.filter((pipe) => pipe.line === before.at(-1)?.line);
  const ends = near.map(({ members }) => members.at(-1) ?? null);
  const words = command.join(' ').split(/[\s/]+/);
  const named = near.filter((_, at) => words.includes(ends[at] ?? ''));
  const found = named.length === 0 || ends.includes(null) ? near : named;
  return codes.map((code, at) => {
    const [program = null, ...others] = new Set(found.map(({ members }) => members[at] ?? null));
    return { program: others.length === 0 ? program : null, exit: code };
  });
}

/** The working directory of a command: relative to the directory of its branch, or else of the run. */
export function directoryOf(
  { cwd, directory }: Pick<ShellRequest, 'cwd' | 'directory'>,
  context: Pick<EffectContext, 'cwd'>,
): string {
  return resolve(directory ?? context.cwd, cwd ?? '');
}

/** Receives the output of a command as it arrives. */
interface OutputListener {
  readonly onStdout: (bytes: Buffer) => void;
  readonly onStderr?: (bytes: Buffer) => void;
  /** Whether the exact output is also displayed. */
  readonly showsStdout: boolean;
}

type NotStarted = Extract<ProcessEnd, { kind: 'not-started' }>;

/** Runs a command and collects what it prints. */
export async function performCommand(
  command: ProgramCommand,
  request: ProcessRequest,
  context: EffectContext,
  inherited: Environment,
  listener: OutputListener | null = null,
): Promise<Outcome | NotStarted> {
  const problem = surroundingsProblem(request.env, request.cwd);
  if (problem !== null) return problem;
  const { outputs, pipes } = context.resources;
  const cwd = directoryOf(request, context);
  const show = context.show;
  const shows = listener === null || listener.showsStdout;
  const { effect, attempt } = request;
  const stdout = outputSink(
    outputs,
    show && shows ? (bytes) => show(bytes, 'stdout') : null,
    shows ? { effect, attempt, stream: 'stdout' } : null,
  );
  const stderr = errorSink(outputs, show && ((bytes) => show(bytes, 'stderr')), { effect, attempt, stream: 'stderr' });
  const order = new ArrivalOrder();
  const [program, ...args] = command.argv;
  const stop = stopSignalOf(context);
  let heard: Buffer | null = null;
  const ended = await runProcess({
    program: program ?? '',
    args,
    cwd,
    variables: {
      shared: inherited,
      own: {
        // A shell sets the variable itself. A program that is started directly would inherit ours.
        PWD: cwd,
        ...request.env,
        ...command.env,
        // Set last, so that a run inside a run has its own values.
        STATEDSL_RUN_ID: context.runId,
        STATEDSL_EFFECT_ID: `${context.runId}:${request.effect}`,
        STATEDSL_ATTEMPT: String(request.stepAttempt ?? request.attempt),
        ...omitUndefined({
          STATEDSL_PROGRAM_DIR: context.programDir,
          TRACEPARENT: context.traceparentOf?.(request.effect),
        }),
      },
    },
    stdin: openInput(request.stdin, context),
    timeoutMs: request.timeoutMs,
    idleMs: request.idleMs ?? null,
    ok: request.ok ?? [0],
    stop,
    pipes,
    isLive: show !== null || listener !== null || request.idleMs !== undefined,
    onStdout: (bytes) => {
      heard = bytes;
      order.stdout(bytes);
      stdout.write(bytes);
      listener?.onStdout(bytes);
    },
    onStderr: (bytes) => {
      heard = bytes;
      order.stderr(bytes);
      stderr.write(bytes);
      listener?.onStderr?.(bytes);
    },
    groups: context.resources.groups,
    onStart: (started) =>
      context.resources.recordProcess({
        effect: request.effect,
        ...started,
        group: started.pid,
        ...omitUndefined({ kind: request.serves }),
      }),
  });
  // The output of a stopped command is not needed, so a large output need not be written to disk.
  if ((context.unwanted ?? stop).aborted && ended.kind !== 'not-started') {
    stdout.discard();
    stderr.discard();
    return { kind: 'failed', error_type: 'cancelled', message: 'it was stopped' };
  }
  // An agent's program prints its protocol there.
  const collected = { stdout, stderr, order: shows ? order.finish() : undefined };
  return decodeProcess(ended, { ...request, heard }, collected);
}

/** A file instead of a pipe: no data has to be copied, and a program that does not read it causes no error. */
function openInput(stdin: Output | null, context: EffectContext): number | null {
  if (stdin === null || stdin.bytes === 0) return null;
  const { outputs, scratch } = context.resources;
  if (stdin.artifact !== undefined) return openToRead(artifactPath(outputs, stdin.artifact));
  return scratch.readable(
    stdin.base64 === undefined ? Buffer.from(stdin.text ?? '', 'utf8') : Buffer.from(stdin.base64, 'base64'),
  );
}

/** The reason why a program could not be started, in terms of the program and not of system calls. */
export function cannotStart(ended: NotStarted, program: string, cwd: string): Outcome {
  const notStarted = (reason: string, errorType?: string): Outcome => ({
    kind: 'not-started',
    reason: `cannot start: ${reason}`,
    ...omitUndefined({ error_type: errorType }),
  });
  // The system reports `ENOENT` for a missing directory as well as for a missing program.
  if (!existsSync(cwd)) return notStarted(`the directory \`${cwd}\` does not exist`);
  if (!statSync(cwd).isDirectory()) return notStarted(`\`${cwd}\` is not a directory`);
  switch (ended.code) {
    case 'ENOENT':
      return notStarted(
        program.includes('/')
          ? `the program \`${program}\` does not exist`
          : `the program \`${program}\` is not on PATH`,
      );
    case 'EACCES':
      return notStarted(`\`${program}\` cannot be run: permission denied`);
    case 'ENOEXEC':
      return notStarted(`\`${program}\` is not a program: it has no \`#!\` line`);
    case 'E2BIG':
      return notStarted(
        `the arguments of \`${program}\` are too large for the system; use \`DO: |\`, a here-document or \`{v:file}\``,
        'value_too_large',
      );
    default:
      return notStarted(reasonOf(Object.assign(new Error(ended.message), { code: ended.code })));
  }
}

function missingShell(wanted: ShellRequest['shell']): Outcome {
  const names = wanted === 'default' ? 'neither `bash` nor `sh` is' : `\`${wanted}\` is not`;
  return { kind: 'not-started', reason: `cannot start: ${names} on PATH` };
}

/** The requested shell; if either is allowed, the first one on PATH. */
type FindShell = (wanted: ShellRequest['shell'], path: string) => Shell | null;

interface Shell {
  readonly kind: 'bash' | 'sh';
  readonly path: string;
}

/** Looks up shells once for each PATH, because a shell does not move during a run. */
export function shellFinder(): FindShell {
  const known = new Map<string, Shell | null>();
  return (wanted, path) => {
    const key = `${wanted} ${path}`;
    let shell = known.get(key);
    if (shell === undefined) {
      const kinds = wanted === 'default' ? (['bash', 'sh'] as const) : [wanted];
      const found = kinds.map((kind) => ({ kind, path: findProgram(kind, path) })).find((one) => one.path !== null);
      shell = found === undefined ? null : { kind: found.kind, path: found.path as string };
      known.set(key, shell);
    }
    return shell;
  };
}

/** The file of a program's name, found as the system does. */
export function findProgram(name: string, path: string): string | null {
  for (const folder of path.split(delimiter)) {
    const candidate = join(isAbsolute(folder) ? folder : '/', name);
    if (isAbsolute(folder) && existsSync(candidate)) return candidate;
  }
  return null;
}

/** Returns the end of a process that did not start unchanged. Rejects with a `StoreError` if the disk is full. */
async function decodeProcess(
  ended: ProcessEnd,
  request: Pick<ShellRequest, 'timeoutMs' | 'idleMs' | 'needsText'> & { readonly heard: Buffer | null },
  { stdout, stderr, order }: { stdout: OutputSink; stderr: ErrorSink; order: readonly number[] | undefined },
): Promise<Outcome | Extract<ProcessEnd, { kind: 'not-started' }>> {
  const collectOutput = async () => {
    const out = await stdout.finish(request.needsText);
    const { text, artifact } = await stderr.finish();
    return { stdout: out, ...omitUndefined({ stderr: text, stderr_artifact: artifact, order }) };
  };
  switch (ended.kind) {
    case 'not-started':
      return ended;
    case 'timed-out':
      return {
        kind: 'timed-out',
        timeout_ms: (ended.silent ? request.idleMs : request.timeoutMs) ?? 0,
        ...(ended.silent ? { silent: { heard: lastHeard(request.heard?.toString('utf8') ?? '') } } : {}),
        ...(await collectOutput()),
        duration_ms: ended.durationMs,
      };
    case 'exited':
      return omitUndefined({
        kind: 'exited',
        exit: ended.exit,
        signal: ended.signal ?? undefined,
        ...(await collectOutput()),
        duration_ms: ended.durationMs,
        output_truncated: ended.truncated ? true : undefined,
      });
    default:
      return unreachable(ended);
  }
}

type NotStartedOutcome = Extract<Outcome, { kind: 'not-started' }>;

/** The reason why the words of a program cannot be passed, or null. */
export function argumentProblem(argv: readonly string[]): NotStartedOutcome | null {
  for (const [index, word] of argv.entries()) {
    const what = index === 0 ? 'the program' : `argument ${index}`;
    const problem = textProblem(what, word) ?? lengthProblem(what, Buffer.byteLength(word));
    if (problem !== null) return problem;
  }
  return null;
}

/** The reason why variables or a directory cannot be used, or null. */
function surroundingsProblem(env: Readonly<Record<string, string>>, cwd: string | null): NotStartedOutcome | null {
  for (const [name, value] of Object.entries(env)) {
    const what = `the value of \`env.${name}\``;
    const problem = textProblem(what, value) ?? lengthProblem(what, Buffer.byteLength(`${name}=${value}`));
    if (problem !== null) return problem;
  }
  return cwd === null ? null : textProblem('the value of `cwd`', cwd);
}

function textProblem(what: string, text: string): NotStartedOutcome | null {
  if (text.includes('\0'))
    return notStarted('bad_value', `${what} contains a NUL character, which cannot be passed to a process`);
  if (/\p{Surrogate}/u.test(text))
    return notStarted('bad_value', `${what} contains half of a surrogate pair, which is not a character`);
  return null;
}

function lengthProblem(what: string, bytes: number): NotStartedOutcome | null {
  if (bytes <= ARGUMENT_BYTES) return null;
  const reason = `${what} is ${bytes} bytes long, but the system allows at most 128 KiB; use \`DO: |\` or a file`;
  return notStarted('value_too_large', reason);
}

function notStarted(errorType: string, reason: string): NotStartedOutcome {
  return { kind: 'not-started', reason, error_type: errorType };
}

/** Texts, and indexes of interpolations, in order. */
type CommandWord = readonly (string | number)[];

const plainCharacter = /[A-Za-z0-9_./:=@%+,-]/;
const programName = /^[A-Za-z0-9_./+][A-Za-z0-9_./+-]*$/;

/** Words that bash or sh would execute or interpret themselves, with results that programs of these names do not have. */
const builtins = new Set(
  (
    '. : [ alias bg bind break builtin caller case cd command compgen complete compopt continue coproc declare dirs ' +
    'disown do done echo elif else enable esac eval exec exit export false fc fg fi for function getopts hash help ' +
    'history if in jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return select ' +
    'set shift shopt source suspend test then time times trap true type typeset ulimit umask unalias unset until ' +
    'wait while'
  ).split(' '),
);

/** Builtins that do what the programs of these names do, if no words follow. */
const constants = new Set(['true', 'false']);

/** The program and its arguments, or null if the text needs a shell. */
function directCommand(template: ShellText, values: readonly ShellValue[]): string[] | null {
  const words = wordsOf(template);
  if (words === null) return null;
  const argv: string[] = [];
  for (const word of words) {
    const [first] = word;
    const spread = word.length === 1 && typeof first === 'number' ? values[first] : undefined;
    if (spread !== undefined && 'list' in spread) {
      if (!spread.list.every(fits)) return null;
      argv.push(...spread.list);
      continue;
    }
    let text = '';
    for (const part of word) {
      const piece = typeof part === 'string' ? part : textOf(values[part]);
      if (piece === null) return null;
      text += piece;
    }
    if (!fits(text)) return null;
    argv.push(text);
  }
  return argv;
}

function textOf(value: ShellValue | undefined): string | null {
  return value === undefined || 'list' in value || value.file === true ? null : value.text;
}

/** Whether a text can be an argument. Binding the shell text reports the others. */
function fits(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text) && text.length * 3 <= ARGUMENT_BYTES;
}

/** The words of a template that is one plain command. */
function wordsOf(template: ShellText): CommandWord[] | null {
  const words: (string | number)[][] = [];
  let word: (string | number)[] | null = null;
  let quote: '' | "'" | '"' = '';
  let hole = 0;
  const add = (part: string | number): void => {
    if (word === null) {
      word = [];
      words.push(word);
    }
    word.push(part);
  };
  for (const part of template.parts) {
    if (typeof part !== 'string') {
      if (!plainHole(part, quote)) return null;
      add(hole++);
      continue;
    }
    for (const character of part) {
      if (quote !== '') {
        if (character === quote) quote = '';
        else if (quote === '"' && /[$`\\]/.test(character)) return null;
        else add(character);
      } else if (character === ' ' || character === '\t') word = null;
      else if (character === "'" || character === '"') {
        add('');
        quote = character;
      } else if (plainCharacter.test(character)) add(character);
      else return null;
    }
  }
  return quote === '' && startsProgram(words) ? words : null;
}

function plainHole(hole: ShellInsertion, quote: string): boolean {
  if (hole.filter === 'path' || hole.filter === 'file' || 'raw' in hole) return false;
  const context = quote === '' ? 'word' : quote === '"' ? 'double' : 'single';
  return hole.context === context;
}

/** The program must be written out, without an assignment before it. */
function startsProgram(words: readonly CommandWord[]): boolean {
  const first = words[0];
  if (first === undefined || first.some((part) => typeof part === 'number')) return false;
  const name = first.join('');
  return programName.test(name) && (!builtins.has(name) || (words.length === 1 && constants.has(name)));
}
