/** What is wrong with a program, and where. */
import type { Machine } from '../../machine/machine.js';
import type { Edge } from './explored-graph.js';

export type DefectKind =
  | 'endless'
  | 'endless-waiting'
  | 'no-end'
  | 'dead-branch'
  | 'dead-state'
  | 'dead-handler'
  | 'certain-failure'
  | 'late-failure';

export interface Defect {
  readonly kind: DefectKind;
  readonly severity: 'error' | 'warning';
  readonly file: string;
  readonly line: number;
  readonly message: string;
  /** The words of the failure at the end of the message; those of a run that confirms it replace them. */
  readonly failure?: string;
  readonly help: string;
  /** The way that shows it; null: that nothing happens cannot be shown. */
  readonly edges: readonly Edge[] | null;
  /** The states of a loop. */
  readonly states?: readonly string[];
  /** The steps of the way that repeat; 0: none. */
  readonly cycle: number;
}

export function fileOf({ files, name }: Machine, file: number): string {
  return files[file] ?? name;
}

/** The first line of a state. */
export function locationOfState(machine: Machine, state: string): { readonly file: string; readonly line: number } {
  const origin = machine.states.find(({ name }) => name === state)?.code[0]?.origin;
  return { file: fileOf(machine, origin?.file ?? 0), line: origin?.line ?? 0 };
}
