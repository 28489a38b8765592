/**
 * The tools and plans that CALL and PLAN can name. They are read when the first such line needs them, so that a program
 * without one does not even load the code that reads plans.
 */
import type { Json } from '../../machine/expression.js';
import { type Instruction, performedBy } from '../../machine/machine.js';
import type { Plan } from '../../machine/plan.js';
import { checkMessages as say } from '../source/catalogue/check.js';
import { type Diagnostic, moveDiagnostic, type SourceFile, type SourceSet, type Span } from '../source/diagnostic.js';
import type { JsonMember, PlanTree } from '../syntax/plan-tree.js';
import type { PlanCompilation } from './plan/compile-plan.js';

/** A plan, compiled with the tools of the program. */
export interface CallablePlan extends PlanCompilation {
  /** The files that its messages refer to, by their index there. All other indexes refer to files of the program. */
  readonly files: ReadonlyMap<number, SourceFile>;
  /** Returns the plan and its nested plans as a run executes them. Called only if there are no errors. */
  readonly link: () => { readonly name: string; readonly plans: { readonly [name: string]: Plan } };
  /** Calls that differ only in their constants have one family. Absent if nothing else is known to be the same. */
  readonly family?: { readonly of: CallFamily; readonly constants: string };
}

export interface CallFamily {
  /** The content that all its plans share, as JSON. */
  readonly skeleton: () => string;
}

type Constants = { readonly [name: string]: Json };

/** Compiles the tools and plans that a program calls. */
export interface CallSupport {
  /** Compiles a plan that is part of the program. `tools` are tools that the program defines. */
  call(tree: PlanTree, tools: readonly JsonMember[]): CallablePlan | { readonly error: string };
  /**
   * Compiles a plan in a file; `path` is relative to the file `from`. Checks `inputs`, unless null, against its tools.
   */
  plan(path: string, from: string, inputs: Constants | null): CallablePlan | { readonly error: string };
}

export class Callables {
  private readonly table = new Map<string, Plan>();
  /**
   * The name of each stored plan by its title and content, and how many plans have each title: all lines may use the
   * same title.
   */
  private readonly contents = new Map<string, string>();
  /** A short text for the skeleton of each family, and for each different skeleton. */
  private readonly families = new Map<CallFamily, string>();
  private readonly skeletons = new Map<string, string>();
  private readonly counts = new Map<string, number>();
  /** The name of each stored plan by the plan itself, which several instructions may share. */
  private readonly names = new Map<CallablePlan, string>();
  private known: CallSupport | null | undefined;

  constructor(
    private readonly support: (() => CallSupport | null) | undefined,
    private readonly sources: SourceSet,
    private readonly diagnostics: Diagnostic[],
  ) {}

  /** A plan that is written in the program. Returns null after reporting that there is none. */
  call(tree: PlanTree, tools: readonly JsonMember[], where: Span): CallablePlan | null {
    const support = this.requireSupport(where);
    const found = support?.call(tree, tools) ?? null;
    if (found === null || !('error' in found)) return found === null ? null : this.withProgramFiles(found);
    this.diagnostics.push(say.toolsUnreadable(where, { reason: found.error }));
    return null;
  }

  /** A plan in its own file. Returns null after reporting that it cannot be read. */
  plan(path: string, where: Span, inputs: Constants | null): CallablePlan | null {
    const found = this.requireSupport(where)?.plan(path, this.sources[where.file]?.name ?? '', inputs) ?? null;
    if (found === null || !('error' in found)) return found === null ? null : this.withProgramFiles(found);
    this.diagnostics.push(say.planUnreadable(where, { path, reason: found.error }));
    return null;
  }

  /** Stores a plan in the machine, and returns the name by which instructions refer to it. */
  keep(callable: CallablePlan, title: string): string {
    const known = this.names.get(callable);
    if (known !== undefined) return known;
    const name = this.nameFor(callable, title);
    this.names.set(callable, name);
    return name;
  }

  /** The name of a plan with this content, in the table. */
  private nameFor(callable: CallablePlan, title: string): string {
    const content = `${title}\0${this.contentOf(callable)}`;
    const same = this.contents.get(content);
    if (same !== undefined) return same;
    const { name, plans } = callable.link();
    for (const [inner, plan] of Object.entries(plans))
      if (inner !== name && !this.table.has(inner)) this.table.set(inner, plan);
    const plan = plans[name] as Plan;
    let count = (this.counts.get(title) ?? 0) + 1;
    const numberedTitle = (): string => (count === 1 ? title : `${title} (${count})`);
    // A nested plan may already have this name.
    while (this.table.has(numberedTitle())) count++;
    this.counts.set(title, count);
    this.contents.set(content, numberedTitle());
    this.table.set(numberedTitle(), plan);
    return numberedTitle();
  }

  /** A text that is the same for plans with the same content. The whole content is long, and a program calls a lot. */
  private contentOf({ family, link }: CallablePlan): string {
    if (family === undefined) {
      const { name, plans } = link();
      return JSON.stringify(plans[name]);
    }
    let number = this.families.get(family.of);
    if (number === undefined) {
      const skeleton = family.of.skeleton();
      number = this.skeletons.get(skeleton) ?? String(this.skeletons.size);
      this.skeletons.set(skeleton, number);
      this.families.set(family.of, number);
    }
    return `${number} ${family.constants}`;
  }

  /** The plans that instructions run, with their nested plans; undefined if there are none. */
  plansOf(code: Iterable<Instruction>): { readonly [name: string]: Plan } | undefined {
    if (this.table.size === 0) return undefined;
    const names = new Set<string>();
    const visit = (name: string): void => {
      const plan = this.table.get(name);
      if (plan === undefined || names.has(name)) return;
      names.add(name);
      for (const { delegate } of plan.calls) if (delegate !== null) visit(delegate);
      for (const { calls } of Object.values(plan.tools)) if (calls.kind === 'plan') visit(calls.file);
    };
    for (const one of code) {
      const instruction = performedBy(one);
      if (instruction.op === 'plan') visit(instruction.plan);
    }
    if (names.size === 0) return undefined;
    return Object.fromEntries([...names].map((name) => [name, this.table.get(name) as Plan]));
  }

  private requireSupport(where: Span): CallSupport | null {
    this.known ??= this.support?.() ?? null;
    const support = this.known;
    if (support === null) this.diagnostics.push(say.toolsUnreadable(where, { reason: 'their locations are unknown' }));
    return support;
  }

  /** The same plan, with messages that refer to the files of the program. */
  private withProgramFiles(callable: CallablePlan): CallablePlan {
    const indexes = new Map([...callable.files].map(([index, file]) => [index, this.fileIndexOf(file)]));
    const shiftSpan = (span: Span): Span => ({ ...span, file: indexes.get(span.file) ?? span.file });
    const diagnostics = callable.diagnostics.map((one) => moveDiagnostic(one, shiftSpan));
    return { ...callable, diagnostics };
  }

  private fileIndexOf(file: SourceFile): number {
    const known = this.sources.findIndex(({ name, text }) => name === file.name && text === file.text);
    return known >= 0 ? known : this.sources.push(file) - 1;
  }
}
