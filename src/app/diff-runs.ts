/**
 * Two runs next to each other, or two ranges of one: what went in, what was executed, where they went different ways, and
 * what came of it. It reads what every store of runs has, so the runs may be on disk or on an engine.
 */
import type { Printed } from '../interpreter/values/json.js';
import type { Json } from '../machine/expression.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import type { Recorded } from '../runtime/record/record-facts.js';
import { RunModel } from '../runtime/record/run-model.js';
import { RunRefused } from '../runtime/store/store-error.js';
import { tipOf as branchTip } from '../runtime/worktree/apply/preview.js';
import { GitFailure, git } from '../runtime/worktree/git/git.js';
import { findRepository } from '../runtime/worktree/git/repository.js';
import { compareRuns, differentMembers, differentValues, pairVisits } from '../views/compare/compare-runs.js';
import type { DifferentLine, RunDiff, RunSide } from '../views/compare/draw-run-diff.js';
import { RunTrace } from '../views/compare/run-trace.js';
import { eventGist } from '../views/log/event-gist.js';
import { OperationRefused, unwrap } from './result.js';
import type { RecordedEvent, Runs } from './runs.js';

/** A part of a record: `from` is the first event, `to` the last one; null: all from there on. */
type Range =
  | { readonly from: number; readonly to: number | null }
  /** From the given entry of a state, or begin of a step, until it was left. */
  | { readonly name: string; readonly entry: number };

interface NamedRange {
  readonly run: string;
  readonly range: Range;
  readonly written: string;
}

/** What was read of one side. */
interface ReadSide {
  readonly side: RunSide;
  readonly trace: RunTrace;
  readonly events: ReadonlyMap<number, Recorded>;
  readonly values: { readonly values: Readonly<Record<string, Json>>; readonly printed: Printed | undefined } | null;
  readonly sources: readonly { readonly name: string; readonly text: string }[];
  /** Its files: a commit, or those of its branch; both null: no commit has them. */
  readonly files: { readonly commit: string | null; readonly tipOf: string | null };
}

/** `RUN`, `RUN@12` (up to event 12), `RUN@5-12`, `RUN@STATE` or `RUN@STATE#2`. Throws a `RunRefused`. */
function namedRange(written: string): NamedRange {
  const at = written.indexOf('@');
  const run = at < 0 ? written : written.slice(0, at);
  const text = at < 0 ? null : written.slice(at + 1);
  if (text === null) return { run, range: { from: 1, to: null }, written };
  const numbers = /^(?:(\d+)-)?(\d+)$/.exec(text);
  if (numbers !== null) {
    const range = { from: Number(numbers[1] ?? 1), to: Number(numbers[2]) };
    if (range.from >= 1 && range.from <= range.to) return { run, range, written };
  }
  const name = /^(.+?)(?:#(\d+))?$/.exec(text);
  const entry = Number(name?.[2] ?? 1);
  if (numbers !== null || name === null || entry < 1)
    throw new RunRefused(
      'wrong-use',
      `\`${text}\` is not a range of a run`,
      'write the number of an event, two of them as `5-12`, a state, or `STATE#2` for its second entry',
    );
  return { run, range: { name: name[1] as string, entry }, written };
}

/** Throws an `OperationRefused`, a `RunRefused` or a `StoreError`. `cwd`: where the repository of worktrees is looked for. */
export async function diffRuns(runs: Runs, one: string, other: string, cwd: string): Promise<RunDiff> {
  const [left, right] = [namedRange(one), namedRange(other)];
  const [a, b] = [await readSide(runs, left), await readSide(runs, right)];
  if (a.side.run_id === b.side.run_id && a.side.from === b.side.from && a.side.to === b.side.to)
    throw new RunRefused(
      'wrong-use',
      `both names mean the same events of run \`${a.side.run_id}\``,
      `name another run, or two ranges of it, such as \`${a.side.run_id}@5\` and \`${a.side.run_id}@9\``,
    );
  const { inputs, difference, visits, sameProgram } = compareRuns(a.trace, b.trace);
  const values = a.values === null || b.values === null ? null : differentValues(a.values, b.values);
  return {
    ...{ left: a.side, right: b.side },
    same: inputs.length === 0 && difference === null && sameProgram,
    same_program: sameProgram,
    program: sameProgram ? [] : differentSources(a.sources, b.sources),
    inputs,
    difference:
      difference === null
        ? null
        : {
            left: eventOf(a, b, difference.left, difference.right),
            right: eventOf(b, a, difference.right, difference.left),
          },
    path: visits.map(({ left, right, isSame }) => ({
      state: (left ?? right)?.state ?? '',
      left: left?.seq ?? null,
      right: right?.seq ?? null,
      same: isSame,
    })),
    values,
    files: await differentFiles(a.files, b.files, cwd),
  };
}

async function readSide(runs: Runs, { run, range, written }: NamedRange): Promise<ReadSide> {
  const { run_id, program } = unwrap(await runs.find(run === '' ? null : run));
  const stream = unwrap(await runs.events(run_id, 0, undefined, 'no'));
  const records: Recorded[] = [];
  const last = 'from' in range ? range.to : null;
  for await (const line of stream) {
    if (last !== null && line.seq > last) break;
    if (line.type === 'journal_damaged')
      throw new OperationRefused({
        code: 'damaged',
        message: `run \`${run_id}\` cannot be compared: ${String(line.message)}`,
        help: line.seq > 1 ? `compare what is before the damage: \`${run_id}@${line.seq - 1}\`` : null,
      });
    const { seq, ts, ...event } = line as RecordedEvent;
    records.push({ seq, time: ts, event: event as unknown as Recorded['event'] });
  }
  if (stream.end?.reason === 'failed')
    throw new RunRefused('unusable', stream.end.message ?? 'the disk cannot be read');
  const end = records.at(-1)?.seq ?? 0;
  if (end === 0)
    throw new RunRefused('unusable', `run \`${run_id}\` has recorded nothing yet`, 'wait until it has begun');
  if (last !== null && last > end)
    throw new RunRefused('wrong-use', `run \`${run_id}\` has no event ${last}`, `its last event is number ${end}`);
  const { from, to } = 'from' in range ? { from: range.from, to: end } : rangeOfName(records, range, written, end);
  const model = new RunModel();
  const trace = new RunTrace();
  const before = { effects: 0, activeMs: 0, cost: 0 as number | null, visits: 0, calls: 0 };
  let commit: string | null = null;
  let hasWorktree = false;
  const ofSteps = new Set<string>();
  for (const record of records) {
    const { seq, event } = record;
    if (seq > to) break;
    if (seq === from)
      Object.assign(before, {
        ...{ effects: model.effects, activeMs: model.time.ms, cost: model.cost, visits: model.states.length },
        calls: callsIn(model),
      });
    model.take(record);
    if (seq < from) trace.pass(record);
    else trace.take(record);
    if (event.type === 'run_started' && event.worktree !== undefined)
      [commit, hasWorktree] = [event.worktree.base, true];
    if (event.type === 'worktree_committed') commit = event.commit;
    if (event.type === 'effect_requested' && event.step !== undefined) ofSteps.add(event.effect);
    // What a command has changed is in no commit before the run returns, or a step or a wait has taken it.
    if (event.type === 'effect_settled' && event.outcome.kind === 'changed') commit = event.outcome.commit;
    else if (event.type === 'effect_settled' && !ofSteps.has(event.effect)) commit = null;
  }
  const { cost, result } = model;
  const hasReturned = result?.type === 'run_returned';
  const seen = await runs.inspect(run_id, to);
  const status = seen.ok ? seen.value.status : model.status;
  return {
    side: {
      ...{
        run_id,
        machine: model.machine,
        program,
        digest: trace.program,
        from,
        to,
        last: seen.ok ? seen.value.last_seq : end,
      },
      // A killed run has no end on record.
      ...{ status, state: model.visit?.state ?? null, states: model.states.length - before.visits },
      ...{ effects: model.effects - before.effects, agent_calls: callsIn(model) - before.calls },
      cost: cost === null || before.cost === null ? null : cost - before.cost,
      active_ms: Math.round(model.time.ms - before.activeMs),
      returned: hasReturned ? result.value : null,
      ...omitUndefined({ printed_returned: hasReturned ? result.printed : undefined }),
      error: result?.type === 'run_failed' ? result.error : null,
    },
    trace,
    events: new Map(records.filter(({ seq }) => seq >= from && seq <= to).map((record) => [record.seq, record])),
    values: seen.ok ? { values: seen.value.values, printed: seen.value.printed_values } : null,
    sources: await sourcesOf(runs, run_id),
    files: { commit, tipOf: hasWorktree && hasReturned ? run_id : null },
  };
}

const callsIn = ({ attempts }: RunModel): number => attempts.filter(({ request }) => request.kind === 'agent').length;

async function sourcesOf(runs: Runs, run: string): Promise<ReadSide['sources']> {
  const found = await runs.program(run);
  return found.ok ? found.value.sources : [];
}

/** From the entry of a state until another is entered, or from the begin of a step until its attempt ended. */
function rangeOfName(
  records: readonly Recorded[],
  { name, entry }: Extract<Range, { name: string }>,
  written: string,
  end: number,
): { readonly from: number; readonly to: number } {
  const model = new RunModel({ keeps: () => false });
  for (const record of records) model.take(record);
  const states = model.visits.filter(({ entered }) => entered);
  const visits = states.filter(({ state }) => state === name);
  const begun = records.filter(({ event }) => event.type === 'step_started' && event.step === name);
  const found = visits.length > 0 ? visits : begun;
  const from = found[entry - 1];
  if (from === undefined) {
    const known = [...new Set(states.map(({ state }) => state))];
    throw new RunRefused(
      'wrong-use',
      found.length === 0
        ? `\`${written}\`: the run has not been in a state or step \`${name}\``
        : `\`${written}\`: the run was in \`${name}\` only ${found.length === 1 ? 'once' : `${found.length} times`}`,
      found.length === 0 && known.length > 0
        ? `it was in ${known
            .slice(0, 10)
            .map((one) => `\`${one}\``)
            .join(', ')}`
        : undefined,
    );
  }
  const next =
    visits.length > 0
      ? states.find(({ seq }) => seq > from.seq)
      : records.find(({ seq, event }) => seq > from.seq && event.type === 'step_completed' && event.step === name);
  const to = next === undefined ? end : visits.length > 0 ? next.seq - 1 : next.seq;
  return { from: from.seq, to };
}

function eventOf(own: ReadSide, others: ReadSide, seq: number | null, other: number | null): DifferentLine | null {
  const record = seq === null ? undefined : own.events.get(seq);
  if (record === undefined) return null;
  const { event } = record;
  const counterpart = other === null ? undefined : others.events.get(other)?.event;
  const members = counterpart?.type === event.type ? differentMembers(event, counterpart) : '';
  return {
    ...{ seq: record.seq, type: event.type, text: eventGist(event, { hasValues: true }) },
    ...(members === '' ? {} : { differs: members }),
  };
}

/** The lines of each file that only one of the programs has. */
function differentSources(left: ReadSide['sources'], right: ReadSide['sources']): RunDiff['program'] {
  const names = [...new Set([...left, ...right].map(({ name }) => name))];
  // The main file may have another name.
  const [first] = left;
  const [second] = right;
  const renamed = first !== undefined && second !== undefined && first.name !== second.name;
  const pairs = renamed
    ? [{ name: `${first.name} → ${second.name}`, a: first.text, b: second.text }]
    : names.map((name) => ({ name, a: textOf(left, name), b: textOf(right, name) }));
  return pairs.flatMap(({ name, a, b }) => {
    if (a === b) return [];
    const lines = pairVisits(linesOf(a), linesOf(b)).flatMap(({ left: one, right: other }) =>
      one !== null && other !== null ? [] : [one === null ? `+${other?.state}` : `-${one.state}`],
    );
    return [{ file: name, lines }];
  });
}

const textOf = (sources: ReadSide['sources'], name: string): string =>
  sources.find((one) => one.name === name)?.text ?? '';

/** Lines are paired as visits are. */
const linesOf = (text: string) =>
  (text === '' ? [] : text.split('\n')).map((state) => ({
    state,
    seq: 0,
    beganMs: 0,
    endedMs: 0,
    effects: 0,
    digest: 0,
  }));

/** Null: one of them worked without a worktree, or no commit has its files, or none any more. */
async function differentFiles(a: ReadSide['files'], b: ReadSide['files'], cwd: string): Promise<RunDiff['files']> {
  if ([a, b].some(({ commit, tipOf }) => commit === null && tipOf === null)) return null;
  try {
    const found = await findRepository(cwd);
    if (found.kind === 'refused') return null;
    const target = { cwd: found.repository.root, gitDir: found.repository.gitDir };
    const [left, right] = await Promise.all(
      [a, b].map(async ({ commit, tipOf }) => (tipOf === null ? commit : await branchTip(target, tipOf))),
    );
    if (left == null || right == null) return null;
    const words = ['diff-tree', '-r', '-z', '--no-renames', '--name-status', left, right];
    const parts = (await git(target, words)).stdout.toString('utf8').split('\0');
    const files: { file: string; change: 'added' | 'removed' | 'changed' }[] = [];
    for (let at = 0; at + 1 < parts.length; at += 2)
      files.push({ file: parts[at + 1] as string, change: CHANGES[parts[at] as string] ?? 'changed' });
    return files;
  } catch (cause) {
    if (cause instanceof GitFailure) return null;
    throw cause;
  }
}

const CHANGES: Readonly<Record<string, 'added' | 'removed'>> = { A: 'added', D: 'removed' };
