/**
 * The names that are visible at a point of a state, and the slots of their values. Lowering looks up every name here.
 * The scope records all reads, so that the lints need no separate walk.
 */

import type { Expr, Json, SlotRef } from '../../machine/expression.js';
import type { Target } from '../../machine/machine.js';
import { checkMessages as say } from '../source/catalogue/check.js';
import { type Diagnostic, type Label, positionAt, type SourceSet, type Span } from '../source/diagnostic.js';
import type { ArgumentValue } from '../syntax/ast.js';
import type { Expression, Name } from '../syntax/expression-nodes.js';
import { isReserved, type MachineUnit, type Unit } from './collect.js';
import { dashedWord } from './dashed-word.js';
import { freeNames } from './free-names.js';
import { entryKey, type Mention, type NameRole, type SymbolKey, symbolKey } from './program-index.js';
import { suggestName } from './suggest-name.js';
import type { SymbolTable } from './symbol-table.js';

/**
 * A name of an inner scope: a pattern's parameter, a FOR EACH variable, the contract in ON ERROR. `orElse`: if the slot
 * has no value, the name has its outer meaning.
 */
type InnerName = { readonly slot: number; readonly orElse?: true } | Constant;

/** A value that is known at compile time, and the location that supplies it: for a default, the USE. */
export interface Constant {
  readonly constant: Json;
  /** Its JSON text, if that differs from what JavaScript prints. */
  readonly printed?: string;
  readonly given?: {
    readonly span: Span;
    readonly isDefault: boolean;
    /** Where the value itself is written, which may be the argument of an outer USE. */
    readonly written: Span;
  };
}

interface NameScope {
  /** `workflow`: outer names are not visible inside. */
  readonly kind: 'parameters' | 'loop' | 'handler' | 'workflow';
  /** The pattern, the place of the loop, or the file of the workflow. */
  readonly owner: string;
  readonly names: Map<string, InnerName>;
  readonly read: Set<string>;
  /** If the parameters are the names that the body reads: the missing ones, with their first locations. */
  readonly missing: Map<string, Span> | undefined;
}

/** The part of the scope that all states of a machine share. */
export interface MachineScope {
  readonly unit: Unit;
  readonly machine: MachineUnit;
  readonly symbols: SymbolTable;
  readonly diagnostics: Diagnostic[];
  readonly sources: SourceSet;
  /** Notes the meaning of every name, for the index and `check --explain`. */
  readonly index: boolean;
  readonly inputSlots: ReadonlyMap<string, number>;
  readonly trackedSlots: ReadonlyMap<string, number>;
  /** Entry slots by state. */
  readonly entrySlots: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** The index of a declared state. */
  stateIndex(name: string): number | null;
  /** The index of the built-in state ERROR. */
  builtinError(): number;
}

export interface DataUse {
  readonly reads: DataRead[];
  readonly writes: CheckedWrite[];
  /** Whether there is any CALL or PLAN. */
  calls: boolean;
}

export interface DataRead {
  readonly path: readonly [string, ...string[]];
  readonly span: Span;
  /** The read is in a position that allows a missing value. */
  readonly spared: boolean;
  /** Set if a parallel branch writes the path: the locations of that write and of the whole fork. */
  readonly parallel?: { readonly write: { readonly span: Span }; readonly fork: { readonly span: Span } };
}

export interface CheckedWrite {
  readonly path: readonly [string, ...string[]];
  readonly span: Span;
  /** How the value is combined with an existing one; null if the first writer wins. */
  readonly method: string | null;
}

/** Two values that an expression compares, or one that must be a number or boolean. */
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

interface OuterName {
  readonly slots: readonly SlotRef[];
  /** The line that binds it, if the state does. */
  readonly boundAt: number | undefined;
  /** Only a GOTO supplies it. */
  readonly isEntry: boolean;
}

/** The result of looking up a name. */
type ResolvedName = { readonly expr: Expr } | null;

export class StateScope {
  /** Names of local slots, hidden ones included. */
  readonly locals: string[] = [];
  /** The first read of each entry value that nothing else in scope can supply. */
  readonly entryReads = new Map<string, Span>();
  /** Local slots that some expression reads. */
  readonly readSlots = new Set<number>();
  /** The meanings of names, if the caller wants an index. */
  readonly mentions: Mention[] = [];
  /** The reads and writes of data references, in the order of the text. */
  readonly dataUse: DataUse = { reads: [], writes: [], calls: false };
  /** The types that expressions require, for `compares-unlike` and `untyped-input`. */
  readonly typeUses: TypeUse[] = [];
  /** Names without a value in texts, each reported once per state. */
  private readonly reportedInText = new Set<string>();
  private readonly slots = new Map<string, number>();
  readonly declared = new Set<string>();
  /** What names mean outside of all inner scopes. A new slot makes it out of date. */
  private readonly outerNames = new Map<string, OuterName>();
  private readonly scopes: NameScope[] = [];
  /** Cached, because every name is looked up here. */
  private visible: readonly NameScope[] = [];
  /** A workflow is being inlined, which sees no variable of the state. */
  private isIsolated = false;

  constructor(
    readonly shared: MachineScope,
    readonly state: string,
  ) {
    for (const name of shared.symbols.states.get(state)?.bound.keys() ?? [])
      this.slots.set(name, this.hiddenSlot(name));
  }

  /** A new slot, for a value without a name in the program. */
  hiddenSlot(name: string): number {
    return this.locals.push(name) - 1;
  }

  /** The slot of a name that this state binds. */
  local(name: string): number {
    let slot = this.slots.get(name);
    if (slot === undefined) {
      slot = this.hiddenSlot(name);
      this.slots.set(name, slot);
      this.outerNames.delete(name);
    }
    return slot;
  }

  push(
    kind: NameScope['kind'],
    owner: string,
    names: Iterable<readonly [string, InnerName]>,
    missing?: Map<string, Span>,
  ): NameScope {
    const scope: NameScope = { kind, owner, names: new Map(names), read: new Set(), missing };
    this.scopes.push(scope);
    this.visible = this.visibleNow();
    return scope;
  }

  pop(): void {
    this.scopes.pop();
    this.visible = this.visibleNow();
  }

  get visibleScopes(): { readonly scopes: readonly NameScope[]; readonly isIsolated: boolean } {
    return { scopes: this.visible, isIsolated: this.isIsolated };
  }

  seeing<T>({ scopes, isIsolated }: StateScope['visibleScopes'], look: () => T): T {
    [this.visible, this.isIsolated] = [scopes, isIsolated];
    const result = look();
    this.visible = this.visibleNow();
    return result;
  }

  /** The visible scopes, innermost first. The body of a pattern does not see the parameters of an enclosing pattern. */
  private visibleNow(): NameScope[] {
    const wall = this.scopes.findLastIndex(({ kind }) => kind === 'workflow');
    this.isIsolated = wall >= 0;
    const inner = this.scopes.findLastIndex(({ kind }) => kind === 'parameters');
    return this.scopes.filter(({ kind }, at) => at >= wall && (at >= inner || kind !== 'parameters')).reverse();
  }

  /** The value of a name, or null if nothing binds it here. Records the read, and whether the value is required. */
  read(name: string, span: Span, isNeeded = true): ResolvedName {
    for (const scope of this.visible) {
      const inner = scope.names.get(name);
      if (inner === undefined) continue;
      scope.read.add(name);
      if (this.shared.index) this.mention(span, 'read', ...this.innerKeys(scope, inner, name));
      if ('constant' in inner) {
        const { constant: value, printed } = inner;
        return { expr: printed === undefined ? { op: 'const', value } : { op: 'const', value, printed } };
      }
      const outside = inner.orElse ? this.slotRefs(name) : [];
      for (const slot of outside) if (slot.in === 'local') this.readSlots.add(slot.slot);
      return { expr: { op: 'read', name, places: [{ in: 'local', slot: inner.slot }, ...outside] } };
    }
    const outer = this.isIsolated ? null : this.outerName(name);
    if (outer === null || outer.slots.length === 0) return null;
    const { slots, boundAt, isEntry } = outer;
    const [first] = slots;
    if (first?.in === 'local') this.readSlots.add(first.slot);
    if (this.shared.index) this.mention(span, 'read', ...this.outerKeys(name));
    if (isNeeded && isEntry && !this.entryReads.has(name)) this.entryReads.set(name, span);
    return {
      expr: boundAt === undefined ? { op: 'read', name, places: slots } : { op: 'read', name, places: slots, boundAt },
    };
  }

  /** All reads of a name share its slots, which are a large part of a machine. */
  private outerName(name: string): OuterName {
    let outer = this.outerNames.get(name);
    if (outer === undefined) {
      const slots = this.slotRefs(name);
      const bound = slots[0]?.in === 'local' ? this.shared.symbols.states.get(this.state)?.bound.get(name) : undefined;
      const source = bound && this.shared.sources[bound.file];
      const boundAt = bound === undefined || source === undefined ? undefined : positionAt(source, bound.start).line;
      outer = { slots, boundAt, isEntry: slots.every((p) => p.in === 'entry') };
      this.outerNames.set(name, outer);
    }
    return outer;
  }

  /** Notes what a name means. Does nothing if the caller wants no index. */
  mention(span: Span, role: NameRole, ...symbols: SymbolKey[]): void {
    if (this.shared.index && symbols.length > 0) this.mentions.push({ span, role, symbols });
  }

  /** The same with words for `check --explain`. */
  explainMention(span: Span, role: NameRole, note: string, symbol: SymbolKey): void {
    if (this.shared.index) this.mentions.push({ span, role, symbols: [symbol], note });
  }

  localKey(name: string): SymbolKey {
    return symbolKey('local', `${this.shared.machine.name}/${this.state}`, name);
  }

  trackedKey(name: string): SymbolKey {
    return symbolKey('tracked', this.shared.machine.name, name);
  }

  /** A value that is passed to a state of this machine; null for one that only the run knows. */
  entryKey(state: string | null, name: string): SymbolKey {
    return entryKey(this.shared.machine.name, state ?? '*', name);
  }

  private innerKeys({ kind, owner }: NameScope, inner: InnerName, name: string): SymbolKey[] {
    // A hidden name is not in the text.
    if (name.startsWith('$')) return [];
    if (kind === 'loop') return [symbolKey('loop', owner, name)];
    if (kind === 'parameters') return [symbolKey('parameter', owner, name)];
    if (kind === 'workflow') return [symbolKey('input', owner, name)];
    const isElse = 'slot' in inner && inner.orElse === true;
    return [this.entryKey('ERROR', name), ...(isElse ? this.outerKeys(name) : [])];
  }

  /** What a name means outside of all inner scopes, in the order of the look-up. */
  private outerKeys(name: string): SymbolKey[] {
    if (name.startsWith('$')) return [];
    return this.outerName(name).slots.flatMap((slot) => {
      if (slot.in === 'local') return [this.localKey(name)];
      if (slot.in === 'tracked') return [this.trackedKey(name)];
      if (slot.in === 'input') return [symbolKey('input', '', name)];
      const { entries } = this.shared.symbols;
      const keys = [this.entryKey(this.state, name)];
      if (entries.get('*')?.has(name) === true) keys.push(this.entryKey(null, name));
      return keys;
    });
  }

  /** Where the constant value of an argument is written: in it, or where a parameter that it names has its value from. */
  whereWritten({ text, span }: Name, value: ArgumentValue | undefined): Span {
    const name =
      value === undefined
        ? text
        : value.kind === 'word'
          ? value.word.text
          : value.expression.kind === 'name'
            ? value.expression.name
            : null;
    for (const scope of name === null ? [] : this.visible) {
      const inner = scope.names.get(name as string);
      if (inner === undefined) continue;
      if ('constant' in inner && inner.given !== undefined) return inner.given.written;
      break;
    }
    return value?.span ?? span;
  }

  /** Notes a name whose value decides, such as the parameter in `GOTO {next}`. */
  mentionParameter({ text, span }: Name): void {
    if (!this.shared.index) return;
    for (const scope of this.visible) {
      const inner = scope.names.get(text);
      if (inner !== undefined) return this.mention(span, 'read', ...this.innerKeys(scope, inner, text));
    }
  }

  slotRefs(name: string): SlotRef[] {
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
    // A copy has the exact size. An array that grew has spare capacity, and a program has many of these.
    return slots.slice();
  }

  /** Whether a variable of that name is visible. Unlike `read`, this records nothing. */
  has(name: string): boolean {
    for (const scope of this.visible) if (scope.names.has(name)) return true;
    return !this.isIsolated && this.outerName(name).slots.length > 0;
  }

  /** Whether a word is neither a variable, here or in another state, nor the misspelt name of one. */
  isNewWord(name: string): boolean {
    if (this.has(name) || this.shared.symbols.binders(name).length > 0) return false;
    return suggestName(this.shared.diagnostics, name, () => this.names()) === undefined;
  }

  /** The name of a variable that a word misspells. */
  near(word: string): string | undefined {
    const near = suggestName(this.shared.diagnostics, word, () => this.names());
    return near === undefined || ['true', 'false', 'null'].includes(near) ? undefined : near;
  }

  /** The inputs of the enclosing workflow, or else those of the program, without secret ones. */
  givenNames(): string[] {
    const called = this.scopes.findLast(({ kind }) => kind === 'workflow');
    if (called !== undefined) return [...called.names.keys()];
    const { inputs } = this.shared.unit;
    return [...this.shared.inputSlots.keys()].filter((name) => inputs.get(name)?.secret !== true);
  }

  /** A pattern parameter, for `GOTO {param}`; undefined if there is none of that name. */
  parameter(name: string): InnerName | undefined {
    for (const scope of this.visible) {
      const inner = scope.names.get(name);
      if (inner !== undefined) {
        scope.read.add(name);
        return inner;
      }
    }
    return undefined;
  }

  /**
   * The slot that SET writes: the innermost variable that may change. Returns null after reporting the reason if there
   * is none.
   */
  target(name: Name, verb: 'SET' | 'INCREMENT'): Target | null {
    const { diagnostics } = this.shared;
    // An invalid name has been reported already.
    if (!/^[A-Za-z_]\w*$/.test(name.text)) return null;
    for (const scope of this.visible) {
      const inner = scope.names.get(name.text);
      if (inner === undefined) continue;
      if (this.shared.index) this.mention(name.span, 'write', ...this.innerKeys(scope, inner, name.text));
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
    if (verb === 'SET' && local?.in === 'local') {
      if (this.shared.index) this.mention(name.span, 'write', this.localKey(name.text));
      return local;
    }
    if (tracked?.in === 'tracked') {
      if (this.shared.index) this.mention(name.span, 'write', this.trackedKey(name.text));
      return tracked;
    }
    if (this.shared.index) this.mention(name.span, 'write', ...this.outerKeys(name.text));
    const what =
      local !== undefined
        ? 'a local'
        : slots.some((p) => p.in === 'entry')
          ? 'an entry value'
          : slots.length > 0
            ? 'an input'
            : isReserved(name.text)
              ? 'a word of the language'
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

  /** All visible names, for suggestions. */
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

  /** Records a name that the enclosing pattern lacks as an argument. Returns false if its parameters are declared. */
  misses(name: string, span: Span): boolean {
    for (const { kind, missing } of this.visible) {
      if (kind !== 'parameters') continue;
      if (missing !== undefined && !missing.has(name)) missing.set(name, span);
      return missing !== undefined;
    }
    return false;
  }

  /** Reports a name that nothing binds, with the state that does bind it, if there is one. */
  reportUnknown(name: string, span: Span, where: 'error' | 'text' | 'shell' | 'prompt'): void {
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
      return;
    }
    const isExpression = where === 'error' || where === 'prompt';
    const isBound = (word: string) => this.has(word) || [...this.names()].includes(word);
    const dashed =
      facts.near === undefined && isExpression ? dashedWord(span, this.shared.sources, isBound) : undefined;
    const at = dashed === undefined ? span : { ...span, ...dashed.at };
    // The other parts of the word have the same cause.
    const said = dashed === undefined ? undefined : diagnostics.at(-1)?.span;
    if (said?.start === at.start && said.end === at.end && said.file === at.file) return;
    const given = { ...facts, ...dashed?.facts, passedTo: this.stateWith(name) };
    diagnostics.push(say.unknownName(at, { ...given, shell: where === 'shell', prompt: where === 'prompt' }));
  }

  /** Another state that gets a value of this name from a GOTO. */
  private stateWith(name: string): string | undefined {
    if (this.state === 'ERROR') return undefined;
    for (const [state, entry] of this.shared.entrySlots)
      if (state !== this.state && state !== '*' && state !== 'ERROR' && entry.has(name)) return state;
    return undefined;
  }

  /** Reports a name that no instruction may bind, and a local that hides a tracked variable; `value`: what is bound. */
  declare(name: Name, kind: 'local' | 'tracked' | 'loop', owner = '', value?: Expression, written?: string): void {
    const [{ text }, { diagnostics, trackedSlots }] = [name, this.shared];
    const key = () => (kind === 'tracked' ? this.trackedKey(text) : symbolKey('loop', owner, text));
    if (this.shared.index && kind === 'local') this.mention(name.span, 'bind', this.localKey(text));
    else if (this.shared.index) this.mention(name.span, 'declare', key());
    const isOwn = value?.kind === 'name' || this.declared.has(text);
    const isChange = value !== undefined && !isOwn && freeNames(value).some((one) => one.name === text);
    if (kind === 'local') this.declared.add(text);
    if (isReserved(text)) diagnostics.push(say.reservedName(name.span, { name: text }));
    else if (kind === 'tracked' || !trackedSlots.has(text)) return;
    else if (!isChange) diagnostics.push(say.shadowsTracked(name.span, { name: text, kind, written }));
    else diagnostics.push(say.changesTheCopy(name.span, { name: text, written: written ?? '…' }));
  }
}
