/** The application: operations on runs over HTTP. Each request is checked, validated, and answered by one operation. */
import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { etag } from 'hono/etag';
import { HTTPException } from 'hono/http-exception';
import { checkOrigin, requireToken, signIn } from './access.js';
import { answerWith } from './answer.js';
import { healthAnswer } from './answer-schemas.js';
import { addFailureAnswers } from './failure-answers.js';
import { createMetrics } from './metrics.js';
import { addPage } from './page.js';
import { addAboutRoute } from './routes/about.js';
import { addChangeRoutes } from './routes/change-runs.js';
import { addDaysRoute } from './routes/days.js';
import { addProgramRoutes } from './routes/programs.js';
import { addReadRoutes } from './routes/read-runs.js';
import { addWaitingRoute } from './routes/waiting.js';
import { answers, type Service, type ServiceApp, textAnswers } from './service.js';
import {
  completeEmptyBodies,
  refuseAddress,
  refuseAmbiguous,
  refuseEncodings,
  wrongBody,
  wrongMember,
} from './wrong-request.js';

/** The largest body of a request. */
const BODY_BYTES = 4 * 1024 * 1024;

export function createApp(service: Service): ServiceApp {
  const { access, version } = service;
  const app: ServiceApp = new OpenAPIHono({
    defaultHook: (result, c) => {
      if (result.success) return undefined;
      const wrong = wrongMember(result.error.issues[0]);
      // What cannot be the id of a run is the id of no run.
      return result.target === 'param' ? answerWith(c, 404, { ...wrong, code: 'unknown' }) : answerWith(c, 400, wrong);
    },
  });
  app.onError((cause, c) => {
    if (cause instanceof HTTPException) return answerWith(c, cause.status as 400, wrongBody(cause));
    // Nobody gets the answer.
    if (isAborted(cause))
      return answerWith(c, 400, { code: 'wrong-request', message: 'the request ended too early', help: null });
    process.stderr.write(`${cause.stack ?? cause.message}\n`);
    return answerWith(c, 500, {
      code: 'bug',
      message: 'the service has a bug: its standard error has the details',
      help: null,
    });
  });
  const metrics = createMetrics(service);
  app.use(metrics.count);
  app.get('/api/v1/healthz', (c) => c.json({ status: 'ok' }));
  app.use(checkOrigin(access));
  app.use(signIn(access));
  app.use('/api/*', requireToken(access));
  // The program of a run never changes, and the others only with the service.
  for (const path of ['/', '/runs/:id', '/api/v1/runs/:id/program', '/api/v1/openapi.json']) app.use(path, etag());
  for (const path of ['/api/v1/runs/:id/program', '/api/v1/openapi.json']) app.use(path, mayBeKept);
  // Looking for a body makes a whole request of what came, which takes as long as showing a run that is known.
  app.use((c, next) => (hasBody(c) ? limitBody(c, next) : next()));
  app.use('/api/*', refuseEncodings());
  app.on('POST', '/api/*', completeEmptyBodies());
  app.on('POST', '/api/*', refuseAmbiguous());
  if (service.isReadOnly) for (const path of ['/api/v1/runs/*', '/api/v1/runs']) app.use(path, refuseChanges);
  app.get('/api/v1/metrics', metrics.show);
  const api: ServiceApp = new OpenAPIHono({ defaultHook: app.defaultHook as never });
  addAboutRoute(api, service);
  addReadRoutes(api, service);
  addDaysRoute(api, service);
  addWaitingRoute(api, service);
  addChangeRoutes(api, service);
  addProgramRoutes(api, service);
  app.route('/api/v1', api);
  addPage(app, access);
  app.doc31('/api/v1/openapi.json', {
    openapi: '3.1.0',
    info: { title: 'statedsl', version, description: 'Runs of state machines: start, follow, answer and report them.' },
    security: [{ token: [] }],
  });
  app.openAPIRegistry.registerPath({
    ...{ method: 'get', path: '/api/v1/healthz', summary: 'Say that the service is alive. Needs no token.' },
    ...{ tags: ['service'], security: [], responses: answers(200, healthAnswer, 'it is alive') },
  });
  app.openAPIRegistry.registerPath({
    ...{ method: 'get', path: '/api/v1/metrics', summary: 'Figures for Prometheus.', tags: ['service'] },
    responses: textAnswers(['text/plain'], 'the text format of Prometheus'),
  });
  app.openAPIRegistry.registerPath({
    ...{ method: 'get', path: '/api/v1/openapi.json', summary: 'This description.', tags: ['service'] },
    responses: answers(200, z.looseObject({ openapi: z.string() }), 'an OpenAPI document', true),
  });
  const routes = app.openAPIRegistry.definitions.flatMap((one) => (one.type === 'route' ? [one.route] : []));
  for (const route of routes) addFailureAnswers(route);
  app.notFound(refuseAddress(routes));
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' });
  return app;
}

/** Whether a client closed its connection before it had sent the whole body. */
const isAborted = ({ message, code }: NodeJS.ErrnoException): boolean => code === 'ECONNRESET' && message === 'aborted';

const hasBody = (c: Context): boolean =>
  c.req.header('content-length') !== undefined || c.req.header('transfer-encoding') !== undefined;

const limitBody = bodyLimit({
  maxSize: BODY_BYTES,
  onError: (c) => {
    // The rest of the body is not read, so no other request can follow on this connection.
    c.header('Connection', 'close');
    return answerWith(c, 413, {
      code: 'too-large',
      message: `the body of the request is larger than ${BODY_BYTES} bytes`,
      help: 'pass large values as files of the project',
    });
  },
});

/** A client may keep the answer, and asks each time whether it is still right. A refusal is not kept. */
const mayBeKept: Parameters<ServiceApp['use']>[1] = async (c, next) => {
  await next();
  if (c.res.status === 200) c.res.headers.set('Cache-Control', 'private, no-cache');
};

const refuseChanges: Parameters<ServiceApp['use']>[1] = (c, next) =>
  c.req.method !== 'GET' && c.req.method !== 'HEAD'
    ? Promise.resolve(
        answerWith(c, 403, {
          code: 'read-only',
          message: 'this service only shows runs',
          help: 'start it without `--read-only` to change them',
        }),
      )
    : next();
