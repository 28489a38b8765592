/** What other files say about the names of a program: tools, the configuration, schemas, and the record of its last run. */
import { expect, test } from 'vitest';
import { commandLine } from '../harness/command-line.js';
import { Client } from './client.js';

const FLOW = `INPUT: key (secret)
STATE: A
  CALL: text = greet with name="x"
  CALL: greet with name="y" → †state.said
  STEP: build
    AGENT: bob
    PROMPT: "do it"
    GATE: mine, schema "out.json"
  EMIT: "{text.hello} {†state.said.hello} {build.output}"
  RETURN
`;
const TOOLS = 'greet: { run: [./greet.sh], schema: ./greet.json }\nwork: { plan: ./other.json }\n';
const GREET = `{ "properties": {
  "name": { "type": "string", "description": "whom to greet" },
  "_output": { "type": "object", "properties": { "hello": { "type": "object", "properties": { "deep": {} } } } }
} }`;
const CONFIGURATION =
  'agents:\n  bob: { adapter: claude, model: m1 }\ngates:\n  mine: { run: "true" }\nworkflows: [flows]\n';

const FILES = { 'tools.yaml': TOOLS, 'greet.json': GREET, 'out.json': '{}', 'statedsl.config.yaml': CONFIGURATION };

async function opened(files: Readonly<Record<string, string>>, name = 'flow.dsl', more: object = {}) {
  const client = new Client(files);
  await client.start({}, more);
  const text = files[name] as string;
  const uri = client.open(name, text);
  await client.diagnostics(uri);
  const position = (before: string, plus = 0) => {
    const lines = text.slice(0, text.indexOf(before) + plus).split('\n');
    return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
  };
  const ask = (method: string, before: string, plus = 0) =>
    client.request(`textDocument/${method}`, { textDocument: { uri }, position: position(before, plus) });
  return { client, uri, ask };
}

test('tools, agents and gates lead to the lines that describe them, values to their schemas', async () => {
  const { client, uri, ask } = await opened({ ...FILES, 'flow.dsl': FLOW });
  const line = (name: string, at: number) => [{ uri: client.uri(name), range: { start: { line: at } } }];
  expect(await ask('definition', 'greet with')).toMatchObject(line('tools.yaml', 0));
  expect(await ask('definition', 'bob')).toMatchObject(line('statedsl.config.yaml', 1));
  expect(await ask('definition', 'mine')).toMatchObject(line('statedsl.config.yaml', 3));
  for (const name of ['text = ', 'text.hello', 'greet with', '†state.said', '†state.said.hello'])
    expect(await ask('typeDefinition', name), name).toMatchObject(line('greet.json', 2));
  expect(await ask('typeDefinition', 'build.output')).toMatchObject(line('out.json', 0));
  expect(await ask('typeDefinition', 'key (')).toBeNull();
  const links = await client.request('textDocument/documentLink', { textDocument: { uri } });
  const targets = [];
  for (const link of links) targets.push((await client.request('documentLink/resolve', link)).target);
  expect(targets).toEqual([`${client.uri('tools.yaml')}#L1`, `${client.uri('tools.yaml')}#L1`, client.uri('out.json')]);
});

test('what a tool takes and returns, and what an agent is', async () => {
  const { ask } = await opened({ ...FILES, 'flow.dsl': FLOW });
  const tool = (await ask('hover', 'greet with')).contents.value;
  expect(tool).toContain('`name`: string, optional – whom to greet');
  expect(tool).toContain('returns `{"type":"object"');
  expect((await ask('hover', 'bob')).contents.value).toMatch(
    /adapter claude, model m1, `claude` is (?:not )?installed/,
  );
  const labels = async (before: string, plus: number) =>
    (await ask('completion', before, plus)).items.map(({ label, detail }: { label: string; detail?: string }) =>
      detail === undefined ? label : `${label} (${detail})`,
    );
  expect(await labels('CALL: greet', 6)).toEqual(['greet', 'work']);
  expect(await labels('name="y"', 0)).toEqual(['name (string: whom to greet)']);
  expect(await labels('text.hello', 5)).toEqual(['hello']);
  expect(await labels('†state.said.hello', 12)).toContain('†state.said.hello');
  expect(await ask('signatureHelp', 'name="x"')).toMatchObject({
    signatures: [{ label: 'CALL greet with name', documentation: '`name`: whom to greet' }],
  });
});

test('an agent that nothing describes gets its lines in the configuration, which may be a new file', async () => {
  const program = 'DO: Task(carl) "hello"\nRETURN\n';
  const creating = { workspace: { workspaceEdit: { resourceOperations: ['create'] } } };
  const isUnknown = ({ code }: { code: string }) => code === 'unknown-agent';
  const added = async (configuration: string | undefined) => {
    const client = new Client();
    if (configuration !== undefined) client.write('statedsl.config.yaml', configuration);
    await client.start(creating);
    const uri = client.open('flow.dsl', program);
    await client.diagnostics(uri, ({ diagnostics }) => diagnostics.some(isUnknown));
    const position = { line: 0, character: 10 };
    const actions = await client.request('textDocument/codeAction', {
      textDocument: { uri },
      range: { start: position, end: position },
      context: { diagnostics: [], only: ['quickfix'] },
    });
    const found = actions.find(
      ({ title }: { title: string }) => title === 'Describe the agent carl in the configuration',
    );
    if (found === undefined) return null;
    const { documentChanges } = found.edit;
    const { edits, textDocument } = documentChanges.at(-1);
    const target = client.uri('statedsl.config.yaml');
    expect(textDocument.uri).toBe(target);
    if (documentChanges.length === 2) expect(documentChanges[0]).toEqual({ kind: 'create', uri: target });
    const [{ range, newText }] = edits;
    const lines = (configuration ?? '').split('\n');
    const { line, character } = range.start;
    lines[line] = (lines[line] ?? '').slice(0, character) + newText + (lines[line] ?? '').slice(character);
    client.write('statedsl.config.yaml', lines.join('\n'));
    client.notify('workspace/didChangeWatchedFiles', { changes: [{ uri: target, type: 2 }] });
    client.change(uri, 2, [{ text: program }]);
    expect((await client.diagnostics(uri, ({ version }) => version === 2)).diagnostics.filter(isUnknown)).toEqual([]);
    return lines.join('\n');
  };
  expect(await added(undefined)).toBe('agents:\n  carl:\n    adapter: claude\n');
  expect(await added('agents:\n    bob: { adapter: claude }\n')).toBe(
    'agents:\n    carl:\n      adapter: claude\n    bob: { adapter: claude }\n',
  );
  expect(await added('# nothing yet')).toBe('# nothing yet\nagents:\n  carl:\n    adapter: claude\n');
  expect(await added('agents: { bob: { adapter: claude } }\n')).toBeNull();
});

test('a workspace that is not trusted is judged without its configuration, and without what only that could say', async () => {
  const files = { ...FILES, 'flow.dsl': FLOW };
  const { client, uri } = await opened(files, 'flow.dsl', { initializationOptions: { trusted: false } });
  const codes = (await client.diagnostics(uri)).diagnostics.map(({ code }) => code);
  expect(codes.filter((code) => /agent|gate|target/.test(code))).toEqual([]);
});

test('lenses that execute are not offered in a workspace that is not trusted', async () => {
  const titles = async (trusted: boolean): Promise<string[]> => {
    const initializationOptions = { trusted, codeLens: { runFromHere: true, waysIn: true } };
    const { client, uri } = await opened({ ...FILES, 'flow.dsl': FLOW }, 'flow.dsl', { initializationOptions });
    const lenses = await client.request('textDocument/codeLens', { textDocument: { uri } });
    return lenses.map(({ command }: { command: { command: string } }) => command.command);
  };
  const executes = /^statedsl\.(?:run|debug|runFrom)$/;
  const [offered, others] = [await titles(true), await titles(false)];
  expect([...new Set(offered.filter((one) => executes.test(one)))].sort()).toEqual([
    'statedsl.debug',
    'statedsl.run',
    'statedsl.runFrom',
  ]);
  expect(others).toEqual(offered.filter((one) => !executes.test(one)));
});

test('fields of a schema that the program does not read yet are marked', async () => {
  const flow = 'STATE: A\n  CALL: text = greet with name="x"\n  RETURN: {text.hello.}\n';
  const { ask } = await opened({ ...FILES, 'flow.dsl': flow });
  expect((await ask('completion', 'text.hello.', 11)).items).toMatchObject([
    { label: 'deep', detail: 'by the schema of greet' },
  ]);
});

test('a YAML file in a folder of workflows, and a plan that is named, are documents', async () => {
  const { client } = await opened({ ...FILES, 'flow.dsl': FLOW }, 'flow.dsl', {
    initializationOptions: { workflowFiles: ['set/*.yaml'] },
  });
  for (const name of ['flows/one.yaml', 'set/one.yaml']) {
    const { diagnostics } = await client.diagnostics(client.open(name, 'steps:\n  - nam: x\n', 'yaml'));
    expect(
      diagnostics.map(({ code }) => code),
      name,
    ).toContain('missing-key');
  }
  const plan = await client.diagnostics(client.open('other.json', '[{"tool":"x"}]', 'json'));
  expect(plan.diagnostics).toMatchObject([{ code: 'plan-shape' }]);
  const uri = client.open('named.json', '[{"tool":"x"}]', 'json');
  expect((await client.diagnostics(uri)).diagnostics).toEqual([]);
  client.open('user.dsl', 'STATE: A\n  PLAN: "named.json"\n  RETURN\n');
  await client.diagnostics(uri, ({ diagnostics }) => diagnostics.length === 1);
});

const RAN = `INPUT: who = "x"
INPUT: key (secret)
STATE: A
  TRACK: count = 0
  CHECK: n = echo '{"a":{"b":[{"k":1},{"k":2}]},"c":"t"}'
  SET: count = 5
  FOR EACH: one in n.a.b
    DO: echo {one.k} {key}
  GOTO: B with n, z="q"
STATE: B
  STEP: build
    DO: echo built
    GATE: bash "true"
  EMIT: "{n.a} {z} {count} {who}"
  RETURN
`;

const MOCK = `commands:
  echo: ['{"a":{"b":[{"k":1},{"k":2}]},"c":"t"}', "1", "2", built]
  "true": ""
`;

test('the values, times and outcomes of the last run, with secrets replaced', async () => {
  const all = { inlayHints: { lastRun: true }, codeLens: { run: false, debug: false, stepOutcome: true } };
  const { client, uri, ask } = await opened({ 'flow.dsl': RAN, 'mock.yaml': MOCK }, 'flow.dsl', {
    initializationOptions: all,
  });
  const said = async (name: string) => /in the last run: `(.*)`/.exec((await ask('hover', name)).contents.value)?.[1];
  expect(await said('n = echo')).toBeUndefined();
  const ran = await commandLine(['run', 'flow.dsl', '-i', 'key=s3cret', '--mock', 'mock.yaml'], {
    ...{ cwd: client.folder, env: process.env },
  });
  expect(ran.code).toBe(0);
  expect(await said('n = echo')).toBe('{"a":{"b":[{"k":1},{"k":2}]},"c":"t"}');
  expect(await said('count = 5')).toBe('5');
  expect(await said('who = ')).toBe('"x"');
  expect(await said('key (')).toBe('"***"');
  expect(await said('one.k')).toBe('{"k":2}');
  expect(await said('z}')).toBe('"q"');
  client.notify('textDocument/didSave', { textDocument: { uri } });
  expect((await ask('completion', 'n.a}', 2)).items).toMatchObject([
    { label: 'a' },
    { label: 'c', detail: 'in the last run' },
  ]);
  const range = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
  const hints = await client.request('textDocument/inlayHint', { textDocument: { uri }, range });
  expect(hints.map(({ label }: { label: string }) => label.replace(/\d\.\d\d/, 'N'))).toEqual([
    '{"a":{"b":[{"k":1},{"k":2}]},"c":"t"}, N s',
    'N s, 2 times',
    'N s',
  ]);
  const lenses = await client.request('textDocument/codeLens', { textDocument: { uri } });
  expect(lenses.map(({ command }: { command: { title: string } }) => command.title)).toEqual([
    'last run: passed in attempt 1',
  ]);
});

test('settings come with the start, as a message, or when the server asks', async () => {
  const { client, uri } = await opened({ 'flow.dsl': RAN }, 'flow.dsl', {});
  const titles = async () =>
    (await client.request('textDocument/codeLens', { textDocument: { uri } })).map(
      ({ command }: { command: { title: string } }) => command.title,
    );
  expect(await titles()).toEqual(['Run', 'Debug']);
  const set = (codeLens: object) =>
    client.notify('workspace/didChangeConfiguration', { settings: { statedsl: { codeLens } } });
  set({ run: false, waysIn: true, runFromHere: true });
  expect(await titles()).toEqual(['Debug', 'Run from here', '0 ways in', 'Run from here', '1 way in']);
  set({});
  expect(await titles()).toEqual(['Run', 'Debug']);
});

test('the tokens that changed are those of a fresh answer', async () => {
  const { client, uri } = await opened({ 'flow.dsl': RAN });
  const textDocument = { uri };
  const { resultId, data } = await client.request('textDocument/semanticTokens/full', { textDocument });
  client.change(uri, 2, [
    { range: { start: { line: 5, character: 0 }, end: { line: 5, character: 0 } }, text: '  SET: count = 6\n' },
  ]);
  const ask = (previousResultId: string) =>
    client.request('textDocument/semanticTokens/full/delta', { textDocument, previousResultId });
  const { edits } = await ask(resultId);
  const fresh = await client.request('textDocument/semanticTokens/full', { textDocument });
  const [{ start, deleteCount, data: changed }] = edits;
  expect(data.toSpliced(start, deleteCount, ...changed)).toEqual(fresh.data);
  expect(changed.length).toBeLessThan(data.length / 2);
  expect((await ask(fresh.resultId)).edits).toEqual([]);
  expect(await ask('another one')).toEqual(fresh);
});
