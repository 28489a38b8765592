/** Routes that read runs. */
import { createRoute } from '@hono/zod-openapi';
import { hasInput, runCondition, runDays } from '../../app/run-filter.js';
import type { RunFilter } from '../../app/runs.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { reportJson } from '../../runtime/run/run-report.js';
import type { RunStatus } from '../../runtime/store/stored-run.js';
import {
  daysAnswer,
  filesAnswer,
  inspectAnswer,
  limitsAnswer,
  listAnswer,
  programOfRunAnswer,
  reportAnswer,
  schedulesAnswer,
  verifiedAnswer,
} from '../answer-schemas.js';
import { sendEvents, sendOutput } from '../event-streams.js';
import { beforeFirstEvent } from '../executions/waiting-list.js';
import { answer, answerRefusal } from '../http-answer.js';
import { orQueued, queuedRefusal } from '../queued-refusal.js';
import {
  artifactParams,
  daysQuery,
  effectParams,
  eventsQuery,
  inspectQuery,
  listQuery,
  outputQuery,
  programQuery,
  reportQuery,
  runParams,
} from '../schemas.js';
import { answers, type Service, type ServiceApp, textAnswers } from '../service.js';

const TAGS = ['runs'];
const PART = { 206: 'the part that `Range` names, once the effect has ended' };

const list = createRoute({
  method: 'get',
  path: '/runs',
  summary: 'List runs, newest first.',
  tags: TAGS,
  request: { query: listQuery },
  responses: answers(200, listAnswer, '`runs`, and `next` if there are more'),
});

const inspect = createRoute({
  method: 'get',
  path: '/runs/{id}',
  summary: 'Show a run as it is, or as it was after an event.',
  tags: TAGS,
  request: { params: runParams, query: inspectQuery },
  responses: answers(200, inspectAnswer, 'as `statedsl show --json` prints it'),
});

const events = createRoute({
  method: 'get',
  path: '/runs/{id}/events',
  summary: 'Events as NDJSON, or as server-sent events whose ids are the numbers of the events.',
  tags: TAGS,
  request: { params: runParams, query: eventsQuery },
  responses: textAnswers(['application/x-ndjson', 'text/event-stream'], 'one event a line, until the run is over', {
    204: 'server-sent events: nothing follows the event that `Last-Event-ID` names',
  }),
});

const output = createRoute({
  method: 'get',
  path: '/runs/{id}/effects/{effect}/output',
  summary: 'What a command or an agent prints, until it has ended.',
  tags: TAGS,
  request: { params: effectParams, query: outputQuery },
  responses: textAnswers(['text/plain'], 'what was printed', PART),
});

const artifact = createRoute({
  method: 'get',
  path: '/runs/{id}/artifacts/{hash}',
  summary: 'A large value or output that an event names.',
  tags: TAGS,
  request: { params: artifactParams },
  responses: textAnswers(['text/plain'], 'its bytes', { ...PART, 304: 'the client has it' }),
});

const program = createRoute({
  method: 'get',
  path: '/runs/{id}/program',
  summary: 'The program of a run as it was when the run started: its texts and its machine.',
  tags: TAGS,
  request: { params: runParams, query: programQuery },
  responses: answers(200, programOfRunAnswer, '`program`, `sources` and `machine`', true),
});

const verified = createRoute({
  method: 'get',
  path: '/runs/{id}/verify',
  summary: 'Whether the record of a run is as it was written.',
  tags: TAGS,
  request: { params: runParams },
  responses: answers(200, verifiedAnswer, 'what is proved, and what is wrong'),
});

const audit = createRoute({
  method: 'get',
  path: '/runs/{id}/audit',
  summary: 'Who did what in a run, when and why, as NDJSON.',
  tags: TAGS,
  request: { params: runParams },
  responses: textAnswers(['application/x-ndjson'], 'one entry a line, as `statedsl export audit` prints it'),
});

const report = createRoute({
  method: 'get',
  path: '/report',
  summary: 'How much time and money runs took, and where.',
  tags: TAGS,
  request: { query: reportQuery },
  responses: answers(200, reportAnswer, 'as `statedsl report --json` prints it'),
});

const schedules = createRoute({
  method: 'get',
  path: '/schedules',
  summary: 'List the schedules of the configuration, with their next times and last outcomes.',
  tags: TAGS,
  responses: answers(200, schedulesAnswer, 'as `statedsl schedules --json` prints it'),
});

const limits = createRoute({
  method: 'get',
  path: '/limits',
  summary: 'Accounts of agents that have reached a limit, and what was spent of budgets.',
  tags: TAGS,
  responses: answers(200, limitsAnswer, 'as `statedsl limits --json` prints it'),
});

const files = createRoute({
  method: 'get',
  path: '/runs/{id}/files',
  summary: 'What a run changed in the files of its worktree, and what `apply` would do now.',
  tags: TAGS,
  request: { params: runParams },
  responses: answers(200, filesAnswer, '`files`, `diff`, and what merging them would do'),
});

interface GivenFilter extends Pick<RunFilter, 'machine' | 'since' | 'until' | 'q' | 'input'> {
  readonly min_cost?: number | undefined;
  readonly min_time?: number | undefined;
}

/** Time in requests is in seconds, as people write it. */
function filterOf({ min_cost, min_time, ...filter }: GivenFilter): RunFilter {
  const minTimeMs = min_time === undefined ? undefined : min_time * 1000;
  return { ...filter, ...omitUndefined({ minCost: min_cost, minTimeMs }) };
}

/** The statuses that the record of a run can have; null: all. */
function recordedStatuses(wanted: string | undefined): RunStatus[] | null {
  return wanted === undefined ? null : (wanted.split(',').filter((one) => one !== 'queued') as RunStatus[]);
}

export function addReadRoutes(app: ServiceApp, service: Service): void {
  const { runs, executions } = service;

  app.openapi(schedules, (c) => answer(c, runs.schedules()));

  app.openapi(limits, (c) => answer(c, runs.limits()));

  app.openapi(list, async (c) => {
    const { cursor, limit, status: wanted, ...given } = c.req.valid('query');
    const filter = filterOf(given);
    const statuses = wanted?.split(',') ?? null;
    const recorded = recordedStatuses(wanted);
    const queued = executions.queuedRuns();
    const isQueued = new Set(queued.map(({ run_id }) => run_id));
    const after = cursor === undefined ? {} : { after: cursor };
    const isWanted = runCondition({ ...filter, ...after });
    const hiddenOf = (id: string) => ({ hasInput: (one: string) => hasInput(executions.inputsOf(id), one) });
    const first = queued
      .filter((run) => (statuses === null || statuses.includes(run.status)) && isWanted(run, hiddenOf(run.run_id)))
      .sort(byNewest);
    // One more than the page holds: those that are queued, too, may be among them.
    const found =
      recorded?.length === 0
        ? { ok: true as const, value: { runs: [] } }
        : await runs.list({
            ...filter,
            limit: limit + isQueued.size + 1,
            ...(recorded && { status: recorded }),
            ...after,
          });
    if (!found.ok) return answerRefusal(c, found.refusal);
    const rest = found.value.runs.filter(({ run_id }) => !isQueued.has(run_id));
    const all = [...first, ...rest].sort(byNewest);
    const page = all.slice(0, limit);
    return c.json({ runs: page, ...(all.length > page.length && { next: page[page.length - 1]?.run_id }) }, 200);
  });

  app.openapi(files, async (c) => {
    const { id } = c.req.valid('param');
    const refusal = await queuedRefusal(service, id, c.req.raw.signal);
    return refusal === null ? answer(c, runs.files(id)) : answerRefusal(c, refusal, refusal.code === 'held');
  });

  app.openapi(inspect, async (c) => {
    const { id } = c.req.valid('param');
    const { at } = c.req.valid('query');
    const waiting = executions.find(id);
    const result = await runs.inspect(waiting?.run_id ?? id, at ?? null);
    // A queued run has no record yet, unless it was executed before.
    if (!result.ok && waiting !== null) return c.json(beforeFirstEvent(waiting), 200);
    if (!result.ok) return answerRefusal(c, result.refusal);
    const run =
      waiting === null || waiting.status === 'failed' ? result.value : { ...result.value, status: waiting.status };
    // As `c.json`, with numbers as they were written.
    return c.body(reportJson(run, true), 200, { 'Content-Type': 'application/json' }) as never;
  });

  app.openapi(events, async (c) => {
    const { id } = c.req.valid('param');
    const { after = 0, follow } = c.req.valid('query');
    const queued = executions.find(id);
    const run = queued?.run_id ?? id;
    // It has no record yet, and so no events.
    const isUnrecorded = queued !== null && !(await runs.events(run)).ok;
    const isLater = isUnrecorded && queued.status !== 'failed';
    const refusal = isUnrecorded && !isLater ? await queuedRefusal(service, run, c.req.raw.signal) : null;
    if (refusal !== null) return answerRefusal(c, refusal);
    if (isLater && follow === 'false')
      return c.body('', 200, { 'Content-Type': 'application/x-ndjson; charset=utf-8' });
    const begin = async (): Promise<string | null> => {
      await executions.untilRecorded(run, c.req.raw.signal);
      return executions.find(run)?.error?.message ?? null;
    };
    const isFollowing = follow !== 'false';
    return sendEvents(c, runs, {
      id: run,
      after,
      isFollowing,
      begin: isLater ? begin : null,
      readers: service.readers,
    });
  });

  app.openapi(output, async (c) => {
    const { id, effect } = c.req.valid('param');
    const { stream, raw, follow } = c.req.valid('query');
    const { signal } = c.req.raw;
    const options = { stream, raw: raw === 'true', follow: follow !== 'false', signal };
    return sendOutput(c, (from) => orQueued(service, id, signal, () => runs.output(id, effect, { ...options, from })));
  });

  app.openapi(artifact, async (c) => {
    const { id, hash } = c.req.valid('param');
    const { signal } = c.req.raw;
    return sendOutput(c, (from) => orQueued(service, id, signal, () => runs.artifact(id, hash, { from })), hash);
  });

  app.openapi(program, async (c) => {
    const { id } = c.req.valid('param');
    const { digest } = c.req.valid('query');
    return answer(
      c,
      orQueued(service, id, c.req.raw.signal, () => runs.program(id, digest)),
    );
  });

  app.openapi(verified, async (c) => {
    const { id } = c.req.valid('param');
    return answer(
      c,
      orQueued(service, id, c.req.raw.signal, () => runs.verify(id)),
    );
  });

  app.openapi(audit, async (c) => {
    const { id } = c.req.valid('param');
    const entries = await orQueued(service, id, c.req.raw.signal, () => runs.audit(id));
    if (!entries.ok) return answerRefusal(c, entries.refusal);
    const text = entries.value.map((entry) => `${reportJson(entry)}\n`).join('');
    return c.body(text, 200, { 'Content-Type': 'application/x-ndjson; charset=utf-8' });
  });

  app.openapi(report, async (c) => {
    const { run, last } = c.req.valid('query');
    if (run !== undefined && last !== undefined)
      return c.json({ code: 'wrong-use', message: '`run` and `last` both choose runs', help: 'give one of them' }, 422);
    const scope = { ...(run !== undefined && { run }), ...(last !== undefined && { last }) };
    const read = () => runs.report(scope);
    return answer(c, run === undefined ? read() : orQueued(service, run, c.req.raw.signal, read));
  });
}

type WithRunId = { readonly run_id: string };

/** The time of their beginning is a part of ids. */
const byNewest = (a: WithRunId, b: WithRunId): number => (a.run_id < b.run_id ? 1 : a.run_id > b.run_id ? -1 : 0);

const show = createRoute({
  method: 'get',
  path: '/days',
  summary: 'How many runs started on each day, by program, and how much time and money they took.',
  tags: ['runs'],
  request: { query: daysQuery },
  responses: answers(200, daysAnswer, '`days`, from old to new'),
});

/** Runs by day and program: for the chart of the page. */
export function addDaysRoute(app: ServiceApp, { runs }: Service): void {
  app.openapi(show, async (c) => {
    const { zone, status: wanted, ...given } = c.req.valid('query');
    const statuses = recordedStatuses(wanted);
    if (statuses?.length === 0) return c.json({ days: [] }, 200);
    const found = await runs.list({ ...filterOf(given), ...(statuses && { status: statuses }) });
    if (!found.ok) return answerRefusal(c, found.refusal);
    return c.json({ days: runDays(found.value.runs, zone) }, 200);
  });
}
