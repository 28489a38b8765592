/** The debugger of VS Code: how a session starts, and decisions about effects that wait. */
import * as vscode from 'vscode';
import { askInputs, mayExecute, savedFile, textMember, type Workspace } from './workspace.js';

export const DEBUG_TYPE = 'statedsl';

/** What F5 would do without a launch.json, and what is missing in one. */
class ConfigurationProvider implements vscode.DebugConfigurationProvider {
  constructor(private readonly workspace: Workspace) {}

  provideDebugConfigurations(): vscode.DebugConfiguration[] {
    return [{ type: DEBUG_TYPE, request: 'launch', name: 'Debug this flow', program: '\u0024{file}' }];
  }

  async resolveDebugConfiguration(
    _: vscode.WorkspaceFolder | undefined,
    given: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    if (given.type !== undefined && given.type !== '') return given;
    const program = await savedFile(undefined);
    if (program === undefined) return undefined;
    return { type: DEBUG_TYPE, request: 'launch', name: 'Debug this flow', program };
  }

  async resolveDebugConfigurationWithSubstitutedVariables(
    folder: vscode.WorkspaceFolder | undefined,
    given: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    if (!mayExecute()) return undefined;
    const mode = vscode.workspace.getConfiguration('statedsl').get<string>('stopBeforeEffects', 'none');
    const completed = { stopBeforeEffects: mode, ...given };
    if (given.request !== 'launch' || typeof given.program !== 'string' || given.run !== undefined) return completed;
    const program = vscode.Uri.joinPath(folder?.uri ?? vscode.Uri.file('/'), '.').with({ path: '/' });
    const file =
      given.program.startsWith('/') || /^[A-Za-z]:/.test(given.program)
        ? given.program
        : vscode.Uri.joinPath(folder?.uri ?? program, given.program).fsPath;
    const inputs = await askInputs(this.workspace, file, given.inputs ?? {}, given.machine);
    return inputs === undefined ? undefined : { ...completed, program: file, inputs };
  }
}

const EFFECT_MODES = ['none', 'agents', 'all'];

function ask(request: string, given: object): Thenable<unknown> | undefined {
  const session = vscode.debug.activeDebugSession;
  return session?.type === DEBUG_TYPE ? session.customRequest(request, given) : undefined;
}

async function answerEffect(): Promise<void> {
  const text = await vscode.window.showInputBox({
    title: 'Answer',
    prompt: 'JSON, or a text: what the command would print, or the agent say',
  });
  if (text === undefined) return;
  await ask('statedsl/effect', { action: 'answer', value: jsonOrText(text) });
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function failEffect(): Promise<void> {
  const kind = await vscode.window.showInputBox({ title: 'The kind of the failure', value: 'tool_failure' });
  if (kind !== undefined) await ask('statedsl/effect', { action: 'fail', kind });
}

async function chooseMode(): Promise<void> {
  const mode = await vscode.window.showQuickPick(EFFECT_MODES, { title: 'Stop before effects' });
  if (mode !== undefined) await ask('statedsl/stopBeforeEffects', { mode });
}

export function registerDebugger(workspace: Workspace): vscode.Disposable[] {
  const { commands, debug } = vscode;
  const provider = new ConfigurationProvider(workspace);
  return [
    debug.registerDebugConfigurationProvider(DEBUG_TYPE, provider),
    debug.registerDebugConfigurationProvider(
      DEBUG_TYPE,
      provider,
      vscode.DebugConfigurationProviderTriggerKind.Dynamic,
    ),
    debug.registerDebugAdapterDescriptorFactory(DEBUG_TYPE, {
      createDebugAdapterDescriptor: ({ workspaceFolder, configuration }) => {
        const { command, args, env } = workspace.commandLine('dap', '--stdio');
        const cwd =
          workspaceFolder?.uri.fsPath ??
          (typeof configuration.program === 'string' ? workspace.folderOf(configuration.program) : undefined) ??
          workspace.folders[0]?.uri.fsPath;
        return new vscode.DebugAdapterExecutable(command, [...args], { env, ...(cwd === undefined ? {} : { cwd }) });
      },
    }),
    commands.registerCommand('statedsl.debug', async (given: unknown) => {
      const program = await savedFile(given);
      if (program === undefined) return;
      const [machine, state] = [textMember(given, 'machine'), textMember(given, 'state')];
      const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(program));
      await debug.startDebugging(folder, {
        ...{ type: DEBUG_TYPE, request: 'launch', name: 'Debug this flow', program },
        ...(machine === undefined ? {} : { machine }),
        ...(state === undefined ? {} : { state }),
      });
    }),
    commands.registerCommand('statedsl.effect.run', () => ask('statedsl/effect', { action: 'run' })),
    commands.registerCommand('statedsl.effect.last', () => ask('statedsl/effect', { action: 'last' })),
    commands.registerCommand('statedsl.effect.answer', answerEffect),
    commands.registerCommand('statedsl.effect.fail', failEffect),
    commands.registerCommand('statedsl.effect.mode', chooseMode),
  ];
}
