/** Values of expressions that are known when the program is compiled. */
import type { Json } from '../../machine/expression.js';
import type { Expression } from '../../syntax/expression.js';
import { constantText } from './expression.js';

/** The value of a literal, or undefined if it contains a name or a call. */
export function constantOf(e: Expression): Json | undefined {
  switch (e.kind) {
    case 'number':
    case 'constant':
      return e.value;
    case 'text':
      return constantText(e.template) ?? undefined;
    case 'negate': {
      const of = constantOf(e.of);
      return typeof of === 'number' ? -of : undefined;
    }
    case 'list': {
      const items = e.items.map(constantOf);
      return items.every((i): i is Json => i !== undefined) ? items : undefined;
    }
    case 'object': {
      const entries = e.entries.map((entry) => [entry.key, constantOf(entry.value)] as const);
      return entries.every(([, v]) => v !== undefined) ? (Object.fromEntries(entries) as Json) : undefined;
    }
    default:
      return undefined;
  }
}
