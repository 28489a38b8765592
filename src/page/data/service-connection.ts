/** Requests to the service, and whether it answers. While it does not, it is asked again until it does. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { type Connection, DataError } from './page-data.js';

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 5000;

export interface ServiceConnection {
  readonly state: ReadonlySignal<Connection>;
  /** Sends a request to a route; rejects with a `DataError` unless it succeeds. */
  request(route: string, init?: RequestInit): Promise<Response>;
  /** The body of the answer as JSON. */
  json<T>(route: string, init?: RequestInit): Promise<T>;
  /** Resolves when the service answers, at once if it does. */
  untilConnected(): Promise<void>;
  /** Something else has found that the service does not answer. */
  reportLoss(): void;
}

export const API = '/api/v1';

/** What a service that is not there is called, wherever it is noticed. */
const LOST = new DataError('lost', 'the service does not answer', 'start it again with `statedsl serve`');

export function connectToService(): ServiceConnection {
  const state = signal<Connection>('connected');
  let waiters: (() => void)[] = [];
  let pause = FIRST_RETRY_MS;

  function enter(next: Connection): void {
    state.value = next;
    if (next === 'lost') return;
    pause = FIRST_RETRY_MS;
    const waiting = waiters;
    waiters = [];
    for (const resolve of waiting) resolve();
  }

  function reportLoss(): void {
    if (state.value === 'lost') return;
    enter('lost');
    retryLater();
  }

  function retryLater(): void {
    setTimeout(() => void retry(), pause);
    pause = Math.min(2 * pause, LONGEST_RETRY_MS);
  }

  async function retry(): Promise<void> {
    try {
      const { status } = await fetch(`${API}/service`);
      enter(status === 401 ? 'signed-out' : 'connected');
    } catch {
      retryLater();
    }
  }

  async function request(route: string, init: RequestInit = {}): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(`${API}${route}`, init);
    } catch (cause) {
      if (init.signal?.aborted) throw cause;
      reportLoss();
      throw LOST;
    }
    if (response.status === 401) enter('signed-out');
    if (response.ok) return response;
    throw await refusalIn(response);
  }

  return {
    state,
    request,
    json: async <T>(route: string, init?: RequestInit) => (await (await request(route, init)).json()) as T,
    untilConnected: () =>
      state.value === 'lost' ? new Promise<void>((resolve) => waiters.push(resolve)) : Promise.resolve(),
    reportLoss,
  };
}

async function refusalIn(response: Response): Promise<DataError> {
  try {
    const { code, message, help } = (await response.json()) as { code: string; message: string; help: string | null };
    return new DataError(code, message, help);
  } catch {
    return new DataError('unreadable', `the service answered with ${response.status}`);
  }
}
