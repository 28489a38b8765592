/** A client of the language server in the same process. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import { startServer } from '../../src/editor/lsp/language-server.js';

export interface Sent {
  readonly uri: string;
  readonly version?: number;
  readonly diagnostics: readonly {
    readonly code: string;
    readonly message: string;
    readonly severity: number;
    readonly range: { start: { line: number; character: number }; end: { line: number; character: number } };
    readonly data?: unknown;
  }[];
}

export class Client {
  readonly folder: string;
  readonly published: Sent[] = [];
  readonly logged: string[] = [];
  readonly exits: number[] = [];
  readonly toServer = new PassThrough();
  private readonly fromServer = new PassThrough();
  private readonly connection;
  private waiting: (() => void)[] = [];

  constructor(files: Readonly<Record<string, string>> = {}) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'statedsl-editor-')));
    for (const [name, text] of Object.entries(files)) this.write(name, text);
    startServer({
      reader: new StreamMessageReader(this.toServer),
      writer: new StreamMessageWriter(this.fromServer),
      environment: process.env,
      exit: (code) => this.exits.push(code),
    });
    this.connection = createProtocolConnection(
      new StreamMessageReader(this.fromServer),
      new StreamMessageWriter(this.toServer),
    );
    this.connection.onNotification('textDocument/publishDiagnostics', (sent: Sent) => {
      this.published.push(sent);
      for (const wake of this.waiting.splice(0)) wake();
    });
    this.connection.onNotification(
      'window/logMessage',
      ({ message }: { message: string }) => void this.logged.push(message),
    );
    this.connection.listen();
    onTestFinished(async () => {
      // What is on its way is read before the ends are closed.
      await new Promise((resolve) => setImmediate(resolve));
      this.connection.dispose();
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(join(this.folder, name)), { recursive: true });
    writeFileSync(join(this.folder, name), text);
  }

  uri(name: string): string {
    return pathToFileURL(join(this.folder, name)).href;
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers have the form that each test expects
  request(method: string, params: unknown): Promise<any> {
    return this.connection.sendRequest(method, params);
  }

  notify(method: string, params: unknown): void {
    void this.connection.sendNotification(method, params as object).catch(() => undefined);
  }

  cancelling(method: string, params: unknown) {
    const source = { isCancellationRequested: false, listeners: [] as ((e: unknown) => void)[] };
    const token = {
      get isCancellationRequested() {
        return source.isCancellationRequested;
      },
      onCancellationRequested: (listener: (e: unknown) => void) => {
        source.listeners.push(listener);
        return { dispose: () => undefined };
      },
    };
    const answer = this.connection.sendRequest(method, params, token as never);
    return {
      answer,
      cancel: () => {
        source.isCancellationRequested = true;
        for (const listener of source.listeners) listener(undefined);
      },
    };
  }

  async start(capabilities: object = {}, more: object = {}) {
    const result = await this.request('initialize', {
      processId: process.pid,
      rootUri: pathToFileURL(this.folder).href,
      capabilities,
      ...more,
    });
    this.notify('initialized', {});
    return result;
  }

  open(name: string, text: string, languageId = 'statedsl', version = 1): string {
    const uri = name.includes(':') ? name : this.uri(name);
    this.notify('textDocument/didOpen', { textDocument: { uri, languageId, version, text } });
    return uri;
  }

  change(uri: string, version: number, contentChanges: readonly object[]): void {
    this.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges });
  }

  /** The last message about a document that fits. */
  async diagnostics(uri: string, fits: (sent: Sent) => boolean = () => true): Promise<Sent> {
    for (;;) {
      const found = this.published.findLast((sent) => sent.uri === uri && fits(sent));
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }
}
