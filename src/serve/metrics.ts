/** Figures for Prometheus: requests by route and status, and runs by status when they are asked for. */
import type { Context, MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { OWN_REQUEST, type Service } from './service.js';

interface Metrics {
  readonly count: MiddlewareHandler;
  readonly show: (c: Context) => Promise<Response>;
}

export function createMetrics({ runs, executions, notices }: Service): Metrics {
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
