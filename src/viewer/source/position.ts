/** Where events are in the text of the program. */
import type { Waiting } from '../../interpreter/events/event.js';
import type { Machine } from '../../machine/machine.js';
import type { Timeline } from '../../views/timeline/timeline.js';
import type { FileOfLine } from './line-facts.js';

export interface Position {
  /** The number of the file among those of the program. */
  readonly file: number;
  readonly line: number;
}

/** The position of an event; if it has none, the last one before it in the same visit of a state. */
export function positionAt(timeline: Timeline, seq: number, fileOf: FileOfLine): Position | null {
  const { events, bars } = timeline;
  const visit = events.visitOf(seq);
  const entered = visit < 0 ? 0 : (bars.seq[visit] as number);
  for (let at = Math.min(seq, events.last); at > entered; at--) {
    const line = lineOf(timeline, at);
    if (line > 0) return { file: fileOf(stateOf(timeline, at), line), line };
  }
  return null;
}

/** The first question or signal for which a run waits in a state; null if it waits for none. Its events have no line. */
export function waitingPosition(machine: Machine, state: string, waiting: readonly Waiting[]): Position | null {
  const code = machine.states.find(({ name }) => name === state)?.code ?? [];
  for (const { kind, name } of waiting) {
    const found = code.find((one) => (one.op === 'ask' || one.op === 'signal') && one.op === kind && one.name === name);
    if (found !== undefined) return { file: found.origin.file, line: found.origin.line };
  }
  return null;
}

/** The event at a position before the given one, or else the last one; null if there is none. */
export function findLine(timeline: Timeline, seq: number, { file, line }: Position, fileOf: FileOfLine): number | null {
  const { events } = timeline;
  const find = (from: number): number | null => {
    for (let at = from; at > 0; at--)
      if (events.lineOf(at) === line && fileOf(stateOf(timeline, at), line) === file) return at;
    return null;
  };
  return find(Math.min(seq - 1, events.last)) ?? find(events.last);
}

/** That of the event itself, or of the work that it ends. */
function lineOf({ events, bars }: Timeline, seq: number): number {
  const own = events.lineOf(seq);
  const bar = events.barOf(seq);
  return own > 0 || bar < 0 ? own : (bars.line[bar] as number);
}

function stateOf(timeline: Timeline, seq: number): string {
  const bar = timeline.events.barOf(seq);
  const state = bar < 0 ? '' : timeline.describe(bar).state;
  return state === '' ? (timeline.stateAt(seq) ?? '') : state;
}
