/**
 * One line for each event a reader of a run cares about. Requests and settlements are left out: which of two parallel
 * commands ends first is not a property of a program.
 */
import type { RunEvent } from '../../src/interpreter/events/event.js';

/** A text as it is where it is one plain word, else as JSON. */
function shown(value: unknown): string {
  return typeof value === 'string' && /^[\w./:+-]+$/.test(value) && !/^(true|false|null|[\d.-]+)$/.test(value)
    ? value
    : JSON.stringify(value);
}

function pairs(fields: Readonly<Record<string, unknown>>, printed: Readonly<Record<string, string>> = {}): string {
  return Object.entries(fields)
    .map(([name, value]) => ` ${name}=${Object.hasOwn(printed, name) ? printed[name] : shown(value)}`)
    .join('');
}

/** The line of an event, or null when it is not shown. */
export function eventLine(event: RunEvent): string | null {
  switch (event.type) {
    case 'state_entered':
      return `STATE ${event.state}${event.with === undefined ? '' : pairs(event.with)}`;
    case 'emitted':
      if (event.event === null) return `EMIT ${JSON.stringify(event.message)}`;
      return `${event.by === 'engine' ? 'ENGINE' : 'EMIT'} ${event.event}${pairs(event.fields, event.printed)}`;
    case 'warned':
      return `WARN ${event.message}`;
    case 'effect_retried':
      return `${event.until_ms === undefined ? 'RETRY' : 'PUT OFF'} ${event.error}`;
    case 'asked':
      return `ASK ${event.name} ${JSON.stringify(event.question)}${event.show === undefined ? '' : ` shows ${JSON.stringify(event.show)}`}`;
    case 'answered':
      return `ANSWER ${event.name}=${shown(event.value)}`;
    case 'signal_received':
      return `SIGNAL ${event.name} ${JSON.stringify(event.payload)}`;
    case 'step_started':
      return `STEP ${event.step} ${event.attempt}${event.agent === null ? '' : ` ${event.agent}`}`;
    case 'gate_result':
      return `GATE ${event.step} ${event.gate} ${event.pass ? 'pass' : `fail: ${event.message ?? ''}`}`;
    case 'retry_triggered':
      return `RETRY ${event.step} ${event.attempt} ${JSON.stringify(event.matched)} ${JSON.stringify(event.overrides)}`;
    case 'step_completed':
      return `DONE ${event.step} ${event.status} ${event.attempt} ${event.cost}`;
    case 'budget_exceeded':
      return `EXCEEDED ${event.scope} ${event.limit}`;
    case 'state_set':
      return `WRITE ${event.method === undefined ? '' : `${event.method} `}${event.path}=${shown(event.value)}`;
    case 'run_suspended':
      return `SUSPENDED ${event.waiting.map((one) => `${one.kind} ${one.name ?? one.path ?? ''}`.trim()).join(', ')}`;
    case 'run_interrupted':
      return 'INTERRUPTED';
    case 'run_returned':
      return `RETURN ${event.printed ?? (event.value === null ? '' : shown(event.value))}`.trimEnd();
    case 'run_failed':
      return `FAILED ${event.error.kind}: ${event.error.message}`;
    default:
      return null;
  }
}
