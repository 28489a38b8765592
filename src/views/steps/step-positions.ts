/**
 * The positions of instructions among the steps of a state. Only a running program has full paths, but their parts are
 * in the code: steps and scopes open and close in the written order. The names of tasks are known only during a run,
 * and appear as `<task>`.
 */
import type { StepKey } from '../../machine/expression.js';
import type { State } from '../../machine/machine.js';
import type { StepInstruction } from '../../machine/step.js';

export interface StepPosition {
  /** The innermost step that is open; null outside of steps. An instruction that opens one belongs to it. */
  readonly path: string | null;
  /** How many open steps contain it. */
  readonly depth: number;
  /** The prefixes of the names of steps, by the level of their scope; 0 is the machine. */
  readonly prefixes: readonly string[];
  /** The gates of the step are being checked; they read its results. */
  readonly judging: boolean;
}

type OpenPart =
  | { readonly kind: 'step'; readonly path: string; readonly until: number; judging: boolean }
  | { readonly kind: 'scope'; readonly prefix: string };

/** By pc. */
export function stepPositions(state: State): readonly StepPosition[] {
  // Steps of a program that has no states of its own have no state in their paths.
  const walk = new PositionWalk(state.name === 'MAIN' ? '' : `${state.name}/`);
  return state.code.map((instruction, pc) => {
    walk.closeSteps(pc);
    switch (instruction.op) {
      case 'step-begin':
        walk.openStep(instruction.plan.name, endOf(state, pc));
        break;
      case 'group-enter':
        walk.openScope(`${walk.path}/`);
        break;
      case 'workflow-enter': {
        // Its arguments belong to the scope outside.
        const position = walk.position;
        walk.openScope(walk.path + prefixBelow(instruction));
        return position;
      }
      case 'task-enter':
        walk.openScope(
          `${keyPath(walk.position, instruction.parent)}/${instruction.name === undefined ? '<task>/' : ''}`,
        );
        break;
      case 'step-collect':
      case 'step-verdict':
        walk.judge(instruction.op === 'step-collect');
        break;
      case 'group-leave':
      case 'task-leave':
        walk.closeScope();
        break;
      case 'workflow-leave':
        // The second way out of a validator closes the same scope.
        if (instruction.failed !== true) walk.closeScope();
        break;
      default:
    }
    return walk.position;
  });
}

/** The path of the step that a key is about. */
export function keyPath({ prefixes }: Pick<StepPosition, 'prefixes'>, { level, path }: StepKey): string {
  return level === undefined ? path : (prefixes[level] ?? '') + path;
}

function prefixBelow({ at, gate }: Extract<StepInstruction, { op: 'workflow-enter' }>): string {
  if (at === 'gate') return `.gate.${gate ?? ''}.state.`;
  return at === 'retry' ? '.retry.state.' : '.state.';
}

/** The pc after the step that starts at one. */
function endOf({ code }: State, from: number): number {
  let open = 0;
  for (let pc = from; pc < code.length; pc++) {
    const instruction = code[pc];
    if (instruction?.op === 'step-begin') open++;
    if (instruction?.op !== 'step-verdict') continue;
    open--;
    if (open === 0) return instruction.done;
  }
  return code.length;
}

class PositionWalk {
  private readonly open: OpenPart[] = [];
  private known: StepPosition | null = null;

  constructor(private readonly machine: string) {}

  get position(): StepPosition {
    const step = this.open.findLast((one) => one.kind === 'step');
    this.known ??= {
      path: step?.path ?? null,
      judging: step?.judging ?? false,
      depth: this.open.filter(({ kind }) => kind === 'step').length,
      prefixes: [this.machine, ...this.open.flatMap((one) => (one.kind === 'scope' ? [one.prefix] : []))],
    };
    return this.known;
  }

  get path(): string {
    return this.position.path ?? '';
  }

  openStep(name: string, until: number): void {
    const prefix = this.position.prefixes.at(-1) ?? '';
    this.open.push({ kind: 'step', path: prefix + name, until, judging: false });
    this.known = null;
  }

  openScope(prefix: string): void {
    this.open.push({ kind: 'scope', prefix });
    this.known = null;
  }

  judge(judging: boolean): void {
    const top = this.open.at(-1);
    if (top?.kind === 'step') top.judging = judging;
    this.known = null;
  }

  closeSteps(pc: number): void {
    for (let top = this.open.at(-1); top?.kind === 'step' && top.until <= pc; top = this.open.at(-1)) {
      this.open.pop();
      this.known = null;
    }
  }

  closeScope(): void {
    while (this.open.length > 0 && this.open.pop()?.kind !== 'scope');
    this.known = null;
  }
}
