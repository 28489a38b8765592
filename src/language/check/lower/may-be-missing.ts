/** Reports reads of fields of what may be null, because a member of a PARALLEL or a turn of a loop may not have ended well. */
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { Diagnostic, Span } from '../../source/diagnostic.js';
import type { Expression } from '../../syntax/expression-nodes.js';
import { freeNames } from '../free-names.js';

/** A name that may be null, or parts of which may be. */
export interface Noted {
  /** The location of the binding. */
  readonly span: Span;
  /** It is the variable of a loop. */
  readonly ofLoop?: true;
  /** What of it may be null, if it is itself always a list or an object. */
  readonly parts: 'an element' | 'a field' | null;
}

/** A condition that reads one of these names tests how the members ended. */
const ASKS_FOR_ALL = new Set(['timed_out', 'failures']);

/**
 * Names that may be null because the member that binds them may fail or be stopped. Reading a field of such a name
 * would fail the run when something already went wrong, so it is reported unless a condition tests first. Names are
 * recorded, rebound and read in the order of the text, which is the order of execution in a state.
 */
export class MayBeMissing {
  private readonly names = new Map<string, Noted>();
  private spared = 0;

  constructor(private readonly diagnostics: Diagnostic[]) {}

  /** An operand that may be missing is being lowered. */
  get isSparing(): boolean {
    return this.spared > 0;
  }

  note(name: string, noted: Noted): void {
    this.names.set(name, noted);
  }

  /** Something else binds the name. */
  bind(name: string): void {
    this.names.delete(name);
  }

  /** Lowers an operand that may be missing. */
  sparing<T>(read: () => T): T {
    this.spared++;
    const result = read();
    this.spared--;
    return result;
  }

  /** Lowers the turns of a loop through a list: the variable is an element of it. */
  throughout<T>(list: Expression, variable: string, lower: () => T): T {
    const noted = list.kind === 'name' ? this.names.get(list.name) : undefined;
    if (noted?.parts !== 'an element') return lower();
    const hidden = this.names.get(variable);
    this.names.set(variable, { ...noted, parts: null, ofLoop: true });
    const result = lower();
    if (hidden === undefined) this.names.delete(variable);
    else this.names.set(variable, hidden);
    return result;
  }

  /** Called when a field or an element is read. `isLocal`: no loop or parameter has a name like it. */
  checkRead(e: Extract<Expression, { kind: 'field' | 'index' }>, isLocal: (name: string) => boolean): void {
    if (this.names.size === 0 || this.spared > 0) return;
    let depth = 1;
    let of = e.of;
    for (; of.kind === 'field' || of.kind === 'index'; of = of.of) depth++;
    const noted = of.kind === 'name' ? this.names.get(of.name) : undefined;
    if (of.kind !== 'name' || noted === undefined) return;
    if (noted.ofLoop === undefined && !isLocal(of.name)) return;
    // The rest of a longer path is part of the same report.
    if (depth !== (noted.parts === null ? 1 : 2)) return;
    const label = { span: noted.span, text: 'set by a member, which may fail or be stopped' };
    const what = noted.parts === null ? `\`${of.name}\`` : `${noted.parts} of \`${of.name}\``;
    this.diagnostics.push(say.mayBeMissing(e.span, { what, label, end: { ...e.span, start: e.span.end } }));
  }

  /**
   * Lowers the code that a condition guards. Names that the condition tests are safe there, and also below if another
   * arm leaves.
   */
  within<T>(conditions: readonly Expression[], lower: () => { result: T; leaves: boolean }): T {
    if (this.names.size === 0) return lower().result;
    const asked = new Set(conditions.flatMap((one) => askedIn(one)));
    const all = [...asked].some((name) => ASKS_FOR_ALL.has(name));
    const isAsked = (name: string, { parts }: Noted) => asked.has(name) || (parts !== null && asked.has(partOf(name)));
    const known = [...this.names].filter(([name, noted]) => all || isAsked(name, noted));
    for (const [name] of known) this.names.delete(name);
    const { result, leaves } = lower();
    if (!leaves) for (const [name, noted] of known) this.names.set(name, noted);
    return result;
  }
}

/** The names that a condition tests for presence, and the names that say how the members ended. */
function askedIn(e: Expression): string[] {
  switch (e.kind) {
    case 'logical':
      return [...askedIn(e.left), ...askedIn(e.right)];
    case 'not':
      return askedIn(e.of);
    case 'test':
      return namesOf(e.of);
    case 'compare':
      if (e.operator !== '==' && e.operator !== '!=') return endings(e);
      return isNull(e.right) ? namesOf(e.left) : isNull(e.left) ? namesOf(e.right) : endings(e);
    default:
      return endings(e);
  }
}

function endings(e: Expression): string[] {
  return freeNames(e)
    .map(({ name }) => name)
    .filter((name) => ASKS_FOR_ALL.has(name));
}

/** What stands for the parts of a name among the names that a condition asks for. */
function partOf(name: string): string {
  return `${name}.`;
}

function namesOf(e: Expression): string[] {
  if (e.kind === 'name') return [e.name];
  const isPart = (e.kind === 'field' || e.kind === 'index') && e.of.kind === 'name';
  return isPart ? [partOf((e.of as Extract<Expression, { kind: 'name' }>).name), ...endings(e)] : endings(e);
}

function isNull(e: Expression): boolean {
  return e.kind === 'constant' && e.value === null;
}
