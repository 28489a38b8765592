/**
 * Which statedsl does the work: that of the project, that of the setting, or the one in this extension. All are started with
 * the Node of VS Code, so none has to be on PATH.
 */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as vscode from 'vscode';

type Library = typeof import('statedsl');

export interface Installation {
  /** The folder of its package. */
  readonly root: string;
  readonly version: string;
  readonly from: 'the project' | 'the setting statedsl.path' | 'the extension';
}

export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

function versionOf(root: string): string | null {
  try {
    const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, string>;
    return name === 'statedsl' && version !== undefined && existsSync(join(root, 'dist/cli.js')) ? version : null;
  } catch {
    return null;
  }
}

/** The package that a path means: its folder, or a command in it. */
function packageOf(path: string): string | null {
  try {
    const real = realpathSync(path);
    return statSync(real).isDirectory() ? real : dirname(dirname(real));
  } catch {
    return null;
  }
}

export function findInstallation(context: vscode.ExtensionContext): Installation {
  const bundled = join(context.extensionPath, 'statedsl');
  const setting = vscode.workspace.getConfiguration('statedsl').get<string>('path', '');
  const folders = vscode.workspace.workspaceFolders?.filter(({ uri }) => uri.scheme === 'file') ?? [];
  const candidates: [string | null, Installation['from']][] = [
    ...(vscode.workspace.isTrusted
      ? [
          ...folders.map(({ uri }): [string, Installation['from']] => [
            join(uri.fsPath, 'node_modules/statedsl'),
            'the project',
          ]),
          [setting === '' ? null : packageOf(setting), 'the setting statedsl.path'] as [
            string | null,
            Installation['from'],
          ],
        ]
      : []),
    [bundled, 'the extension'],
  ];
  for (const [root, from] of candidates) {
    const version = root === null ? null : versionOf(root);
    if (root !== null && version !== null) return { root, version, from };
    if (from === 'the setting statedsl.path' && setting !== '')
      void vscode.window.showWarningMessage(
        `statedsl.path: there is no statedsl at ${setting}, so another one is used`,
      );
  }
  throw new Error(`the extension is damaged: there is no ${bundled}`);
}

/** Whether two versions may not understand each other: before 1.0, each minor version is a major one. */
export function differsInMajor(one: string, other: string): boolean {
  const major = (version: string): string => /^0\.\d+|^\d+/.exec(version)?.[0] ?? version;
  return major(one) !== major(other);
}

export function commandLine({ root }: Installation, ...args: readonly string[]): CommandLine {
  return {
    command: process.execPath,
    args: [join(root, 'dist/cli.js'), ...args],
    env: { ELECTRON_RUN_AS_NODE: '1' },
  };
}

const libraries = new Map<string, Promise<Library>>();

export function loadLibrary({ root }: Installation): Promise<Library> {
  let library = libraries.get(root);
  if (library === undefined) {
    // `import` of the bundler would become `require`.
    library = import(pathToFileURL(join(root, 'dist/index.mjs')).href) as Promise<Library>;
    libraries.set(root, library);
  }
  return library;
}
