/** Judges a run of a trial from its record, as a test is judged: the expectations of its case, and that it returned. */
import { unwrap } from '../../app/result.js';
import type { Runs } from '../../app/runs.js';
import type { RunEvent } from '../../interpreter/events/event.js';
import { isToolCall } from '../../interpreter/plan/call-request.js';
import { fromRecord } from '../../interpreter/values/json.js';
import { agentTools, type Machine } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { Attempt } from '../../runtime/record/record-facts.js';
import { RunModel } from '../../runtime/record/run-model.js';
import type { RunReport } from '../../runtime/run/run-report.js';
import { AppendDecoder } from '../../runtime/store/appended.js';
import { readJournalLine } from '../../runtime/store/journal-line.js';
import type { TrialResult } from '../../runtime/store/kept-trials.js';
import { judge } from '../testing/judge.js';
import { factsOf } from '../testing/machine-facts.js';
import { factsOfRun } from '../testing/run-facts.js';
import { isAboutEnd, unexpectedEnd } from '../testing/run-test.js';
import type { Call } from '../testing/test-world.js';
import type { CompiledCases, TrialCase } from './read-cases.js';

interface EndedRun {
  readonly runs: Runs;
  readonly report: RunReport;
  readonly machine: Machine;
  readonly expressions: CompiledCases['expressions'];
  readonly one: TrialCase;
}

/** Rejects with an `OperationRefused` if the record cannot be read. */
export async function judgeRun({ runs, report, machine, expressions, one }: EndedRun): Promise<TrialResult> {
  const { run_id, status, cost, cost_unknown } = report;
  const { events, model } = await readRecord(runs, run_id);
  const calls = await callsOf(runs, run_id, model.attempts, machine);
  const time_ms = Math.round(model.time.ms);
  const facts = factsOfRun({ report, events, calls, time: time_ms, row: {}, inputs: one.inputs, machine });
  const tracked = Object.entries(report.tracked).map(([name, value]) => [
    name,
    fromRecord(value, report.printed_tracked?.[name]),
  ]);
  const values = { ...facts.values, ...Object.fromEntries(tracked) };
  const failures: TrialResult['failures'][number][] = [];
  for (const { expectation, text } of one.expects) {
    if (expectation.kind === 'snapshot') continue;
    const judged = judge(expectation, facts, (expression) => expressions.evaluate(expression, values));
    if (judged !== null) failures.push({ expect: text, message: messageOf(judged) });
  }
  if (status !== 'returned' && failures.length === 0 && !one.expects.some(isAboutEnd))
    failures.push({ expect: RETURNED, message: unexpectedEnd(report) });
  const unknown = cost_unknown === true ? { cost_unknown } : {};
  return { run_id, status, passed: failures.length === 0, failures, cost, ...unknown, time_ms };
}

/** What is expected of every run unless its case says something about its end. */
const RETURNED = 'returned';

function messageOf({ message, expected, got }: { message: string; expected?: string; got?: string }): string {
  const parts = [
    message,
    ...(expected === undefined ? [] : [`expected ${expected}`]),
    ...(got === undefined ? [] : [`got ${got}`]),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

async function readRecord(runs: Runs, run: string) {
  const events: RunEvent[] = [];
  const model = new RunModel();
  const decoder = new AppendDecoder();
  const stream = unwrap(await runs.events(run, 0, undefined, 'no'));
  for await (const lines of stream.lines())
    for (const { text } of lines) {
      const record = readJournalLine(text);
      if (record === null) continue;
      model.take(record);
      events.push(decoder.decode(record.event) ?? record.event);
    }
  return { events, model };
}

/** What the run asked of the world, each attempt once. */
async function callsOf(runs: Runs, run: string, attempts: readonly Attempt[], machine: Machine): Promise<Call[]> {
  const { targets } = factsOf(machine);
  const agents = agentTools(machine);
  const calls: Call[] = [];
  for (const { request, ending } of attempts) {
    if (ending === 'put-off') continue;
    const { kind, tool, text, state, line, step = null } = request;
    const known = targets.find((one) => one.line === line && one.text === text);
    const common = { text, state, line, step, isOnce: isOnce(line, text, machine) };
    if (isToolCall(request) && kind === 'agent')
      calls.push({
        ...common,
        kind: 'tool',
        name: tool,
        prompt: null,
        ...omitUndefined({ agent: agents.get(tool ?? '') }),
      });
    else if (kind === 'agent') calls.push({ ...common, kind, name: tool, prompt: await promptOf(runs, run, request) });
    else if (kind === 'tool') calls.push({ ...common, kind, name: tool, prompt: null });
    else
      calls.push({ ...common, kind: 'command', name: null, prompt: null, ...omitUndefined({ script: known?.script }) });
  }
  return calls;
}

/** Whether the instruction of the request has `once`, which its record does not say. */
function isOnce(line: number, text: string, machine: Machine): boolean {
  return machine.states.some(({ code }) =>
    code.some((one) => one.origin.line === line && 'once' in one && one.once === true && one.text === text),
  );
}

async function promptOf(runs: Runs, run: string, { prompt, artifact }: Attempt['request']): Promise<string | null> {
  return artifact === undefined ? (prompt ?? null) : textOf(runs, run, artifact);
}

async function textOf(runs: Runs, run: string, artifact: string): Promise<string> {
  const stream = unwrap(await runs.artifact(run, artifact));
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}
