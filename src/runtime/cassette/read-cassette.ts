/** Reads a cassette. Whatever is wrong with it is a problem with a location, and nothing of it is used then. */
import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EffectKind, Outcome, Output } from '../../interpreter/events/event.js';
import { fromRecord, isJson } from '../../interpreter/values/json.js';
import type { Json, JsonObject } from '../../machine/expression.js';
import { isJsonObject } from '../../prelude/json-object.js';
import { nearest } from '../../prelude/nearest.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { type FileProblem, type ReadFile, readYaml, readYamlFile } from '../configuration/yaml-file.js';
import type { Redactor } from '../redact.js';
import { fingerprintOf } from './asked.js';
import { CASSETTE_VERSION, type Cassette, type CassetteRecord, isStrict, type RecordedOutcome } from './cassette.js';
import { largeFolderOf } from './cassette-text.js';

const KINDS: ReadonlySet<string> = new Set<EffectKind>([
  ...(['shell', 'argv', 'function', 'agent', 'tool', 'timer', 'clock', 'uuid', 'random', 'worktree', 'ask'] as const),
  ...(['signal', 'approval'] as const),
]);
const RECORD_AGAIN = 'record it again with `statedsl run FILE --record CASSETTE --overwrite`';
const RECORD_ONE = 'record one with `statedsl run FILE --record CASSETTE`';
const HASH = /^[0-9a-f]{64}$/;
/** A number in the thread of the run, then by pairs: the branch of a fork, and the number in its thread. */
const SLOT = /^\d+(?:\.\d+)*$/;
/** Where more would be too many to choose from. */
const MOST_NAMED = 12;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const members = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));
const keysOf = <T extends object>(all: Record<keyof T, true>): ReadonlySet<string> => new Set(Object.keys(all));
type OutcomeOf<Kind extends RecordedOutcome['kind']> = Extract<RecordedOutcome, { readonly kind: Kind }>;

const ROOT = members(
  'cassette program run started inputs input_files printed_inputs worktree complete suspended records',
);
const RECORD = members(`at attempt waits kind state line text args args_file prompt prompt_file outcome cost duration_ms
  ended_ms fingerprint`);
const CALL = {
  ...({ kind: true, cost: true, tokens: true, session_id: true, session_tokens: true, session_bound: true } as const),
  ...({ model: true, adapter: true, session_of: true, turns: true, is_error: true, transcript: true } as const),
  ...({ guard: true, unavailable: true, tool_calls: true, denied: true, own_retries: true, stdout: true } as const),
  ...({ stderr: true, stderr_artifact: true, order: true, duration_ms: true } as const),
};
/** The members of each kind of outcome. */
const OUTCOMES: Readonly<Record<RecordedOutcome['kind'], ReadonlySet<string>>> = {
  exited: keysOf<OutcomeOf<'exited'>>({
    ...CALL,
    ...{ exit: true, signal: true, pipe: true, output_truncated: true, memo: true, invalid: true, by: true },
  }),
  'timed-out': keysOf<OutcomeOf<'timed-out'>>({ ...CALL, timeout_ms: true, silent: true }),
  changed: keysOf<OutcomeOf<'changed'>>({ kind: true, commit: true, files: true, stdout: true }),
  value: new Set([
    ...keysOf<OutcomeOf<'value'>>({
      ...{ kind: true, value: true, printed: true, duration_ms: true, memo: true, invalid: true, by: true },
    }),
    'value_file',
  ]),
  answered: new Set([
    ...keysOf<OutcomeOf<'answered'>>({ kind: true, value: true, printed: true, by: true }),
    'value_file',
  ]),
  'not-started': keysOf<OutcomeOf<'not-started'>>({ kind: true, reason: true, error_type: true, unavailable: true }),
  failed: keysOf<OutcomeOf<'failed'>>({
    ...{ kind: true, message: true, error_type: true, exit: true, tool_code: true, by: true },
  }),
  stopped: keysOf<OutcomeOf<'stopped'>>({ kind: true }),
};
const OUTPUT = new Set([
  ...keysOf<Output>({
    ...{ text: true, base64: true, artifact: true, tail: true, bytes: true, lossy: true, cut: true, unbound: true },
  }),
  'file',
]);
/** What people and other programs send, which is answered and nothing else. */
const SENT: ReadonlySet<string> = new Set<EffectKind>(['ask', 'signal', 'approval']);

/** How a member is written, for who edits a cassette. */
const EXAMPLES: Readonly<Record<string, string>> = {
  program: 'program: flow',
  run: 'run: 01a22673-5cd5-7cd6-ac82-3ba7a51c4fa6',
  started: 'started: 2026-11-28T09:30:00.000Z',
  inputs: 'inputs: { name: value }',
  complete: 'complete: true',
  suspended: 'suspended: true',
  kind: 'kind: shell',
  at: 'at: "1"',
  attempt: 'attempt: 1',
  waits: 'waits: 1',
  state: 'state: MAIN',
  line: 'line: 3',
  text: 'text: make check',
  args: 'args: [value]',
  outcome: 'outcome: { kind: exited, exit: 0, stdout: { text: done, bytes: 4 }, stderr: "" }',
  cost: 'cost: 0.25',
  duration_ms: 'duration_ms: 20',
  ended_ms: 'ended_ms: 20',
  exit: 'exit: 0',
  stdout: 'stdout: { text: done, bytes: 4 }',
  stderr: 'stderr: ""',
  timeout_ms: 'timeout_ms: 30000',
  by: 'by: user',
  value: 'value: yes',
  reason: 'reason: no such program',
  message: 'message: it broke',
};
export type ReadCassette = { readonly cassette: Cassette } | { readonly problems: readonly FileProblem[] };

/** `redactor`: knows the secrets, none of which may be in the file. */
export async function readCassette(file: string, name: string, redactor: Redactor | null): Promise<ReadCassette> {
  const read = await readYamlFile(file);
  if (read.problems.length > 0) return { problems: problemsOf(read, name) };
  return decodeCassette(read, readFileSync(file, 'utf8'), { name, redactor, folder: largeFolderOf(file) });
}

interface CassetteOrigin {
  readonly name: string;
  readonly redactor: Redactor | null;
  /** The folder for large contents. */
  readonly folder: string;
}

/** As `readCassette`, from a text. */
export async function parseCassette(text: string, origin: CassetteOrigin): Promise<ReadCassette> {
  const read = await readYaml(text, origin.name);
  return read.problems.length > 0 ? { problems: problemsOf(read, origin.name) } : decodeCassette(read, text, origin);
}

/** The first mistake alone: in a file that is no YAML, or is damaged, the others follow from it. */
function problemsOf({ problems }: ReadFile, name: string): FileProblem[] {
  return problems.slice(0, 1).map((one) => {
    // A file that cannot be read has no line; any other one is not YAML.
    const isTwo = /multiple documents/.test(one.message);
    const why = isTwo ? 'a second cassette begins here' : `the cassette is damaged here, or cut off (${one.message})`;
    const message = one.line === null ? one.message : why;
    const help = isTwo ? 'move it to a file of its own' : RECORD_AGAIN;
    return { ...one, file: name, message, help: one.line === null ? (one.help ?? RECORD_ONE) : help };
  });
}

/** Ends the decoding; the location is the path of a value in the file. */
class Wrong extends Error {
  constructor(
    readonly path: readonly (string | number)[],
    message: string,
    readonly help?: string,
    /** Whether the name of the member is wrong, and not its value. */
    readonly ofName = false,
  ) {
    super(message);
  }
}

/** What is wrong with a member, and how it is written. */
function wrongMember(path: readonly (string | number)[], of: JsonObject, member: string, what: string): Wrong {
  const example = EXAMPLES[member];
  const isThere = member in of;
  const message = isThere ? `\`${member}\` must be ${what}` : `\`${member}\` is missing: ${what}`;
  const help = example === undefined ? RECORD_AGAIN : `${isThere ? 'write' : 'add'} \`${example}\`, or ${RECORD_AGAIN}`;
  return new Wrong([...path, member], message, help);
}

/** Throws for a member that nothing reads. */
function checkMembers(
  of: JsonObject,
  path: readonly (string | number)[],
  known: ReadonlySet<string>,
  what: string,
): void {
  for (const member of Object.keys(of)) {
    if (known.has(member)) continue;
    const near = nearest(member, [...known]);
    const all = known.size > MOST_NAMED ? '' : `; ${what} has ${list(known)}`;
    const help = near === undefined ? `leave it out${all}` : `did you mean \`${near}\`?`;
    throw new Wrong([...path, member], `\`${member}\` is not a member of ${what}`, help, true);
  }
}

const list = (words: Iterable<string>): string => [...words].map((word) => `\`${word}\``).join(', ');

/** Throws unless the word is one of those. */
function checkWord(
  word: Json | undefined,
  known: Iterable<string>,
  path: readonly (string | number)[],
  what: string,
): void {
  const all = [...known];
  if (typeof word === 'string' && all.includes(word)) return;
  const near = typeof word === 'string' ? nearest(word, all) : undefined;
  const help = near === undefined ? `write one of ${list(all)}` : `did you mean \`${near}\`?`;
  throw new Wrong(path, `\`kind\` must be the kind of ${what}`, help);
}

function decodeCassette(read: ReadFile, text: string, origin: CassetteOrigin): ReadCassette {
  const { name, redactor } = origin;
  const secret = redactor === null ? null : firstSecret(text, redactor);
  if (secret !== null) {
    const message = 'the cassette holds the text of a secret';
    const help = 'remove the file, and record it again with `statedsl run --record`';
    return { problems: [{ file: name, line: secret, column: null, message, help }] };
  }
  try {
    return { cassette: new Decoder(read, origin).decode(text) };
  } catch (cause) {
    if (!(cause instanceof Wrong)) throw cause;
    const { line = 1, column = 1 } =
      read.locationOf(cause.path, cause.ofName) ?? read.locationOf(cause.path.slice(0, -1)) ?? {};
    const { message, help } = cause;
    return { problems: [{ file: name, line, column, message, ...omitUndefined({ help }) }] };
  }
}

/** The line of a text that has a secret. */
function firstSecret(text: string, redactor: Redactor): number | null {
  if (redactor.text(text) === text) return null;
  const at = text.split('\n').findIndex((line) => redactor.text(line) !== line);
  return Math.max(0, at) + 1;
}

/** Inputs with their numbers as they were written. */
function inputsOf(printed: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(printed).map(([name, text]) => [name, fromRecord(null, text as string)]));
}

function isJsonText(text: Json | undefined): text is string {
  return typeof text === 'string' && isJson(text);
}

class Decoder {
  constructor(
    private readonly read: ReadFile,
    private readonly origin: CassetteOrigin,
  ) {}

  decode(text: string): Cassette {
    const { value } = this.read;
    const help = RECORD_ONE;
    if (!isJsonObject(value) || !('cassette' in value)) throw new Wrong([], 'this is not a cassette', help);
    if (value.cassette !== CASSETTE_VERSION)
      throw new Wrong(['cassette'], `this version reads cassettes of version ${CASSETTE_VERSION}`, help);
    checkMembers(value, [], ROOT, 'a cassette');
    const {
      program,
      run,
      started,
      inputs = {},
      input_files: files = {},
      worktree = null,
      complete,
      records = [],
    } = value;
    const { suspended = false, printed_inputs: printed = {} } = value;
    const cut = 'the file is cut off; record it again with `--record … --overwrite`';
    const wrong = (member: string, what: string): Wrong => wrongMember([], value, member, what);
    if (typeof program !== 'string') throw wrong('program', 'the name of the program');
    if (run !== undefined && typeof run !== 'string') throw wrong('run', 'the id of the run');
    const startedMs = typeof started === 'string' ? Date.parse(started) : Number.NaN;
    if (Number.isNaN(startedMs)) throw wrong('started', 'a point in time');
    if (!isJsonObject(inputs)) throw wrong('inputs', 'names with values');
    if (!isJsonObject(printed) || !Object.values(printed).every(isJsonText))
      throw wrong('printed_inputs', 'names with JSON texts');
    if (!isJsonObject(files)) throw wrong('input_files', 'names with files');
    if (worktree !== null && typeof worktree !== 'string') throw wrong('worktree', 'a commit');
    if (typeof complete !== 'boolean') throw wrong('complete', '`true` or `false`');
    if (typeof suspended !== 'boolean') throw wrong('suspended', '`true` or `false`');
    if (complete && !/\n\.\.\.\s*\n$/.test(text))
      throw new Wrong(['records'], 'the cassette is cut off: its last line is not `...`', cut);
    if (records !== null && !Array.isArray(records)) throw wrong('records', 'a list');
    return {
      file: this.origin.name,
      program,
      run,
      startedMs,
      inputs: { ...inputs, ...this.largeInputs(files), ...inputsOf(printed) },
      worktree,
      isComplete: complete,
      isSuspended: suspended,
      records: this.records(records ?? []),
      large: (name) => this.large(name, ['records']),
    };
  }

  private largeInputs(files: JsonObject): JsonObject {
    const names = Object.keys(files);
    return Object.fromEntries(names.map((name) => [name, this.jsonOf(files[name], ['input_files', name])]));
  }

  /** In the order in which they ended, each place once. */
  private records(records: readonly Json[]): CassetteRecord[] {
    const slots = new Map<string, CassetteRecord>();
    let last: CassetteRecord | null = null;
    return records.map((written, index) => {
      const path = ['records', index];
      const record = this.record(written, path);
      if (last !== null && record.endedMs < last.endedMs) {
        const help = `move it above line ${last.fileLine}: records stand in the order of \`ended_ms\``;
        throw new Wrong([...path, 'ended_ms'], 'it ended before the record above it', help);
      }
      last = record;
      const { kind, at, attempt, waits, outcome } = record;
      if (at === null || !isStrict(kind) || outcome.kind === 'stopped') return record;
      const slot = `${kind} ${at} ${attempt} ${waits}`;
      const first = slots.get(slot);
      if (first !== undefined) {
        const message = `the record in line ${first.fileLine} is of the same attempt`;
        throw new Wrong(path, message, 'keep one of the two, or write the `attempt` of this one');
      }
      slots.set(slot, record);
      return record;
    });
  }

  private record(record: Json, path: (string | number)[]): CassetteRecord {
    if (!isJsonObject(record)) throw new Wrong(path, 'a record must have members', RECORD_AGAIN);
    checkMembers(record, path, RECORD, 'a record');
    const wrong = (member: string, what: string): Wrong => wrongMember(path, record, member, what);
    const { at = null, attempt = 1, waits = 0, kind, state = null, line = null, text = '' } = record;
    const { outcome, cost, duration_ms, ended_ms: endedMs, fingerprint } = record;
    checkWord(kind, KINDS, [...path, 'kind'], 'an effect');
    const isSlot = typeof at === 'string' && (SLOT.test(at) || !isStrict(kind as EffectKind));
    if (at !== null && !isSlot) throw wrong('at', 'numbers with dots, in quotes');
    if (!isCount(attempt) || attempt === 0) throw wrong('attempt', 'a whole number from 1');
    if (!isCount(waits)) throw wrong('waits', 'a whole number');
    if (state !== null && typeof state !== 'string') throw wrong('state', 'the name of a state');
    if (line !== null && !isCount(line)) throw wrong('line', 'a whole number');
    if (typeof text !== 'string') throw wrong('text', 'a text');
    const args = this.fileOr(record, 'args', path) ?? [];
    if (!Array.isArray(args)) throw wrong('args', 'a list');
    const prompt = 'prompt_file' in record ? this.textOf(record.prompt_file, [...path, 'prompt_file']) : record.prompt;
    if (prompt !== undefined && typeof prompt !== 'string') throw wrong('prompt', 'a text');
    if (!isJsonObject(outcome)) throw wrong('outcome', 'a mapping with its `kind`');
    if (cost !== undefined && cost !== null && !isAmount(cost)) throw wrong('cost', 'a number of US dollars');
    if (duration_ms !== undefined && !isAmount(duration_ms)) throw wrong('duration_ms', 'a number of milliseconds');
    if (!isAmount(endedMs)) throw wrong('ended_ms', 'a number of milliseconds');
    if (typeof fingerprint !== 'string' || !HASH.test(fingerprint)) throw wrong('fingerprint', 'a SHA-256');
    const facts = omitUndefined({ cost, duration_ms });
    const location = { state, line, fileLine: this.read.locationOf(path)?.line ?? 0 };
    const asked = { kind: kind as EffectKind, text, args, prompt: prompt ?? null };
    if (fingerprintOf(asked) !== fingerprint) {
      const message = 'what was asked for was edited: the fingerprint is that of another text, or of other values';
      throw new Wrong([...path, 'fingerprint'], message, `undo it, or ${RECORD_AGAIN}`);
    }
    const decoded = this.outcome({ ...outcome, ...facts }, [...path, 'outcome']);
    if (SENT.has(asked.kind) !== (decoded.kind === 'answered') && decoded.kind !== 'stopped') {
      const kinds = SENT.has(asked.kind) ? ['answered'] : Object.keys(OUTCOMES).filter((one) => one !== 'answered');
      const message = `a record of the kind \`${kind as string}\` cannot have the outcome \`${decoded.kind}\``;
      throw new Wrong(
        [...path, 'outcome', 'kind'],
        message,
        `write ${kinds.length === 1 ? '' : 'one of '}${list(kinds)}`,
      );
    }
    return { ...asked, ...location, at, attempt, waits, outcome: decoded, endedMs, fingerprint };
  }

  private outcome(outcome: JsonObject, path: (string | number)[]): RecordedOutcome {
    const wrong = (member: string, what: string): Wrong => wrongMember(path, outcome, member, what);
    const { kind } = outcome;
    checkWord(kind, Object.keys(OUTCOMES), [...path, 'kind'], 'an outcome');
    checkMembers(
      outcome,
      path,
      new Set([...OUTCOMES[kind as keyof typeof OUTCOMES], 'cost', 'duration_ms']),
      `an outcome of the kind \`${kind as string}\``,
    );
    switch (kind) {
      case 'exited':
      case 'timed-out': {
        if (kind === 'exited' && outcome.exit !== null && !isCount(outcome.exit))
          throw wrong('exit', 'an exit code, or `null` after a signal');
        if (kind === 'timed-out' && !isAmount(outcome.timeout_ms)) throw wrong('timeout_ms', 'a number');
        if (typeof outcome.stderr !== 'string') throw wrong('stderr', 'a text');
        if (outcome.pipe !== undefined && !isPipe(outcome.pipe))
          throw wrong('pipe', 'a list of programs with exit codes');
        const stdout = this.output(outcome.stdout, [...path, 'stdout']);
        return { duration_ms: 0, ...outcome, stdout } as unknown as Outcome;
      }
      case 'changed': {
        const { commit, files } = outcome;
        if (typeof commit !== 'string') throw wrong('commit', 'a commit');
        if (!Array.isArray(files) || !files.every((file) => typeof file === 'string')) throw wrong('files', 'a list');
        return { ...outcome, stdout: this.output(outcome.stdout, [...path, 'stdout']) } as unknown as Outcome;
      }
      case 'value':
      case 'answered': {
        const value = this.fileOr(outcome, 'value', path);
        if (value === undefined) throw wrong('value', 'a value');
        if (kind === 'answered' && typeof outcome.by !== 'string') throw wrong('by', 'a name');
        if (outcome.printed !== undefined && !isJsonText(outcome.printed)) throw wrong('printed', 'a JSON text');
        const { value_file: _, ...rest } = outcome;
        return { ...rest, value } as unknown as RecordedOutcome;
      }
      case 'not-started':
        if (typeof outcome.reason !== 'string') throw wrong('reason', 'a text');
        return outcome as unknown as Outcome;
      case 'failed':
        if (typeof outcome.message !== 'string') throw wrong('message', 'a text');
        return outcome as unknown as Outcome;
      case 'stopped':
        return { kind };
      default:
        throw wrong('kind', 'the kind of an outcome');
    }
  }

  /** The content of a large output is read when it is needed. */
  private output(output: Json | undefined, path: (string | number)[]): Output {
    const help = `write \`${EXAMPLES.stdout}\`, or ${RECORD_AGAIN}`;
    const wrong = (what: string): Wrong => new Wrong(path, `\`stdout\` must be ${what}`, help);
    if (!isJsonObject(output)) throw wrong('an output');
    checkMembers(output, path, OUTPUT, 'an output');
    const { text, base64, file, bytes, lossy } = output;
    if (!isCount(bytes)) throw wrong('an output with its number of `bytes`');
    if (text !== undefined && base64 !== undefined && lossy !== true)
      throw new Wrong([...path, 'base64'], 'an output has a `text` or a `base64`', 'leave out one of the two');
    if (base64 !== undefined && (typeof base64 !== 'string' || !BASE64.test(base64)))
      throw new Wrong([...path, 'base64'], '`base64` must be a text in Base64', RECORD_AGAIN);
    if (file !== undefined) this.large(file, path);
    else if (typeof text !== 'string' && typeof base64 !== 'string') throw wrong('an output with its `text`');
    return output as unknown as Output;
  }

  private fileOr(members: JsonObject, name: string, path: (string | number)[]): Json | undefined {
    const file = members[`${name}_file`];
    if (file === undefined) return members[name];
    return this.jsonOf(file, [...path, `${name}_file`]);
  }

  private jsonOf(file: Json | undefined, at: readonly (string | number)[]): Json {
    try {
      return JSON.parse(this.textOf(file, at)) as Json;
    } catch (cause) {
      if (cause instanceof Wrong) throw cause;
      throw new Wrong(at, 'the file of this value is not JSON', RECORD_AGAIN);
    }
  }

  private textOf(name: Json | undefined, path: readonly (string | number)[]): string {
    return this.large(name, path).toString('utf8');
  }

  /** Files of the folder are named by the SHA-256 of their content, so no other file can be meant. */
  private large(name: Json | undefined, path: readonly (string | number)[]): Buffer {
    const { folder, redactor } = this.origin;
    if (typeof name !== 'string' || !HASH.test(name))
      throw new Wrong(path, 'the name of the file must be a SHA-256', RECORD_AGAIN);
    const help = 'record the cassette again with `--record … --overwrite`';
    let content: Buffer;
    try {
      content = readFileSync(join(folder, name));
    } catch {
      throw new Wrong(path, `the file \`${name.slice(0, 12)}…\` is missing in the folder next to the cassette`, help);
    }
    if (createHash('sha256').update(content).digest('hex') !== name)
      throw new Wrong(path, `the file \`${name.slice(0, 12)}…\` next to the cassette has changed`, help);
    const holdsSecret = (['utf8', 'latin1'] as const).some((encoding) => {
      const text = content.toString(encoding);
      return redactor !== null && redactor.text(text) !== text;
    });
    if (holdsSecret)
      throw new Wrong(path, `the file \`${name.slice(0, 12)}…\` next to the cassette holds the text of a secret`, help);
    return content;
  }
}

function isPipe(value: Json): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      (one) =>
        isJsonObject(one) && typeof one.exit === 'number' && (one.program === null || typeof one.program === 'string'),
    )
  );
}

function isAmount(value: Json | undefined): value is number {
  return typeof value === 'number' && value >= 0;
}

function isCount(value: Json | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
