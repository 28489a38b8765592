/** The language server and its client: started, started again, and what it says about itself. */
import * as vscode from 'vscode';
import { LanguageClient, RevealOutputChannelOn } from 'vscode-languageclient/node';
import { differsInMajor } from './installation.js';
import type { Workspace } from './workspace.js';

/** How often a server that dies is started again within three minutes. */
const RESTARTS = 5;

export class LanguageServer implements vscode.Disposable {
  private client: LanguageClient | null = null;
  private last: Promise<unknown> = Promise.resolve();
  private hasWarned = false;
  private readonly status = vscode.languages.createLanguageStatusItem('statedsl', { language: 'statedsl' });
  private readonly log = vscode.window.createOutputChannel('statedsl', { log: true });

  constructor(private readonly workspace: Workspace) {
    this.status.name = 'statedsl';
    this.status.command = { command: 'statedsl.showLog', title: 'Show log' };
  }

  showLog(): void {
    this.log.show();
  }

  /** One after the other: two clients of one window would show everything twice. */
  restart(): Promise<void> {
    const started = this.last.then(() => this.startAgain());
    this.last = started.catch(() => undefined);
    return started;
  }

  private async startAgain(): Promise<void> {
    await this.stop();
    this.workspace.forget();
    const { version, from, root } = this.workspace.installation;
    this.log.info(`statedsl ${version} of ${from}: ${root}`);
    this.status.text = `statedsl ${version}`;
    this.status.detail = `of ${from}`;
    this.status.severity = vscode.LanguageStatusSeverity.Information;
    this.warnOfVersion(version, from);
    const { command, args, env } = this.workspace.commandLine('lsp', '--stdio');
    const cwd = this.workspace.folders[0]?.uri.fsPath;
    const options = { env: { ...process.env, ...env }, ...(cwd === undefined ? {} : { cwd }) };
    const client = new LanguageClient(
      'statedsl',
      'statedsl',
      { command, args: [...args], options },
      {
        documentSelector: selector(),
        initializationOptions: {
          trusted: vscode.workspace.isTrusted,
          ...vscode.workspace.getConfiguration('statedsl'),
        },
        synchronize: { configurationSection: 'statedsl' },
        outputChannel: this.log,
        revealOutputChannelOn: RevealOutputChannelOn.Never,
        connectionOptions: { maxRestartCount: RESTARTS },
      },
    );
    this.client = client;
    try {
      await client.start();
    } catch (cause) {
      this.status.severity = vscode.LanguageStatusSeverity.Error;
      this.status.text = 'statedsl: the language server does not start';
      this.log.error(String(cause));
    }
  }

  private warnOfVersion(version: string, from: string): void {
    const own = (this.workspace.context.extension.packageJSON as { version: string }).version;
    if (this.hasWarned || !differsInMajor(version, own)) return;
    this.hasWarned = true;
    void vscode.window.showWarningMessage(
      `statedsl ${version} of ${from} and this extension, ${own}, may not understand each other`,
    );
  }

  async ask<Answer>(method: string, params: object): Promise<Answer | null> {
    await this.last;
    if (this.client?.isRunning() !== true) return null;
    return this.client.sendRequest<Answer>(method, params);
  }

  private async stop(): Promise<void> {
    const { client } = this;
    this.client = null;
    await client?.dispose();
  }

  dispose(): void {
    this.status.dispose();
    this.log.dispose();
  }

  async close(): Promise<void> {
    await this.last;
    await this.stop();
  }
}

function selector() {
  const workflows = vscode.workspace.getConfiguration('statedsl').get<string[]>('workflowFiles', []);
  return [
    { language: 'statedsl' },
    { scheme: 'file', language: 'markdown' },
    ...workflows.map((pattern) => ({ scheme: 'file', pattern })),
    ...['**/*.plan.json', '**/statedsl.config.yaml', '**/tools.yaml'].map((pattern) => ({ scheme: 'file', pattern })),
  ];
}
