/**
 * A run that failed, was resumed, and whose process died after any event since: the next resume comes to the same end,
 * and repeats nothing that has an outcome on record. A record that ends early is what such a process leaves.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CommandFunction, readJournalLine } from '../../src/index.js';
import type { ResumeOptions } from '../../src/runtime/run/again/resume-options.js';
import { resume } from '../../src/runtime/run/again/resume-run.js';
import { compiled, copied, type KeptRun, keptRun, refusal } from './kept-run.js';

interface Failing {
  readonly program: string;
  /** The program that the run is resumed in, where it has to be corrected. */
  readonly corrected?: string;
  readonly again?: true;
}

/** `work NAME` notes that it was done; `flaky NAME` does, too, and fails as long as nothing was corrected. */
class World {
  readonly done: string[] = [];
  isGood = false;
  readonly commands: Record<string, CommandFunction> = {
    work: ([name = '']) => {
      this.done.push(name);
      return { v: name };
    },
    flaky: ([name = '']) => {
      this.done.push(name);
      if (!this.isGood) throw new Error(`${name} failed`);
      return { v: name };
    },
  };
}

const programs: Record<string, Failing> = {
  'an effect': {
    program: 'STATE: A\n  DO: work one\n  DO: flaky two\n  DO: work three\n  RETURN: done\n',
  },
  'an expression': {
    program: 'STATE: A\n  r = work one\n  EMIT: X v={r.w}\n  DO: work two\n  DO: work three\n  RETURN: {r.v}\n'.replace(
      'r = ',
      'CHECK: r = ',
    ),
    corrected:
      'STATE: A\n  CHECK: r = work one\n  DO: work above\n  EMIT: X v={r.v}\n  DO: work two\n  DO: work three\n  RETURN: {r.v}\n',
  },
  'an effect that was handled': {
    program:
      'STATE: A\n  DO: work one\n  DO: flaky two\n  DO: work three\n  RETURN: done\nSTATE: ERROR\n  DO: work back\n  RETURN: failed\n',
    again: true,
  },
  members: {
    program:
      'FOR EACH: i in ["a", "b", "c"] in PARALLEL [max=1]\n  CHECK: r = work {i}\n  IF: i == "a" → DO: flaky x\n  IF: i == "b" → EMIT: X v={r.w}\n  DO: work {i}2\nDO: work last\nRETURN: done\n',
    corrected:
      'FOR EACH: i in ["a", "b", "c"] in PARALLEL [max=1]\n  CHECK: r = work {i}\n  IF: i == "a" → DO: flaky x\n  IF: i == "b" → EMIT: X v={r.v}\n  DO: work {i}2\nDO: work last\nRETURN: done\n',
  },
};

const lines = ({ path }: KeptRun): string[] =>
  readFileSync(join(path, 'journal.ndjson'), 'utf8').split('\n').slice(0, -1);

/** What the record has outcomes of. */
function settled(texts: readonly string[]): number {
  return texts.filter((text) => {
    const event = readJournalLine(text)?.event;
    return event?.type === 'effect_settled' && event.stopped !== true;
  }).length;
}

function cutAfter(one: KeptRun, count: number): void {
  writeFileSync(join(one.path, 'journal.ndjson'), `${lines(one).slice(0, count).join('\n')}\n`);
  for (const name of ['checkpoint.json', 'lock']) if (existsSync(join(one.path, name))) rmSync(join(one.path, name));
  rmSync(join(one.dir, 'runs/index.ndjson'));
}

test.each(Object.entries(programs))('%s', async (_, { program, corrected, again }) => {
  const world = new World();
  const failed = await keptRun(program, world.commands);
  expect(failed.report.status).toBe('failed');
  world.isGood = true;
  const options: ResumeOptions = { dir: failed.dir, commands: world.commands, ...(again ? { again } : {}) };
  const machine = corrected === undefined ? {} : { machine: compiled(corrected, ['work', 'flaky']) };
  const before = lines(failed).length;
  const { run_id } = failed.report;
  const undisturbed = await resume(run_id, { ...options, ...machine });
  expect(undisturbed.status).toBe('returned');
  const all = lines(failed);
  const wanted = [...world.done];
  const outcomes = settled(all);
  for (let at = before + 1; at < all.length; at++) {
    const one = copied(failed);
    cutAfter(one, at);
    const kept = settled(lines(one));
    world.done.length = 0;
    const report = await resume(run_id, { ...options, dir: one.dir });
    expect({ ...report, duration_ms: 0 }, `after event ${at}`).toEqual({ ...undisturbed, duration_ms: 0 });
    expect(world.done, `after event ${at}`).toEqual(wanted.slice(wanted.length - (outcomes - kept)));
  }
});

test('a rollback is finished in its own program', async () => {
  const world = new World();
  const program = 'STATE: A\n  DO: work one\n  UNDO: work back1\n  DO: work two\n  UNDO: flaky back2\n  DO: flaky x\n';
  const failed = await keptRun(program, world.commands);
  const before = lines(failed).length;
  const { run_id } = failed.report;
  const options = { dir: failed.dir, commands: world.commands };
  const undisturbed = await resume(run_id, { ...options, rollback: true });
  const all = lines(failed);
  const edited = compiled(program.replace('flaky x', 'work y'), ['work', 'flaky']);
  // The first new events are of the resume and of who asked for the rollback.
  for (let at = before + 2; at < all.length; at++) {
    const begun = copied(failed);
    cutAfter(begun, at);
    const there = { ...options, dir: begun.dir };
    const why = await refusal(() => resume(run_id, { ...there, machine: edited }));
    expect(why).toMatch(/is being undone|has undone/);
    expect(lines(begun)).toHaveLength(at);
    // After its last outcome, another rollback tries again what failed.
    for (const how of why.includes('being') ? ([{}, { rollback: true }] as const) : [{}]) {
      const one = copied(begun);
      const report = await resume(run_id, { ...there, dir: one.dir, ...how });
      expect({ ...report, duration_ms: 0 }, `after event ${at}`).toEqual({ ...undisturbed, duration_ms: 0 });
    }
  }
});
