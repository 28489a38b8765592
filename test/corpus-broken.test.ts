/**
 * Laws of all programs in the corpus: reading never throws, however a text is cut off or changed in one token, and a
 * valid program formats to a text that stays as it is.
 */
import { describe, expect, test } from 'vitest';
import { compile } from '../src/language/check/compile.js';
import { some } from './amount.js';
import { type Case, casesOf, programOf, sectionText } from './corpus/case-file.js';
import { compileOptions } from './corpus/compile-case.js';
import { formatted, parsed, treeOf } from './corpus/format-case.js';
import { mutations, prefixes } from './corpus/mutations.js';
import { checkedPlan } from './corpus/plan-case.js';
import { readWorkflow } from './corpus/workflow-case.js';

const everything = (['syntax', 'check', 'run', 'format'] as const).flatMap(casesOf);
const short = everything.filter((the) => programOf(the).text.length <= 20_000);

/** The texts that make the action throw, each with what it threw. */
function throwing(the: Case, texts: readonly string[], action: (text: string) => unknown): unknown[] {
  const found: unknown[] = [];
  for (const text of texts) {
    try {
      action(text);
    } catch (error) {
      found.push({ path: the.path, text, error });
    }
  }
  return found;
}

function withSection(the: Case, name: string, text: string): Case {
  return { ...the, sections: the.sections.map((one) => (one.name === name ? { ...one, text } : one)) };
}

describe('every program', () => {
  const written = short.filter((the) => !programOf(the).name.endsWith('.yaml'));

  test('formats to a stable text with the same tree, when it has no syntax error', () => {
    for (const the of some(written, 70)) {
      const program = programOf(the);
      if (parsed(the).broken) continue;
      const once = formatted(program);
      expect(formatted({ ...program, text: once }), the.path).toBe(once);
      expect(treeOf({ ...program, text: once }), the.path).toEqual(treeOf(program));
    }
  });

  test('parses without a throw however it is cut off or changed in one token', () => {
    for (const the of some(short, 200)) {
      const program = programOf(the);
      const texts = [...prefixes(program.text, 25), ...mutations(program.text, 25)];
      expect(throwing(the, texts, (text) => treeOf({ ...program, text }))).toEqual([]);
    }
  });

  test('is checked without a throw when it is changed in one token', () => {
    for (const the of some(short, 70)) {
      const { text } = programOf(the);
      const texts = [...prefixes(text, 4), ...mutations(text, 8)];
      expect(throwing(the, texts, (broken) => compile(broken, compileOptions(the)))).toEqual([]);
    }
  });
});

test('every plan is checked without a throw however it is cut off or changed in one token', () => {
  for (const the of casesOf('plans')) {
    const plan = sectionText(the, 'plan') ?? '';
    const texts = [...prefixes(plan, 8), ...mutations(plan, 25)];
    expect(throwing(the, texts, (text) => checkedPlan(withSection(the, 'plan', text)))).toEqual([]);
  }
});

test('every workflow is read without a throw however it is cut off or changed in one token', () => {
  for (const the of casesOf('workflows')) {
    const workflow = sectionText(the, 'workflow') ?? '';
    const texts = [...prefixes(workflow, 5), ...mutations(workflow, 12)];
    expect(throwing(the, texts, (text) => readWorkflow(withSection(the, 'workflow', text)))).toEqual([]);
  }
});
