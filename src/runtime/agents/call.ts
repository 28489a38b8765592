/**
 * One call of an agent, from its prompt to its outcome. The prompt is always standard input: an argument has a maximum
 * size, is visible to all users of the machine, and could be mistaken for an option. The output is read as it arrives.
 * When the agent ends, the processes that it left running are stopped, so that nothing changes files while they are
 * examined.
 */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Outcome } from '../../interpreter/events/event.js';
import { isJsonObject } from '../../prelude/json-object.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { EffectContext } from '../effect-context.js';
import { createShower, lastHeard, liveSink, VALUE_BYTES } from '../process/output.js';
import {
  cannotStart,
  directoryOf,
  type Environment,
  type ProcessRequest,
  type ProgramCommand,
  performCommand,
} from '../process/shell.js';
import { entryAt } from '../store/own-file.js';
import { decodeCall, watchGuards } from './decode-call.js';
import type { Adapter, AgentCall, JsonLine } from './programs/adapter.js';
import { allowedBy, allowVariable } from './programs/permissions.js';
import type { ConfinedCommand } from './sandbox/confine.js';
import { AgentTally } from './tally.js';

/**
 * The location and the time limit of the process. `timeoutMs` is the limit of the instruction, in addition to the
 * guards of the call.
 */
type AgentProcess = Pick<
  ProcessRequest,
  'effect' | 'attempt' | 'stepAttempt' | 'directory' | 'cwd' | 'env' | 'timeoutMs'
>;

/**
 * Calls an agent. The outcome of a call that ran has the answer as `stdout`, together with the facts about the call.
 */
export async function callAgent(
  adapter: Adapter,
  call: AgentCall,
  process: AgentProcess,
  context: EffectContext,
  inherited: Environment,
): Promise<Outcome> {
  const prepared = await adapter.command(call);
  const confined = 'reason' in prepared ? prepared : await confinedCommand(adapter, call, prepared, context, inherited);
  if ('reason' in confined) return { kind: 'not-started', reason: confined.reason };
  const { command } = confined;
  // People see the text of the agent, and not the JSON objects that contain it.
  const shown = adapter.service ? shownText(context) : null;
  const { effect, attempt } = process;
  const { notice, resources } = context;
  const { redactor } = resources.outputs;
  const live = adapter.service ? liveSink(context.resources.outputs, { effect, attempt, stream: 'stdout' }) : null;
  const tally = new AgentTally(
    live === null
      ? null
      : (text) => {
          const bytes = Buffer.from(text, 'utf8');
          shown?.push(bytes);
          live.write(bytes);
        },
    (text) => notice?.(redactor?.text(text) ?? text),
  );
  let kept: typeof tally.conversation = null;
  let keepingFailed: { readonly cause: unknown } | null = null;
  let stored = 0;
  const stopping = new AbortController();
  /** Before the model is asked again: this process may be killed then, and what was done before would be done again. */
  const keepConversation = (): void => {
    const { conversation, sessionId } = tally;
    if (conversation === kept || sessionId === null) return;
    kept = conversation;
    try {
      call.conversations?.write(sessionId, JSON.stringify(conversation));
      stored++;
      if ('stored' in prepared && prepared.stored !== undefined) writeFileSync(prepared.stored, String(stored));
    } catch (cause) {
      keepingFailed = { cause };
      stopping.abort();
    }
  };
  const watch = watchGuards(call.guards, () => stopping.abort());
  const lines = jsonLines((line) => {
    tally.lines++;
    adapter.decodeLine(line, tally);
    keepConversation();
    watch.see(tally);
    // A first turn may still be the message of a limit.
    if ((tally.turns ?? 0) > 1 && tally.error === null && tally.retrying === null) call.hears?.();
  });
  const { decodeErrorLine } = adapter;
  const errorLines =
    decodeErrorLine === undefined
      ? null
      : textLines((line) => {
          decodeErrorLine(line, tally);
          watch.see(tally);
        });
  try {
    const stop = AbortSignal.any([context.stop, stopping.signal]);
    const ended = await performCommand(
      { argv: command.argv, env: environment(command, call) },
      // Processes that an agent started are stopped after any exit code.
      {
        ...process,
        ...(call.guards.idleMs === null ? {} : { idleMs: call.guards.idleMs }),
        stdin: promptInput(withFolder(adapter.asText?.(call.prompt) ?? call.prompt, call)),
        needsText: true,
        ok: [],
        serves: 'agent',
      },
      { ...context, stop, unwanted: context.stop },
      inherited,
      {
        onStdout: (bytes) => lines.push(bytes),
        onStderr: (bytes) => errorLines?.push(bytes),
        showsStdout: !adapter.service,
      },
    );
    lines.end();
    if (keepingFailed !== null) throw (keepingFailed as { readonly cause: unknown }).cause;
    shown?.end();
    if ('code' in ended) return cannotStart(ended, command.argv[0] ?? '', directoryOf(process, context));
    if (ended.kind !== 'exited' && ended.kind !== 'timed-out') return ended;
    // People cannot read the objects of its output.
    const heard = adapter.service || tally.lines > 0 ? tally.heard || lastHeard(lines.plain) : null;
    const last =
      ended.kind === 'timed-out' && ended.silent !== undefined && heard !== null ? { silent: { heard } } : {};
    return await decodeCall({ ...ended, ...last } as typeof ended, {
      adapter,
      tally,
      sessionTokens: call.sessionTokens,
      plain: lines.plain,
      watch,
      context,
    });
  } finally {
    watch.close();
    live?.discard();
    confined.close();
  }
}

/** Most agents have no sandbox, and load nothing of it. */
async function confinedCommand(
  adapter: Adapter,
  call: AgentCall,
  command: ProgramCommand,
  { notice, resources: { scratch, runFolder, outputs } }: EffectContext,
  inherited: Environment,
): Promise<ConfinedCommand | { readonly reason: string }> {
  const { sandbox = 'off' } = call.configuration;
  if (sandbox === 'off') return { command, close: () => undefined };
  const { confine } = await import('./sandbox/confine.js');
  return confine(adapter, call, command, {
    inherited,
    scratch,
    runFolder: runFolder?.() ?? null,
    notice: (text) => notice?.(outputs.redactor?.text(text) ?? text),
  });
}

function shownText({ show, resources }: EffectContext) {
  return show === null ? null : createShower(resources.outputs.redactor, (bytes) => show(bytes, 'stdout'));
}

/** An agent that may not run commands cannot read a variable. */
function withFolder(prompt: string, { configuration, out }: AgentCall): string {
  const isUnknown = allowedBy(configuration)?.shell === false && prompt.includes('STATEDSL_OUT');
  return isUnknown ? `${prompt}\n\nSTATEDSL_OUT is the folder ${out}` : prompt;
}

function promptInput(prompt: string) {
  const bytes = Buffer.from(prompt, 'utf8');
  return { base64: bytes.toString('base64'), bytes: bytes.length };
}

function environment(command: ProgramCommand, { configuration, step, out, session, fork }: AgentCall): Environment {
  return {
    ...command.env,
    ...allowVariable(configuration),
    STATEDSL_STEP: step,
    STATEDSL_OUT: out,
    STATEDSL_SESSION: session ?? '',
    ...omitUndefined({ STATEDSL_FORK: fork ? '1' : undefined }),
  };
}

/** The maximum size of a line in bytes. Lines contain tool results, so they may be large. Larger lines are skipped. */
export const LONGEST_LINE_BYTES = 32 * 1024 * 1024;
/** The number of bytes that are kept of the last other line, which may explain a failure. */
const KEPT_PLAIN = 2000;
const NEW_LINE = 10;
const BRACE = 123;
/** Spaces, and the bytes of a byte order mark, which may arrive one by one. */
const LEADING: ReadonlySet<number> = new Set([32, 9, 13, 0xef, 0xbb, 0xbf]);

interface JsonLines {
  push(bytes: Buffer): void;
  /** Call it at the end of the stream, which ends the last line. */
  end(): void;
  /** The last line that is not a JSON object, or empty. */
  readonly plain: string;
}

/**
 * Splits a stream of bytes into lines and passes on those that are JSON objects, as they arrive. A program may print
 * anything, so lines that do not begin like an object are not kept, and lines have a maximum size.
 */
export function jsonLines(onLine: (object: JsonLine) => void): JsonLines {
  let parts: Buffer[] = [];
  let bytes = 0;
  let kind: 'unknown' | 'object' | 'plain' | 'skipped' = 'unknown';
  let plain = '';

  const take = (given: Buffer): void => {
    if (given.length === 0 || kind === 'skipped') return;
    let piece = given;
    if (kind === 'unknown') {
      const first = given.findIndex((byte) => !LEADING.has(byte));
      if (first < 0) return;
      kind = given[first] === BRACE ? 'object' : 'plain';
      if (kind === 'object') piece = given.subarray(first);
    }
    const room = kind === 'object' ? LONGEST_LINE_BYTES : KEPT_PLAIN;
    if (kind === 'object' && bytes + piece.length > room) {
      kind = 'skipped';
      parts = [];
      return;
    }
    const kept = piece.subarray(0, room - bytes);
    // A copy, because a short line must not keep a large chunk of the stream in memory.
    if (kept.length > 0) parts.push(Buffer.from(kept));
    bytes += kept.length;
  };

  const finish = (): void => {
    const text = kind === 'object' || kind === 'plain' ? Buffer.concat(parts).toString('utf8').trim() : '';
    if (kind === 'object') {
      const object = parseObject(text);
      if (object !== null) onLine(object);
      else plain = text.slice(0, KEPT_PLAIN);
    } else if (text !== '') plain = text;
    parts = [];
    bytes = 0;
    kind = 'unknown';
  };

  return {
    push(chunk) {
      let start = 0;
      for (let at = chunk.indexOf(NEW_LINE); at >= 0; at = chunk.indexOf(NEW_LINE, start)) {
        take(chunk.subarray(start, at));
        finish();
        start = at + 1;
      }
      take(chunk.subarray(start));
    },
    end: finish,
    get plain() {
      return plain;
    },
  };
}

/** Splits a stream into lines of text. Only the beginning of a long line is passed on. */
export function textLines(onLine: (line: string) => void): { push(bytes: Buffer): void } {
  let kept = '';
  return {
    push(chunk) {
      const pieces = chunk.toString('utf8').split('\n');
      pieces.forEach((piece, index) => {
        if (kept.length < KEPT_PLAIN) kept += piece.slice(0, KEPT_PLAIN - kept.length);
        if (index === pieces.length - 1) return;
        onLine(kept);
        kept = '';
      });
    },
  };
}

function parseObject(text: string): JsonLine | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

interface AnswerFolder {
  /** The path of a file that the agent wrote; null if it did not write it. */
  findAnswer(name: string): string | null;
  close(): void;
}

interface Before {
  readonly stamp: string;
  /** Null if it is not a file, or too large to be kept. */
  readonly bytes: Buffer | null;
}

/** Null if `folder` in `directory` cannot be used: something else has its name, or it is not writable. */
export function openAnswerFolder(directory: string, folder: string): AnswerFolder | null {
  const path = join(directory, folder);
  const made: string[] = [];
  if (!makeFolders(directory, path, made)) return null;
  const before = new Map(entriesOf(path).map((name) => [name, beforeOf(join(path, name))] as const));
  const isChanged = (name: string): boolean => stampOf(join(path, name)) !== before.get(name)?.stamp;
  return {
    findAnswer: (name) =>
      isOwn(directory, path) && isFile(join(path, name)) && isChanged(name) ? join(path, name) : null,
    close: () => {
      // The agent may have replaced it in the meantime.
      if (!isOwn(directory, path)) return;
      for (const name of entriesOf(path)) if (isChanged(name)) putBack(join(path, name), before.get(name));
      for (const [name, was] of before) if (stampOf(join(path, name)) === 'gone') putBack(join(path, name), was);
      for (const one of made.reverse()) removeEmpty(one);
    },
  };
}

/** Creates the missing folders between the two paths. Returns false if one of the names is a link, or not a folder. */
function makeFolders(directory: string, path: string, made: string[]): boolean {
  if (path === directory) return true;
  if (!makeFolders(directory, dirname(path), made)) return false;
  const stat = entryAt(path);
  if (stat !== null) return stat.isDirectory();
  try {
    mkdirSync(path);
  } catch {
    return false;
  }
  made.push(path);
  return true;
}

/** Whether all names between the two paths are folders and not links. */
function isOwn(directory: string, path: string): boolean {
  if (path === directory) return true;
  return entryAt(path)?.isDirectory() === true && isOwn(directory, dirname(path));
}

const isFile = (path: string): boolean => entryAt(path)?.isFile() === true;

function entriesOf(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function stampOf(path: string): string {
  const stat = entryAt(path);
  return stat === null ? 'gone' : `${stat.size} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.ino} ${stat.mode}`;
}

function beforeOf(path: string): Before {
  const stat = entryAt(path);
  const kept = stat?.isFile() === true && stat.size <= VALUE_BYTES;
  return { stamp: stampOf(path), bytes: kept ? bytesOf(path) : null };
}

function bytesOf(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

function putBack(path: string, was: Before | undefined): void {
  // Entries that could not be kept stay as the agent left them.
  if (was !== undefined && was.bytes === null) return;
  try {
    rmSync(path, { recursive: true, force: true });
    if (was?.bytes != null) writeFileSync(path, was.bytes, { flag: 'wx' });
  } catch {
    // A file that cannot be removed is reported as a change like any other.
  }
}

function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Not empty: the folder is kept with its content.
  }
}

/** Reads members of JSON that programs print. Its form is not certain, so every access checks the type. */
export function objectOf(value: unknown): JsonLine {
  return isJsonObject(value) ? value : {};
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A finite number of at least 0. */
export function amountOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

export function countOf(value: unknown): number {
  return Math.trunc(amountOf(value) ?? 0);
}
