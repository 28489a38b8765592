/**
 * Runs that wait for a person: for the top of the page. A suspended run may also wait for a signal or the clock, which only
 * its record says, so what each one waits for is kept as long as the run does not change.
 */
import { createRoute } from '@hono/zod-openapi';
import type { Runs } from '../../app/runs.js';
import type { Waiting } from '../../interpreter/events/event.js';
import { waitingAnswer } from '../answer-schemas.js';
import { answerRefusal } from '../http-answer.js';
import { waitingQuery } from '../schemas.js';
import { answers, type Service, type ServiceApp } from '../service.js';

/** Reading many records for the first time is divided among several requests, so that the page need not wait. */
const LONGEST_MS = 150;

const show = createRoute({
  method: 'get',
  path: '/waiting',
  summary: 'Runs that wait for a person, with their questions, newest first.',
  tags: ['runs'],
  request: { query: waitingQuery },
  responses: answers(200, waitingAnswer, '`runs`, and whether all suspended runs were looked at'),
});

interface KnownRun {
  /** Differs when the run has changed. */
  readonly version: string;
  readonly waiting: readonly Waiting[];
}

export function addWaitingRoute(app: ServiceApp, { runs }: Service): void {
  let known: ReadonlyMap<string, KnownRun> = new Map();
  app.openapi(show, async (c) => {
    const { limit } = c.req.valid('query');
    const listed = await runs.list({ status: 'suspended' });
    if (!listed.ok) return answerRefusal(c, listed.refusal);
    const looked = new Map<string, KnownRun>();
    const found = [];
    const began = performance.now();
    let isComplete = true;
    for (const run of listed.value.runs) {
      const { run_id: id, state, ended_at: at } = run;
      const version = `${state} ${at}`;
      const before = known.get(id);
      const isKnown = before?.version === version;
      if (!isKnown && performance.now() - began > LONGEST_MS) {
        isComplete = false;
        continue;
      }
      const waiting = isKnown ? before.waiting : await questionsOf(runs, id);
      looked.set(id, { version, waiting });
      if (waiting.length > 0 && found.length < limit) found.push({ ...run, waiting });
    }
    known = looked;
    return c.json({ runs: found, complete: isComplete }, 200);
  });
}

/** A run that cannot be read, or was removed just now, asks nothing. */
async function questionsOf(runs: Runs, id: string): Promise<readonly Waiting[]> {
  const result = await runs.inspect(id, null);
  return result.ok ? result.value.waiting.filter(({ kind }) => kind === 'ask' || kind === 'approval') : [];
}
