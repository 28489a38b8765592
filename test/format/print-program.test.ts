/** A program printed from its tree alone is read back as that tree. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printExpression, printPlain, printQuoted } from '../../src/language/format/print-expression.js';
import { printProgram } from '../../src/language/format/print-program.js';
import { sourceFile } from '../../src/language/source/diagnostic.js';
import type { Program } from '../../src/language/syntax/ast.js';
import type { Interpolation, Template } from '../../src/language/syntax/expression-nodes.js';
import { parseExpressionText, parseProgram } from '../../src/language/syntax/parse.js';
import { tries } from '../amount.js';

function parse(text: string) {
  return parseProgram(sourceFile('program.dsl', text), 0);
}

/** The tree without locations and without the differences between two spellings of one thing. */
function meaning(value: unknown): unknown {
  const spelling = new Set(['span', 'operatorSpan', 'lines', 'raw', 'verb', 'quote', 'block', 'word']);
  return JSON.parse(JSON.stringify(value, (key, inner) => (spelling.has(key) ? undefined : inner)));
}

/** The tree as if it came from a file without a text to slice. */
function withoutSource(program: Program): Program {
  return JSON.parse(JSON.stringify(program, (key, inner) => (key === 'raw' ? '' : inner)));
}

const whole = `
MACHINE: ship-it
INPUT: spec
INPUT: mode = "fast" (one of: fast, slow)
INPUT: token (secret)
LIMIT: cost=5 time=2h

# about the plan
STEP: plan type=split
  CONTEXT: file=docs/a.md, file="a b.md", bash="git log \\"x\\" \\\\. {spec}", workflow=research with topic={spec}, n=2
  PROMPT: "Plan {spec}"
  AGENT: claude-opus with max_turns=60, max_time=10m, no_write
  GATE: schema
  RETRY:
    EXIT 3
  EACH [parallel max=4]:
    STEP: converge type=code
      PROMPT:
        # Title
          {task.description} and {{braces}} and {build/task-1/converge.gate.arch-review.comments}

        "quoted" \\n {"a": 1}
      SESSION: from=plan
      # an agent
      AGENT: {plan.agent}
      GATE: coverage 80, expr (a + 1) * 2 > b AND NOT (c == "x" OR d is empty), touched "src/**", "b c", e2e as far
      GATE:
        DO:
          echo a
            echo b
        validate validators/arch-review with diff={diff}, x=a.b, y="t {z}", w=claude-opus, k={arch-plan.output} as review
        # last
        bash 'echo "a"'
      RETRY:
        ATTEMPT 2 → PROMPT "again", AGENT claude-opus, SESSION new, WORKTREE reset
        NOT gate.test →
          PROMPT:
            two
            lines
          AGENT: claude-opus
        VALIDATE validators/assess with d={diff}, agent=claude-haiku → AGENT claude-opus
        EXIT 6

STEP: checks parallel
  STEP: a
    WORKFLOW: validators/x with diff={diff}
  STEP: b type=validate
    AGENT: "an agent"
    PROMPT: "one"
  STEP: gates
    GATE: compile, test
  STEP: commands
    DO: npm test -- --all=1
    DO [timeout=3s]:
      x=$(echo a)
        [ -n "$x" ] && echo in PARALLEL
`;

describe('printProgram', () => {
  test('says the same', () => {
    const { program, diagnostics } = parse(whole);
    expect(diagnostics.map(({ message }) => message)).toEqual([]);
    const printed = printProgram(withoutSource(program), sourceFile('whole.dsl', whole)) ?? '';
    const again = parse(printed);
    expect(again.diagnostics.map(({ message }) => message)).toEqual([]);
    expect(meaning(again.program.items)).toEqual(meaning(program.items));
    expect(again.program.comments.map(({ text }) => text)).toEqual(program.comments.map(({ text }) => text));
    expect(printProgram(withoutSource(again.program), sourceFile('printed.dsl', printed))).toBe(printed);
    expect(printed).toMatchInlineSnapshot(`
      "MACHINE: ship-it
      INPUT: spec
      INPUT: mode = "fast" (one of: fast, slow)
      INPUT: token (secret)
      LIMIT: cost=5 time=2h

      # about the plan
      STEP: plan type=split
        CONTEXT:
          file=docs/a.md
          file="a b.md"
          bash="git log \\"x\\" \\\\. {spec}"
          workflow=research with topic={spec}, n=2
        PROMPT: "Plan {spec}"
        AGENT: claude-opus with max_turns=60, max_time=10m, no_write
        GATE: schema
        RETRY:
          EXIT 3
        EACH [parallel max=4]:
          STEP: converge type=code
            PROMPT:
              # Title
                {task.description} and {{braces}} and {build/task-1/converge.gate.arch-review.comments}

              "quoted" \\n {"a": 1}
            SESSION: from=plan
            # an agent
            AGENT: {plan.agent}
            GATE:
              coverage 80
              expr (a + 1) * 2 > b AND NOT (c == "x" OR d is empty)
              touched "src/**", "b c"
              e2e as far
              DO:
                echo a
                  echo b
              validate validators/arch-review with diff={diff}, x=a.b, y="t {z}", w=claude-opus, k={arch-plan.output} as review
              # last
              bash "echo \\"a\\""
            RETRY:
              ATTEMPT 2 → PROMPT "again", AGENT claude-opus, SESSION new, WORKTREE reset
              NOT gate.test →
                PROMPT:
                  two
                  lines
                AGENT: claude-opus
              VALIDATE validators/assess with d={diff}, agent=claude-haiku → AGENT claude-opus
              EXIT 6

      STEP: checks parallel
        STEP: a
          WORKFLOW: validators/x with diff={diff}
        STEP: b type=validate
          PROMPT: "one"
          AGENT: "an agent"
        STEP: gates
          GATE: compile, test
        STEP: commands
          DO: npm test -- --all=1
          DO [timeout=3s]:
            x=$(echo a)
              [ -n "$x" ] && echo in PARALLEL
      "
    `);
  });

  test('has no words for instructions', () => {
    expect(printProgram(parse('STEP: a\n  EMIT: A\n').program)).toBeNull();
    expect(printProgram(parse('DO: npm test\n').program)).toBeNull();
  });
});

const piece = fc.constantFrom(
  ...[
    '{',
    '}',
    '{x}',
    '{{x}}',
    '{{',
    '}}',
    '{a-b.output}',
    '"',
    '\\',
    '\\n',
    '\n',
    '  ',
    'word',
    '#',
    '|',
    'é',
    '\u{1F4A5}',
  ],
  ...['\t', "'", '{f(x)}', ':', ',', '→', '\r', '\u0001'],
);
const span = { file: 0, start: 0, end: 0 };
const value: Interpolation = { expression: { kind: 'name', name: 'v', span }, list: false, span };
const text = fc.array(piece, { minLength: 1, maxLength: 6 }).map((list) => list.join(''));

/** Texts and values in turn. */
const parts = fc
  .array(fc.oneof(text, fc.constant(value)), { maxLength: 6 })
  .map((list) => list.filter((one, n) => typeof one !== 'string' || typeof list[n - 1] !== 'string'));

function promptOf(form: string): Template | undefined {
  const [step] = parse(`STEP: a\n  PROMPT: ${form}\n`).program.items;
  return step?.kind === 'step' ? step.prompt : undefined;
}

const textsOf = (list: Template['parts']) => list.map((one) => (typeof one === 'string' ? one : 'VALUE'));

test('any text is read back from its quotes', () => {
  fc.assert(
    fc.property(parts, (list) => {
      const prompt = promptOf(printQuoted({ parts: list }));
      expect(textsOf(prompt?.parts ?? [])).toEqual(textsOf(list));
      expect(JSON.stringify(prompt?.parts)).not.toContain('"name":"x"');
    }),
    { numRuns: tries(75, 2000) },
  );
});

test('any prompt is printed so that it is read back', () => {
  const { program } = parse('STEP: a\n  PROMPT: "x"\n');
  const [step] = program.items;
  fc.assert(
    fc.property(parts, (list) => {
      if (step?.kind !== 'step' || step.prompt === undefined) throw new Error('no step');
      const made: Program = { ...program, items: [{ ...step, prompt: { ...step.prompt, parts: list, raw: '' } }] };
      const [again] = parse(printProgram(made) ?? '').program.items;
      expect(again?.kind === 'step' && textsOf(again.prompt?.parts ?? [])).toEqual(textsOf(list));
    }),
    { numRuns: tries(38, 1000) },
  );
  expect(printPlain({ parts: ['a {x} b'] })).toBe('a {{x}} b');
});

describe('an expression is printed with the parentheses that it needs', () => {
  test.each([
    ...[
      '-x',
      '-(a + b)',
      '-(-x)',
      '-x * 2',
      '(a + b) * c',
      'a + b * c',
      'a - (b - c)',
      'a - b - c',
      'a / (b * c)',
      'a % b',
    ],
    ...['NOT a == b', 'NOT (a AND b)', 'NOT a AND b', '(a OR b) AND c', 'a OR b AND c', 'a AND (b AND c)', 'NOT NOT a'],
    ...[
      'a is empty',
      'a is not empty',
      'a is not valid JSON',
      'a is null',
      'a exists',
      'NOT a exists',
      'a + b is null',
    ],
    ...[
      'a in [1, -2.50, "q"]',
      'a not in b',
      'a contains b',
      'a not contains b',
      'a starts with "x"',
      'a ends with "x"',
    ],
    ...[
      'a matches "^x$"',
      'a >= b + 1',
      '(a == b) == c',
      'a[0]',
      'a[b + 1].c',
      'a?',
      'a?.b',
      'a.b?.c[0]',
      '(a + b)[0]',
    ],
    ...[
      'len(a)',
      'default(a.b?, [])',
      '{}',
      '{k: 1, "a b": null, c: {d: true}}',
      '[]',
      '"say \\"hi\\" {x:json}"',
      '1e3',
    ],
    ...['†state.a', '†state.list'],
  ])('%s', (text) => {
    const { expression, diagnostics } = parseExpressionText(text, 0, 0);
    expect(diagnostics).toEqual([]);
    const printed = printExpression(expression);
    expect(printed).toBe(text);
  });
});
