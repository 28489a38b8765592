/**
 * Random programs that fail at one line, and random edits that move lines into arms, into the next state, above and below
 * the failed one, and members within blocks, and that insert lines. Several lines have the same text. After the resume each
 * line has been executed once, and the record reproduces the run.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readJournalLine } from '../../src/index.js';
import { checkDrift } from '../../src/runtime/run/again/replay-run.js';
import { resume } from '../../src/runtime/run/again/resume-run.js';
import { tries } from '../amount.js';
import { Draw, seed } from '../random.js';
import { compiled, keptRun, scratchRoot } from './kept-run.js';

/** Lines that stay together, as the program has them. */
interface Unit {
  readonly lines: readonly string[];
  /** What `work` is called with, and how often the counter rises. */
  readonly does: readonly string[];
  readonly counts: number;
  readonly emits: string | null;
}

class EditDraw extends Draw {
  private count = 0;

  unit(): Unit {
    const by = ++this.count;
    const name = `u${by}`;
    // Nobody knows which one of several equal lines was moved, but how often each is executed.
    const text = this.below(2) === 0 ? 'same' : name;
    const unit = (lines: readonly string[], does: readonly string[] = [], counts = 0): Unit => ({
      ...{ lines, does, counts, emits: lines.some((line) => line.startsWith('EMIT')) ? name : null },
    });
    switch (this.below(9)) {
      case 0:
        return unit([`DO: work ${text}`], [text]);
      case 1:
        return unit([`DO: ${name} = work ${name}`], [name]);
      case 2:
        return unit([`EMIT: E name=${name}`]);
      case 3:
        return unit([`INCREMENT: n by ${by}`], [], by);
      case 4:
        return unit([`SET: n += ${by}`], [], by);
      case 5:
        return unit(
          [`STEP: ${name} type=code`, `  DO: work ${name}a`, `  DO: work ${name}b`],
          [`${name}a`, `${name}b`],
        );
      case 6:
        return unit(
          ['FOR EACH: i in ["x", "y"]', `  DO: work ${name}{i}`, `  INCREMENT: n by ${by}`],
          [`${name}x`, `${name}y`],
          2 * by,
        );
      case 7:
        return unit(['IF: n >= 0 →', `  DO: work ${name}`, 'ELSE →', '  DO: work same'], [name]);
      default:
        return unit(['DO: in PARALLEL', `  - ${name} = work ${name}a`, `  - work ${text}`], [`${name}a`, text]);
    }
  }

  /** A line that fails at first, alone or beside others. */
  failing(): Unit {
    if (this.below(2) === 0) return { lines: ['DO: flaky'], does: [], counts: 0, emits: null };
    const members = this.shuffled(['  - flaky', '  - work same', '  - work same', '  - m = work beside']);
    const max = this.below(2) === 0 ? ' [max=1]' : '';
    return { lines: [`DO: in PARALLEL${max}`, ...members], does: ['same', 'same', 'beside'], counts: 0, emits: null };
  }

  /** The same lines; members of a block in another order. */
  edited({ lines }: Unit): readonly string[] {
    const [first = '', ...members] = lines;
    return first.startsWith('DO: in PARALLEL') ? [first, ...this.shuffled(members)] : lines;
  }
}

function programOf(states: readonly (readonly Unit[])[], draw: EditDraw | null): string {
  const blocks = states.map((units, at) => {
    const lines = units.flatMap((unit) => {
      if (draw === null) return unit.lines;
      const lines = draw.edited(unit);
      return draw.below(3) > 0 ? lines : ['IF: n >= 0 →', ...lines.map((line) => `  ${line}`)];
    });
    const end = at === states.length - 1 ? 'RETURN: {n}' : `GOTO: S${at + 1}`;
    return [`STATE: S${at}`, ...[...lines, end].map((line) => `  ${line}`)].join('\n');
  });
  return `${blocks.join('\n').replace('\n', '\n  TRACK: n = 0\n')}\n`;
}

/** `work` notes what it is called with; `flaky` fails until it is mended. */
function workers() {
  const done: string[] = [];
  let isGood = false;
  const commands = {
    work: ([name = '']: readonly string[]) => {
      done.push(name);
      return name;
    },
    flaky: () => {
      if (!isGood) throw new Error('not yet');
      return '';
    },
  };
  const mend = (): void => {
    isGood = true;
  };
  return { done, commands, mend };
}

async function tryEdit(from: number): Promise<void> {
  const draw = new EditDraw(from);
  const list = (most: number): Unit[] => Array.from({ length: 1 + draw.below(most) }, () => draw.unit());
  const [before, failing, after] = [list(3), list(4), list(3)];
  failing.splice(draw.below(failing.length + 1), 0, draw.failing());
  const states = [before, failing, after];
  // Lines of states that the run has left may move on, and lines of later states may only move within them.
  const moved = draw.below(2) === 0 ? before.splice(0, draw.below(before.length)) : [];
  const inserted: Unit[] =
    draw.below(2) === 0 ? [{ lines: ['DO: work new'], does: ['new'], counts: 0, emits: null }] : [];
  const text = programOf([[...moved, ...before], failing, after], null);
  const now = draw.shuffled([...failing, ...moved, ...inserted]);
  const edited = programOf([draw.shuffled(before), now, draw.shuffled(after)], draw);
  const shown = `${text}\nis edited to\n\n${edited}`;

  const { done, commands, mend } = workers();
  const names = Object.keys(commands);
  const { report, dir, path } = await keptRun(text, commands);
  expect(report.status, shown).toBe('failed');
  mend();
  const machine = compiled(edited, names);
  const end = await resume(report.run_id, { dir, commands, machine, env: { PATH: process.env.PATH } }).catch((cause) =>
    Promise.reject(new Error(`${shown}\n${cause}`)),
  );
  expect(end.error?.message, shown).toBeUndefined();
  const units = [...moved, ...inserted, ...states.flat()];
  expect([...done].sort(), shown).toEqual(units.flatMap(({ does }) => does).sort());
  expect(end.returned, shown).toBe(units.reduce((sum, { counts }) => sum + counts, 0));
  const emitted = readFileSync(join(path, 'journal.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => readJournalLine(line)?.event)
    .flatMap((event) => (event?.type === 'emitted' && event.event === 'E' ? [event.fields.name] : []));
  expect(emitted.sort(), shown).toEqual(units.flatMap(({ emits }) => emits ?? []).sort());
  expect((await checkDrift(report.run_id, { dir })).difference, shown).toBeNull();
}

test('an edited program executes each moved line once', async () => {
  const times = tries(12, 400);
  for (let at = 0; at < times; at++) await tryEdit(seed + at * 7919);
});

test('members in another order that had not all started again are executed once each', async () => {
  const members = ['flaky 2', 'work a', 'flaky 1', 'work b', 'work c'];
  const program = (list: readonly string[]): string =>
    `STATE: A\n  DO: in PARALLEL [max=1]\n${list.map((one) => `    - DO: ${one}\n`).join('')}  RETURN\n`;
  const done: string[] = [];
  let level = 0;
  const commands = {
    work: ([name = '']: readonly string[]) => {
      done.push(name);
      return name;
    },
    flaky: ([at]: readonly string[]) => {
      if (Number(at) > level) throw new Error('not yet');
      return '';
    },
  };
  const names = Object.keys(commands);
  const { report, dir } = await keptRun(program(members), commands);
  const env = { PATH: process.env.PATH };
  const wrapped = program(members)
    .replace(/^ {2}(?=DO| +-)/gm, '    ')
    .replace('STATE: A', 'STATE: A\n  IF: 1 == 1 →');
  for (const text of [wrapped, program(members.toReversed())]) {
    level++;
    await resume(report.run_id, { dir, commands, machine: compiled(text, names), env });
  }
  expect(done).toEqual(['a', 'b', 'c']);
  expect((await checkDrift(report.run_id, { dir })).difference).toBeNull();
});

test('a member and an equal line of an arm that was not taken are not taken for each other', async () => {
  const arm = '  IF: n >= 0 →\n    DO: work u\n  ELSE →\n    DO: work same\n';
  const block = (list: readonly string[]): string =>
    `  DO: in PARALLEL\n${list.map((one) => `    - work ${one}\n`).join('')}`;
  const program = (above: string, below: string): string =>
    `STATE: A\n  TRACK: n = 0\n${above}  GOTO: B\nSTATE: B\n${below}  DO: flaky\n  DO: work same\n  RETURN\n`;
  const { done, commands, mend } = workers();
  const { report, dir } = await keptRun(program(`${arm}${block(['v', 'same'])}`, ''), commands);
  expect(done.splice(0)).toEqual(['u', 'v', 'same']);
  mend();
  const edited = compiled(program(block(['same', 'v']), arm), Object.keys(commands));
  await resume(report.run_id, { dir, commands, machine: edited, env: { PATH: process.env.PATH } });
  expect(done).toEqual(['same']);
});

test('of equal lines, the one in an arm that was not taken is not the one above it that was executed', async () => {
  const arm = (indent: string): string =>
    ['IF: n >= 0 →', '  DO: work v', 'ELSE →', '  DO: work same'].map((line) => `${indent}${line}\n`).join('');
  const block = '  DO: in PARALLEL\n    - u = work u\n    - work w\n';
  const program = (above: string, below: string): string =>
    `STATE: A\n  TRACK: n = 0\n${above}  GOTO: B\nSTATE: B\n${below}  RETURN\n`;
  const { done, commands, mend } = workers();
  const old = program(`  DO: work same\n${block}${arm('  ')}`, '  DO: flaky\n');
  const { report, dir } = await keptRun(old, commands);
  expect(done.splice(0)).toEqual(['same', 'u', 'w', 'v']);
  mend();
  const edited = program(`  IF: n >= 0 →\n${arm('    ')}${block}`, '  DO: flaky\n  DO: work same\n');
  const machine = compiled(edited, Object.keys(commands));
  await resume(report.run_id, { dir, commands, machine, env: { PATH: process.env.PATH } });
  expect(done).toEqual([]);
});

test('what is inserted above a line that was open when the process died is executed first, if its owner agrees', async () => {
  const text = 'STATE: A\n  DO: work a\n  DO: in PARALLEL\n    - DO: hangs\n    - DO: work b\n  RETURN\n';
  const edited = text.replace('  DO: in', '  DO: work new\n  DO: in');
  const folder = mkdtempSync(join(scratchRoot, 'statedsl-died-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [store, dir] = [join(folder, 'run'), join(folder, 'died')];
  const done: string[] = [];
  const commands = {
    work: ([name = '']: readonly string[]) => {
      done.push(name);
      return name;
    },
    // The record as it is while this runs is what a process leaves that dies now.
    hangs: async () => {
      if (existsSync(dir)) return '';
      const [run = ''] = readdirSync(join(store, 'runs'));
      const settled = () =>
        readFileSync(join(store, 'runs', run, 'journal.ndjson'), 'utf8').split('effect_settled').length - 1;
      while (settled() < 2) await new Promise((done) => setTimeout(done, 5));
      cpSync(store, dir, { recursive: true, filter: (file) => !/lock/.test(basename(file)) });
      throw new Error('the process has died');
    },
  };
  const { report } = await keptRun(text, commands, { dir: store });
  done.length = 0;
  const options = { dir, commands, machine: compiled(edited, Object.keys(commands)), env: { PATH: process.env.PATH } };
  await expect(resume(report.run_id, options)).rejects.toThrow(
    'the edited program has `work new` (line 3) above line 5, which had begun and would begin anew',
  );
  expect(done).toEqual([]);
  const end = await resume(report.run_id, { ...options, again: true });
  expect(end.status).toBe('returned');
  expect(done.sort()).toEqual(['new']);
  expect((await checkDrift(report.run_id, { dir })).difference).toBeNull();
});
