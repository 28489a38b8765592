/** What the service is and permits: for the page. */
import { createRoute } from '@hono/zod-openapi';
import { serviceAnswer } from '../answer-schemas.js';
import { answers, type Service, type ServiceApp } from '../service.js';

const show = createRoute({
  method: 'get',
  path: '/service',
  summary: 'Show the version of the service, where its runs are, and whether it changes them.',
  tags: ['service'],
  responses: answers(200, serviceAnswer, '`version`, `where` and `read_only`'),
});

export function addAboutRoute(app: ServiceApp, { version, where, isReadOnly }: Service): void {
  app.openapi(show, (c) => c.json({ version, where, read_only: isReadOnly }, 200));
}
