/** Routes that start and change runs. Who did it is in the record of the run. */
import { createRoute } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { RunBounds } from '../../app/programs.js';
import { replayPoint } from '../../app/read-point.js';
import { type Result, resultOf } from '../../app/result.js';
import { whyConfirm } from '../../app/run-bounds.js';
import type { Delivered, Execution } from '../../app/runs.js';
import type { SubmittedRun } from '../../engine/runs/start-on-engine.js';
import { withinRange } from '../../interpreter/values/json.js';
import type { Value } from '../../interpreter/values/value.js';
import type { Json } from '../../machine/expression.js';
import { callsAgents, type Machine } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { newRunId } from '../../runtime/run/run-id.js';
import { inputProblems } from '../../runtime/run/run-inputs.js';
import { type Delivery, isSignalName, nameInId } from '../../runtime/store/inbox.js';
import { parseTraceparent } from '../../runtime/trace/otlp.js';
import { userOf } from '../access.js';
import {
  appliedAnswer,
  cancelledAnswer,
  clearedAnswer,
  deliveredAnswer,
  removedAnswer,
  startedAnswer,
} from '../answer-schemas.js';
import type { Checks } from '../checking.js';
import type { Executions } from '../executions/executions.js';
import { limitsOf, memoOf, printedValues, promisedStart, whyNotResumed } from '../executions/requested-run.js';
import type { Task } from '../executions/waiting-list.js';
import { answer, answerRefusal, answerWith, writtenMember } from '../http-answer.js';
import { queuedRefusal } from '../queued-refusal.js';
import {
  answersBody,
  applyBody,
  cancelBody,
  clearBody,
  removeBody,
  replayBody,
  resumeBody,
  runParams,
  signalBody,
  startBody,
} from '../schemas.js';
import { answers, type Service, type ServiceApp } from '../service.js';
import { findProgram } from './program-routes.js';

const TAGS = ['changes'];

/** Secret inputs of the body with their numbers as they were written. */
async function secretsIn(c: Context, inputs: Readonly<Record<string, Json>>): Promise<Record<string, Json>> {
  const written = (await writtenMember(c, 'inputs')) as Readonly<Record<string, Json>> | undefined;
  return Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, written?.[name] ?? value]));
}

function body<T>(schema: T) {
  return { body: { content: { 'application/json': { schema } }, required: true } } as const;
}

const inputNames = ({ inputs }: Machine): string => inputs.map(({ name }) => `\`${name}\``).join(', ') || 'none';

const start = createRoute({
  method: 'post',
  path: '/runs',
  summary: 'Start a run of a program.',
  tags: TAGS,
  request: body(startBody),
  responses: answers(201, startedAnswer, 'the run, at the address in `Location`'),
});

const give = createRoute({
  method: 'post',
  path: '/runs/{id}/answers',
  summary: 'Answer questions of a run, all of them or none; the run then continues.',
  tags: TAGS,
  request: { params: runParams, ...body(answersBody) },
  responses: answers(200, deliveredAnswer, 'how the answers were delivered'),
});

const remove = createRoute({
  method: 'post',
  path: '/runs/remove',
  summary: 'Remove runs that have ended, with their worktrees.',
  tags: TAGS,
  request: body(removeBody),
  responses: answers(200, removedAnswer, 'which runs were removed, and which stay'),
});

const send = createRoute({
  method: 'post',
  path: '/runs/{id}/signals',
  summary: 'Send a signal to a run; the run then continues.',
  tags: TAGS,
  request: { params: runParams, ...body(signalBody) },
  responses: answers(200, deliveredAnswer, 'how the signal was delivered'),
});

const cancel = createRoute({
  method: 'post',
  path: '/runs/{id}/cancel',
  summary: 'End a run for good.',
  tags: TAGS,
  request: { params: runParams, body: { content: { 'application/json': { schema: cancelBody } } } },
  responses: answers(200, cancelledAnswer, 'as `statedsl cancel --json` prints it'),
});

const resume = createRoute({
  method: 'post',
  path: '/runs/{id}/resume',
  summary: 'Continue a run that was suspended, was interrupted or failed.',
  tags: TAGS,
  request: { params: runParams, ...body(resumeBody) },
  responses: answers(202, startedAnswer, 'the run'),
});

const replay = createRoute({
  method: 'post',
  path: '/runs/{id}/replay',
  summary: 'Execute a new run from a point of an old one.',
  tags: TAGS,
  request: { params: runParams, ...body(replayBody) },
  responses: answers(201, startedAnswer, 'the new run, at the address in `Location`'),
});

const apply = createRoute({
  method: 'post',
  path: '/runs/{id}/apply',
  summary: 'Merge the changes in the worktree of a run into the checkout.',
  tags: TAGS,
  request: { params: runParams, body: { content: { 'application/json': { schema: applyBody } } } },
  responses: answers(200, appliedAnswer, 'as `statedsl apply --json` prints it'),
});

const clear = createRoute({
  method: 'post',
  path: '/limits/clear',
  summary: 'Let the calls of an account that has reached a limit begin again.',
  tags: TAGS,
  request: body(clearBody),
  responses: answers(200, clearedAnswer, 'the accounts'),
});

/** Who sends a request, for the record. */
export const requesterOf = (c: Context, { userHeader, user }: Pick<Service, 'userHeader' | 'user'>): string =>
  (userHeader === null ? null : userOf(c.req.header(userHeader))) ?? user;

const INVALID = {
  code: 'invalid-program',
  message: 'the program has errors',
  help: 'mend what `diagnostics` names',
} as const;

interface BegunFacts {
  readonly status: 201 | 202;
  readonly bound?: RunBounds | null;
}

const boundIn = (bound: RunBounds | null) => (bound === null ? {} : { bound });

export function addChangeRoutes(app: ServiceApp, service: Service): void {
  const { runs, executions, programs } = service;
  const personOf = (c: Context): string => requesterOf(c, service);

  /** Computed elsewhere, so that others are answered meanwhile. What is not known needs a confirmation like what has no bound. */
  async function boundOf(...[source, run]: Parameters<Checks['bounds']>): Promise<RunBounds | null> {
    const bounds = await service.checks.bounds(source, run);
    return bounds.ok ? bounds.value : { calls: null, cost: null, agents: [], problem: 'not computed' };
  }

  async function execute(
    c: Context,
    execution: Parameters<Executions['add']>[0],
    {
      secret = {},
      bound = null,
    }: { readonly secret?: Readonly<Record<string, Json>>; readonly bound?: RunBounds | null },
  ) {
    const { run_id: runId, task, key = null } = execution;
    const added = await executions.add(execution, secret);
    if (!added.ok) return answerRefusal(c, added.refusal);
    // A new run of a checked program begins; whether an old one can continue from there is known when it is tried.
    const refusal = task.kind === 'start' ? null : await executions.untilDecided(runId, c.req.raw.signal);
    if (refusal !== null)
      return answerRefusal(
        c,
        refusal.code === 'cancelled' ? { ...refusal, code: 'over' } : { ...refusal, code: refusal.code },
      );
    c.header('Location', `/api/v1/runs/${runId}`);
    // Whether another run has the key is known when its process has written something, or ended.
    if (key !== null && key.onBusy !== 'wait') await executions.untilLeft(runId, c.req.raw.signal);
    const isSkipped = key !== null && key.onBusy !== 'wait' && (await wasSkipped(runId));
    const status = isSkipped ? 'skipped' : executions.mustWait(runId) ? 'queued' : 'running';
    return c.json({ run_id: runId, status, ...boundIn(bound) }, task.kind === 'resume' ? 202 : 201);
  }

  async function wasSkipped(runId: string): Promise<boolean> {
    const found = await runs.inspect(runId);
    return found.ok && found.value.status === 'skipped';
  }

  /** Workers of an engine execute the run, so it waits for nothing here. */
  async function answerBegun(c: Context, execution: Promise<Result<Execution>>, { status, bound = null }: BegunFacts) {
    const result = await execution;
    if (!result.ok) return answerRefusal(c, result.refusal);
    const { run_id } = result.value.started;
    c.header('Location', `/api/v1/runs/${run_id}`);
    const { standing } = result.value as Partial<SubmittedRun>;
    return c.json({ run_id, status: (await standing?.()) ?? 'running', ...boundIn(bound) }, status);
  }

  async function refuseQueued(c: Context, id: string) {
    const refusal = await queuedRefusal(service, id, c.req.raw.signal);
    return refusal === null ? null : answerRefusal(c, refusal, refusal.code === 'held');
  }

  /** Whether a run that is executed, or is going to be, does not ask a question, but may ask it later. */
  async function mayAskLater(id: string, names: readonly string[]): Promise<boolean> {
    const found = await runs.inspect(id);
    if (!found.ok || !(found.value.status === 'running' || executions.mayContinue(found.value.run_id))) return false;
    const open = found.value.waiting.flatMap(({ id = [], name, path }) => [id, name ?? path ?? []].flat());
    return names.some((name) => !open.includes(name));
  }

  /**
   * A run that no process executes continues with what was delivered. `early`: what one gets that has not begun; `asked`:
   * the questions that are answered.
   */
  async function deliver(
    c: Context,
    id: string,
    send: () => Promise<Result<Delivered>>,
    { early, asked = [] }: { readonly early: Delivery | null; readonly asked?: readonly string[] },
  ) {
    const unbegun = executions.find(id);
    if (early !== null && unbegun?.status === 'queued' && !executions.hasRecord(unbegun.run_id)) {
      const { run_id } = unbegun;
      return answer(
        c,
        resultOf(() => executions.keepForBegin(run_id, early)),
      );
    }
    const queued = await refuseQueued(c, id);
    if (queued !== null) return queued;
    if (service.isOnEngine) return answer(c, send());
    // The page has shown the run, so it is known already. Damage in its record is seen only here.
    const found = await runs.inspect(id);
    if (!found.ok) return answerRefusal(c, found.refusal);
    const { run_id, machine } = found.value;
    const result = await executions.deliver({ run_id, machine, limits: {}, by: personOf(c) }, send);
    if (result.ok) return c.json(result.value, 200);
    const isEarly = result.refusal.code === 'wrong-use' && (await mayAskLater(run_id, asked));
    const help = isEarly ? 'try again when the run asks for it' : result.refusal.help;
    return answerRefusal(c, { ...result.refusal, help }, isEarly);
  }

  app.openapi(start, async (c) => {
    const body = c.req.valid('json');
    const { program, text, name, inputs = {}, limits, confirm = false, key, on_busy, key_while } = body;
    const { fresh, memo_max_age, only } = body;
    if (text !== undefined && !service.allowText)
      return answerWith(c, 403, {
        code: 'no-texts',
        message: 'this service runs only the programs of its folder',
        help: 'name one of `GET /api/v1/programs`, or start the service with `--allow-text`',
      });
    const found = program === undefined ? null : await findProgram(programs, program);
    if (found !== null && !found.ok) return answerRefusal(c, found.refusal);
    const source = found === null ? { text: text as string } : found.value;
    const first = service.checks.isLong(source) ? await service.checks.check(source) : null;
    if (first !== null && !first.ok) return answerRefusal(c, first.refusal);
    if (first?.value.valid === false)
      return answerRefusal(c, { ...INVALID, facts: { diagnostics: first.value.diagnostics } });
    const result = await programs.check(source);
    if (!result.ok) return answerRefusal(c, result.refusal);
    const checked = result.value;
    if (!checked.isValid || checked.machine === null) return answerRefusal(c, { ...INVALID, findings: checked });
    const written = (await writtenMember(c, 'inputs')) as Readonly<Record<string, Json>> | undefined;
    const given = withinRange(inputs, (written ?? {}) as Value) as Readonly<Record<string, Json>>;
    const [problem] = inputProblems(checked.machine as Machine, given);
    if (problem !== undefined)
      return answerRefusal(c, {
        code: 'wrong-use',
        message: problem.message,
        help: problem.help ?? `its inputs are ${inputNames(checked.machine as Machine)}; see \`GET /api/v1/programs\``,
      });
    const bound = callsAgents(checked.machine as Machine)
      ? await boundOf(source, { inputs: { ...given, ...written }, limits: limitsOf(limits) })
      : null;
    const header = c.req.header('traceparent')?.trim();
    const traceparent = parseTraceparent(header) === null ? undefined : header;
    const promised = await resultOf(() =>
      promisedStart({
        run_id: newRunId(),
        checked,
        source: found === null ? { text: text as string } : { program: found.value },
        inputs: given,
        written,
        name,
        traceparent,
        limits: limitsOf(limits),
        by: personOf(c),
        key: { key, onBusy: on_busy, while: key_while },
        memo: { fresh, memo_max_age, only },
      }),
    );
    if (!promised.ok) return answerRefusal(c, promised.refusal);
    const why = confirm ? null : whyConfirm(bound, (await programs.configuration()).confirmAbove ?? {});
    if (why !== null) {
      const [message, help] = [`nothing was started: ${why}`, 'send it again with `"confirm": true` to start it'];
      return c.json({ code: 'unconfirmed', message, help, bound }, 409);
    }
    if (service.isOnEngine) {
      const options = {
        inputs: given,
        printedInputs: printedValues(written ?? {}),
        ...omitUndefined({ name, settings: traceparent === undefined ? undefined : { traceparent } }),
        limits: limitsOf(limits),
        person: personOf(c),
        ...omitUndefined({
          key,
          onBusy: on_busy,
          keyWhile: key_while,
          memo: memoOf(checked.machine as Machine, { fresh, memo_max_age, only }),
        }),
      };
      return answerBegun(c, runs.start(source, options), { status: 201, bound });
    }
    const { execution, secret } = promised.value;
    return execute(c, execution, { secret, bound });
  });

  app.openapi(clear, async (c) => {
    const cleared = await runs.clearLimits(c.req.valid('json').account);
    return cleared.ok ? c.json({ cleared: [...cleared.value] }, 200) : answerRefusal(c, cleared.refusal);
  });

  app.openapi(give, async (c) => {
    const { id } = c.req.valid('param');
    const given = (await writtenMember(c, 'answers')) as Readonly<Record<string, Json>>;
    const { reason } = c.req.valid('json');
    // The page has a cookie; programs send a token.
    const through = c.req.header('authorization') === undefined ? 'page' : 'http';
    const by = { by: personOf(c), inputs: executions.secretsOf(id), through, ...omitUndefined({ reason }) } as const;
    return deliver(c, id, () => runs.answer(id, given, by), { early: null, asked: Object.keys(given) });
  });

  app.openapi(send, async (c) => {
    const { id } = c.req.valid('param');
    const { name } = c.req.valid('json');
    const payload = (await writtenMember(c, 'payload')) ?? null;
    const by = { by: personOf(c), inputs: executions.secretsOf(id) };
    const signal = () => runs.signal(id, name, payload as Json, by);
    // What is refused whatever the run does is refused at once. An id is of a wait, which only a run that has begun has.
    const early: Delivery | null =
      nameInId(name) === name ? { kind: 'signal', name, payload: payload as Json, by: by.by } : null;
    return isSignalName(name) ? deliver(c, id, signal, { early }) : answer(c, signal());
  });

  app.openapi(cancel, async (c) => {
    const { id } = c.req.valid('param');
    const queued = executions.find(id);
    const ended = queued?.status === 'failed' ? await refuseQueued(c, id) : null;
    if (ended !== null) return ended;
    if (queued !== null && executions.withdraw(queued.run_id, personOf(c))) {
      const known = await runs.inspect(queued.run_id);
      if (!known.ok && known.refusal.code !== 'held')
        return c.json({ run_id: queued.run_id, status: 'failed', error: { kind: 'cancelled' } }, 200);
    }
    await executions.untilRecorded(id, c.req.raw.signal);
    const result = await runs.cancel(id, { by: personOf(c) });
    if (result.ok) executions.forget(result.value.run_id);
    return result.ok ? c.json(result.value, 200) : answerRefusal(c, result.refusal);
  });

  app.openapi(resume, async (c) => {
    const { id } = c.req.valid('param');
    const queued = await refuseQueued(c, id);
    if (queued !== null) return queued;
    const known = await runs.inspect(id);
    if (!known.ok) return answerRefusal(c, known.refusal);
    // The end of a run is on record before its process has ended.
    if (known.value.status !== 'running') await executions.untilLeft(known.value.run_id, c.req.raw.signal);
    const found = await runs.inspect(id);
    if (!found.ok) return answerRefusal(c, found.refusal);
    const { run_id, machine } = found.value;
    const { limits, inputs = {} } = c.req.valid('json');
    const over = whyNotResumed(found.value);
    if (over !== null) return answerRefusal(c, over.refusal);
    if (service.isOnEngine && Object.keys(inputs).length > 0)
      return answerRefusal(c, {
        code: 'wrong-use',
        message: 'the workers of an engine have the inputs of its runs, so a resumption takes none',
        help: 'leave out `inputs`',
      });
    if (service.isOnEngine)
      return answerBegun(c, runs.resume(run_id, { limits: limitsOf(limits), person: personOf(c) }), { status: 202 });
    const secret = await secretsIn(c, inputs as Readonly<Record<string, Json>>);
    const task: Task = { kind: 'resume' };
    return execute(c, { run_id, machine, task, limits: limitsOf(limits), by: personOf(c) }, { secret });
  });

  app.openapi(remove, async (c) => {
    const { runs: ids, all = false, dry_run: dryRun = false } = c.req.valid('json');
    return answer(c, runs.remove({ runs: ids, keepLast: 0, all, dryRun }));
  });

  app.openapi(replay, async (c) => {
    const { from, limits, inputs = {} } = c.req.valid('json');
    const queued = await refuseQueued(c, c.req.valid('param').id);
    if (queued !== null) return queued;
    // Its first event has what is needed, also if a later one is damaged.
    const found = await runs.inspect(c.req.valid('param').id, 1);
    if (!found.ok) return answerRefusal(c, found.refusal);
    const { run_id, machine } = found.value;
    if (service.isOnEngine && Object.keys(inputs).length > 0)
      return answerRefusal(c, {
        code: 'wrong-use',
        message: 'the workers of an engine have the inputs of its runs, so a replay takes none',
        help: 'leave out `inputs`',
      });
    const point = await resultOf(() => (typeof from === 'string' && from !== 'failed' ? replayPoint(from) : from));
    if (!point.ok) return answerRefusal(c, point.refusal);
    if (service.isOnEngine) {
      const options = { limits: limitsOf(limits), person: personOf(c) };
      return answerBegun(c, runs.replay(run_id, point.value, options), { status: 201 });
    }
    const task: Task = { kind: 'replay', of: run_id, from: point.value };
    const given = await secretsIn(c, inputs as Readonly<Record<string, Json>>);
    const secret = { ...executions.secretsOf(run_id), ...given };
    const by = personOf(c);
    return execute(c, { run_id: newRunId(), machine, task, limits: limitsOf(limits), by }, { secret });
  });

  app.openapi(apply, async (c) => {
    const { id } = c.req.valid('param');
    return (await refuseQueued(c, id)) ?? answer(c, runs.apply(id, { by: personOf(c) }));
  });
}
