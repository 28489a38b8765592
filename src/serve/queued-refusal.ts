/** Why nothing can be done with a run yet: it waits for its turn, or could not begin. */
import type { Refusal, Result } from '../app/result.js';
import type { Service } from './service.js';

type KnownRuns = Pick<Service, 'runs' | 'executions'>;

/**
 * `id`: of a run, or the beginning of one. Null: the run has a record, or there is none. A run whose process has just been
 * started has a record soon, which is waited for.
 */
export async function queuedRefusal(
  { runs, executions }: KnownRuns,
  id: string,
  signal: AbortSignal,
): Promise<Refusal | null> {
  await executions.untilBegun(id, signal);
  const queued = executions.find(id);
  if (queued === null || (await runs.inspect(queued.run_id)).ok) return null;
  const { kind, message } = queued.error ?? {};
  if (queued.status === 'failed')
    return {
      code: 'over',
      message: kind === 'cancelled' ? `${message}` : `the run could not begin: ${message}`,
      help: null,
    };
  if (queued.status === 'queued')
    return { code: 'held', message: 'the run waits for its turn', help: 'try again when it is executed' };
  return { code: 'unavailable', message: 'the run is being started', help: 'try again in a moment' };
}

/** The result of `read` about a run. A run without a record is known all the same. */
export async function orQueued<T>(
  service: KnownRuns,
  id: string,
  signal: AbortSignal,
  read: () => Promise<Result<T>>,
): Promise<Result<T>> {
  await service.executions.untilBegun(id, signal);
  const done = await read();
  const refusal = done.ok || done.refusal.code !== 'unknown' ? null : await queuedRefusal(service, id, signal);
  return refusal === null ? done : { ok: false, refusal };
}
