/**
 * Decodes an outcome: the value that DO or CHECK binds, or the failure. The runtime only reports what happened. Accepted
 * exit codes, JSON, and what counts as empty output are decided here.
 */
import type { Json } from '../machine/expression.js';
import type { Decoding } from '../machine/machine.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import { unreachable } from '../prelude/unreachable.js';
import { utf8Length } from '../prelude/utf8-length.js';
import { readAgentOutput } from './agents/agent-output.js';
import type { BrokenGuard, ExitedOutcome, Outcome, Output, PipeMember } from './events/event.js';
import { excerpt, RuntimeFailure } from './failure.js';
import { base64Bytes } from './values/functions.js';
import { fromRecord, printJson, readJson } from './values/json.js';
import { deeperThan, MAX_DEPTH, Unreadable, type Value } from './values/value.js';

/** How an instruction decodes outcomes. */
export interface DecodeOptions {
  readonly decoding: Decoding;
  readonly ok: readonly number[] | 'any';
  readonly tool: string | null;
  readonly agent: boolean;
  /** The name that a CHECK binds, and its line. */
  readonly bound?: { readonly name: string; readonly line: number };
}

export interface DecodedOutcome {
  /** undefined if nothing is bound. */
  readonly value: Value | undefined;
  readonly exit: number | null;
  /** The input of a following `DO: |`. */
  readonly output: Output;
  /** Whether the text had bytes that are not UTF-8. */
  readonly lossy: boolean;
}

/** In the largest unit that divides it: `90s`, `2m`, `1500ms`. */
export function durationText(ms: number): string {
  for (const [unit, size] of [
    ['h', 3_600_000],
    ['m', 60_000],
  ] as const)
    if (ms >= size && ms % size === 0) return `${ms / size}${unit}`;
  return ms >= 1000 ? `${ms / 1000}s` : `${ms}ms`;
}

/** The last line that is not blank, or null. Only the end is searched, because output may be one huge line. */
function lastLine(text: string | undefined): string | null {
  if (text === undefined) return null;
  const end = text.slice(-8192).trimEnd();
  const line = end.slice(end.lastIndexOf('\n') + 1).trim();
  return line === '' ? null : line.slice(-2000);
}

/** The end of stdout as text, or all of it if it is short. */
function endOf({ text, base64, tail }: Output): string | undefined {
  if (text !== undefined || base64 === undefined) return text ?? tail;
  return new TextDecoder().decode(base64Bytes(base64) ?? new Uint8Array());
}

function agentError(text: string, tool: string | null, exit: number | null): RuntimeFailure {
  return new RuntimeFailure('tool_failure', lastLine(text) ?? 'the agent reported an error', tool, exit);
}

/** A limit of this call alone, which the program can handle. */
function guardFailure({ name, message }: BrokenGuard, tool: string | null, exit: number | null): RuntimeFailure {
  return new RuntimeFailure('limit', `stopped by \`${name}\`: ${message}`, tool, exit);
}

function exitFailure(outcome: ExitedOutcome, { agent, tool }: DecodeOptions): RuntimeFailure {
  if (outcome.is_error) return agentError(endOf(outcome.stdout) ?? '', tool, outcome.exit);
  const report = agent && outcome.stdout.text !== undefined ? readAgentOutput(outcome.stdout.text) : null;
  if (report?.failed) return agentError(report.text, tool, outcome.exit);
  const said = lastLine(outcome.stderr) ?? lastLine(endOf(outcome.stdout)) ?? exitWords(outcome);
  const { exit, pipe } = outcome;
  if (pipe === undefined) return new RuntimeFailure('tool_failure', said, tool, exit);
  return new RuntimeFailure('tool_failure', `${said}; ${pipeWords(pipe)}`, blamedProgram(pipe, exit) ?? tool, exit);
}

/** How a process ended. */
export function exitWords({ exit, signal }: ExitedOutcome): string {
  return exit === null ? `killed by ${signal ?? 'a signal'}` : `exit ${exit}`;
}

/** Which members of a pipe failed, as a clause. */
export function pipeWords(pipe: readonly PipeMember[]): string {
  const failed = pipe.flatMap(({ program, exit }, at) => {
    if (exit === 0) return [];
    const what = program === null ? `member ${at + 1}` : `\`${program}\``;
    const which = program === null ? ` of ${pipe.length}` : `, member ${at + 1} of ${pipe.length},`;
    return [`${what}${which} ended with exit code ${exit}`];
  });
  return `in the pipe, ${failed.join(', and ')}`;
}

/** The program of the first member that ended with the exit code of its pipe: what follows it may have failed only for that. */
function blamedProgram(pipe: readonly PipeMember[], exit: number | null): string | null {
  return pipe.find((member) => member.exit === exit)?.program ?? null;
}

/** The text of stdout; absent if it is larger than a value may be. */
function textOf(output: Output, tool: string | null, exit: number | null): string {
  if (output.text !== undefined) return output.text;
  if (output.base64 !== undefined) return new TextDecoder().decode(base64Bytes(output.base64) ?? new Uint8Array());
  if (output.bytes === 0) return '';
  const most = output.unbound === true ? '4 MiB of JSON on an engine' : '16 MiB';
  const message = `the output has ${output.bytes} bytes, but a value can have at most ${most}; pass it on with \`DO: |\` or a file`;
  throw new RuntimeFailure('value_too_large', message, tool, exit);
}

const withoutFinalNewline = (text: string): string => (text.endsWith('\n') ? text.slice(0, -1) : text);

/** Unlike `[1/3] building`. */
const BEGINS_AS_JSON = /^\s*(?:\{\s*"|\[\s*["{[])/;

/** Whether a line is a JSON object or list with a mistake, or without its end. A value with words after it is text. */
function isBrokenJson(line: string): boolean {
  if (!BEGINS_AS_JSON.test(line)) return false;
  let depth = 0;
  let inText = false;
  for (let at = 0; at < line.length; at++) {
    const unit = line[at];
    if (inText && unit === '\\') at++;
    else if (unit === '"') inText = !inText;
    else if (!inText && (unit === '{' || unit === '[')) depth++;
    else if (!inText && (unit === '}' || unit === ']') && --depth === 0) return line.slice(at + 1).trim() === '';
  }
  return true;
}

/** What both streams hold; linters and compilers write to either. */
function withErrors(text: string, errors: string): string {
  if (errors === '') return text;
  return `${text === '' ? '' : `${text}\n\n`}On standard error:\n${errors}`;
}

function readText(text: string, how: DecodeOptions, outcome: ExitedOutcome): Value {
  if (how.decoding === 'text') return withoutFinalNewline(text);
  if (how.decoding === 'both') return withErrors(withoutFinalNewline(text), outcome.stderr.trimEnd());
  const check = how.decoding !== 'do';
  const start = text.trimStart()[0];
  if (check && start === undefined) return unreadableOutput(text, how, outcome);
  if (check || start === '{' || start === '[') {
    const read = readJson(text);
    if (read.ok) return read.value;
    if (read.why === 'too-deep') {
      const message = `the output is nested deeper than ${MAX_DEPTH} levels`;
      throw new RuntimeFailure('bad_value', message, how.tool, outcome.exit);
    }
  }
  const line = withoutFinalNewline(text);
  switch (how.decoding) {
    case 'do':
    case 'capture':
    case 'none':
      return line;
    case 'check-named':
      return line.includes('\n') || isBrokenJson(line) ? unreadableOutput(text, how, outcome) : line;
    case 'check':
      return unreadableOutput(text, how, outcome);
    default:
      return unreachable(how.decoding);
  }
}

/** The output of a CHECK that is not an answer. If it is empty, the last line on stderr usually says why. */
function unreadableOutput(
  text: string,
  { tool, bound }: DecodeOptions,
  { exit, stderr, pipe }: ExitedOutcome,
): Unreadable {
  const shown = excerpt(text);
  const isSeveral = withoutFinalNewline(text).includes('\n') && !BEGINS_AS_JSON.test(text);
  const reason = shown === '' ? lastLine(stderr) : `\`${shown}\``;
  const what = shown === '' ? 'nothing' : isSeveral ? 'several lines that are not JSON' : 'something that is not JSON';
  const code = typeof exit === 'number' && exit !== 0 ? ` with exit code ${exit}` : '';
  const which = pipe === undefined ? '' : ` (${pipeWords(pipe)})`;
  const printed = `printed ${what}${code}${which}${reason === null ? '' : `: ${reason}`}`;
  return new Unreadable({ name: '', line: 0, ...bound, printed, nothing: shown === '', tool, exit });
}

function isAccepted(outcome: ExitedOutcome, ok: DecodeOptions['ok']): boolean {
  if (outcome.exit === null) return false;
  return ok === 'any' || ok.includes(outcome.exit);
}

function readExited(outcome: ExitedOutcome, how: DecodeOptions): DecodedOutcome {
  const { stdout, exit } = outcome;
  if (outcome.guard !== undefined) throw guardFailure(outcome.guard, how.tool, exit);
  if (outcome.unavailable !== undefined) throw agentError(outcome.unavailable.message, how.tool, exit);
  if (!isAccepted(outcome, how.ok) || outcome.is_error) throw exitFailure(outcome, how);
  const bound = how.decoding !== 'none';
  if (how.agent && outcome.is_error === undefined && (bound || stdout.text !== undefined)) {
    const report = readAgentOutput(textOf(stdout, how.tool, exit));
    if (report.failed) throw agentError(report.text, how.tool, exit);
    const output = { text: report.text, bytes: utf8Length(report.text) };
    return {
      value: bound ? readText(report.text, how, outcome) : undefined,
      exit,
      output,
      lossy: stdout.lossy === true,
    };
  }
  if (!bound) return { value: undefined, exit, output: compactOutput(stdout), lossy: false };
  const text = textOf(stdout, how.tool, exit);
  const lossy = stdout.lossy === true || (text.includes('\ufffd') && utf8Length(text) !== stdout.bytes);
  return { value: readText(text, how, outcome), exit, output: compactOutput(stdout), lossy };
}

/** Output as kept for `DO: |`: a large text is only in its artifact. */
export function compactOutput(output: Output): Output {
  if (output.artifact === undefined) return output;
  const { artifact, bytes, cut, unbound } = output;
  return { artifact, bytes, ...omitUndefined({ cut, unbound }) };
}

function readValue(value: Json, how: DecodeOptions): DecodedOutcome {
  if (deeperThan(value as Value, MAX_DEPTH))
    throw new RuntimeFailure('bad_value', `the value is nested deeper than ${MAX_DEPTH} levels`, how.tool);
  const text = typeof value === 'string' ? value : value === null ? '' : printJson(value as Value);
  return { value: value as Value, exit: 0, output: { text, bytes: utf8Length(text) }, lossy: false };
}

/** Why a call ran out of time, as a clause. */
export function timeoutWords({ timeout_ms: ms, silent }: Extract<Outcome, { kind: 'timed-out' }>): string {
  if (silent === undefined) return `timed out after ${durationText(ms)}`;
  const heard = silent.heard === '' ? 'it had said nothing' : `last heard: ${silent.heard}`;
  return `silent for ${durationText(ms)}; ${heard}`;
}

/** The decoded outcome, or the failure that it is. */
export function decodeOutcome(outcome: Outcome, how: DecodeOptions): DecodedOutcome {
  switch (outcome.kind) {
    case 'exited':
      return readExited(outcome, how);
    case 'value':
      return readValue(fromRecord(outcome.value, outcome.printed), how);
    case 'changed':
      return { value: undefined, exit: 0, output: compactOutput(outcome.stdout), lossy: false };
    case 'timed-out':
      throw new RuntimeFailure('timeout', timeoutWords(outcome), how.tool);
    case 'not-started':
      throw new RuntimeFailure(outcome.error_type ?? 'tool_failure', outcome.reason, how.tool);
    case 'failed':
      throw new RuntimeFailure(outcome.error_type ?? 'tool_failure', outcome.message, how.tool, outcome.exit ?? null);
    default:
      return unreachable(outcome);
  }
}
