/** How rules are run, in a grammar of three letters: what each part does where its token is there, and where it is not. */
import { describe, expect, test } from 'vitest';
import { SyntaxNode } from '../../src/language/syntax/grammar/cst.js';
import { part, RuleParser, type Table } from '../../src/language/syntax/grammar/rule-parser.js';
import { newToken, type Token, TokenType } from '../../src/language/syntax/tokens/token.js';

const [a, b, c] = ['a', 'b', 'c'].map((name) => new TokenType(name, null, null, null, null)) as [
  TokenType,
  TokenType,
  TokenType,
];
/** Rules that accept `a` accept this too. */
const like = new TokenType('like', null, null, a, null);
const types: Readonly<Record<string, TokenType>> = { a, b, c, l: like };

function tokens(text: string): Token[] {
  return Array.from(text, (letter, at) => newToken(types[letter] as TokenType, letter, at));
}

/** A decision that takes these types, each with its alternative. */
function table(chosen: readonly (readonly [TokenType, number])[]): Table {
  const found = new Int8Array(like.index + 1).fill(-1);
  for (const [type, alternative] of chosen) found[type.index] = alternative;
  return found;
}

class Letters extends RuleParser {
  asked = 0;
  constructor(chosen: readonly (readonly [TokenType, number])[]) {
    super(() => {
      this.asked++;
      return table(chosen);
    });
  }
  /** What a rule with this body makes of a text: the letters of the node, or the position where it is stuck. */
  read(text: string, body: (parser: Letters) => void): string {
    const { tree, stuck } = this.parse(
      this.RULE('whole', () => body(this)),
      tokens(text),
    );
    return `${tree === undefined ? '-' : written(tree)}${stuck === undefined ? '' : ` stuck at ${stuck.startOffset} ${stuck.image}`}`;
  }
  private readonly all = this.RULE('all', () => this.many(0, () => this.CONSUME(a)));
  parseAll(text: string): SyntaxNode {
    return this.parse(this.all, tokens(text)).tree as SyntaxNode;
  }
  nested(text: string): SyntaxNode | undefined {
    const inner = this.RULE('inner', () => this.CONSUME(a));
    const nothing = this.RULE('nothing', () => {});
    const outer = this.RULE('outer', () => {
      this.CONSUME1(b);
      this.SUBRULE1(inner);
      this.SUBRULE2(inner, part);
      this.SUBRULE(nothing);
      this.CONSUME2(c, part);
    });
    return this.parse(outer, tokens(text)).tree;
  }
}

function written({ elements, parts }: SyntaxNode): string {
  const letters = (list: SyntaxNode['elements']) =>
    list.map((one) => (one instanceof SyntaxNode ? `(${written(one)})` : one.image)).join('');
  return letters(elements) + (parts.length === 0 ? '' : `/${letters(parts)}`);
}

const parser = () =>
  new Letters([
    [a, 0],
    [b, 1],
  ]);

describe('a rule', () => {
  test('has its own children, apart from those whose order counts, and ends with its last token', () => {
    const tree = parser().nested('baac') as SyntaxNode;
    expect(written(tree)).toBe('b(a)()/(a)c');
    expect(tree).toMatchObject({ startOffset: 0, endOffset: 3 });
    expect(tree.elements).toMatchObject([{ startOffset: 0 }, { endOffset: 1 }, { name: 'nothing', endOffset: -1 }]);
  });

  test('has any number of children in order', () => {
    for (const text of ['a', 'aa', 'aaa', 'aaaa', 'aaaaa']) {
      const found: number[] = [];
      const one = parser();
      const tree = one.parseAll(text);
      for (const child of tree.elements) found.push(child.startOffset);
      expect(found).toEqual([...text].map((_, at) => at));
    }
  });

  test('that fails leaves nothing behind for the next text', () => {
    const one = parser();
    const body = (p: Letters) => {
      p.CONSUME(a);
      p.CONSUME(b, part);
      p.CONSUME(c);
    };
    expect(one.read('aba', body)).toBe('- stuck at 2 a');
    expect(one.read('abc', body)).toBe('ac/b');
  });

  test('that throws for another reason throws that', () => {
    const body = () => {
      throw new RangeError('too deep');
    };
    expect(() => parser().read('a', body)).toThrow('too deep');
  });

  test('asks for each decision once', () => {
    const one = parser();
    one.read('aaab', (p) => {
      p.many(0, () => p.CONSUME(a));
      p.CONSUME(b);
    });
    expect(one.asked).toBe(1);
    const again = parser();
    again.parseAll('aa');
    again.parseAll('aa');
    expect(again.asked).toBe(1);
  });
});

test.each<[string, string, (p: Letters) => void, string]>([
  [
    'a token that does not fit',
    'ab',
    (p) => {
      p.CONSUME(a);
      p.CONSUME(a);
    },
    '- stuck at 1 b',
  ],
  ['a token of a category', 'l', (p) => p.CONSUME(a), 'l'],
  ['text after the rule', 'ab', (p) => p.CONSUME(a), 'a stuck at 1 b'],
  ['no text', '', (p) => p.CONSUME(a), '- stuck at 0 '],
  ['the first alternative', 'a', (p) => p.choose(0, [() => p.CONSUME(a), () => p.CONSUME(b)]), 'a'],
  ['another alternative', 'b', (p) => p.choose(0, [() => p.CONSUME(a), () => p.CONSUME(b)]), 'b'],
  ['no alternative', 'c', (p) => p.choose(0, [() => p.CONSUME(a), () => p.CONSUME(b)]), '- stuck at 0 c'],
  ['an option that is there', 'a', (p) => p.option(0, () => p.CONSUME(a)), 'a'],
  [
    'an option that is not there',
    'b',
    (p) => {
      p.option(0, () => p.CONSUME(a));
      p.CONSUME(b);
    },
    'b',
  ],
  ['what may be missing and is there', 'a', (p) => p.may(0, () => p.CONSUME(a)), 'a'],
  [
    'many of none',
    'b',
    (p) => {
      p.many(0, () => p.CONSUME(a));
      p.CONSUME(b);
    },
    'b',
  ],
  [
    'at least one of none',
    'b',
    (p) => {
      p.atLeastOne(0, () => p.CONSUME(a));
      p.CONSUME(b);
    },
    '- stuck at 0 b',
  ],
  ['at least one of two', 'aa', (p) => p.atLeastOne(0, () => p.CONSUME(a)), 'aa'],
  [
    'a repetition that takes nothing',
    'a',
    (p) => {
      p.many(0, () => {});
      p.CONSUME(a);
    },
    'a',
  ],
])('%s', (_, text, body, expected) => {
  expect(parser().read(text, body)).toBe(expected);
});
