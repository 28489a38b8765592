/**
 * Lowers `with` lists. After `=`, a bare word is text. If a variable has that name, the meaning is unclear, so it is an
 * error instead of a guess.
 */
import type { Expr } from '../../machine/expression.js';
import type { EntryArgument } from '../../machine/machine.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { Argument, ArgumentValue } from '../../syntax/ast.js';
import type { Name } from '../../syntax/step-key.js';
import { lowerExpression } from './expression.js';
import type { StateLowering } from './state-lowering.js';

/** The value of one argument. `x` alone is the variable `x`. */
export function lowerArgument(l: StateLowering, name: Name, value: ArgumentValue | undefined): Expr {
  if (value === undefined) return lowerExpression({ kind: 'name', name: name.text, span: name.span }, l);
  if (value.kind === 'expression') return lowerExpression(value.expression, l);
  const word = value.word.text;
  if (l.scope.has(word)) {
    l.diagnostics.push(say.ambiguousWord(value.span, { word }));
    return lowerExpression({ kind: 'name', name: word, span: value.span }, l);
  }
  return { op: 'const', value: word };
}

export function lowerArguments(l: StateLowering, args: readonly Argument[]): EntryArgument[] {
  // Only a second argument can repeat a name.
  const seen = args.length > 1 ? new Set<string>() : null;
  const lowered: EntryArgument[] = [];
  for (const argument of args) {
    if (seen?.has(argument.name.text)) {
      l.diagnostics.push(say.duplicateArgument(argument.name.span, { name: argument.name.text }));
      continue;
    }
    seen?.add(argument.name.text);
    lowered.push({ name: argument.name.text, value: lowerArgument(l, argument.name, argument.value) });
  }
  return lowered;
}
