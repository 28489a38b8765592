/** Lists of runs and programs, in pages that fit into an answer. */
import type { RunFilter } from '../app/runs.js';
import type { Json } from '../machine/expression.js';
import { dollars } from '../views/drawing/amounts.js';
import type { Door } from './door.js';
import { refusalResult } from './findings.js';
import { failedResult, type ToolResult } from './run-view.js';
import { BUDGET, cutText, type ShortMembers } from './short-answer.js';
import type { RUN_STATUSES } from './tool-definitions.js';

export interface ListArguments {
  readonly what?: 'runs' | 'programs' | 'limits' | 'trials';
  readonly status?: (typeof RUN_STATUSES)[number];
  readonly q?: string;
  readonly cursor?: string;
}

const RUNS = 25;
const LONGEST_COMMENT = 160;
const LONGEST_DEFAULT = 60;

export async function listCall(door: Door, given: ListArguments): Promise<ToolResult> {
  if (given.what === 'limits') return listLimits(door, given);
  if (given.what === 'trials') return listTrials(door, given);
  return given.what === 'programs' ? listPrograms(door, given) : listRuns(door, given);
}

async function listRuns(door: Door, { status, q, cursor }: ListArguments): Promise<ToolResult> {
  const filter: RunFilter = {
    limit: RUNS,
    ...(status === undefined ? {} : { status }),
    ...(q === undefined ? {} : { q }),
    ...(cursor === undefined ? {} : { after: cursor }),
  };
  const found = await door.runs.list(filter);
  if (!found.ok) return refusalResult(found.refusal);
  const rows = found.value.runs.map(
    ({ run_id, machine, title, status, state, started_at, cost, cancelled }): ShortMembers => ({
      run_id,
      machine,
      ...(title === null || title === machine ? {} : { title }),
      status,
      ...(cancelled === true ? { cancelled } : {}),
      ...(state === null ? {} : { state }),
      started_at,
      ...(cost === null || cost === 0 ? {} : { cost }),
    }),
  );
  return page('runs', rows, {
    cursorOf: (row) => String(row.run_id),
    next: found.value.next,
    line: ({ run_id, machine, title, status, cancelled, state, started_at, cost }) =>
      `${run_id} ${machine}${title === undefined ? '' : ` "${title}"`} ${cancelled === true ? 'cancelled' : status}${state === undefined ? '' : ` in ${state}`} ${started_at}${typeof cost === 'number' ? ` ${dollars(cost)}` : ''}`,
  });
}

async function listLimits(door: Door, { q = '', cursor, status }: ListArguments): Promise<ToolResult> {
  if (status !== undefined) return failedResult('limits have no status', 'leave out `status`');
  const found = await door.runs.limits();
  if (!found.ok) return refusalResult(found.refusal);
  const rows = found.value.limits
    .filter(({ account }) => account.toLowerCase().includes(q.toLowerCase()) && account > (cursor ?? ''))
    .map(({ account, cause, message, until, state }): ShortMembers => ({ account, cause, message, until, state }));
  return page('limits', rows, {
    cursorOf: ({ account }) => String(account),
    next: undefined,
    line: ({ account, until, state, message }) => `${account} ${state} until ${until}: ${message}`,
  });
}

async function listTrials(door: Door, { q = '', cursor, status }: ListArguments): Promise<ToolResult> {
  if (status !== undefined) return failedResult('trials have no status of a run', 'leave out `status`');
  const { TrialTasks } = await import('../serve/executions/trial-tasks.js');
  const { whyNoTrials } = await import('./trial-calls.js');
  const refused = whyNoTrials(door);
  if (refused !== null) return refused;
  const all = await new TrialTasks(door.programs, door.directory, () => door.executions()).list();
  const rows = all
    .filter(({ trial_id }) => cursor === undefined || trial_id < cursor)
    .map(({ trial_id, status, started_at, cases, runs, open, variants }): ShortMembers => {
      const of = variants.map(({ name, passed, runs: judged }) => ({ name, passed, runs: judged }));
      return { trial_id, status, started_at, cases, runs, open, variants: of };
    })
    .filter((row) => JSON.stringify(row).toLowerCase().includes(q.toLowerCase()));
  return page('trials', rows, {
    cursorOf: ({ trial_id }) => String(trial_id),
    next: undefined,
    line: ({ trial_id, status, variants, runs, open }) =>
      `${trial_id} ${(variants as readonly ShortMembers[]).map(({ name }) => name).join(' against ')} ${status}, ${Number(runs) - Number(open)} of ${runs} runs judged`,
  });
}

async function listPrograms(door: Door, { q, cursor, status }: ListArguments): Promise<ToolResult> {
  if (status !== undefined) return failedResult('programs have no status', 'leave out `status`');
  const found = await door.folder.list();
  if (!found.ok) return refusalResult(found.refusal);
  const { programs, workflows, plans } = found.value;
  const rows: ShortMembers[] = [...programs, ...workflows].map(({ path, name, comment, inputs, errors }) => ({
    path,
    ...(name === null ? {} : { name }),
    ...(comment === null ? {} : { about: cutText(comment, LONGEST_COMMENT) }),
    ...(inputs.length === 0 ? {} : { inputs: inputs.map(inputFacts) }),
    ...(errors === 0 ? {} : { errors }),
  }));
  for (const { path, inputs, errors } of plans)
    rows.push({
      path,
      ...(inputs.length === 0 ? {} : { inputs: inputs.map((name) => ({ name })) }),
      ...(errors === 0 ? {} : { errors }),
    });
  const wanted = rows.filter((row) =>
    JSON.stringify(row)
      .toLowerCase()
      .includes((q ?? '').toLowerCase()),
  );
  wanted.sort((one, other) => (String(one.path) < String(other.path) ? -1 : 1));
  const left = cursor === undefined ? wanted : wanted.filter(({ path }) => String(path) > cursor);
  return page('programs', left, {
    cursorOf: ({ path }) => String(path),
    next: undefined,
    line: ({ path, about, inputs }) => {
      const names = (inputs as readonly ShortMembers[] | undefined)?.map(
        ({ name, required }) => `${name}${required === true ? ' (required)' : ''}`,
      );
      return `${path}${names === undefined ? '' : ` inputs ${names.join(', ')}`}${about === undefined ? '' : `: ${about}`}`;
    },
  });
}

interface ListedInputFacts {
  readonly name: string;
  readonly type: string | null;
  readonly required: boolean;
  readonly default: string | null;
  readonly choices: readonly string[] | null;
}

function inputFacts({ name, type, required, default: standard, choices }: ListedInputFacts): ShortMembers {
  return {
    name,
    ...(type === null ? {} : { type }),
    ...(required ? { required } : {}),
    ...(standard === null ? {} : { default: cutText(standard, LONGEST_DEFAULT) }),
    ...(choices === null ? {} : { choices: choices.slice(0, 20) }),
  };
}

interface PageOptions {
  readonly cursorOf: (row: ShortMembers) => string;
  /** Where the rows after these begin; absent: there are no more. */
  readonly next: string | undefined;
  readonly line: (row: ShortMembers) => string;
}

/** As many rows as fit. */
function page(name: string, rows: readonly ShortMembers[], { cursorOf, next, line }: PageOptions): ToolResult {
  let size = 0;
  const shown: Json[] = [];
  const lines: string[] = [];
  for (const row of rows) {
    const text = cutText(line(row), 1000);
    size += Math.max(JSON.stringify(row).length, text.length) + 1;
    if (size > BUDGET - 300 && shown.length > 0) break;
    shown.push(size > BUDGET - 300 ? { ...row, inputs: [] } : row);
    lines.push(text);
  }
  const last = rows[shown.length - 1];
  const after = shown.length < rows.length && last !== undefined ? cursorOf(last) : next;
  const more: ShortMembers =
    after === undefined ? {} : { next_cursor: after, left_out: [`more ${name}: call it with \`cursor\``] };
  if (after !== undefined) lines.push(`more: \`cursor: "${after}"\``);
  const text = lines.length === 0 ? `there are no ${name}` : lines.join('\n');
  return { content: [{ type: 'text', text }], structuredContent: { [name]: shown, ...more } };
}
