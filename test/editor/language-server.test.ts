import { expect, test } from 'vitest';
import { formatText } from '../../src/app/library/compile-text.js';
import { compileProgram } from '../../src/app/project/compile-program.js';
import { diskFiles } from '../../src/app/project/project-host.js';
import { agentLookup, gateLookup, toolLookup } from '../../src/app/project/settings.js';
import { noConfiguration } from '../../src/runtime/configuration/load-configuration.js';
import { diagnosticsJson } from '../../src/views/diagnostics/diagnostic-json.js';
import { amount } from '../amount.js';
import { casesOf, programOf } from '../corpus/case-file.js';
import { Client } from './client.js';

const FLOW = `INPUT: dir
STATE: A
  DO: n = ls -- {dir}
  IFF: n == "" → GOTO: B with n=1
  GOTO: B with n
STATE: B
  RETURN: {n}
`;
const SOUND = FLOW.replace('IFF', 'IF');
const at = (line: number, character: number) => ({ line, character });

async function opened(text = SOUND, capabilities: object = {}) {
  const client = new Client();
  await client.start(capabilities);
  const uri = client.open('flow.dsl', text);
  await client.diagnostics(uri);
  return { client, uri, textDocument: { uri } };
}

test('a document is checked when it is opened and after each change, with the version', async () => {
  const { client, uri } = await opened(FLOW);
  const [first] = (await client.diagnostics(uri)).diagnostics;
  expect(first).toMatchObject({
    code: 'unknown-verb',
    severity: 1,
    range: { start: at(3, 2), end: at(3, 5) },
    message: expect.stringContaining('\nhelp: '),
    data: { fixes: [{ preferred: true, edits: [{ newText: 'IF' }] }] },
  });
  client.change(uri, 2, [{ range: { start: at(3, 2), end: at(3, 5) }, text: 'IF' }]);
  expect(await client.diagnostics(uri, ({ version }) => version === 2)).toMatchObject({ diagnostics: [] });
});

test('errors of the line that is being typed wait until the typing stops', async () => {
  const { client, uri } = await opened();
  client.change(uri, 2, [{ range: { start: at(4, 8), end: at(4, 9) }, text: 'BB' }]);
  await client.diagnostics(
    uri,
    ({ version, diagnostics }) => version === 2 && diagnostics.some(({ code }) => code === 'unknown-state'),
  );
  const counts = client.published.filter(({ version }) => version === 2).map(({ diagnostics }) => diagnostics.length);
  expect(counts.length).toBe(2);
  expect(counts[0]).toBeLessThan(counts[1] as number);
});

test('a client that pulls diagnostics gets none by push', async () => {
  const client = new Client();
  const { capabilities } = await client.start({ textDocument: { diagnostic: {} } });
  expect(capabilities.diagnosticProvider).toMatchObject({ workspaceDiagnostics: true });
  const uri = client.open('flow.dsl', FLOW);
  const report = await client.request('textDocument/diagnostic', { textDocument: { uri } });
  expect(report).toMatchObject({ kind: 'full', items: [{ code: 'unknown-verb' }] });
  expect((await client.request('workspace/diagnostic', { previousResultIds: [] })).items).toMatchObject([
    { uri, version: 1 },
  ]);
  expect(client.published).toEqual([]);
});

test('names: definition, references, implementation, highlight, hover and rename', async () => {
  const { client, uri, textDocument } = await opened(SOUND, {
    workspace: { workspaceEdit: { documentChanges: true } },
  });
  const position = at(6, 11);
  const definitions = await client.request('textDocument/definition', { textDocument, position });
  expect(definitions).toEqual([
    { uri, range: { start: at(3, 29), end: at(3, 30) } },
    { uri, range: { start: at(4, 15), end: at(4, 16) } },
  ]);
  expect(await client.request('textDocument/implementation', { textDocument, position: at(4, 8) })).toMatchObject([
    { range: { start: at(5, 7) } },
  ]);
  const references = await client.request('textDocument/references', {
    textDocument,
    position: at(2, 6),
    context: { includeDeclaration: false },
  });
  expect(references.map((one: { range: { start: object } }) => one.range.start)).toEqual([at(3, 6), at(4, 15)]);
  expect(await client.request('textDocument/documentHighlight', { textDocument, position: at(2, 6) })).toHaveLength(3);
  expect((await client.request('textDocument/hover', { textDocument, position: at(3, 6) })).contents.value).toContain(
    'local `n` of A',
  );
  expect(await client.request('textDocument/prepareRename', { textDocument, position: at(3, 7) })).toMatchObject({
    placeholder: 'n',
  });
  const edit = await client.request('textDocument/rename', { textDocument, position: at(3, 7), newName: 'list' });
  expect(edit.documentChanges[0].textDocument).toEqual({ uri, version: 1 });
  expect(edit.documentChanges[0].edits.map((one: { newText: string }) => one.newText)).toEqual([
    'list',
    'list',
    'n={list}',
  ]);
  await expect(
    client.request('textDocument/rename', { textDocument, position: at(3, 7), newName: 'dir' }),
  ).rejects.toThrow('means something else');
});

test('the shape: symbols, folding, selections, tokens, hints, lenses, links, calls and the graph', async () => {
  const { client, uri, textDocument } = await opened(SOUND, {
    textDocument: { documentSymbol: { hierarchicalDocumentSymbolSupport: true } },
  });
  const range = { start: at(0, 0), end: at(99, 0) };
  const [, machine] = await client.request('textDocument/documentSymbol', { textDocument });
  expect(machine).toMatchObject({ name: 'flow', children: [{ name: 'A', range: { start: at(1, 0) } }, { name: 'B' }] });
  expect(await client.request('textDocument/foldingRange', { textDocument })).toContainEqual({
    startLine: 1,
    endLine: 4,
  });
  const [selection] = await client.request('textDocument/selectionRange', { textDocument, positions: [at(2, 17)] });
  expect(selection.range).toEqual({ start: at(2, 17), end: at(2, 20) });
  const { data } = await client.request('textDocument/semanticTokens/full', { textDocument });
  expect(data.slice(0, 5)).toEqual([0, 7, 3, 2, 5]);
  expect(await client.request('textDocument/semanticTokens/range', { textDocument, range })).toMatchObject({ data });
  expect(await client.request('textDocument/inlayHint', { textDocument, range })).toEqual([]);
  expect(await client.request('textDocument/codeLens', { textDocument })).toMatchObject([
    { command: { title: 'Run' } },
    { command: { title: 'Debug' } },
  ]);
  expect(await client.request('textDocument/documentLink', { textDocument })).toEqual([]);
  const [item] = await client.request('textDocument/prepareCallHierarchy', { textDocument, position: at(5, 7) });
  expect(item).toMatchObject({ name: 'B', uri });
  expect(await client.request('callHierarchy/incomingCalls', { item })).toMatchObject([
    { from: { name: 'A' }, fromRanges: [{}, {}] },
  ]);
  expect(await client.request('callHierarchy/outgoingCalls', { item })).toEqual([]);
  const graph = await client.request('statedsl/graph', { textDocument });
  expect(graph.nodes.map(({ id }: { id: string }) => id)).toEqual(['A', 'B', '$end']);
  expect(graph.edges[0]).toMatchObject({ from: 'A', to: 'B', range: { start: at(3, 22) } });
});

test('completion, signature help, code actions and formatting', async () => {
  const { client, uri, textDocument } = await opened(FLOW.replace('DO: n', 'DO:   n'));
  const { items } = await client.request('textDocument/completion', { textDocument, position: at(4, 8) });
  expect(items.map(({ label }: { label: string }) => label)).toEqual(['A', 'B']);
  expect(await client.request('textDocument/signatureHelp', { textDocument, position: at(4, 15) })).toMatchObject({
    signatures: [{ label: 'GOTO B with n' }],
  });
  const { diagnostics } = await client.diagnostics(uri);
  const range = { start: at(3, 2), end: at(3, 5) };
  const actions = await client.request('textDocument/codeAction', { textDocument, range, context: { diagnostics } });
  expect(actions).toMatchObject([
    { kind: 'quickfix', isPreferred: true, edit: { documentChanges: [{ edits: [{ newText: 'IF' }] }] } },
    { kind: 'refactor.extract', title: 'Make a pattern of this instruction' },
    { kind: 'refactor.rewrite', title: 'Handle the failures of A' },
    { kind: 'source.fixAll.statedsl' },
  ]);
  expect(await client.request('textDocument/formatting', { textDocument, options: {} })).toBeNull();
  client.change(uri, 2, [{ text: SOUND.replace('DO: n', 'DO:   n') }]);
  const edits = await client.request('textDocument/formatting', { textDocument, options: {} });
  expect(edits).toContainEqual({ range: { start: at(2, 0), end: at(3, 0) }, newText: '  DO: n = ls -- {dir}\n' });
  expect(edits).toHaveLength(3);
});

test('other changes: a client that asks for edits later gets them proved, another one gets only proved ones', async () => {
  const text = 'STATE: A\n  GOTO: NEXT\n';
  const range = { start: at(1, 9), end: at(1, 9) };
  const stub = [{ range: { start: at(2, 0) }, newText: '\nSTATE: NEXT\n  RETURN\n' }];
  const now = await opened(text);
  const ask = { textDocument: now.textDocument, range, context: { diagnostics: [] } };
  expect(await now.client.request('textDocument/codeAction', ask)).toMatchObject([
    { title: 'Declare the state NEXT', kind: 'quickfix', edit: { documentChanges: [{ edits: stub }] } },
    { title: 'Handle the failures of A', kind: 'refactor.rewrite' },
  ]);
  const later = await opened(text, { textDocument: { codeAction: { resolveSupport: { properties: ['edit'] } } } });
  const only = { ...ask, textDocument: later.textDocument, context: { diagnostics: [], only: ['quickfix'] } };
  const [action, more] = await later.client.request('textDocument/codeAction', only);
  expect([action.edit, more]).toEqual([undefined, undefined]);
  expect(await later.client.request('codeAction/resolve', action)).toMatchObject({
    edit: { documentChanges: [{ edits: stub }] },
  });
  later.client.change(later.uri, 2, [{ text: `# new\n${text}` }]);
  await expect(later.client.request('codeAction/resolve', action)).rejects.toThrow('the text has changed');
});

test('an unsaved import wins over its file, and its users are checked again when it is saved', async () => {
  const client = new Client({ 'lib.dsl': 'PATTERN: LOOK with what\n  EMIT: "{what}"\n' });
  await client.start();
  const uri = client.open('flow.dsl', 'IMPORT: "./lib.dsl"\nSTATE: A\n  USE: LOOK with what=1\n  RETURN\n');
  expect((await client.diagnostics(uri)).diagnostics).toEqual([]);
  const library = client.open('lib.dsl', 'PATTERN: LOOKS with what\n  EMIT: "{what}"\n');
  await client.diagnostics(library);
  client.notify('textDocument/didSave', { textDocument: { uri: library } });
  const sent = await client.diagnostics(uri, ({ diagnostics }) => diagnostics.length > 0);
  expect(sent.diagnostics).toMatchObject([{ code: 'unknown-pattern' }]);
});

test('a pattern is renamed in all files that import it, or in none', async () => {
  const library = 'PATTERN: LOOK with what\n  DO: echo {what}\n';
  const client = new Client({
    'lib.dsl': library,
    'a/flow.dsl': 'IMPORT: "../lib.dsl"\nSTATE: A\n  USE: LOOK with what=1\n  RETURN\n',
    'b.dsl':
      'IMPORT: "./lib.dsl"\nPATTERN: TAKEN\n  DO: true\nSTATE: A\n  USE: LOOK with what=2\n  USE: TAKEN\n  RETURN\n',
  });
  await client.start();
  const uri = client.open('lib.dsl', library);
  const rename = (line: number, character: number, newName: string) =>
    client.request('textDocument/rename', { textDocument: { uri }, position: at(line, character), newName });
  const { changes } = await rename(0, 9, 'VIEW');
  const edited = Object.entries(changes as Record<string, { range: { start: object }; newText: string }[]>);
  expect(
    edited.map(([name, edits]) => [name.slice(client.uri('').length + 1), edits.map(({ range }) => range.start)]),
  ).toEqual([
    ['lib.dsl', [at(0, 9)]],
    ['b.dsl', [at(4, 7)]],
    ['a/flow.dsl', [at(2, 7)]],
  ]);
  const parameter = await rename(0, 19, 'which');
  expect(Object.keys(parameter.changes)).toHaveLength(3);
  await expect(rename(0, 9, 'TAKEN')).rejects.toThrow(/means something else.*\(in b\.dsl\)/);
});

test('a pattern has references in the files that import it; symbols are those of the workspace', async () => {
  const library = 'PATTERN: LOOK with what\n  EMIT: "{what}"\n';
  const client = new Client({
    'lib.dsl': library,
    'a/flow.dsl': 'IMPORT: "../lib.dsl"\nSTATE: FIRST\n  USE: LOOK with what=1\n  RETURN\n',
  });
  await client.start();
  const uri = client.open('lib.dsl', library);
  const params = { textDocument: { uri }, position: at(0, 10), context: { includeDeclaration: true } };
  expect(await client.request('textDocument/references', params)).toMatchObject([
    { uri },
    { uri: client.uri('a/flow.dsl'), range: { start: at(2, 7) } },
  ]);
  const symbols = await client.request('workspace/symbol', { query: '' });
  expect(symbols.map(({ name }: { name: string }) => name).sort()).toEqual(
    ['FIRST', 'LOOK', 'a', 'flow'].filter((name) => name !== 'a'),
  );
  expect(await client.request('workspace/symbol', { query: 'frt' })).toMatchObject([{ name: 'FIRST' }]);
});

test('other files are none of ours', async () => {
  const client = new Client();
  await client.start();
  for (const [name, language] of [
    ['notes.md', 'markdown'],
    ['data.yaml', 'yaml'],
    ['x.txt', 'plaintext'],
  ] as const) {
    const uri = client.open(name, '# Title\n\nSTATE of things: {x}\n', language);
    expect((await client.diagnostics(uri)).diagnostics).toEqual([]);
    expect(await client.request('textDocument/hover', { textDocument: { uri }, position: at(0, 1) })).toBeNull();
  }
  const uri = client.open('untitled:Untitled-1', FLOW);
  expect((await client.diagnostics(uri)).diagnostics).toMatchObject([{ code: 'unknown-verb' }]);
});

test('requests before the start, unknown ones and cancelled ones have their errors', async () => {
  const client = new Client();
  const textDocument = { uri: client.uri('flow.dsl') };
  await expect(client.request('textDocument/hover', { textDocument, position: at(0, 0) })).rejects.toMatchObject({
    code: -32002,
  });
  await client.start();
  await expect(client.request('textDocument/unheardOf', {})).rejects.toMatchObject({ code: -32601 });
  // A handler that fails: the server has given no such link.
  await expect(client.request('documentLink/resolve', { data: null })).rejects.toMatchObject({ code: -32603 });
  client.open('flow.dsl', SOUND);
  const { answer, cancel } = client.cancelling('textDocument/references', { textDocument, position: at(0, 8) });
  cancel();
  await expect(answer).rejects.toMatchObject({ code: -32800 });
  expect(await client.request('textDocument/hover', { textDocument, position: at(99, 99) })).toBeNull();
});

test('a long analysis lets other requests in, and one that waits for it can be cancelled', async () => {
  const { client, textDocument } = await opened();
  const state = (at: number) => `STATE: S${at}\n  DO: n = ls ${at} | wc -l\n  GOTO: S${at + 1} with n\n`;
  const text = `${Array.from({ length: 4_000 }, (_, number) => state(number)).join('')}STATE: S4000\n  RETURN: {n}\n`;
  const uri = client.open('long.dsl', text);
  const { answer, cancel } = client.cancelling('textDocument/hover', { textDocument: { uri }, position: at(0, 8) });
  answer.catch(() => undefined);
  const other = client.request('textDocument/hover', { textDocument, position: at(2, 7) });
  // Before anything is awaited: a fast machine could be done with the analysis.
  cancel();
  client.change(uri, 2, [{ text: 'RETURN: {nothing}\n' }]);
  expect(await other).not.toBeNull();
  await expect(answer).rejects.toMatchObject({ code: -32800 });
  await client.diagnostics(uri, ({ version }) => version === 2);
  expect(client.published.filter((sent) => sent.uri === uri).map(({ version }) => version)).toEqual([2]);
});

test('the end: shutdown and exit, exit alone, the end of input, a malformed header', async () => {
  const polite = new Client();
  await polite.start();
  expect(await polite.request('shutdown', null)).toBeNull();
  polite.notify('exit', null);
  const rude = new Client();
  await rude.start();
  rude.notify('exit', null);
  const gone = new Client();
  await gone.start();
  gone.toServer.end();
  const garbled = new Client();
  garbled.toServer.write('Content-Length: many\r\n\r\n{}');
  await expect
    .poll(() => [polite, rude, gone, garbled].map(({ exits }) => exits), { timeout: 60_000 })
    .toEqual([[0], [1], [1], [1]]);
});

test('a request without its members is told which one; a message that cannot be read is refused, and the next one works', async () => {
  const { client, textDocument } = await opened();
  const position = at(2, 7);
  const lacks: readonly (readonly [method: string, params: unknown, lack: string])[] = [
    ['textDocument/hover', undefined, 'needs an object as parameters'],
    ['textDocument/hover', null, 'needs an object as parameters'],
    ['textDocument/hover', { position }, 'needs `textDocument.uri`, a text'],
    ['textDocument/hover', { textDocument }, 'needs `position`, with the numbers `line` and `character`'],
    ['textDocument/rename', { textDocument, position }, 'needs `newName`, a text'],
    ['textDocument/selectionRange', { textDocument, positions: [null] }, 'needs `positions`, a list of positions'],
    ['textDocument/inlayHint', { textDocument }, 'needs `range`, with the positions `start` and `end`'],
    ['textDocument/documentSymbol', {}, 'needs `textDocument.uri`, a text'],
    ['workspace/symbol', {}, 'needs `query`, a text'],
    ['workspace/executeCommand', {}, 'needs `command`, a text'],
    ['callHierarchy/incomingCalls', { item: {} }, 'needs `item`, as the server has given it'],
    ['workspace/willRenameFiles', { files: [{}] }, 'needs `files`, a list with the texts `oldUri` and `newUri`'],
  ];
  for (const [method, params, lack] of lacks)
    await expect(client.request(method, params)).rejects.toMatchObject({
      code: -32602,
      message: `\`${method}\` ${lack}`,
    });
  for (const text of ['{"a":', '{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":null}}', 'null', '[]'])
    client.toServer.write(`Content-Length: ${text.length}\r\n\r\n${text}`);
  expect(await client.request('textDocument/hover', { textDocument, position })).not.toBeNull();
  expect(client.exits).toEqual([]);
});

test('any text: halves of lines, NUL, lone surrogates, CRLF, a byte order mark, deep nesting', async () => {
  const { client, uri, textDocument } = await opened();
  const texts = [
    '',
    '\0',
    '\uD800',
    `\uFEFF${FLOW}`,
    FLOW.replaceAll('\n', '\r\n'),
    `${'('.repeat(20_000)}`,
    `STATE: A\n  IF: ${'('.repeat(5000)}`,
    ...Array.from({ length: 40 }, (_, part) => FLOW.slice(0, Math.floor((FLOW.length * part) / 40))),
  ];
  let version = 1;
  for (const text of texts) {
    client.change(uri, ++version, [{ text }]);
    const lines = text.split('\n');
    const report = await client.diagnostics(uri, (sent) => sent.version === version);
    for (const { range } of report.diagnostics) {
      expect(range.end.line).toBeLessThanOrEqual(lines.length);
      expect(range.start.line).toBeLessThanOrEqual(range.end.line);
    }
    for (const method of ['hover', 'completion', 'definition', 'signatureHelp'])
      await client.request(`textDocument/${method}`, { textDocument, position: at(3, 9) });
    for (const method of ['documentSymbol', 'foldingRange', 'semanticTokens/full', 'codeLens'])
      await client.request(`textDocument/${method}`, { textDocument });
    await client.request('textDocument/selectionRange', { textDocument, positions: [at(1, 3)] });
  }
  expect(client.logged).toEqual([]);
});

test('a plan is simulated as `plan simulate` does, and nothing else is', async () => {
  const call = { _tool: 'look', _outputPath: '†state.seen' };
  const tools = { 'tools.yaml': 'look:\n  run: [echo, "1"]\n' };
  const client = new Client({ ...tools, 'see.plan.json': JSON.stringify([call]) });
  await client.start();
  const uri = client.open('see.plan.json', JSON.stringify([call, { ...call, _outputPath: '†state.again' }]), 'json');
  const execute = (given: object) =>
    client.request('workspace/executeCommand', { command: 'statedsl.plan.simulate', arguments: [given] });
  expect((await execute({ uri })).text).toContain('2');
  await expect(execute({ uri, more: 1 })).rejects.toThrow('takes one argument: {uri}');
  const program = client.open('flow.dsl', 'DO: true\n');
  await expect(execute({ uri: program })).rejects.toThrow('the document is not a plan');
  client.change(uri, 2, [{ text: '[{' }]);
  await expect(execute({ uri })).rejects.toThrow('the document has errors');
});

test('a byte order mark moves no column of the first line', async () => {
  const { client, uri, textDocument } = await opened('\uFEFFDO: x = echo {missing}\nRETURN: {x}\n');
  const { diagnostics } = await client.diagnostics(uri);
  expect(diagnostics).toMatchObject([{ range: { start: at(0, 15), end: at(0, 22) } }]);
  expect(await client.request('textDocument/definition', { textDocument, position: at(1, 9) })).toEqual([
    { uri, range: { start: at(0, 5), end: at(0, 6) } },
  ]);
});

test('the messages and the formatting of all cases are those of the commands', async () => {
  const client = new Client();
  await client.start();
  const { folder } = client;
  const host = { folder, files: diskFiles, allowOutside: false, environment: process.env };
  const lookups = { agents: agentLookup(noConfiguration, {}), ...gateLookup(noConfiguration, folder), worktree: false };
  const calls = toolLookup(host, noConfiguration, { cwd: folder });
  const texts = [...casesOf('check'), ...casesOf('format')]
    .map(programOf)
    .filter(({ name, markdown }) => markdown || name.endsWith('.dsl'));
  const uris = ['checked.dsl', 'checked.md'].map((name) => client.open(name, ''));
  const versions = [1, 1];
  for (const { text, markdown } of texts.filter((_, at) => at % amount(20, 7) === 0)) {
    const which = markdown ? 1 : 0;
    const [name, uri] = [markdown ? 'checked.md' : 'checked.dsl', uris[which] as string];
    versions[which] = (versions[which] as number) + 1;
    client.change(uri, versions[which] as number, [{ text }]);
    const sent = await client.diagnostics(uri, ({ version }) => version === versions[which]);
    const { diagnostics, sources, program } = await compileProgram(
      host,
      { name, text },
      { cwd: folder, configuration: noConfiguration, lookups, calls, index: true },
    );
    const expected = diagnosticsJson(diagnostics, sources)
      .filter(({ file }) => file === name)
      .map(({ code, line, column, end_line, end_column, message, help }) => ({
        code,
        from: [line, column],
        to: [end_line, end_column],
        message: help === null ? message : `${message}\nhelp: ${help}`,
      }));
    const isProse = markdown && program?.items.length === 0 && expected.every(({ code }) => code === 'nothing-to-run');
    const got = sent.diagnostics.map(({ code, range: { start, end }, message }) => ({
      code,
      from: [start.line + 1, start.character + 1],
      to: [end.line + 1, end.character + 1],
      message,
    }));
    expect(got, text).toEqual(isProse ? [] : expected);
    const edits: { range: { start: { line: number }; end: { line: number } }; newText: string }[] | null =
      await client.request('textDocument/formatting', { textDocument: { uri }, options: {} });
    const { text: formatted } = await formatText(text, name);
    if (formatted === null) {
      expect(edits).toBeNull();
      continue;
    }
    const lines = text.split(/(?<=\n)/);
    for (const { range, newText } of [...(edits ?? [])].reverse()) {
      const last = range.end as { line: number; character: number };
      const rest = last.character > 0 ? (lines[last.line] ?? '').slice(last.character) : '';
      lines.splice(range.start.line, last.line - range.start.line + (last.character > 0 ? 1 : 0), newText + rest);
    }
    expect(lines.join(''), text).toBe(formatted);
  }
});
