/** Why nothing can be done with a run yet: it waits for its turn, or could not begin. */
import type { Refusal, Result } from '../control/result.js';
import type { Service } from './service.js';

type Known = Pick<Service, 'runs' | 'executions'>;

/** `id`: of a run, or the beginning of one. Null: the run has a record, or there is none. */
export async function queuedRefusal({ runs, executions }: Known, id: string): Promise<Refusal | null> {
  const queued = executions.find(id);
  if (queued === null || (await runs.inspect(queued.run_id)).ok) return null;
  return queued.status === 'failed'
    ? { code: 'over', message: `the run could not begin: ${queued.error?.message}`, help: null }
    : { code: 'held', message: 'the run waits for its turn', help: 'wait until it is executed' };
}

/** A result about a run. A run without a record is known all the same. */
export async function orQueued<T>(service: Known, id: string, result: Promise<Result<T>>): Promise<Result<T>> {
  const done = await result;
  const refusal = done.ok || done.refusal.code !== 'unknown' ? null : await queuedRefusal(service, id);
  return refusal === null ? done : { ok: false, refusal };
}
