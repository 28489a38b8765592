/** The view *Runs*: what is executed, what waits, what failed, and what can be done with it. */
import * as vscode from 'vscode';
import { DEBUG_TYPE } from './debugging.js';
import { startTask } from './running.js';
import type { ShownRun } from './shown-run.js';
import { mayExecute, type Workspace } from './workspace.js';

interface ListedRun {
  readonly run_id: string;
  readonly machine: string | null;
  readonly title: string | null;
  readonly status: string;
  readonly state: string | null;
  readonly started_at: string;
  readonly cost: number | null;
  readonly cancelled?: true;
  readonly error?: string;
  readonly result?: string;
}

interface RunNode {
  readonly folder: string;
  readonly run: ListedRun;
}

interface Group {
  readonly title: string;
  readonly runs: readonly RunNode[];
}

type Node = Group | RunNode;

/** Groups in their order, with what is in them. */
const GROUPS: readonly (readonly [string, readonly string[]])[] = [
  ['Running', ['running']],
  ['Waiting', ['suspended']],
  ['Failed', ['failed', 'killed', 'interrupted']],
  ['Ended', ['returned', 'skipped']],
];

const ICONS: Readonly<Record<string, readonly [string, string?]>> = {
  running: ['sync~spin', 'charts.blue'],
  suspended: ['watch', 'charts.yellow'],
  failed: ['error', 'charts.red'],
  killed: ['debug-disconnect', 'charts.red'],
  interrupted: ['debug-pause', 'charts.orange'],
  returned: ['pass', 'charts.green'],
  skipped: ['debug-step-over'],
};

const SHOWN = 200;
/** How often runs that are executed are looked at, in milliseconds. */
const LOOK_MS = 2_000;

export class RunsView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private timer: NodeJS.Timeout | undefined;
  private isVisible = false;

  constructor(private readonly workspace: Workspace) {}

  watch(view: vscode.TreeView<unknown>): void {
    this.isVisible = view.visible;
    view.onDidChangeVisibility(({ visible }) => {
      this.isVisible = visible;
      if (visible) this.refresh();
    });
  }

  refresh(): void {
    this.changed.fire();
  }

  async all(): Promise<RunNode[]> {
    const lists = await Promise.all(
      this.workspace.folders.map(async ({ uri: { fsPath } }) => {
        const found = await (await this.workspace.runsOf(fsPath)).list({ limit: SHOWN });
        return found.ok ? found.value.runs.map((run): RunNode => ({ folder: fsPath, run })) : [];
      }),
    );
    return lists.flat().sort((one, other) => (one.run.started_at < other.run.started_at ? 1 : -1));
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (node !== undefined) return 'runs' in node ? [...node.runs] : [];
    const all = await this.all();
    clearTimeout(this.timer);
    if (this.isVisible && all.some(({ run }) => run.status === 'running'))
      this.timer = setTimeout(() => this.refresh(), LOOK_MS);
    return GROUPS.map(([title, statuses]) => ({
      title,
      runs: all.filter(({ run }) => statuses.includes(run.status)),
    })).filter(({ runs }) => runs.length > 0);
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
    if ('runs' in node) {
      const item = new vscode.TreeItem(node.title, node.title === 'Ended' ? Collapsed : Expanded);
      item.description = String(node.runs.length);
      item.id = node.title;
      return item;
    }
    const { run, folder } = node;
    const item = new vscode.TreeItem(run.title ?? run.machine ?? run.run_id, None);
    const [icon, color] = ICONS[run.status] ?? ['circle-outline'];
    item.iconPath = new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
    const when = new Date(run.started_at).toLocaleString();
    item.description = [run.status, run.state, run.error ?? run.result, when].filter((one) => one).join(' · ');
    item.tooltip = `${run.run_id}\n${item.description}${run.cost ? `\n$${run.cost}` : ''}`;
    item.id = `${folder} ${run.run_id}`;
    item.contextValue = `run.${run.cancelled === true ? 'cancelled' : run.status}`;
    item.command = { command: 'statedsl.runs.show', title: 'Show', arguments: [node] };
    return item;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.changed.dispose();
  }
}

/** The answers of a person to what a run waits for. Undefined: the person does not want to. */
async function askAnswers(
  waiting: readonly {
    readonly kind: string;
    readonly name?: string;
    readonly question?: string;
    readonly choices?: readonly string[];
  }[],
): Promise<Record<string, string> | undefined> {
  const answers: Record<string, string> = {};
  for (const { kind, name, question, choices } of waiting) {
    if (kind !== 'ask' || name === undefined) continue;
    const words = { title: question ?? name, ignoreFocusOut: true };
    const answer =
      choices === undefined || choices === null || choices.length === 0
        ? await vscode.window.showInputBox(words)
        : await vscode.window.showQuickPick([...choices], words);
    if (answer === undefined) return undefined;
    answers[name] = answer;
  }
  return answers;
}

export function registerRuns(workspace: Workspace, shown: ShownRun): vscode.Disposable[] {
  const view = new RunsView(workspace);
  const tree = vscode.window.createTreeView('statedsl.runs', { treeDataProvider: view, showCollapseAll: true });
  view.watch(tree);
  const { commands, debug, window } = vscode;

  /** A command without a node asks for the run. */
  const pick = async (node: RunNode | undefined, statuses?: readonly string[]): Promise<RunNode | undefined> => {
    if (node?.run !== undefined) return node;
    const all = (await view.all()).filter(({ run }) => statuses === undefined || statuses.includes(run.status));
    const items = all.map((one) => ({
      label: one.run.title ?? one.run.run_id,
      description: `${one.run.status} ${one.run.state ?? ''}`,
      detail: one.run.run_id,
      node: one,
    }));
    return (await window.showQuickPick(items, { title: 'Which run?', matchOnDetail: true }))?.node;
  };
  const act = (name: string, statuses: readonly string[] | undefined, work: (node: RunNode) => Promise<unknown>) =>
    commands.registerCommand(name, async (node?: RunNode) => {
      if (!mayExecute()) return undefined;
      const picked = await pick(node, statuses);
      if (picked === undefined) return undefined;
      const result = await work(picked);
      view.refresh();
      return result;
    });
  const refused = ({ message, help }: { message: string; help: string | null }) =>
    void window.showErrorMessage(help === null ? message : `${message}: ${help}`);
  const start = ({ folder, run }: RunNode, request: 'launch' | 'attach') =>
    debug.startDebugging(vscode.workspace.getWorkspaceFolder(vscode.Uri.file(folder)), {
      ...{ type: DEBUG_TYPE, request, name: run.title ?? run.run_id, run: run.run_id },
    });
  const resume = ({ folder, run }: RunNode) =>
    startTask(workspace, folder, { command: 'resume', args: [run.run_id] }, `resume ${run.title ?? run.run_id}`);

  const watchers = workspace.folders.map((folder) => {
    const watcher = vscode.workspace.createFileSystemWatcher(
      new vscode.RelativePattern(folder, '.statedsl/runs/{index.ndjson,*/journal.ndjson}'),
    );
    let timer: NodeJS.Timeout | undefined;
    const later = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => view.refresh(), 300);
    };
    watcher.onDidChange(later);
    watcher.onDidCreate(later);
    watcher.onDidDelete(later);
    return watcher;
  });

  return [
    view,
    tree,
    ...watchers,
    vscode.tasks.onDidEndTask(() => view.refresh()),
    debug.onDidTerminateDebugSession(() => view.refresh()),
    commands.registerCommand('statedsl.runs.refresh', () => view.refresh()),
    commands.registerCommand('statedsl.pickRun', async () => (await pick(undefined))?.run.run_id),
    commands.registerCommand('statedsl.runs.show', async (node?: RunNode) => {
      const picked = await pick(node);
      if (picked !== undefined) void shown.show(picked.folder, picked.run.run_id);
    }),
    act('statedsl.runs.open', undefined, (node) => Promise.resolve(start(node, 'launch'))),
    act('statedsl.runs.attach', ['running'], (node) => Promise.resolve(start(node, 'attach'))),
    act('statedsl.runs.resume', ['suspended', 'failed', 'killed', 'interrupted'], (node) =>
      Promise.resolve(resume(node)),
    ),
    act('statedsl.runs.answer', ['suspended', 'running'], async (node) => {
      const runs = await workspace.runsOf(node.folder);
      const inspected = await runs.inspect(node.run.run_id);
      if (!inspected.ok) return refused(inspected.refusal);
      const answers = await askAnswers(inspected.value.waiting as never);
      if (answers === undefined) return undefined;
      const delivered = await runs.answer(node.run.run_id, answers);
      if (!delivered.ok) return refused(delivered.refusal);
      // A process that executes it takes the answer itself.
      return node.run.status === 'suspended' ? resume(node) : undefined;
    }),
    act('statedsl.runs.cancel', ['running', 'suspended', 'killed', 'interrupted', 'failed'], async (node) => {
      const yes = await window.showWarningMessage(
        'End this run, so that it cannot be resumed?',
        { modal: true },
        'End it',
      );
      if (yes === undefined) return;
      const cancelled = await (await workspace.runsOf(node.folder)).cancel(node.run.run_id);
      if (!cancelled.ok) refused(cancelled.refusal);
    }),
  ];
}
