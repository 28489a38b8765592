/** Runs one test: the ordinary runtime drives the program in a world of scripted answers, in virtual time. */

import type { RunEvent } from '../interpreter/events/event.js';
import { readDuration } from '../machine/duration.js';
import type { Json } from '../machine/expression.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import type { Effects } from '../runtime/effect-context.js';
import { hostEffects } from '../runtime/effects.js';
import type { RunReport } from '../runtime/run/report.js';
import { run } from '../runtime/run/run.js';
import { VIRTUAL_START, VirtualTime } from '../runtime/virtual-time.js';
import { positionAt, type SourceFile } from '../source/source-file.js';
import type { Expression } from '../syntax/ast.js';
import type { MockLine, TestLine } from '../syntax/tests/test-tree.js';
import type { Evaluated } from './expressions.js';
import { type Judged, judge } from './judge.js';
import { logTail } from './log-tail.js';
import type { TestRow } from './rows.js';
import { factsOfRun, type RunFacts } from './run-facts.js';
import type { Suite } from './suite.js';
import type { TestFailure, TestResult } from './test-result.js';
import { type Call, FIRST_COMMIT, TestWorld, type WorldProblem } from './test-world.js';

export interface TestOptions {
  /** The working directory, absolute. */
  readonly cwd: string;
  /** Performs what mocks answer `for real`; null: refused. */
  readonly real: Effects | null;
  /** Compares with what is stored, or stores it; null where the test has no `EXPECT: snapshot`. */
  readonly snapshot: (name: string, text: string) => Judged | null;
  /** Notes which mocks of the file were used. */
  readonly noteUse: (mock: MockLine) => void;
  /** Notes what the run recorded. */
  readonly noteEvents: (events: readonly RunEvent[]) => void;
}

/** Expected at the end of the run, or at a point of virtual time. */
type ExpectLine = Extract<TestLine, { kind: 'expect' }>;

export async function runTest(suite: Suite, row: TestRow, options: TestOptions): Promise<TestResult> {
  const begun = performance.now();
  const { test, name, values } = row;
  const lineOf = (offset: number): number => positionAt(suite.sources[0] as SourceFile, offset).line;
  const about = { file: suite.name, name, line: lineOf(test.span.start) };
  const skip = test.lines.find((line) => line.kind === 'skip');
  if (skip !== undefined)
    return { ...about, status: 'skipped', reason: skip.reason, failures: [], log: [], duration_ms: 0 };
  const { failures, events } = await new TestRun(suite, values, options, lineOf, name).execute(test.lines);
  return {
    ...about,
    status: failures.length === 0 ? 'passed' : 'failed',
    failures,
    log: failures.length === 0 ? [] : logTail(events),
    duration_ms: performance.now() - begun,
  };
}

class TestRun {
  private readonly events: RunEvent[] = [];
  private readonly failures: TestFailure[] = [];
  private readonly stopping = new AbortController();
  private isStuck = false;
  private readonly time = new VirtualTime(VIRTUAL_START, () => {
    this.isStuck = true;
    this.stopping.abort();
  });
  private calls: readonly Call[] = [];

  constructor(
    private readonly suite: Suite,
    private readonly row: Readonly<Record<string, Json>>,
    private readonly options: TestOptions,
    private readonly lineOf: (offset: number) => number,
    private readonly name: string,
  ) {}

  async execute(
    lines: readonly TestLine[],
  ): Promise<{ readonly failures: readonly TestFailure[]; readonly events: readonly RunEvent[] }> {
    const { suite, options, time } = this;
    const atEnd: ExpectLine[] = [];
    const inputs: Record<string, Json> = {};
    try {
      const people = this.schedule(lines, atEnd, inputs);
      const world = this.worldOf(lines, people);
      this.calls = world.calls;
      const start = lines.find((line) => line.kind === 'start');
      const report = await run(suite.machine, {
        inputs,
        cwd: options.cwd,
        programDir: suite.programDir,
        env: {},
        effects: world,
        worktreeBase: FIRST_COMMIT,
        time,
        ask: world.ask,
        suspendAfterMs: null,
        jobs: 8,
        signal: this.stopping.signal,
        onEvent: (event) => this.events.push(event),
        ...omitUndefined({
          start: start === undefined ? undefined : { state: start.state.text, with: this.valuesOf(start.values) },
        }),
      });
      for (const [mock] of world.used) options.noteUse(mock);
      options.noteEvents(this.events);
      this.judgeEnd(atEnd, world, this.factsOf(report, inputs));
    } catch (cause) {
      if (!(cause instanceof BadValue)) throw cause;
      this.failures.push({ line: this.lineOf(cause.offset), message: cause.message });
    }
    return { failures: this.failures, events: this.events };
  }

  /** Gives signals, answers and expectations their points in time. */
  private schedule(lines: readonly TestLine[], atEnd: ExpectLine[], inputs: Record<string, Json>) {
    const people: ConstructorParameters<typeof TestWorld>[0]['people'][number][] = [];
    let at: number | null = null;
    for (const line of lines) {
      if (line.kind === 'given') Object.assign(inputs, this.valuesOf(line.values));
      else if (line.kind === 'at') {
        at = readDuration(line.duration.text).ms ?? 0;
        this.time.at(VIRTUAL_START + at, () => undefined);
      } else if (line.kind === 'answer')
        for (const text of line.texts) {
          const facts = { name: line.name.text, text: String(this.value(text)), atMs: at ?? 0 };
          people.push({ ...facts, offset: line.span.start, isUsed: false });
        }
      else if (line.kind === 'signal') {
        const payload = line.payload === null ? null : this.value(line.payload);
        const ms = line.at === null ? (at ?? 0) : (readDuration(line.at.text).ms ?? 0);
        this.time.deliverAt(VIRTUAL_START + ms, { kind: 'signal', name: line.name.text, payload, by: 'test' });
      } else if (line.kind === 'expect') {
        if (at === null) atEnd.push(line);
        else this.expectAt(line, at, inputs, atEnd);
      }
    }
    return people;
  }

  /** If the run ends before that time, its end is what the line is about. */
  private expectAt(line: ExpectLine, at: number, inputs: Readonly<Record<string, Json>>, atEnd: ExpectLine[]): void {
    atEnd.push(line);
    this.time.at(VIRTUAL_START + at, () => {
      atEnd.splice(atEnd.indexOf(line), 1);
      this.expect(line, this.factsOf(null, inputs));
    });
  }

  private worldOf(lines: readonly TestLine[], people: ConstructorParameters<typeof TestWorld>[0]['people']): TestWorld {
    const own = lines.filter((line) => line.kind === 'mock').map((mock) => ({ mock, isOfTest: true }));
    const shared = this.suite.tree.mocks.map((mock) => ({ mock, isOfTest: false }));
    return new TestWorld({
      mocks: [...own, ...shared],
      people,
      time: this.time,
      real: this.options.real,
      host: schemaHost,
      evaluate: (expression) => this.value(expression),
      stop: () => this.stopping.abort(),
    });
  }

  private judgeEnd(lines: readonly ExpectLine[], world: TestWorld, facts: RunFacts): void {
    const { problems } = world;
    for (const problem of problems) this.failures.push(this.failureOf(problem));
    if (this.isStuck)
      this.failures.push({
        line: 0,
        message: 'the run hangs: everything that it waits for hangs',
        help: 'give the instruction a `timeout`',
      });
    // What follows from a run that was ended is no news.
    if (problems.length > 0 || this.isStuck) return;
    for (const line of lines) this.expect(line, facts);
    const { report } = facts;
    if (report !== null && report.status !== 'returned' && !lines.some(isAboutEnd) && this.failures.length === 0)
      this.failures.push({
        line: 0,
        message: unexpectedEnd(report),
        help: `write \`EXPECT: ${report.status}\` if that is right`,
      });
    for (const problem of world.leftOver()) this.failures.push(this.failureOf(problem));
  }

  private expect(line: ExpectLine, facts: RunFacts): void {
    const { expectation } = line;
    const judged: Judged | null =
      expectation.kind === 'snapshot'
        ? this.options.snapshot(this.name, facts.snapshot())
        : judge(expectation, facts, (expression) => this.evaluate(expression, facts.values));
    if (judged !== null)
      this.failures.push({
        ...judged,
        line: this.lineOf(line.span.start),
        message: `EXPECT: ${line.text}${judged.message === '' ? '' : `: ${judged.message}`}`,
      });
  }

  private failureOf({ offset, ...rest }: WorldProblem): TestFailure {
    return { line: offset === null ? 0 : this.lineOf(offset), ...rest };
  }

  private factsOf(report: RunReport | null, inputs: Readonly<Record<string, Json>>): RunFacts {
    const { events, calls, suite } = this;
    return factsOfRun({
      report,
      events,
      calls,
      time: this.time.now - VIRTUAL_START,
      row: this.row,
      inputs,
      machine: suite.machine,
    });
  }

  private valuesOf(values: readonly { readonly name: { readonly text: string }; readonly value: Expression }[]) {
    return Object.fromEntries(values.map(({ name, value }) => [name.text, this.value(value)]));
  }

  /** A value that may name the row. */
  private value(expression: Expression): Json {
    const evaluated = this.evaluate(expression, this.row);
    if ('value' in evaluated) return evaluated.value;
    throw new BadValue(evaluated.problem, expression.span.start);
  }

  private evaluate(expression: Expression, values: Readonly<Record<string, Json>>): Evaluated {
    return this.suite.expressions.evaluate(expression, values);
  }
}

/** A value in a test that cannot be computed from its row. */
class BadValue extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

/** Reads the schemas of gates; nothing else of it is used. */
const schemaHost = hostEffects();

function isAboutEnd({ expectation, text }: ExpectLine): boolean {
  return ['returned', 'failed', 'suspended'].includes(expectation.kind) || /\berror\b/.test(text);
}

function unexpectedEnd({ status, error, waiting }: RunReport): string {
  if (status === 'suspended')
    return `the run waits for ${waiting.map(({ name, kind }) => `\`${name ?? kind}\``).join(', ')}`;
  return error === null ? `the run was ${status}` : `the run failed: ${error.message}`;
}
