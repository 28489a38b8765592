/** A run as the text of a snapshot: states, requests with their values, and events of the author; never a time or an id. */
import type { RunEvent } from '../interpreter/events/event.js';
import type { Json } from '../machine/expression.js';

export function snapshotText(events: readonly RunEvent[]): string {
  return events
    .flatMap((event) => lineOf(event) ?? [])
    .join('\n')
    .replaceAll('\r\n', '\n');
}

function lineOf(event: RunEvent): string | null {
  switch (event.type) {
    case 'state_entered':
      return `→ ${event.state}${fields(event.with ?? {}, ' with ', event.printed)}`;
    case 'effect_requested': {
      if (['clock', 'uuid', 'random', 'timer'].includes(event.kind)) return null;
      const args =
        event.args === undefined || event.args.length === 0
          ? ''
          : ` ${event.printed === undefined ? JSON.stringify(event.args) : `[${event.printed}]`}`;
      const prompt = event.prompt === undefined ? '' : markLines(`\n${event.prompt}`);
      return `  ${event.kind === 'agent' ? '@' : '$'} ${markLines(event.text)}${args}${prompt}`;
    }
    case 'emitted':
      if (event.by !== 'author') return null;
      return `EMIT ${event.event ?? ''}${fields(event.fields, ' ', event.printed)}${event.message === null ? '' : ` ${markLines(event.message)}`}`;
    case 'asked':
      return `  ? ${markLines(event.question)}`;
    case 'run_returned':
      return `RETURN ${event.printed ?? JSON.stringify(event.value)}`;
    case 'run_failed':
      return `FAILED ${event.error.kind}: ${markLines(event.error.message)}`;
    default:
      return null;
  }
}

/** Further lines are marked, so none looks like a heading of the file. */
const markLines = (text: string): string => text.replaceAll('\n', '\n    | ');

function fields(
  record: Readonly<Record<string, Json>>,
  before: string,
  printed: Readonly<Record<string, string>> = {},
): string {
  const parts = Object.entries(record).map(
    ([name, value]) => `${name}=${Object.hasOwn(printed, name) ? printed[name] : JSON.stringify(value)}`,
  );
  return parts.length === 0 ? '' : before + parts.join(' ');
}
