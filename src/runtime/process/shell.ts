/**
 * Commands: a request for shell text or for a list of words becomes a process, and its end an outcome. The shell gets
 * no profile and no start-up file: what a person's shell does when it starts is not part of a program.
 */

import { existsSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { Outcome, Output } from '../../interpreter/events/event.js';
import type { ArgvRequest, ShellRequest } from '../../interpreter/request.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { EffectContext } from '../effect-context.js';
import { openToRead } from '../store/own-file.js';
import { reasonOf } from '../store/store-error.js';
import { decodeProcess } from './decode-process.js';
import { directCommand } from './direct.js';
import { errorSink, outputSink } from './output.js';
import { artifactPath } from './output-store.js';
import { type ProcessEnd, runProcess } from './process.js';
import { argumentProblem, surroundingsProblem } from './process-texts.js';
import { bindShellText, SCRIPT_ARGUMENT_BYTES } from './shell-values.js';

export type Environment = Readonly<Record<string, string>>;

/** Where the system looks for programs when there is no PATH at all. */
const SYSTEM_PATH = '/usr/bin:/bin';

/** Variables that make a shell run code before the program's own, and those that would hand its options on to others. */
const shellStartUp = /^(BASH_ENV|ENV|PROMPT_COMMAND|PS4|SHELLOPTS|BASHOPTS|BASH_FUNC_.*)$/s;

/** The environment that commands inherit. */
export function inheritedEnvironment(given: Readonly<Record<string, string | undefined>>): Environment {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && !shellStartUp.test(name)) kept[name] = value;
  return kept;
}

/** What is started: a program, its words and the variables only it gets. */
export interface Command {
  readonly argv: readonly string[];
  readonly env: Environment;
}

/** What a process needs of the request that asked for it. */
export type ProcessRequest = Pick<
  ShellRequest,
  'effect' | 'attempt' | 'stepAttempt' | 'directory' | 'cwd' | 'env' | 'stdin' | 'timeoutMs' | 'needsText' | 'ok'
> & {
  /** Nothing that it started is meant to outlive the run. */
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
  // What cannot be started without a shell is tried with one, which also has the usual words for it.
  if (direct !== null) {
    const ended = await performCommand({ argv: direct, env: {} }, request, context, inherited);
    if (!('code' in ended)) return ended;
  }
  // The shell is the run's, also where a command is given a PATH of its own to find programs with.
  const shell = findShell(request.shell, inherited.PATH ?? SYSTEM_PATH);
  if (shell === null) return missingShell(request.shell);
  const { scratch } = context.resources;
  const bound = bindShellText(request.template, request.values, {
    shell: shell.kind,
    scratchFile: (text) => scratch.file(text),
  });
  if (!bound.ok) return { kind: 'not-started', reason: bound.message, error_type: bound.errorType };
  // bash takes a socket as standard input for a remote login and would read a start-up file.
  const options = shell.kind === 'bash' ? ['--norc', '--noprofile'] : [];
  if (request.strict === 'script') options.push('-e');
  // Only bash knows it; `check` says so where a program asks for sh.
  if (request.strict !== undefined && shell.kind === 'bash') options.push('-o', 'pipefail');
  const script =
    Buffer.byteLength(bound.script) > SCRIPT_ARGUMENT_BYTES ? [scratch.file(bound.script)] : ['-c', bound.script];
  const ended = await performCommand(
    { argv: [shell.path, ...options, ...script], env: bound.env },
    request,
    context,
    inherited,
  );
  return 'code' in ended ? cannotStart(ended, shell.kind, directoryOf(request, context)) : ended;
}

/** Where a command runs: relative to the directory of its branch, else of the run. */
export function directoryOf(
  { cwd, directory }: Pick<ShellRequest, 'cwd' | 'directory'>,
  context: Pick<EffectContext, 'cwd'>,
): string {
  return resolve(directory ?? context.cwd, cwd ?? '');
}

/** Somebody who reads the output of a command while it comes. */
interface Listener {
  readonly onStdout: (bytes: Buffer) => void;
  readonly onStderr?: (bytes: Buffer) => void;
  /** Whether people see it as well, as it is. */
  readonly showsStdout: boolean;
}

type NotStarted = Extract<ProcessEnd, { kind: 'not-started' }>;

/** Runs a command and collects what it prints. */
export async function performCommand(
  command: Command,
  request: ProcessRequest,
  context: EffectContext,
  inherited: Environment,
  listener: Listener | null = null,
): Promise<Outcome | NotStarted> {
  const problem = surroundingsProblem(request.env, request.cwd);
  if (problem !== null) return problem;
  const { outputs, pipes, forkServer } = context.resources;
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
  const [program, ...args] = command.argv;
  const ended = await runProcess({
    program: program ?? '',
    args,
    cwd,
    env: {
      ...inherited,
      // A shell sets it itself; a program that is started directly would see ours.
      PWD: cwd,
      ...request.env,
      ...command.env,
      // Last, so that a run within a run has its own.
      STATEDSL_RUN_ID: context.runId,
      STATEDSL_EFFECT_ID: `${context.runId}:${request.effect}`,
      STATEDSL_ATTEMPT: String(request.stepAttempt ?? request.attempt),
      ...omitUndefined({ STATEDSL_PROGRAM_DIR: context.programDir }),
    },
    stdin: openInput(request.stdin, context),
    timeoutMs: request.timeoutMs,
    ok: request.ok ?? [0],
    stop: context.stop,
    pipes,
    // Agents and what else is listened to stay children of this process, which they may ask for.
    forkServer: listener === null ? forkServer : null,
    isLive: show !== null || listener !== null,
    onStdout: (bytes) => {
      stdout.write(bytes);
      listener?.onStdout(bytes);
    },
    onStderr: (bytes) => {
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
  // Whatever stopped it does not look at what it printed: a large output need not even get to the disk.
  if ((context.unwanted ?? context.stop).aborted && ended.kind !== 'not-started') {
    stdout.discard();
    stderr.discard();
    return { kind: 'failed', error_type: 'cancelled', message: 'it was stopped' };
  }
  return decodeProcess(ended, request, stdout, stderr);
}

/** A file rather than a pipe: nothing has to be pumped, and a program that does not read it hurts nobody. */
function openInput(stdin: Output | null, context: EffectContext): number | null {
  if (stdin === null || stdin.bytes === 0) return null;
  const { outputs, scratch } = context.resources;
  if (stdin.artifact !== undefined) return openToRead(artifactPath(outputs, stdin.artifact));
  return scratch.readable(
    stdin.base64 === undefined ? Buffer.from(stdin.text ?? '', 'utf8') : Buffer.from(stdin.base64, 'base64'),
  );
}

/** Why a program could not be started, in words about the program and not about system calls. */
export function cannotStart(ended: NotStarted, program: string, cwd: string): Outcome {
  const notStarted = (reason: string, errorType?: string): Outcome => ({
    kind: 'not-started',
    reason: `cannot start: ${reason}`,
    ...omitUndefined({ error_type: errorType }),
  });
  // The system says `ENOENT` for a missing directory as for a missing program.
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

/** The shell that is asked for, first of the two on PATH where either will do. */
type FindShell = (wanted: ShellRequest['shell'], path: string) => Shell | null;

interface Shell {
  readonly kind: 'bash' | 'sh';
  readonly path: string;
}

/** Looks once for each PATH: a shell does not move while a run takes place. */
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

/** The file that a name stands for, searched as the system does. */
function findProgram(name: string, path: string): string | null {
  for (const folder of path.split(delimiter)) {
    const candidate = join(isAbsolute(folder) ? folder : '/', name);
    if (isAbsolute(folder) && existsSync(candidate)) return candidate;
  }
  return null;
}
