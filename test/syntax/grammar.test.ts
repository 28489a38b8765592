/** The published grammar is the one the parser uses. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serializeProduction } from 'chevrotain';
import { expect, test } from 'vitest';
import { StatedslParser } from '../../src/language/syntax/grammar/grammar.js';
import {
  parseExpressionTokens,
  parseTokens,
  readTables,
  writtenDecisions,
} from '../../src/language/syntax/grammar/parser.js';
import { printGrammar } from '../../src/language/syntax/grammar/print-grammar.js';
import { validatedRules } from '../../src/language/syntax/grammar/rule-recorder.js';
import { tokenize } from '../../src/language/syntax/tokens/lexer.js';
import { actionVerbs, everyVerb, isSection } from '../../src/language/syntax/tokens/verbs.js';

const patterns = fileURLToPath(new URL('../../patterns', import.meta.url));
const published = fileURLToPath(new URL('../../grammar/statedsl.ebnf', import.meta.url));

test('the grammar is valid: no ambiguity, no rule that cannot be reached', () => {
  expect(() => validatedRules()).not.toThrow();
  const rules = Object.entries(validatedRules());
  const text = JSON.stringify(rules.map(([, rule]) => serializeProduction(rule)));
  for (const [name] of rules) {
    if (name !== 'program')
      expect(text, `nothing uses the rule ${name}`).toContain(`"type":"NonTerminal","name":"${name}"`);
  }
});

test('grammar/statedsl.ebnf is printed from the parser', () => {
  const printed = printGrammar();
  if (process.env.UPDATE === '1') writeFileSync(published, printed);
  expect(readFileSync(published, 'utf8')).toBe(printed);
});

test('the grammar for tree-sitter knows every verb, and which of them begin actions', () => {
  const scanner = readFileSync(new URL('../../editors/tree-sitter-statedsl/src/scanner.c', import.meta.url), 'utf8');
  const rows = [...scanner.matchAll(/\{"([A-Z ]+)", ([VS])_\w+, (true|false)\}/g)];
  const verbs = rows.filter(([, , kind]) => kind === 'V');
  expect(verbs.map(([, verb]) => verb).sort()).toEqual([...everyVerb].sort());
  expect(verbs.filter(([, , , action]) => action === 'true').map(([, verb]) => verb)).toEqual(
    expect.arrayContaining([...actionVerbs]),
  );
  expect(verbs.filter(([, , , action]) => action === 'true')).toHaveLength(actionVerbs.length);
  for (const [, section] of rows.filter(([, , kind]) => kind === 'S')) expect(isSection(section as string)).toBe(true);
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
  const parser = new StatedslParser(readTables(writtenDecisions()));
  for (const name of readdirSync(patterns).filter((one) => one.endsWith('.dsl'))) {
    const { tokens } = tokenize(readFileSync(join(patterns, name), 'utf8'));
    const { tree, stuck } = parser.parseProgram(tokens);
    expect(tree, name).toEqual(parseTokens(tokens).tree);
    expect(stuck).toBeUndefined();
  }
});

test('a parser that never analyzed is stuck where another is', () => {
  const { tokens } = tokenize(') 1', 'expression');
  const parser = new StatedslParser(readTables(writtenDecisions()));
  expect(parser.parseExpression(tokens)).toEqual(parseExpressionTokens(tokens));
  expect(parser.parseExpression(tokens)).toEqual({ tree: undefined, stuck: tokens[0] });
});

test('characters that no token takes are reported with their position, one run of them at a time', () => {
  const found = (text: string) => tokenize(text, 'expression').errors;
  expect(found('§')).toEqual([{ offset: 0, length: 1 }]);
  expect(found('a §§ + 1 § 2 ;;')).toEqual([
    { offset: 2, length: 2 },
    { offset: 9, length: 1 },
    { offset: 13, length: 2 },
  ]);
  expect(found('a + 1')).toEqual([]);
});
