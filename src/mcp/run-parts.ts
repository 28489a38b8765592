/** The parts of a run that are asked for: each is given in pieces within the budget of an answer. */
import { StringDecoder } from 'node:string_decoder';
import type { CheckedProgram } from '../app/programs.js';
import type { RecordedEvent } from '../app/runs.js';
import { fromRecord, printIndented } from '../interpreter/values/json.js';
import type { Value } from '../interpreter/values/value.js';
import type { Json } from '../machine/expression.js';
import { plain } from '../views/drawing/paint.js';
import { drawReport } from '../views/report/report-text.js';
import type { Door } from './door.js';
import { failedResult, type ToolResult } from './run-view.js';
import { cutText, type ShortMembers } from './short-answer.js';

export type ShownPart = 'events' | 'report' | 'output' | 'graph';

/** Leaves room for what is around it, also if every fourth character has to be escaped. */
const PIECE = 5500;
const LONGEST_EVENT = 1200;

export async function partOfRun(door: Door, run_id: string, part: ShownPart, after: number): Promise<ToolResult> {
  const found = await door.runs.inspect(run_id);
  const status = found.ok ? found.value.status : 'unusable';
  const about = { run_id, status, part };
  switch (part) {
    case 'events':
      return eventsPart(door, about, after);
    case 'report': {
      const report = await door.runs.report({ run: run_id });
      if (!report.ok) return failedResult(report.refusal.message, report.refusal.help);
      return whole(about, drawReport(report.value, plain), after);
    }
    case 'graph': {
      const drawn = await graphOf(door, run_id);
      return typeof drawn === 'string' ? whole(about, drawn, after) : drawn;
    }
    case 'output':
      return outputPart(door, about, after);
  }
}

const whole = (about: ShortMembers, text: string, after: number): ToolResult =>
  piece(about, text.slice(after), after, text.length);

async function graphOf(door: Door, run_id: string): Promise<string | ToolResult> {
  const program = await door.runs.program(run_id);
  if (!program.ok) return failedResult(program.refusal.message, program.refusal.help);
  const { machine, sources } = program.value;
  const checked = {
    name: sources[0]?.name ?? 'program.dsl',
    isValid: true,
    machine,
    machines: [machine],
    inputs: [],
    diagnostics: [],
    sources,
  };
  const drawn = await door.folder.graph(checked as CheckedProgram);
  return drawn.ok ? drawn.value : failedResult(drawn.refusal.message, drawn.refusal.help);
}

/** `text`: what begins at `after` of a text with `total` characters. Both forms of the answer are within the budget. */
function piece(about: ShortMembers, text: string, after: number, total: number): ToolResult {
  let length = Math.min(PIECE, text.length);
  while (JSON.stringify(text.slice(0, length)).length > PIECE + 1500) length = Math.floor(length * 0.8);
  const shown = text.slice(0, length);
  const next = after + length;
  const left = Math.max(0, total - next);
  const facts: ShortMembers = {
    ...about,
    text: shown,
    ...(left === 0 ? {} : { next_after: next, left_out: [`${left} of ${total} characters follow`] }),
  };
  const more = left === 0 ? '' : `\n… ${left} characters follow: \`after: ${next}\``;
  return { content: [{ type: 'text', text: `${shown}${more}` }], structuredContent: facts };
}

async function eventsPart(door: Door, about: ShortMembers, after: number): Promise<ToolResult> {
  const run = String(about.run_id);
  const stream = await door.runs.events(run, after, undefined, 'no');
  if (!stream.ok) return failedResult(stream.refusal.message, stream.refusal.help);
  const events: Json[] = [];
  let size = 0;
  let last = after;
  let isMore = false;
  for await (const event of stream.value) {
    const short = shortEvent(event as RecordedEvent);
    size += JSON.stringify(short).length + 1;
    if (size > PIECE + 1500 && events.length > 0) {
      isMore = true;
      break;
    }
    events.push(short);
    last = event.seq;
  }
  const more: ShortMembers = isMore ? { next_after: last, left_out: ['more events follow'] } : {};
  const lines = events.map((event) => JSON.stringify(event));
  if (isMore) lines.push(`… more events follow: \`after: ${last}\``);
  return {
    content: [{ type: 'text', text: lines.length === 0 ? 'there are no more events' : lines.join('\n') }],
    structuredContent: { ...about, events, ...more },
  };
}

/** Without its checksum, and with long values cut. */
function shortEvent({ crc: _, chain: __, ...event }: RecordedEvent): ShortMembers {
  const text = JSON.stringify(event);
  if (text.length <= LONGEST_EVENT) return event;
  const each = Math.floor((LONGEST_EVENT - 200) / Math.max(1, Object.keys(event).length));
  return Object.fromEntries(
    Object.entries(event).map(([name, value]) => {
      const printed = JSON.stringify(value);
      if (printed.length <= Math.max(60, each)) return [name, value];
      return [name, cutText(typeof value === 'string' ? value : printed, Math.max(60, each))];
    }),
  );
}

/** The result, and what its commands and agents printed. Only the piece that is wanted is kept. */
async function outputPart(door: Door, about: ShortMembers, after: number): Promise<ToolResult> {
  const run = String(about.run_id);
  const kept = new TextWindow(after, PIECE);
  const found = await door.runs.inspect(run);
  if (found.ok && found.value.status === 'returned') {
    const { returned, printed_returned } = found.value;
    const value = fromRecord(returned, printed_returned) as Value;
    kept.add(`returned: ${typeof value === 'string' ? value : printIndented(value)}\n\n`);
  }
  const outputs = await door.runs.outputs(run);
  if (!outputs.ok) return failedResult(outputs.refusal.message, outputs.refusal.help);
  for await (const output of outputs.value) {
    kept.add(`$ ${cutText(output.text, 300)}  (line ${output.line}, state ${output.state})\n`);
    const decoder = new StringDecoder('utf8');
    for (const bytes of output.bytes()) kept.add(decoder.write(Buffer.from(bytes)));
    kept.add(`${decoder.end()}\n`);
  }
  return piece(about, kept.text, after, kept.total);
}

/** A piece of a long text that comes in parts. */
class TextWindow {
  text = '';
  total = 0;

  constructor(
    private readonly from: number,
    private readonly length: number,
  ) {}

  add(part: string): void {
    const begin = Math.max(0, this.from - this.total);
    const room = this.length - this.text.length;
    if (begin < part.length && room > 0) this.text += part.slice(begin, begin + room);
    this.total += part.length;
  }
}
