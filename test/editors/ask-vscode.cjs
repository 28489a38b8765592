/** Asks VS Code what it shows of the programs of the workspace, and writes the answers as JSON. */
const { existsSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const vscode = require('vscode');

const { STATEDSL_SAID: said, STATEDSL_WORKSPACE: workspace } = process.env;
const { commands, debug, languages, tasks, window } = vscode;

const uriOf = (name) => vscode.Uri.file(join(workspace, name));
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits for a fact. The limit only ends a wait for one that does not come. */
async function until(what, holds, limit = 90_000) {
  for (let left = limit; left > 0; left -= 50) {
    const value = await holds();
    if (value) return value;
    await pause(50);
  }
  throw new Error(`waited in vain for ${what}`);
}

async function open(name) {
  const document = await vscode.workspace.openTextDocument(uriOf(name));
  await window.showTextDocument(document, { preview: false });
  return document;
}

const at = (line, character) => new vscode.Position(line, character);
const lineText = (text) => text.split('\n')[0];
const textOf = ({ value }) => value;

function messagesOf(uri) {
  return languages.getDiagnostics(uri).map(({ range, code, message, source }) => {
    const name = typeof code === 'object' ? code.value : code;
    return `${range.start.line + 1} ${source} ${name}: ${lineText(message)}`;
  });
}

const messages = (uri) => until(`messages about ${uri.path}`, () => (messagesOf(uri).length > 0 ? messagesOf(uri) : null));

/** Edits of one file, applied to its text. */
function edited(text, edits) {
  const lines = text.split('\n');
  const offset = ({ line, character }) => lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0) + character;
  return [...edits]
    .sort((one, other) => offset(other.range.start) - offset(one.range.start))
    .reduce((all, { range, newText }) => all.slice(0, offset(range.start)) + newText + all.slice(offset(range.end)), text);
}

async function askLanguage(out) {
  const document = await open('flow.dsl');
  out.language = (await until('the language', () => vscode.workspace.textDocuments.find(({ uri, languageId }) => uri.path === document.uri.path && languageId === 'statedsl'))).languageId;
  const { uri } = document;
  const ask = (command, ...more) => commands.executeCommand(command, uri, ...more);
  out.messages = await messages(uri);
  out.hover = (await ask('vscode.executeHoverProvider', at(3, 7))).flatMap(({ contents }) => contents.map(textOf));
  out.definition = (await ask('vscode.executeDefinitionProvider', at(6, 11))).map((one) => (one.range ?? one.targetRange).start.line);
  out.references = (await ask('vscode.executeReferenceProvider', at(1, 8))).length;
  const list = await ask('vscode.executeCompletionItemProvider', at(4, 10));
  out.completion = list.items.filter(({ kind }) => kind === vscode.CompletionItemKind.Class).map(({ label }) => label);
  out.outline = (await ask('vscode.executeDocumentSymbolProvider')).map(({ name, children }) => `${name}(${children.length})`);
  out.tokens = (await ask('vscode.provideDocumentSemanticTokens')).data.length / 5;
  out.lenses = (await ask('vscode.executeCodeLensProvider')).map(({ command }) => command.title);
  out.folding = (await ask('vscode.executeFoldingRangeProvider')).length;
  const calls = await ask('vscode.prepareCallHierarchy', at(5, 8));
  out.callers = (await commands.executeCommand('vscode.provideIncomingCalls', calls[0])).map(({ from }) => from.name);
  const actions = await ask('vscode.executeCodeActionProvider', new vscode.Range(3, 2, 3, 5));
  out.actions = actions.filter(({ kind }) => kind?.value === 'quickfix').map(({ title }) => title);
  await vscode.workspace.applyEdit(actions.find(({ kind }) => kind?.value === 'quickfix').edit);
  await until('no messages', () => messagesOf(uri).every((one) => !one.includes('IFF')));
  out.formatted = edited(document.getText(), await ask('vscode.executeFormatDocumentProvider', { tabSize: 2, insertSpaces: true }));
  const rename = await ask('vscode.executeDocumentRenameProvider', at(3, 6), 'list');
  out.renamed = edited(document.getText(), rename.entries()[0][1]);
  const refused = await ask('vscode.executeDocumentRenameProvider', at(3, 6), 'dir').then(() => null, (error) => error.message);
  out.refused = refused;
  await commands.executeCommand('workbench.action.files.revert');
  await messages(uri);
  await scene('program');
}

async function askOthers(out) {
  const empty = await open('empty.dsl');
  out.empty = await messages(empty.uri);
  out.markdown = await messages((await open('page.md')).uri);
  out.workflow = await messages((await open('workflows/wrong.yaml')).uri);
  const gone = await open('gone.dsl');
  await messages(gone.uri);
  rmSync(gone.uri.fsPath);
  out.gone = (await commands.executeCommand('vscode.executeHoverProvider', gone.uri, at(0, 7))).length >= 0;
  await commands.executeCommand('workbench.action.closeActiveEditor');
  const long = await open('long.dsl');
  out.long = (await until('the outline of a long file', async () => {
    const found = await commands.executeCommand('vscode.executeDocumentSymbolProvider', long.uri);
    return found?.length > 0 ? found : null;
  })).length;
  const other = await open('other.dsl');
  await pause(500);
  out.otherLanguage = vscode.workspace.textDocuments.find(({ uri }) => uri.path === other.uri.path).languageId;
}

/** Lets the one who looks at the window note what it shows now. */
async function scene(name) {
  writeFileSync(`${said}.part`, name);
  renameSync(`${said}.part`, `${said}.scene`);
  await until('somebody who looks', () => !existsSync(`${said}.scene`), 300_000);
}

/** Watches what the adapter says. */
function watchSession(said) {
  return debug.registerDebugAdapterTrackerFactory('statedsl', {
    createDebugAdapterTracker: () => ({
      onDidSendMessage: ({ type, event, body, command }) => {
        if (type === 'event') said.push({ event, ...body });
        if (type === 'response' && command === 'stackTrace') said.push({ event: 'stack', frames: body?.stackFrames });
      },
    }),
  });
}

class Debugged {
  constructor() {
    this.said = [];
    this.tracker = watchSession(this.said);
  }

  count(event) {
    return this.said.filter((one) => one.event === event).length;
  }

  /** Does something, and waits for the next stop; gives its reason and line. */
  async stop(act) {
    const before = this.count('stopped');
    await act();
    await until('a stop', () => this.count('stopped') > before || this.count('terminated') > 0);
    if (this.count('stopped') === before) throw new Error(`the run ended: ${JSON.stringify(this.said.slice(-6))}`);
    const { reason } = this.said.filter(({ event }) => event === 'stopped').at(-1);
    const session = await until('a session', () => debug.activeDebugSession);
    const { stackFrames } = await session.customRequest('stackTrace', { threadId: 1 });
    return `${reason} ${stackFrames[0].line}`;
  }

  async value(expression) {
    const session = debug.activeDebugSession;
    const { stackFrames } = await session.customRequest('stackTrace', { threadId: 1 });
    const { result } = await session.customRequest('evaluate', { expression, frameId: stackFrames[0].id, context: 'watch' });
    return result;
  }

  async end() {
    await until('its end', () => this.count('terminated') > 0);
    await until('no session', () => debug.activeDebugSession === undefined);
    this.tracker.dispose();
  }

  get printed() {
    return this.said.filter(({ event, category }) => event === 'output' && category !== 'telemetry').map(({ output }) => output).join('');
  }
}

const press = (name) => () => commands.executeCommand(`workbench.action.debug.${name}`);
const breakpoint = (name, line, ...more) =>
  new vscode.SourceBreakpoint(new vscode.Location(uriOf(name), at(line - 1, 0)), true, ...more);

async function askDebugger(out) {
  await open('loop.dsl');
  const run = new Debugged();
  debug.addBreakpoints([
    breakpoint('loop.dsl', 6, 'seen == 2'),
    breakpoint('loop.dsl', 5, undefined, undefined, 'round {seen}'),
  ]);
  out.stops = [
    await run.stop(() => debug.startDebugging(vscode.workspace.workspaceFolders[0], { type: 'statedsl', request: 'launch', name: 'loop', program: 'loop.dsl', inputs: { top: 4 } })),
    await run.stop(press('stepOver')),
    await run.stop(press('stepBack')),
    await run.stop(press('stepOver')),
  ];
  out.seen = await run.value('seen');
  const session = debug.activeDebugSession;
  const { stackFrames } = await session.customRequest('stackTrace', { threadId: 1 });
  const { scopes } = await session.customRequest('scopes', { frameId: stackFrames[0].id });
  const tracked = scopes.find(({ name }) => name === 'Tracked');
  out.set = (await session.customRequest('setVariable', { variablesReference: tracked.variablesReference, name: 'seen', value: '4' })).value;
  debug.removeBreakpoints(debug.breakpoints);
  await press('continue')();
  await run.end();
  out.logged = run.said.filter(({ event, output }) => event === 'output' && /^round/.test(output)).map(({ output }) => output.trim());
  out.loopEnd = run.printed.trim().split('\n').at(-1);
  out.left = vscode.debug.activeDebugSession === undefined;
}

async function askFailure(out) {
  const run = new Debugged();
  await open('fails.dsl');
  const start = () => commands.executeCommand('statedsl.debug', { uri: uriOf('fails.dsl').toString() });
  out.failure = await run.stop(start);
  for (const view of ['runs', 'timeline', 'graph']) await commands.executeCommand(`statedsl.${view}.focus`);
  await scene('views');
  await press('continue')();
  await run.end();
  out.failed = /error\[failed\]|exit 1/.test(run.printed);
  const { run: id } = run.said.find(({ event }) => event === 'statedsl/run');
  const past = new Debugged();
  const folder = vscode.workspace.workspaceFolders[0];
  const look = { type: 'statedsl', request: 'launch', name: 'past', run: id };
  out.opened = await past.stop(() => debug.startDebugging(folder, look));
  out.past = await past.value('word');
  out.wentTo = await past.stop(() => commands.executeCommand('statedsl.timeline.go', { seq: 2 }));
  await press('stop')();
  await past.end();
}

async function askTests(out) {
  await open('hello.test.dsl');
  await commands.executeCommand('workbench.view.testing.focus');
  await commands.executeCommand('testing.runAll');
  await scene('tests');
}

async function askTask(out) {
  out.tasks = (await tasks.fetchTasks({ type: 'statedsl' }))
    .filter(({ name }) => /^(?:check|run) all/.test(name))
    .map(({ name, execution }) => `${name} ${execution.args.includes('hello.dsl')}`);
  const ended = new Promise((resolve) => {
    const watch = tasks.onDidEndTaskProcess(({ exitCode, execution }) => {
      watch.dispose();
      resolve(`${execution.task.name} ${exitCode}`);
    });
  });
  await commands.executeCommand('statedsl.run', { uri: uriOf('hello.dsl').toString() });
  out.task = await ended;
}

/** A folder that nobody trusts: programs are shown, and nothing runs. */
async function askRestricted(out) {
  const { uri } = await open('loop.dsl');
  out.outline = await until('the outline', async () => (await commands.executeCommand('vscode.executeDocumentSymbolProvider', uri))?.map(({ name }) => name));
  out.hover = (await commands.executeCommand('vscode.executeHoverProvider', uri, at(3, 10))).flatMap(({ contents }) => contents.map(textOf));
  out.lenses = (await commands.executeCommand('vscode.executeCodeLensProvider', uri)).map(({ command }) => command.title);
  const begun = [];
  const watches = [tasks.onDidStartTask(() => begun.push('task')), debug.onDidStartDebugSession(() => begun.push('session'))];
  await commands.executeCommand('statedsl.run', { uri: uri.toString() });
  await scene('restricted');
  // VS Code asks the person to trust the folder, and nobody answers.
  void debug.startDebugging(vscode.workspace.workspaceFolders[0], { type: 'statedsl', request: 'launch', name: 'hello', program: 'hello.dsl' });
  await pause(1000);
  out.begun = begun;
  for (const watch of watches) watch.dispose();
}

const TRUSTED = { askLanguage, askOthers, askDebugger, askFailure, askTask, askTests };

exports.activate = async () => {
  const out = { vscode: vscode.version };
  const only = process.env.STATEDSL_ONLY || '';
  try {
    const extension = await until('the extension', () => vscode.extensions.getExtension('statedsl.statedsl'));
    const begun = Date.now();
    await extension.activate();
    out.activated = Date.now() - begun;
    if (only === 'start') {
      const again = Date.now();
      await commands.executeCommand('statedsl.restartServer');
      out.restarted = Date.now() - again;
    }
    out.isTrusted = vscode.workspace.isTrusted;
    for (const [name, part] of Object.entries(out.isTrusted ? TRUSTED : { askRestricted })) {
      if (!name.toLowerCase().includes(only.toLowerCase())) continue;
      const start = Date.now();
      out.part = name;
      await part(out);
      out.times = { ...out.times, [name]: Date.now() - start };
    }
  } catch (error) {
    out.error = String(error.stack ?? error);
  }
  writeFileSync(`${said}.part`, JSON.stringify(out, null, 1));
  renameSync(`${said}.part`, said);
};
