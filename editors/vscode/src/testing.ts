/** Tests of programs in the test view: found by the lines of test files, run by `statedsl test`. */
import { spawn } from 'node:child_process';
import { relative } from 'node:path';
import * as vscode from 'vscode';
import { DEBUG_TYPE } from './debugging.js';
import { mayExecute, type Workspace } from './workspace.js';

const FILES = '**/*.test.{dsl,statedsl}';
const TEST = /^TEST:\s*(.*?)\s*(?:\s{2}#.*)?$/;

interface TestResult {
  readonly file: string;
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly duration_ms: number;
  readonly log: readonly string[];
  readonly failures: readonly {
    readonly message: string;
    readonly expected?: string;
    readonly got?: string;
    readonly line?: number;
  }[];
}

interface SuiteResult {
  readonly tests: readonly TestResult[];
}

class Tests {
  readonly controller = vscode.tests.createTestController('statedsl', 'statedsl');

  constructor(private readonly workspace: Workspace) {
    this.controller.resolveHandler = async (item) => {
      if (item === undefined) await this.discover();
      else if (item.uri !== undefined) this.read(item.uri, await textOf(item.uri));
    };
    this.controller.refreshHandler = () => this.discover();
    this.controller.createRunProfile(
      'Run',
      vscode.TestRunProfileKind.Run,
      (request, stop) => this.run(request, stop),
      true,
    );
  }

  async discover(): Promise<void> {
    for (const uri of await vscode.workspace.findFiles(FILES, '**/{node_modules,.statedsl}/**'))
      this.read(uri, await textOf(uri));
  }

  read(uri: vscode.Uri, text: string): void {
    const { controller } = this;
    const id = uri.toString();
    const file = controller.items.get(id) ?? controller.createTestItem(id, vscode.workspace.asRelativePath(uri), uri);
    const tests = text.split('\n').flatMap((line, at) => {
      const name = TEST.exec(line)?.[1];
      if (name === undefined || name === '') return [];
      const item = controller.createTestItem(`${id}#${name}`, name, uri);
      item.range = new vscode.Range(at, 0, at, line.length);
      return [item];
    });
    file.children.replace(tests);
    controller.items.add(file);
  }

  forget(uri: vscode.Uri): void {
    this.controller.items.delete(uri.toString());
  }

  private async run(request: vscode.TestRunRequest, stop: vscode.CancellationToken): Promise<void> {
    if (!mayExecute()) return;
    const run = this.controller.createTestRun(request);
    const wanted = new Map<vscode.TestItem, vscode.TestItem[]>();
    const excluded = new Set(request.exclude ?? []);
    const files = [...this.controller.items].map(([, file]) => file);
    for (const item of request.include ?? files) {
      const file = item.parent ?? item;
      const tests = item.parent === undefined ? [...item.children].map(([, test]) => test) : [item];
      wanted.set(file, [...(wanted.get(file) ?? []), ...tests.filter((test) => !excluded.has(test))]);
    }
    for (const [file, tests] of wanted) {
      if (stop.isCancellationRequested) break;
      for (const test of tests) run.started(test);
      await this.runFile(run, file, tests, stop);
    }
    run.end();
  }

  private async runFile(
    run: vscode.TestRun,
    file: vscode.TestItem,
    tests: readonly vscode.TestItem[],
    stop: vscode.CancellationToken,
  ) {
    const path = (file.uri as vscode.Uri).fsPath;
    const folder = this.workspace.folderOf(path);
    const filter = tests.length === 1 ? ['--filter', (tests[0] as vscode.TestItem).label] : [];
    const { stdout, stderr } = await this.execute(
      folder,
      ['test', relative(folder, path), '--reporter', 'json', ...filter],
      stop,
    );
    const result = parsed(stdout);
    if (result === null) {
      const message = new vscode.TestMessage(stderr === '' ? 'statedsl test printed nothing' : stderr);
      for (const test of tests) run.errored(test, message);
      return;
    }
    for (const test of tests) {
      const found = result.tests.filter(({ name }) => name === test.label || name.startsWith(`${test.label} `));
      const failed = found.filter(({ status }) => status === 'failed');
      const duration = found.reduce((sum, { duration_ms }) => sum + duration_ms, 0);
      for (const { log } of found) run.appendOutput(`${log.join('\r\n')}\r\n`, undefined, test);
      if (found.length === 0 || found.every(({ status }) => status === 'skipped')) run.skipped(test);
      else if (failed.length === 0) run.passed(test, duration);
      else
        run.failed(
          test,
          failed.flatMap(({ failures }) => failures.map((one) => messageOf(one, file))),
          duration,
        );
    }
  }

  private execute(folder: string, words: readonly string[], stop: vscode.CancellationToken) {
    const { command, args, env } = this.workspace.commandLine(...words);
    return new Promise<{ stdout: string; stderr: string }>((resolve) => {
      const child = spawn(command, args, {
        cwd: folder,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const said = { stdout: '', stderr: '' };
      child.stdout.on('data', (bytes: Buffer) => {
        said.stdout += bytes.toString();
      });
      child.stderr.on('data', (bytes: Buffer) => {
        said.stderr += bytes.toString();
      });
      child.on('error', (error) => resolve({ ...said, stderr: error.message }));
      child.on('close', () => resolve(said));
      stop.onCancellationRequested(() => child.kill());
    });
  }
}

function messageOf(
  { message, expected, got, line }: TestResult['failures'][number],
  file: vscode.TestItem,
): vscode.TestMessage {
  const made =
    expected === undefined || got === undefined
      ? new vscode.TestMessage(message)
      : vscode.TestMessage.diff(message, expected, got);
  if (line !== undefined && file.uri !== undefined)
    made.location = new vscode.Location(file.uri, new vscode.Position(line - 1, 0));
  return made;
}

function parsed(text: string): SuiteResult | null {
  try {
    return JSON.parse(text) as SuiteResult;
  } catch {
    return null;
  }
}

async function textOf(uri: vscode.Uri): Promise<string> {
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  } catch {
    return '';
  }
}

export function registerTests(workspace: Workspace): vscode.Disposable[] {
  const tests = new Tests(workspace);
  const watcher = vscode.workspace.createFileSystemWatcher(FILES);
  const read = async (uri: vscode.Uri): Promise<void> => tests.read(uri, await textOf(uri));
  watcher.onDidCreate(read);
  watcher.onDidChange(read);
  watcher.onDidDelete((uri) => tests.forget(uri));
  const isTest = ({ uri }: vscode.TextDocument): boolean => /\.test\.(?:dsl|statedsl)$/.test(uri.path);
  return [
    tests.controller,
    watcher,
    vscode.workspace.onDidOpenTextDocument((document) => {
      if (isTest(document)) tests.read(document.uri, document.getText());
    }),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (isTest(document)) tests.read(document.uri, document.getText());
    }),
    vscode.debug.onDidTerminateDebugSession(({ type }) => {
      if (type === DEBUG_TYPE) void tests.discover();
    }),
  ];
}
