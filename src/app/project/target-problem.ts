/**
 * Explains why the tool of a plan cannot run on this machine. This is only a warning, because plans are also checked on
 * machines where they never run.
 */
import { existsSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import type { ToolTarget } from '../../machine/plan.js';
import { unreachable } from '../../prelude/unreachable.js';
import { pathInProject } from '../../runtime/readable-file.js';
import { commandFinder } from './command-finder.js';
import { isNear } from './link-plans.js';

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

/**
 * The paths of a tool that the workers of an engine may not have: absolute ones, and those that lead out of the project.
 * `cwd`: the working directory; `shared`: a directory that the workers have.
 */
export function pathsOnlyHere(cwd: string, shared: string | undefined) {
  const isThere = (path: string): boolean => shared !== undefined && isBelow(path, resolve(shared));
  const leadsOut = (path: string): boolean => pathInProject(path, cwd) === null && !isThere(path);
  return (target: ToolTarget, folder: string): readonly string[] => {
    switch (target.kind) {
      case 'run':
        return target.argv.filter((word, at) => {
          if (isNear(word, at)) return leadsOut(resolve(folder, word));
          // Words that only look like a path are not a file here either.
          return isAbsolute(word) && !OF_SYSTEM.test(word) && !isThere(word) && (at === 0 || existsSync(word));
        });
      case 'module': {
        const { file } = target;
        const isElsewhere = isAbsolute(file) ? !isThere(file) : leadsOut(resolve(folder, file));
        return isElsewhere ? [file] : [];
      }
      default:
        return [];
    }
  };
}

/** Programs and devices that every machine has. */
const OF_SYSTEM = /^\/(?:usr\/)?s?bin\/|^\/dev\//;

function isBelow(path: string, folder: string): boolean {
  return !/^\.\.(?:\/|$)/.test(relative(folder, path));
}
