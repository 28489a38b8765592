/**
 * Plans as a run executes them: all in one table, with absolute paths, so that the run can be resumed anywhere. An
 * approval covers the plans as they are written, so linking is the last step. Loaded only for plans, and for programs that
 * call tools or plans.
 */
import { basename, dirname, extname, isAbsolute, join, normalize, relative, resolve } from 'node:path';
import type { CallablePlan, CallSupport } from '../../language/check/callables.js';
import { planMachine } from '../../language/check/plan/plan-machine.js';
import type { Machine } from '../../machine/machine.js';
import type { Plan, ToolBinding, ToolTarget } from '../../machine/plan.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { unreachable } from '../../prelude/unreachable.js';
import { type LoadedPlan, PlanLoader, type PlanLoadResult, type PlanSurroundings } from './load-plan.js';
import { type ProjectHost, pathOf } from './project-host.js';
import { readableFrom } from './read-program.js';

interface LinkedPlans {
  /** The name of the outermost plan. */
  readonly name: string;
  readonly plans: { readonly [name: string]: Plan };
  /** The called tools by name, without plans. */
  readonly tools: ReadonlyMap<string, ToolBinding>;
}

/** `standIns` says which tools a stand-in answers. The names of plans are paths relative to `folder`. */
export function linkPlans(
  host: ProjectHost,
  loaded: LoadedPlan,
  standIns: (name: string) => boolean = () => false,
  folder: string = dirname(loaded.path ?? pathOf(host, 'plan.json')),
): LinkedPlans {
  const linker = new PlanLinker(host, folder, standIns);
  const name = linker.add(loaded);
  return { name, plans: Object.fromEntries(linker.plans), tools: linker.tools };
}

interface PlanAsProgram {
  /** As messages name it. */
  readonly file: string;
  /** The name of the machine; by default that of the file. */
  readonly name?: string;
  readonly standIns?: (name: string) => boolean;
  /** The inputs of a plan that takes any input. */
  readonly given?: readonly string[];
}

/** A plan and the plans that it calls as one machine. */
export function planProgram(
  host: ProjectHost,
  loaded: LoadedPlan,
  { file, name = basename(file, extname(file)), standIns, given = [] }: PlanAsProgram,
): { readonly machine: Machine; readonly tools: LinkedPlans['tools'] } {
  const { name: plan, plans, tools } = linkPlans(host, loaded, standIns);
  return { machine: planMachine({ name, file, plan, plans, inputs: loaded.inputs ?? given }), tools };
}

class PlanLinker {
  readonly plans = new Map<string, Plan>();
  readonly tools = new Map<string, ToolBinding>();

  constructor(
    private readonly host: ProjectHost,
    private readonly folder: string,
    private readonly standIns: (name: string) => boolean,
  ) {}

  /** Adds the plan to the table unless it is there, and returns its name. */
  add(loaded: LoadedPlan): string {
    const name = relative(this.folder, loaded.path ?? pathOf(this.host, 'plan.json')).replaceAll('\\', '/');
    const { plan } = loaded;
    if (this.plans.has(name) || plan === null) return name;
    // Before its calls, which may lead to it again.
    this.plans.set(name, plan);
    const tools = Object.entries(plan.tools).map(([tool, binding]) => [tool, this.linkBinding(tool, binding, loaded)]);
    const calls = plan.calls.map((call) => {
      const { delegate } = call;
      if (delegate === null) return call;
      const inner = loaded.inner.call.get(delegate);
      // Reports use the author's name for it.
      return { ...call, tool: call.tool ?? delegate, delegate: inner === undefined ? delegate : this.add(inner) };
    });
    this.plans.set(name, { ...plan, calls, tools: Object.fromEntries(tools) });
    return name;
  }

  private linkBinding(name: string, binding: ToolBinding, loaded: LoadedPlan): ToolBinding {
    const calls = this.standIns(name)
      ? ({ kind: 'run', argv: [name] } as const)
      : this.linkTarget(binding.calls, loaded, dirname(pathOf(this.host, loaded.toolsPath ?? 'tools.yaml')));
    const linked = { ...binding, calls };
    if (calls.kind !== 'plan') this.tools.set(name, linked);
    return linked;
  }

  private linkTarget(calls: ToolTarget, loaded: LoadedPlan, folder: string): ToolTarget {
    switch (calls.kind) {
      case 'run':
        return absoluteWords(calls.argv, folder);
      case 'module':
        return { ...calls, file: resolve(folder, calls.file), ...(isAbsolute(calls.file) ? {} : { near: true }) };
      case 'plan': {
        const inner = loaded.inner.tool.get(calls.file);
        return inner === undefined ? calls : { ...calls, file: this.add(inner) };
      }
      case 'agent':
      case 'mcp':
        return calls;
      default:
        return unreachable(calls);
    }
  }
}

/**
 * A program that is named by a path, and arguments that begin with `./` or `../`, are relative to the folder of their
 * file.
 */
export function isNear(word: string, at: number): boolean {
  return /^\.\.?\//.test(word) || (at === 0 && word.includes('/') && !isAbsolute(word));
}

function absoluteWords(words: readonly string[], folder: string): ToolTarget {
  const near = words.flatMap((word, at) => (isNear(word, at) ? [at] : []));
  if (near.length === 0) return { kind: 'run', argv: words };
  return { kind: 'run', argv: words.map((word, at) => (near.includes(at) ? resolve(folder, word) : word)), near };
}

export interface CallSettings extends Pick<PlanSurroundings, 'agents' | 'servers' | 'targetProblem' | 'onlyHere'> {
  /** The tools file that the command line names. */
  readonly tools?: string | undefined;
  /** Tools that a stand-in replaces. */
  readonly standIns?: ((tool: string) => boolean) | undefined;
}

/**
 * Tools and plans for the CALL and PLAN lines of a program: reads the tools file that is named or next to the program,
 * and plans by their paths. `program` is a path, or `<stdin>`.
 */
export function callSupport(
  host: ProjectHost,
  program: string,
  { tools: named, standIns, ...around }: CallSettings,
): CallSupport {
  const flags = named === undefined ? {} : { tools: named };
  const loader = new PlanLoader(host, flags, around, readableFrom(host, program));
  const folder = pathOf(host, program === '<stdin>' ? '.' : dirname(program));
  const tools = named ?? loader.findToolsFile(program);
  const callable = (
    loaded: PlanLoadResult,
    own: number,
    toolsIndex: number,
  ): CallablePlan | { readonly error: string } => {
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
