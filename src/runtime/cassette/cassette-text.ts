/**
 * Cassettes as YAML. A record ends with its fingerprint and a complete file with `...`, the end of a YAML document: so a
 * reader notices where a file was cut off.
 */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Outcome, Output } from '../../interpreter/events/event.js';
import type { Json } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import {
  CASSETTE_VERSION,
  type CassetteHeader,
  type CassetteRecord,
  LARGE_BYTES,
  largeFileOf,
  type RecordedOutcome,
} from './cassette.js';

/** After this much text, everything larger than `SMALL_BYTES` goes to the folder, so that the file stays readable. */
const MOST_TEXT = 4 * 1024 * 1024;
const SMALL_BYTES = 1024;

/** In JSON: a text that begins with a blank line. Also some that only look like it, which does not matter. */
const BEGINS_BLANK = /"(?: |\\[tnr])*\\n/;

type Stringify = (value: unknown, options: object) => string;

/** Turns records into text and collects what is too large for it. */
export class CassetteText {
  /** Contents of the folder next to the cassette, by name; null: it is there already. */
  readonly large = new Map<string, Buffer | null>();
  private length = 0;

  constructor(private readonly stringify: Stringify) {}

  header(about: CassetteHeader): string {
    const { program, run, startedMs, inputs, printedInputs, worktree, isComplete, isSuspended } = about;
    const [small, large]: [Record<string, Json>, Record<string, string>] = [{}, {}];
    for (const [name, value] of Object.entries(inputs)) {
      const json = JSON.stringify(value);
      if (json.length <= LARGE_BYTES) small[name] = value;
      else large[name] = this.keep(Buffer.from(json));
    }
    const header = omitUndefined({
      cassette: CASSETTE_VERSION,
      program,
      run,
      started: new Date(startedMs).toISOString(),
      inputs: Object.keys(small).length === 0 ? undefined : small,
      input_files: Object.keys(large).length === 0 ? undefined : large,
      printed_inputs: printedInputs,
      worktree: worktree ?? undefined,
      complete: isComplete,
      suspended: isSuspended ? true : undefined,
    });
    return `# What the world gave to a run. Written by \`statedsl run --record\`.\n${this.yaml(header)}records:\n`;
  }

  record(record: CassetteRecord): string {
    const { at, attempt, waits, kind, state, line, text, args, prompt, outcome, endedMs, fingerprint } = record;
    const { cost, duration_ms, ...rest } = outcome as RecordedOutcome & { cost?: number; duration_ms?: number };
    const members = omitUndefined({
      at: at ?? undefined,
      attempt: attempt === 1 ? undefined : attempt,
      waits: waits === 0 ? undefined : waits,
      kind,
      state: state ?? undefined,
      line: line ?? undefined,
      text: text === '' ? undefined : text,
      ...(args.length === 0 ? {} : this.valueOrFile('args', args as Json)),
      ...(prompt === null ? {} : this.textOrFile('prompt', prompt)),
      outcome: this.outcome(rest as RecordedOutcome),
      cost,
      duration_ms,
      ended_ms: endedMs,
      fingerprint,
    });
    // Not `^`, which also matches after U+2028 and U+2029, where YAML has no line end.
    const written = this.yaml([members]).replace(/(?<=^|\n)(?=[^\n])/g, '  ');
    this.length += written.length;
    return written;
  }

  static readonly end = '...\n';

  private yaml(value: unknown): string {
    // In a block that begins with a blank line, the spaces of that line are taken for its indentation.
    const blockQuote = !BEGINS_BLANK.test(JSON.stringify(value));
    return this.stringify(value, { lineWidth: 0, aliasDuplicateObjects: false, version: '1.2', blockQuote });
  }

  private get limit(): number {
    return this.length > MOST_TEXT ? SMALL_BYTES : LARGE_BYTES;
  }

  private outcome(outcome: RecordedOutcome): Json {
    if (outcome.kind === 'value' || outcome.kind === 'answered') {
      const { value, ...rest } = outcome;
      return { ...rest, ...this.valueOrFile('value', value) } as unknown as Json;
    }
    if (!('stdout' in outcome)) return outcome as unknown as Json;
    const { transcript: _, stderr_artifact: __, order: ___, ...rest } = outcome as Extract<Outcome, { kind: 'exited' }>;
    return { ...rest, stdout: this.output(outcome.stdout) } as unknown as Json;
  }

  private output(output: Output): Json {
    const { text, base64, bytes, lossy } = output;
    const file = largeFileOf(output);
    if (file !== null) {
      if (!this.large.has(file)) this.large.set(file, null);
      return { file, bytes };
    }
    const content = text !== undefined && lossy === undefined ? Buffer.from(text) : Buffer.from(base64 ?? '', 'base64');
    if (content.length <= this.limit) return omitUndefined({ text, base64, bytes, lossy }) as Json;
    return { file: this.keep(content), bytes: content.length };
  }

  private textOrFile(name: string, text: string): object {
    return Buffer.byteLength(text) <= this.limit
      ? { [name]: text }
      : { [`${name}_file`]: this.keep(Buffer.from(text)) };
  }

  private valueOrFile(name: string, value: Json): object {
    const json = JSON.stringify(value);
    return json.length <= this.limit ? { [name]: value } : { [`${name}_file`]: this.keep(Buffer.from(json)) };
  }

  private keep(content: Buffer): string {
    const name = createHash('sha256').update(content).digest('hex');
    if (!this.large.has(name)) this.large.set(name, content);
    return name;
  }
}

/** The folder for large contents of a cassette. */
export function largeFolderOf(file: string): string {
  return `${file}.large`;
}
