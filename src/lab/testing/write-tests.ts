/** Tests from traces: each is executed once, and only what does as its trace is written. */
import { basename, resolve } from 'node:path';
import { type ProjectHost, withOpenTexts } from '../../app/project/project-host.js';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import type { RunReport } from '../../runtime/run/run-report.js';
import { waysTo } from '../foresight/ways-to.js';
import type { Coverage, CoveredItem } from './coverage.js';
import { draftOf, type TestDraft, valueText } from './draft-tests.js';
import { loadSuite } from './load-suite.js';
import { modelOf } from './run-facts.js';
import { executeTest } from './run-test.js';
import type { ExecutedTest, TestOptions } from './suite.js';
import { rowsOf } from './test-rows.js';

interface WrittenTests {
  readonly text: string;
  readonly count: number;
  /** The names of those that do something else as a test. */
  readonly left: readonly string[];
}

/** Where a test is written, and to be found when it is executed. */
interface WrittenFile {
  /** The test file, as the host calls it; it need not exist. */
  readonly file: string;
  /** The line `TESTS: …`. */
  readonly head: string;
  readonly host: ProjectHost;
}

interface WrittenTestFile extends WrittenFile {
  /** Comments above it. */
  readonly comment: string;
  readonly drafts: readonly TestDraft[];
}

/** How often mocks are added for what follows after a trace. */
const MOST_ROUNDS = 12;
/** A test with more states says nothing to people. */
const MOST_STATES = 200;
/** A value up to this length is expected as it is. */
const LONGEST_VALUE = 60;

export async function writeTests({ file, head, comment, host, drafts }: WrittenTestFile): Promise<WrittenTests> {
  let text = '';
  const left: string[] = [];
  let count = 0;
  for (const draft of drafts) {
    const test = await testOf(draft, { file, head, host });
    if (test === null) left.push(draft.name);
    else {
      text += `\n${test}`;
      count++;
    }
  }
  return { text: `${comment}${head}\n${text}`, count, left };
}

/** Null: it does something else as a test. */
async function testOf(draft: TestDraft, given: WrittenFile): Promise<string | null> {
  if (draft.states.length > MOST_STATES) return null;
  const lines = [...draft.lines];
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const executed = await execute(textOf(draft.name, lines), given);
    if (executed === null) return null;
    const missing = executed.problems.flatMap(({ offset, help }) =>
      offset === null && help?.startsWith('MOCK: ') === true ? [help] : [],
    );
    const [first] = missing;
    if (!draft.isWhole && executed.problems.length > 0) {
      if (first !== undefined) lines.push(failing(first));
      else if (!addLastAnswer(lines, executed)) return null;
      continue;
    }
    const { report } = executed;
    if (report === null || executed.problems.length > 0 || executed.isStuck || !doesTheSame(draft, executed, report))
      return null;
    // Such a run takes long, and does not depend on the trace.
    if (!draft.isWhole && report.error?.kind === 'limit') return null;
    const states = draft.isWhole ? draft.states : [...draft.states, '…'];
    const test = textOf(draft.name, [...lines, `EXPECT: ${endText(report)}`, `EXPECT: states ${states.join(', ')}`]);
    const again = await execute(test, given);
    return again === null || again.failures.length > 0 ? null : test;
  }
  return null;
}

/** The line of the first line of a test in the text that is executed. */
const FIRST_LINE = 4;

/** What a mock with too few answers gives after the trace. False: there is no such mock. */
function addLastAnswer(lines: string[], { failures }: ExecutedTest): boolean {
  for (const { line } of failures) {
    const mock = lines[line - FIRST_LINE];
    if (mock?.startsWith('MOCK: ') !== true || mock.endsWith('…')) continue;
    lines[line - FIRST_LINE] = `${mock}, fails tool_failure "after the trace", …`;
    return true;
  }
  return false;
}

/** The mock of a request after the trace: it fails, so that the run does not continue for long. */
const failing = (mock: string): string =>
  `${mock.slice(0, mock.lastIndexOf('→'))}→ fails tool_failure "after the trace", …`;

const textOf = (name: string, lines: readonly string[]): string =>
  `TEST: ${name}\n${lines.map((line) => `  ${line}\n`).join('')}`;

/** Executes a test as if it were in its file, and counts what it covers. Null: the file is not correct. */
async function execute(
  test: string,
  { file, head, host }: WrittenFile,
  coverage: Coverage | null = null,
): Promise<ExecutedTest | null> {
  const path = resolve(host.folder, file);
  const files = withOpenTexts(host.files, (one) => (one === path ? `${head}\n\n${test}` : undefined));
  const loaded = await loadSuite({ ...host, files }, file, host.folder);
  if ('missing' in loaded || loaded.suite === null) return null;
  const [only] = loaded.suite.tree.tests.flatMap(rowsOf);
  if (only === undefined) return null;
  if (coverage === null) return executeTest(loaded.suite, only, QUIET);
  const suite = { ...loaded.suite, machine: coverage.watch(loaded.suite.machine) };
  return executeTest(suite, only, { ...QUIET, noteEvents: (events) => coverage.note(events) });
}

const QUIET: TestOptions = {
  cwd: process.cwd(),
  real: null,
  snapshot: () => null,
  noteUse: () => undefined,
  noteEvents: () => undefined,
};

function doesTheSame({ states, isWhole, end }: TestDraft, { events }: ExecutedTest, report: RunReport): boolean {
  // Files that only a worktree can change make gates pass that do not pass in a test.
  if (end !== null && end !== (report.error?.kind ?? report.status)) return false;
  const entered = modelOf(events).states;
  if (isWhole && entered.length !== states.length) return false;
  return states.every((state, at) => entered[at] === state);
}

function endText({ status, returned, error }: RunReport): string {
  if (status === 'suspended') return 'suspended';
  if (status !== 'returned') return error === null ? 'failed' : `failed ${error.kind}`;
  const value = returned === null || isMade(returned) ? '' : valueText(returned);
  return value === '' || value.length > LONGEST_VALUE ? 'returned' : `returned ${value}`;
}

/** Objects and lists are compared by a person, not here. */
const isMade = (value: Json): boolean => typeof value === 'object';

interface SuggestedTests {
  readonly text: string;
  readonly count: number;
  /** What no test was found for. */
  readonly left: readonly CoveredItem[];
}

/** `machine` was watched; `names` are those that other tests of the file have. What the new tests execute counts as covered. */
export async function suggestTests(
  machine: Machine,
  coverage: Coverage,
  given: WrittenFile & { readonly names: ReadonlySet<string> },
): Promise<SuggestedTests> {
  const names = new Set(given.names);
  /** Of two ways that one run goes there is one test. */
  const bodies = new Set<string>();
  let text = '';
  let count = 0;
  // Defaults first: a test says less when it sets no inputs.
  for (const inputs of machine.inputs.length === 0 ? (['defaults'] as const) : (['defaults', 'free'] as const)) {
    const missing = [...(coverage.missing().get(machine) ?? [])].filter(([item]) => coverage.isCounted(item));
    if (missing.length === 0) break;
    missing.sort(([one], [other]) => Number(one.kind === 'line') - Number(other.kind === 'line'));
    const ways = waysTo(
      machine,
      missing.map(([item, positions]) => ({
        positions,
        isShownBy: coverage.shows(item),
      })),
      inputs,
    );
    for (const [at, [item]] of missing.entries()) {
      // A line follows from the way that leads to it.
      if (item.kind === 'line' && item.hits > 0) continue;
      const name = freeName(nameOf(item, machine), names);
      for (const trace of ways[at]?.() ?? []) {
        const draft = trace.isConfirmed ? draftOf(name, trace, null) : null;
        const test = draft === null ? null : await testOf(draft, given);
        if (test === null) continue;
        const body = test.slice(test.indexOf('\n'));
        if (bodies.has(body)) {
          if (item.hits > 0) break;
          continue;
        }
        const before = item.hits;
        await execute(test, given, coverage);
        if (item.hits === before) continue;
        names.add(name);
        bodies.add(body);
        text += `\n${test}`;
        count++;
        break;
      }
    }
  }
  const left = [...(coverage.missing().get(machine)?.keys() ?? [])].filter((item) => coverage.isCounted(item));
  return { text, count, left };
}

/** In a pattern, lines have the name of its file. */
function nameOf({ file, line, label }: CoveredItem, { files }: Machine): string {
  const at = file === files[0] ? `line ${line}` : `${basename(file)} line ${line}`;
  return label === '' ? at : `${at}: ${label.replaceAll(/\s+/g, ' ')}`;
}

function freeName(name: string, names: ReadonlySet<string>): string {
  let free = name;
  for (let number = 2; names.has(free); number++) free = `${name} (${number})`;
  return free;
}
