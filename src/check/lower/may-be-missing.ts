/**
 * Names that may be null because the member that gives them may fail or be stopped. Reading a field of one fails the run
 * just when something went wrong already, so it is reported where no condition has asked before. Names are noted, bound
 * again and read in the order of the text, which is the order in which a state runs.
 */
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { Span } from '../../source/source-file.js';
import type { Expression } from '../../syntax/ast.js';
import { freeNames } from '../free-names.js';

interface Noted {
  /** Where it is bound. */
  readonly span: Span;
  /** Its elements may be null, and it is always a list. */
  readonly list: boolean;
}

/** A condition that reads one of these asks how the members ended. */
const ASKS_FOR_ALL = new Set(['timed_out', 'failures']);

export class MayBeMissing {
  private names = new Map<string, Noted>();
  private spared = 0;

  constructor(private readonly diagnostics: Diagnostic[]) {}

  note(name: string, noted: Noted): void {
    this.names.set(name, noted);
  }

  /** Something else gives the name its value. */
  bind(name: string): void {
    this.names.delete(name);
  }

  /** What is read where a missing value is no mistake. */
  sparing<T>(read: () => T): T {
    this.spared++;
    const result = read();
    this.spared--;
    return result;
  }

  /** A field or an element is read. */
  checkRead(e: Extract<Expression, { kind: 'field' | 'index' }>, isLocal: (name: string) => boolean): void {
    if (this.names.size === 0 || this.spared > 0) return;
    let depth = 1;
    let of = e.of;
    for (; of.kind === 'field' || of.kind === 'index'; of = of.of) depth++;
    const noted = of.kind === 'name' ? this.names.get(of.name) : undefined;
    if (of.kind !== 'name' || noted === undefined || !isLocal(of.name)) return;
    // The rest of a longer path was reported with the path.
    if (depth !== (noted.list ? 2 : 1)) return;
    const label = { span: noted.span, text: 'set by a member, which may fail or be stopped' };
    const what = noted.list ? `an element of \`${of.name}\`` : `\`${of.name}\``;
    this.diagnostics.push(say.mayBeMissing(e.span, { what, label, end: { ...e.span, start: e.span.end } }));
  }

  /** Lowers what a condition decides about: what it asks for is known there, and also below where an arm leaves. */
  within<T>(conditions: readonly Expression[], lower: () => { result: T; leaves: boolean }): T {
    if (this.names.size === 0) return lower().result;
    const asked = new Set(conditions.flatMap((one) => askedIn(one)));
    const all = [...asked].some((name) => ASKS_FOR_ALL.has(name));
    const known = [...this.names].filter(([name]) => all || asked.has(name));
    for (const [name] of known) this.names.delete(name);
    const { result, leaves } = lower();
    if (!leaves) for (const [name, noted] of known) this.names.set(name, noted);
    return result;
  }
}

/** Names of which a condition asks whether they are there, and those that say how the members ended. */
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

function namesOf(e: Expression): string[] {
  return e.kind === 'name' ? [e.name] : endings(e);
}

function isNull(e: Expression): boolean {
  return e.kind === 'constant' && e.value === null;
}
