/** The extension: it wires VS Code to the language server, the debugger and the runs of statedsl, and analyzes nothing. */
import * as vscode from 'vscode';
import { registerDebugger } from './debugging.js';
import { registerGraph } from './graph-view.js';
import { LanguageServer } from './language-server.js';
import { registerTasks } from './running.js';
import { registerRuns } from './runs-view.js';
import { ShownRun } from './shown-run.js';
import { registerTests } from './testing.js';
import { registerTimeline } from './timeline-view.js';
import { Workspace } from './workspace.js';

/** Other languages have files that end in `.dsl`, too. */
const OURS =
  /^(?:STATE|INPUT|TRACK|IMPORT|PATTERN|MACHINE|TITLE|LIMIT|TESTS?|STEP|DO|CHECK|ASK|EMIT|RETURN|GOTO|IF|SET)\b.*?(?::|$)/m;

function claim(document: vscode.TextDocument): void {
  if (document.languageId === 'statedsl' || !/\.dsl$/i.test(document.uri.path)) return;
  const text = document.getText();
  if (text.trim() === '' || OURS.test(text)) void vscode.languages.setTextDocumentLanguage(document, 'statedsl');
}

/** Shows a text that the server makes of a document. */
async function showText(server: LanguageServer, command: string, language: (uri: vscode.Uri) => string): Promise<void> {
  const uri = vscode.window.activeTextEditor?.document.uri;
  if (uri === undefined) return;
  try {
    const params = { command, arguments: [{ uri: uri.toString() }] };
    const answer = await server.ask<{ text: string }>('workspace/executeCommand', params);
    if (answer === null) return;
    const document = await vscode.workspace.openTextDocument({ content: answer.text, language: language(uri) });
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true });
  } catch (cause) {
    void vscode.window.showInformationMessage(`statedsl: ${(cause as Error).message}`);
  }
}

let running: LanguageServer | null = null;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const workspace = new Workspace(context);
  const server = new LanguageServer(workspace);
  const shown = new ShownRun(workspace);
  running = server;
  const { commands } = vscode;
  context.subscriptions.push(
    server,
    ...registerDebugger(workspace),
    ...registerTasks(workspace),
    ...registerTests(workspace),
    shown,
    ...registerRuns(workspace, shown),
    ...registerTimeline(shown),
    ...registerGraph(context, server, shown),
    commands.registerCommand('statedsl.restartServer', () => server.restart()),
    commands.registerCommand('statedsl.showLog', () => server.showLog()),
    commands.registerCommand('statedsl.showConverted', () =>
      showText(server, 'statedsl.convert', ({ path }) => (/\.ya?ml$/.test(path) ? 'statedsl' : 'yaml')),
    ),
    commands.registerCommand('statedsl.showExplanation', () => showText(server, 'statedsl.explain', () => 'plaintext')),
    vscode.workspace.onDidOpenTextDocument(claim),
    vscode.workspace.onDidGrantWorkspaceTrust(() => server.restart()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('statedsl.path') || change.affectsConfiguration('statedsl.workflowFiles'))
        void server.restart();
    }),
  );
  for (const document of vscode.workspace.textDocuments) claim(document);
  await server.restart();
}

export async function deactivate(): Promise<void> {
  await running?.close();
}
