/** What no message shows of a STEP: where entries end, what is text and what is a value, and the locations of both. */
import { describe, expect, test } from 'vitest';
import { sourceFile } from '../../src/language/source/diagnostic.js';
import type { Instruction } from '../../src/language/syntax/ast.js';
import { parseProgram } from '../../src/language/syntax/parse.js';

type Step = Extract<Instruction, { kind: 'step' }>;

function parse(text: string) {
  const { program, diagnostics } = parseProgram(sourceFile('t', text), 0);
  expect(diagnostics.map(({ message }) => message)).toEqual([]);
  return program;
}

function stepOf(section: string, newline = '\n'): { step: Step; text: string } {
  const text = `STEP: a\n  ${section}\n`.replaceAll('\n', newline);
  return { step: parse(text).items[0] as Step, text };
}

/** The gates as they are written, each on its own. */
function gatesOf(line: string): string[] {
  const { step, text } = stepOf(`GATE: ${line}`);
  return step.gates.map(({ span }) => text.slice(span.start, span.end));
}

describe('a comma', () => {
  test.each([
    ['compile, test,lint', ['compile', 'test', 'lint']],
    ['expr max(a, b) > 1, test', ['expr max(a, b) > 1', 'test']],
    ['touched "a", "b", untouched "c"', ['touched "a", "b"', 'untouched "c"']],
    ['validate v with a=1, b={x}, test', ['validate v with a=1, b={x}', 'test']],
    ['validate v with a=1, test=2, compile', ['validate v with a=1, test=2', 'compile']],
    ['validate v with a, b, coverage 80', ['validate v with a, b', 'coverage 80']],
    ['validate v with a, own', ['validate v with a, own']],
    ['validate v with a as w, own', ['validate v with a as w', 'own']],
    ['validate v, own', ['validate v', 'own']],
    ['bash "a, b" as x, own', ['bash "a, b" as x', 'own']],
    ['validate v with a=[1, 2], test', ['validate v with a=[1, 2]', 'test']],
    ['schema as plan, schema "x.json"', ['schema as plan', 'schema "x.json"']],
  ])('in `%s`', (line, wanted) => {
    expect(gatesOf(line)).toEqual(wanted);
  });

  test('parts entries of CONTEXT', () => {
    const { step } = stepOf('CONTEXT: file=a,file="b, c", workflow=w with x=1, y, bash="d"');
    expect(step.context.map((entry) => (entry.kind === 'workflow' ? entry.call.args.length : entry.kind))).toEqual([
      'file',
      'file',
      2,
      'bash',
    ]);
  });
});

test('words with dashes are text after `=`, differences are not', () => {
  const { step } = stepOf('WORKFLOW: w with a=claude-opus-4.5, b=n - 1, c=n-1, d={arch-review.output}');
  const call = step.run.kind === 'workflow' ? step.run.call : undefined;
  const kinds = call?.args.map(({ value }) => (value?.kind === 'expression' ? value.expression.kind : value?.kind));
  expect(kinds).toEqual(['word', 'arithmetic', 'arithmetic', 'step-key']);
});

describe('a prompt on lines of its own', () => {
  const block = 'PROMPT: |\n      # {one}\n        \\n "{{two}}"\n\n      {three.x}  \n  GATE: test';

  test.each(['\n', '\r\n'])('has its values at their locations (%j)', (newline) => {
    const { step, text } = stepOf(block, newline);
    const list = step.prompt?.parts ?? [];
    expect(list.map((part) => (typeof part === 'string' ? part : text.slice(part.span.start, part.span.end)))).toEqual([
      '# ',
      '{one}',
      '\n  \\n "{two}"\n\n',
      '{three.x}',
    ]);
    expect(step.gates).toHaveLength(1);
  });

  test('ends where a line is not deeper', () => {
    const program = parse('STEP: a\n  PROMPT:\n    x\n  # c\n  AGENT: b\n# d\nSTEP: e\n  PROMPT:\n    y');
    expect(program.items).toHaveLength(2);
    expect(program.comments.map(({ text }) => text)).toEqual(['# c', '# d']);
  });
});

test('a command in quotes has the locations of its characters', () => {
  const { step, text } = stepOf(String.raw`GATE: bash "a \"b\" \\ {c} \. \u{a}{d}"`);
  const gate = step.gates[0];
  const shell = gate?.kind === 'bash' ? gate.shell : undefined;
  expect(shell?.text).toBe('a "b" \\ {c} \\. \n{d}');
  const locationOf = (at: number) => {
    const line = shell?.lines.filter((one) => one.at <= at).pop();
    return (line?.source ?? 0) + at - (line?.at ?? 0);
  };
  for (const name of ['{c}', '{d}']) {
    const at = locationOf(shell?.text.indexOf(name) ?? -1);
    expect(text.slice(at, at + 3)).toBe(name);
  }
});

test('gates and commands keep their order', () => {
  const { step } = stepOf('GATE:\n    test\n    DO: a\n    - lint\n    - DO:\n        b\n        c\n    compile as z');
  const shown = step.gates.map((gate) => (gate.kind === 'bash' ? gate.shell.text : (gate.label ?? gate.word).text));
  expect(shown).toEqual(['test', 'a', 'lint', 'b\nc', 'z']);
});

describe('outside of a step', () => {
  test.each([
    'DO: in PARALLEL\n  - GATE compile\n  AGENT=1 npm test\n',
    'DO:\n  GATE: compile\n  STEP: a\n',
    'EMIT: GATE step=1\n',
    'IF: a → DO: echo a, GATE b, STEP c\n',
    'SET: each = step + gate\n',
  ])('the words of steps mean nothing: %j', (text) => {
    expect(JSON.stringify(parse(text))).not.toContain('"kind":"step"');
  });
});

test('what holds only steps is a group', () => {
  const run = (text: string) => (parse(text).items[0] as Step).run.kind;
  expect(run('STEP: a parallel\n  STEP: b\n    GATE: test\n  STEP: c\n    GATE: test\n')).toBe('group');
  expect(run('STEP: a\n  STEP: b\n    GATE: test\n  DO: x\n')).toBe('body');
  expect(run('STEP: a\n  GATE: test\n')).toBe('none');
});
