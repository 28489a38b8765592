/** What a run recorded can be played: the same run follows, whatever kinds of effects it has. */
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { diskFiles } from '../../src/app/project/project-host.js';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import { loadSuite } from '../../src/lab/testing/load-suite.js';
import { snapshotText } from '../../src/lab/testing/run-facts.js';
import { executeTest } from '../../src/lab/testing/run-test.js';
import type { Suite, TestOptions } from '../../src/lab/testing/suite.js';
import { rowsOf, type TestRow } from '../../src/lab/testing/test-rows.js';
import type { TestLine } from '../../src/language/syntax/tests/test-tree.js';
import { readCassette } from '../../src/runtime/cassette/read-cassette.js';
import { createRecorder } from '../../src/runtime/cassette/recorder.js';
import { run } from '../../src/runtime/run/start-run.js';
import { some } from '../amount.js';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const folder = mkdtempSync(join(tmpdir(), 'cassettes-'));
const files = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.dsl'))
  .map((name) => join('examples', name))
  .sort();

test.each(files)('%s', async (file) => {
  const cwd = join(root, dirname(file));
  const host = { folder: root, files: diskFiles, allowOutside: false, environment: {} };
  const loaded = await loadSuite(host, file, cwd);
  if ('missing' in loaded || loaded.suite === null) throw new Error('the suite is sound');
  const options: TestOptions = {
    cwd,
    real: null,
    snapshot: () => null,
    noteUse: () => undefined,
    noteEvents: () => undefined,
  };
  for (const row of some(loaded.suite.tree.tests.flatMap(rowsOf), 1)) {
    if (row.test.lines.some(({ kind }) => kind === 'skip')) continue;
    const path = join(folder, `${file.replaceAll('/', '-')}.yaml`);
    const recorded = await record(loaded.suite, row, options, path);
    const played = await play(loaded.suite, row, options, path);
    expect(played, row.name).toBe(recorded);
  }
});

async function record(suite: Suite, row: TestRow, options: TestOptions, file: string): Promise<string> {
  const executed = await executeTest(suite, row, {
    ...options,
    fault: {
      before: { events: [], calls: [], now: null },
      judges: 'all',
      async drive(machine, runOptions, world, time) {
        const recorder = await createRecorder({
          file,
          program: machine.name,
          redactor: null,
          time,
          overwrite: true,
          boundary: 'all',
        });
        const report = await run(machine, {
          ...runOptions,
          effects: recorder.wrap(world),
          onEvent: (event, position) => {
            recorder.note(event);
            runOptions.onEvent?.(event, position);
          },
        });
        expect(recorder.finish(report.status)).toBeNull();
        return report;
      },
    },
  });
  return describeRun(executed.events);
}

/** The test without its mocks, answers and signals. */
async function play(suite: Suite, row: TestRow, options: TestOptions, file: string): Promise<string> {
  const read = await readCassette(file, file, null);
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  const { span } = row.test;
  const kept = row.test.lines.filter(({ kind }) => kind === 'given' || kind === 'start');
  const line: TestLine = { kind: 'cassette', path: file, match: 'path', drift: 'fail', span };
  const test = { ...row.test, lines: [...kept, line] };
  const played = { ...suite, cassettes: new Map([[file, read.cassette]]) };
  const executed = await executeTest(played, { ...row, test }, options);
  const wrong = executed.failures.filter(({ message }) => !/^the run (?:failed|waits|was)/.test(message));
  expect(wrong, row.name).toEqual([]);
  return describeRun(executed.events);
}

function describeRun(events: readonly RunEvent[]): string {
  const ends = events.flatMap((event) => (event.type === 'run_suspended' ? [`suspended ${event.waiting.length}`] : []));
  return [snapshotText(events), ...ends].join('\n');
}
