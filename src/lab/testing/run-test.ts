/** Runs one test: the ordinary runtime drives the program in a world of scripted answers, in virtual time. */
import type { RunEvent } from '../../interpreter/events/event.js';
import { positionAt, type SourceFile } from '../../language/source/diagnostic.js';
import type { Expression } from '../../language/syntax/expression-nodes.js';
import type { CassetteLine, NamedValue, TestLine } from '../../language/syntax/tests/test-tree.js';
import type { Json } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { Cassette } from '../../runtime/cassette/cassette.js';
import { CassetteWorld, TEST_ADVICE } from '../../runtime/cassette/cassette-world.js';
import { recordedInputsOf } from '../../runtime/cassette/recorded-inputs.js';
import { hostEffects } from '../../runtime/effects.js';
import type { RunReport } from '../../runtime/run/run-report.js';
import { type RunOptions, run } from '../../runtime/run/start-run.js';
import { VIRTUAL_START, VirtualTime } from '../../runtime/virtual-time.js';
import { plain } from '../../views/drawing/paint.js';
import { eventLog } from '../../views/log/log.js';
import { type Judged, judge } from './judge.js';
import { violatedRules } from './judge-properties.js';
import { factsOfRun, type TestedRun } from './run-facts.js';
import { askedName, type ExpectLine, isApproval, markAnswered, scheduleLines, valuesOf } from './schedule.js';
import type { ExecutedTest, Suite, TestOptions } from './suite.js';
import type { Evaluated } from './test-expressions.js';
import type { TestRow } from './test-rows.js';
import {
  type Call,
  FIRST_COMMIT,
  type PersonAnswer,
  type TestFailure,
  type TestResult,
  TestWorld,
  type WorldProblem,
} from './test-world.js';

export async function runTest(suite: Suite, row: TestRow, options: TestOptions): Promise<TestResult> {
  const begun = performance.now();
  const { test, name } = row;
  const lineOf = (offset: number): number => positionAt(suite.sources[0] as SourceFile, offset).line;
  const about = { file: suite.name, name, line: lineOf(test.span.start) };
  const skip = test.lines.find((line) => line.kind === 'skip');
  if (skip !== undefined)
    return { ...about, status: 'skipped', reason: skip.reason, failures: [], log: [], duration_ms: 0 };
  const { failures, warnings, events } = await executeTest(suite, row, options);
  return {
    ...about,
    status: failures.length === 0 ? 'passed' : 'failed',
    failures,
    ...omitUndefined({ warnings: warnings.length === 0 ? undefined : warnings }),
    log: failures.length === 0 ? [] : logTail(events),
    duration_ms: performance.now() - begun,
  };
}

export function executeTest(suite: Suite, row: TestRow, options: TestOptions): Promise<ExecutedTest> {
  const lineOf = (offset: number): number => positionAt(suite.sources[0] as SourceFile, offset).line;
  return new TestRun(suite, row, options, lineOf).execute(row.test.lines);
}

/** Lines after which a run continues where the run of its cassette was suspended. */
const CONTINUING: ReadonlySet<TestLine['kind']> = new Set(['answer', 'signal', 'at']);

class TestRun {
  private readonly events: RunEvent[];
  private readonly failures: TestFailure[] = [];
  private readonly stopping = new AbortController();
  private isStuck = false;
  private isFromStart = true;
  private readonly played: { readonly line: CassetteLine; readonly cassette: Cassette } | null;
  private readonly begun: number;
  private readonly time: VirtualTime;
  private calls: readonly Call[] = [];
  private readonly row: Readonly<Record<string, Json>>;
  private readonly name: string;

  constructor(
    private readonly suite: Suite,
    { test, name, values }: TestRow,
    private readonly options: TestOptions,
    private readonly lineOf: (offset: number) => number,
  ) {
    const { before } = options.fault ?? {};
    this.events = [...(before?.events ?? [])];
    this.row = values;
    this.name = name;
    const line = test.lines.find((one) => one.kind === 'cassette');
    const cassette = line === undefined ? undefined : suite.cassettes.get(line.path);
    this.played = line === undefined || cassette === undefined ? null : { line, cassette };
    this.begun = cassette?.startedMs ?? VIRTUAL_START;
    this.time = new VirtualTime(before?.now ?? this.begun, () => {
      this.isStuck = true;
      this.stopping.abort();
    });
  }

  async execute(lines: readonly TestLine[]): Promise<ExecutedTest> {
    const { suite, options, time, played } = this;
    const { fault } = options;
    let world: TestWorld | null = null;
    let report: RunReport | null = null;
    const atEnd: ExpectLine[] = [];
    const inputs = this.recordedInputs();
    let cassetteWorld: CassetteWorld | null = null;
    try {
      const people = this.schedule(lines, atEnd, inputs);
      cassetteWorld = this.cassetteWorld(lines.some(({ kind }) => CONTINUING.has(kind)));
      world = this.worldOf(lines, people, cassetteWorld);
      world.calls.push(...(fault?.before.calls ?? []));
      this.calls = world.calls;
      const start = lines.find((line) => line.kind === 'start');
      this.isFromStart = start === undefined;
      const runOptions: RunOptions = {
        inputs,
        cwd: options.cwd,
        programDir: suite.programDir,
        env: {},
        effects: world,
        // What calls reserve is as in other runs.
        agents: { agents: suite.configuration.agents, folder: suite.configuration.folder },
        ...worktreeOf(played?.cassette ?? null),
        time,
        ask: world.ask,
        suspendAfterMs: null,
        jobs: 8,
        signal: this.stopping.signal,
        onEvent: (event) => {
          this.events.push(event);
          if (this.events.length === options.mostEvents) this.endless();
          // Nothing asks for an approval: its answer comes by itself.
          if (event.type === 'answered' && isApproval(askedName(event.name))) markAnswered(people, event);
        },
        ...omitUndefined({
          start: start === undefined ? undefined : { state: start.state.text, with: this.valuesOf(start.values) },
        }),
      };
      report =
        fault === undefined
          ? await run(suite.machine, runOptions)
          : await fault.drive(suite.machine, runOptions, world, time);
      for (const [mock] of world.used) options.noteUse(mock);
      options.noteEvents(this.events);
      this.judgeEnd(atEnd, world, report, inputs);
    } catch (cause) {
      if (!(cause instanceof BadValue)) throw cause;
      this.failures.push({ line: this.lineOf(cause.offset), message: cause.message });
    }
    const warnings = (cassetteWorld?.warnings ?? []).map((problem) =>
      this.failureOf({ ...problem, offset: played?.line.span.start ?? null }),
    );
    if (!this.isFromStart && suite.properties.length > 0)
      warnings.push({ line: 0, message: 'the properties of this file are not judged, because the test has START' });
    const problems = world?.problems ?? [];
    return { failures: this.failures, warnings, events: this.events, report, problems, isStuck: this.isStuck };
  }

  private endless(): void {
    this.failures.push({ line: 0, message: 'the run does not end' });
    this.stopping.abort();
  }

  private recordedInputs(): Record<string, Json> {
    return this.played === null ? {} : recordedInputsOf(this.played.cassette, this.suite.machine.inputs);
  }

  private cassetteWorld(continues: boolean): CassetteWorld | null {
    if (this.played === null) return null;
    const { line, cassette } = this.played;
    const { renewal } = this.options;
    const world: CassetteWorld = new CassetteWorld({
      cassette,
      match: line.match,
      drift: line.drift,
      time: this.time,
      host: schemaHost,
      advice: TEST_ADVICE,
      continues,
      others: null,
      ...renewal?.begin(cassette, () => world),
      onProblem: (problem) => {
        this.failures.push(this.failureOf({ ...problem, offset: line.span.start }));
        this.stopping.abort();
      },
    });
    return world;
  }

  private schedule(lines: readonly TestLine[], atEnd: ExpectLine[], inputs: Record<string, Json>): PersonAnswer[] {
    return scheduleLines(lines, {
      time: this.time,
      begun: this.begun,
      before: this.options.fault?.before.events ?? [],
      judgesAtEnd: this.options.fault?.judges === 'always',
      inputs,
      atEnd,
      value: (expression) => this.value(expression),
      expect: (line) => this.expect(line, this.factsOf(null, inputs)),
    });
  }

  private worldOf(
    lines: readonly TestLine[],
    people: readonly PersonAnswer[],
    played: CassetteWorld | null,
  ): TestWorld {
    const own = lines.filter((line) => line.kind === 'mock').map((mock) => ({ mock, isOfTest: true }));
    const shared = this.suite.tree.mocks.map((mock) => ({ mock, isOfTest: false }));
    return new TestWorld({
      mocks: played === null ? [...own, ...shared] : own,
      played,
      people,
      time: this.time,
      real: this.options.real,
      isLenient: this.options.fault?.judges === 'always',
      host: schemaHost,
      evaluate: (expression) => this.value(expression),
      stop: () => this.stopping.abort(),
    });
  }

  private judgeEnd(
    lines: readonly ExpectLine[],
    world: TestWorld,
    report: RunReport,
    inputs: Readonly<Record<string, Json>>,
  ): void {
    if (this.options.fault?.judges === 'always') {
      // A run that no mock answers says nothing about what holds whatever goes wrong.
      if (!this.stopping.signal.aborted) this.judgeAlways(lines, report, inputs);
      return;
    }
    const facts = this.factsOf(report, inputs);
    const { problems } = world;
    for (const problem of problems) this.failures.push(this.failureOf(problem));
    if (this.isStuck)
      this.failures.push({
        line: 0,
        message: 'the run hangs: everything that it waits for hangs',
        help: 'give the instruction a `timeout`',
      });
    const isStopped = problems.length > 0 || this.isStuck || (this.failures.length > 0 && this.stopping.signal.aborted);
    if (this.played !== null) this.endRenewal(this.played.line, !isStopped);
    // What follows from a run that was ended is no news.
    if (isStopped) return;
    for (const line of lines) this.expect(line, facts);
    this.judgeProperties(report, inputs);
    if (report.status !== 'returned' && !lines.some(isAboutEnd) && this.failures.length === 0)
      this.failures.push({
        line: 0,
        message: unexpectedEnd(report),
        help: `write \`EXPECT: ${report.status}\` if that is right`,
      });
    for (const problem of world.leftOver()) this.failures.push(this.failureOf(problem));
    if (this.played === null || this.options.renewal !== undefined) return;
    for (const problem of world.unusedRecords(this.played.line.span.start)) this.failures.push(this.failureOf(problem));
  }

  private endRenewal(line: CassetteLine, isSound: boolean): void {
    const why = this.options.renewal?.end(line, this.events, isSound) ?? null;
    if (why === null) return;
    this.failures.push({ line: this.lineOf(line.span.start), message: `cannot write \`${line.path}\`: ${why}` });
  }

  /** What holds whatever goes wrong. */
  private judgeAlways(lines: readonly ExpectLine[], report: RunReport, inputs: Readonly<Record<string, Json>>): void {
    const always = lines.filter(({ isAlways }) => isAlways);
    const facts = always.length > 0 ? this.factsOf(report, inputs) : null;
    for (const line of always) if (facts !== null) this.expect(line, facts);
    this.judgeProperties(report, inputs);
  }

  private judgeProperties(report: RunReport, inputs: Readonly<Record<string, Json>>): void {
    // Properties are about runs from the beginning.
    if (!this.isFromStart) return;
    for (const { property, text, offset } of violatedRules(this.suite, { events: this.events, report, inputs }))
      this.failures.push({
        line: this.lineOf(offset),
        message: `PROPERTY: ${property}: ${text}: this run violates it`,
      });
  }

  private expect(line: ExpectLine, facts: TestedRun): void {
    const { expectation } = line;
    const judged: Judged | null =
      expectation.kind === 'snapshot'
        ? this.options.snapshot(this.name, this.snapshotOf(facts))
        : judge(expectation, facts, (expression) => this.evaluate(expression, facts.values));
    if (judged !== null)
      this.failures.push({
        ...judged,
        line: this.lineOf(line.span.start),
        message: `EXPECT: ${line.text}${judged.message === '' ? '' : `: ${judged.message}`}`,
      });
  }

  /** The folder of the program is another one on each machine. */
  private snapshotOf(facts: TestedRun): string {
    return facts.snapshot().replaceAll(this.suite.programDir, '{program_dir()}');
  }

  private failureOf({ offset, ...rest }: WorldProblem): TestFailure {
    return { line: offset === null ? 0 : this.lineOf(offset), ...rest };
  }

  private factsOf(report: RunReport | null, inputs: Readonly<Record<string, Json>>): TestedRun {
    const { events, calls, suite } = this;
    return factsOfRun({
      report,
      events,
      calls,
      time: this.time.now - this.begun,
      row: this.row,
      inputs,
      machine: suite.machine,
    });
  }

  private valuesOf(values: readonly NamedValue[]): Record<string, Json> {
    return valuesOf(values, (expression) => this.value(expression));
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

/** A test has a worktree that exists only by name, and a recorded run has the same again. */
function worktreeOf(cassette: Cassette | null): { readonly worktreeBase?: string } {
  if (cassette === null) return { worktreeBase: FIRST_COMMIT };
  return cassette.worktree === null ? {} : { worktreeBase: cassette.worktree };
}

/** Whether it is about how the run ended. */
export function isAboutEnd({ expectation, text }: ExpectLine): boolean {
  return ['returned', 'failed', 'suspended'].includes(expectation.kind) || /\berror\b/.test(text);
}

export function unexpectedEnd({ status, error, waiting }: RunReport): string {
  if (status === 'suspended')
    return `the run waits for ${waiting.map(({ name, path, kind }) => `\`${name ?? path ?? kind}\``).join(', ')}`;
  return error === null ? `the run was ${status}` : `the run failed: ${error.message}`;
}

const LINES = 6;

/** The last lines of the log of a run, without colours, for the failure of a test. */
export function logTail(events: readonly RunEvent[]): string[] {
  const log = eventLog({ paint: plain, terminal: true, outputOf: () => null, head: () => null });
  return events.flatMap((event) => log.lines(event)).slice(-LINES);
}
