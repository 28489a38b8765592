/** Runs by day and program: for the chart of the page. */
import { createRoute } from '@hono/zod-openapi';
import { runDays } from '../../control/run-days.js';
import { answerRefusal } from '../answer.js';
import { daysAnswer } from '../answer-schemas.js';
import { daysQuery } from '../schemas.js';
import { answers, type Service, type ServiceApp } from '../service.js';

const show = createRoute({
  method: 'get',
  path: '/days',
  summary: 'How many runs started on each day, by program, and how much time and money they took.',
  tags: ['runs'],
  request: { query: daysQuery },
  responses: answers(200, daysAnswer, '`days`, from old to new'),
});

export function addDaysRoute(app: ServiceApp, { runs }: Service): void {
  app.openapi(show, async (c) => {
    const { zone, status, ...filter } = c.req.valid('query');
    if (status === 'queued') return c.json({ days: [] }, 200);
    const found = await runs.list({ ...filter, ...(status && { status }) });
    if (!found.ok) return answerRefusal(c, found.refusal);
    return c.json({ days: runDays(found.value.runs, zone) }, 200);
  });
}
