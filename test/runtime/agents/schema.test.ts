/** Programs that make the model keep to a schema get that of the answer. */
import { describe, expect, test } from 'vitest';
import { compile } from '../../../src/index.js';
import type { Json } from '../../../src/machine/expression.js';
import { isStrict } from '../../../src/runtime/agents/programs/answer-schema.js';
import { KEEP, printing, stage } from './calling.js';

const answerSchema = {
  type: 'object',
  properties: { pass: { type: 'boolean' } },
  required: ['pass'],
  additionalProperties: false,
};
const loose = { type: 'object', properties: { pass: { type: 'boolean' } } };
const KEEP_FILE =
  'for a in "$@"; do case $a in @/*) cat "/$(echo "$a" | cut -d/ -f2-)" > schema;; /*value*) cat "$a" > schema;; esac; done\n';

/** The words after the option, and what is in the file that they name. */
async function given(program: string, option: string, schema: Json) {
  const one = stage();
  one.program(program, KEEP + KEEP_FILE);
  await one.exited({ agent: program, answerSchema: schema });
  const args = (one.read('args') ?? '').split('\n');
  const at = args.indexOf(option);
  return { word: at < 0 ? null : args[at + 1], file: one.read('schema') };
}

describe('the schema of an answer', () => {
  test('is an argument of claude', async () => {
    const { word } = await given('claude', '--json-schema', answerSchema);
    expect(JSON.parse(word ?? '')).toEqual(answerSchema);
  });

  test.each([
    ['codex', '--output-schema'],
    ['qwen', '--json-schema'],
  ])('is a file for %s', async (program, option) => {
    const { file } = await given(program, option, answerSchema);
    expect(JSON.parse(file ?? '')).toEqual(answerSchema);
  });

  test.each(['gemini', 'opencode'])('is nothing for %s', async (program) => {
    expect(await given(program, '--json-schema', answerSchema)).toEqual({ word: null, file: null });
  });

  test('is left out where the service of codex would refuse it', async () => {
    expect((await given('codex', '--output-schema', loose)).word).toBeNull();
    expect((await given('qwen', '--json-schema', loose)).word).not.toBeNull();
  });

  test('is left out where it describes no object, or is too large for an argument', async () => {
    expect((await given('claude', '--json-schema', { type: 'array' })).word).toBeNull();
    const large = { ...answerSchema, description: 'x'.repeat(33_000) };
    expect((await given('claude', '--json-schema', large)).word).toBeNull();
  });
});

const STRICT: readonly (readonly [Json, boolean])[] = [
  [answerSchema, true],
  [loose, false],
  [{ ...answerSchema, required: [] }, false],
  [{ ...answerSchema, properties: { pass: loose }, required: ['pass'] }, false],
  [{ ...answerSchema, properties: { pass: { anyOf: [loose] } } }, false],
];

test.each(STRICT)('%j is strict: %s', (schema, strict) => expect(isStrict(schema)).toBe(strict));

test('prose of qwen is an answer in the wrong form, and no failure of the program', async () => {
  const message =
    'Model produced plain text instead of calling the structured_output tool as required by --json-schema.';
  const events = [
    { type: 'assistant', session_id: 's', message: { content: [{ type: 'text', text: 'it passes' }] } },
    { type: 'result', subtype: 'error_during_execution', is_error: true, num_turns: 1, error: { message } },
  ];
  const one = stage();
  one.program('qwen', `${printing(...events)}\nexit 1`);
  const outcome = await one.exited({ agent: 'qwen', answerSchema });
  expect(outcome).toMatchObject({ exit: 0, is_error: false, stdout: { text: 'it passes' } });
});

test.each([
  ['type=artifact', 'schema "answer.json"', 'answer.json'],
  ['type=artifact', 'schema', undefined],
  ['type=code', 'schema "answer.json"', undefined],
])('a step of %s with the gate %s', (type, gate, file) => {
  const { machine } = compile(`STEP: one ${type}\n  PROMPT: "x"\n  AGENT: claude\n  GATE: ${gate}\n`);
  const found = /"answerSchemaFile":"([^"]*)"/.exec(JSON.stringify(machine))?.[1];
  expect(found).toBe(file);
});
