/** Which names odd braces read: they are meant as a value if one of the names has one. */
import type { OddBraces } from '../../syntax/tree/odd-braces.js';
import { freeNames, visitExpression } from '../free-names.js';

export function namesIn(found: OddBraces): readonly string[] {
  if (found.kind === 'broken') return found.names;
  return found.kind === 'computed' ? freeNames(found.expression).map(({ name }) => name) : [found.name];
}

/** Whether a value is meant although no name is read: a function is called. */
export function isSurelyMeant(found: OddBraces): boolean {
  let calls = found.kind === 'broken';
  if (found.kind === 'computed')
    visitExpression(found.expression, ({ kind }) => {
      calls ||= kind === 'call';
    });
  return calls;
}
