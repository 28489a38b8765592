/**
 * The memo of a store: outcomes of commands and agents with the option `memo`, by a digest of all that was asked. A later
 * request for the same takes the outcome from here, and nothing is started. Each outcome is a file of its own, which is
 * moved into place whole, so that neither a crash nor two processes at once leave half of one.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, lstatSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { agentFailed } from '../interpreter/agents/agent-output.js';
import type { Outcome, Output } from '../interpreter/events/event.js';
import { decodeOutcome } from '../interpreter/outcome.js';
import type { CommandRequest, EffectRequest } from '../interpreter/request.js';
import { matcher } from '../interpreter/steps/glob.js';
import { Unreadable } from '../interpreter/values/value.js';
import type { Json } from '../machine/expression.js';
import { writeAgentOutput } from './agents/perform.js';
import { type AgentSettings, resolveAgent } from './agents/resolve.js';
import type { EffectContext } from './effect-context.js';
import type { Redactor } from './redact.js';
import { sha256Hex } from './sha256.js';
import { isOwnFolder, makeFolder, openOwn, readOwn } from './store/own-file.js';
import { reasonOf } from './store/store-error.js';

/** Raised when the digest or the files change; entries of another version are not used. */
const MEMO_VERSION = 1;

/** How the memo is used. */
export interface MemoOptions {
  /** Nothing is taken from it; what is performed is remembered. */
  readonly fresh?: boolean;
  /** Older outcomes are not used. Milliseconds. */
  readonly maxAgeMs?: number;
  /** A state, or a step by its name or path: what comes before it must be in the memo, and the run stops after it. */
  readonly only?: string;
}

/** Where remembered outcomes are: a name of an entry is the digest of what was asked. */
export interface MemoStorage {
  /** Null: there is none of this name. */
  read(name: string): Promise<string | null>;
  /** `run`: whose outcome it is. Rejects if it cannot be written. */
  write(name: string, text: string, run: string): Promise<void>;
  /** What messages call an entry. */
  titleOf(name: string): string;
  /** So much of an outcome is remembered, in characters. */
  readonly most: number;
}

export interface MemoHost extends MemoOptions {
  readonly storage: MemoStorage;
  readonly agents: AgentSettings;
  readonly redactor: Redactor | null;
}

export type MemoRequest = EffectRequest & CommandRequest & { readonly memo: NonNullable<CommandRequest['memo']> };

/** What is remembered of a request: its outcome, and what the agent of a step changed. */
export interface Remembered {
  readonly outcome: Outcome;
  /** A change of files as git prints it, in base64; absent: none. */
  readonly change?: string;
}

interface MemoEntry extends Remembered {
  readonly version: number;
  readonly run_id: string;
  readonly effect: string;
  /** ISO 8601. */
  readonly at: string;
  /** Of the outcome and the change, so that a damaged file is found. */
  readonly digest: string;
}

const memoFolder = (store: string): string => join(store, 'memo');

/** The memo of a store: a file for each entry. */
export function memoOfStore(store: string): MemoStorage {
  const fileOf = (name: string): string => join(memoFolder(store), `${name}.json`);
  return {
    async read(name) {
      try {
        return readOwn(fileOf(name)).toString('utf8');
      } catch {
        return null;
      }
    },
    write: async (name, text) => writeOwnWhole(fileOf(name), text),
    titleOf: (name) => `\`${fileOf(name)}\``,
    most: MOST_REMEMBERED,
  };
}

/** The outcome of the same request from the memo, or else what `perform` gives, which is remembered if it is a success. */
export async function rememberOutcome(
  request: MemoRequest,
  context: EffectContext,
  host: MemoHost,
  perform: () => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  const name = memoName(request, context, host);
  // What failed to be understood is asked for again.
  const known = host.fresh || request.attempt > 1 ? null : await readMemo(name, request, context, host);
  if (known !== null) return reuseOutcome(request, context, known.outcome);
  const outcome = await perform();
  if (context.stop.aborted || !isSuccess(request, outcome)) return outcome;
  const own = keptForm(outcome, context, host);
  if (own !== null) await writeMemo(name, { outcome: own }, { effect: request.effect, context, storage: host.storage });
  return outcome;
}

function reuseOutcome(request: MemoRequest, context: EffectContext, outcome: Outcome): Outcome {
  if (request.kind !== 'agent' || request.output === null) return outcome;
  return writeAgentOutput(request.output, outcome, request.directory ?? context.cwd);
}

/** Null: it is not known. */
export async function readMemo(
  name: string,
  request: MemoRequest,
  context: EffectContext,
  { maxAgeMs, storage }: MemoHost,
): Promise<Remembered | null> {
  const text = await storage.read(name);
  if (text === null) return null;
  let entry: MemoEntry;
  try {
    entry = JSON.parse(text) as MemoEntry;
    if (entry.version === MEMO_VERSION && entry.digest !== digestOf(entry)) throw new Error();
  } catch {
    context.notice?.(`${storage.titleOf(name)} is damaged, so what it remembers is not used`);
    return null;
  }
  if (entry.version !== MEMO_VERSION) {
    context.notice?.(
      `${storage.titleOf(name)} was written by another version of statedsl, so what it remembers is not used`,
    );
    return null;
  }
  // A time to come is that of a clock that was wrong, so the age is not known.
  if (maxAgeMs !== undefined && Math.abs(Date.now() - Date.parse(entry.at)) > maxAgeMs) return null;
  return { ...entry, outcome: free(entry.outcome, entry.run_id, request.kind === 'agent') };
}

const digestOf = ({ outcome, change = '' }: Remembered): string => sha256Hex(JSON.stringify(outcome) + change);

/** It took no time and costs nothing, and its session belongs to the call that was made. */
function free(outcome: Outcome, run: string, isAgent: boolean): Outcome {
  if (outcome.kind === 'value') return { ...outcome, duration_ms: 0, memo: run };
  if (outcome.kind !== 'exited') return outcome;
  const { session_id: _, session_tokens: __, session_bound: ___, tokens, ...rest } = outcome;
  const none = { in: 0, out: 0, cache_read: 0, cache_write: 0 };
  return {
    ...rest,
    duration_ms: 0,
    ...(isAgent ? { cost: 0 } : {}),
    ...(tokens === undefined ? {} : { tokens: none }),
    memo: run,
  };
}

export function isSuccess(request: MemoRequest, outcome: Outcome): boolean {
  if (outcome.kind !== 'exited' && outcome.kind !== 'value') return false;
  if (request.kind === 'agent' && agentFailed(outcome)) return false;
  // The exit code of a CHECK is data, and any but 0 may be a failure.
  const ok = request.ok === undefined || request.ok === 'any' ? [0] : request.ok;
  if (outcome.kind === 'exited' && !ok.includes(outcome.exit ?? -1)) return false;
  try {
    const { value } = decodeOutcome(outcome, {
      ...{ decoding: request.memo.reading, ok: request.ok ?? [0], tool: request.tool, agent: request.kind === 'agent' },
      bound: { name: '', line: request.line },
    });
    return !(value instanceof Unreadable);
  } catch {
    return false;
  }
}

/** So much of an outcome is remembered, in characters: what is larger is in files of its run. */
const MOST_REMEMBERED = 16 * 1024 * 1024;

/** The outcome as it may be kept in a file of its own; null: it cannot be remembered, and the reason was told. */
export function keptForm(outcome: Outcome, context: EffectContext, { redactor, storage }: MemoHost): Outcome | null {
  const own = withoutFiles(outcome);
  const text = own === null ? '' : JSON.stringify(own);
  if (own === null || text.length > storage.most) {
    context.notice?.('the output is too large to be remembered');
    return null;
  }
  if (redactor !== null && JSON.stringify(redactor.value(own as unknown as Json)) !== text) {
    context.notice?.('the output contains a secret, so it is not remembered');
    return null;
  }
  return own;
}

interface MemoSource {
  readonly effect: string;
  readonly context: Pick<EffectContext, 'runId' | 'notice'>;
  readonly storage: MemoStorage;
}

/** What cannot be written is reported, and not remembered. */
export async function writeMemo(
  name: string,
  remembered: Remembered,
  { effect, context, storage }: MemoSource,
): Promise<void> {
  const entry: MemoEntry = {
    ...{ version: MEMO_VERSION, run_id: context.runId, effect, at: new Date().toISOString() },
    ...remembered,
    digest: digestOf(remembered),
  };
  try {
    await storage.write(name, `${JSON.stringify(entry)}\n`, context.runId);
  } catch (cause) {
    context.notice?.(`the outcome cannot be remembered: ${reasonOf(cause)}`);
  }
}

/** The file is there as a whole, and durable, or not at all. */
export function writeOwnWhole(file: string, text: string): void {
  const begun = `${file}.${process.pid}.${randomBytes(4).toString('hex')}.new`;
  try {
    makeFolder(dirname(file));
    const fd = openOwn(begun, 'w');
    try {
      writeFileSync(fd, text);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(begun, file);
  } catch (cause) {
    rmSync(begun, { force: true });
    throw cause;
  }
}

/** Null: an output that the program may read is a file of the run. */
function withoutFiles(outcome: Outcome): Outcome | null {
  if (outcome.kind !== 'exited') return outcome;
  const { transcript: _, stderr_artifact: __, ...rest } = outcome;
  const { text, base64, bytes, lossy } = rest.stdout;
  if (text === undefined && base64 === undefined) return null;
  const stdout = { text, base64, bytes, lossy } as Output;
  return JSON.parse(JSON.stringify({ ...rest, stdout })) as Outcome;
}

/** The digest of what is asked for, of whom, and of the files that it names. */
export function memoName(request: MemoRequest, context: EffectContext, { agents }: Pick<MemoHost, 'agents'>): string {
  const { kind, cwd, env, stdin, memo } = request;
  const folder = resolve(request.directory ?? context.cwd, cwd ?? '.');
  const files = filesOf(folder, memo.files).map((name) => [
    name,
    sha256Hex(readOwn(join(folder, name)).toString('latin1')),
  ]);
  const surroundings = memo.step === undefined ? [] : [context.resources.worktrees !== null, memo.step.changesFiles];
  const given = stdin === null ? null : (stdin.text ?? stdin.base64 ?? stdin.artifact ?? null);
  return sha256Hex(
    JSON.stringify([MEMO_VERSION, kind, cwd, env, given, memo.files, files, askedOf(request, agents), surroundings]),
  );
}

function askedOf(request: MemoRequest, agents: AgentSettings): unknown {
  switch (request.kind) {
    case 'shell':
      return [request.shell, request.strict, request.template.source, request.template.parts, request.values];
    case 'argv':
      return request.argv;
    case 'function':
      return [request.name, request.args];
    case 'agent': {
      const { prompt, args, output, answerSchema, answerFile, answerSchemaFile } = request;
      const { configuration } = resolveAgent(request.agent, agents) ?? {};
      return [request.agent, configuration, prompt, args, output, answerSchema, answerFile, answerSchemaFile];
    }
    default:
      return request.kind;
  }
}

/** Folders that no program means, and that may be very large. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', '.statedsl', 'node_modules']);

/** Files that match one of the patterns, by their names from the folder, sorted. */
function filesOf(folder: string, patterns: readonly string[]): string[] {
  if (patterns.length === 0) return [];
  const matchers = patterns.map(matcher);
  const found: string[] = [];
  const look = (inside: string): void => {
    for (const entry of readdirSync(inside, { withFileTypes: true })) {
      const path = join(inside, entry.name);
      if (entry.isDirectory()) {
        if (!LEFT_OUT.has(entry.name)) look(path);
        continue;
      }
      const name = relative(folder, path).split(sep).join('/');
      if (entry.isFile() && matchers.some((matches) => matches(name))) found.push(name);
    }
  };
  try {
    look(folder);
  } catch {
    // What cannot be listed has no files.
  }
  return found.sort();
}

/** Removes what the given runs remembered, and files of processes that died while they wrote. The number of outcomes. */
export function forgetRuns(store: string, isGone: (run: string) => boolean, dryRun: boolean): number {
  const folder = memoFolder(store);
  if (!isOwnFolder(folder)) return 0;
  let removed = 0;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const isLeft = name.endsWith('.new') && Date.now() - lstatSync(path).mtimeMs > 60_000;
    if (!isLeft && !(name.endsWith('.json') && isGone(runOf(path)))) continue;
    if (!isLeft) removed++;
    if (!dryRun) rmSync(path, { force: true });
  }
  return removed;
}

/** Empty: the file is damaged, and is of no use. */
function runOf(path: string): string {
  try {
    return (JSON.parse(readOwn(path).toString('utf8')) as MemoEntry).run_id ?? '';
  } catch {
    return '';
  }
}
