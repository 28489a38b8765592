/**
 * The parts of a text between its interpolations. `{n + 1}` with a value `n` is computed there, and what other languages
 * write for a value is a mistake: nothing that names a value stays text without a word.
 */
import { textMessages as say } from '../../source/catalogue/texts.js';
import type { Diagnostic, Span } from '../../source/diagnostic.js';
import type { Interpolation, Template } from '../../syntax/expression-nodes.js';
import { doubledBraces, oddBraces, punctuatedName, statementInBraces } from '../../syntax/tree/odd-braces.js';
import { isSurelyMeant, namesIn } from '../shell/odd-names.js';

/** The names that a text can read, and where mistakes are reported. */
interface NamesInText {
  has(name: string): boolean;
  readonly shared: { readonly diagnostics: Diagnostic[] };
  /** What braces may contain in a text that is known before the run; absent in a text of the run. */
  readonly only?: RegExp;
}

/** What texts can read of steps: `isOfSteps` of an `ExpressionContext`. */
interface StepsInText {
  isOfSteps(name: string): 'step' | 'attempt' | null;
}

const ODD = /[{$]/;
const DOLLAR = /\$([A-Za-z_]\w*)/g;
/** A dollar sign before an amount of money is meant as one. */
const MONEY = /cost|price|amount|total|sum|budget|fee|balance|usd|dollar|money|paid|bill/i;

/** The parts of a template, with expressions in braces as interpolations. */
export function partsOf(template: Template, scope: NamesInText, steps?: StepsInText): Template['parts'] {
  const { parts } = template;
  if (!parts.some((part) => typeof part === 'string' && ODD.test(part))) return parts;
  const { raw, span } = template;
  for (const { at, name, written, instead } of doubledBraces(raw)) {
    if (!scope.has(name) && steps?.isOfSteps(name) !== 'step') continue;
    const start = span.start + at;
    const where = span.end - span.start === raw.length ? { ...span, start, end: start + written.length } : span;
    scope.shared.diagnostics.push(say.braces(where, { written, kind: 'doubled', name, instead }));
  }
  let from = 0;
  return parts.flatMap((part, at) => {
    if (typeof part !== 'string') {
      const found = raw.indexOf('}', from);
      from = found < 0 ? from : found + 1;
      return [part];
    }
    // The sign before a value stands at the end of the text before it.
    const next = parts[at + 1];
    if (part.endsWith('$') && typeof next === 'object') reportDollar(next, scope);
    return split(part, template, from, scope, steps);
  });
}

/** `${name}`, which the language writes without the `$`. */
function reportDollar({ expression, span }: Interpolation, scope: NamesInText): void {
  if (expression.kind !== 'name' || MONEY.test(expression.name) || !scope.has(expression.name)) return;
  const { name } = expression;
  const where = { ...span, start: span.start - 1 };
  scope.shared.diagnostics.push(say.dollar(where, { name, written: `\${${name}}` }));
}

function split(
  text: string,
  template: Template,
  from: number,
  scope: NamesInText,
  steps: StepsInText | undefined,
): (string | Interpolation)[] {
  const { raw, span } = template;
  const { diagnostics } = scope.shared;
  // A text on its own lines has lost its indentation, so its offsets are not offsets of the file.
  const isExact = span.end - span.start === raw.length;
  let searched = from;
  const locate = (written: string): Span => {
    const at = raw.indexOf(written, searched);
    if (!isExact || at < 0) return span;
    searched = at + 1;
    return { ...span, start: span.start + at, end: span.start + at + written.length };
  };
  for (const [written, name = ''] of text.matchAll(DOLLAR))
    if (scope.has(name)) diagnostics.push(say.dollar(locate(written), { name, written }));
  searched = from;
  const split: (string | Interpolation)[] = [];
  let rest = 0;
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at + 1)) {
    if (at < rest || text[at - 1] === '{') continue;
    const begins = isExact ? raw.indexOf(text.slice(at, at + 12), searched) : -1;
    const found =
      oddBraces(text, at, span.file, (offset) => span.start + Math.max(0, begins) + offset - at) ??
      punctuatedName(text, at);
    if (found === null) {
      const statement = statementInBraces(text, at);
      if (statement === null || !scope.has(statement.name)) continue;
      const onlyInputs = scope.only !== undefined;
      diagnostics.push(
        say.braces(locate(statement.written), { ...statement, kind: 'other', instead: null, onlyInputs }),
      );
      continue;
    }
    const names = namesIn(found);
    // `{ error }` may be of another language, `{error` hardly.
    const isPlain = found.kind === 'computed' && found.expression.kind === 'name';
    const isRead = (name: string): boolean => {
      const of = scope.has(name) ? 'step' : (steps?.isOfSteps(name) ?? null);
      return of === 'step' || (of === 'attempt' && !isPlain);
    };
    if (names.length === 0 ? !isSurelyMeant(found) : !names.some(isRead)) continue;
    const where = locate(found.written);
    if (found.kind === 'broken') {
      diagnostics.push(say.brokenCall(where, found));
      continue;
    }
    if (found.kind !== 'computed') {
      const instead = 'instead' in found ? found.instead : null;
      const onlyInputs = scope.only !== undefined && (instead === null || !scope.only.test(instead));
      diagnostics.push(say.braces(where, { ...found, instead: onlyInputs ? null : instead, onlyInputs }));
      continue;
    }
    if (found.expression.kind === 'name' && !/^\{\s|\s\}$/.test(found.written)) continue;
    if (at > rest) split.push(text.slice(rest, at));
    split.push({ expression: found.expression, list: false, span: where });
    rest = at + found.written.length;
  }
  if (rest < text.length) split.push(text.slice(rest));
  return split;
}
