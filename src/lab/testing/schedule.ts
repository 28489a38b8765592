/** What the lines of a test place in virtual time: answers of people, signals, and expectations. */
import type { RunEvent } from '../../interpreter/events/event.js';
import { render } from '../../interpreter/values/json.js';
import type { Value } from '../../interpreter/values/value.js';
import type { Expression } from '../../language/syntax/expression-nodes.js';
import type { MomentTree, NamedValue, TestLine } from '../../language/syntax/tests/test-tree.js';
import { readDuration } from '../../machine/duration.js';
import type { Json } from '../../machine/expression.js';
import type { VirtualTime } from '../../runtime/virtual-time.js';
import type { PersonAnswer } from './test-world.js';

/** Expected at the end of the run, or at a point of virtual time. */
export type ExpectLine = Extract<TestLine, { kind: 'expect' }>;

interface Scheduled {
  readonly time: VirtualTime;
  /** When the run begins, in milliseconds since the epoch. */
  readonly begun: number;
  /** What the run had on record when it was cut. */
  readonly before: readonly RunEvent[];
  /** Expectations wait for the end of the run, whatever their time. */
  readonly judgesAtEnd: boolean;
  /** Takes what GIVEN sets. */
  readonly inputs: Record<string, Json>;
  /** Takes the expectations of the end. One with a time is among them until that time. */
  readonly atEnd: ExpectLine[];
  readonly value: (expression: Expression) => Json;
  readonly expect: (line: ExpectLine) => void;
}

/** Returns the answers of people. */
export function scheduleLines(lines: readonly TestLine[], scheduled: Scheduled): PersonAnswer[] {
  const { time, begun, before, value } = scheduled;
  const people: PersonAnswer[] = [];
  const signals: { readonly ms: number }[] = [];
  let received: readonly unknown[] = [];
  /** In the order of the lines, which is that of what happens at the same time. */
  const appointments: (() => unknown)[] = [];
  let at: number | null = null;
  for (const line of lines) {
    if (line.kind === 'given') Object.assign(scheduled.inputs, valuesOf(line.values, value));
    else if (line.kind === 'at') {
      at = readDuration(line.duration.text).ms ?? 0;
      time.at(begun + at, () => undefined);
    } else if (line.kind === 'answer')
      for (const text of line.texts) {
        const [name, answer] = [line.name.text, value(text)];
        const given = { name, text: render(answer as Value), atMs: at ?? 0, offset: line.span.start, isUsed: false };
        people.push(given);
        if (!isApproval(name)) continue;
        const delivery = { kind: 'answer', name, value: answer, by: 'test' } as const;
        appointments.push(() => given.isUsed || time.deliverAtRest(begun + given.atMs, delivery));
      }
    else if (line.kind === 'signal') {
      const payload = line.payload === null ? null : value(line.payload);
      const ms = line.at === null ? (at ?? 0) : (readDuration(line.at.text).ms ?? 0);
      const signal = { ms };
      const delivery = { kind: 'signal', name: line.name.text, payload, by: 'test' } as const;
      signals.push(signal);
      appointments.push(() => received.includes(signal) || time.deliverAt(begun + ms, delivery));
    } else if (line.kind === 'expect') {
      if (at === null || scheduled.judgesAtEnd) scheduled.atEnd.push(line);
      else appointments.push(expectAt.bind(null, scheduled, line, at));
    }
  }
  const count = before.filter(({ type }) => type === 'signal_received').length;
  received = signals.sort((one, other) => one.ms - other.ms).slice(0, count);
  for (const event of before) markAnswered(people, event);
  for (const make of appointments) make();
  return people;
}

export function valuesOf(values: readonly NamedValue[], value: (expression: Expression) => Json): Record<string, Json> {
  return Object.fromEntries(values.map(({ name, value: written }) => [name.text, value(written)]));
}

/** If the run ends before that time, its end is what the line is about. */
function expectAt({ time, begun, atEnd, expect }: Scheduled, line: ExpectLine, at: number): void {
  atEnd.push(line);
  time.at(begun + at, () => {
    atEnd.splice(atEnd.indexOf(line), 1);
    expect(line);
  });
}

/** Marks the answer that an event recorded as used. */
export function markAnswered(people: readonly PersonAnswer[], event: RunEvent): void {
  if (event.type !== 'answered') return;
  const asked = askedName(event.name);
  const given = people.find(({ name, isUsed }) => (name === event.name || name === asked) && !isUsed);
  if (given !== undefined) given.isUsed = true;
}

/** Whether two moments are written in the same way. */
export function isSameMoment(one: MomentTree, other: MomentTree): boolean {
  const textOf = (moment: MomentTree): string =>
    JSON.stringify(moment, (key, value: unknown) => (key === 'span' ? undefined : value));
  return textOf(one) === textOf(other);
}

/** Names of approvals of plans, such as `approvals.publish`. */
export function isApproval(name: string): boolean {
  return name.startsWith('approvals.');
}

/** The name without the numbers of calls before it. */
export function askedName(name: string): string {
  return name.replace(/^(?:\d+\.)+/, '');
}
