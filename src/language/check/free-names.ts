/** The names that an expression reads, in the written order. */
import { unreachable } from '../../prelude/unreachable.js';
import type { Expression, Template } from '../syntax/expression-nodes.js';

export interface FreeName {
  readonly name: string;
  readonly span: Expression['span'];
}

/** Calls `visit` for every node of the expression, including its templates, parents first. */
export function visitExpression(expression: Expression, visit: (e: Expression) => void): void {
  visit(expression);
  switch (expression.kind) {
    case 'text':
      visitTemplate(expression.template, visit);
      return;
    case 'list':
      for (const item of expression.items) visitExpression(item, visit);
      return;
    case 'object':
      for (const entry of expression.entries) visitExpression(entry.value, visit);
      return;
    case 'references':
      for (const item of expression.of) visitExpression(item, visit);
      return;
    case 'index':
      visitExpression(expression.of, visit);
      visitExpression(expression.index, visit);
      return;
    case 'call':
      for (const arg of expression.args) visitExpression(arg, visit);
      return;
    case 'arithmetic':
    case 'logical':
    case 'compare':
      visitExpression(expression.left, visit);
      visitExpression(expression.right, visit);
      return;
    case 'field':
    case 'maybe':
    case 'negate':
    case 'not':
    case 'test':
      visitExpression(expression.of, visit);
      return;
    case 'number':
    case 'constant':
    case 'name':
    case 'data-reference':
    case 'step-key':
    case 'broken':
      return;
    default:
      return unreachable(expression);
  }
}

export function visitTemplate(template: Template, visit: (e: Expression) => void): void {
  for (const part of template.parts) if (typeof part !== 'string') visitExpression(part.expression, visit);
}

export function freeNames(expression: Expression): FreeName[] {
  const names: FreeName[] = [];
  visitExpression(expression, (e) => {
    if (e.kind === 'name') names.push({ name: e.name, span: e.span });
  });
  return names;
}
