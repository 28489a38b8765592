/** Paths of expressions as they were written, for messages. */
import type { Expr } from '../../machine/expression.js';
import { printPath } from '../../prelude/reference.js';

/** How a path was written, for messages. */
export function pathText(expr: Expr): string {
  switch (expr.op) {
    case 'read':
      return expr.name;
    case 'field':
      return `${pathText(expr.of)}.${expr.name}`;
    case 'index':
      return `${pathText(expr.of)}[${expr.index.op === 'const' ? JSON.stringify(expr.index.value) : pathText(expr.index)}]`;
    case 'maybe':
      return `${pathText(expr.of)}?`;
    case 'call':
      return `${expr.name}(…)`;
    case 'dagger':
      return `†${printPath(expr.path)}`;
    default:
      return '…';
  }
}
