/** The language server with a program and a workflow of 5,000 lines that are edited, a third of the edits half-typed lines. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import { usual, workflowOf } from './long-programs.js';
import type { Measured, Row } from './row.js';

const LINES = 5_000;
const EDITS = 200;
const URI = 'untitled:flow.dsl';
const WORKFLOW_URI = 'file:///nowhere/workflows/flow.yaml';

/** What each request may take, in milliseconds, and what it asks. */
const REQUESTS: readonly (readonly [name: string, atMost: number, params?: object])[] = [
  ['hover', 15],
  ['definition', 15],
  ['references', 30, { context: { includeDeclaration: true } }],
  ['documentHighlight', 30],
  ['completion', 30],
  ['signatureHelp', 15],
  ['documentSymbol', 30],
  ['semanticTokens/full', 50],
  ['semanticTokens/range', 20, { range: { start: { line: 100, character: 0 }, end: { line: 160, character: 0 } } }],
  ['foldingRange', 30],
  ['codeLens', 20],
  ['inlayHint', 20, { range: { start: { line: 100, character: 0 }, end: { line: 160, character: 0 } } }],
  [
    'codeAction',
    30,
    {
      range: { start: { line: 100, character: 0 }, end: { line: 100, character: 0 } },
      context: { diagnostics: [], triggerKind: 2 },
    },
  ],
  ['formatting', 400, { options: {} }],
];

export const row: Row = {
  name: 'editor',
  async measure() {
    return [...(await withServer(URI, measureServer)), ...(await withServer(WORKFLOW_URI, measureWorkflow))];
  },
};

async function withServer(uri: string, measure: (server: ServerProcess) => Promise<Measured[]>): Promise<Measured[]> {
  const server = new ServerProcess(uri);
  try {
    return await measure(server);
  } finally {
    server.end();
  }
}

async function measureWorkflow(server: ServerProcess): Promise<Measured[]> {
  await server.request('initialize', { processId: null, rootUri: null, capabilities: {} });
  server.notify('initialized', {});
  await server.published(() => server.open(workflowOf(LINES)));
  const published: number[] = [];
  const typed = ['      - name: "x', '    # about it', '    bash: {', '        More words.', '    prom'];
  for (let edit = 0; edit < EDITS; edit++) {
    const line = 8 + ((edit * 7919) % (LINES - 20));
    const text = typed[edit % typed.length];
    published.push(await server.cpu(() => server.published(() => server.insert(line, `${text}\n`))));
    await server.published(() => server.remove(line));
  }
  return percentiles('messages after an edit of a workflow file', published, 100);
}

async function measureServer(server: ServerProcess): Promise<Measured[]> {
  await server.request('initialize', { processId: null, rootUri: null, capabilities: {} });
  const found: Measured[] = [bar('start until `initialize` is answered', server.cpuMs(), 300)];
  server.notify('initialized', {});
  const lines = usual.text(LINES).split('\n').slice(0, LINES);
  const opened = await server.cpu(() => server.published(() => server.open(lines.join('\n'))));
  found.push(bar(`first messages of ${LINES} lines`, opened, 1_500));
  const memory = server.residentMB();
  const published: number[] = [];
  const asked = new Map<string, number[]>(REQUESTS.map(([name]) => [name, []]));
  for (let edit = 0; edit < EDITS; edit++) {
    const line = 3 + ((edit * 7919) % (LINES - 10));
    const half = edit % 3 === 0;
    const text = half ? '  IF: limit > ' : '  EMIT: EDITED by={objective}';
    published.push(await server.cpu(() => server.published(() => server.insert(line, `${text}\n`))));
    // Questions come in a pause: the server prepares them.
    if (edit % 10 === 0) await server.idle();
    for (const [name, , more = {}] of edit % 10 === 0 ? REQUESTS : []) {
      const position = { line, character: text.length };
      const taken = await server.cpu(() =>
        server.request(`textDocument/${name}`, { textDocument: { uri: URI }, position, ...more }),
      );
      asked.get(name)?.push(taken);
    }
    await server.published(() => server.remove(line));
  }
  found.push(...percentiles('messages after an edit', published, 100));
  for (const [name, atMost] of REQUESTS) found.push(...percentiles(name, asked.get(name) ?? [], atMost));
  found.push({ what: 'memory with the program open', sides: '', ratio: memory, atMost: 300, unit: 'MB' });
  return found;
}

function bar(what: string, ms: number, atMost: number): Measured {
  return {
    what: `editor: ${what}`,
    sides: `time of the processor, at most ${atMost} ms`,
    ratio: ms,
    atMost,
    unit: 'ms',
  };
}

function percentiles(what: string, all: readonly number[], atMost: number): Measured[] {
  const sorted = [...all].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return [{ what: `editor: ${what}`, sides: `p50 ${at(0.5).toFixed(1)} ms, p95`, ratio: at(0.95), atMost, unit: 'ms' }];
}

/** The server as a process of its own: other programs of the machine do not count. */
class ServerProcess {
  private readonly child: ChildProcess;
  private readonly connection;
  private version = 1;
  private wake: ((version: number) => void) | null = null;

  constructor(private readonly uri: string) {
    this.child = spawn(process.execPath, ['dist/cli.js', 'lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.connection = createProtocolConnection(
      new StreamMessageReader(this.child.stdout as NodeJS.ReadableStream),
      new StreamMessageWriter(this.child.stdin as NodeJS.WritableStream),
    );
    this.connection.onNotification('textDocument/publishDiagnostics', ({ version }: { version: number }) =>
      this.wake?.(version),
    );
    this.connection.listen();
  }

  request(method: string, params: unknown): Promise<unknown> {
    return this.connection.sendRequest(method, params);
  }

  notify(method: string, params: object): void {
    void this.connection.sendNotification(method, params);
  }

  open(text: string): void {
    const languageId = this.uri === URI ? 'statedsl' : 'yaml';
    this.notify('textDocument/didOpen', { textDocument: { uri: this.uri, languageId, version: 1, text } });
  }

  insert(line: number, text: string): void {
    this.change({ start: { line, character: 0 }, end: { line, character: 0 } }, text);
  }

  remove(line: number): void {
    this.change({ start: { line, character: 0 }, end: { line: line + 1, character: 0 } }, '');
  }

  private change(range: object, text: string): void {
    this.version++;
    const textDocument = { uri: this.uri, version: this.version };
    this.notify('textDocument/didChange', { textDocument, contentChanges: [{ range, text }] });
  }

  /** Waits for the messages about the newest version. */
  async published(change: () => void): Promise<void> {
    const done = new Promise<void>((resolve) => {
      this.wake = (version) => {
        if (version === this.version) resolve();
      };
    });
    change();
    await done;
  }

  /** Milliseconds that processors worked for the server. */
  async cpu(action: () => Promise<unknown>): Promise<number> {
    const before = this.cpuMs();
    await action();
    return this.cpuMs() - before;
  }

  cpuMs(): number {
    const tasks = `/proc/${this.child.pid}/task`;
    return readdirSync(tasks).reduce(
      (sum, task) => sum + Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
      0,
    );
  }

  /** Waits until the server does nothing. */
  async idle(): Promise<void> {
    for (let before = -1; before !== this.cpuMs(); ) {
      before = this.cpuMs();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  residentMB(): number {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s*(\d+)/.exec(status)?.[1]) / 1024;
  }

  end(): void {
    this.connection.dispose();
    this.child.kill();
  }
}
