/** What requests may hold: these schemas validate requests, and the OpenAPI document is made of them. */
import { z } from '@hono/zod-openapi';
import { isZone } from '../app/run-filter.js';
import { isJsonObject } from '../prelude/json-object.js';

export const RUN_STATUSES = [
  'queued',
  'running',
  'returned',
  'failed',
  'skipped',
  'suspended',
  'interrupted',
  'killed',
] as const;

const json = z.unknown().openapi({ description: 'any JSON value' });
/** Zod's own `record` leaves out a member called `__proto__`, which must be refused like every unknown name. */
const values = z
  .custom<Readonly<Record<string, unknown>>>(isJsonObject, 'must be an object')
  .openapi({ type: 'object', additionalProperties: { description: 'any JSON value' } });
const name = z.string().min(1).max(200);
const count = z.coerce.number().int().nonnegative();

/** The id of a run or the beginning of one: it becomes a part of a path. */
export const runId = z
  .string()
  .regex(/^[0-9a-f][0-9a-f-]{0,35}$/i, 'is not the id of a run')
  .openapi({
    description: 'the id of a run, or the beginning or end of it',
    example: '01975c3a-5b9e-7c2f-9d1a-3f0e6b8c4d21',
  });

export const hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'is not a SHA-256 in lower case')
  .openapi({ description: 'the SHA-256 of an artifact, as an event of the run names it' });

export const runParams = z.object({ id: runId });
export const effectParams = z.object({ id: runId, effect: z.string().min(1).max(500) });
export const artifactParams = z.object({ id: runId, hash });

/** The rest may be anything that can be read: an hour, an offset. A number alone would be read as a month or a year. */
const DATE = /^\d{4}-\d\d-\d\d/;

const time = z
  .string()
  .refine((text) => DATE.test(text) && !Number.isNaN(Date.parse(text)), 'is not a time, such as 2030-01-31T12:00:00Z');

export const listQuery = z.strictObject({
  status: z
    .string()
    .regex(
      new RegExp(`^(${RUN_STATUSES.join('|')})(,(${RUN_STATUSES.join('|')}))*$`),
      'is not a status, or several with commas between',
    )
    .optional()
    .openapi({
      description: 'only runs with this status, or one of several with commas between',
      example: 'failed,killed',
    }),
  machine: name.optional(),
  key: name.optional().openapi({ description: 'only runs with this key' }),
  since: time.optional().openapi({ description: 'only runs that started at this time or later' }),
  until: time.optional().openapi({ description: 'only runs that started before this time' }),
  q: z.string().max(1000).optional().openapi({ description: 'only runs that mention this text' }),
  input: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .openapi({ description: 'only runs with this input, as `name` or `name=value`' }),
  min_cost: z.coerce
    .number()
    .nonnegative()
    .optional()
    .openapi({ description: 'only runs that cost at least so many US dollars' }),
  min_time: z.coerce
    .number()
    .nonnegative()
    .optional()
    .openapi({ description: 'only runs that took at least so many seconds' }),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  cursor: runId.optional().openapi({ description: '`next` of the page before' }),
});

export const waitingQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});

export const daysQuery = listQuery.omit({ limit: true, cursor: true }).extend({
  zone: z
    .string()
    .max(60)
    .refine(isZone, 'is not a time zone, such as Europe/Vienna')
    .default('UTC')
    .openapi({ description: 'where the days begin' }),
});

export const inspectQuery = z.strictObject({
  at: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .openapi({ description: 'the run as it was after the event with this number' }),
});

export const programQuery = z.strictObject({
  digest: hash
    .optional()
    .openapi({ description: 'an edited program in which the run was resumed; default: its first' }),
});

const flag = z.enum(['true', 'false']);

export const eventsQuery = z.strictObject({
  after: count.optional().openapi({ description: 'only events with a higher number; default 0' }),
  follow: flag.optional().openapi({ description: '`false`: only what is on record; default until the run is over' }),
});

export const outputQuery = z.strictObject({
  stream: z.enum(['stdout', 'stderr']).default('stdout'),
  raw: flag.optional().openapi({ description: 'of an agent: everything that its program printed' }),
  follow: flag.optional().openapi({ description: '`false`: only what is there; default until the effect has ended' }),
});

export const reportQuery = z.strictObject({
  run: runId.optional(),
  last: z.coerce.number().int().min(1).max(10_000).optional(),
});

const limits = z
  .strictObject({
    transitions: z.number().int().positive().optional(),
    time: z.number().positive().optional().openapi({ description: 'seconds' }),
    cost: z.number().positive().optional().openapi({ description: 'US dollars' }),
    tokens: z.number().int().positive().optional(),
  })
  .openapi('Limits');

const confirm = z.boolean().optional().openapi({ description: 'start it although its bound exceeds `confirm_above`' });

export const startBody = z
  .strictObject({
    program: z.string().min(1).max(4096).optional().openapi({ description: 'a path that `GET /programs` lists' }),
    text: z.string().optional().openapi({ description: 'the text of a program, where the service accepts texts' }),
    name: name.optional().openapi({ description: 'what to call the run, in lists and notices' }),
    inputs: values.optional(),
    limits: limits.optional(),
    key: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .openapi({ description: 'runs with the same key are executed one at a time; default: the KEY of the program' }),
    on_busy: z.enum(['wait', 'skip', 'cancel']).optional().openapi({
      description: 'what happens if another run has the key: it waits (default), is skipped, or cancels the other one',
    }),
    key_while: z
      .literal('running')
      .optional()
      .openapi({ description: 'it has the key only while it is executed; default: until it ends' }),
    confirm,
    fresh: z
      .literal(true)
      .optional()
      .openapi({ description: 'nothing is taken from the memo; what is executed is remembered' }),
    memo_max_age: z
      .number()
      .positive()
      .optional()
      .openapi({ description: 'outcomes in the memo that are older are not used; seconds' }),
    only: name.optional().openapi({
      description:
        'only this state or step is executed: what comes before it must be in the memo, and the run stops after it',
    }),
  })
  .refine(({ program, text }) => (program === undefined) !== (text === undefined), 'needs either `program` or `text`')
  .openapi('StartRun');

const reason = z.string().min(1).max(10_000).openapi({ description: 'why the person decides so, for the record' });

export const answersBody = z
  .strictObject({
    answers: values
      .refine((answers) => Object.keys(answers).length > 0, 'holds no answer')
      .openapi({
        description: 'the answers, by the name of the question or by its id, as `waiting` has it',
        example: { 'approve@1': 'yes' },
      }),
    reason: reason.optional(),
  })
  .openapi('Answers');

export const signalBody = z
  .strictObject({
    name: name.openapi({ description: 'the signal, or the id of a wait for it', example: 'deployed' }),
    payload: json.optional(),
  })
  .openapi('Signal');

export const clearBody = z
  .strictObject({ account: z.string().min(1).openapi({ description: 'an account, the beginning of one, or `all`' }) })
  .openapi('ClearLimits');

const budget = z.number().positive().optional().openapi({ description: 'what all runs may cost together; US dollars' });
const jobs = z.number().int().min(1).max(1000).optional().openapi({ description: 'runs at the same time; default 1' });

export const trialBody = z
  .strictObject({
    program: z.string().min(1).max(4096).openapi({ description: 'a path that `GET /programs` lists' }),
    cases: z.union([z.string().min(1).max(4096), z.array(json).min(1)]).openapi({
      description:
        'a file of the folder of programs, or its content: a list of objects with `name`, `inputs` and `expect`',
    }),
    count: z
      .number()
      .int()
      .min(1)
      .max(100_000)
      .optional()
      .openapi({ description: 'how many times each case runs; default 10' }),
    against: z.string().min(1).max(4096).optional().openapi({ description: 'another program over the same cases' }),
    agents: z
      .record(z.string(), z.string())
      .optional()
      .openapi({ description: 'the same program with other agents, by the names that they replace' }),
    budget,
    jobs,
    confirm,
  })
  .openapi('StartTrial');

export const resumeTrialBody = z.strictObject({ budget, jobs, confirm }).openapi('ResumeTrial');

export const interruptBody = z.strictObject({}).openapi('Interrupt');

export const cancelBody = z.strictObject({}).openapi('Cancel');

export const removeBody = z
  .strictObject({
    runs: z
      .array(z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'is not the whole id of a run'))
      .min(1)
      .max(1000)
      .openapi({ description: 'the whole ids of the runs to remove' }),
    all: z
      .boolean()
      .optional()
      .openapi({ description: 'also those that could be resumed, and those with changes that were not applied' }),
    dry_run: z.boolean().optional().openapi({ description: 'only says what would be removed' }),
  })
  .openapi('Remove');

export const applyBody = z.strictObject({}).openapi('Apply');

export const resumeBody = z
  .strictObject({
    limits: limits.optional(),
    inputs: values.optional().openapi({
      description: 'secret inputs: they are not stored, so they are given again, unless the service still has them',
    }),
  })
  .openapi('Resume');

export const replayBody = z
  .strictObject({
    from: z
      .union(
        [
          z.number().int().positive(),
          z.strictObject({ state: name, entry: z.number().int().positive().default(1) }),
          z.string().min(1).max(200),
        ],
        {
          error: 'must be the number of an event, `{"state": NAME, "entry": N}`, a text such as `STATE#2`, or `failed`',
        },
      )
      .openapi({
        description:
          'the number of an event, an entry of a state, also as `--from` of the command takes it (`BUILD#2`), or `failed`: all members that failed',
      }),
    limits: limits.optional(),
    inputs: values
      .optional()
      .openapi({ description: 'secret inputs of the old run, unless the service still has them' }),
  })
  .openapi('Replay');

export const checkBody = z
  .strictObject({
    program: z.string().min(1).max(4096).optional(),
    text: z.string().optional(),
    name: z
      .string()
      .min(1)
      .max(4096)
      .refine((name) => !name.split('/').includes('..') && !/^\/|\0/.test(name), 'leads out of the folder of programs')
      .optional()
      .openapi({ description: 'the file name that a text would have' }),
    inputs: values.optional().openapi({ description: 'of a run that is meant: the answer has its bound' }),
    limits: limits.optional().openapi({ description: 'of that run' }),
  })
  .refine(({ program, text }) => (program === undefined) !== (text === undefined), 'needs either `program` or `text`')
  .openapi('Check');
