/**
 * Random blocks of PARALLEL with loops in them that fail in some turns, some of them twice, and random edits of them: members
 * inserted and in another order, an IF around the block. However often the run is resumed, edited or not, each line of
 * each turn is executed once, and the record reproduces the run.
 */
import { expect, test } from 'vitest';
import { checkDrift } from '../../src/runtime/run/again/replay-run.js';
import { resume } from '../../src/runtime/run/again/resume-run.js';
import { tries } from '../amount.js';
import { Draw, seed } from '../random.js';
import { compiled, keptRun } from './kept-run.js';

/** A member, and what `work` is called with in it. */
interface Member {
  readonly lines: readonly string[];
  readonly does: readonly string[];
}

const indented = (lines: readonly string[], by: string): string[] => lines.map((line) => by + line);

class LoopDraw extends Draw {
  private count = 0;

  /** A loop in which the turns of `bad` fail at first, after the line `before` and above the line `after`. */
  loop(name: string, depth: number): Member {
    const items = ['p', 'q', 'r'].slice(0, 2 + this.below(2));
    const bad = items.filter(() => this.below(3) === 0);
    const [before, after] = [this.below(3) > 0, this.below(3) > 0];
    const inner = depth > 0 && this.below(3) === 0 ? this.loop(`${name}i`, depth - 1) : null;
    const fails = bad.flatMap((item) => [`IF: ${name} == "${item}" →`, `  DO: flaky ${name}{${name}}`]);
    const body = [
      ...(before ? [`DO: work ${name}b{${name}}`] : []),
      ...(inner === null ? [] : inner.lines),
      ...fails,
      ...(after ? [`DO: work ${name}a{${name}}`] : []),
      `EMIT: ${name.toUpperCase()}`,
    ];
    const kind = this.below(3) === 0 ? ':' : this.below(2) === 0 ? ' in PARALLEL:' : ' in PARALLEL [max=1]:';
    const list = `[${items.map((item) => `"${item}"`).join(', ')}]`;
    return {
      lines: [`FOR EACH: ${name} in ${list}${kind}`, ...indented(body, '  ')],
      does: items.flatMap((item) => [
        ...(before ? [`${name}b${item}`] : []),
        ...(inner === null ? [] : inner.does),
        ...(after ? [`${name}a${item}`] : []),
      ]),
    };
  }

  /** `isNew`: a copy of a line that is done would be done again. */
  member(isNew: boolean): Member {
    const name = `m${++this.count}`;
    const kind = this.below(4);
    switch (isNew && kind === 1 ? 0 : kind) {
      case 0:
        return { lines: [`DO: work ${name}`], does: [name] };
      case 1:
        return { lines: ['DO: work same'], does: ['same'] };
      default:
        return this.loop(name, 1);
    }
  }

  failing(): Member {
    return { lines: [`DO: flaky ${++this.count}`], does: [] };
  }
}

const bullet = ({ lines: [first = '', ...rest] }: Member): string[] => [`    - ${first}`, ...indented(rest, '      ')];

function programOf(members: readonly Member[], max: string, isWrapped: boolean): string {
  const block = [`  DO: in PARALLEL${max}`, ...members.flatMap(bullet)];
  const lines = isWrapped ? ['  IF: 1 == 1 →', ...indented(block, '  ')] : block;
  return ['STATE: A', '  DO: work first', ...lines, '  DO: work last', '  RETURN: ok', ''].join('\n');
}

/** Commands of which one notes what it is called with, and the other fails unless `isGood`. */
function observed(isGood: (name: string) => boolean) {
  const done: string[] = [];
  const commands = {
    work: ([name = '']: readonly string[]) => {
      done.push(name);
      return name;
    },
    flaky: ([name = '']: readonly string[]) => {
      if (!isGood(name)) throw new Error('not yet');
      return '';
    },
  };
  return { done, commands };
}

async function tryEdits(from: number): Promise<void> {
  const draw = new LoopDraw(from);
  let members = Array.from({ length: 1 + draw.below(3) }, () => draw.member(false));
  members.splice(draw.below(members.length + 1), 0, draw.failing());
  const max = draw.below(2) === 0 ? ' [max=1]' : '';
  const jobs = 1 + draw.below(4);
  const rounds = 1 + draw.below(2);
  const edits = draw.below(4);
  let round = 0;
  // Some of them fail again after the first resume.
  const { done, commands } = observed((name) => round >= rounds || (round > 0 && !name.endsWith('q')));
  const names = Object.keys(commands);
  let text = programOf(members, max, false);
  let shown = `seed ${from}, ${jobs} jobs\n${text}`;
  const { report, dir } = await keptRun(text, commands, { jobs });
  expect(report.status, shown).toBe('failed');
  let end = report;
  while (end.status === 'failed') {
    round++;
    const isEdited = ((edits >> (round - 1)) & 1) === 1;
    if (isEdited) {
      const inserted = Array.from({ length: draw.below(3) }, () => draw.member(true));
      members = draw.below(2) === 0 ? draw.shuffled([...members, ...inserted]) : [...inserted, ...members];
      text = programOf(members, max, draw.below(3) === 0);
    }
    shown += isEdited ? `\nis edited to\n\n${text}` : '\nis resumed\n';
    end = await resume(report.run_id, {
      ...{ dir, commands, env: { PATH: process.env.PATH } },
      ...(isEdited ? { machine: compiled(text, names) } : {}),
    }).catch((cause) => Promise.reject(new Error(`${shown}\n${cause}`)));
    if (round > rounds) expect(end.error?.message, shown).toBeUndefined();
  }
  expect([...done].sort(), shown).toEqual(['first', 'last', ...members.flatMap(({ does }) => does)].sort());
  expect(end.returned, shown).toBe('ok');
  expect((await checkDrift(report.run_id, { dir })).difference, shown).toBeNull();
}

test('a PARALLEL that is edited or only resumed executes each line of each turn once', async () => {
  const times = tries(12, 400);
  for (let at = 0; at < times; at++) await tryEdits(seed + at * 104729);
});

test('a turn that ended after others had failed has ended, also if its inner block has to wait for a permit now', async () => {
  const loop = (name: string, max: string, body: readonly string[]): Member => ({
    lines: [`FOR EACH: ${name} in ["p", "q", "r"] in PARALLEL${max}:`, ...indented(body, '  ')],
    does: [],
  });
  // While its record is read again, the turns that failed hold all permits.
  const inner = ['FOR EACH: i in ["p", "q"] in PARALLEL:', '  EMIT: I'];
  const text = programOf(
    [
      loop('a', ' [max=1]', [...inner, 'IF: a != "r" →', '  DO: flaky', 'DO: work a{a}']),
      loop('b', '', ['DO: work b{b}', 'FOR EACH: j in ["p", "q"] in PARALLEL [max=1]:', '  DO: flaky']),
    ],
    '',
    false,
  );
  let isGood = false;
  const { done, commands } = observed(() => isGood);
  const { report, dir } = await keptRun(text, commands, { jobs: 2 });
  expect(done).toContain('ar');
  isGood = true;
  await resume(report.run_id, { dir, commands, env: { PATH: process.env.PATH } });
  expect(done.toSorted()).toEqual(['ap', 'aq', 'ar', 'bp', 'bq', 'br', 'first', 'last']);
});

test('turns of a list that has one more element at its beginning keep what they did', async () => {
  const program = (list: string, more: readonly Member[]): string =>
    programOf(
      [
        { lines: [`FOR EACH: a in ${list} in PARALLEL:`, '  DO: work a{a}', '  DO: flaky'], does: [] },
        ...more,
        { lines: ['DO: flaky'], does: [] },
      ],
      '',
      false,
    );
  let isGood = false;
  const { done, commands } = observed(() => isGood);
  const { report, dir } = await keptRun(program('["p", "q"]', []), commands);
  isGood = true;
  const edited = program('["new", "p", "q"]', [{ lines: ['DO: work more'], does: [] }]);
  const machine = compiled(edited, Object.keys(commands));
  await resume(report.run_id, { dir, commands, machine, env: { PATH: process.env.PATH } });
  expect(done.toSorted()).toEqual(['anew', 'ap', 'aq', 'first', 'last', 'more']);
});
