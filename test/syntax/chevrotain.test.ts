/**
 * Chevrotain's own parser defines what the grammar means. The parser that runs the same rules accepts the same tokens
 * and makes the same concrete trees, also of broken programs.
 */
import type { CstElement, CstNode } from 'chevrotain';
import { expect, it } from 'vitest';
import { type SyntaxElement, SyntaxNode } from '../../src/language/syntax/grammar/cst.js';
import { parseTokens } from '../../src/language/syntax/grammar/parser.js';
import { parseWithChevrotain } from '../../src/language/syntax/grammar/rule-recorder.js';
import { layOut } from '../../src/language/syntax/tokens/layout.js';
import { tokenize } from '../../src/language/syntax/tokens/lexer.js';
import type { Token } from '../../src/language/syntax/tokens/token.js';
import { amount } from '../amount.js';
import { casesOf, programOf } from '../corpus/case-file.js';
import { mutations } from '../corpus/mutations.js';

const programs = (['syntax', 'check', 'run', 'format'] as const).flatMap((kind) =>
  casesOf(kind).map((one) => programOf(one).text),
);

type Plain = readonly [label: string, startOffset: number, below: readonly Plain[] | string];

/** Children below one label are in order. The order of labels is not part of a Chevrotain tree. */
function byLabel(children: readonly Plain[]): readonly Plain[] {
  const labels = [...new Set(children.map(([label]) => label))].sort();
  return labels.flatMap((label) => children.filter((one) => one[0] === label));
}

function plain(label: string, element: SyntaxElement): Plain {
  if (!(element instanceof SyntaxNode)) return [label, element.startOffset, element.image];
  const children = element.elements.map((one) =>
    plain(one instanceof SyntaxNode ? one.name : one.tokenType.label, one),
  );
  const parts = element.parts.map((one) => plain('part', one));
  return [label, Number.NaN, byLabel([...children, ...parts])];
}

function plainOf(label: string, element: CstElement): Plain {
  if (!('children' in element)) return [label, element.startOffset, element.image];
  const children = Object.entries(element.children).flatMap(([name, list]) => list.map((one) => plainOf(name, one)));
  return [label, Number.NaN, byLabel(children)];
}

function tokensOf(text: string): readonly Token[] {
  const lexed = tokenize(text);
  return layOut({ text, base: 0, file: 0, diagnostics: [], blamed: false }, lexed.tokens, false);
}

it('makes the trees that Chevrotain makes', () => {
  let compared = 0;
  for (const text of programs) {
    for (const one of [text, ...mutations(text, amount(4, 20))]) {
      const tokens = tokensOf(one);
      const { tree, stuck } = parseTokens(tokens);
      const expected = parseWithChevrotain(tokens);
      expect(stuck, one).toBeUndefined();
      expect(expected, one).not.toBeNull();
      expect(plain('program', tree as SyntaxNode), one).toStrictEqual(plainOf('program', expected as CstNode));
      compared++;
    }
  }
  expect(compared).toBeGreaterThan(1000);
});
