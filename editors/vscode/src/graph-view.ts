/** The view *Graph*: the states of the program in the editor, or of the shown run, whose current state is lit. */
import * as vscode from 'vscode';
import type { LanguageServer } from './language-server.js';
import type { ShownRun } from './shown-run.js';

interface SentRange {
  readonly start: { readonly line: number; readonly character: number };
}

interface SentGraph {
  readonly nodes: readonly {
    readonly id: string;
    readonly label: string;
    readonly kind: string;
    readonly range: SentRange;
  }[];
  readonly edges: readonly {
    readonly from: string;
    readonly to: string;
    readonly label: string;
    readonly range: SentRange;
  }[];
}

class GraphView implements vscode.WebviewViewProvider {
  private view: vscode.WebviewView | null = null;
  private uri: vscode.Uri | null = null;
  private turn = 0;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly server: LanguageServer,
    private readonly shown: ShownRun,
  ) {}

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    const media = vscode.Uri.joinPath(this.extension, 'media');
    view.webview.options = { enableScripts: true, localResourceRoots: [media] };
    const source = (name: string): vscode.Uri => view.webview.asWebviewUri(vscode.Uri.joinPath(media, name));
    view.webview.html = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${view.webview.cspSource}; script-src ${view.webview.cspSource}">
<link rel="stylesheet" href="${source('graph.css')}"></head>
<body><p id="nothing">No program is open.</p><svg id="graph"></svg><script src="${source('graph.js')}"></script></body></html>`;
    view.webview.onDidReceiveMessage((message: { go?: SentRange; ready?: true }) => {
      if (message.ready === true) void this.draw();
      else if (message.go !== undefined) void this.go(message.go);
    });
    view.onDidChangeVisibility(() => void this.draw());
    view.onDidDispose(() => {
      this.view = null;
    });
  }

  private get program(): vscode.Uri | null {
    const active = vscode.window.activeTextEditor?.document;
    const isProgram = active !== undefined && (active.languageId === 'statedsl' || active.languageId === 'markdown');
    return isProgram ? active.uri : (this.shown.program ?? this.uri);
  }

  async draw(): Promise<void> {
    const { view, program } = this;
    if (view === null || !view.visible || program === null) return;
    this.turn++;
    const { turn } = this;
    const graph = await this.graphOf(program);
    // A newer one may be drawn already.
    if (turn !== this.turn || graph === null) return;
    this.uri = program;
    const isOfRun = this.shown.program?.toString() === program.toString();
    await view.webview.postMessage({ graph, state: isOfRun ? this.shown.state : null });
  }

  private async graphOf(uri: vscode.Uri): Promise<SentGraph | null> {
    try {
      // The server answers about open documents.
      await vscode.workspace.openTextDocument(uri);
      return await this.server.ask<SentGraph>('statedsl/graph', { textDocument: { uri: uri.toString() } });
    } catch {
      return null;
    }
  }

  private async go({ start: { line, character } }: SentRange): Promise<void> {
    if (this.uri === null) return;
    const position = new vscode.Position(line, character);
    await vscode.window.showTextDocument(this.uri, { selection: new vscode.Range(position, position) });
  }
}

/** How long nobody types before the graph is drawn again, in milliseconds. */
const PAUSE_MS = 400;

export function registerGraph(
  context: vscode.ExtensionContext,
  server: LanguageServer,
  shown: ShownRun,
): vscode.Disposable[] {
  const view = new GraphView(context.extensionUri, server, shown);
  let timer: NodeJS.Timeout | undefined;
  const later = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void view.draw(), PAUSE_MS);
  };
  return [
    vscode.window.registerWebviewViewProvider('statedsl.graph', view),
    vscode.window.onDidChangeActiveTextEditor(later),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document === vscode.window.activeTextEditor?.document) later();
    }),
    shown.onChange(() => void view.draw()),
    new vscode.Disposable(() => clearTimeout(timer)),
  ];
}
