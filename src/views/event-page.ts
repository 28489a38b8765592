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
| \`chain\` | text | in some lines of a journal: [the hash of the lines before](runs.md#whether-a-record-was-changed) |
| \`crc\` | text | always the last field: CRC-32 of the bytes of the line before \`,"crc"\`, eight hexadecimal digits |

Fields in *italics* are optional.
`;

/** The page as Markdown. */
export function printEventPage(): string {
  const events = Object.entries(eventTable).map(([type, { means, fields }]) => section(type, means, fields));
  const shapes = Object.entries(shapeTable).map(([name, fields]) => `### ${name}\n\n${table(fields)}`);
  return [INTRODUCTION, ...events, '## Objects in events\n', outcomeSection(), ...shapes].join('\n');
}

function section(type: string, means: string, fields: Readonly<Record<string, FieldWords>>): string {
  return `## \`${type}\`\n${means}\n\n${table(fields)}`;
}

/** Kinds of outcomes share many fields, so one table has the fields of all kinds, each with the kinds that have it. */
function outcomeSection(): string {
  const kindsOf = new Map<string, string[]>();
  for (const [kind, { fields }] of Object.entries(outcomeTable))
    for (const [name, { type, means, optional }] of Object.entries<FieldWords>(fields)) {
      const row = `${fieldName(name, optional)} | ${linkShapes(type)} | ${means}`;
      kindsOf.set(row, [...(kindsOf.get(row) ?? []), `\`${kind}\``]);
    }
  const kinds = Object.entries(outcomeTable).map(([kind, { means }]) => `| \`${kind}\` | ${means} |\n`);
  const fields = [...kindsOf].map(([row, of]) => `| ${row.replace(' | ', ` | ${of.join(', ')} | `)} |\n`);
  return `### outcome

Its \`kind\` says how the effect ended:

| \`kind\` | |
|---|---|
${kinds.join('')}
Its other fields depend on its kind:

| Field | Of kinds | Type | Meaning |
|---|---|---|---|
${fields.join('')}`;
}

function fieldName(name: string, optional: boolean | undefined): string {
  return optional ? `*\`${name}\`*` : `\`${name}\``;
}

function table(fields: Readonly<Record<string, FieldWords>>): string {
  const rows = Object.entries(fields).map(([name, { type, means, optional }]) => {
    return `| ${fieldName(name, optional)} | ${linkShapes(type)} | ${means} |\n`;
  });
  return `| Field | Type | Meaning |\n|---|---|---|\n${rows.join('')}`;
}

/** Turns `[outcome]` into a link to the description of that object. */
function linkShapes(type: string): string {
  return type.replace(/\[(\w+)\]/, '[$1](#$1)');
}
