/** The view *Timeline*: the events of the shown run. Choosing one goes to its place, back or forward. */
import * as vscode from 'vscode';
import { DEBUG_TYPE } from './debugging.js';
import type { ShownEvent, ShownRun } from './shown-run.js';

const ICONS: Readonly<Record<string, string>> = {
  state_entered: 'arrow-right',
  effect_requested: 'play',
  effect_settled: 'check',
  emitted: 'megaphone',
  run_started: 'debug-start',
  run_returned: 'pass',
  run_failed: 'error',
  run_suspended: 'watch',
  run_resumed: 'debug-continue',
  run_interrupted: 'debug-pause',
  tracked_set: 'symbol-variable',
  gate_result: 'shield',
  variable_changed: 'edit',
};

/** What an event is about, in a few words. */
function detailOf(event: ShownEvent): string {
  const { outcome } = event as { outcome?: { kind?: string; exit?: number; message?: string } };
  const parts = [
    event.type === 'effect_requested' ? event.text : undefined,
    event.type === 'state_entered' ? event.state : undefined,
    event.event,
    event.name === undefined ? undefined : `${event.name} = ${JSON.stringify(event.value)}`,
    event.type === 'run_returned' ? JSON.stringify(event.value) : undefined,
    outcome === undefined
      ? undefined
      : [outcome.kind, outcome.exit, outcome.message].filter((one) => one !== undefined).join(' '),
    (event.error as { message?: string } | undefined)?.message,
    event.message,
  ];
  const text = parts.filter((one) => typeof one === 'string' && one !== '').join(' ');
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** Older events are read again when a person wants to see them: a tree of a million items would be slow. */
const SHOWN = 2_000;

class TimelineView implements vscode.TreeDataProvider<ShownEvent> {
  readonly onDidChangeTreeData: vscode.Event<void>;

  constructor(private readonly shown: ShownRun) {
    this.onDidChangeTreeData = shown.onChange;
  }

  getChildren(event?: ShownEvent): ShownEvent[] {
    return event === undefined ? this.shown.events.slice(-SHOWN) : [];
  }

  getTreeItem(event: ShownEvent): vscode.TreeItem {
    const item = new vscode.TreeItem(`${event.seq} ${event.type.replaceAll('_', ' ')}`);
    item.id = `${this.shown.id} ${event.seq}`;
    item.description = detailOf(event);
    item.tooltip = new vscode.MarkdownString().appendCodeblock(JSON.stringify(event, null, 2).slice(0, 10_000), 'json');
    item.iconPath = new vscode.ThemeIcon(ICONS[event.type] ?? 'circle-small');
    item.command = { command: 'statedsl.timeline.go', title: 'Go there', arguments: [event] };
    return item;
  }
}

export function registerTimeline(shown: ShownRun): vscode.Disposable[] {
  const { commands, debug, window } = vscode;
  const runOfSession = new Map<string, string>();

  /** The place after an event: in the session about this run, or in a new one that looks at it. */
  const goTo = async ({ seq }: Pick<ShownEvent, 'seq'>): Promise<void> => {
    if (shown.id === null || shown.folder === null) return;
    const session = debug.activeDebugSession;
    if (session?.type === DEBUG_TYPE && runOfSession.get(session.id) === shown.id) {
      await session.customRequest('statedsl/goto', { seq });
      return;
    }
    const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(shown.folder));
    const { id } = shown;
    await debug.startDebugging(folder, { type: DEBUG_TYPE, request: 'launch', name: id, run: id, at: seq });
  };
  const tree = window.createTreeView('statedsl.timeline', { treeDataProvider: new TimelineView(shown) });
  return [
    tree,
    commands.registerCommand('statedsl.timeline.go', goTo),
    debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
      if (session.type !== DEBUG_TYPE || event !== 'statedsl/run') return;
      const { run, dir } = body as { run: string; dir: string };
      runOfSession.set(session.id, run);
      const folder = session.workspaceFolder?.uri.fsPath ?? vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
      if (folder !== undefined) void shown.show(folder, run, dir);
    }),
    debug.onDidTerminateDebugSession(({ id }) => runOfSession.delete(id)),
  ];
}
