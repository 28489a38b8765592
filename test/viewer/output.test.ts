/** The output of an effect as the page reads it. */
import { expect, test } from 'vitest';
import type { OutputPart, OutputQuery, PageData } from '../../src/page/data/page-data.js';
import { toolCallsIn } from '../../src/page/output/agent-parts.jsx';
import { mergeStreams } from '../../src/page/output/merge-streams.js';
import { openOutput } from '../../src/page/output/read-output.js';
import { finalLines } from '../../src/page/output/terminal-text.jsx';
import { until } from '../harness/until.js';

const MEGABYTE = 1024 * 1024;

/** Data with one output of so many bytes. */
function dataWith(size: number): PageData {
  const output = async (_run: string, _effect: string, { from, to }: OutputQuery): Promise<OutputPart> => {
    return { bytes: to === null ? null : size, pieces: piecesOf(Math.min(to ?? size, size) - from) };
  };
  return { output } as unknown as PageData;
}

async function* piecesOf(size: number): AsyncGenerator<Uint8Array> {
  for (let rest = size; rest > 0; rest -= MEGABYTE) yield lineOf(Math.min(rest, MEGABYTE));
}

/** A line of this many bytes. */
const lineOf = (bytes: number): Uint8Array => new TextEncoder().encode(`${'x'.repeat(bytes - 1)}\n`);

const open = (size: number, isLive: boolean) =>
  openOutput(dataWith(size), { run: 'r', effect: '1', stream: 'stdout', isLive });

test('of an output that is too large the beginning is shown, and this is known', async () => {
  const { shown, more, close } = open(6 * MEGABYTE, false);
  await until(() => {
    more();
    return shown.value.part !== null;
  });
  expect(shown.value).toMatchObject({ part: 'beginning', read: 4 * MEGABYTE, bytes: 6 * MEGABYTE });
  close();
});

test('of an output that is still printed the end is shown, and this is known', async () => {
  const { shown } = open(6 * MEGABYTE, true);
  await until(() => shown.value.bytes !== null);
  expect(shown.value).toMatchObject({ part: 'end', read: 6 * MEGABYTE, bytes: 6 * MEGABYTE });
  expect(shown.value.text.length).toBeLessThan(MEGABYTE);
  expect(shown.value.kept).toBe(shown.value.text.length);
  // The last line is whole, and so is the first one.
  expect(shown.value.text).toMatch(/^x+\n$/);
});

test('what is kept of an output is counted in bytes', async () => {
  const bytes = new TextEncoder().encode('ä\n'.repeat(MEGABYTE));
  const output = async (): Promise<OutputPart> => ({
    bytes: null,
    pieces: (async function* () {
      yield bytes;
    })(),
  });
  const data = { output } as unknown as PageData;
  const { shown } = openOutput(data, { run: 'r', effect: '1', stream: 'stdout', isLive: true });
  await until(() => shown.value.bytes !== null);
  expect(shown.value).toMatchObject({ part: 'end', read: bytes.length });
  expect(shown.value.kept).toBe((shown.value.text.length / 2) * 3);
});

test('an output that fits is whole', async () => {
  const { shown } = open(MEGABYTE / 4, true);
  await until(() => shown.value.bytes !== null);
  expect(shown.value).toMatchObject({ read: MEGABYTE / 4, bytes: MEGABYTE / 4, part: null });
});

test.each([
  ['a\r\nb\r\n', 'a\nb\n'],
  ['10 %\r20 %\r30 %\ndone', '30 %\ndone'],
  ['10 %\r20 %\r', '20 %\r'],
  ['\r', '\r'],
])('a line that was overwritten is shown as it is in the end: %j', (text, shown) => {
  expect(finalLines(text)).toBe(shown);
});

test('a line of ten megabytes takes no time', () => {
  const line = 'x'.repeat(10 * MEGABYTE);
  expect(finalLines(`\r${line}\n${line}\r`)).toHaveLength(2 * line.length + 2);
});

test('both streams are one text in the order in which their lines came', () => {
  const parts = mergeStreams('a\nb\nc', 'x\ny\n', [1, 2, 1]);
  expect(parts.map(({ stream, text }) => `${stream}: ${text}`)).toEqual([
    'stdout: a\n',
    'stderr: x\ny\n',
    'stdout: b\n',
    'stdout: c',
  ]);
  expect(mergeStreams('a\n', 'x\n').map(({ text }) => text)).toEqual(['a\n', 'x\n']);
  // What is not read yet is left out, and the rest stays in its order.
  expect(mergeStreams('a\n', 'x\n', [2, 1, 1]).map(({ text }) => text)).toEqual(['a\n', 'x\n']);
});

test('the calls of tools are found in what programs of agents print', () => {
  const lines = [
    '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"1","name":"Read","input":{"path":"a"}}]}}',
    '{"type":"item.started","item":{"type":"command_execution","id":"2","command":"ls","status":"in_progress"}}',
    '{"type":"item.completed","item":{"type":"command_execution","id":"2","command":"ls","status":"completed"}}',
    '{"type":"tool","id":"3","name":"edit","input":"b"}',
    'no event',
    '{"type":"tool_use","na',
  ];
  expect(toolCallsIn(lines.join('\n'))).toEqual([
    { name: 'Read', input: '{"path":"a"}' },
    { name: 'command', input: 'ls' },
    { name: 'edit', input: 'b' },
  ]);
});
