/** What counts as the answer of an agent that was asked for tasks or for a verdict, and what a prompt has of long texts. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAnswer } from '../../src/interpreter/agents/agent-wait.js';
import { cutMiddle, endOf, lastLine } from '../../src/interpreter/steps/prompt-text.js';
import { readTasks, readVerdict } from '../../src/interpreter/steps/step-answer.js';

const task = (name: string, more: object = {}) => ({ name, description: name.toUpperCase(), ...more });
const json = JSON.stringify;
const names = (text: string): readonly string[] | string => {
  const read = readTasks(text);
  return read.ok ? read.value.map(({ name }) => name) : read.why;
};

describe('tasks', () => {
  test.each<[string, string, readonly string[] | string]>([
    ['are a list', json([task('a'), task('b')]), ['a', 'b']],
    ['may be in an object', json({ tasks: [task('a')] }), ['a']],
    ['may be called items', json({ items: [task('a')] }), ['a']],
    ['may be in a fence', `Here:\n\`\`\`json\n${json([task('a')])}\n\`\`\`\nDone.`, ['a']],
    ['may be in a sentence', `They are ${json([task('a')])}, as [agreed].`, ['a']],
    ['are the last ones', `First ${json([task('a')])}, but better ${json([task('b')])}.`, ['b']],
    ['are those that fit', `${json([task('a')])} and not [1]`, ['a']],
    [
      'may have brackets and quotes in their texts',
      `So: ${json([task('a', { description: 'say "]" or \\' })])}!`,
      ['a'],
    ],
    ['are whole, and not a list in them', `So: ${json([task('a', { files: ['x', 'y'] })])}`, ['a']],
    ['are found behind 49 brackets', `${'[ '.repeat(49)}${json([task('a')])}`, ['a']],
    [
      'are not searched for behind more',
      `${'[ '.repeat(50)}${json([task('a')])}`,
      'there is no JSON list of tasks in it',
    ],
    ['may not be missing', 'Nothing to do.', 'there is no JSON list of tasks in it'],
    ['are not an object', json({ a: 1 }), 'it is not a list of tasks'],
    ['are objects', json([1]), 'task 1 is not an object'],
    ['have names', json([task('a'), { description: 'x' }]), 'task 2 has no name'],
    ['have names with letters', json([task(' ')]), 'task 1 has no name'],
    ['have different names', json([task('a'), task('a')]), 'two tasks are called `a`'],
    ['have descriptions', json([{ name: 'a' }]), 'task 1 has no description'],
    ['have files that are names', json([task('a', { files: ['x', 1] })]), '`files` of task 1 is not a list of names'],
    ['have a list of files', json([task('a', { files: 'x' })]), '`files` of task 1 is not a list of names'],
    ['may have no files', json([task('a', { files: null }), task('b', { files: [] })]), ['a', 'b']],
  ])('%s', (_, text, expected) => {
    expect(names(text)).toEqual(expected);
  });

  test.each(['a/b', '../a', 'ä', '-a b-', 'a b', ' a', 'a.b'])('the name %j', (name) => {
    const wrong = /^(?:-a b-|a b)$/.test(name) ? [name] : expect.stringContaining('has characters other than letters');
    expect(names(json([task(name)]))).toEqual(wrong);
  });

  test('keep their files', () => {
    const read = readTasks(json([task('a', { files: ['x', 'y'] }), task('b')]));
    expect(read).toEqual({ ok: true, value: [task('a', { files: ['x', 'y'] }), task('b', { files: [] })] });
  });
});

test.each<[string, object | string]>([
  ['true', { pass: true, comments: '' }],
  [' false\n', { pass: false, comments: '' }],
  ['{"pass": true}', { pass: true, comments: '' }],
  ['{"pass": false, "comments": null}', { pass: false, comments: '' }],
  ['{"pass": false, "comments": "no"}', { pass: false, comments: 'no' }],
  ['{"pass": false, "comments": ["one", "two"]}', { pass: false, comments: 'one\ntwo' }],
  ['I say {"pass": true, "comments": "a } b"} {so}', { pass: true, comments: 'a } b' }],
  ['{"pass": false} or rather {"pass": true}', { pass: true, comments: '' }],
  ['{"pass": "yes"}', '`pass` is not true or false'],
  ['{"pass": true, "comments": [1]}', '`comments` is not a text'],
  ['[true]', 'it is not an object with `pass`'],
  ['Well done.', 'there is no JSON object with `pass` in it'],
])('the verdict %j', (text, expected) => {
  const read = readVerdict(text);
  expect(read.ok ? read.value : read.why).toEqual(expected);
});

describe('a long text', () => {
  const lines = fc.array(fc.constantFrom('', 'a', 'bb', '\u{1f600}\u{1f600}', 'ccccc', 'd'.repeat(40)), {
    minLength: 1,
    maxLength: 30,
  });
  const length = (text: string): number => [...text].length;
  const mark = (count: number): string => `[… ${count} ${count === 1 ? 'line' : 'lines'} left out …]`;
  const cost = (some: readonly string[]): number => length(some.map((line) => `${line}\n`).join(''));

  test('keeps as many lines as fit, two thirds of them at its beginning', () => {
    fc.assert(
      fc.property(lines, fc.integer({ min: 40, max: 90 }), (all, limit) => {
        const text = all.join('\n');
        const cut = cutMiddle(text, limit);
        expect(length(cut)).toBeLessThanOrEqual(limit);
        const room = limit - length(mark(all.length)) - 2;
        const counts = all.map((_, at) => at).concat(all.length);
        const head = counts.findLast((count) => cost(all.slice(0, count)) <= Math.ceil((room * 2) / 3)) ?? 0;
        const left = room - cost(all.slice(0, head));
        const tail = counts.find((at) => at >= head && cost(all.slice(at)) <= left) ?? all.length;
        const parts = [...all.slice(0, head), mark(tail - head), ...all.slice(tail)].join('\n');
        const isOneLine = head === 0 && tail === all.length;
        const expected = isOneLine ? expect.stringContaining(`\n${mark(all.length)}\n`) : parts;
        expect(cut).toEqual(length(text) <= limit ? text : expected);
      }),
    );
  });

  test('of one line keeps both ends', () => {
    const text = `${'a'.repeat(50)}\u{1f600}${'b'.repeat(50)}`;
    expect(cutMiddle(text, 35)).toBe(`${'a'.repeat(8)}\n[… 1 line left out …]\n${'b'.repeat(4)}`);
    expect(cutMiddle(text, 24)).toBe('a\n[… 1 line left out …]\n');
    expect(cutMiddle(text, 5)).toBe('\n[… 1 line left out …]\n');
    expect(cutMiddle(text, 101)).toBe(text);
    expect(cutMiddle('\u{1f600}'.repeat(9), 9)).toBe('\u{1f600}'.repeat(9));
  });

  test('ends with whole lines', () => {
    expect(endOf('ab\ncd', 5)).toBe('ab\ncd');
    expect(endOf('ab\ncd', 4)).toBe('cd');
    expect(endOf('ab\ncd', 3)).toBe('cd');
    expect(endOf('ab\ncd', 2)).toBe('cd');
    expect(endOf('ab\ncd', 1)).toBe('d');
    expect(endOf('abcd\n', 3)).toBe('cd\n');
    expect(endOf('ab\u{1f600}', 1)).toBe('');
    expect(endOf('ab\u{1f600}', 2)).toBe('\u{1f600}');
    expect(lastLine('a\nb \n\n')).toBe('b');
    expect(lastLine('')).toBe('');
    expect(lastLine('x'.repeat(600))).toBe('x'.repeat(500));
  });
});

test.each<[string, unknown]>([
  ['{"a": 1}', { a: 1 }],
  ['{"a": 1} it is', { a: 1 }],
  ['It is {"a": 1}', { a: 1 }],
  ['[1] it is', [1]],
  ['```json\n{"a": 1}\n```\nor\n```\n{"b": 2}\n```', { b: 2 }],
  ['```\n{"a": 1}\n```\nor\n```\nnothing\n```', { a: 1 }],
  ['"a"', 'a'],
  ['} it is {', undefined],
  ['it is {a}', undefined],
  ['nothing', undefined],
])('the JSON in %j', (text, expected) => {
  expect(readAnswer(text)).toEqual(expected);
});
