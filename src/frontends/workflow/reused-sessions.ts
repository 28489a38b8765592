/**
 * Resolves `session: reuse` of the older dialects: a step continues the session of the last earlier step with an agent
 * of the same kind, and a group passes the setting on to its steps. The result names that step.
 */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { Block, Instruction } from '../../syntax/ast.js';
import type { StepRun } from '../../syntax/step.js';

type Step = Extract<Instruction, { kind: 'step' }>;

/** The last step for each kind of agent, which is the first word of its name: `claude` in `claude-opus`. */
type Last = ReadonlyMap<string, string>;

interface Around {
  /** The steps with `reuse`, by the offsets of their names. */
  readonly asked: ReadonlySet<number>;
  readonly last: Last;
  readonly inherited: boolean;
}

export function withReusedSessions(steps: readonly Instruction[], asked: ReadonlySet<number>): Instruction[] {
  return asked.size === 0 ? [...steps] : list(steps, { asked, last: new Map(), inherited: false });
}

function list(steps: readonly Instruction[], around: Around, parallel = false): Instruction[] {
  const last = new Map(around.last);
  return steps.map((one) => {
    if (one.kind !== 'step') return one;
    const step = withSession(one, { ...around, last: parallel ? around.last : last });
    const kind = kindOf(step.run);
    if (kind !== null) last.set(kind, step.name.text);
    return step;
  });
}

function withSession(step: Step, around: Around): Step {
  const wishes = around.asked.has(step.name.span.start) || (around.inherited && step.session === undefined);
  const inner = { ...around, inherited: wishes };
  const mapSteps = (block: Block, inside: Around, parallel: boolean): Block => ({
    ...block,
    instructions: list(block.instructions, inside, parallel),
  });
  const { run, each } = step;
  const kind = kindOf(run);
  const from = kind === null || !wishes ? undefined : around.last.get(kind);
  const { span } = step.name;
  return {
    ...step,
    ...omitUndefined({
      session: from === undefined ? undefined : ({ kind: 'from', step: { text: from, span }, span } as const),
      run: run.kind === 'group' ? { ...run, steps: mapSteps(run.steps, inner, run.parallel) } : undefined,
      // Every task begins without a session to continue.
      each:
        each === undefined ? undefined : { ...each, steps: mapSteps(each.steps, { ...inner, last: new Map() }, false) },
    }),
  };
}

/** Null if the agent is not known before the run. */
function kindOf(run: StepRun): string | null {
  if (run.kind !== 'agent') return null;
  const [name, more] = run.agent.parts;
  return typeof name === 'string' && more === undefined ? (name.trim().split('-', 1)[0] as string) : null;
}
