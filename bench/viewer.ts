/**
 * The page in a browser: how soon the list of ten thousand runs and long runs are on the screen, how soon another event is
 * shown, how soon a new event is, and whether scrolling stays smooth.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, launchBrowser, type Page, untilTrue } from './browser.js';
import type { Measured, Row } from './row.js';
import { cli, inScratch } from './scratch.js';
import { median, milliseconds, timed } from './timing.js';

const RUNS = Number(process.env.STATEDSL_BENCH_KEPT ?? 10_000);
const LONG = Number(process.env.STATEDSL_BENCH_EVENTS ?? 100_000);
const LONGEST = 10 * LONG;
const ROUNDS = 3;
const JUMPS = 30;
const LIVE_EVENTS = 30;
const VIEWPORT = { viewport: { width: 1280, height: 800 } };
/** A time before the runs that are executed. */
const BEGIN_MS = 1_760_000_000_000;

/** Two events for each round. */
const loop = (events: number): string => `LIMIT: transitions=${events}
STATE: COUNT
  TRACK: n
  IF: n >= ${events / 2} → RETURN
  INCREMENT: n
  GOTO: COUNT
`;

const LIVE = `LIMIT: transitions=100000
STATE: WORK
  TRACK: n
  INCREMENT: n
  DO: sleep 0.3
  IF: n >= ${LIVE_EVENTS} → RETURN
  GOTO: WORK
`;

const NO_BROWSER: Measured = {
  what: 'page',
  sides: 'no browser: `npm run test:browser` installs what this row needs',
  ratio: Number.NaN,
};

export const viewer: Row = {
  name: 'viewer',
  measure: () =>
    inScratch(async ({ path, write }) => {
      const browser = await launchBrowser();
      if (browser === null) return [NO_BROWSER];
      write('long.dsl', loop(LONG));
      write('longest.dsl', loop(LONGEST));
      write('live.dsl', LIVE);
      const long = execute(path, 'long.dsl');
      const longest = execute(path, 'longest.dsl');
      keepRuns(path);
      const service = await startService(path);
      try {
        const open = (of: string): string => new URL(of, service.url).href;
        const token = service.url.searchParams.get('token');
        const first = await browser.newPage(VIEWPORT);
        await first.goto(service.url.href);
        await first.close();
        const stage: Stage = {
          browser,
          address: (at) => `${open(at)}${at.includes('?') ? '&' : '?'}token=${token}`,
          path,
        };
        return [
          await list(stage),
          ...(await opening(stage, long, LONG, 1500)),
          ...(await opening(stage, longest, LONGEST, 5000)),
          await memory(stage, longest, LONGEST),
          await slider(stage, long),
          await liveEvents(stage),
          ...(await scrolling(stage, long)),
        ];
      } finally {
        await browser.close();
        service.child.kill('SIGTERM');
        await new Promise((resolve) => service.child.once('exit', resolve));
      }
    }),
};

interface Stage {
  readonly browser: Browser;
  readonly address: (path: string) => string;
  readonly path: string;
}

async function withPage<T>({ browser, address }: Stage, path: string, action: (page: Page) => Promise<T>): Promise<T> {
  const page = await browser.newPage(VIEWPORT);
  try {
    await page.goto(address(path));
    return await action(page);
  } finally {
    await page.close();
  }
}

/** Milliseconds until a condition holds, in a new page each time. */
async function untilShown(stage: Stage, path: string, condition: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++)
    times.push(await timed(() => withPage(stage, path, (page) => untilTrue(page, condition))));
  return median(times);
}

async function list(stage: Stage): Promise<Measured> {
  const ms = await untilShown(stage, '/', `document.querySelectorAll('[role="row"]').length > 10`);
  return { what: `page: the list of ${RUNS} runs`, sides: milliseconds(ms), ratio: ms, unit: 'ms', atMost: 1000 };
}

/** Until the run is on the screen as it is now, and until all its events are there. */
async function opening(stage: Stage, run: string, events: number, atMost: number): Promise<Measured[]> {
  const measured = async (what: string, condition: string): Promise<Measured> => {
    const ms = await untilShown(stage, `/runs/${run}`, condition);
    return { what: `page: ${what} ${events} events`, sides: milliseconds(ms), ratio: ms, unit: 'ms', atMost };
  };
  return [await measured('a run of', isShown(events)), await measured('all of', isComplete)];
}

/** What the page keeps of a run when all of it is there: 200,000 events in 40 MiB. */
async function memory(stage: Stage, run: string, events: number): Promise<Measured> {
  const { usedSize } = await withPage(stage, `/runs/${run}`, async (page) => {
    await untilTrue(page, isComplete);
    const session = await page.context().newCDPSession(page);
    await session.send('HeapProfiler.collectGarbage');
    return session.send<{ readonly usedSize: number }>('Runtime.getHeapUsage');
  });
  const sides = `${Math.round(usedSize / 2 ** 20)} MiB for ${events} events`;
  return {
    what: 'page: heap',
    sides,
    ratio: usedSize / events,
    unit: 'bytes an event',
    atMost: (40 * 2 ** 20) / 200_000,
  };
}

/** The head, the slider up to the last event, and the record at its end. */
const isShown = (least: number): string => `(() => {
  const last = Number(document.querySelector('.slider input')?.max ?? 0);
  const end = document.querySelector('.record-table')?.textContent ?? '';
  return last >= ${least} && end.includes('run returned') && document.querySelector('.run-head h1') !== null;
})()`;

/** The record is there to its end, and the run is shown. */
const isComplete = `(() => {
  const at = document.querySelector('.slider .at')?.textContent ?? '';
  const [shown, last] = at.split('/').map((text) => text.trim());
  return shown !== '0' && shown === last && document.querySelector('.run-head h1') !== null;
})()`;

async function slider(stage: Stage, run: string): Promise<Measured> {
  const times = await withPage(stage, `/runs/${run}`, async (page) => {
    await untilTrue(page, isComplete);
    const taken: number[] = [];
    for (let jump = 0; jump < JUMPS; jump++) {
      const seq = 2 + ((jump * 7919 * 13) % (LONG - 10));
      const ms = await page.evaluate<number>(`new Promise((resolve) => {
        const input = document.querySelector('.slider input[type=range]');
        const begun = performance.now();
        const look = () => {
          const text = document.querySelector('.run-head .past')?.textContent ?? '';
          if (text.endsWith(' ${seq}')) resolve(performance.now() - begun);
          else requestAnimationFrame(look);
        };
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, '${seq}');
        input.dispatchEvent(new Event('input', { bubbles: true }));
        look();
      })`);
      taken.push(ms);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    return taken;
  });
  const ms = percentile(times, 0.95);
  const sides = `p50 ${milliseconds(median(times))}, ${JUMPS} events of ${LONG}`;
  return { what: 'page: to any event, p95', sides, ratio: ms, unit: 'ms', atMost: 200 };
}

/** From the time in the event until its number is on the screen. */
async function liveEvents(stage: Stage): Promise<Measured> {
  const child = spawn(process.execPath, [cli, 'run', 'live.dsl', '--detach', '--json'], {
    cwd: stage.path,
    stdio: 'pipe',
  });
  const printed = await new Promise<string>((resolve) => child.stdout.once('data', (chunk) => resolve(String(chunk))));
  const run = (JSON.parse(printed) as { run_id: string }).run_id;
  const seen = await withPage(stage, `/runs/${run}`, async (page) => {
    await page.evaluate(`(() => {
      globalThis.seen = {};
      const look = () => {
        const last = document.querySelector('.slider .at')?.textContent?.split('/')[1]?.trim().split(' ')[0];
        if (last !== undefined) globalThis.seen[last] ??= Date.now();
        requestAnimationFrame(look);
      };
      look();
    })()`);
    await untilTrue(page, `document.querySelector('.run-head')?.textContent?.includes('returned') === true`);
    return page.evaluate<Record<string, number>>('globalThis.seen');
  });
  const lines = readFileSync(join(stage.path, '.statedsl/runs', run, 'journal.ndjson'), 'utf8')
    .trim()
    .split('\n');
  const events = lines.map((line) => JSON.parse(line) as { seq: number; ts: string });
  // Events that came while the page was opening do not count, and of several at once the last one is seen.
  const firstSeen = Math.min(...Object.values(seen)) + 1000;
  const delays = events.flatMap(({ seq, ts }) => {
    const at = seen[String(seq)];
    return at === undefined || Date.parse(ts) < firstSeen ? [] : [at - Date.parse(ts)];
  });
  const ms = percentile(delays, 0.95);
  const sides = `p50 ${milliseconds(median(delays))}, ${delays.length} events`;
  return { what: 'page: a new event, p95', sides, ratio: ms, unit: 'ms', atMost: 250 };
}

/** The longest tasks while a wheel turns. */
async function scrolling(stage: Stage, run: string): Promise<Measured[]> {
  const longestTask = (path: string, ready: string, area: string) =>
    withPage(stage, path, async (page) => {
      await untilTrue(page, ready);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await page.evaluate(`(() => {
        globalThis.tasks = [0];
        new PerformanceObserver((list) => {
          for (const { duration } of list.getEntries()) globalThis.tasks.push(duration);
        }).observe({ type: 'longtask' });
      })()`);
      const [x, y] = await page.evaluate<[number, number]>(`(() => {
        const { left, top, width, height } = document.querySelector('${area}').getBoundingClientRect();
        return [left + width / 2, top + height / 2];
      })()`);
      await page.mouse.move(x, y);
      for (let turn = 0; turn < 60; turn++) await page.mouse.wheel(0, turn < 30 ? 900 : -900);
      return page.evaluate<number>('Math.max(...globalThis.tasks)');
    });
  const measured = (what: string, ms: number): Measured => {
    const sides = ms === 0 ? 'no task above 50 ms' : 'the longest task';
    return { what: `page: scrolling ${what}`, sides, ratio: ms, unit: 'ms', atMost: 50 };
  };
  return [
    measured('runs', await longestTask('/', `document.querySelectorAll('[role="row"]').length > 10`, '.table .rows')),
    measured('events', await longestTask(`/runs/${run}`, isComplete, '.record-table .rows')),
  ];
}

function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

function execute(cwd: string, program: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, [cli, 'run', program, '--json', '--quiet'], {
    cwd,
    maxBuffer: 1 << 28,
  });
  const line = String(stdout).trim().split('\n').at(-1) ?? '';
  if (line === '') throw new Error(String(stderr));
  return (JSON.parse(line) as { run_id: string }).run_id;
}

/** Finished runs before those that were executed, in the index only. */
function keepRuns(folder: string): void {
  const runs = join(folder, '.statedsl/runs');
  const index = join(runs, 'index.ndjson');
  const own = readFileSync(index, 'utf8');
  const entries = Array.from({ length: RUNS }, (_, at) => {
    const time = (BEGIN_MS + at * 1000).toString(16).padStart(12, '0');
    const run_id = `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${at.toString(16).padStart(12, '0')}`;
    mkdirSync(join(runs, run_id), { mode: 0o700 });
    const began = new Date(BEGIN_MS + at * 1000).toISOString();
    const facts = { machine: 'campaign', status: 'returned', state: 'COMPLETE', started_at: began, ended_at: began };
    return `${JSON.stringify({ run_id, ...facts, duration_ms: 1234, cost: 0.5, effects: 12 })}\n`;
  });
  writeFileSync(index, entries.join('') + own, { mode: 0o600 });
}

interface Service {
  readonly child: ChildProcess;
  readonly url: URL;
}

async function startService(cwd: string): Promise<Service> {
  const child = spawn(process.execPath, [cli, 'serve', '--listen', '0', '--json'], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (chunk) => resolve(String(chunk)));
    child.once('exit', () => reject(new Error('the service ended')));
  });
  return { child, url: new URL((JSON.parse(line) as { address: string }).address) };
}
