/** What each key of a tools file means for the calls of its tools; which keys are mistakes is said by the cases of plans. */
import { expect, test } from 'vitest';
import { checkTools } from '../../src/language/check/plan/tools.js';
import { readYamlTree } from '../../src/language/frontends/yaml-tree.js';
import type { JsonNode } from '../../src/language/syntax/plan-tree.js';

const FILES: Readonly<Record<string, string>> = {
  'call.json': '{"type": "object"}',
  'text.json': '"x"',
  'bad.json': '{',
};
const options: Parameters<typeof checkTools>[1] = {
  readNextTo: (path) => {
    const text = FILES[path];
    return text === undefined ? { error: 'no such file' } : { text };
  },
  schemaProblem: (schema) => ('bad' in (schema as object) ? 'is bad' : null),
};

const NONE = { outcomes: null, failure: null, timeoutMs: null, idempotent: null, schema: null };

function bindingOf(tool: string) {
  const { bindings, diagnostics } = checkTools(readYamlTree(`t: ${tool}\n`, 0).root as JsonNode, options);
  return { binding: bindings.get('t'), said: diagnostics.map(({ message }) => message) };
}

test.each([
  ['{ run: [./a, -x] }', { kind: 'run', argv: ['./a', '-x'] }],
  ['{ module: ./tools.mjs#sum }', { kind: 'module', file: './tools.mjs', name: 'sum' }],
  ['{ agent: claude, prompt: "Sum {x}" }', { kind: 'agent', agent: 'claude', prompt: 'Sum {x}' }],
  ['{ plan: ./p.json }', { kind: 'plan', file: './p.json', each: null }],
  ['{ plan: ./p.json, each: items }', { kind: 'plan', file: './p.json', each: 'items' }],
  ['{ mcp: files/read }', { kind: 'mcp', server: 'files', tool: 'read' }],
  ['{ mcp: f/r }', { kind: 'mcp', server: 'f', tool: 'r' }],
  ['{ mcp: files/read/all }', { kind: 'mcp', server: 'files', tool: 'read/all' }],
])('%s calls %o', (tool, calls) => {
  expect(bindingOf(tool)).toEqual({ binding: { calls, ...NONE }, said: [] });
});

test.each(['/read', 'files/', 'files', 'npx server/read', '""', '3'])('`mcp: %s` names no server and tool', (mcp) => {
  const { binding, said } = bindingOf(`{ mcp: ${mcp} }`);
  expect([binding?.calls.kind, said]).toEqual(['run', ['`mcp` must be a server and a tool, as in `files/read`']]);
});

test.each([
  ['timeout: 1ms', { timeoutMs: 1 }],
  ['timeout: 2m', { timeoutMs: 120_000 }],
  ['failure: last', { failure: 'last' }],
  ['failure: none', { failure: 'none' }],
  ['failure: "†state.failed"', { failure: ['state', 'failed'] }],
  ['idempotent: true', { idempotent: true }],
  ['idempotent: false', { idempotent: false }],
  ['gate: value', { gate: 'value' }],
  [
    'outcomes: { "3": "†state.no", "124": "†state.late" }',
    { outcomes: { 3: ['state', 'no'], 124: ['state', 'late'] } },
  ],
  ['schema: { type: object }', { schema: { type: 'object' } }],
  ['schema: call.json', { schema: { type: 'object' } }],
])('`%s` is kept', (key, kept) => {
  const { binding, said } = bindingOf(`{ run: [./a], ${key} }`);
  expect([binding, said]).toEqual([{ calls: { kind: 'run', argv: ['./a'] }, ...NONE, ...kept }, []]);
});

test.each([
  ['timeout: 0s', '`timeout` must be a duration, as in `30s`'],
  ['timeout: 5', '`timeout` must be a duration, as in `30s`'],
  ['failure: first', '`failure` must be `last`, `none` or one path, as in `†state.user.failed`'],
  ['idempotent: maybe', '`idempotent` must be `true` or `false`'],
  ['gate: true', '`gate` must be `value`, which passes the answer to the tool, even `false`'],
  ['schema: 3', '`schema` must be a JSON Schema of the call, or the path of a file with one'],
  ['schema: text.json', '`schema` must be a JSON Schema of the call, or the path of a file with one'],
  ['schema: bad.json', '`schema` must be a JSON file, but `bad.json` is not JSON'],
  ['schema: none.json', '`schema` must be a readable file: cannot read `none.json`: no such file'],
  ['schema: { bad: 1 }', '`schema` of the tool `t` must be a JSON Schema: it is bad'],
])('`%s` is told, and counts as absent', (key, message) => {
  const { binding, said } = bindingOf(`{ run: [./a], ${key} }`);
  expect([binding, said]).toEqual([{ calls: { kind: 'run', argv: ['./a'] }, ...NONE }, [message]]);
});
