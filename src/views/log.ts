/**
 * The log of a run: turns events into lines, and knows which effects are running. It prints nothing itself, so that
 * a terminal with live lines and a plain file show the same words. What an effect printed stands under its
 * instruction, cut to a few lines with a pointer to all of it.
 */
import { agentFailed } from '../interpreter/agent-output.js';
import type { EffectKind, Outcome, Output, RunEvent } from '../interpreter/event.js';
import { eventLine } from './event-line.js';
import { isStopped, outcomeWords } from './outcome-words.js';
import type { Paint } from './paint.js';
import { cut, escapeControls, oneLine } from './visible-text.js';

/** Output shown under one instruction. */
const LINES = 20;
const LONGEST_LINE = 1000;
const LONGEST_COMMAND = 300;

export interface LogOptions {
  readonly paint: Paint;
  /** Control sequences are escaped where a terminal would obey them, and left alone in files. */
  readonly terminal: boolean;
  /** Where all output can be read: the folder of the run, as a person would write it; null when there is none. */
  readonly runDirectory: () => string | null;
  /** The first bytes of an artifact as text; null when it cannot be read. */
  readonly head: (artifact: string) => string | null;
}

export interface RunningEffect {
  readonly effect: string;
  readonly text: string;
}

export interface Log {
  /** The lines an event adds, without line ends. */
  lines(event: RunEvent): string[];
  /** What runs at this moment, in the order of starting. */
  running(): RunningEffect[];
}

type Requested = Extract<RunEvent, { type: 'effect_requested' }>;

export function eventLog(options: LogOptions): Log {
  const running = new Map<string, RunningEffect & { readonly kind: EffectKind }>();
  const shown = (text: string): string => (options.terminal ? escapeControls(text) : text);

  function lines(event: RunEvent): string[] {
    if (event.type === 'effect_requested') return requested(event);
    if (event.type === 'effect_settled') return settled(event.effect, event.outcome);
    // Escaping comes before colours, which are control sequences themselves.
    const line = eventLine(options.terminal ? escapeStrings(event) : event, options.paint);
    return line === null ? [] : [line];
  }

  function requested(event: Requested): string[] {
    if (event.kind === 'signal') return [`  ${cut(oneLine(shown(event.text)), LONGEST_COMMAND)}`];
    if (isShown(event.kind)) {
      const text = cut(oneLine(shown(event.text)), LONGEST_COMMAND);
      running.set(event.effect, { effect: event.effect, kind: event.kind, text: mark(event.kind) + text });
    } else if (event.kind === 'timer') {
      running.set(event.effect, { effect: event.effect, kind: event.kind, text: 'waiting' });
    }
    return [];
  }

  function settled(effect: string, outcome: Outcome): string[] {
    const known = running.get(effect);
    running.delete(effect);
    if (known === undefined || known.kind === 'timer') return [];
    const good = isStopped(outcome) || (known.kind === 'agent' ? !agentFailed(outcome) : succeeded(outcome));
    const summary = shown(oneLine(outcomeWords(outcome)));
    const end = good ? options.paint.faint(`(${summary})`) : options.paint.warning(`(${summary})`);
    return [`  ${known.text} ${end}`, ...output(outcome)];
  }

  function output(outcome: Outcome): string[] {
    if (outcome.kind !== 'exited' && outcome.kind !== 'timed-out') return [];
    const printed = [...textLines(stdoutText(outcome.stdout, options.head)), ...textLines(outcome.stderr)];
    const { stdout, stderrArtifact } = outcome;
    const more = (stdout.artifact ?? stderrArtifact) !== undefined || printed.length > LINES;
    const out = printed.slice(0, LINES).map((line) => options.paint.faint(`    ${shown(cut(line, LONGEST_LINE))}`));
    if (more) out.push(options.paint.faint(`    … ${pointer(stdout, stderrArtifact, printed.length - LINES)}`));
    return out;
  }

  function pointer(stdout: Output, stderrArtifact: string | undefined, left: number): string {
    const artifact = stdout.artifact ?? stderrArtifact;
    const file = artifact === undefined ? 'journal.ndjson' : `artifacts/${artifact}`;
    const folder = options.runDirectory();
    const where = folder === null ? '' : `: ${folder}/${file}`;
    if (stdout.artifact !== undefined) return `${stdout.bytes} bytes in all${where}`;
    if (artifact !== undefined) return `all of stderr${where}`;
    return `${left} more ${left === 1 ? 'line' : 'lines'}${where}`;
  }

  return { lines, running: () => [...running.values()] };
}

function succeeded(outcome: Outcome): boolean {
  return outcome.kind === 'value' || (outcome.kind === 'exited' && outcome.exit === 0);
}

/** Effects that a reader of the log follows; the others are the engine's own housekeeping. */
function isShown(kind: EffectKind): boolean {
  return kind === 'shell' || kind === 'argv' || kind === 'function' || kind === 'agent' || kind === 'tool';
}

function mark(kind: EffectKind): string {
  return kind === 'agent' ? '' : '$ ';
}

function stdoutText(stdout: Output, head: LogOptions['head']): string {
  if (stdout.text !== undefined) return stdout.text;
  if (stdout.artifact !== undefined) return head(stdout.artifact) ?? '';
  return stdout.bytes === 0 ? '' : `(${stdout.bytes} bytes that are not text)`;
}

/** The lines of a text, as few as are needed to know that there are too many. */
function textLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines[lines.length - 1] === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

/** The event with the control characters of its texts escaped. */
function escapeStrings(event: RunEvent): RunEvent {
  return escapeIn(event) as RunEvent;
}

function escapeIn(value: unknown): unknown {
  if (typeof value === 'string') return escapeControls(value);
  if (Array.isArray(value)) return value.map(escapeIn);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [escapeControls(name), escapeIn(inner)]));
}
