/** Reads a cassette. Whatever is wrong with it is a problem with a location, and nothing of it is used then. */
import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EffectKind, Outcome, Output } from '../../interpreter/events/event.js';
import { fromRecord, isJson } from '../../interpreter/values/json.js';
import type { Json, JsonObject } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { type FileProblem, type ReadFile, readYaml, readYamlFile } from '../configuration/yaml-file.js';
import type { Redactor } from '../redact.js';
import { CASSETTE_VERSION, type Cassette, type CassetteRecord, type RecordedOutcome } from './cassette.js';
import { largeFolderOf } from './cassette-text.js';

const KINDS: ReadonlySet<string> = new Set<EffectKind>([
  ...(['shell', 'argv', 'function', 'agent', 'tool', 'timer', 'clock', 'uuid', 'random', 'worktree', 'ask'] as const),
  ...(['signal', 'approval'] as const),
]);
const RECORD_AGAIN = 'record it again with `statedsl run FILE --record CASSETTE --overwrite`';
const RECORD_ONE = 'record one with `statedsl run FILE --record CASSETTE`';
const HASH = /^[0-9a-f]{64}$/;
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
    const message = one.line === null ? one.message : `the cassette is damaged here, or cut off (${one.message})`;
    return { ...one, file: name, message, help: one.line === null ? (one.help ?? RECORD_ONE) : RECORD_AGAIN };
  });
}

/** Ends the decoding; the location is the path of a value in the file. */
class Wrong extends Error {
  constructor(
    readonly path: readonly (string | number)[],
    message: string,
    readonly help?: string,
  ) {
    super(message);
  }
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
    const { line = 1, column = 1 } = read.locationOf(cause.path) ?? read.locationOf(cause.path.slice(0, -1)) ?? {};
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
    if (!isMembers(value) || !('cassette' in value)) throw new Wrong([], 'this is not a cassette', help);
    if (value.cassette !== CASSETTE_VERSION)
      throw new Wrong(['cassette'], `this version reads cassettes of version ${CASSETTE_VERSION}`, help);
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
    if (typeof program !== 'string') throw new Wrong(['program'], '`program` must be the name of the program', cut);
    if (run !== undefined && typeof run !== 'string') throw new Wrong(['run'], '`run` must be the id of the run');
    const startedMs = typeof started === 'string' ? Date.parse(started) : Number.NaN;
    if (Number.isNaN(startedMs)) throw new Wrong(['started'], '`started` must be a point in time', cut);
    if (!isMembers(inputs)) throw new Wrong(['inputs'], '`inputs` must be names with values');
    if (!isMembers(printed) || !Object.values(printed).every(isJsonText))
      throw new Wrong(['printed_inputs'], '`printed_inputs` must be names with JSON texts');
    if (!isMembers(files)) throw new Wrong(['input_files'], '`input_files` must be names with files');
    if (worktree !== null && typeof worktree !== 'string') throw new Wrong(['worktree'], '`worktree` must be a commit');
    if (typeof complete !== 'boolean') throw new Wrong(['complete'], '`complete` must be `true` or `false`', cut);
    if (typeof suspended !== 'boolean') throw new Wrong(['suspended'], '`suspended` must be `true` or `false`', cut);
    if (complete && !/\n\.\.\.\s*\n$/.test(text))
      throw new Wrong(['records'], 'the cassette is cut off: its last line is not `...`', cut);
    if (records !== null && !Array.isArray(records)) throw new Wrong(['records'], '`records` must be a list');
    return {
      file: this.origin.name,
      program,
      run,
      startedMs,
      inputs: { ...inputs, ...this.largeInputs(files), ...inputsOf(printed) },
      worktree,
      isComplete: complete,
      isSuspended: suspended,
      records: (records ?? []).map((record, at) => this.record(record, ['records', at])),
      large: (name) => this.large(name, ['records']),
    };
  }

  private largeInputs(files: JsonObject): JsonObject {
    const names = Object.keys(files);
    return Object.fromEntries(names.map((name) => [name, this.jsonOf(files[name], ['input_files', name])]));
  }

  private record(record: Json, path: (string | number)[]): CassetteRecord {
    const wrong = (member: string, what: string): Wrong =>
      new Wrong([...path, member], `\`${member}\` must be ${what}`);
    if (!isMembers(record)) throw new Wrong(path, 'a record must have members');
    const { at = null, attempt = 1, waits = 0, kind, state = null, line = null, text = '' } = record;
    const { outcome, cost, duration_ms, ended_ms: endedMs, fingerprint } = record;
    if (typeof kind !== 'string' || !KINDS.has(kind)) throw wrong('kind', 'the kind of an effect');
    if (at !== null && typeof at !== 'string') throw wrong('at', 'the id of an effect in quotes');
    if (!isCount(attempt)) throw wrong('attempt', 'a whole number');
    if (!isCount(waits)) throw wrong('waits', 'a whole number');
    if (state !== null && typeof state !== 'string') throw wrong('state', 'the name of a state');
    if (line !== null && !isCount(line)) throw wrong('line', 'a whole number');
    if (typeof text !== 'string') throw wrong('text', 'a text');
    const args = this.fileOr(record, 'args', path) ?? [];
    if (!Array.isArray(args)) throw wrong('args', 'a list');
    const prompt = 'prompt_file' in record ? this.textOf(record.prompt_file, [...path, 'prompt_file']) : record.prompt;
    if (prompt !== undefined && typeof prompt !== 'string') throw wrong('prompt', 'a text');
    if (!isMembers(outcome)) throw wrong('outcome', 'an outcome');
    if (cost !== undefined && cost !== null && typeof cost !== 'number') throw wrong('cost', 'a number of US dollars');
    if (duration_ms !== undefined && typeof duration_ms !== 'number') throw wrong('duration_ms', 'a number');
    if (typeof endedMs !== 'number' || !(endedMs >= 0)) throw wrong('ended_ms', 'a number of milliseconds');
    if (typeof fingerprint !== 'string' || !HASH.test(fingerprint)) throw wrong('fingerprint', 'a SHA-256');
    const facts = omitUndefined({ cost, duration_ms });
    const location = { state, line, fileLine: this.read.locationOf(path)?.line ?? 0 };
    const asked = { kind: kind as EffectKind, text, args, prompt: prompt ?? null };
    const decoded = this.outcome({ ...outcome, ...facts }, [...path, 'outcome']);
    return { ...asked, ...location, at, attempt, waits, outcome: decoded, endedMs, fingerprint };
  }

  private outcome(outcome: JsonObject, path: (string | number)[]): RecordedOutcome {
    const wrong = (member: string, what: string): Wrong =>
      new Wrong([...path, member], `\`${member}\` must be ${what}`);
    const { kind } = outcome;
    switch (kind) {
      case 'exited':
      case 'timed-out': {
        if (kind === 'exited' && outcome.exit !== null && typeof outcome.exit !== 'number')
          throw wrong('exit', 'an exit code or `null`');
        if (kind === 'timed-out' && typeof outcome.timeout_ms !== 'number') throw wrong('timeout_ms', 'a number');
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
    const wrong = (what: string): Wrong => new Wrong(path, `\`stdout\` must be ${what}`);
    if (!isMembers(output)) throw wrong('an output');
    const { text, base64, file, bytes } = output;
    if (typeof bytes !== 'number') throw wrong('an output with its number of `bytes`');
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
      throw new Wrong(at, 'the file of this value is not JSON');
    }
  }

  private textOf(name: Json | undefined, path: readonly (string | number)[]): string {
    return this.large(name, path).toString('utf8');
  }

  /** Files of the folder are named by the SHA-256 of their content, so no other file can be meant. */
  private large(name: Json | undefined, path: readonly (string | number)[]): Buffer {
    const { folder, redactor } = this.origin;
    if (typeof name !== 'string' || !HASH.test(name)) throw new Wrong(path, 'the name of the file must be a SHA-256');
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

function isMembers(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function isPipe(value: Json): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      (one) =>
        isMembers(one) && typeof one.exit === 'number' && (one.program === null || typeof one.program === 'string'),
    )
  );
}

function isCount(value: Json): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
