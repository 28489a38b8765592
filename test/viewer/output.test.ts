/** The output of an effect as the page reads it. */
import { expect, test } from 'vitest';
import type { OutputPart, OutputQuery, RunData } from '../../src/viewer/data/run-data.js';
import { openOutput } from '../../src/viewer/output/output-text.js';
import { until } from '../harness/until.js';

const MEGABYTE = 1024 * 1024;

/** Data with one output of so many megabytes. */
function dataWith(megabytes: number): RunData {
  const output = async (_run: string, _effect: string, { from, to }: OutputQuery): Promise<OutputPart> => {
    const bytes = megabytes * MEGABYTE;
    const size = Math.min(to ?? bytes, bytes) - from;
    return { bytes: to === null ? null : bytes, pieces: piecesOf(size) };
  };
  return { output } as unknown as RunData;
}

async function* piecesOf(size: number): AsyncGenerator<Uint8Array> {
  for (let rest = size; rest > 0; rest -= MEGABYTE) yield new Uint8Array(Math.min(rest, MEGABYTE)).fill(120);
}

const open = (megabytes: number, isLive: boolean) =>
  openOutput(dataWith(megabytes), { run: 'r', effect: '1', stream: 'stdout', isLive });

test.each([true, false])('an output that is too large is cut, and this is known (live: %s)', async (isLive) => {
  const { shown, more, close } = open(6, isLive);
  await until(() => {
    more();
    return shown.value.isCut;
  });
  expect(shown.value.read).toBe(4 * MEGABYTE);
  expect(shown.value.bytes).toBe(isLive ? null : 6 * MEGABYTE);
  close();
});

test('an output that fits is whole', async () => {
  const { shown } = open(1, true);
  await until(() => shown.value.bytes !== null);
  expect(shown.value).toMatchObject({ read: MEGABYTE, bytes: MEGABYTE, isCut: false });
});
