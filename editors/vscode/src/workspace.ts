/** What all parts of the extension share: the statedsl that does the work, folders, and questions to the person. */
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { type CommandLine, commandLine, findInstallation, type Installation, loadLibrary } from './installation.js';

export class Workspace {
  private found: Installation | null = null;

  constructor(readonly context: vscode.ExtensionContext) {}

  get installation(): Installation {
    this.found ??= findInstallation(this.context);
    return this.found;
  }

  /** Looks for it again: the workspace is trusted now, or a setting has changed. */
  forget(): void {
    this.found = null;
  }

  commandLine(...args: readonly string[]): CommandLine {
    return commandLine(this.installation, ...args);
  }

  library() {
    return loadLibrary(this.installation);
  }

  /** Folders with programs and runs. */
  get folders(): readonly vscode.WorkspaceFolder[] {
    return vscode.workspace.workspaceFolders?.filter(({ uri }) => uri.scheme === 'file') ?? [];
  }

  /** The folder that a file belongs to, from which statedsl is started. */
  folderOf(file: string): string {
    return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(file))?.uri.fsPath ?? dirname(file);
  }

  async runsOf(folder: string) {
    return (await this.library()).openRuns({ folder });
  }
}

/** Whether something may be executed or changed here. If not, the person is told why nothing happens. */
export function mayExecute(): boolean {
  if (vscode.workspace.isTrusted) return true;
  void vscode.window.showErrorMessage('Programs run only in workspaces that you trust.');
  return false;
}

/** The file that a command is about: that of a lens, or the active one; saved. Undefined: there is none. */
export async function savedFile(given: unknown): Promise<string | undefined> {
  const uri = uriOf(given) ?? vscode.window.activeTextEditor?.document.uri;
  if (uri === undefined) return undefined;
  const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
  if (document?.isDirty === true || document?.isUntitled === true) {
    const saved = await vscode.workspace.save(uri);
    return saved?.fsPath;
  }
  return uri.scheme === 'file' ? uri.fsPath : undefined;
}

/** A lens gives `{uri: text}`, a menu the address itself. */
function uriOf(given: unknown): vscode.Uri | undefined {
  if (given instanceof vscode.Uri) return given;
  const { uri } = (given ?? {}) as { uri?: unknown };
  return typeof uri === 'string' ? vscode.Uri.parse(uri) : undefined;
}

export function textMember(given: unknown, name: string): string | undefined {
  const value = (given as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === 'string' ? value : undefined;
}

interface AskedInput {
  readonly name: string;
  readonly value?: unknown;
  readonly optional?: true;
  readonly type?: string;
  readonly choices?: readonly string[];
  readonly secret?: true;
}

/** Asks for the inputs that are required and missing. Undefined: the person does not want to. */
export async function askInputs(
  workspace: Workspace,
  file: string,
  given: Readonly<Record<string, unknown>>,
  machine?: string,
): Promise<Record<string, unknown> | undefined> {
  const { openPrograms } = await workspace.library();
  const programs = openPrograms({ folder: workspace.folderOf(file) });
  const checked = await programs.check(file, machine === undefined ? {} : { machine });
  const inputs: Record<string, unknown> = { ...given };
  // What is wrong with the program is said by whoever starts it.
  if (!checked.ok) return inputs;
  const missing = (checked.value.inputs as readonly AskedInput[]).filter(
    ({ name, value, optional }) => value === undefined && optional !== true && !(name in given),
  );
  for (const input of missing) {
    const value = await askInput(input);
    if (value === undefined) return undefined;
    inputs[input.name] = value;
  }
  return inputs;
}

async function askInput({ name, type, choices, secret }: AskedInput): Promise<unknown> {
  if (choices !== undefined)
    return vscode.window.showQuickPick([...choices], { title: `Input ${name}`, ignoreFocusOut: true });
  const text = await vscode.window.showInputBox({
    title: `Input ${name}${type === undefined ? '' : ` (${type})`}`,
    password: secret === true,
    ignoreFocusOut: true,
    validateInput: (typed) => (asInput(typed, type) === undefined ? `this is not a ${type}` : undefined),
  });
  return text === undefined ? undefined : asInput(text, type);
}

/** The value of a text for an input of a type; undefined: it is none. */
function asInput(text: string, type: string | undefined): unknown {
  if (type === undefined || type === 'string') return text;
  try {
    const value: unknown = JSON.parse(text);
    const kind = Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value;
    return kind === type ? value : undefined;
  } catch {
    return undefined;
  }
}
