/** Runs cases with programs, some at a time, and prints what came of them: a row a case, a column a program. */
import { join } from 'node:path';
import { openStage } from './stage.mjs';

/**
 * How a call fails whose program left without its last event. Programs do that now and then when they write much at their
 * end: that it is reported is right, and the case says nothing about us. It is played again, and the table shows it.
 */
const LEFT_EARLY = /the program ended without saying how/;

async function play(one, program, options) {
  const reason = one.without?.[program];
  if (reason !== undefined) return { program, one, mark: '–', reason };
  const first = await playOnce(one, program, options);
  if (first.failure === null || !LEFT_EARLY.test(first.failure)) return first;
  const second = await playOnce(one, program, options);
  return second.failure === null ? { ...second, mark: '✓²', first: first.failure } : second;
}

async function playOnce(one, program, { keep, record, ...options }) {
  const name = one.name.replace(/[^a-zA-Z]+/g, '-').replace(/^-|-$/g, '');
  const recorded = record === undefined ? null : join(record, program, name);
  const stage = await openStage(program, { ...options, record: recorded });
  const begun = Date.now();
  let failure = null;
  try {
    await one.play(stage);
  } catch (error) {
    failure = `${error instanceof Error ? (error.stack ?? error.message) : error}`;
  }
  const left = await stage.close({ keep: keep && failure !== null });
  if (failure === null && left.length > 0)
    failure = `processes were left: ${left.map(({ words }) => words.slice(0, 80)).join('; ')}`;
  return { program, one, mark: failure === null ? '✓' : '✗', failure, ms: Date.now() - begun, log: stage.log };
}

/** The slowest programs begin, so that nothing long is left for the end. */
export async function playAll(cases, programs, { atOnce, report, ...options }) {
  const queue = programs.flatMap((program) => cases.map((one) => ({ program, one })));
  const results = [];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const result = await play(next.one, next.program, options);
      results.push(result);
      report(result);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

export function tableOf(results, cases, programs) {
  const width = Math.max(...cases.map(({ name }) => name.length));
  const rows = cases.map(({ name }) => {
    const cells = programs.map((program) => {
      const result = results.find((one) => one.program === program && one.one.name === name);
      const time = result?.ms === undefined ? '' : ` ${(result.ms / 1000).toFixed(1)}s`;
      return `${result?.mark ?? ' '}${time}`.padEnd(9);
    });
    return `${name.padEnd(width)}  ${cells.join(' ')}`.trimEnd();
  });
  return [`${''.padEnd(width)}  ${programs.map((program) => program.padEnd(9)).join(' ')}`.trimEnd(), ...rows].join(
    '\n',
  );
}
