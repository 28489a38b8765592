/** Runs cases with programs, some at a time, and prints what came of them: a row a case, a column a program. */
import { join } from 'node:path';
import { openStage } from './stage.mjs';

/**
 * How many failures may be chance. Programs now and then leave early, miss a time of their own on a busy machine, or ask a
 * model twice: what such a case says is not about us if it passes alone. Every second attempt is in the table, with the
 * failure of the first, and more of them than this are all failures.
 */
const MOST_BY_CHANCE = 3;

async function play(one, program, options) {
  const reason = one.without?.[program];
  return reason === undefined ? playOnce(one, program, options) : { program, one, mark: '–', reason };
}

async function playAgainAlone(results, { report, ...options }) {
  const failed = results.filter(({ failure }) => failure != null);
  if (failed.length > MOST_BY_CHANCE) return;
  for (const first of failed) {
    const second = await playOnce(first.one, first.program, options);
    if (second.failure !== null) continue;
    const result = { ...second, mark: '✓²', first: first.failure };
    results[results.indexOf(first)] = result;
    report(result);
  }
}

async function playOnce(one, program, { keep, record, ...options }) {
  const name = one.name.replace(/[^a-zA-Z]+/g, '-').replace(/^-|-$/g, '');
  const recorded = record === undefined ? null : join(record, program, name);
  const stage = await openStage(program, { ...options, endsProcesses: one.endsProcesses, record: recorded });
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
export async function playAll(cases, programs, { atOnce, third = null, report, ...options }) {
  const queue = programs.flatMap((program, first) =>
    cases.flatMap((one, at) => (third === null || (at + first + third) % 3 === 0 ? [{ program, one }] : [])),
  );
  const results = [];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const result = await play(next.one, next.program, options);
      results.push(result);
      report(result);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  await playAgainAlone(results, { report, ...options });
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
