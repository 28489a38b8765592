/** Files that a schema describes: their messages, and what stands where. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { schemaCompletions, schemaHover } from '../../src/editor/ide/schema-positions.js';
import { readPlanDocument } from '../../src/language/frontends/plan-document.js';
import { sourceFile } from '../../src/language/source/diagnostic.js';
import { Client } from './client.js';

type SchemaName = 'config' | 'workflow' | 'plan' | 'tools';

function schema(name: SchemaName) {
  return JSON.parse(readFileSync(`grammar/${name}.schema.json`, 'utf8'));
}

/** The labels that are proposed at `<|>`. */
function proposed(name: SchemaName, marked: string, file = `${name}.yaml`): string[] {
  const offset = marked.indexOf('<|>');
  return schemaCompletions(sourceFile(file, marked.replace('<|>', '')), offset, schema(name), (key) =>
    key === 'agent' ? ['writer'] : [],
  ).map(({ label }) => label);
}

function hovered(name: SchemaName, marked: string, file = `${name}.yaml`): string | null {
  const offset = marked.indexOf('<|>');
  return schemaHover(sourceFile(file, marked.replace('<|>', '')), offset, schema(name))?.text ?? null;
}

test.each<[string, SchemaName, string, readonly string[], string]>([
  ['keys of the file', 'config', 'ag<|>', ['agents', 'mcp'], 'adapter'],
  ['keys of an agent', 'config', 'agents:\n  writer:\n    adapter: claude\n    <|>', ['model', 'effort'], 'adapter'],
  ['keys before others', 'config', 'agents:\n  writer:\n    mo<|>\n    adapter: claude\n', ['model'], 'adapter'],
  ['values', 'config', 'agents:\n  writer:\n    adapter: c<|>', ['claude', 'codex'], 'effort'],
  ['keys of a tool in braces', 'tools', 'greet: { agent: a, <|> }', ['prompt', 'timeout'], 'agent'],
  ['a value in braces', 'tools', 'greet: { agent: <|> }', ['writer'], 'prompt'],
  ['truth', 'tools', 'greet:\n  idempotent: <|>', ['true', 'false'], 'run'],
  ['keys of a workflow', 'workflow', 'name: a\n<|>\nsteps:\n  - name: b\n', ['inputs', 'max_budget'], 'steps'],
  ['keys of a step', 'workflow', 'steps:\n  - name: b\n    <|>\n', ['prompt', 'agent'], 'name'],
  ['keys of a step at its dash', 'workflow', 'steps:\n- name: b\n- <|>\n', ['name', 'prompt'], 'max_budget'],
  ['a second step', 'workflow', 'steps:\n- name: b\n  prompt: x\n- name: c\n  <|>\n', ['prompt'], 'name'],
])('%s are proposed', (_, name, text, some, other) => {
  const found = proposed(name, text);
  expect(found).toEqual(expect.arrayContaining([...some]));
  expect(found).not.toContain(other);
});

test('plans are JSON', () => {
  expect(proposed('plan', '{ "calls": [{ "_tool": "a", <|> }] }', 'a.plan.json')).toContain('_outputPath');
  expect(proposed('plan', '{ "calls": [{ "_outputMethod": "<|>" }] }', 'a.plan.json')).toEqual([
    ...['set', 'merge', 'push', 'concat', 'assign'],
  ]);
  const text = '{ "mo<|>de": "lazy", "calls": [] }';
  expect(hovered('plan', text, 'a.plan.json')).toMatch(/^`mode`\n.*\none of `eager`, `lazy`$/s);
});

test('a key says what it is', () => {
  expect(hovered('tools', 'greet:\n  time<|>out: 3s\n')).toMatch(/^`timeout`: string or number\n.*30s/);
  expect(hovered('config', 'agents:\n  writer:\n    adap<|>ter: claude\n')).toContain('one of `claude`');
  expect(hovered('tools', '# time<|>out\n')).toBeNull();
});

test('any position of a half-written file has an answer', () => {
  const texts: [SchemaName, string, string][] = [
    [
      'config',
      'agents:\n  a: { adapter: claude, "x": [1, \'2\'] }\n- b\n\t- c: |\n    d: e\n"f": g\n: :\n',
      'config.yaml',
    ],
    ['plan', '{"calls": [{"_tool": "a\\"", "_output": {"x": [1, {"y": ""', 'a.plan.json'],
  ];
  for (const [name, text, file] of texts)
    for (let at = 0; at <= text.length; at++)
      for (const part of [text, text.slice(0, at)]) {
        const source = sourceFile(file, part);
        for (const { replace } of schemaCompletions(source, at, schema(name)))
          expect(replace.start >= 0 && replace.end <= part.length).toBe(true);
        schemaHover(source, at, schema(name));
      }
});

test('the schemas have the keys that are read, and no others', async () => {
  const client = new Client();
  await client.start();
  const { tool } = schema('tools').$defs;
  const keys = Object.keys(tool.properties);
  const text = `a:\n${keys.map((key) => `  ${key}: x\n`).join('')}  other: x\n`;
  const uri = client.open('tools.yaml', text, 'yaml');
  const { diagnostics } = await client.diagnostics(uri);
  const unknown = diagnostics.filter(({ code }) => code === 'unknown-tool-key');
  expect(unknown.map(({ range }) => range.start.line)).toEqual([keys.length + 1]);
  const { call, plan } = schema('plan').$defs;
  const members = (all: object) => Object.keys(all).map((key) => [key, 'x']);
  const found = (value: object) => readPlanDocument(JSON.stringify(value), 0).diagnostics.map(({ code }) => code);
  expect(found({ calls: [Object.fromEntries([...members(call.properties), ['_other', 1]])] })).toContain(
    'unknown-meta',
  );
  expect(found({ calls: [Object.fromEntries(members(call.properties))] })).not.toContain('unknown-meta');
  expect(found(Object.fromEntries(members(plan.properties)))).not.toContain('unknown-member');
});

test('the server answers for a tools file and the configuration', async () => {
  const client = new Client({ 'statedsl.config.yaml': 'agents:\n  writer: { adapter: claude }\n' });
  await client.start();
  const tools = client.open('tools.yaml', 'greet: { agent: writer, prompt: hello, tmeout: 3s }\n', 'yaml');
  expect((await client.diagnostics(tools)).diagnostics).toMatchObject([
    { code: 'unknown-tool-key', range: { start: { line: 0, character: 39 } } },
  ]);
  const textDocument = { uri: tools };
  const ask = (method: string, character: number) =>
    client.request(`textDocument/${method}`, { textDocument, position: { line: 0, character } });
  expect((await ask('hover', 26)).contents.value).toContain('The prompt of the agent');
  const { items } = await ask('completion', 16);
  expect(items.map(({ label }: { label: string }) => label)).toContain('writer');
  client.change(tools, 2, [{ text: 'greet: [\n' }]);
  const broken = await client.diagnostics(tools, ({ version }) => version === 2);
  expect(broken.diagnostics.length).toBeGreaterThan(0);
  client.change(tools, 3, [{ text: '' }]);
  expect((await client.diagnostics(tools, ({ version }) => version === 3)).diagnostics).toEqual([]);
});
