/** Editors ask about texts that nobody has finished: every question has an answer, with positions inside of the text. */
import { expect, test } from 'vitest';
import { proposedActions } from '../../src/editor/ide/actions.js';
import { callItemAt, incomingCalls, linksOf, locatedGraph, outgoingCalls } from '../../src/editor/ide/calls.js';
import { completionsAt } from '../../src/editor/ide/completion.js';
import { hoverAt } from '../../src/editor/ide/hover.js';
import { tokensOf } from '../../src/editor/ide/name-tokens.js';
import {
  definitionsAt,
  highlightsAt,
  implementationsAt,
  openProgram,
  referencesAt,
} from '../../src/editor/ide/open-program.js';
import { foldsOf, outlineOf, selectionsAt } from '../../src/editor/ide/outline.js';
import { hintsOf, LENSES, lensesOf } from '../../src/editor/ide/remarks.js';
import { renamableAt } from '../../src/editor/ide/rename.js';
import { signatureAt } from '../../src/editor/ide/signatures.js';
import { compile } from '../../src/language/check/compile.js';
import type { Span } from '../../src/language/source/diagnostic.js';
import { amount, isLong, pointsBelow } from '../amount.js';
import { casesOf, programOf } from '../corpus/case-file.js';
import { compileOptions } from '../corpus/compile-case.js';

/** One text in so many. */
const SAMPLE = amount(80, 4);
/** Each is asked about this often, because a question reads the whole of it. */
const BEGINNINGS = 24;
const WORDS = 12;
const LONGEST = 1_500;
/** It reaches the limits of an expansion, which takes seconds, so the long tests alone ask about it. */
const SLOW = 'expansion-of-many-states';

function asked(text: string, options: object): void {
  const program = openProgram(compile(text, { ...options, index: true }));
  if (program === null) throw new Error('there is no index');
  const offset = Math.floor(text.length * 0.8);
  const isInside = ({ file, start, end }: Span): boolean =>
    file !== 0 || (start >= 0 && start <= end && end <= text.length);
  const [item] = callItemAt(program, offset);
  const calls = item === undefined ? [] : [...outgoingCalls(program, item), ...incomingCalls(program, item.symbol)];
  const spans = [
    ...program.compilation.diagnostics.flatMap(({ span, fixes = [] }) => [
      span,
      ...fixes.flatMap(({ edits }) => edits.map((edit) => edit.span)),
    ]),
    ...definitionsAt(program, offset),
    ...implementationsAt(program, offset),
    ...referencesAt(program, offset).map(({ span }) => span),
    ...highlightsAt(program, offset).map(({ span }) => span),
    ...completionsAt(program, offset).map(({ replace }) => replace),
    ...selectionsAt(program, offset),
    ...tokensOf(program).map(({ span }) => span),
    ...linksOf(program).map(({ span }) => span),
    ...lensesOf(program, { choice: { ...LENSES, runFromHere: true, waysIn: true } }).map(({ span }) => span),
    ...outlineOf(program).map(({ range }) => range),
    ...proposedActions(program, { start: Math.floor(offset / 2), end: offset }).flatMap(({ edits }) =>
      edits.map(({ span }) => span),
    ),
    ...(locatedGraph(program)?.nodes ?? []).map(({ range }) => range),
    ...calls.flatMap(({ ranges }) => ranges),
  ];
  expect(spans.filter((span) => !isInside(span))).toEqual([]);
  const lines = text.split('\n').length;
  expect(foldsOf(program).filter(({ start, end }) => start < 1 || end > lines || start > end)).toEqual([]);
  hoverAt(program, offset, { agent: () => null });
  signatureAt(program, offset);
  renamableAt(program, offset);
  hintsOf(program);
}

const texts = [...casesOf('check'), ...casesOf('syntax'), ...casesOf('format')]
  .map((the) => ({ name: the.name, the, text: programOf(the).text }))
  .filter(({ name }) => isLong || name !== SLOW)
  .filter(({ text, the }) => text.length < LONGEST && compileOptions(the).parse === undefined)
  .filter((_, at) => at % SAMPLE === 0);

test.each(texts)('beginnings of $name, all of it without a word, and with odd characters', ({ the, text }) => {
  const options = compileOptions(the);
  for (const end of pointsBelow(text.length + 1, BEGINNINGS)) asked(text.slice(0, end), options);
  const words = [...text.matchAll(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu)];
  const left = new Set(pointsBelow(words.length, WORDS));
  for (const [at, word] of words.entries())
    if (left.has(at)) asked(text.slice(0, word.index) + text.slice(word.index + word[0].length), options);
  const middle = text.length / 2;
  for (const odd of ['\0', '\uD800', '\uFEFF', '\r', '{', '"""'])
    asked(text.slice(0, middle) + odd + text.slice(middle), options);
});
