/** The application: operations on runs over HTTP. Each request is checked, validated, and answered by one operation. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createRoute, OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { etag } from 'hono/etag';
import { HTTPException } from 'hono/http-exception';
import { routePath } from 'hono/route';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { viewerFolder } from '../app/viewer-folder.js';
import { type AccessOptions, checkOrigin, hasToken, isAborted, requireToken, signIn } from './access.js';
import { errorAnswer, healthAnswer, serviceAnswer } from './answer-schemas.js';
import { answerWith } from './http-answer.js';
import { addChangeRoutes } from './routes/change-runs.js';
import { addProgramRoutes } from './routes/program-routes.js';
import { addDaysRoute, addReadRoutes } from './routes/read-runs.js';
import { addTrialRoutes } from './routes/trial-routes.js';
import { addWaitingRoute } from './routes/waiting.js';
import { answers, OWN_REQUEST, type Service, type ServiceApp, textAnswers } from './service.js';
import {
  completeEmptyBodies,
  membersOf,
  refuseAddress,
  refuseAmbiguous,
  refuseEncodings,
  wrongBody,
  wrongMember,
} from './wrong-request.js';

const show = createRoute({
  method: 'get',
  path: '/service',
  summary: 'Show the version of the service, where its runs are, and whether it changes them.',
  tags: ['service'],
  responses: answers(200, serviceAnswer, '`version`, `where` and `read_only`'),
});

/** What the service is and permits: for the page. */
function addAboutRoute(app: ServiceApp, { version, where, isReadOnly }: Service): void {
  app.openapi(show, (c) => c.json({ version, where, read_only: isReadOnly }, 200));
}

/** The largest body of a request. */
const BODY_BYTES = 4 * 1024 * 1024;
/** Of a program that is checked. */
const TEXT_BYTES = 256 * 1024;

/** What the route of a request accepts as its body, its query or its path; undefined if it does not say. */
function schemaOf(app: ServiceApp, c: Context, target: string): unknown {
  const path = routePath(c).replaceAll(/:(\w+)/g, '{$1}');
  for (const one of app.openAPIRegistry.definitions) {
    if (one.type !== 'route' || one.route.method !== c.req.method.toLowerCase() || one.route.path !== path) continue;
    const { body, query, params } = one.route.request ?? {};
    const json = body?.content['application/json'] as { readonly schema?: unknown } | undefined;
    return target === 'json' ? json?.schema : target === 'query' ? query : params;
  }
  return undefined;
}

export function createApp(service: Service): ServiceApp {
  const { access, version } = service;
  const app: ServiceApp = new OpenAPIHono({
    defaultHook: (result, c) => {
      if (result.success) return undefined;
      const wrong = wrongMember(result.error.issues[0], (path) => membersOf(schemaOf(app, c, result.target), path));
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
  app.use((c, next) => (hasBody(c) ? (c.req.path === CHECK ? limitText : limitBody)(c, next) : next()));
  app.use('/api/*', refuseEncodings());
  app.on('POST', '/api/*', completeEmptyBodies());
  app.on('POST', '/api/*', refuseAmbiguous());
  if (service.isReadOnly)
    for (const path of ['runs/*', 'runs', 'trials/*', 'trials']) app.use(`/api/v1/${path}`, refuseChanges);
  app.get('/api/v1/metrics', metrics.show);
  const api: ServiceApp = new OpenAPIHono({ defaultHook: app.defaultHook as never });
  addAboutRoute(api, service);
  addReadRoutes(api, service);
  addDaysRoute(api, service);
  addWaitingRoute(api, service);
  addChangeRoutes(api, service);
  addTrialRoutes(api, service);
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

const CHECK = '/api/v1/check';

const hasBody = (c: Context): boolean =>
  c.req.header('content-length') !== undefined || c.req.header('transfer-encoding') !== undefined;

const limitTo = (maxSize: number, help: string) =>
  bodyLimit({
    maxSize,
    onError: (c) => {
      // The rest of the body is not read, so no other request can follow on this connection.
      c.header('Connection', 'close');
      const message = `the body of the request is larger than ${maxSize} bytes`;
      return answerWith(c, 413, { code: 'too-large', message, help });
    },
  });

const limitBody = limitTo(BODY_BYTES, 'pass large values as files of the project');
const limitText = limitTo(TEXT_BYTES, 'check a large program in a terminal: `statedsl check`');

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

/** By status: when it happens. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'the request is not as described here',
  401: 'the request has no valid token',
  403: 'it came from elsewhere, or the service does not permit it',
  404: 'there is no such run or program',
  409: 'the run is not in a state for it, or someone else did it first',
  413: 'the body is too large',
  415: 'the body is not JSON',
  416: 'the output is shorter',
  422: 'the request does not fit the run or the program, or the record of the run is damaged',
  500: 'the disk or the engine cannot be used',
  503: 'the service is stopping, or the run takes long to begin: try again after `Retry-After`',
};

/** What any request can be refused with that needs a token. */
const ALWAYS = [400, 401, 403, 500];
const OF_ONE = [404, 409, 422];
const OF_BODIES = [413, 415, 503];

/** Adds them to the answers of a route. */
function addFailureAnswers(route: Pick<RouteConfig, 'method' | 'path' | 'security' | 'responses'>): void {
  const { method, path, security, responses } = route;
  // Without a token, nothing is asked for that could be refused.
  if (security?.length === 0) return;
  const isPost = method === 'post';
  const statuses = [
    ...ALWAYS,
    ...(isPost || path.includes('{') || path.endsWith('/report') ? OF_ONE : []),
    ...(isPost ? OF_BODIES : []),
    ...(206 in responses ? [416] : []),
    ...(path.endsWith('/events') ? [503] : []),
  ];
  const content = { 'application/json': { schema: errorAnswer } };
  for (const status of statuses) responses[status] = { content, description: REASONS[status] as string };
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

interface Asset {
  readonly type: string;
  /** Compressed by gzip. */
  readonly zipped: Buffer;
}

/** The names of the files contain a hash of their content, so a browser may keep them; the page itself names them. */
const KEEP = 'public, max-age=31536000, immutable';
const ASK_AGAIN = 'no-cache';

/** What the page will ask for: browsers fetch it while they read the script. The routes are exactly those of the page. */
const PRELOAD = 'rel=preload; as=fetch; crossorigin';
const COMMON: readonly string[] = ['/service'];
const LIST: readonly string[] = ['/runs?limit=60', '/waiting?limit=50'];
const ID = /^[0-9a-f-]{1,36}$/;

/** Without the files, for example in a checkout that was not built. */
const MISSING = 'The page is not built. `npm run build` makes it.\n';

/**
 * The page: the files that the bundler made of `src/viewer/`. They hold no data, so anyone who reaches the service may have
 * them. A request without the token gets the same page with another status: its script finds out how to get in.
 */
function addPage(app: ServiceApp, access: AccessOptions): void {
  let known: ReadonlyMap<string, Asset> | null = null;
  const assets = (): ReadonlyMap<string, Asset> => {
    known ??= readAssets();
    return known;
  };
  const send = (name: string, request: Request, cache: string, status = 200): Response | null => {
    const asset = assets().get(name);
    if (asset === undefined) return null;
    const { type, zipped } = asset;
    const isZipped = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
    const headers = { 'Content-Type': type, 'Cache-Control': cache, Vary: 'Accept-Encoding' };
    const body = new Uint8Array(isZipped ? zipped : gunzipSync(zipped));
    return new Response(body, { status, headers: isZipped ? { ...headers, 'Content-Encoding': 'gzip' } : headers });
  };
  const sendPage = (c: Context, wanted: readonly string[]): Response => {
    const isKnown = hasToken(c, access);
    const page = send('index.html', c.req.raw, ASK_AGAIN, isKnown ? 200 : 401);
    if (isKnown) page?.headers.set('Link', wanted.map((route) => `</api/v1${route}>; ${PRELOAD}`).join(', '));
    return page ?? c.text(MISSING, 503);
  };
  app.get('/', (c) => sendPage(c, [...COMMON, ...(c.req.url.includes('?') ? [] : LIST)]));
  app.get('/runs/:id', (c) => {
    const id = c.req.param('id');
    const isPast = c.req.query('event') !== undefined;
    const routes = isPast ? [`/runs/${id}/program`] : [`/runs/${id}`, `/runs/${id}/program`];
    return sendPage(c, ID.test(id) ? [...COMMON, ...routes] : COMMON);
  });
  app.get('/assets/:name', (c) => send(c.req.param('name'), c.req.raw, KEEP) ?? c.notFound());
}

function readAssets(): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>();
  const folder = viewerFolder();
  if (folder === null) return assets;
  for (const file of readdirSync(folder)) {
    const name = basename(file, '.gz');
    const type = TYPES[extname(name)];
    if (type !== undefined) assets.set(name, { type, zipped: readFileSync(join(folder, file)) });
  }
  return assets;
}

interface Metrics {
  readonly count: MiddlewareHandler;
  readonly show: (c: Context) => Promise<Response>;
}

/** Figures for Prometheus: requests by route and status, and runs by status when they are asked for. */
function createMetrics({ runs, executions, notices }: Service): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'statedsl_http_requests_total',
    help: 'Requests by method, route and status.',
    labelNames: ['method', 'route', 'status'] as const,
    registers,
  });
  const seconds = new Histogram({
    name: 'statedsl_http_request_duration_seconds',
    help: 'Seconds until the answer to a request begins.',
    labelNames: ['route'] as const,
    registers,
  });
  const stored = new Gauge({
    name: 'statedsl_runs',
    help: 'Runs by status.',
    labelNames: ['status'] as const,
    registers,
  });
  const cost = new Gauge({ name: 'statedsl_cost_dollars', help: 'What agents of all runs cost.', registers });
  new Gauge({
    name: 'statedsl_runs_executing',
    help: 'Runs that the service executes now.',
    registers,
    collect() {
      this.set(executions.executing);
    },
  });
  new Gauge({
    name: 'statedsl_notices_pending',
    help: 'Notices that no receiver has taken yet.',
    registers,
    collect() {
      this.set(notices());
    },
  });
  return {
    count: async (c, next) => {
      if (c.env === OWN_REQUEST) return next();
      const end = seconds.startTimer();
      await next();
      // The pattern, because ids would make a series for each run.
      const route = routePath(c, -1);
      end({ route });
      requests.inc({ method: c.req.method, route, status: c.res.status });
    },
    show: async (c) => {
      const result = await runs.list();
      stored.reset();
      let dollars = 0;
      for (const { status, cost: one } of result.ok ? result.value.runs : []) {
        stored.inc({ status });
        dollars += one ?? 0;
      }
      stored.set({ status: 'queued' }, executions.queuedRuns().filter(({ status }) => status === 'queued').length);
      cost.set(dollars);
      return c.text(await registry.metrics(), 200, { 'Content-Type': registry.contentType });
    },
  };
}
