/** The steps of a state as data for JSON and pictures: the parts of each step, in the written order. */
import type { Machine, State } from '../../machine/machine.js';
import type { StepInstruction, StepLayout } from '../../machine/step.js';
import { type DescribedInstruction, describeState } from '../instruction.js';
import type { Reference } from './references.js';
import { keyPath } from './step-positions.js';
import { guardWords, retryLines, templateWords } from './step-words.js';

export interface StepSummary {
  /** The path of the step. Tasks have no names yet: `build/<task>/converge`. */
  readonly path: string;
  readonly type: StepLayout['type'];
  readonly file: string | null;
  readonly line: number;
  /** As written; null without one. */
  agent: string | null;
  /** The step that owns the session it continues. */
  session: string | null;
  guards: readonly string[];
  readonly context: string[];
  /** `what` is the command, the globs, the condition or the workflow. */
  readonly gates: readonly { readonly name: string; readonly kind: string; what: string }[];
  /** The entries of RETRY without the last. */
  readonly retry: readonly string[];
  /** The allowed number of attempts. */
  readonly exit: number;
  /** The workflow that is its work. */
  workflow: string | null;
  readonly reads: Reference[];
}

export function stepSummaries(state: State, machine: Machine): StepSummary[] {
  const open = new Map<string, { -readonly [K in keyof StepSummary]: StepSummary[K] }>();
  for (const described of describeState(state, machine)) {
    const { instruction, position, reads } = described;
    if (position.path === null) continue;
    if (instruction.op === 'step-begin') open.set(position.path, summaryOf(described, state, machine));
    const step = open.get(position.path);
    if (step === undefined) continue;
    step.reads.push(
      ...reads.filter((one) => !step.reads.some((known) => known.name === one.name && known.resolves === one.resolves)),
    );
    addTo(step, described);
  }
  return [...open.values()];
}

function summaryOf({ instruction, position }: DescribedInstruction, state: State, machine: Machine): StepSummary {
  const { plan: layout } = instruction as Extract<StepInstruction, { op: 'step-begin' }>;
  const { origin } = instruction;
  const pc = state.code.indexOf(instruction);
  const retry = retryLines(layout, { state, pc: verdictOf(state, pc) });
  return {
    path: position.path ?? layout.name,
    type: layout.type,
    file: machine.files[origin.file] ?? null,
    line: origin.line,
    ...{ agent: null, session: null, guards: [], context: [], workflow: null, reads: [] },
    gates: layout.gates.map(({ name, kind }) => ({ name, kind, what: '' })),
    retry: retry.slice(0, -1),
    exit: layout.retry?.exit ?? 1,
  };
}

/** The pc of the verdict of the step that begins at one. */
function verdictOf({ code }: State, from: number): number {
  let open = 0;
  for (let pc = from; pc < code.length; pc++) {
    if (code[pc]?.op === 'step-begin') open++;
    if (code[pc]?.op === 'step-verdict' && --open === 0) return pc;
  }
  return code.length;
}

function addTo(
  step: { -readonly [K in keyof StepSummary]: StepSummary[K] },
  { instruction, lines, position }: DescribedInstruction,
): void {
  const [line = ''] = lines;
  const gate = (name: string | undefined): void => {
    const known = step.gates.find((one) => one.name === name);
    if (known !== undefined) known.what = line.includes(': ') ? line.slice(line.indexOf(': ') + 2) : '';
  };
  if (line.startsWith('CONTEXT ')) step.context.push(line.slice('CONTEXT '.length));
  switch (instruction.op) {
    case 'step-attempt': {
      step.agent = instruction.agent === null ? null : templateWords(instruction.agent);
      const { session } = instruction;
      step.session = session?.kind === 'from' ? keyPath(position, session.key) : null;
      return;
    }
    case 'step-agent':
      step.guards = guardWords(instruction.guards);
      return;
    case 'gate-command':
    case 'gate-schema':
    case 'gate-check':
      return gate(instruction.gate.name);
    case 'workflow-enter':
      if (instruction.at === 'gate') gate(instruction.gate);
      if (instruction.at === 'run') step.workflow = instruction.name;
      return;
    default:
  }
}
