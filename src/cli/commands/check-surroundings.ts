/**
 * What is wrong with a program where it runs: files that may be on another machine when they are needed, for `check --on`,
 * and calls of agents that cost more than the budget of the run, according to the configuration.
 */
import type { Compilation } from '../../language/check/compile.js';
import { fileHandovers } from '../../language/check/lints/engine-files.js';
import { commandLineMessages as say } from '../../language/source/catalogue/command-line.js';
import type { SourceSet, Span } from '../../language/source/diagnostic.js';
import { type Diagnostic, hasErrors, sortDiagnostics } from '../../language/source/diagnostic.js';
import { type Instruction, type Machine, type Origin, performedBy } from '../../machine/machine.js';
import type { ToolTarget } from '../../machine/plan.js';
import type { Configuration } from '../../runtime/configuration/load-configuration.js';

export function withEngineFiles(compilation: Compilation): Compilation {
  const { diagnostics, machines, sources } = compilation;
  if (hasErrors(diagnostics)) return compilation;
  const warnings = machines.flatMap((machine) =>
    fileHandovers(machine).flatMap(({ file, written, named }): Diagnostic[] => {
      const span = spanOf(machine, sources, written, file);
      const later = spanOf(machine, sources, named, file);
      return span === null || later === null ? [] : [say.engineFiles(span, { file, later })];
    }),
  );
  return { ...compilation, diagnostics: sortDiagnostics([...diagnostics, ...warnings]) };
}

/** Calls of agents that may cost more than the run may. */
export function withUnpaidCalls(compilation: Compilation, { agents = {} }: Pick<Configuration, 'agents'>): Compilation {
  const { diagnostics, machines, sources } = compilation;
  if (hasErrors(diagnostics)) return compilation;
  const costOf = (agent: string | null): number =>
    agent !== null && Object.hasOwn(agents, agent)
      ? (agents[agent]?.max_cost ?? Number.POSITIVE_INFINITY)
      : Number.POSITIVE_INFINITY;
  const warnings = machines.flatMap((machine) => {
    const { cost: limit } = machine.limits;
    if (limit === undefined) return [];
    return machine.states.flatMap(({ code }) =>
      code.flatMap((one) =>
        callsOf(performedBy(one), code, machine).flatMap(({ agent, name, guard, word }): Diagnostic[] => {
          const most = Math.min(guard, costOf(agent));
          if (most === Number.POSITIVE_INFINITY || most <= limit) return [];
          const span = spanOf(machine, sources, one.origin, word);
          return span === null ? [] : [say.unpaidCall(span, { agent: agent ?? name, most, limit })];
        }),
      ),
    );
  });
  if (warnings.length === 0) return compilation;
  return { ...compilation, diagnostics: sortDiagnostics([...diagnostics, ...warnings]) };
}

/** The call of an agent: what its own guard permits, and a word of its line. */
interface GuardedCall {
  readonly agent: string | null;
  readonly name: string;
  readonly guard: number;
  readonly word: string;
}

/** The agents that an instruction calls. */
function callsOf(one: Instruction, code: readonly Instruction[], machine: Machine): readonly GuardedCall[] {
  const guard = Number.POSITIVE_INFINITY;
  if (one.op === 'agent') return [{ agent: one.agent, name: one.agent, guard, word: one.agent }];
  if (one.op === 'plan') {
    const word = (tool: string): string => (one.call === undefined ? one.plan : tool);
    return toolsOf(machine, one.plan).flatMap(({ outer, calls }) =>
      calls.kind === 'agent' ? [{ agent: calls.agent, name: calls.agent, guard, word: word(outer) }] : [],
    );
  }
  if (one.op !== 'step-agent') return [];
  const { name } = one.plan;
  const attempt = code.find((other) => other.op === 'step-attempt' && other.plan === one.plan);
  const agent =
    attempt?.op === 'step-attempt' && typeof attempt.agent?.[0] === 'string' && attempt.agent.length === 1
      ? attempt.agent[0]
      : null;
  return [{ agent, name, guard: one.guards.maxCost ?? guard, word: agent ?? '' }];
}

/** The tools of a plan and of the plans inside it, with the tool of the outermost plan that each belongs to. */
function toolsOf({ plans = {} }: Machine, name: string) {
  const found: { readonly outer: string; readonly calls: ToolTarget }[] = [];
  const seen = new Set<string>();
  const visit = (plan: string, above: string | null): void => {
    const { calls: all = [], tools = {} } = plans[plan] ?? {};
    if (seen.has(plan)) return;
    seen.add(plan);
    for (const [tool, { calls }] of Object.entries(tools)) {
      found.push({ outer: above ?? tool, calls });
      if (calls.kind === 'plan') visit(calls.file, above ?? tool);
    }
    for (const { delegate, tool } of all) if (delegate !== null) visit(delegate, above ?? tool ?? delegate);
  };
  visit(name, null);
  return found;
}

/** Where the line of an instruction, or one that continues it, has the name; null: its text is not there. */
function spanOf(machine: Machine, sources: SourceSet, { file, line }: Origin, name: string): Span | null {
  const wanted = machine.files[file];
  const at = Math.max(
    0,
    sources.findIndex((one) => one.name === wanted),
  );
  const source = sources[at];
  if (source === undefined) return null;
  const lines = source.text.split('\n');
  const begin = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  const found = source.text.indexOf(name, begin);
  if (found >= 0) return { file: at, start: found, end: found + name.length };
  return { file: at, start: begin, end: begin + (lines[line - 1]?.length ?? 0) };
}
