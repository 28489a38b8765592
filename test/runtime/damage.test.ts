/** A run after a crash or on a bad disk: it resumes correctly, or the message says what is damaged and where. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunReport } from '../../src/index.js';
import { inspectRun } from '../../src/runtime/inspect-run.js';
import { listRuns } from '../../src/runtime/list-runs.js';
import { checkDrift, replay } from '../../src/runtime/run/again/replay-run.js';
import { resume } from '../../src/runtime/run/again/resume-run.js';
import { latestRun, readIndex } from '../../src/runtime/store/stored-run.js';
import { amount } from '../amount.js';
import { copied, type KeptRun, keptRun, refusal, scratchRoot } from './kept-run.js';

const text = `INPUT: who = "Ada"
STATE: ONE
  TRACK: n
  DO: a = step one
  INCREMENT: n
  GOTO: TWO
STATE: TWO
  DO: b = step two
  EMIT: BOTH b={b}
  RETURN: {who} {b} {n}
`;

let calls: string[] = [];
const commands = {
  step: ([word]: readonly string[]) => {
    calls.push(word ?? '');
    return `did ${word}`;
  },
};

let folder: string;
let base: KeptRun;
let lines: Buffer[];
/** Where each line begins, and the end after the last one. */
let starts: number[];

beforeAll(async () => {
  folder = mkdtempSync(join(scratchRoot, 'statedsl-damage-'));
  base = await keptRun(text, commands, { dir: join(folder, '.statedsl') });
  const journal = readFileSync(join(base.path, 'journal.ndjson'));
  starts = [0];
  for (let at = journal.indexOf(10); at >= 0; at = journal.indexOf(10, at + 1)) starts.push(at + 1);
  lines = starts.slice(1).map((end, index) => journal.subarray(starts[index], end));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** The run as a process leaves it that dies before its first checkpoint. */
function fresh(): KeptRun {
  const copy = copied(base);
  rmSync(join(copy.path, 'checkpoint.json'), { force: true });
  rmSync(join(copy.dir, 'runs/index.ndjson'), { force: true });
  calls = [];
  return copy;
}

const goOn = (one: KeptRun): Promise<RunReport> => resume(one.report.run_id, { dir: one.dir, commands, env: {} });

function expectSame(report: RunReport): void {
  const { duration_ms: _, ...rest } = report;
  const { duration_ms: __, ...wanted } = base.report;
  expect(rest).toEqual(wanted);
}

describe('a journal without its end', () => {
  test('resumes correctly from every cut in its last three lines', async () => {
    const from = starts[lines.length - 3] as number;
    // Around the ends of lines each byte counts; inside of one they are alike.
    const tried = (at: number): boolean =>
      at % amount(47, 11) === 0 || starts.some((start) => Math.abs(start - at) < amount(3, 20));
    for (let at = from; at < (starts[lines.length] as number); at++) {
      if (!tried(at)) continue;
      const copy = fresh();
      truncateSync(join(copy.path, 'journal.ndjson'), at);
      // The end of a line may be missing, and nothing else.
      const whole = starts.filter((start) => start > 0 && start - 1 <= at).length;
      const done = lines.slice(0, whole).filter((line) => line.includes('"effect_settled"')).length;
      expectSame(await goOn(copy));
      expect(calls, 'finished effects are not done again').toEqual(['one', 'two'].slice(done));
    }
  });

  test('resumes correctly from every line', async () => {
    for (const [index, start] of starts.entries()) {
      const copy = fresh();
      truncateSync(join(copy.path, 'journal.ndjson'), start);
      const done = lines.slice(0, index).filter((line) => line.includes('"effect_settled"')).length;
      expectSame(await goOn(copy));
      expect(calls).toEqual(['one', 'two'].slice(done));
      const { difference } = await checkDrift(copy.report.run_id, { dir: copy.dir, env: {} });
      expect(difference).toBeNull();
    }
  });

  test('is an error if a later checkpoint exists', async () => {
    const copy = copied(base);
    const journal = join(copy.path, 'journal.ndjson');
    truncateSync(journal, (starts[lines.length] as number) - 1);
    const missing = /Error: the end of `.*journal.ndjson` is missing: it has \d+ bytes, but the checkpoint/;
    expect(await refusal(() => goOn(copy))).toMatch(missing);
    const drift = () => checkDrift(copy.report.run_id, { dir: copy.dir, env: {} });
    expect(await refusal(drift)).toMatch(missing);
    const checkpoint = join(copy.path, 'checkpoint.json');
    const whole = readFileSync(checkpoint, 'utf8');
    writeFileSync(checkpoint, whole.replace('"at":', '"At":'));
    expect((await drift()).difference).toBeNull();
  });
});

describe('a journal that lacks whole lines', () => {
  /** Writes the lines with these indices, in this order. */
  function withLines(copy: KeptRun, kept: readonly number[]): string {
    const path = join(copy.path, 'journal.ndjson');
    writeFileSync(path, Buffer.concat(kept.map((index) => lines[index] as Buffer)));
    return path;
  }
  const all = (): number[] => [...lines.keys()];
  const everyReader = async (copy: KeptRun): Promise<string> => {
    const { run_id } = copy.report;
    const refusals = [
      await refusal(() => goOn(copy)),
      await refusal(() => inspectRun(copy.dir, run_id, null)),
      await refusal(() => checkDrift(run_id, { dir: copy.dir, env: {} })),
    ];
    expect(new Set(refusals).size).toBe(1);
    return refusals[0] as string;
  };

  test('is refused wherever one line was deleted, with the event and its location', async () => {
    for (const deleted of all().slice(0, -1)) {
      const copy = fresh();
      const path = withLines(
        copy,
        all().filter((index) => index !== deleted),
      );
      expect(await everyReader(copy)).toBe(
        `StoreError: \`${path}\` is damaged: event ${deleted + 1} is missing before event ${deleted + 2}, which begins at byte ${starts[deleted]}`,
      );
    }
    expect(calls).toEqual([]);
  });

  test('is refused where several lines were deleted, also when the last line has lost its line end', async () => {
    const copy = fresh();
    const path = withLines(copy, [0, 1, lines.length - 1]);
    truncateSync(path, readFileSync(path).length - 1);
    expect(await everyReader(copy)).toBe(
      `StoreError: \`${path}\` is damaged: events 3 to ${lines.length - 1} are missing before event ${lines.length}, which begins at byte ${starts[2]}`,
    );
  });

  test('is refused where a line is there twice or lines are in another order', async () => {
    const twice = fresh();
    const path = withLines(twice, [0, 1, 1, ...all().slice(2)]);
    expect(await everyReader(twice)).toBe(
      `StoreError: \`${path}\` is damaged: event 2 follows event 2, which begins at byte ${starts[2]}`,
    );
    const swapped = fresh();
    withLines(swapped, [0, 2, 1, ...all().slice(3)]);
    expect(await everyReader(swapped)).toMatch(
      /is damaged: event 2 is missing before event 3, which begins at byte \d+$/,
    );
  });

  test('is refused where the deleted line lies before the checkpoint', async () => {
    const copy = copied(base);
    withLines(
      copy,
      all().filter((index) => index !== 2),
    );
    expect(await refusal(() => goOn(copy))).toMatch(/ is damaged: event 3 is missing before event 4, /);
  });
});

describe('a flipped bit', () => {
  test.each([
    [1, amount(7, 1)],
    [0x80, amount(31, 5)],
  ])('of any byte of the journal (%i, every %i) is told with its event and place', async (mask, step) => {
    const copy = fresh();
    const path = join(copy.path, 'journal.ndjson');
    const whole = readFileSync(path);
    for (let at = 0; at < whole.length; at += step) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] as number) ^ mask;
      writeFileSync(path, bytes);
      const line = starts.findIndex((start, index) => at >= start && at < (starts[index + 1] ?? 0));
      const wanted = `StoreError: \`${path}\` is damaged: event ${line + 1}, which begins at byte ${starts[line]}, has changed`;
      expect(await refusal(() => goOn(copy))).toBe(wanted);
      if (at % (10 * step) === 0)
        expect(await refusal(() => inspectRun(copy.dir, copy.report.run_id, null))).toBe(wanted);
    }
    expect(calls).toEqual([]);
  });

  test('of a checkpoint only makes resuming slower', async () => {
    const whole = readFileSync(join(base.path, 'checkpoint.json'));
    for (let at = 0; at < whole.length; at += amount(41, 7)) {
      const copy = fresh();
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] as number) ^ 1;
      writeFileSync(join(copy.path, 'checkpoint.json'), bytes);
      expectSame(await goOn(copy));
    }
  });

  test('of the program is reported', async () => {
    const { length } = readFileSync(join(base.path, 'machine.json'));
    for (let at = 0; at < length - 1; at += amount(389, 97)) {
      const copy = fresh();
      const path = join(copy.path, 'machine.json');
      const bytes = readFileSync(path);
      bytes[at] = (bytes[at] as number) ^ 1;
      writeFileSync(path, bytes);
      const told = await refusal(() => goOn(copy));
      expect(told).toMatch(/^RunRefused: the run cannot be read.*(is damaged|is incomplete)$/);
    }
  });
});

describe('a run that cannot be resumed says why', () => {
  test('it was recorded in another format', async () => {
    const copy = fresh();
    const path = join(copy.path, 'run.json');
    const about = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...about, format: 99, versions: { ...about.versions, statedsl: '9.1.0' } }));
    expect(await refusal(() => goOn(copy))).toContain(
      'was recorded by statedsl 9.1.0 in format 99; this version reads format 1',
    );
    const { format: _, ...earlier } = about;
    writeFileSync(path, JSON.stringify(earlier));
    expect(await refusal(() => goOn(copy))).toContain('in a format before 1');
  });

  test('an output that a value is made of is missing, or is another one', async () => {
    const program = "DO: x = head -c 100000 /dev/zero | tr '\\0' x\nDO: y = step {len(x)}\nRETURN: {y}\n";
    const kept = await keptRun(program, commands);
    expect(kept.report.returned).toBe('did 100000');
    rmSync(join(kept.path, 'checkpoint.json'));
    const [output = ''] = readdirSync(join(kept.path, 'artifacts'));
    const changed = copied(kept);
    writeFileSync(join(changed.path, 'artifacts', output), 'x'.repeat(99_999));
    expect(await refusal(() => goOn(changed))).toMatch(/^RunRefused: the output .* is damaged$/);
    const missing = copied(kept);
    rmSync(join(missing.path, 'artifacts', output));
    expect(await refusal(() => goOn(missing))).toMatch(/^RunRefused: the output .* is missing from/);
  });

  test('a process that died before its run began left nothing to resume', async () => {
    const copy = fresh();
    rmSync(join(copy.path, 'run.json'));
    expect(await refusal(() => goOn(copy))).toContain('ended before the run began');
    expect(latestRun(copy.dir)).toBeNull();
  });
});

describe('the list of runs', () => {
  const endOf = (dir: string) => listRuns(dir)[0]?.ended_at;

  test('has the line after an incomplete one', () => {
    const copy = copied(base);
    const index = join(copy.dir, 'runs/index.ndjson');
    const [line = ''] = readFileSync(index, 'utf8').split('\n');
    writeFileSync(index, `{"run_id":"01a20000-0000-7000-8000-000000000000","mach${line}\n`);
    expect([...readIndex(copy.dir).keys()]).toEqual([base.report.run_id]);
  });

  test('may lack the end of a run: it is reported, and nothing is executed', async () => {
    const copy = fresh();
    expect(endOf(copy.dir)).toBeNull();
    expectSame(await goOn(copy));
    expect(calls).toEqual([]);
    expect(endOf(copy.dir)).not.toBeNull();
    // Its result is printed again, and nothing is executed for that either.
    expectSame(await goOn(copy));
    expect(calls).toEqual([]);
  });
});

describe('a new run from a point before the damage', () => {
  /** The second state is entered at this event. */
  const second = (): number => lines.findIndex((line) => line.includes('"state":"TWO"')) + 1;

  function damagedAt(seq: number): KeptRun {
    const one = fresh();
    const at = (starts[seq - 1] as number) + 12;
    const journal = readFileSync(join(one.path, 'journal.ndjson'));
    journal[at] = (journal[at] as number) ^ 1;
    writeFileSync(join(one.path, 'journal.ndjson'), journal);
    return one;
  }

  const from = (one: KeptRun, point: Parameters<typeof replay>[1]['from']): Promise<RunReport> =>
    replay(one.report.run_id, { dir: one.dir, commands, env: {}, from: point });

  test.each([-1, 0])('starts, also where the damage is the first event that is not taken over: %i', async (before) => {
    const report = await from(damagedAt(second() + 1), second() + 1 + before);
    expect(report).toMatchObject({ status: 'returned', returned: 'Ada did two 1' });
    expect(calls).toEqual(['two']);
  });

  test('starts from a state that was entered before it', async () => {
    expect((await from(damagedAt(second() + 1), { state: 'TWO', entry: 1 })).status).toBe('returned');
  });

  test('does not start behind it', async () => {
    const damaged = /^StoreError: .* is damaged: event \d+/;
    expect(await refusal(() => from(damagedAt(second()), second() + 1))).toMatch(damaged);
    expect(await refusal(() => from(damagedAt(second()), { state: 'TWO', entry: 1 }))).toMatch(damaged);
  });
});
