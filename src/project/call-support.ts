/**
 * Tools and plans for the CALL and PLAN lines of a program: reads the tools file that is named or next to the program,
 * and plans by their paths. Loaded only for programs that have such lines.
 */
import { dirname, isAbsolute, join, normalize } from 'node:path';
import type { Callable, CallSupport } from '../check/callables.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import { type ProjectHost, pathOf } from './host.js';
import { linkPlans } from './link-plans.js';
import { PlanLoader, type PlanLoadResult, type PlanSurroundings } from './load-plan.js';
import { readableFrom } from './readable-folders.js';

export interface CallSettings extends Pick<PlanSurroundings, 'agents' | 'servers' | 'targetProblem' | 'onlyHere'> {
  /** The tools file that the command line names. */
  readonly tools?: string | undefined;
  /** Tools that a stand-in replaces. */
  readonly standIns?: ((tool: string) => boolean) | undefined;
}

/** `program` is a path, or `<stdin>`. */
export function callSupport(
  host: ProjectHost,
  program: string,
  { tools: named, standIns, ...around }: CallSettings,
): CallSupport {
  const flags = named === undefined ? {} : { tools: named };
  const loader = new PlanLoader(host, flags, around, readableFrom(host, program));
  const folder = pathOf(host, program === '<stdin>' ? '.' : dirname(program));
  const tools = named ?? loader.findToolsFile(program);
  const callable = (loaded: PlanLoadResult, own: number, toolsIndex: number): Callable | { readonly error: string } => {
    if (loaded.kind === 'missing') return { error: loaded.message };
    const [source, toolsFile] = loaded.sources;
    const found = [
      ...(source === undefined || own < 0 ? [] : [[own, source] as const]),
      ...(toolsFile === undefined ? [] : [[toolsIndex, toolsFile] as const]),
    ];
    return { ...loaded, files: new Map(found), link: () => linkPlans(host, loaded, standIns, folder) };
  };
  return {
    call: (tree, further) => callable(loader.loadCall(tree, program, tools, further), -1, -1),
    plan(path, from, inputs) {
      const file = isAbsolute(path) || from === '<stdin>' ? normalize(path) : join(dirname(from), path);
      const context = { outer: [], tools, ...omitUndefined({ inputs: inputs ?? undefined }) };
      return callable(loader.load(file, context), 0, 1);
    },
  };
}
