/** Writes the reference page of journal events from the descriptions of their types. */
import { outcomeTable, shapeTable } from '../interpreter/events/event-shapes.js';
import { eventTable, type FieldWords } from '../interpreter/events/event-table.js';

const INTRODUCTION = `# Events

A run is the list of its events. Each line of \`journal.ndjson\` and of \`statedsl run --events\` is one event as a JSON
object. Every event has these fields in addition to its own:

| Field | Type | Meaning |
|---|---|---|
| \`seq\` | number | 1, 2, 3, … without gaps |
| \`ts\` | text | the time of the recording, ISO 8601 in UTC |
| \`type\` | text | the type of the event |
| \`crc\` | text | always the last field: CRC-32 of the bytes of the line before \`,"crc"\`, eight hexadecimal digits |

Fields in *italics* are optional.
`;

/** The page as Markdown. */
export function printEventPage(): string {
  const events = Object.entries(eventTable).map(([type, { means, fields }]) => section(type, means, fields));
  const outcomes = Object.entries(outcomeTable).map(
    ([kind, { means, fields }]) => `\`kind\` is \`${kind}\`: ${means}.\n\n${table(fields)}`,
  );
  const shapes = Object.entries(shapeTable).map(([name, fields]) => `### ${name}\n\n${table(fields)}`);
  return [INTRODUCTION, ...events, '## Objects in events\n', '### outcome\n', ...outcomes, ...shapes].join('\n');
}

function section(type: string, means: string, fields: Readonly<Record<string, FieldWords>>): string {
  return `## \`${type}\`\n\n${means}\n\n${table(fields)}`;
}

function table(fields: Readonly<Record<string, FieldWords>>): string {
  const rows = Object.entries(fields).map(([name, { type, means, optional }]) => {
    const shown = optional ? `*\`${name}\`*` : `\`${name}\``;
    return `| ${shown} | ${linkShapes(type)} | ${means} |\n`;
  });
  return `| Field | Type | Meaning |\n|---|---|---|\n${rows.join('')}`;
}

/** Turns `[outcome]` into a link to the description of that object. */
function linkShapes(type: string): string {
  return type.replace(/\[(\w+)\]/, '[$1](#$1)');
}
