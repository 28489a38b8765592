/**
 * Decides whether the text after `DO: x =` is a value or a command. The same words can be both, so bound names decide,
 * and if they do not, the form of the words.
 */
import type { ShellText } from '../../syntax/ast.js';
import type { Expression } from '../../syntax/expression.js';
import { visitExpression } from '../free-names.js';
import { BUILTINS } from '../shell/programs.js';
import { isFunction } from './expression.js';
import type { StateLowering } from './state-lowering.js';

/**
 * The right side is a value if every name in it is bound. If it begins with a text, list, object or call, it is always
 * a value, because no command begins so.
 */
export function isValue(l: StateLowering, e: Expression): boolean {
  if (beginsAsValue(e)) return true;
  let known = true;
  visitExpression(e, (inner) => {
    if (inner.kind === 'name' && !l.scope.has(inner.name)) known = l.settings.anyNames && e.kind !== 'name';
    if (inner.kind === 'call' && !isFunction(inner.name.text)) known = false;
    if (inner.kind === 'broken') known = false;
  });
  return known;
}

function beginsAsValue(e: Expression): boolean {
  switch (e.kind) {
    case 'text':
    case 'list':
    case 'object':
    case 'broken':
      return true;
    case 'call':
      return e.name.text !== 'raw';
    case 'arithmetic':
      return beginsAsValue(e.left);
    default:
      return false;
  }
}

/**
 * Whether `total + 1` or `resutl.items[0]` was meant as a value although a name in it is not bound. Its first word must
 * not be a program, and it must contain something that no command line has: a word such as AND, an operator between
 * spaces next to a number or a bound name, or a path that begins like a bound name. Otherwise a missing program would
 * be reported as a missing name.
 */
export function isMeantAsValue(l: StateLowering, e: Expression, shell: ShellText): boolean {
  const { lookups, commands } = l.settings;
  const { onPath } = lookups;
  const word = /^\S+/.exec(shell.text)?.[0] ?? '';
  if (onPath === undefined || BUILTINS.has(word) || commands.has(word) || word.includes('/') || onPath(word))
    return false;
  switch (e.kind) {
    case 'field':
    case 'index':
    case 'maybe':
      return beginsLikeVariable(l, e);
    case 'arithmetic':
    case 'compare':
      // `tool -1` and `tool <file` are an option and a redirect.
      return !/[\w)\]}"']\s+[-+*/%<>]+[^\s=]/.test(shell.text) && hasValue(l, e);
    case 'logical':
    case 'not':
    case 'test':
      return true;
    default:
      return false;
  }
}

function beginsLikeVariable(l: StateLowering, e: Expression): boolean {
  let root = e;
  while (root.kind === 'field' || root.kind === 'index' || root.kind === 'maybe') {
    if (root.kind === 'index') return true;
    root = root.of;
  }
  return root.kind === 'name' && !l.scope.isNewWord(root.name);
}

function hasValue(l: StateLowering, e: Expression): boolean {
  let found = false;
  visitExpression(e, (inner) => {
    if (inner.kind === 'number' || inner.kind === 'text' || inner.kind === 'list') found = true;
    if (inner.kind === 'constant') found = true;
    if (inner.kind === 'name' && !l.scope.isNewWord(inner.name)) found = true;
  });
  return found;
}
