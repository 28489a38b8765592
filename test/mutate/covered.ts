/** Notes which source files each test file executes: those of which some function ran, other than the module itself. */
import { appendFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { afterAll, beforeAll, expect } from 'vitest';

const note = process.env.COVERED_BY as string;
const session = new Session();

beforeAll(() => {
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
});

afterAll(() => {
  const file = expect.getState().testPath;
  session.post('Profiler.takePreciseCoverage', (_, { result }) => {
    const executed = result
      .filter(({ functions }) =>
        functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0),
      )
      .map(({ url }) => url.replace(/^file:\/\//, ''))
      .filter((path) => path.includes('/src/') && !path.includes('/node_modules/'));
    appendFileSync(note, `${JSON.stringify({ file, executed })}\n`);
  });
  session.disconnect();
});
