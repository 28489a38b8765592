/** The statuses with which routes refuse requests, for the OpenAPI document. */
import type { RouteConfig } from '@hono/zod-openapi';
import { errorAnswer } from './answer-schemas.js';

/** By status: when it happens. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'the request is not as described here',
  401: 'the request has no valid token',
  403: 'it came from elsewhere, or the service does not permit it',
  404: 'there is no such run or program',
  409: 'the run is not in a state for it, or somebody else did it first',
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
export function addFailureAnswers(route: Pick<RouteConfig, 'method' | 'path' | 'security' | 'responses'>): void {
  const { method, path, security, responses } = route;
  // Without a token, nothing is asked for that could be refused.
  if (security?.length === 0) return;
  const isPost = method === 'post';
  const statuses = [
    ...ALWAYS,
    ...(isPost || path.includes('{') || path.endsWith('/report') ? OF_ONE : []),
    ...(isPost ? OF_BODIES : []),
    ...(206 in responses ? [416] : []),
  ];
  const content = { 'application/json': { schema: errorAnswer } };
  for (const status of statuses) responses[status] = { content, description: REASONS[status] as string };
}
