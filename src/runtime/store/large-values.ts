/**
 * Values above 64 KiB are stored only as artifacts. Journal, run.json, checkpoint and state.json refer to them, so that a
 * large result is on disk once and the journal can be read line by line. Usually the artifact exists already: it is the
 * output of a command.
 *
 * A reference is `{"$artifact": HASH, "as": …, "bytes": N}`. An object of the program with a key `$artifact` is written as
 * `{"$artifact": null, "value": …}`.
 */
import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import type { RunEvent } from '../../interpreter/events/event.js';
import type { Json, JsonObject } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { INLINE_BYTES } from '../process/output.js';
import { type Artifacts, artifactName, folderArtifacts } from './artifacts.js';
import { StoreError } from './store-error.js';

/**
 * How to get the value from the artifact. `text`: all of it. `line`: without its last line end. `json`: parsed. A
 * checkpoint holds values as JSON text: `quoted` and `quoted-line` are the text as a JSON string, `compact` is the JSON
 * without spaces.
 */
type Form = 'text' | 'line' | 'json' | 'quoted' | 'quoted-line' | 'compact';

/** Members of events that hold values of the program, in addition to the outcomes of effects. */
const ENCODED: { readonly [type in RunEvent['type']]?: readonly string[] } = {
  run_started: ['inputs', 'printed'],
  state_entered: ['with', 'printed'],
  effect_requested: ['args', 'printed'],
  tracked_set: ['value', 'appended', 'printed'],
  state_set: ['value', 'printed'],
  answered: ['value', 'printed'],
  answer_refused: ['value', 'printed'],
  signal_received: ['payload', 'printed'],
  run_returned: ['value', 'printed'],
  run_failed: ['value', 'printed'],
};

interface ArtifactReference {
  readonly $artifact: string;
  readonly as: Form;
  readonly bytes: number;
}

const KEY = '$artifact';
/** Every line that may hold a reference contains this text. */
export const REFERS = `"${KEY}"`;
/** The largest bound value. Larger texts are not compared with artifacts. */
const MOST = 16 * 1024 * 1024;
/** How many bytes of outputs in another JSON layout are read to compare them. */
const MOST_COMPARED = 4 * 1024 * 1024;
/** Texts have no identity, so the last ones are remembered by their content. */
const TEXTS = 16;
/** Outputs that may hold a value in another JSON layout. */
const OUTPUTS = 4;

export class LargeValues {
  private readonly objects = new WeakMap<object, ArtifactReference>();
  private texts: { readonly text: string; readonly reference: ArtifactReference }[] = [];
  private outputs: string[] = [];

  constructor(private readonly artifacts: Artifacts) {}

  /** The event as it is recorded. Throws a `StoreError` if an artifact cannot be written. */
  event(event: RunEvent): RunEvent {
    // The two events of a loop that only computes.
    if (event.type === 'state_entered' && event.with === undefined) return event;
    if (event.type === 'tracked_set' && typeof event.value === 'number') return event;
    if (event.type === 'effect_requested') return this.request(event);
    if (event.type === 'effect_settled') return this.settledEvent(event);
    let recorded = event;
    for (const name of ENCODED[event.type] ?? []) {
      const value = (event as unknown as { readonly [name: string]: Json | undefined })[name];
      const encoded = value === undefined ? value : this.encode(value);
      if (encoded !== value) recorded = { ...recorded, [name]: encoded };
    }
    return recorded;
  }

  /** The value as it is written: a small value is written itself. `makes`: see `document`. */
  encode(value: Json, makes = true): Json {
    if (typeof value === 'string') return value.length <= INLINE_BYTES ? value : this.text(value, makes);
    if (typeof value !== 'object' || value === null) return value;
    const size = sizeOf(value);
    if (size <= INLINE_BYTES) return value;
    if (size === Number.POSITIVE_INFINITY) return this.parts(value, true, makes);
    const known = this.objects.get(value);
    return known === undefined ? this.structure(value, makes) : reference(known);
  }

  /**
   * A document whose members are values. `makes` is false for a document that is written repeatedly: it refers to existing
   * artifacts and makes none. Otherwise a list that grows would leave an artifact behind each time.
   */
  document<T extends object>(value: T, makes = true): T {
    return this.parts(value as unknown as Json & object, false, makes) as T;
  }

  private settledEvent(event: Extract<RunEvent, { type: 'effect_settled' }>): RunEvent {
    const { outcome } = event;
    if (outcome.kind === 'value') {
      const value = this.encode(outcome.value);
      const printed = outcome.printed === undefined ? undefined : (this.encode(outcome.printed) as string);
      if (value === outcome.value && printed === outcome.printed) return event;
      return { ...event, outcome: { ...outcome, value, ...omitUndefined({ printed }) } };
    }
    const artifact = 'stdout' in outcome ? outcome.stdout.artifact : undefined;
    if (artifact !== undefined) this.outputs = [artifact, ...this.outputs].slice(0, OUTPUTS);
    return event;
  }

  /** References to prompts have their own form. */
  private request(event: Extract<RunEvent, { type: 'effect_requested' }>): RunEvent {
    const { prompt, args } = event;
    const encoded = args === undefined ? undefined : (this.encode(args as Json) as typeof args);
    const small = encoded === args ? event : { ...event, args: encoded };
    if (prompt === undefined || prompt.length <= INLINE_BYTES) return small;
    const { prompt: _, ...rest } = small;
    return { ...rest, artifact: this.artifacts.put(prompt) };
  }

  private text(text: string, makes: boolean): Json {
    const known = this.texts.find((one) => one.text === text);
    if (known !== undefined) return reference(known.reference);
    const found =
      text.length > MOST
        ? null
        : (this.findExact(`${text}\n`, 'line') ??
          this.findExact(text, 'text') ??
          this.findExact(`${JSON.stringify(text)}\n`, 'json') ??
          this.findExact(JSON.stringify(text), 'json') ??
          this.asJson(text));
    if (found === null && !makes) return text;
    const made = found ?? { $artifact: this.artifacts.put(text), as: 'text', bytes: Buffer.byteLength(text) };
    this.texts = [{ text, reference: made }, ...this.texts].slice(0, TEXTS);
    return reference(made);
  }

  private structure(value: Json & object, makes: boolean): Json {
    const text = JSON.stringify(value);
    const found =
      text.length > MOST
        ? null
        : (this.findExact(`${text}\n`, 'json') ?? this.findExact(text, 'json') ?? this.findReprinted(text));
    if (found === null && Object.values(value).some((part) => sizeOf(part as Json) > INLINE_BYTES))
      return this.parts(value, false, makes);
    if (found === null && !makes) return this.parts(value, false, makes);
    const made = found ?? { $artifact: this.artifacts.put(text), as: 'json', bytes: Buffer.byteLength(text) };
    this.objects.set(value, made);
    return reference(made);
  }

  private parts(value: Json & object, escapes: boolean, makes: boolean): Json {
    if (Array.isArray(value)) return value.map((part) => this.encode(part, makes));
    const members = Object.fromEntries(
      Object.entries(value).map(([key, part]) => [key, this.encode(part as Json, makes)]),
    );
    return escapes && Object.hasOwn(value, KEY) ? { [KEY]: null, value: members } : members;
  }

  /** The artifact with exactly this content. */
  private findExact(content: string, as: Form): ArtifactReference | null {
    const hash = artifactName(content);
    const bytes = this.artifacts.sizeOf(hash);
    // One that was cut off does not have it.
    return bytes === Buffer.byteLength(content) ? { $artifact: hash, as, bytes } : null;
  }

  /** For a text that is JSON: the artifact that has the value of this JSON. */
  private asJson(text: string): ArtifactReference | null {
    if (text.startsWith('{') || text.startsWith('[')) return this.findReprinted(text, 'compact');
    if (!text.startsWith('"')) return null;
    try {
      const inner = JSON.parse(text) as string;
      if (JSON.stringify(inner) !== text) return null;
      return this.findExact(`${inner}\n`, 'quoted-line') ?? this.findExact(inner, 'quoted');
    } catch {
      return null;
    }
  }

  /** The output that has the same value in another JSON layout. */
  private findReprinted(text: string, as: Form = 'json'): ArtifactReference | null {
    if (text.length > MOST_COMPARED) return null;
    for (const hash of this.outputs) {
      const bytes = this.artifacts.sizeOf(hash) ?? 0;
      if (bytes < text.length / 2 || bytes > text.length * 8) continue;
      try {
        if (JSON.stringify(JSON.parse(this.artifacts.get(hash).toString('utf8'))) === text)
          return { $artifact: hash, as, bytes };
      } catch {
        // It is not JSON, so it has another value.
      }
    }
    return null;
  }
}

/** Reverses `LargeValues.event`. Throws a `StoreError` if an artifact is missing or damaged. */
export function decodeEvent(event: RunEvent, artifacts: string): RunEvent {
  const decoded = { ...event } as { [name: string]: unknown };
  for (const name of ENCODED[event.type] ?? [])
    if (decoded[name] !== undefined) decoded[name] = decodeValue(decoded[name] as Json, artifacts);
  if (event.type === 'effect_settled' && event.outcome.kind === 'value')
    decoded.outcome = decodeMembers(event.outcome as unknown as JsonObject, artifacts);
  return decoded as unknown as RunEvent;
}

/** The artifacts without which an event, as it is in the journal, cannot be read. */
export function artifactsOf(event: RunEvent): readonly string[] {
  const found: string[] = [];
  const members = event as unknown as { readonly [name: string]: Json | undefined };
  for (const name of ENCODED[event.type] ?? []) addReferences(members[name], found);
  if (event.type === 'effect_settled') {
    const { outcome } = event;
    if (outcome.kind === 'value') addReferences(outcome as unknown as Json, found);
    if (outcome.kind === 'exited') found.push(...[outcome.stdout.artifact, outcome.stderr_artifact].filter(isName));
  }
  if ((event.type === 'effect_requested' || event.type === 'gate_result') && isName(event.artifact))
    found.push(event.artifact);
  return found;
}

const isName = (name: Json | undefined): name is string => typeof name === 'string';

function addReferences(value: Json | undefined, found: string[]): void {
  if (typeof value !== 'object' || value === null) return;
  const members = value as JsonObject;
  const hash = Array.isArray(value) || !Object.hasOwn(members, KEY) ? undefined : members[KEY];
  if (isName(hash)) found.push(hash);
  // A member of the program with this name is text.
  else if (hash === null && typeof members.value === 'object')
    for (const [name, part] of Object.entries(members.value as JsonObject))
      if (name !== KEY) addReferences(part, found);
      else for (const part of Object.values(value)) addReferences(part as Json, found);
}

/** The value that was written. Throws a `StoreError` if an artifact is missing or damaged. */
export function decodeValue(value: Json, artifacts: string): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((part) => decodeValue(part, artifacts));
  const members = value as JsonObject;
  if (Object.hasOwn(members, KEY)) {
    const hash = members[KEY];
    if (hash === null) return decodeMembers(members.value as JsonObject, artifacts);
    if (typeof hash === 'string') return contentOf(hash, members.as as Form, artifacts);
  }
  return decodeMembers(members, artifacts);
}

function decodeMembers(members: JsonObject, artifacts: string): Json {
  return Object.fromEntries(Object.entries(members).map(([key, part]) => [key, decodeValue(part, artifacts)]));
}

function contentOf(hash: string, as: Form, artifacts: string): Json {
  const text = folderArtifacts(artifacts).get(hash).toString('utf8');
  switch (as) {
    case 'text':
      return text;
    case 'line':
      return text.slice(0, -1);
    case 'json':
      return JSON.parse(text) as Json;
    case 'quoted':
      return JSON.stringify(text);
    case 'quoted-line':
      return JSON.stringify(text.slice(0, -1));
    case 'compact':
      return JSON.stringify(JSON.parse(text));
    default:
      throw new StoreError(
        `\`${join(artifacts, hash)}\` is referred to as ${JSON.stringify(as)}, which this version does not know`,
      );
  }
}

function reference({ $artifact, as, bytes }: ArtifactReference): Json {
  return { $artifact, as, bytes };
}

/** About how many characters the value has; infinite if an object in it looks like a reference. */
function sizeOf(value: Json): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let sum = 0;
  if (Array.isArray(value)) {
    for (const part of value) sum += 1 + sizeOf(part);
    return sum;
  }
  for (const key in value) {
    if (key === KEY) return Number.POSITIVE_INFINITY;
    sum += key.length + sizeOf((value as JsonObject)[key] ?? null);
  }
  return sum;
}
