/**
 * Starts git; no other file does. The result must depend only on the repository and the call: not on hooks, on variables
 * that a surrounding git left in the environment, or on a prompt. Reading never takes a lock. A call that hangs is stopped
 * together with everything that it started.
 */
import { Buffer } from 'node:buffer';
import { existsSync } from 'node:fs';
import type { execa } from 'execa';
import { stopMarked } from '../../process/marked.js';
import { stopGroup } from '../../process/process-group.js';
import { errorCode, reasonOf } from '../../store/store-error.js';
import { startTimer } from '../../timer.js';

/** Which repository a call is about. */
export interface GitTarget {
  /** Where git runs. Without `gitDir` it looks for the repository from here upwards. */
  readonly cwd: string;
  /**
   * The directory of the repository or of one of its worktrees. It is given for worktrees of runs: a program there may
   * remove `.git`, and a search upwards would then find the repository of the user.
   */
  readonly gitDir?: string;
  readonly workTree?: string;
  readonly index?: string;
  /** A name for calls that write, by which `stopLeftCalls` finds those of a killed process. */
  readonly mark?: string;
}

interface GitOptions {
  /** Exit codes that are an answer instead of a failure; only 0 by default. */
  readonly ok?: readonly number[];
  readonly stdin?: string | Buffer;
  /** Settings for this call, as `name=value`. */
  readonly config?: readonly string[];
  /** The author of commits: statedsl by default, so that git needs no configured name. */
  readonly identity?: 'own' | 'configured';
  /** At most this many bytes of stdout are read; then git is stopped and `truncated` is true. */
  readonly maxBytes?: number;
}

export interface GitDone {
  readonly exit: number;
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly truncated: boolean;
}

/** The error for an operation of git that must succeed. The message is a clause with what git printed. */
export class GitFailure extends Error {
  override readonly name = 'GitFailure';

  constructor(
    message: string,
    /** `ENOENT` if git is not installed, otherwise what git printed. */
    readonly said: string,
  ) {
    super(message);
  }
}

/** Variable that holds the mark of a call. */
export const MARK = 'STATEDSL_GIT';

const TIME_LIMIT_MS = 600_000;
const STDERR_BYTES = 64 * 1024;
const STDOUT_BYTES = 256 * 1024 * 1024;

/** Overrides of user settings that would run programs, ask, sign, lock or omit something. */
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.splitIndex=false',
  'core.untrackedCache=false',
  'core.quotePath=false',
  // A file with mixed line ends is a file like any other.
  'core.safecrlf=false',
  'core.logAllRefUpdates=true',
  'commit.gpgSign=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'i18n.commitEncoding=UTF-8',
];

/** Variables of git for configuration and tracing, which are kept; all others belong to a surrounding call of git. */
const KEPT =
  /^GIT_(CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|EXEC_PATH|LFS_\w+|TRACE2\w*|TEST_\w+)$/;
const IDENTITY = /^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL)$/;

/** Runs git. Rejects with a `GitFailure` if it cannot be started, takes too long or exits with an unexpected code. */
export async function git(target: GitTarget, args: readonly string[], options: GitOptions = {}): Promise<GitDone> {
  const verb = args[0] ?? '';
  const maxBytes = options.maxBytes ?? STDOUT_BYTES;
  // Loaded with the first call, because most commands of the CLI never start git.
  const child = start((await import('execa')).execa, target, args, options, maxBytes);
  let timedOut = false;
  // Only its own process group reaches what git started: filters, and programs of the user's configuration.
  const stop = (): void => {
    if (child.pid !== undefined) void stopGroup(child.pid);
  };
  const cancelTimer = startTimer(TIME_LIMIT_MS, () => {
    timedOut = true;
    stop();
  });
  // Git ends after it has printed too much, but what it started may still hold the pipes.
  child.once('exit', () => {
    if (child.killed) stop();
  });
  const result = await child;
  cancelTimer();
  const stdout = Buffer.from(result.stdout);
  const stderr = Buffer.from(result.stderr).subarray(0, STDERR_BYTES).toString('utf8');
  const truncated = result.isMaxBuffer && stdout.length >= maxBytes;
  if (timedOut)
    throw new GitFailure(`\`git ${verb}\` took longer than ${TIME_LIMIT_MS / 60_000} minutes`, stderr.trim());
  if (result.exitCode === undefined && !truncated) {
    if (result.signal === undefined) throw notStarted(result.cause, target);
    throw new GitFailure(`\`git ${verb}\` was ended by ${result.signal}`, stderr.trim());
  }
  const done = { exit: result.exitCode ?? 0, stdout, stderr, truncated };
  if (!truncated && !(options.ok ?? [0]).includes(done.exit)) throw failure(args, done);
  return done;
}

function start(run: typeof execa, target: GitTarget, args: readonly string[], options: GitOptions, maxBytes: number) {
  const config = [...SETTINGS, ...(options.config ?? [])].flatMap((one) => ['-c', one]);
  try {
    return run('git', [...config, ...args], {
      cwd: target.cwd,
      env: environment(target, options.identity ?? 'own'),
      extendEnv: false,
      detached: true,
      // A call that writes is completed, or `stopLeftCalls` finds it by its mark.
      cleanup: false,
      reject: false,
      encoding: 'buffer',
      stripFinalNewline: false,
      maxBuffer: { stdout: maxBytes, stderr: STDOUT_BYTES },
      ...(options.stdin === undefined ? { stdin: 'ignore' } : { input: options.stdin }),
    });
  } catch (cause) {
    // Mistakes in the call itself, such as a null byte in an argument, are thrown at once.
    throw notStarted(cause, target);
  }
}

/** The lines that git printed, without their line ends. */
export function linesOf({ stdout }: GitDone): string[] {
  return stdout.toString('utf8').split('\n').slice(0, -1);
}

/** The one word that git printed, such as the name of an object. */
export function wordOf({ stdout }: GitDone): string {
  return stdout.toString('utf8').trim();
}

function failure(args: readonly string[], { exit, stderr }: GitDone): GitFailure {
  const said = stderr.trim();
  return new GitFailure(`\`git ${args[0]}\` failed: ${said === '' ? `exit ${exit}` : said}`, said);
}

function notStarted(cause: unknown, { cwd }: GitTarget): GitFailure {
  if (!existsSync(cwd)) return new GitFailure(`the directory \`${cwd}\` does not exist`, '');
  return new GitFailure(`git cannot be started: ${reasonOf(cause)}`, errorCode(cause));
}

function environment(target: GitTarget, identity: 'own' | 'configured'): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    const kept = !name.startsWith('GIT_') || KEPT.test(name) || (identity === 'configured' && IDENTITY.test(name));
    if (kept && value !== undefined) env[name] = value;
  }
  if (identity === 'own')
    for (const role of ['AUTHOR', 'COMMITTER']) {
      env[`GIT_${role}_NAME`] = 'statedsl';
      env[`GIT_${role}_EMAIL`] = 'statedsl@localhost';
    }
  if (target.gitDir !== undefined) env.GIT_DIR = target.gitDir;
  if (target.workTree !== undefined) env.GIT_WORK_TREE = target.workTree;
  if (target.index !== undefined) env.GIT_INDEX_FILE = target.index;
  // statedsl reads what git prints, so it must be in English.
  env.LC_ALL = 'C';
  env.LANGUAGE = '';
  env.GIT_OPTIONAL_LOCKS = '0';
  env.GIT_TERMINAL_PROMPT = '0';
  env.GIT_EDITOR = ':';
  if (target.mark !== undefined) env[MARK] = target.mark;
  return env;
}

/** Stops all processes with this mark, and returns when they are gone. */
export function stopLeftCalls(mark: string): Promise<void> {
  return stopMarked((variables) => variables.includes(`${MARK}=${mark}`));
}
