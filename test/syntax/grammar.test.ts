/** The published grammar is the one the parser uses. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { writtenLookahead } from '../../src/syntax/grammar/known-lookahead.js';
import {
  analysedParser,
  knowingParser,
  parseExpressionTokens,
  parseTokens,
  validatedParser,
} from '../../src/syntax/grammar/parser.js';
import { printGrammar } from '../../src/syntax/grammar/print-grammar.js';
import { tokenize } from '../../src/syntax/tokens/lexer.js';

const patterns = fileURLToPath(new URL('../../patterns', import.meta.url));
const published = fileURLToPath(new URL('../../grammar/statedsl.ebnf', import.meta.url));

test('the grammar is valid: no ambiguity, no rule that cannot be reached', () => {
  expect(() => validatedParser()).not.toThrow();
  const parser = validatedParser();
  const text = JSON.stringify(parser.getSerializedGastProductions().map((rule) => rule.definition));
  for (const name of Object.keys(parser.getGAstProductions())) {
    if (name !== 'program') expect(text, `nothing uses the rule ${name}`).toContain(`"${name}"`);
  }
});

test('grammar/statedsl.ebnf is printed from the parser', () => {
  const printed = printGrammar();
  if (process.env.UPDATE === '1') writeFileSync(published, printed);
  expect(readFileSync(published, 'utf8')).toBe(printed);
});

test('every name the printed grammar uses is explained in it', () => {
  const printed = printGrammar().replace(/\(\*[\s\S]*?\*\)/g, '');
  const defined = new Set([...printed.matchAll(/^([a-z-]+) =/gm)].map((found) => found[1]));
  const rules = printed.replace(/\?[^?]*\? ;/g, ';').replace(/"[^"]*"/g, '');
  const layout = new Set(['newline', 'indent', 'dedent']);
  for (const [name] of rules.matchAll(/[A-Za-z-]{2,}/g)) {
    if (!layout.has(name)) expect([...defined], `${name} is not explained`).toContain(name);
  }
});

test('what the build writes of the analysis makes the same parser', () => {
  const written = writtenLookahead(analysedParser());
  const parser = knowingParser(written);
  expect(writtenLookahead(parser)).toBe(written);
  for (const name of readdirSync(patterns).filter((one) => one.endsWith('.dsl'))) {
    const { tokens } = tokenize(readFileSync(join(patterns, name), 'utf8'));
    parser.input = tokens;
    expect(parser.program(), name).toEqual(parseTokens(tokens).tree);
    expect(parser.errors).toEqual([]);
  }
});

test('a parser that never analysed is stuck where another is', () => {
  const { tokens } = tokenize(') 1', 'expression');
  const parser = knowingParser(writtenLookahead(analysedParser()));
  parser.input = tokens;
  expect(parser.expression()).toEqual(parseExpressionTokens(tokens).tree);
  expect(parser.errors.map((error) => error.name)).toEqual(['NoViableAltException']);
});
