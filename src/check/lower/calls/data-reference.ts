/** Resolves data references such as `†state.user.name`: checks their kinds, and the names that the program declares. */
import type { Expr } from '../../../machine/expression.js';
import { nearest } from '../../../prelude/nearest.js';
import { type DataPath, printPath } from '../../../prelude/reference.js';
import { checkMessages as say } from '../../../source/catalogue/check.js';
import { planMessages } from '../../../source/catalogue/plan.js';
import type { Diagnostic } from '../../../source/diagnostic.js';
import type { DataReference, ReferenceMistake } from '../../../syntax/step-key.js';
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
  scope.explainReference(e.span, `\`†${printPath(path)}\` is ${WORDS[kind]}`);
  return { op: 'dagger', path };
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

interface Declared {
  readonly names: ReadonlyMap<string, number>;
  readonly what: string;
  readonly verb: string;
}

/** Inputs and tracked variables are known before anything runs, so any other name is misspelt. */
function checkDeclared(e: DataReference, scope: StateScope, { names, what, verb }: Declared): void {
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
