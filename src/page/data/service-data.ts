/** The data of the page from the service that the page came from. */
import { effect, signal } from '@preact/signals';
import type { ProgramList } from '../../app/programs.js';
import type { RunDay } from '../../app/run-filter.js';
import type { RunFiles, RunProgram, ScheduleList } from '../../app/runs.js';
import { followRecord, readLinesAfter } from './follow-record.js';
import type {
  About,
  CheckedRun,
  NewRun,
  OutputPart,
  OutputQuery,
  PageData,
  PageRun,
  RunActions,
  RunPage,
  WaitingPage,
} from './page-data.js';
import { connectToService, type ServiceConnection } from './service-connection.js';

interface ServiceFacts extends About {
  readonly read_only: boolean;
}

export function serviceData(): PageData {
  const connection = connectToService();
  const about = signal<About | null>(null);
  const actions = signal<RunActions | null>(null);

  // A service that was started again may permit something else.
  effect(() => {
    if (connection.state.value !== 'connected') return;
    connection.json<ServiceFacts>('/service').then(
      (facts) => {
        about.value = facts;
        actions.value = facts.read_only ? null : serviceActions(connection);
      },
      () => undefined,
    );
  });

  return {
    kind: 'service',
    connection: connection.state,
    about,
    actions,
    list: (query, signal) => connection.json<RunPage>(`/runs?${parameters({ ...query })}`, { signal: signal ?? null }),
    async days({ cursor: _, limit: __, ...query }, signal) {
      const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
      const route = `/days?${parameters({ ...query, zone: timeZone })}`;
      return (await connection.json<{ readonly days: readonly RunDay[] }>(route, { signal: signal ?? null })).days;
    },
    schedules: (signal) => connection.json<ScheduleList>('/schedules', { signal: signal ?? null }),
    waiting: (limit, signal) =>
      connection.json<WaitingPage>(`/waiting?${parameters({ limit })}`, { signal: signal ?? null }),
    inspect: (run, at, signal) =>
      connection.json<PageRun>(`/runs/${run}${at === null ? '' : `?at=${at}`}`, { signal: signal ?? null }),
    follow: (run, after, reader) => followRecord(connection, run, after, reader),
    linesAfter: (run, after, count, signal) => readLinesAfter(connection, run, after, count, signal),
    program: (run, digest, signal) =>
      connection.json<RunProgram>(`/runs/${run}/program${digest === null ? '' : `?digest=${digest}`}`, {
        signal: signal ?? null,
      }),
    programs: {
      list: (signal) => connection.json<ProgramList>('/programs', { signal: signal ?? null }),
      check: ({ program, inputs, limits }, signal) =>
        connection.json<CheckedRun>('/check', {
          ...postOf(`{"program":${JSON.stringify(program)},"inputs":${members(inputs)}${limitsMember(limits)}}`),
          signal: signal ?? null,
        }),
    },
    files: (run, signal) => connection.json<RunFiles>(`/runs/${run}/files`, { signal: signal ?? null }),
    output: (run, effect, query) => readOutput(connection, run, effect, query),
    artifact: async (run, hash, signal) =>
      (await connection.request(`/runs/${run}/artifacts/${hash}`, { signal: signal ?? null })).text(),
  };
}

function parameters(named: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return new URLSearchParams(given).toString();
}

async function readOutput(
  connection: ServiceConnection,
  run: string,
  effect: string,
  { stream, raw = false, from, to, signal }: OutputQuery,
): Promise<OutputPart> {
  const route = `/runs/${run}/effects/${encodeURIComponent(effect)}/output?stream=${stream}${raw ? '&raw=true' : ''}`;
  const headers = new Headers();
  if (from > 0 || to !== null) headers.set('Range', `bytes=${from}-${to === null ? '' : to - 1}`);
  const response = await connection.request(route, { headers, signal });
  const size = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1] ?? response.headers.get('x-bytes');
  return { bytes: size === null ? null : Number(size), pieces: piecesOf(response) };
}

async function* piecesOf(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

const postOf = (body: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body,
});

/** An object of JSON texts. */
const members = (texts: NewRun['inputs']): string =>
  `{${Object.entries(texts)
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    .join(',')}}`;

const limitsMember = (limits: NewRun['limits']): string =>
  Object.keys(limits).length === 0 ? '' : `,"limits":${JSON.stringify(limits)}`;

function serviceActions(connection: ServiceConnection): RunActions {
  const post = <T>(run: string, what: string, body: unknown): Promise<T> =>
    connection.json<T>(`/runs/${run}/${what}`, postOf(JSON.stringify(body)));
  return {
    answer: (run, answers, reason) => post(run, 'answers', reason === '' ? { answers } : { answers, reason }),
    signal: (run, name, payload) => post(run, 'signals', { name, payload }),
    cancel: (run) => post(run, 'cancel', {}),
    resume: (run, limits) => post(run, 'resume', Object.keys(limits).length === 0 ? {} : { limits }),
    replay: async (run, from) => (await post<{ readonly run_id: string }>(run, 'replay', { from })).run_id,
    apply: (run) => post(run, 'apply', {}),
    start({ program, name, inputs, limits, isConfirmed }) {
      const more = `${name === '' ? '' : `,"name":${JSON.stringify(name)}`}${isConfirmed ? ',"confirm":true' : ''}`;
      const body = `{"program":${JSON.stringify(program)},"inputs":${members(inputs)}${limitsMember(limits)}${more}}`;
      return connection.json('/runs', postOf(body));
    },
    remove: (runs, { all, dryRun }) =>
      connection.json('/runs/remove', postOf(JSON.stringify({ runs, all, dry_run: dryRun }))),
  };
}
