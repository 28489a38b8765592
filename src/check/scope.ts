/**
 * Which names are visible at a point of a state, and where their values live. Lowering asks it for every name; it
 * also remembers what was read, so that the lints need no walk of their own.
 */

import type { Expr, Json, SlotRef } from '../machine/expression.js';
import type { Target } from '../machine/machine.js';
import { checkMessages as say } from '../source/catalogue/check.js';
import type { Diagnostic, Label } from '../source/diagnostic.js';
import { positionAt, type SourceSet, type Span } from '../source/source-file.js';
import type { Name } from '../syntax/ast.js';
import type { MachineUnit, Unit } from './collect.js';
import { isReserved } from './reserved-names.js';
import { suggestName } from './suggest-name.js';
import type { SymbolTable } from './symbol-table.js';

const SLOT_WORDS: Readonly<Record<SlotRef['in'], string>> = {
  local: 'a local of this state',
  entry: 'an entry value',
  tracked: 'a tracked variable',
  input: 'an input',
};

/**
 * A name of an inner scope: a pattern's parameter, a FOR EACH variable, the contract in ON ERROR. `orElse`: where it has
 * no value, the name means what it means outside.
 */
type Inner = { readonly slot: number; readonly orElse?: true } | Constant;

/** A value that is known when the program is compiled, with the place that gives it: for a default, the USE. */
export interface Constant {
  readonly constant: Json;
  readonly given?: { readonly span: Span; readonly isDefault: boolean };
}

interface Scope {
  /** `workflow`: nothing around it is visible inside. */
  readonly kind: 'parameters' | 'loop' | 'handler' | 'workflow';
  readonly names: Map<string, Inner>;
  readonly read: Set<string>;
  /** Names that the body needs and is not given, with their first place, where parameters are what the body reads. */
  readonly missing: Map<string, Span> | undefined;
}

/** What all states of a machine share. */
export interface MachineScope {
  readonly unit: Unit;
  readonly machine: MachineUnit;
  readonly symbols: SymbolTable;
  readonly diagnostics: Diagnostic[];
  readonly sources: SourceSet;
  /** Keep what every name refers to, for `check --explain`. */
  readonly explain: boolean;
  readonly inputSlots: ReadonlyMap<string, number>;
  readonly trackedSlots: ReadonlyMap<string, number>;
  /** Entry slots by state. */
  readonly entrySlots: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** The index of a declared state. */
  stateIndex(name: string): number | null;
  /** The index of the ERROR state that the engine supplies. */
  builtinError(): number;
}

export interface DataUse {
  readonly reads: DataRead[];
  readonly writes: DataWrite[];
  /** It has a CALL or PLAN, whatever that writes. */
  calls: boolean;
}

export interface DataRead {
  readonly path: readonly [string, ...string[]];
  readonly span: Span;
  /** It is where an absent value is no mistake. */
  readonly spared: boolean;
  /** A branch next to the one it is in writes it: where that does, and all of the branches. */
  readonly parallel?: { readonly write: { readonly span: Span }; readonly fork: { readonly span: Span } };
}

export interface DataWrite {
  readonly path: readonly [string, ...string[]];
  readonly span: Span;
  /** How it is added to what is there; null: the first writer wins. */
  readonly method: string | null;
}

/** Two values that an expression compares, or one that it needs to be a number or boolean. */
export interface TypeUse {
  readonly span: Span;
  readonly operator: string;
  readonly left: TypedOperand;
  readonly right: TypedOperand;
}

export interface TypedOperand {
  readonly expr: Expr;
  readonly span: Span;
}

/** The outcome of asking for a name. */
type Resolved = { readonly expr: Expr } | null;

export class StateScope {
  /** Names of local slots, hidden ones included. */
  readonly locals: string[] = [];
  /** First read of each entry value that nothing else in scope could give. */
  readonly entryReads = new Map<string, Span>();
  /** Local slots that some expression reads. */
  readonly readSlots = new Set<number>();
  /** What names refer to, when the caller explains. */
  readonly references: { readonly span: Span; readonly text: string }[] = [];
  /** What is read and written of the data that need not be there, in the order of the text. */
  readonly dataUse: DataUse = { reads: [], writes: [], calls: false };
  /** What expressions ask of the types of values, for `compares-unlike` and `untyped-input`. */
  readonly typeUses: TypeUse[] = [];
  /** Names without a value in texts, each reported once for a state. */
  private readonly reportedInText = new Set<string>();
  private readonly slots = new Map<string, number>();
  private readonly scopes: Scope[] = [];
  /** Kept, since every name is looked up here. */
  private visible: readonly Scope[] = [];
  /** A workflow is being written out, which sees no variable of the state. */
  private isIsolated = false;

  constructor(
    readonly shared: MachineScope,
    readonly state: string,
  ) {
    for (const name of shared.symbols.states.get(state)?.bound.keys() ?? [])
      this.slots.set(name, this.hiddenSlot(name));
  }

  /** A slot of its own, for values without a name in the program. */
  hiddenSlot(name: string): number {
    return this.locals.push(name) - 1;
  }

  /** The slot of a name that this state binds. */
  local(name: string): number {
    let slot = this.slots.get(name);
    if (slot === undefined) {
      slot = this.hiddenSlot(name);
      this.slots.set(name, slot);
    }
    return slot;
  }

  push(kind: Scope['kind'], names: Iterable<readonly [string, Inner]>, missing?: Map<string, Span>): Scope {
    const scope: Scope = { kind, names: new Map(names), read: new Set(), missing };
    this.scopes.push(scope);
    this.visible = this.visibleNow();
    return scope;
  }

  pop(): void {
    this.scopes.pop();
    this.visible = this.visibleNow();
  }

  /** Scopes that are visible, innermost first. A pattern's body does not see the parameters of its user. */
  private visibleNow(): Scope[] {
    const wall = this.scopes.findLastIndex(({ kind }) => kind === 'workflow');
    this.isIsolated = wall >= 0;
    const inner = this.scopes.findLastIndex(({ kind }) => kind === 'parameters');
    return this.scopes.filter(({ kind }, at) => at >= wall && (at >= inner || kind !== 'parameters')).reverse();
  }

  /** The value of a name, or null when nothing binds it here. Notes that it was read, and whether it has to be there. */
  read(name: string, span: Span, isNeeded = true): Resolved {
    for (const scope of this.visible) {
      const inner = scope.names.get(name);
      if (inner === undefined) continue;
      scope.read.add(name);
      this.refer(
        name,
        span,
        scope.kind === 'loop'
          ? 'the variable of FOR EACH'
          : scope.kind === 'handler'
            ? 'part of the error'
            : 'a parameter',
      );
      if ('constant' in inner) return { expr: { op: 'const', value: inner.constant } };
      const outside = inner.orElse ? this.slotRefs(name) : [];
      for (const slot of outside) if (slot.in === 'local') this.readSlots.add(slot.slot);
      return { expr: { op: 'read', name, places: [{ in: 'local', slot: inner.slot }, ...outside] } };
    }
    const slots = this.slotRefs(name);
    if (slots.length === 0) return null;
    for (const slot of slots) if (slot.in === 'local') this.readSlots.add(slot.slot);
    if (this.shared.explain) this.refer(name, span, slots.map((p) => SLOT_WORDS[p.in]).join(', else '));
    if (isNeeded && slots.every((p) => p.in === 'entry') && !this.entryReads.has(name)) this.entryReads.set(name, span);
    const bound = slots[0]?.in === 'local' ? this.shared.symbols.states.get(this.state)?.bound.get(name) : undefined;
    const source = bound && this.shared.sources[bound.file];
    if (bound === undefined || source === undefined) return { expr: { op: 'read', name, places: slots } };
    return { expr: { op: 'read', name, places: slots, boundAt: positionAt(source, bound.start).line } };
  }

  /** Keeps what a reference is, for who explains. */
  explainReference(span: Span, text: string): void {
    if (this.shared.explain) this.references.push({ span, text });
  }

  private refer(name: string, span: Span, what: string): void {
    if (this.shared.explain) this.references.push({ span, text: `\`${name}\` is ${what}` });
  }

  private slotRefs(name: string): SlotRef[] {
    const slots: SlotRef[] = [];
    if (this.isIsolated) return slots;
    const local = this.slots.get(name);
    if (local !== undefined) slots.push({ in: 'local', slot: local });
    const entry = this.shared.entrySlots.get(this.state)?.get(name);
    if (entry !== undefined) slots.push({ in: 'entry', slot: entry });
    const tracked = this.shared.trackedSlots.get(name);
    if (tracked !== undefined) slots.push({ in: 'tracked', slot: tracked });
    const input = this.shared.inputSlots.get(name);
    if (input !== undefined) slots.push({ in: 'input', slot: input });
    // A copy has the size it needs; an array that grew holds room for more, and a program has many of these.
    return slots.slice();
  }

  /** Whether a variable of that name is visible; unlike `read`, asking leaves no trace. */
  has(name: string): boolean {
    for (const scope of this.visible) if (scope.names.has(name)) return true;
    return this.slotRefs(name).length > 0;
  }

  /** Whether a word is neither a variable, here or in another state, nor the misspelt name of one. */
  isNewWord(name: string): boolean {
    if (this.has(name) || this.shared.symbols.binders(name).length > 0) return false;
    return suggestName(this.shared.diagnostics, name, () => this.names()) === undefined;
  }

  /** What the workflow around was given, or else the program: its inputs, but for secret ones. */
  givenNames(): string[] {
    const called = this.scopes.findLast(({ kind }) => kind === 'workflow');
    if (called !== undefined) return [...called.names.keys()];
    const { inputs } = this.shared.unit;
    return [...this.shared.inputSlots.keys()].filter((name) => inputs.get(name)?.secret !== true);
  }

  /** The constant text a pattern parameter holds, for `GOTO {param}`; undefined when it is no parameter. */
  parameter(name: string): Inner | undefined {
    for (const scope of this.visible) {
      const inner = scope.names.get(name);
      if (inner !== undefined) {
        scope.read.add(name);
        return inner;
      }
    }
    return undefined;
  }

  /** Where SET writes: the innermost variable that may change, or null after reporting why not. */
  target(name: Name, verb: 'SET' | 'INCREMENT'): Target | null {
    const { diagnostics } = this.shared;
    // What is no name was reported where it is.
    if (!/^[A-Za-z_]\w*$/.test(name.text)) return null;
    for (const scope of this.visible) {
      if (!scope.names.has(name.text)) continue;
      const what =
        scope.kind === 'loop'
          ? 'the variable of a FOR EACH'
          : scope.kind === 'handler'
            ? 'part of the error'
            : 'a parameter';
      diagnostics.push(say.fixedValue(name.span, { name: name.text, what }));
      return null;
    }
    const slots = this.slotRefs(name.text);
    const local = slots.find((p) => p.in === 'local');
    const tracked = slots.find((p) => p.in === 'tracked');
    if (verb === 'SET' && local?.in === 'local') return local;
    if (tracked?.in === 'tracked') return tracked;
    const what =
      local !== undefined
        ? 'a local'
        : slots.some((p) => p.in === 'entry')
          ? 'an entry value'
          : slots.length > 0
            ? 'an input'
            : 'not bound';
    if (what === 'an entry value' || what === 'an input') {
      diagnostics.push(say.fixedValue(name.span, { name: name.text, what }));
    } else {
      const trackedNames = () => (slots.length === 0 ? this.shared.trackedSlots.keys() : []);
      const facts = { name: name.text, what, verb, near: suggestName(diagnostics, name.text, trackedNames) };
      diagnostics.push(say.notTracked(name.span, facts));
    }
    return null;
  }

  /** Every name visible here, for suggestions. */
  private *names(): Generator<string> {
    for (const scope of this.visible) yield* scope.names.keys();
    if (!this.isIsolated) {
      yield* this.slots.keys();
      yield* this.shared.entrySlots.get(this.state)?.keys() ?? [];
      yield* this.shared.trackedSlots.keys();
      yield* this.shared.inputSlots.keys();
    }
    yield* ['true', 'false', 'null'];
  }

  /** Takes note of a name that the pattern around it should be given; false where parameters are declared. */
  misses(name: string, span: Span): boolean {
    for (const { kind, missing } of this.visible) {
      if (kind !== 'parameters') continue;
      if (missing !== undefined && !missing.has(name)) missing.set(name, span);
      return missing !== undefined;
    }
    return false;
  }

  /** Reports a name that nothing binds: with the state that does bind it, where there is one. */
  reportUnknown(name: string, span: Span, where: 'error' | 'text' | 'shell'): void {
    if (where === 'text' ? this.reportedInText.has(name) : this.misses(name, span)) return;
    const { diagnostics } = this.shared;
    const facts = { name, state: this.state, near: suggestName(diagnostics, name, () => this.names()) };
    if (where === 'text') {
      this.reportedInText.add(name);
      diagnostics.push(say.unknownInText(span, facts));
      return;
    }
    const elsewhere = this.shared.symbols.binders(name).find(({ state }) => state !== this.state);
    if (elsewhere !== undefined) {
      const other = elsewhere.state;
      const bound: Label = { span: elsewhere.span, text: `bound here, in ${other}, and dropped by the next GOTO` };
      diagnostics.push(say.outOfScope(span, { name, state: this.state, other, bound }));
    } else diagnostics.push(say.unknownName(span, { ...facts, shell: where === 'shell' }));
  }

  /** Reports a name that no instruction may bind, and a local that hides a tracked variable. */
  declare(name: Name, tracked: boolean): void {
    if (isReserved(name.text)) this.shared.diagnostics.push(say.reservedName(name.span, { name: name.text }));
    else if (!tracked && this.shared.trackedSlots.has(name.text))
      this.shared.diagnostics.push(say.shadowsTracked(name.span, { name: name.text }));
  }
}
