/**
 * What answers hold, for the OpenAPI document. Objects are those that `--json` prints; members that only some of them have
 * are described in the manual. Tests hold every answer against these schemas.
 */
import { z } from '@hono/zod-openapi';
import { RUN_STATUSES } from './schemas.js';

const time = z.string().openapi({ description: 'ISO 8601' });
const json = z.unknown().openapi({ description: 'any JSON value' });
const count = z.number().int().nonnegative();
const amount = z.number().nonnegative();
const status = z.enum(RUN_STATUSES);
const dollars = amount.openapi({ description: 'US dollars' });
const values = z.record(z.string(), json);
const tokens = z.object({ in: count, out: count, cache_read: count, cache_write: count });

export const errorAnswer = z
  .looseObject({ code: z.string(), message: z.string(), help: z.string().nullable() })
  .openapi('Error', { description: '`code` is for programs, `message` for people; `help` is one next step' });

const bound = z
  .looseObject({
    calls: z.number().nullable(),
    cost: z.number().nullable(),
    agents: z.array(z.looseObject({ agent: z.string(), at_most: z.number().nullable() })),
    problem: z.literal('not computed').optional(),
  })
  .openapi('Bound', { description: 'how many times agents are called, and what they cost, at most; null: no number' });

export const startedAnswer = z
  .object({ run_id: z.string(), status: z.enum(['queued', 'running', 'skipped']), bound: bound.optional() })
  .openapi('Started', { description: '`bound`: of a new run that calls agents' });

export const healthAnswer = z.object({ status: z.literal('ok') }).openapi('Health');

export const serviceAnswer = z
  .object({ version: z.string(), where: z.string(), read_only: z.boolean() })
  .openapi('Service', { description: '`where`: the folder of the runs' });

const listedRun = z
  .looseObject({
    run_id: z.string(),
    machine: z.string().nullable(),
    title: z.string().nullable().openapi({ description: 'what a person calls it' }),
    status,
    state: z.string().nullable(),
    started_at: time,
    active_since: time.optional(),
    ended_at: time.nullable(),
    duration_ms: amount.nullable(),
    cost: dollars.nullable(),
    effects: count.nullable(),
    key: z.string().optional(),
    replay_of: z.string().optional().openapi({ description: 'the run of which it is a copy' }),
    error: z
      .unknown()
      .optional()
      .openapi({ description: 'why it failed: one line, or an object of a run that did not begin' }),
    result: z.string().optional().openapi({ description: 'what it returned, in one line' }),
    waiting: z
      .array(z.looseObject({ kind: z.string() }))
      .optional()
      .openapi({ description: 'what it waits for, if it is suspended: at most ten, without choices and shown values' }),
  })
  .openapi('ListedRun');

export const listAnswer = z
  .object({ runs: z.array(listedRun), next: z.string().optional() })
  .openapi('RunList', { description: '`next`, for `cursor`, is there if there are more' });

export const waitingAnswer = z
  .object({
    runs: z.array(listedRun.extend({ waiting: z.array(z.looseObject({ kind: z.string() })) })),
    complete: z.boolean(),
  })
  .openapi('WaitingRuns', { description: '`complete`: the service has looked at all suspended runs' });

export const inspectAnswer = z
  .looseObject({
    run_id: z.string(),
    machine: z.string().nullable(),
    title: z.string().nullable(),
    status,
    state: z.string().nullable(),
    started_at: time,
    states: z.array(z.string()),
    returned: json,
    tracked: values,
    error: z.looseObject({ kind: z.string(), message: z.string() }).nullable(),
    waiting: z.array(z.looseObject({ kind: z.string() })),
    cost: dollars.nullable(),
    tokens,
    effects: count.nullable(),
    seq: count,
    at: time,
    last_seq: count,
    inputs: values,
    bound: values,
    values,
  })
  .openapi('Run', {
    description: 'as `statedsl show --json` prints it; a run that is queued is as before its first event',
  });

export const schedulesAnswer = z
  .object({
    schedules: z.array(
      z.looseObject({
        name: z.string(),
        program: z.string(),
        cron: z.string(),
        zone: z.string(),
        next: z.array(time),
        last: z
          .looseObject({ due: time, outcome: z.enum(['started', 'missed', 'refused']), run_id: z.string().optional() })
          .nullable(),
      }),
    ),
    active: z.boolean(),
  })
  .openapi('Schedules', { description: '`active`: a service executes the runs, so the schedules are started' });

export const limitsAnswer = z
  .object({
    limits: z.array(
      z.looseObject({ account: z.string(), since: time, until: time, state: z.enum(['waits', 'probe', 'ramp']) }),
    ),
    budgets: z.array(z.looseObject({ program: z.string(), day: z.string(), spent: z.number(), reserved: z.number() })),
    problems: z.array(z.string()),
  })
  .openapi('Limits', { description: 'as `statedsl limits --json` prints it' });

export const clearedAnswer = z
  .object({ cleared: z.array(z.string()) })
  .openapi('ClearedLimits', { description: 'the accounts whose calls begin again' });

export const deliveredAnswer = z
  .object({ run_id: z.string(), delivery: z.enum(['recorded', 'passed-on']) })
  .openapi('Delivered', { description: '`passed-on`: the process that executes the run gets it' });

export const cancelledAnswer = z
  .looseObject({
    run_id: z.string(),
    status: z.literal('failed'),
    error: z.object({ kind: z.literal('cancelled') }),
  })
  .openapi('Cancelled', { description: '`undo`: what a rollback would perform' });

export const appliedAnswer = z
  .looseObject({ run_id: z.string(), status: z.enum(['applied', 'contained']), commit: z.string() })
  .openapi('Applied', { description: 'as `statedsl apply --json` prints it' });

export const filesAnswer = z
  .object({
    run_id: z.string(),
    branch: z.string(),
    base: z.string(),
    files: z.array(
      z.object({
        path: z.string(),
        status: z.enum(['added', 'changed', 'removed']),
        added: count.nullable(),
        removed: count.nullable(),
      }),
    ),
    diff: z.string(),
    truncated: z.boolean(),
    merge: z.looseObject({ into: z.string() }),
  })
  .openapi('Files', {
    description:
      '`merge`: `into` which branch, and the files that would be in `conflicts`, or that it is `contained` there',
  });

export const programOfRunAnswer = z
  .looseObject({
    run_id: z.string(),
    program: z.string().nullable(),
    machine: z.looseObject({ name: z.string() }),
    sources: z.array(z.looseObject({ name: z.string(), text: z.string() })),
    folders: z.array(z.string()),
  })
  .openapi('ProgramOfRun', { description: '`folders`: where its commands work and where its program is' });

export const verifiedAnswer = z
  .looseObject({
    run_id: z.string(),
    status: z.enum(['unbroken', 'broken', 'not-signed', 'not-chained']),
    words: z.string(),
    events: count,
    head: z.object({ seq: count, hash: z.string() }).nullable(),
    signed: z.object({ key: z.string(), seq: count, checked: z.boolean() }).nullable(),
    problems: z.array(z.object({ seq: count.optional(), message: z.string() })),
    notes: z.array(z.string()),
  })
  .openapi('VerifiedRecord', { description: 'as `statedsl verify-record --json` prints it' });

export const daysAnswer = z
  .object({
    days: z.array(
      z.object({
        day: z.string(),
        machine: z.string().nullable(),
        runs: count,
        failed: count,
        duration_ms: amount,
        cost: dollars,
      }),
    ),
  })
  .openapi('Days', { description: 'from old to new' });

const rows = z.array(z.looseObject({}));

export const reportAnswer = z
  .looseObject({
    runs: z.array(
      z.looseObject({
        run_id: z.string(),
        machine: z.string(),
        status,
        started_at: time,
        duration_ms: amount,
        cost: dollars.nullable(),
        tokens,
        retries: count,
        damage: z
          .object({ message: z.string(), seq: count.optional(), byte: count.optional() })
          .optional()
          .openapi({ description: 'its record is damaged: only what comes before is counted' }),
      }),
    ),
    duration_ms: amount,
    cost: dollars.nullable(),
    tokens,
    effects: count,
    attempts: count,
    retries: count,
    failed: count,
    states: rows,
    steps: rows,
    tools: rows,
    waits: rows,
    limits: rows,
    events: rows,
  })
  .openapi('Report', { description: 'as `statedsl report --json` prints it' });

const listedPrograms = z.array(z.looseObject({ path: z.string(), name: z.string().nullable() }));

export const programsAnswer = z
  .object({
    programs: listedPrograms,
    workflows: listedPrograms,
    plans: z.array(z.looseObject({ path: z.string() })),
    patterns: listedPrograms,
  })
  .openapi('Programs', { description: 'as `statedsl list --json` prints it' });

const diagnostics = z.array(z.looseObject({ code: z.string(), severity: z.string(), message: z.string() }));

export const programAnswer = z
  .object({
    name: z.string(),
    inputs: z.array(z.looseObject({ name: z.string() })),
    machines: z.array(z.string()),
    diagnostics,
    graph: z.string().nullable(),
  })
  .openapi('Program', { description: '`graph`: in Mermaid; null if the program has errors' });

export const checkAnswer = z
  .object({ valid: z.boolean(), diagnostics, bound: z.union([bound, z.null()]).optional() })
  .openapi('Checked', { description: '`bound`: of a run with the given inputs; null: it calls no agents' });

const removedRun = z.looseObject({ run_id: z.string(), machine: z.string().nullable(), status });

export const removedAnswer = z
  .looseObject({ removed: z.array(removedRun), kept: z.array(removedRun), bytes: count, dry_run: z.boolean() })
  .openapi('Removed', { description: 'as `statedsl gc --json` prints it' });

const trial = {
  trial_id: z.string(),
  status: z.enum(['queued', 'running', 'complete', 'parked', 'budget', 'interrupted']),
};

export const trialAnswer = z
  .looseObject({ ...trial, started_at: time, runs: count, open: count, variants: rows })
  .openapi('Trial', { description: 'as `statedsl trial --json` prints it' });

export const trialsAnswer = z.object({ trials: z.array(trialAnswer) }).openapi('Trials');

export const promisedTrialAnswer = z
  .object({ ...trial, runs: count, open: count, bound: bound.optional() })
  .openapi('StartedTrial', { description: '`open`: the runs that are left' });

export const stoppedTrialAnswer = z.object(trial).openapi('InterruptedTrial');
