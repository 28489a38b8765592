/**
 * What it costs to know before running: `verify` of the examples, of a machine of 200 states, 1,000 tests of ten effects,
 * 1,000 crash points, and what coverage adds. CPU time of one process, the least of some rounds, and its largest memory.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Measured, Row } from './row.js';
import { cli, inScratch, root, type Scratch } from './scratch.js';

const ROUNDS = 3;
const EXAMPLES = ['hello', 'release/release', 'task/task', 'fix-tests/fix-tests'];
const STATES = 200;
const TESTS = 1000;
const EFFECTS = 10;
/** Each has a crash point after each of its events. */
const CRASHED_TESTS = 25;

interface Used {
  readonly seconds: number;
  readonly mebibytes: number;
  readonly stdout: string;
}

/** Prints what the process has used when it ends; written before the program, so that nothing of it is missing. */
const METER = `process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  require('node:fs').writeSync(3, JSON.stringify([(userCPUTime + systemCPUTime) / 1e6, maxRSS / 1024]));
});
`;

function use({ path }: Scratch, meter: string, args: readonly string[], cwd = path): Used {
  const { status, stdout, stderr, output } = spawnSync(process.execPath, ['--require', meter, cli, ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    maxBuffer: 1 << 26,
    encoding: 'utf8',
    env: { ...process.env, CI: '', NO_COLOR: '1' },
  });
  if (status !== 0) throw new Error(`statedsl ${args.join(' ')}: exit ${status}: ${stderr}${stdout.slice(-500)}`);
  const [seconds, mebibytes] = JSON.parse(String(output[3])) as [number, number];
  return { seconds, mebibytes, stdout };
}

/** The least of some rounds: what else the machine does only adds to it. Sides take turns. */
function least(sides: readonly (() => Used)[]): Used[] {
  const best: (Used | undefined)[] = sides.map(() => undefined);
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, side] of sides.entries()) {
      const used = side();
      if (best[at] === undefined || used.seconds < (best[at] as Used).seconds) best[at] = used;
    }
  return best as Used[];
}

const seconds = (what: string, used: Used, atMost: number, sides: string): Measured => ({
  what,
  sides: `${sides}, ${Math.round(used.mebibytes)} MiB`,
  ratio: used.seconds,
  unit: 's',
  atMost,
});

const numbered = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => line(n)).join('');

const chain = `${numbered(
  STATES - 1,
  (n) => `STATE: S${n}\n  CHECK: x = look\n  IF: x == 1 → GOTO: S${Math.min(n + 2, STATES - 1)}\n  GOTO: S${n + 1}\n`,
)}STATE: S${STATES - 1}\n  RETURN: done\n`;
const program = `${numbered(EFFECTS, (n) => `DO: step ${n}\nIF: ${n} > ${EFFECTS} → RETURN: never\n`)}RETURN: done\n`;
const tests = (count: number): string =>
  `TESTS: "./ten.dsl"\n${numbered(count, (n) => `\nTEST: number ${n}\n  MOCK: "step *" → "ok", …\n  EXPECT: returned "done"\n`)}`;

export const foresight: Row = {
  name: 'foresight',
  measure: () =>
    inScratch(async (scratch) => {
      const { path, write } = scratch;
      const meter = write('meter.cjs', METER);
      const run = (args: readonly string[], cwd?: string): Used => use(scratch, meter, args, cwd);
      const firstLine = ({ stdout }: Used): string => stdout.slice(0, stdout.indexOf('\n'));
      write('chain.dsl', chain);
      write('ten.dsl', program);
      write('ten.test.dsl', tests(TESTS));
      write('crashes/ten.dsl', program);
      write('crashes/ten.test.dsl', tests(CRASHED_TESTS));
      const examples = EXAMPLES.map((name) => {
        const [used] = least([() => run(['verify', `examples/${name}.dsl`], root)]) as [Used];
        return seconds(`verify examples/${name}`, used, 0.3, firstLine(used));
      });
      const [campaign] = least([() => run(['verify', 'examples/campaign/campaign.dsl'], root)]) as [Used];
      const [states] = least([() => run(['verify', 'chain.dsl'])]) as [Used];
      const [plain, covered] = least([
        () => run(['test', '--quiet', 'ten.test.dsl']),
        () => run(['test', '--quiet', 'ten.test.dsl', '--coverage']),
      ]) as [Used, Used];
      const crashes = join(path, 'crashes');
      const [crashed] = least([() => run(['test', '--quiet', '--faults=crash', 'ten.test.dsl'], crashes)]) as [Used];
      const points = [...crashed.stdout.matchAll(/(\d[\d,]*) crash points?/g)].reduce(
        (sum, [, count]) => sum + Number((count as string).replaceAll(',', '')),
        0,
      );
      return [
        ...examples,
        seconds('verify examples/campaign', campaign, 5, firstLine(campaign)),
        {
          what: 'memory of verify examples/campaign',
          sides: firstLine(campaign),
          ratio: campaign.mebibytes,
          unit: 'MiB',
          atMost: 200,
        },
        seconds(`verify ${STATES} states`, states, 2, firstLine(states)),
        seconds(`${TESTS} tests of ${EFFECTS} effects`, plain, 3, 'with the start'),
        {
          what: 'tests with coverage / without',
          sides: `${covered.seconds.toFixed(2)} s vs ${plain.seconds.toFixed(2)} s`,
          ratio: covered.seconds / plain.seconds,
          atMost: 1.1,
        },
        seconds('1,000 crash points', { ...crashed, seconds: (crashed.seconds / points) * 1000 }, 2, `of ${points}`),
      ];
    }),
};
