/** Routes of trials. */
import { createRoute } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Result } from '../../app/result.js';
import { printJson } from '../../interpreter/values/json.js';
import type { Value } from '../../interpreter/values/value.js';
import { promisedTrialAnswer, stoppedTrialAnswer, trialAnswer, trialsAnswer } from '../answer-schemas.js';
import { type PromisedTrial, TrialTasks } from '../executions/trial-tasks.js';
import { answer, answerRefusal, httpHelp, writtenMember } from '../http-answer.js';
import { interruptBody, resumeTrialBody, runParams, trialBody } from '../schemas.js';
import { answers, type Service, type ServiceApp } from '../service.js';
import { requesterOf } from './change-runs.js';
import { findProgram } from './program-routes.js';

const TAGS = ['trials'];
const json = <T>(schema: T) => ({ body: { content: { 'application/json': { schema } }, required: true } }) as const;

const list = createRoute({
  method: 'get',
  path: '/trials',
  summary: 'List the trials.',
  tags: TAGS,
  responses: answers(200, trialsAnswer, 'the newest first'),
});

const start = createRoute({
  method: 'post',
  path: '/trials',
  summary: 'Try a program with its agents over cases.',
  tags: TAGS,
  request: json(trialBody),
  responses: answers(201, promisedTrialAnswer, 'the trial, at the address in `Location`'),
});

const show = createRoute({
  method: 'get',
  path: '/trials/{id}',
  summary: 'Show what a trial has found so far.',
  tags: TAGS,
  request: { params: runParams },
  responses: answers(200, trialAnswer, 'as `statedsl trial --json` prints it'),
});

const resume = createRoute({
  method: 'post',
  path: '/trials/{id}/resume',
  summary: 'Continue a trial that was interrupted, waits, or has spent its budget.',
  tags: TAGS,
  request: { params: runParams, ...json(resumeTrialBody) },
  responses: answers(202, promisedTrialAnswer, 'the trial'),
});

const interrupt = createRoute({
  method: 'post',
  path: '/trials/{id}/interrupt',
  summary: 'Stop the runs of a trial, which can be resumed.',
  tags: TAGS,
  request: { params: runParams, body: { content: { 'application/json': { schema: interruptBody } } } },
  responses: answers(200, stoppedTrialAnswer, 'the trial'),
});

export function addTrialRoutes(app: ServiceApp, service: Service): void {
  const { programs, executions } = service;
  const tasks = new TrialTasks(programs.folder, programs.dir, () => executions);

  function answerPromised(c: Context, promised: Result<PromisedTrial>, status: 201 | 202) {
    if (!promised.ok) return answerRefusal(c, promised.refusal);
    const { value } = promised;
    if ('unconfirmed' in value) {
      const [message, help] = [`nothing was started: ${value.unconfirmed}`, 'send it again with `"confirm": true`'];
      return c.json({ code: 'unconfirmed', message, help: httpHelp(help, undefined), bound: value.bound }, 409);
    }
    c.header('Location', `/api/v1/trials/${value.trial_id}`);
    return c.json(value, status);
  }

  const elsewhere = (c: Context) =>
    service.isOnEngine
      ? answerRefusal(c, {
          code: 'wrong-use',
          message: 'a trial is executed by a process of this machine, and workers of an engine execute the runs here',
          help: '`statedsl trial`',
        })
      : null;

  app.openapi(list, async (c) => elsewhere(c) ?? c.json({ trials: await tasks.list() }, 200));
  app.openapi(show, async (c) => elsewhere(c) ?? answer(c, tasks.show(c.req.valid('param').id)));
  app.openapi(interrupt, async (c) => elsewhere(c) ?? answer(c, tasks.interrupt(c.req.valid('param').id)));

  app.openapi(resume, async (c) => {
    const { budget, jobs, confirm } = c.req.valid('json');
    const options = { jobs, confirm, by: requesterOf(c, service) };
    return elsewhere(c) ?? answerPromised(c, await tasks.resume(c.req.valid('param').id, budget, options), 202);
  });

  app.openapi(start, async (c) => {
    const refused = elsewhere(c);
    if (refused !== null) return refused;
    const { program, cases, count, against, agents, budget, jobs, confirm } = c.req.valid('json');
    const paths: string[] = [];
    for (const path of [program, ...(against === undefined ? [] : [against])]) {
      const found = await findProgram(programs, path);
      if (!found.ok) return answerRefusal(c, found.refusal);
      paths.push(found.value);
    }
    const [path = program, other] = paths;
    const text = printJson(((await writtenMember(c, 'cases')) ?? cases) as Value);
    const wanted = {
      program: path,
      cases: typeof cases === 'string' ? cases : { text },
      count,
      against: other,
      agents,
      budget,
    };
    return answerPromised(c, await tasks.start(wanted, { jobs, confirm, by: requesterOf(c, service) }), 201);
  });
}
