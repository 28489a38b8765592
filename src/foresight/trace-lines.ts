/** A trace as lines for people: the states in the order of their entries, what was asked for, and what came of it. */
import type { RunEvent } from '../interpreter/events/event.js';
import type { Trace, TraceStep } from './trace.js';
import { replaceMarks } from './unknown/knowledge.js';
import type { Happening, RequestFacts } from './way.js';

/** `cycle`: how many steps at the end of each round repeat. */
export function traceLines({ steps, inputs }: Trace, cycle: number, rounds: number): string[] {
  const given = Object.entries(inputs).map(([name, value]) => `${name}=${short(JSON.stringify(value))}`);
  const lines = given.length === 0 ? [] : [`with ${given.join(', ')}`];
  const repeats = cycle > 0 && rounds > 0 ? steps.length - cycle * rounds : steps.length;
  steps.slice(0, repeats + cycle).forEach((step, at) => {
    if (cycle > 0 && at === repeats) lines.push('again and again:');
    lines.push(...stepLines(step).map((line) => (cycle > 0 && at >= repeats ? `  ${line}` : line)));
  });
  return lines;
}

function stepLines({ request, label, happening, decisions, events }: TraceStep): string[] {
  const lines: string[] = [];
  if (request !== null && !isInstant(request, label)) {
    const where = request.line > 0 ? `line ${request.line} ` : '';
    lines.push(`  ${where}${short(nameOf(request))} → ${outcomeText(label, happening)}`);
  }
  for (const decision of decisions) lines.push(`    ${readable(decision)}`);
  for (const event of events) lines.push(...eventLines(event));
  return lines;
}

const isInstant = ({ kind }: RequestFacts, label: string): boolean =>
  kind === 'worktree' || ((kind === 'clock' || kind === 'uuid' || kind === 'random') && label === '');

function nameOf({ kind, text }: RequestFacts): string {
  switch (kind) {
    case 'ask':
      return `ASK ${text}`;
    case 'signal':
      return `signal ${text}`;
    case 'timer':
    case 'clock':
      return 'WAIT';
    default:
      return text;
  }
}

function outcomeText(label: string, happening: Happening | null): string {
  const value = valueText(happening);
  if (label === '') return value ?? 'ends';
  return value === null || label.includes(value) ? label : `${label}: ${value}`;
}

function valueText(happening: Happening | null): string | null {
  if (happening === null) return null;
  if (happening.kind !== 'outcome') return short(JSON.stringify(happening.value));
  const { outcome } = happening;
  switch (outcome.kind) {
    case 'exited': {
      const exit = outcome.exit === 0 ? '' : `exit ${String(outcome.exit)}`;
      const text = outcome.stdout.text ?? '';
      const printed = text === '' ? '' : text.startsWith('"') ? short(text) : short(JSON.stringify(text));
      return [exit, printed].filter((part) => part !== '').join(' ') || null;
    }
    case 'value':
      return typeof outcome.value === 'number' && outcome.value > 1e12 ? null : short(JSON.stringify(outcome.value));
    default:
      return null;
  }
}

function eventLines(event: RunEvent): string[] {
  switch (event.type) {
    case 'state_entered':
      return [event.state];
    case 'emitted':
      return event.event === null || (event.by === 'engine' && event.event !== 'TOOL_FAILURE')
        ? []
        : [`  EMIT ${event.event}`];
    case 'gate_result':
      return [`  gate ${event.gate} ${event.pass ? 'passes' : 'does not pass'}`];
    case 'run_returned':
      return [`  returned ${short(JSON.stringify(event.value))}`];
    case 'run_failed':
      return [`  failed ${event.error.kind}: ${short(readable(event.error.message))}`];
    default:
      return [];
  }
}

const readable = (text: string): string => replaceMarks(text, () => '…');

function short(text: string): string {
  const line = readable(text).replaceAll(/\s+/g, ' ');
  return line.length > 70 ? `${line.slice(0, 70)}…` : line;
}
