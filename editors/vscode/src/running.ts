/** Commands of statedsl as tasks, in a terminal: run, check, test, resume. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import * as vscode from 'vscode';
import { askInputs, mayExecute, savedFile, textMember, type Workspace } from './workspace.js';

interface Job {
  readonly command: string;
  readonly file?: string;
  readonly args?: readonly string[];
}

/** `folder`: where it is started. */
function taskOf(
  workspace: Workspace,
  folder: string,
  job: Job,
  name: string,
  definition?: vscode.TaskDefinition,
): vscode.Task {
  const { command, file, args = [] } = job;
  const line = workspace.commandLine(command, ...(file === undefined ? [] : [file]), ...args);
  const execution = new vscode.ProcessExecution(line.command, [...line.args], { cwd: folder, env: { ...line.env } });
  const scope = workspace.folders.find(({ uri }) => uri.fsPath === folder) ?? vscode.TaskScope.Workspace;
  const task = new vscode.Task(
    definition ?? { type: 'statedsl', ...job },
    scope,
    name,
    'statedsl',
    execution,
    '$statedsl',
  );
  task.presentationOptions = { showReuseMessage: false, clear: true };
  if (command === 'test') task.group = vscode.TaskGroup.Test;
  if (command === 'check') task.group = vscode.TaskGroup.Build;
  return task;
}

export function startTask(
  workspace: Workspace,
  folder: string,
  job: Job,
  name: string,
): Thenable<vscode.TaskExecution> {
  return vscode.tasks.executeTask(taskOf(workspace, folder, job, name));
}

/**
 * Runs a program in a terminal. Inputs may be secret, and a terminal and the list of processes show command lines, so
 * statedsl reads them from a file that nobody else can read; it is removed when the run ends.
 */
async function runProgram(workspace: Workspace, given: unknown, isFromHere: boolean): Promise<void> {
  if (!mayExecute()) return;
  const file = await savedFile(given);
  if (file === undefined) return;
  const folder = workspace.folderOf(file);
  const machine = textMember(given, 'machine');
  const state = textMember(given, 'state') ?? (isFromHere ? stateAtCursor() : undefined);
  const inputs = await askInputs(workspace, file, {}, machine);
  if (inputs === undefined) return;
  const handed = Object.keys(inputs).length === 0 ? null : privateFile(JSON.stringify(inputs));
  const args = [
    ...(machine === undefined ? [] : ['--machine', machine]),
    ...(state === undefined ? [] : ['--start', state]),
    ...(handed === null ? [] : ['--input-file', handed]),
  ];
  const name = relative(folder, file);
  const execution = await startTask(workspace, folder, { command: 'run', file: name, args }, name);
  if (handed === null) return;
  const ended = vscode.tasks.onDidEndTask((event) => {
    if (event.execution !== execution) return;
    ended.dispose();
    rmSync(dirname(handed), { recursive: true, force: true });
  });
}

/** The path of a file with this text that only this user can read. */
function privateFile(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'statedsl-inputs-')), 'inputs.json');
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

function stateAtCursor(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return undefined;
  for (let line = editor.selection.active.line; line >= 0; line--) {
    const state = /^\s*STATE:?\s+([\p{L}_][\p{L}\p{N}_-]*)/u.exec(editor.document.lineAt(line).text)?.[1];
    if (state !== undefined) return state;
  }
  return undefined;
}

/** `check` takes files, so the task names what is there now. */
async function usualTasks(workspace: Workspace, folder: string): Promise<vscode.Task[]> {
  const { openPrograms } = await workspace.library();
  const listed = await openPrograms({ folder }).list();
  const { programs = [], workflows = [], plans = [] } = listed.ok ? listed.value : {};
  const [file, ...args] = [...programs, ...workflows, ...plans].map(({ path }) => path);
  const check = file === undefined ? [] : [{ command: 'check', file, args }];
  return [
    ...check.map((job) => taskOf(workspace, folder, job, 'check all programs')),
    taskOf(workspace, folder, { command: 'test' }, 'run all tests'),
  ];
}

export function registerTasks(workspace: Workspace): vscode.Disposable[] {
  return [
    vscode.tasks.registerTaskProvider('statedsl', {
      provideTasks: async () =>
        (await Promise.all(workspace.folders.map(({ uri }) => usualTasks(workspace, uri.fsPath)))).flat(),
      resolveTask: (task) => {
        const { command, file, args } = task.definition as unknown as Job;
        const folder = typeof task.scope === 'object' ? task.scope.uri.fsPath : workspace.folders[0]?.uri.fsPath;
        if (folder === undefined) return undefined;
        const job = { command, ...(file === undefined ? {} : { file }), ...(args === undefined ? {} : { args }) };
        return taskOf(workspace, folder, job, task.name, task.definition);
      },
    }),
    vscode.commands.registerCommand('statedsl.run', (given: unknown) => runProgram(workspace, given, false)),
    vscode.commands.registerCommand('statedsl.runFrom', (given: unknown) => runProgram(workspace, given, true)),
  ];
}
