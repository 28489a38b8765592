/** What every route knows: the operations, and what this service permits. */
import type { OpenAPIHono, RouteConfig, z } from '@hono/zod-openapi';
import type { Programs } from '../app/programs.js';
import type { Runs } from '../app/runs.js';
import type { AccessOptions } from './access.js';
import { errorAnswer } from './answer-schemas.js';
import type { Checks } from './checking.js';
import type { Readers } from './event-streams.js';
import type { Executions } from './executions/executions.js';

export interface Service {
  readonly runs: Runs;
  readonly programs: Programs;
  readonly executions: Executions;
  readonly access: AccessOptions;
  /** Nothing can be started or changed. */
  readonly isReadOnly: boolean;
  /** Programs may come as text. */
  readonly allowText: boolean;
  /** The header in which a proxy that authenticates names the user; null: there is none. */
  readonly userHeader: string | null;
  /** Who changes runs if no header says it. */
  readonly user: string;
  readonly version: string;
  /** How many notices were not received yet. */
  readonly notices: () => number;
  /** The folder of the runs, or the address of the engine that has them, for people. */
  readonly where: string;
  /** Workers of an engine execute the runs, so that this service executes none. */
  readonly isOnEngine: boolean;
  readonly checks: Checks;
  /** Those who follow runs. */
  readonly readers: Readers;
}

export type ServiceApp = OpenAPIHono;

/** The environment of requests by which the service itself prepares for others; those of clients have another one. */
export const OWN_REQUEST = { isOwn: true } as const;

const json = (of: z.ZodType) => ({ content: { 'application/json': { schema: of } } });
const failure = { ...json(errorAnswer), description: 'why it was not done' };

/** The answers of a route: its value, or an error. `isKept`: a client that has the value may ask whether it is the same. */
export function answers(status: 200 | 201 | 202, schema: z.ZodType, description: string, isKept = false) {
  const same = isKept ? { 304: { description: 'the client has it' } } : {};
  const all = { [status]: { ...json(schema), description }, ...same, default: failure };
  return all as unknown as RouteConfig['responses'];
}

/** The answers of a route that sends text, in one of these types. `others`: its other answers without an error. */
export function textAnswers(
  types: readonly string[],
  description: string,
  others: Readonly<Record<number, string>> = {},
) {
  const content = Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }]));
  const more = Object.entries(others).map(([status, what]) => [status, { content, description: what }]);
  return {
    200: { content, description },
    ...Object.fromEntries(more),
    default: failure,
  } as unknown as RouteConfig['responses'];
}
