/**
 * The tools as data: names, descriptions and arguments, which every client keeps in its context. Together they stay below
 * 1,500 tokens, so each word has to tell what to call next.
 */
import type { Json } from '../machine/expression.js';

export const RUN_STATUSES = ['running', 'returned', 'failed', 'skipped', 'suspended', 'interrupted', 'killed'] as const;

type ToolSchema = { readonly [keyword: string]: Json };

export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ToolSchema;
  readonly outputSchema: ToolSchema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

const text = (description: string): ToolSchema => ({ type: 'string', description });
const longestWait = 50;

const object = (properties: ToolSchema, required: readonly string[] = []): ToolSchema => ({
  type: 'object',
  properties,
  required: [...required],
  additionalProperties: false,
});

const values = (description: string): ToolSchema => ({ type: 'object', description });

const waitFor = (standard: number): ToolSchema => ({
  type: 'number',
  minimum: 0,
  maximum: longestWait,
  default: standard,
  description: 'seconds to wait for its end',
});

const limits: ToolSchema = {
  type: 'object',
  description: 'time in seconds, cost in US dollars',
  properties: {
    transitions: { type: 'integer', minimum: 1 },
    time: { type: 'number', exclusiveMinimum: 0 },
    cost: { type: 'number', exclusiveMinimum: 0 },
    tokens: { type: 'integer', minimum: 1 },
  },
  additionalProperties: false,
};

const runId = text('id of a run, or its beginning; or of a trial');

/**
 * What is known of a run. Members that are empty are left out. None is required: an error has none of them, and clients of
 * older revisions compare errors with it, too.
 */
const runFacts: ToolSchema = {
  type: 'object',
  properties: {
    run_id: { type: 'string' },
    status: { type: 'string' },
    returned: {},
    waiting: { type: 'array' },
    next: { type: 'string' },
    left_out: { type: 'array' },
  },
};

const ANY: ToolSchema = { type: 'object' };

const harmless = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const acting = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

/** The arguments of a tool that starts runs, besides what it starts. */
export const RUN_OPTIONS: ToolSchema = {
  limits,
  wait_s: waitFor(20),
  confirm: { type: 'boolean', description: 'start it although its bound exceeds `confirm_above`' },
  key: text('the same key never starts a second run'),
  run_key: text('runs with the same one are executed one at a time'),
  on_busy: { enum: ['wait', 'skip', 'cancel'] },
  fresh: { const: true, description: 'take nothing from the memo' },
  memo_max_age: { type: 'number', exclusiveMinimum: 0, description: 'seconds' },
  only: text('run this state or step alone; what comes before it must be in the memo'),
};

export const TOOLS: readonly ToolDefinition[] = [
  {
    name: 'check',
    title: 'Check a flow',
    description:
      'Find mistakes in a statedsl program without running it: place, message, next step, edits. Give `file` or `text`. Mend all findings before you run it.',
    inputSchema: object({
      file: text('path in the folder of programs'),
      text: text('a program'),
      fix: { type: 'boolean', description: 'also return the text with the safe corrections; no file is changed' },
    }),
    outputSchema: { type: 'object', properties: { valid: { type: 'boolean' }, findings: { type: 'array' } } },
    annotations: harmless,
  },
  {
    name: 'run',
    title: 'Run a flow',
    description:
      'Run a program: `program` (name or path from `list`), `file` or `text`. Returns the result, or where the run stands and its `run_id`; it continues without you, so follow it with `get`. Commands and agents of the program are executed. With `trial`, it is tried over cases: pass rate, cost, flaky ones.',
    inputSchema: object({
      program: text('a listed program'),
      file: text('path in the folder of programs'),
      text: text('a program'),
      inputs: values('values of its INPUTs by name'),
      name: text('what to call the run'),
      trial: object(
        {
          cases: text('file with a list of {name, inputs, expect: [lines of EXPECT]}'),
          count: { type: 'integer', minimum: 1, default: 10 },
          against: text('second program'),
          agents: values('other agents by the names that they replace'),
          budget: { type: 'number', exclusiveMinimum: 0 },
          jobs: { type: 'integer', minimum: 1 },
        },
        ['cases'],
      ),
      ...RUN_OPTIONS,
    }),
    outputSchema: runFacts,
    annotations: acting,
  },
  {
    name: 'get',
    title: 'Look at a run',
    description:
      'Where a run stands: status, state, what it waits for, cost, result, last events. `part` gives more of it: `events` (whole record), `report` (time and cost), `output` (result and what its commands printed), `graph` (Mermaid).',
    inputSchema: object({
      run_id: text('id of a run, or its beginning, or of a trial (default: the latest run)'),
      wait_s: waitFor(0),
      part: { enum: ['events', 'report', 'output', 'graph'] },
      after: { type: 'integer', minimum: 0, description: 'continue a part: `next_after` of the answer before' },
    }),
    outputSchema: runFacts,
    annotations: harmless,
  },
  {
    name: 'answer',
    title: 'Answer a question of a run',
    description:
      'Give a waiting run what it waits for: `answers` by name, or a `signal`. Questions and approvals are for people: they are shown to the user as a form, and what you propose is only its default. Never answer in place of a person.',
    inputSchema: object(
      {
        run_id: runId,
        answers: values('answers by the names in `waiting`; approvals: true or false'),
        signal: text('name of a signal'),
        payload: { description: 'value of the signal' },
        reason: text('why, for the record'),
      },
      ['run_id'],
    ),
    outputSchema: runFacts,
    annotations: acting,
  },
  {
    name: 'list',
    title: 'List runs, programs or limits',
    description:
      'Runs (newest first), the programs that can be run, with their inputs, or the limits that accounts of agents have reached.',
    inputSchema: object({
      what: { enum: ['runs', 'programs', 'limits', 'trials'], default: 'runs' },
      status: { enum: [...RUN_STATUSES], description: 'only runs with this status' },
      q: text('only what mentions this text'),
      cursor: text('`next_cursor` of the page before'),
    }),
    outputSchema: ANY,
    annotations: harmless,
  },
  {
    name: 'control',
    title: 'Cancel, resume, replay or roll back a run',
    description:
      '`cancel` ends a run for good; `resume` continues a failed, suspended or killed one; `replay` starts a new run at a point of an old one; `rollback` performs the UNDOs of an ended run.',
    inputSchema: object(
      {
        run_id: runId,
        action: { enum: ['cancel', 'resume', 'replay', 'rollback'] },
        from: text('for replay: number of an event, STATE, STATE#2 (second entry), or failed'),
        limits,
      },
      ['run_id', 'action'],
    ),
    outputSchema: runFacts,
    annotations: acting,
  },
];

/** Tools that change nothing. */
export const changesNothing = ({ annotations }: ToolDefinition): boolean => annotations.readOnlyHint;
