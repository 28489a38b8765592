/**
 * Explains why the tool of a plan cannot run on this machine. This is only a warning, because plans are also checked on
 * machines where they never run.
 */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ToolTarget } from '../machine/plan.js';
import { unreachable } from '../prelude/unreachable.js';
import { commandFinder } from './command-finder.js';

interface TargetLookups {
  /** The program of an agent; null if there is none to look for. */
  readonly agentProgram: (name: string) => string | null;
  readonly mcp: Readonly<Record<string, { readonly command: readonly string[] }>>;
  /** The working directory of tools. */
  readonly cwd: string;
  readonly path: string | undefined;
}

/** The returned function takes the folder of the tools file as `folder`: paths are relative to it. */
export function targetProblems({ agentProgram, mcp, cwd, path }: TargetLookups) {
  const isProgram = commandFinder(cwd, path);
  const program = (word: string): string | null => {
    if (isProgram(word)) return null;
    if (!word.includes('/')) return `\`${word}\` is not on PATH`;
    return existsSync(resolve(cwd, word)) ? `\`${word}\` is not a program` : `\`${word}\` does not exist`;
  };
  return (target: ToolTarget, folder: string): string | null => {
    switch (target.kind) {
      case 'run': {
        const [word = ''] = target.argv;
        const isPath = word.includes('/');
        const problem = word === '' ? null : program(isPath ? resolve(folder, word) : word);
        // The message shows the path as the author wrote it.
        return problem !== null && isPath ? problem.replace(resolve(folder, word), () => word) : problem;
      }
      case 'module':
        return existsSync(resolve(folder, target.file)) ? null : `the module \`${target.file}\` does not exist`;
      case 'agent': {
        const word = agentProgram(target.agent);
        const problem = word === null ? null : program(word);
        return problem === null ? null : `the program of the agent \`${target.agent}\` is missing: ${problem}`;
      }
      case 'mcp': {
        const [word] = mcp[target.server]?.command ?? [];
        const problem = word === undefined ? null : program(word);
        return problem === null ? null : `the program of the server \`${target.server}\` is missing: ${problem}`;
      }
      case 'plan':
        return null;
      default:
        return unreachable(target);
    }
  };
}
