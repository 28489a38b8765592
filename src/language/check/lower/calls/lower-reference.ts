/** Resolves data references such as `†state.user.name`: checks their kinds, and the names that the program declares. */
import type { Expr } from '../../../../machine/expression.js';
import { nearest } from '../../../../prelude/nearest.js';
import { type DataPath, printPath } from '../../../../prelude/reference.js';
import { checkMessages as say } from '../../../source/catalogue/check.js';
import { planMessages } from '../../../source/catalogue/plan.js';
import type { Diagnostic, Span } from '../../../source/diagnostic.js';
import type { ShellText } from '../../../syntax/ast.js';
import type { DataReference, ReferenceMistake, Template } from '../../../syntax/expression-nodes.js';
import { dataReferenceEnd } from '../../../syntax/tokens/interpolation-scan.js';
import { type SymbolKey, symbolKey } from '../../program-index.js';
import type { StateScope } from '../../scope.js';

/** All kinds of data of a program. Those that can be written are `state` and `data`. */
export const KINDS: ReadonlySet<string> = new Set(['input', 'state', 'data', 'track']);

const NOTHING: Expr = { op: 'const', value: null };

/** `spared`: the reference is in a position that allows a missing value. */
export function lowerDataReference(e: DataReference, scope: StateScope, spared: boolean): Expr {
  const { diagnostics } = scope.shared;
  if (e.problem !== undefined) {
    diagnostics.push(mistakeOf(e.problem));
    return NOTHING;
  }
  const kind = e.root.text;
  if (!KINDS.has(kind)) {
    diagnostics.push(say.unknownKind(e.root.span, { name: kind, near: nearest(kind, KINDS), known: [...KINDS] }));
    return NOTHING;
  }
  const path: DataPath = [kind, ...e.path];
  if (kind === 'input') checkDeclared(e, scope, { names: scope.shared.inputSlots, what: 'input', verb: 'INPUT' });
  else if (kind === 'track')
    checkDeclared(e, scope, { names: scope.shared.trackedSlots, what: 'tracked variable', verb: 'TRACK' });
  else scope.dataUse.reads.push({ path, span: e.span, spared });
  if (scope.shared.index)
    scope.explainMention(e.span, 'read', `\`†${printPath(path)}\` is ${WORDS[kind]}`, symbolOf(path, scope));
  return { op: 'dagger', path };
}

/** Paths of inputs and tracked variables name those; all others are symbols of their own. */
function symbolOf([kind, ...rest]: DataPath, scope: StateScope): SymbolKey {
  const [name] = rest;
  if (kind === 'input' && name !== undefined) return symbolKey('input', '', name);
  if (kind === 'track' && name !== undefined) return scope.trackedKey(name);
  return pathKey([kind, ...rest]);
}

export function pathKey(path: DataPath): SymbolKey {
  return symbolKey('data-reference', '', `†${printPath(path)}`);
}

const WORDS: Readonly<Record<string, string>> = {
  input: 'an input',
  track: 'a tracked variable',
  state: 'data that a CALL or PLAN wrote',
  data: 'data that a CALL or PLAN wrote',
};

export function mistakeOf({ kind, message, help, span }: ReferenceMistake): Diagnostic {
  const facts = { problem: message, help };
  return kind === 'mixed' ? planMessages.mixedOperators(span, facts) : planMessages.refSyntax(span, facts);
}

interface DeclaredPaths {
  readonly names: ReadonlyMap<string, number>;
  readonly what: string;
  readonly verb: string;
}

/** Inputs and tracked variables are known before anything runs, so any other name is misspelt. */
function checkDeclared(e: DataReference, scope: StateScope, { names, what, verb }: DeclaredPaths): void {
  const name = e.path[0];
  if (name === undefined || names.has(name)) return;
  const kind = e.root.text;
  const near = nearest(name, names.keys());
  scope.shared.diagnostics.push(
    say.unknownReferenceName(e.span, {
      path: `†${printPath([kind, ...e.path])}`,
      what,
      near: near === undefined ? undefined : `†${printPath([kind, near, ...e.path.slice(1)])}`,
      declare: `declare it with \`${verb}: ${name}\``,
    }),
  );
}

/** Matches only clear references. `{†…` is a real reference or an escape, and `††` is deliberate text. */
const EMBEDDED = /(?<![{†])†(?:input|state|data|track)[.[]/g;

/**
 * Reports references in a text without braces, which stay text. People who copy a reference from a plan do not expect
 * this.
 */
export function lintEmbedded(template: Template, diagnostics: Diagnostic[]): void {
  if (!template.parts.some((part) => typeof part === 'string' && part.includes('†'))) return;
  const { span, raw } = template;
  // A text on its own lines has lost its indentation, so its offsets are not offsets of the file.
  const exact = span.end - span.start === raw.length;
  for (const [start, end] of findEmbedded(raw)) {
    const where = exact ? { ...span, start: span.start + start, end: span.start + end } : span;
    diagnostics.push(say.embeddedReference(where, { reference: raw.slice(start, end) }));
    if (!exact) return;
  }
}

export function lintEmbeddedInShell(
  { text, span }: ShellText,
  sourceOffset: (offset: number) => number,
  diagnostics: Diagnostic[],
): void {
  if (!text.includes('†')) return;
  for (const [start, end] of findEmbedded(text)) {
    const where: Span = { file: span.file, start: sourceOffset(start), end: sourceOffset(end - 1) + 1 };
    diagnostics.push(say.embeddedReference(where, { reference: text.slice(start, end) }));
  }
}

/** A few are enough; a long text may contain thousands. */
const MOST = 10;

/** The ranges of references outside of braces. References inside a call in braces are read. */
function findEmbedded(text: string): [number, number][] {
  const ranges: [number, number][] = [];
  for (const { index } of text.matchAll(EMBEDDED)) {
    if (ranges.length === MOST) break;
    const open = text.lastIndexOf('{', index);
    const read = open >= 0 && /[\w†]/.test(text[open + 1] ?? '') && text.lastIndexOf('}', index) < open;
    if (read && text.lastIndexOf('\n', index) < open) continue;
    // The full stop of a sentence is not part of the reference.
    const reference = text.slice(index, dataReferenceEnd(text, index)).replace(/\.+$/, '');
    if (/[.[]/.test(reference)) ranges.push([index, index + reference.length]);
  }
  return ranges;
}
