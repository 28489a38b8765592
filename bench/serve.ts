/**
 * The service under load: ten thousand runs kept, two hundred in flight, two hundred readers of server-sent events, and a
 * thousand requests a second for runs.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Row } from './row.js';
import { cli, inScratch } from './scratch.js';

const KEPT = Number(process.env.STATEDSL_BENCH_KEPT ?? 10_000);
const IN_FLIGHT = Number(process.env.STATEDSL_BENCH_IN_FLIGHT ?? 200);
const READERS = 200;
const A_SECOND = 1000;
const SECONDS = 15;
/** The service compiles its code while it answers the first requests. */
const WARM_UP_SECONDS = 5;

/** A run that makes an event now and then until it is cancelled. */
const BUSY = 'STATE: A\n  TRACK: n\n  INCREMENT: n\n  DO: sleep 3\n  GOTO: A\n';
const SHORT = 'INPUT: who = "you"\nSTATE: A\n  TRACK: n\n  INCREMENT: n\n  DO: echo hello {who}\n  RETURN: {who}\n';

interface Service {
  readonly child: ChildProcess;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

export const serveUnderLoad: Row = {
  name: 'serve',
  measure: () =>
    inScratch(async ({ path, write }) => {
      write('busy.dsl', BUSY);
      write('short.dsl', SHORT);
      const ids = keepRuns(path);
      const service = await startService(path);
      const busy: string[] = [];
      try {
        const posted = performance.now();
        for (let n = 0; n < IN_FLIGHT; n++) busy.push(await post(service, '/runs', { program: 'busy.dsl' }));
        const events = countEvents(service, busy);
        await untilAllWork(path, busy);
        const starting = (performance.now() - posted) / 1000;
        const all = [...ids, ...busy];
        const first = await sendRequests(service, all, WARM_UP_SECONDS);
        const pid = service.child.pid as number;
        const before = { service: cpuSeconds(pid), runs: cpuSecondsBelow(pid), own: process.cpuUsage() };
        const { times, errors, seconds } = await sendRequests(service, all, SECONDS);
        const cpu = cpuSeconds(pid) - before.service;
        const ofRuns = cpuSecondsBelow(pid) - before.runs;
        const own = process.cpuUsage(before.own);
        const ofRequests = (own.user + own.system) / 1e6;
        const got = events.stop();
        const at = (part: number): number => percentile(times, part);
        const rate = times.length / seconds;
        const sides = `p50 ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms; ${errors} errors; ${got} events to ${READERS} readers`;
        return [
          {
            what: `GET /runs/{id}, ${Math.round(rate)} a second, p95`,
            sides,
            ratio: at(0.95),
            unit: 'ms',
            atMost: 100,
          },
          {
            what: `GET /runs/{id}, first ${WARM_UP_SECONDS} s of it, p95`,
            sides: `p50 ${percentile(first.times, 0.5).toFixed(1)} ms; ${first.errors} errors`,
            ratio: percentile(first.times, 0.95),
            unit: 'ms',
          },
          {
            what: 'requests a second',
            sides: `of ${A_SECOND} wanted`,
            ratio: rate,
            unit: '/s',
            atLeast: A_SECOND * 0.98,
          },
          { what: 'first command of every run settled', sides: `${IN_FLIGHT} runs`, ratio: starting, unit: 's' },
          { what: 'requests that failed', sides: `of ${times.length}`, ratio: errors, unit: '', atMost: 0 },
          {
            what: 'processor of the service',
            sides: `${cpu.toFixed(1)} s in ${seconds.toFixed(0)} s`,
            ratio: cpu / seconds,
            unit: 'cores',
          },
          {
            what: 'processor of the runs',
            sides: `${IN_FLIGHT} runs, without commands that run`,
            ratio: ofRuns / seconds,
            unit: 'cores',
          },
          { what: 'processor of the requests', sides: 'this benchmark', ratio: ofRequests / seconds, unit: 'cores' },
        ];
      } finally {
        service.child.kill('SIGTERM');
        service.child.kill('SIGTERM');
        await new Promise((resolve) => service.child.once('exit', resolve));
      }
    }),
};

/** Finished runs: copies of one, with links to the files that are the same in all. */
function keepRuns(folder: string): string[] {
  const { stdout, stderr } = spawnSync(process.execPath, [cli, 'run', 'short.dsl', '--json'], { cwd: folder });
  const { run_id: first } = JSON.parse(String(stdout)) as { run_id: string };
  if (first === undefined) throw new Error(String(stderr));
  const runs = join(folder, '.statedsl/runs');
  const about = readFileSync(join(runs, first, 'run.json'), 'utf8');
  const line = readFileSync(join(runs, 'index.ndjson'), 'utf8').trim().split('\n').at(-1) as string;
  const ids = [first];
  let index = `${line}\n`;
  for (let n = 1; n < KEPT; n++) {
    const id = `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
    const own = join(runs, id);
    mkdirSync(own, { mode: 0o700 });
    for (const entry of readdirSync(join(runs, first), { withFileTypes: true })) {
      const [from, to] = [join(runs, first, entry.name), join(own, entry.name)];
      if (entry.isDirectory()) cpSync(from, to, { recursive: true });
      else if (entry.name === 'run.json') writeFileSync(to, about.replaceAll(first, id));
      else if (entry.name !== 'lock') linkSync(from, to);
    }
    index += `${line.replaceAll(first, id)}\n`;
    ids.push(id);
  }
  rmSync(join(runs, 'index.ndjson'));
  writeFileSync(join(runs, 'index.ndjson'), index, { mode: 0o600 });
  return ids;
}

async function startService(cwd: string): Promise<Service> {
  const flags = ['--listen', '0', '--json', '--runs', String(IN_FLIGHT), '--jobs', String(IN_FLIGHT)];
  const child = spawn(process.execPath, [cli, 'serve', ...flags], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (chunk) => resolve(String(chunk)));
    child.once('exit', () => reject(new Error('the service ended')));
  });
  const url = new URL((JSON.parse(line) as { address: string }).address);
  const headers = { authorization: `Bearer ${url.searchParams.get('token')}`, 'content-type': 'application/json' };
  return { child, url, headers };
}

function post({ url, headers }: Service, path: string, body: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(`/api/v1${path}`, url), { method: 'POST', headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve((JSON.parse(text) as { run_id: string }).run_id));
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

/** Readers, each of the events of one run. */
function countEvents({ url, headers }: Service, runs: readonly string[]) {
  let count = 0;
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
  const streams: IncomingMessage[] = [];
  for (let n = 0; n < READERS; n++) {
    const path = `/api/v1/runs/${runs[n % runs.length]}/events`;
    const sent = get(
      new URL(path, url),
      { agent, headers: { ...headers, accept: 'text/event-stream' } },
      (response) => {
        streams.push(response);
        response.on('data', (chunk: Buffer) => {
          count += String(chunk).split('\nid: ').length - 1;
        });
        response.on('error', () => undefined);
      },
    );
    sent.on('error', () => undefined);
  }
  return {
    stop(): number {
      for (const stream of streams) stream.destroy();
      agent.destroy();
      return count;
    },
  };
}

/** Until every run has settled a command: processes that start take what the requests are to be measured with. */
async function untilAllWork(folder: string, runs: readonly string[]): Promise<void> {
  const waiting = new Set(runs.map((id) => join(folder, '.statedsl/runs', id, 'journal.ndjson')));
  while (waiting.size > 0) {
    await pause(250);
    for (const journal of waiting)
      if (existsSync(journal) && readFileSync(journal, 'utf8').includes('"effect_settled"')) waiting.delete(journal);
  }
}

/** Sends requests at fixed times, whether those before were answered or not. */
async function sendRequests({ url, headers }: Service, ids: readonly string[], duration: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const times: number[] = [];
  let errors = 0;
  const pending = new Set<Promise<void>>();
  const send = (id: string): void => {
    const due = performance.now();
    const done = new Promise<void>((resolve) => {
      const finish = (isWrong: boolean): void => {
        if (isWrong) errors++;
        times.push(performance.now() - due);
        resolve();
      };
      get(new URL(`/api/v1/runs/${id}`, url), { agent, headers }, (response) => {
        response.resume();
        response.on('end', () => finish(response.statusCode !== 200));
      }).on('error', () => finish(true));
    });
    pending.add(done);
    void done.then(() => pending.delete(done));
  };
  const begun = performance.now();
  let sent = 0;
  while (sent < A_SECOND * duration) {
    const due = Math.min(A_SECOND * duration, Math.floor(((performance.now() - begun) / 1000) * A_SECOND));
    // Every fifth request is for a run in flight.
    for (; sent < due; sent++) {
      const inFlight = sent % 5 === 0;
      const among = inFlight ? ids.slice(-IN_FLIGHT) : ids;
      send(among[(sent * 7919) % among.length] as string);
    }
    await pause(2);
  }
  await Promise.all(pending);
  const seconds = (performance.now() - begun) / 1000;
  agent.destroy();
  return { times, errors, seconds };
}

function percentile(times: readonly number[], part: number): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * part)] ?? Number.NaN;
}

function cpuSeconds(pid: number): number {
  return (
    cpuOf(pid)
      .slice(0, 2)
      .reduce((sum, ticks) => sum + ticks, 0) / 100
  );
}

/** Of the processes that a process started, with those that have ended below them. */
function cpuSecondsBelow(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return children.flatMap((child) => cpuOf(Number(child))).reduce((sum, ticks) => sum + ticks, 0) / 100;
}

/** User, system, and both of waited-for children, in hundredths of a second. */
function cpuOf(pid: number): number[] {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return fields.slice(11, 15).map(Number);
}
