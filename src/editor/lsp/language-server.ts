/**
 * The language server: the protocol on one side, questions about open programs on the other. It runs no command, changes no
 * file and opens no connection.
 */
import {
  type CancellationToken,
  ErrorCodes,
  type InitializeParams,
  type InitializeResult,
  LSPErrorCodes,
  type Message,
  type MessageReader,
  MessageType,
  type MessageWriter,
  type Position,
  type Range,
  ResponseError,
} from 'vscode-languageserver-protocol';
import { createProtocolConnection } from 'vscode-languageserver-protocol/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { VERSION } from '../../runtime/version.js';
import { prepare } from '../ide/outline.js';
import type { RenameRefusal } from '../ide/rename.js';
import { Answers } from './answers.js';
import type { TextParams } from './asking.js';
import { readSettings } from './client-settings.js';
import { type Analysis, Documents, filePath, type OpenDocument, unread } from './documents.js';
import { sentDiagnostic, type UriOf } from './protocol.js';
import { lackOf } from './request-forms.js';
import { capabilitiesFor } from './server-capabilities.js';

export interface ServerOptions {
  readonly reader: MessageReader;
  readonly writer: MessageWriter;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Called once, with the exit code of the process. */
  readonly exit: (code: number, error?: Error) => void;
  readonly log?: (text: string) => void;
}

/** A request that took longer may have been cancelled meanwhile, in milliseconds. */
const LONG_MS = 20;
/** How long nobody types before answers are prepared, in milliseconds. */
const PAUSE_MS = 30;
/** How often the server looks for its client, in milliseconds. */
const CLIENT_MS = 3_000;

/** How long answers may take after the input has ended, in milliseconds; and for how many turns nothing may happen before. */
const LAST_MS = 3_000;
const QUIET_TURNS = 8;
const HEADER_ERROR = /^(?:Header|Message header|Content-Length) /;

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

type Handler = (params: never) => unknown;

export function startServer(options: ServerOptions): void {
  new Server(options).listen();
}

class Server {
  private readonly connection;
  private documents!: Documents;
  private answers!: Answers;
  private state: 'new' | 'running' | 'shut down' = 'new';
  private isOver = false;
  /** Nothing can be sent any more but answers. */
  private hasNoInput = false;
  /** How many messages have come, and how many requests are not answered yet. */
  private readonly count = { taken: 0, open: 0 };
  private client = { pulls: false, watches: false, refreshes: false, configures: false };
  private readonly typing = new Map<string, NodeJS.Timeout>();
  private watch: NodeJS.Timeout | undefined;
  private pause: NodeJS.Timeout | undefined;

  constructor(private readonly options: ServerOptions) {
    this.connection = createProtocolConnection(options.reader, options.writer);
  }

  listen(): void {
    const { connection, options } = this;
    options.reader.onError((error) => this.misread(error));
    options.reader.onClose(() => void this.endOfInput());
    connection.onError(([error]) => this.log(error));
    connection.onRequest('initialize', (params: InitializeParams) => this.initialize(params));
    connection.onNotification('initialized', () => {
      this.watchFiles();
      if (this.client.configures) void this.askSettings();
    });
    connection.onRequest('shutdown', () => {
      this.state = 'shut down';
      return null;
    });
    connection.onNotification('exit', () => this.end(this.endCode));
    this.take(
      'textDocument/didOpen',
      (params: { textDocument: { uri: string; languageId: string; version: number; text: string } }) => {
        const { uri, languageId, version, text } = params.textDocument;
        const document = this.documents.add(uri, languageId, version, text);
        void this.publish(document);
        this.publishUndecided(document);
      },
    );
    this.take(
      'textDocument/didChange',
      (params: {
        textDocument: { uri: string; version: number };
        contentChanges: { text: string; range?: Range }[];
      }) => {
        const document = this.documents.get(params.textDocument.uri);
        if (document === undefined) return;
        clearTimeout(this.pause);
        const changes = params.contentChanges.filter(({ range }) => range === undefined || isRange(range));
        document.text = TextDocument.update(document.text, changes, params.textDocument.version);
        const [only, more] = changes;
        const isTyped =
          only?.range !== undefined && more === undefined && only.range.start.line === only.range.end.line;
        void this.publish(document, isTyped && !only.text.includes('\n') ? only.range?.start.line : undefined);
      },
    );
    this.take('textDocument/didSave', ({ textDocument: { uri } }: TextParams) => {
      this.documents.forget();
      this.answers.forgetFiles();
      const document = this.documents.get(uri);
      if (document === undefined) return;
      this.documents.renew(document);
      void this.publish(document);
      this.publishUndecided(document);
      if (document.path !== null) this.publishUsers(document.path);
    });
    this.take('textDocument/didClose', ({ textDocument: { uri } }: TextParams) => {
      clearTimeout(this.typing.get(uri));
      this.typing.delete(uri);
      this.documents.remove(uri);
      this.answers.forgetTokens(uri);
      this.answers.forgetFiles();
      if (!this.client.pulls)
        void connection.sendNotification('textDocument/publishDiagnostics', { uri, diagnostics: [] });
    });
    this.take('workspace/didChangeWatchedFiles', ({ changes }: { changes: { uri: string }[] }) => {
      this.answers.forgetFiles();
      const isConfigured = changes.some(({ uri }) => /statedsl\.config\.yaml$|tools\.yaml$/.test(uri));
      const paths = changes.flatMap(({ uri }) => filePath(uri) ?? []);
      const users = isConfigured ? this.documents.all() : paths.flatMap((path) => this.documents.usersOf(path));
      this.documents.forget();
      for (const document of new Set(users)) {
        this.documents.renew(document);
        void this.publish(document);
      }
      if (this.client.pulls && this.client.refreshes)
        void connection.sendRequest('workspace/diagnostic/refresh').catch(() => undefined);
    });
    this.take('workspace/didChangeConfiguration', ({ settings }: { settings?: unknown }) => {
      if (settings == null && this.client.configures) void this.askSettings();
      else this.documents.settings = readSettings(settings);
    });
    for (const name of [
      'workspace/didChangeWorkspaceFolders',
      '$/setTrace',
      'window/workDoneProgress/cancel',
      'textDocument/willSave',
    ])
      connection.onNotification(name, () => undefined);
    this.answerAll();
    connection.listen();
  }

  private answerAll(): void {
    this.answer('textDocument/diagnostic', async ({ textDocument: { uri } }: TextParams) => {
      const document = this.documents.get(uri);
      if (document === undefined) return { kind: 'full', items: [] };
      const analysis = await this.documents.current(document);
      return { kind: 'full', items: await this.diagnosticsOf(document, analysis) };
    });
    this.answer('workspace/diagnostic', async () => {
      const items = await Promise.all(
        this.documents.all().map(async (document) => {
          const analysis = await this.documents.current(document);
          return {
            kind: 'full',
            uri: document.uri,
            version: document.text.version,
            items: await this.diagnosticsOf(document, analysis),
          };
        }),
      );
      return { items };
    });
    for (const [method, answer] of Object.entries(this.methods())) this.answer(method, answer);
  }

  /** The requests that `Answers` knows, by their names in the protocol. */
  private methods(): Record<string, Handler> {
    const ask = (name: keyof Answers): Handler =>
      ((params: never) => (this.answers[name] as Handler)(params)) as Handler;
    return {
      'textDocument/hover': ask('hover'),
      'textDocument/definition': ask('definition'),
      'textDocument/declaration': ask('definition'),
      'textDocument/typeDefinition': ask('typeDefinition'),
      'textDocument/implementation': ask('implementation'),
      'textDocument/references': ask('references'),
      'textDocument/documentHighlight': ask('highlight'),
      'textDocument/prepareRename': ask('prepareRename'),
      'textDocument/rename': ask('rename'),
      'textDocument/completion': ask('completion'),
      'completionItem/resolve': (item: never) => item,
      'textDocument/signatureHelp': ask('signatureHelp'),
      'textDocument/documentSymbol': ask('documentSymbols'),
      'workspace/symbol': ask('workspaceSymbols'),
      'textDocument/semanticTokens/full': ask('tokens'),
      'textDocument/semanticTokens/full/delta': ask('tokenChanges'),
      'textDocument/semanticTokens/range': ask('tokens'),
      'textDocument/foldingRange': ask('folding'),
      'textDocument/selectionRange': ask('selections'),
      'textDocument/inlayHint': ask('hints'),
      'textDocument/codeLens': ask('lenses'),
      'codeLens/resolve': (lens: never) => lens,
      'textDocument/codeAction': ask('actions'),
      'codeAction/resolve': ask('resolveAction'),
      'textDocument/formatting': ask('formatting'),
      'textDocument/rangeFormatting': ask('formatting'),
      'textDocument/documentLink': ask('links'),
      'documentLink/resolve': ask('resolveLink'),
      'textDocument/prepareCallHierarchy': ask('prepareCalls'),
      'callHierarchy/incomingCalls': ask('incoming'),
      'callHierarchy/outgoingCalls': ask('outgoing'),
      'workspace/willRenameFiles': ask('willRenameFiles'),
      'workspace/executeCommand': ask('execute'),
      'statedsl/graph': ask('graph'),
    };
  }

  /** A request waits for messages that came right behind it: one of them may cancel it. */
  private answer(method: string, answer: Handler): void {
    // Without parameters, the token is all that is given.
    this.connection.onRequest(method, async (...given: unknown[]) => {
      const [params, token] = (given.length > 1 ? given : [undefined, given[0]]) as [unknown, CancellationToken];
      this.count.taken++;
      if (this.state === 'new')
        return new ResponseError(ErrorCodes.ServerNotInitialized, 'the server is not initialized');
      if (this.state === 'shut down') return new ResponseError(ErrorCodes.InvalidRequest, 'the server is shut down');
      const lack = lackOf(method, params);
      if (lack !== null) return new ResponseError(ErrorCodes.InvalidParams, lack);
      this.count.open++;
      try {
        return await this.answerUnlessCancelled(answer, params as never, token);
      } finally {
        this.count.open--;
      }
    });
  }

  private async answerUnlessCancelled(answer: Handler, params: never, token: CancellationToken): Promise<unknown> {
    await tick();
    const cancellation = () => new ResponseError(LSPErrorCodes.RequestCancelled, 'the request was cancelled');
    if (token.isCancellationRequested) return cancellation();
    try {
      const begun = performance.now();
      const result = await Promise.race([answer(params), whenCancelled(token)]);
      if (performance.now() - begun > LONG_MS) await unread();
      if (token.isCancellationRequested) return cancellation();
      return isRefusal(result) ? new ResponseError(LSPErrorCodes.RequestFailed, result.refused) : (result ?? null);
    } catch (error) {
      this.log(error);
      return new ResponseError(ErrorCodes.InternalError, error instanceof Error ? error.message : String(error));
    }
  }

  private take<Params>(method: string, take: (params: Params) => void): void {
    this.connection.onNotification(method, (params: Params) => {
      this.count.taken++;
      if (this.state !== 'running') return;
      try {
        take(params);
      } catch (error) {
        this.log(error);
      }
    });
  }

  private initialize(params: InitializeParams): InitializeResult {
    const root = params.workspaceFolders?.[0]?.uri ?? params.rootUri ?? null;
    const folder = (root === null ? null : filePath(root)) ?? params.rootPath ?? process.cwd();
    const { trusted } = (params.initializationOptions ?? {}) as { trusted?: boolean };
    const { textDocument, workspace } = params.capabilities ?? {};
    this.documents = new Documents(folder, { isTrusted: trusted !== false, environment: this.options.environment });
    this.documents.settings = readSettings(params.initializationOptions);
    this.answers = new Answers(this.documents, {
      hasSnippets: textDocument?.completion?.completionItem?.snippetSupport === true,
      hasOutline: textDocument?.documentSymbol?.hierarchicalDocumentSymbolSupport === true,
      hasVersions: workspace?.workspaceEdit?.documentChanges === true,
      resolvesActions: textDocument?.codeAction?.resolveSupport?.properties.includes('edit') === true,
      createsFiles: workspace?.workspaceEdit?.resourceOperations?.includes('create') === true,
      hasMarkdown: textDocument?.hover?.contentFormat?.includes('markdown') !== false,
    });
    this.client = {
      pulls: textDocument?.diagnostic !== undefined,
      watches: workspace?.didChangeWatchedFiles?.dynamicRegistration === true,
      refreshes: workspace?.diagnostics?.refreshSupport === true,
      configures: workspace?.configuration === true,
    };
    this.state = 'running';
    this.watchClient(params.processId);
    return {
      serverInfo: { name: 'statedsl', version: VERSION },
      capabilities: capabilitiesFor(this.client.pulls),
    };
  }

  private async askSettings(): Promise<void> {
    try {
      const [given] = (await this.connection.sendRequest('workspace/configuration', {
        items: [{ section: 'statedsl' }],
      })) as unknown[];
      if (given != null) this.documents.settings = readSettings(given);
    } catch (error) {
      this.log(error);
    }
  }

  private watchFiles(): void {
    if (!this.client.watches) return;
    const watchers = [{ globPattern: '**/*.{dsl,statedsl,md,yaml,yml,json}' }];
    const registrations = [{ id: 'files', method: 'workspace/didChangeWatchedFiles', registerOptions: { watchers } }];
    void this.connection.sendRequest('client/registerCapability', { registrations }).catch((error) => this.log(error));
  }

  private watchClient(processId: number | null | undefined): void {
    if (typeof processId !== 'number') return;
    this.watch = setInterval(() => {
      try {
        process.kill(processId, 0);
      } catch {
        this.end(1);
      }
    }, CLIENT_MS);
    this.watch.unref();
  }

  private publishUsers(path: string): void {
    for (const user of this.documents.usersOf(path)) {
      this.documents.renew(user);
      void this.publish(user);
    }
  }

  /** What is known of a document can say what another one is. */
  private publishUndecided(by: OpenDocument): void {
    const undecided = this.documents.listUndecided().filter((one) => one !== by);
    if (undecided.length === 0) return;
    void this.documents.current(by).then(() => {
      for (const one of undecided) {
        this.documents.renew(one);
        void this.publish(one);
      }
    });
  }

  /** `typedLine`: the line that is being typed, from 0. Its errors wait. */
  private async publish(document: OpenDocument, typedLine?: number): Promise<void> {
    try {
      clearTimeout(this.typing.get(document.uri));
      this.typing.delete(document.uri);
      if (this.client.pulls || this.hasNoInput) return;
      await tick();
      const analysis = await this.documents.current(document);
      const all = await this.diagnosticsOf(document, analysis);
      // Newer input has its own turn, and a closed document none.
      if (this.documents.get(document.uri) !== document || analysis.version !== document.text.version) return;
      const shown =
        typedLine === undefined
          ? all
          : all.filter(({ severity, range }) => severity !== 1 || range.start.line !== typedLine);
      if (shown.length < all.length)
        this.typing.set(
          document.uri,
          setTimeout(() => void this.publish(document), this.documents.settings.typingDelay),
        );
      await this.connection.sendNotification('textDocument/publishDiagnostics', {
        uri: document.uri,
        version: analysis.version,
        diagnostics: shown,
      });
      this.prepareAnswers(analysis);
    } catch (error) {
      this.log(error);
    }
  }

  /** A pause is a good moment for what the next questions need: names, and the shape of what has changed. */
  private prepareAnswers({ program }: Analysis): void {
    clearTimeout(this.pause);
    if (program === null) return;
    this.pause = setTimeout(() => prepare(program), PAUSE_MS);
    this.pause.unref();
  }

  /** A text may have a hundred thousand of them: messages that come meanwhile are read. */
  private async diagnosticsOf(document: OpenDocument, { diagnostics, sources }: Analysis) {
    const uriOf: UriOf = (file) => this.documents.uriOf(document, sources, file);
    const sent: ReturnType<typeof sentDiagnostic>[] = [];
    let begun = performance.now();
    for (const one of diagnostics) {
      const { file } = one.span;
      if (file > 0 || (file < 0 && sources.length === 0)) continue;
      sent.push(sentDiagnostic(file < 0 ? { ...one, span: { file: 0, start: 0, end: 0 } } : one, sources, uriOf));
      if (performance.now() - begun < LONG_MS) continue;
      await unread();
      begun = performance.now();
    }
    return sent;
  }

  private log(error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.options.log?.(text);
    if (this.isOver || this.hasNoInput || this.state === 'new') return;
    void this.connection
      .sendNotification('window/logMessage', { type: MessageType.Error, message: text })
      .catch(() => undefined);
  }

  /** After a header that is none, nobody knows where the next message begins. */
  private misread(error: Error): void {
    if (HEADER_ERROR.test(error.message)) return this.end(1, error);
    this.log(error);
    const message = { jsonrpc: '2.0', id: null, error: { code: ErrorCodes.ParseError, message: error.message } };
    void this.options.writer.write(message as Message).catch(() => undefined);
  }

  /** What came before the end is answered: a script writes a whole session at once. */
  private async endOfInput(): Promise<void> {
    this.hasNoInput = true;
    const until = performance.now() + LAST_MS;
    for (let quiet = 0; quiet < QUIET_TURNS && performance.now() < until; quiet++) {
      const { taken } = this.count;
      await tick();
      if (this.count.open > 0 || this.count.taken > taken) quiet = 0;
    }
    this.end(this.endCode);
  }

  private get endCode(): number {
    return this.state === 'shut down' ? 0 : 1;
  }

  private end(code: number, error?: Error): void {
    if (this.isOver) return;
    if (error !== undefined) this.options.log?.(String(error));
    this.isOver = true;
    clearInterval(this.watch);
    clearTimeout(this.pause);
    for (const timer of this.typing.values()) clearTimeout(timer);
    this.connection.dispose();
    this.options.exit(code, error);
  }
}

/** What it waits for is not answered any more. */
function whenCancelled(token: CancellationToken): Promise<null> {
  return new Promise((resolve) => token.onCancellationRequested(() => resolve(null)));
}

function isRefusal(result: unknown): result is RenameRefusal {
  return typeof result === 'object' && result !== null && 'refused' in result;
}

function isRange({ start, end }: Range): boolean {
  const isPosition = ({ line, character }: Position): boolean =>
    Number.isInteger(line) && Number.isInteger(character) && line >= 0 && character >= 0;
  return isPosition(start) && isPosition(end);
}
