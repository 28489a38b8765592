/**
 * Keeps secrets out of files, logs and reports: every text is searched for their values before it leaves the run.
 * Commands and agents still get the real values; only what is recorded or shown is changed. The search finds values as they
 * are, escaped as in JSON, and line by line if they have several lines. It does not find other encodings.
 */
import { Buffer } from 'node:buffer';
import type { AgentFacts, Outcome, Output, RunError, RunEvent } from '../interpreter/events/event.js';
import { decode, type Printed, printedForm, printedForms } from '../interpreter/values/json.js';
import { plain, SourceNumber, type Value, Version } from '../interpreter/values/value.js';
import type { Json, JsonObject } from '../machine/expression.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import { unreachable } from '../prelude/unreachable.js';

const MARK = '***';
/** Shorter values are not replaced, because they would erase ordinary words. */
const SHORTEST = 4;

export interface Redactor {
  text(text: string): string;
  /** The same for a text whose positions mean something: every character of a secret becomes a star. */
  mask(text: string): string;
  value(value: Json): Json;
  event(event: RunEvent): RunEvent;
  /** For output that arrives in pieces: also finds a secret that is split between two pieces. */
  stream(): RedactingStream;
}

export interface RedactingStream {
  /** Returns what can be passed on, and holds back what may be the beginning of a secret. */
  push(bytes: Buffer): Buffer;
  /** Returns the rest. */
  end(): Buffer;
  /** Whether anything was replaced so far. */
  readonly replaced: boolean;
}

/** A value that must not be shown, and its name in a warning. */
export interface Secret {
  readonly name: string;
  readonly value: string;
}

/** Last words of names that hold secrets. */
const SECRET_WORD =
  /^(?:token|keys?|secrets?|passwords?|passwd|pass|passphrase|pwd|pw|pat|credentials?|creds?|cookie|dsn|jwt|bearer|auth|authorization|otp|totp|sas|webhook)$/;
/** The same without anything between the words of a name, such as `githubtoken`. */
const SECRET_END =
  /(?:token|secret|passwd|passphrase|(?:api|access|secret|private|auth|account|signing|encryption|master|service|license|deploy|client|session|shared)keys?|credentials?|creds|jwt)$/;
/** A secret with something after it that says where it belongs: `API_KEY_PROD`, `SECRET_KEY_BASE`, `TOKEN_2`. */
const SECRET_PART =
  /_(?:api_?key|secret_key|access_token|auth_token|private_key|client_secret|connection_string|auth_config)(?:_|$)/;
/** What only describes a secret. */
const DESCRIPTION =
  /_(?:counts?|files?|paths?|dir|urls?|uri|endpoint|names?|ids?|ttl|expiry|expires|length|len|size|types?|limit|max|min|header|host|port|mode|policy|enabled|required|age|version|algorithm|issuer|provider|manager|store|sock)$/;
/** Variables of shells that end like a secret. */
const FOLDERS = /^(?:old|init_?c?|local_?)?_?(?:pwd|cwd)$/;

/** The usual form of a variable, which has no other words than those between its signs: each run looks at a whole environment. */
const USUAL_NAME = /^[A-Z]+(?:_[A-Z]+)*$/;

/** Whether a variable of this name holds a secret, in any case and style: `GITHUB_TOKEN`, `githubToken`, `x-api-key`. */
export function isSecretName(name: string): boolean {
  const whole = USUAL_NAME.test(name) ? name.toLowerCase() : wordsOf(name).replace(/_?\d+$/, '');
  if (FOLDERS.test(whole)) return false;
  if (/password/.test(whole.replaceAll('_', ''))) return true;
  const last = whole.slice(whole.lastIndexOf('_') + 1);
  if (SECRET_WORD.test(last) || SECRET_END.test(last) || /_?webhook_url$/.test(whole)) return true;
  return SECRET_PART.test(`_${whole}`) && !DESCRIPTION.test(whole);
}

/** The words of a name in small letters, with `_` between them. */
function wordsOf(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '')
    .join('_');
}

/** The part before the host in an address: `user:password` or only a token. */
const USER_INFO = /\b[a-z][a-z0-9+.-]{0,30}:\/\/([^\s/?#]+)@/gi;
/** A shorter user name is not a token. */
const TOKEN_LENGTH = 20;

/** The secrets of an environment: the given variables, those whose names say so, and logins in addresses. */
export function environmentSecrets(
  environment: Readonly<Record<string, string | undefined>>,
  named: readonly string[],
): Secret[] {
  const secrets: Secret[] = [];
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || value === '') continue;
    if (named.includes(name) || isSecretName(name)) secrets.push({ name, value });
    if (value.includes('@')) secrets.push(...addressSecrets(name, value));
  }
  return secrets;
}

/** The password of each address in a text, as written and decoded. */
function addressSecrets(name: string, value: string): Secret[] {
  const found = new Set<string>();
  for (const [, info = ''] of value.matchAll(USER_INFO)) {
    const colon = info.indexOf(':');
    const secret = colon >= 0 ? info.slice(colon + 1) : info.length >= TOKEN_LENGTH ? info : '';
    if (secret === '') continue;
    // Both together too, because a short password alone is not searched for.
    found.add(secret.length < SHORTEST ? info : secret).add(decodeUri(secret));
  }
  return [...found].filter((secret) => secret.length >= SHORTEST).map((secret) => ({ name, value: secret }));
}

function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The texts and numbers in a secret input, including all members of an object. */
export function inputSecrets(name: string, value: Json): Secret[] {
  if (typeof value === 'string') return value === '' ? [] : [{ name, value }];
  if (typeof value === 'number') return [{ name, value: String(value) }];
  // What computes with it prints it anew.
  if ((value as Value) instanceof SourceNumber) {
    const { text, value: number } = value as unknown as SourceNumber;
    return [...new Set([text, String(number)])].map((form) => ({ name, value: form }));
  }
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, member]) => inputSecrets(`${name}.${key}`, member));
}

/** Names of secrets that cannot be replaced because they are too short. */
export function tooShort(secrets: readonly Secret[]): string[] {
  const short = secrets.filter(({ value }) => value.length < SHORTEST);
  return [...new Set(short.map(({ name }) => name))];
}

/** Null if there is nothing to replace, so that a run without secrets has no cost. */
export function createRedactor(secrets: readonly Secret[]): Redactor | null {
  const needles = secretForms(secrets);
  if (needles.length === 0) return null;
  const inText = alternatives(needles);
  const inBytes = needles.map((needle) => Buffer.from(needle, 'utf8').toString('latin1'));
  const text = (given: string): string => given.replace(inText, MARK);
  const mask = (given: string): string => given.replace(inText, (secret) => secret.replace(/[^\r\n]/g, '*'));
  const value = (given: Json): Json => redactValue(given, text);
  const stream = (): RedactingStream => redactingStream(inBytes);
  return { text, mask, value, stream, event: (event) => redactEvent(event, value, stream) };
}

/** Every form of every secret, longest first, so that the longer one wins if two begin at the same position. */
export function secretForms(secrets: readonly Secret[]): string[] {
  const forms = new Set<string>();
  for (const { value } of secrets) {
    const parts = [value, ...(value.includes('\n') ? value.split(/\r?\n/) : [])];
    for (const part of parts.filter((candidate) => candidate.length >= SHORTEST)) {
      const escaped = inJson(part);
      // JSON inside JSON is common, for example if a command logs the body of its request.
      forms.add(part).add(escaped).add(asciiOnly(escaped)).add(inJson(escaped));
    }
  }
  return [...forms].sort((a, b) => b.length - a.length);
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** JSON with non-ASCII characters escaped, as many programs print it. */
function asciiOnly(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function alternatives(needles: readonly string[]): RegExp {
  return new RegExp(needles.map(escapeRegExp).join('|'), 'g');
}

/** The text as a pattern that matches only it. */
export function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function redactValue(value: Json, text: (given: string) => string): Json {
  if (typeof value === 'string') return text(value);
  if (typeof value === 'number') {
    const printed = String(value);
    return text(printed) === printed ? value : MARK;
  }
  if ((value as Value) instanceof SourceNumber) {
    const { text: printed } = value as unknown as SourceNumber;
    return text(printed) === printed ? value : MARK;
  }
  if ((value as Value) instanceof Version) return text((value as unknown as Version).text);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, text));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([key, item]) => [text(key), redactValue(item, text)] as const);
  return Object.fromEntries(entries);
}

/** Members with a fixed meaning stay as they are: a secret `effect_settled` must not break the journal. */
const fixedMembers = new Set(['type', 'kind', 'effect', 'digest', 'version', 'by', 'scope']);
/** Numbers come from the engine, as positions and times do, except in these members. */
const valueMembers = new Set(['value', 'payload']);
/** Members whose JSON text may be in `printed`: one value, or values by name. */
const printedMembers = ['value', 'payload', 'args', 'inputs', 'with', 'fields'] as const;

/** A value and its JSON text, as they are recorded. */
interface RecordedValue<T> {
  readonly value: T;
  readonly printed?: string;
}

/** A value with secrets replaced. Its text decides, so that both always have the same marks. */
export function redactWritten<T extends Json>(
  value: T,
  printed: string | undefined,
  clean: (given: Json) => Json,
): RecordedValue<T> {
  if (printed === undefined) return { value: clean(value) as T };
  const whole = clean(decode(printed) as Json) as Value;
  return { value: plain(whole) as T, ...omitUndefined({ printed: printedForm(whole) }) };
}

/** The same for values by name. Names stay, even one that equals a secret. */
export function redactNamed(
  values: JsonObject,
  printed: Printed | undefined,
  clean: (given: Json) => Json,
): RedactedValues {
  return textsOf(Object.entries(wholeOf(values, printed)).map(([name, value]) => [name, clean(value)]));
}

interface RedactedValues {
  readonly values: Record<string, Json>;
  readonly printed?: Printed;
}

/** Values with their numbers as they were written. */
export function wholeOf(values: JsonObject, printed: Printed = {}): JsonObject {
  const texts = Object.entries(printed).map(([name, text]) => [name, decode(text) as Json]);
  return { ...values, ...Object.fromEntries(texts) };
}

function textsOf(whole: readonly (readonly [string, Json])[]): RedactedValues {
  const printed = printedForms(
    whole.map(([name]) => name),
    whole.map(([, value]) => value as Value),
  );
  const values = Object.fromEntries(whole.map(([name, value]) => [name, plain(value as Value)]));
  return { values, ...omitUndefined({ printed }) };
}

/** Replaces secrets in the member of a record that has a `printed` next to it, and in that. */
function redactPrinted({ printed, ...others }: JsonObject, clean: (given: Json) => Json): JsonObject {
  const name = printedMembers.find((one) => others[one] !== undefined);
  if (name === undefined) return {};
  const value = others[name] as Json;
  if (typeof printed !== 'string') {
    const texts = textsOf(Object.entries(clean(wholeOf(value as JsonObject, printed as Printed)) as JsonObject));
    return { [name]: texts.values, ...omitUndefined({ printed: texts.printed }) };
  }
  const isList = name === 'args';
  const one = redactWritten(isList ? ((value as readonly Json[])[0] ?? null) : value, printed, clean);
  return { [name]: isList ? [one.value] : one.value, ...omitUndefined({ printed: one.printed }) };
}

/** The failure of a run: texts, and the values of a FAIL. */
export function redactError(error: RunError, clean: (given: Json) => Json): RunError {
  const { printed, ...others } = error;
  const { message, tool, with: values } = others;
  const texts = values === undefined ? undefined : redactNamed(values, printed, clean);
  return {
    ...others,
    message: clean(message) as string,
    tool: clean(tool) as string | null,
    ...omitUndefined({ with: texts?.values, printed: texts?.printed }),
  };
}

function redactEvent(event: RunEvent, value: (given: Json) => Json, stream: () => RedactingStream): RunEvent {
  const record = event as unknown as JsonObject;
  const together = record.printed === undefined ? {} : redactPrinted(record, value);
  const members = Object.entries(event).flatMap(([name, member]): (readonly [string, unknown])[] => {
    if (name === 'printed' || Object.hasOwn(together, name)) {
      const one = together[name];
      return one === undefined ? [] : [[name, one]];
    }
    if (name === 'outcome') return [[name, redactOutcome(member as Outcome, value, stream)]];
    if (name === 'error' && event.type === 'run_failed') return [[name, redactError(event.error, value)]];
    if (fixedMembers.has(name) || (typeof member === 'number' && !valueMembers.has(name))) return [[name, member]];
    return [[name, value(member as Json)]];
  });
  return Object.fromEntries(members) as unknown as RunEvent;
}

function redactOutcome(outcome: Outcome, value: (given: Json) => Json, stream: () => RedactingStream): Outcome {
  switch (outcome.kind) {
    case 'exited':
    case 'timed-out':
      return {
        ...outcome,
        stdout: redactOutput(outcome.stdout, value, stream),
        stderr: value(outcome.stderr) as string,
        ...redactAgentFacts(outcome, value, stream),
        ...('silent' in outcome && outcome.silent !== undefined
          ? { silent: { heard: value(outcome.silent.heard) as string } }
          : {}),
      };
    case 'value': {
      const { printed, ...others } = outcome;
      return { ...others, ...redactWritten(outcome.value, printed, value) };
    }
    case 'changed':
      return { ...outcome, stdout: redactOutput(outcome.stdout, value, stream) };
    case 'not-started':
      return {
        ...outcome,
        reason: value(outcome.reason) as string,
        ...redactAgentFacts({ unavailable: outcome.unavailable }, value, stream),
      };
    case 'failed':
      return { ...outcome, message: value(outcome.message) as string };
    default:
      return unreachable(outcome);
  }
}

/** An agent's description of itself may repeat what it says. */
function redactAgentFacts(
  { session_id: sessionId, transcript, guard, unavailable }: AgentFacts,
  value: (given: Json) => Json,
  stream: () => RedactingStream,
): AgentFacts {
  return omitUndefined({
    session_id: sessionId === undefined ? undefined : (value(sessionId) as string),
    transcript: transcript === undefined ? undefined : redactOutput(transcript, value, stream),
    guard: guard === undefined ? undefined : { ...guard, message: value(guard.message) as string },
    unavailable:
      unavailable === undefined ? undefined : { ...unavailable, message: value(unavailable.message) as string },
  });
}

function redactOutput(output: Output, value: (given: Json) => Json, stream: () => RedactingStream): Output {
  const changed: { text?: string; tail?: string; base64?: string } = {};
  if (output.text !== undefined) changed.text = value(output.text) as string;
  if (output.tail !== undefined) changed.tail = value(output.tail) as string;
  if (output.base64 !== undefined) {
    const bytes = stream();
    const rest = bytes.push(Buffer.from(output.base64, 'base64'));
    changed.base64 = Buffer.concat([rest, bytes.end()]).toString('base64');
  }
  return { ...output, ...changed };
}

/** Works on one character per byte, so that a secret is found among any bytes. */
function redactingStream(needles: readonly string[]): RedactingStream {
  const pattern = alternatives([...needles].sort((a, b) => b.length - a.length));
  const longest = needles.reduce((length, needle) => Math.max(length, needle.length), 0);
  let held = '';
  let replaced = false;
  const pass = (until: number): Buffer => {
    let out = '';
    let from = 0;
    pattern.lastIndex = 0;
    // A match may extend beyond `until`: it is replaced as a whole, and the rest begins after it.
    for (let match = pattern.exec(held); match !== null && match.index < until; match = pattern.exec(held)) {
      out += held.slice(from, match.index) + MARK;
      from = match.index + match[0].length;
      replaced = true;
    }
    const end = Math.max(from, until);
    out += held.slice(from, end);
    held = held.slice(end);
    return Buffer.from(out, 'latin1');
  };
  return {
    push(bytes) {
      // The part held back is shorter than the longest secret, so this text stays as small as the pieces.
      held += bytes.toString('latin1');
      return pass(beginningAt(held, needles, longest));
    },
    end: () => pass(held.length),
    get replaced() {
      return replaced;
    },
  };
}

/** The first position near the end of a text from which it could continue to a needle; otherwise its length. */
function beginningAt(text: string, needles: readonly string[], longest: number): number {
  let first = text.length;
  // Only the end can continue: a part that is longer than every secret cannot be the beginning of one.
  const window = Math.max(0, text.length - longest + 1);
  for (const needle of needles) {
    const start = needle.charAt(0);
    let at = text.indexOf(start, Math.max(window, text.length - needle.length + 1));
    while (at >= 0 && at < first) {
      if (needle.startsWith(text.slice(at))) first = at;
      at = text.indexOf(start, at + 1);
    }
  }
  return first;
}
