/**
 * The log of a run: turns events into lines, and keeps track of the running effects. It prints nothing itself, so that
 * a terminal with live lines and a plain file show the same words. The output of an effect is shown under its
 * instruction, cut to a few lines with a pointer to the rest.
 */
import { agentFailed } from '../../interpreter/agents/agent-output.js';
import type { EffectKind, Outcome, Output, RunEvent } from '../../interpreter/events/event.js';
import type { Requested } from '../../runtime/record/record-facts.js';
import { dollars } from '../drawing/amounts.js';
import type { Paint } from '../drawing/paint.js';
import { cut, escapeControls, oneLine } from '../drawing/visible-text.js';
import { eventLine } from './event-line.js';
import { isStopped, outcomeWords } from './outcome-words.js';
import { commandLine } from './started-command.js';

/** Output shown under one instruction. */
const LINES = 20;
const LONGEST_LINE = 1000;
const LONGEST_COMMAND = 300;

interface LogOptions {
  readonly paint: Paint;
  /** Control sequences are escaped for a terminal, which would obey them, and kept in files. */
  readonly terminal: boolean;
  /** The command that prints the full output of an effect; null if nothing stores it. */
  readonly outputOf: (effect: string, stderr: boolean) => string | null;
  /** The first bytes of an artifact as text; null when it cannot be read. */
  readonly head: (artifact: string) => string | null;
  /** The program has no states, so the log shows none. */
  readonly stateless?: boolean;
  /** Instructions are also shown as they are written, without their values. */
  readonly verbose?: boolean;
}

interface RunningEffect {
  readonly effect: string;
  readonly text: string;
}

export interface Log {
  /** The lines an event adds, without line ends. */
  lines(event: RunEvent): string[];
  /** The line for what a person should know about a running effect; null if the log does not show it. */
  notice(effect: string, text: string): string | null;
  /** The effects that are running, in the order of their start. */
  running(): RunningEffect[];
}

interface Running extends RunningEffect {
  readonly kind: EffectKind;
  /** Its title after it has ended, and the step that contains it. */
  readonly done: string;
  /** The instruction as written, if it contains values. */
  readonly written: string | null;
  readonly step: string | undefined;
}

export function eventLog(options: LogOptions): Log {
  const running = new Map<string, Running>();
  const toVisible = (text: string): string => (options.terminal ? escapeControls(text) : text);

  const steps = stepLog(toVisible);

  /** A failure without a tool is held back until it is known whether a later event reports it. */
  let unprinted: RunEvent | null = null;

  function lines(event: RunEvent): string[] {
    const before = unprinted;
    unprinted = null;
    if (isToolless(event)) unprinted = event;
    const first = before === null || repeatsFailure(event, before) ? [] : linesOf(before);
    return unprinted === null ? [...first, ...linesOf(event)] : first;
  }

  function linesOf(event: RunEvent): string[] {
    steps.take(event);
    if (event.type === 'effect_requested') return startEffect(event);
    if (event.type === 'effect_settled') return endEffect(event.effect, event.outcome);
    if (event.type === 'state_entered' && options.stateless === true) return [];
    // Escapes first and colors later, because colors are control sequences themselves.
    const line = eventLine(options.terminal ? escapeStrings(event) : event, options.paint);
    return line === null ? [] : [leadOf(event) + line];
  }

  /** Lines of steps are indented under their steps; all others have their own indentation. */
  function leadOf(event: RunEvent): string {
    switch (event.type) {
      case 'step_started':
        return steps.head(event.step);
      case 'gate_result':
        return steps.lead(event.step);
      case 'retry_triggered':
      case 'step_completed':
        return steps.lead(event.step, true);
      case 'emitted':
        return event.step === undefined ? '' : steps.lead(event.step);
      case 'effect_retried': {
        const step = running.get(event.effect)?.step;
        return step === undefined ? '' : steps.lead(step).slice(2);
      }
      default:
        return '';
    }
  }

  function startEffect(event: Requested): string[] {
    if (event.kind === 'signal') return [`  ${cut(oneLine(toVisible(event.text)), LONGEST_COMMAND)}`];
    if (isShown(event.kind)) {
      const { effect, kind, step } = event;
      const made = commandLine(event);
      const text = cut(oneLine(toVisible(made ?? event.text)), LONGEST_COMMAND);
      const written = made === null || made === event.text ? null : oneLine(toVisible(event.text));
      const member = event.member === undefined ? '' : `${event.member.join('/')} `;
      const ofAgent = kind === 'agent' && step !== undefined && event.text === `STEP: ${step}`;
      const taken = event.undo === true ? 'undo: ' : '';
      const done = member + (ofAgent ? `agent ${oneLine(toVisible(event.tool ?? ''))}` : taken + mark(kind) + text);
      const within = step === undefined ? null : steps.describeRunning(step);
      const live = within === null ? done : ofAgent ? within : `${within}: ${done}`;
      running.set(effect, { effect, kind, text: live, done, written, step });
    } else if (event.kind === 'timer') {
      const { effect, kind } = event;
      running.set(effect, { effect, kind, text: 'waiting', done: 'waiting', written: null, step: undefined });
    }
    return [];
  }

  function endEffect(effect: string, outcome: Outcome): string[] {
    const known = running.get(effect);
    running.delete(effect);
    if (known === undefined || known.kind === 'timer') return [];
    const good = isStopped(outcome) || (known.kind === 'agent' ? !agentFailed(outcome) : hasSucceeded(outcome));
    const summary = toVisible(oneLine(outcomeWords(outcome))) + costWords(known.kind, outcome);
    const end = good ? options.paint.faint(`(${summary})`) : options.paint.warning(`(${summary})`);
    const lead = steps.lead(known.step);
    const written =
      options.verbose !== true || known.written === null
        ? []
        : [options.paint.faint(`${lead}  as written: ${known.written}`)];
    return [`${lead}${known.done} ${end}`, ...written, ...output(effect, outcome, `${lead}  `)];
  }

  function output(effect: string, outcome: Outcome, lead: string): string[] {
    if (outcome.kind !== 'exited' && outcome.kind !== 'timed-out') return [];
    const printed = [...textLines(stdoutText(outcome.stdout, options.head)), ...textLines(outcome.stderr)];
    const { stdout, stderr_artifact: stderrArtifact } = outcome;
    const more = (stdout.artifact ?? stderrArtifact) !== undefined || printed.length > LINES;
    const out = printed
      .slice(0, LINES)
      .map((line) => options.paint.faint(`${lead}${toVisible(cut(line, LONGEST_LINE))}`));
    if (more)
      out.push(options.paint.faint(`${lead}… ${pointer(effect, stdout, stderrArtifact, printed.length - LINES)}`));
    return out;
  }

  function pointer(effect: string, stdout: Output, stderrArtifact: string | undefined, left: number): string {
    const ofStderr = stdout.artifact === undefined && stderrArtifact !== undefined;
    const command = options.outputOf(effect, ofStderr);
    const where = command === null ? '' : `: ${command}`;
    if (stdout.artifact !== undefined) return `${stdout.bytes} bytes in total${where}`;
    if (ofStderr) return `all of stderr${where}`;
    return `${left} more ${left === 1 ? 'line' : 'lines'}${where}`;
  }

  function notice(effect: string, text: string): string | null {
    const known = running.get(effect);
    if (known === undefined) return null;
    const words = cut(toVisible(oneLine(text)), LONGEST_LINE);
    return `${steps.lead(known.step)}${known.done} ${options.paint.faint(`(${words})`)}`;
  }

  return { lines, notice, running: () => [...running.values()] };
}

/** A TOOL_FAILURE that no tool caused, such as a failed expression. */
function isToolless(event: RunEvent): boolean {
  return (
    event.type === 'emitted' && event.by === 'engine' && event.event === 'TOOL_FAILURE' && event.fields.tool === null
  );
}

/** Whether the event reports the same failure: the run ends with it, or the state ERROR is entered with it. */
function repeatsFailure(event: RunEvent, failure: RunEvent): boolean {
  const error = failure.type === 'emitted' ? failure.fields.error : null;
  if (event.type === 'run_failed') return event.error.message === error;
  return event.type === 'state_entered' && event.with?.error === error;
}

/** The reported cost of an agent call. */
function costWords(kind: EffectKind, outcome: Outcome): string {
  if (kind !== 'agent' || (outcome.kind !== 'exited' && outcome.kind !== 'timed-out')) return '';
  return typeof outcome.cost === 'number' && outcome.cost > 0 ? `, ${dollars(outcome.cost)}` : '';
}

function hasSucceeded(outcome: Outcome): boolean {
  return outcome.kind === 'value' || (outcome.kind === 'exited' && outcome.exit === 0);
}

/** Effects that interest a reader of the log. The others are internal to the engine. */
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

/** The lines of a text. A line feed at the end does not begin another line. */
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

interface OpenStep {
  readonly path: string;
  attempt: number;
  agent: string | null;
}

interface StepLog {
  /** Updates the open steps. Call it before drawing the lines of the event. */
  take(event: RunEvent): void;
  /** The prefix of a line that belongs to a step. `named`: the line itself names the step. */
  lead(path: string | undefined, named?: boolean): string;
  /** The prefix of the line that starts a step. */
  head(path: string): string;
  /** The agent and the attempt of an open step, for a line that shows it while it runs. */
  describeRunning(path: string): string | null;
}

/**
 * Keeps track of the open steps, so that log lines are indented under their step. Indentation cannot separate steps
 * that run in parallel: each of their lines names its step, even after the others have ended.
 */
function stepLog(toVisible: (text: string) => string): StepLog {
  const open = new Map<string, OpenStep>();
  /** Steps that were open in parallel with others. */
  const concurrent = new Set<string>();

  /** The open steps that contain the step. */
  const countAround = (path: string): number => [...open.keys()].filter((other) => isBelow(path, other)).length;

  function begin(path: string, attempt: number, agent: string | null): void {
    for (const other of open.keys()) {
      if (other === path || isBelow(path, other) || isBelow(other, path)) continue;
      concurrent.add(other);
      concurrent.add(path);
    }
    open.set(path, { path, attempt, agent });
  }

  const isConcurrent = (path: string): boolean =>
    [...concurrent].some((other) => other === path || isBelow(path, other));

  return {
    take(event) {
      if (open.size === 0) concurrent.clear();
      if (event.type === 'state_entered') open.clear();
      if (event.type === 'step_started') begin(event.step, event.attempt, event.agent);
      // A retry that begins with an earlier step leaves this one until it starts again.
      const isLeft = event.type === 'retry_triggered' && event.overrides.restart_from !== undefined;
      if (event.type === 'step_completed' || isLeft) open.delete(event.step);
    },
    lead(path, named = false) {
      if (path === undefined) return '  ';
      if (isConcurrent(path)) return named ? '  ' : `  ${toVisible(path)}: `;
      return '  '.repeat(countAround(path) + 1);
    },
    head: (path) => (isConcurrent(path) ? '' : '  '.repeat(countAround(path))),
    describeRunning(path) {
      const step = open.get(path);
      if (step === undefined) return null;
      const { attempt, agent } = step;
      return `${toVisible(path)}${agent === null ? '' : ` ${toVisible(agent)}`}${attempt > 1 ? `, attempt ${attempt}` : ''}`;
    },
  };
}

/**
 * Whether a step is below another: one of its steps, of its tasks, or of a workflow that it runs or that validates it.
 */
function isBelow(path: string, other: string): boolean {
  return (
    path.length > other.length && path.startsWith(other) && (path[other.length] === '/' || path[other.length] === '.')
  );
}
