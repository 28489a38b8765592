import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Json } from '../../src/index.js';
import { fitsSchema } from '../../src/runtime/fits-schema.js';
import { temporaryFolder } from './running.js';

/** What is said about a text: null where it fits, or what is wrong, or why nothing can be said. */
async function said(schema: Json | string, text: string, limitMs?: number): Promise<Json> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'a b'));
  writeFileSync(join(folder, 'a b', 's.json'), typeof schema === 'string' ? schema : JSON.stringify(schema));
  const request = { effect: '1', kind: 'schema', attempt: 1, delayMs: 0, path: 'a b/s.json', text } as const;
  const outcome = await fitsSchema({ ...request, directory: folder }, '/nowhere', [folder], limitMs);
  return outcome.kind === 'value' ? outcome.value : outcome.kind === 'failed' ? outcome.message : outcome.kind;
}

const SCHEMA: Json = {
  type: 'array',
  items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } }, additionalProperties: false },
};

test('a text fits, also among words and in a fence', async () => {
  for (const text of ['[{"name":"a"}]', 'Here: [{"name":"a"}] as asked.', 'So:\n```json\n[{"name":"a"}]\n```\n'])
    expect(await said(SCHEMA, text)).toBeNull();
});

test('mistakes are reported with their locations, up to a limit', async () => {
  expect(await said(SCHEMA, '[{"name":3},{"more":1}]')).toBe(
    "`/0/name` must be string; `/1` must have required property 'name'; `/1` must not have `more`",
  );
  expect(await said(SCHEMA, '{}')).toBe('the value must be array');
  expect(await said(SCHEMA, 'nothing')).toBe('it is not JSON');
  const many = JSON.stringify(Array.from({ length: 40 }, () => 1));
  expect(await said(SCHEMA, many)).toMatch(/and 35 more$/);
  expect(await said({ enum: ['a', 1] }, '"b"')).toBe('the value must be one of "a", 1');
});

test('older drafts are read by their rules', async () => {
  const tuple: Json = { type: 'array', items: [{ type: 'string' }, { type: 'number' }] };
  expect(await said({ ...(tuple as object), $schema: 'http://json-schema.org/draft-07/schema#' }, '["a", "b"]')).toBe(
    '`/1` must be number',
  );
});

test('an unusable schema is reported, and no schema hangs', async () => {
  expect(await said('{', '1')).toBe('the schema `a b/s.json` cannot be used: it is not JSON');
  expect(await said([1], '1')).toContain('it is neither an object nor true or false');
  expect(await said({ type: 'nonsense' }, '1')).toContain('cannot be used: schema is invalid');
  expect(await said({ $ref: 'http://localhost/other.json' }, '1')).toContain("can't resolve reference");
  const slow = await said({ type: 'string', pattern: '^(a+)+$' }, JSON.stringify(`${'a'.repeat(40)}!`), 200);
  expect(slow).toContain('takes longer than');
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  expect(typeof (await said({ $ref: '#/$defs/a', $defs: { a: { items: { $ref: '#/$defs/a' } } } }, deep))).toBe(
    'string',
  );
});
