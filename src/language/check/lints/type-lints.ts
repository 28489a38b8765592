/**
 * Reports comparisons that can only fail: two scalars of different types, or an input without a type, which the command
 * line passes as text, with a number or boolean.
 */
import type { Expr } from '../../../machine/expression.js';
import type { Input } from '../../../machine/machine.js';
import { typeMessages as say } from '../../source/catalogue/expressions.js';
import type { Diagnostic, SourceSet } from '../../source/diagnostic.js';
import type { LoweredMachine } from '../lower/lower-machine.js';
import type { TypedOperand, TypeUse } from '../scope.js';
import { lintAbsentValues } from './absent-values.js';
import { mendComparison } from './comparison-mends.js';
import { KnownWords } from './known-words.js';
import { lintLastTurns } from './last-turns.js';
import { TextOrder } from './text-order.js';
import {
  BOOLEAN,
  isOutput,
  isWord,
  LIST,
  NULL,
  NUMBER,
  NUMBER_FUNCTIONS,
  OBJECT,
  TEXT,
  type Types,
  type TypesOf,
  VERSION,
  valueTypes,
  WHOLES,
} from './value-types.js';

export function lintTypes({ machine, states }: LoweredMachine, sources: SourceSet, diagnostics: Diagnostic[]): void {
  if (states.every(({ typeUses }) => typeUses.length === 0)) return;
  for (const state of states) {
    lintLastTurns(state, sources, diagnostics);
    lintAbsentValues(state, sources, diagnostics);
  }
  const types = valueTypes(machine);
  const words = new KnownWords(machine);
  const order = new TextOrder(machine);
  // One declaration corrects all uses of an input.
  const reported = new Set<string>();
  states.forEach(({ typeUses }, state) => {
    for (const use of typeUses) {
      const diagnostic =
        checkField(use, state, types, sources) ??
        checkElement(use, state, types, sources) ??
        checkTexts(use, state, types, sources) ??
        checkComparison(use, state, types, sources, words) ??
        checkOrder(use, state, types, sources, order) ??
        checkMembership(use, state, types, sources) ??
        checkOperands(use, state, types, sources, words) ??
        checkWhole(use, state, types, sources) ??
        words.check(use, state) ??
        untypedInput(use, state, types, machine.inputs, reported);
      if (diagnostic !== null) diagnostics.push(diagnostic);
    }
  });
}

/** `x.length`: only objects have fields, and null where `?` follows. */
function checkField(
  { operator, left, right }: TypeUse,
  state: number,
  types: TypesOf,
  sources: SourceSet,
): Diagnostic | null {
  if (operator !== '.' || right.expr.op !== 'const') return null;
  const found = types(left.expr, state);
  if (found === 0 || (found & (OBJECT | NULL)) !== 0) return null;
  const of = sources[left.span.file]?.text.slice(left.span.start, left.span.end) ?? '';
  const isText = (found & TEXT) !== 0;
  const type = isText && (found & ~TEXT) !== 0 ? 'text or a list' : found === LIST ? 'a list' : describeType(found);
  return say.noFields(right.span, { of, name: String(right.expr.value), type });
}

/** `text[0]`, and `list["name"]`. */
function checkElement(
  { operator, left, right }: TypeUse,
  state: number,
  types: TypesOf,
  sources: SourceSet,
): Diagnostic | null {
  if (operator !== '[]' || isPassed({ left, right }, sources)) return null;
  const found = types(left.expr, state);
  const index = types(right.expr, state);
  const of = textOf(left, sources);
  if (found !== 0 && (found & (STRUCTURE | NULL)) === 0) {
    const help = found === TEXT ? `write \`slice(${of}, 0, 1)\` for its first character` : 'use a list or an object';
    const needs = 'only a list and an object have elements';
    return say.wrongType(left.span, { needs, is: `\`${of}\` is ${describeType(found)}`, help });
  }
  if (found !== LIST || index === 0 || (index & NUMBER) !== 0) return null;
  return say.wrongType(right.span, {
    needs: 'a list has elements by their numbers',
    is: `this is ${describePrinted(index)}`,
    help: `take an element, as in \`${of}[0]\`, or go through them with FOR EACH`,
  });
}

/** `matches`, `starts with` and `ends with` of what is never a text. */
function checkTexts(use: TypeUse, state: number, types: TypesOf, sources: SourceSet): Diagnostic | null {
  if (!/^(?:matches|(?:starts|ends)-with)$/.test(use.operator) || isPassed(use, sources)) return null;
  for (const side of [use.left, use.right]) {
    const found = types(side.expr, state) & ~NULL;
    if (found === 0 || (found & TEXT) !== 0) continue;
    const of = textOf(side, sources);
    return say.wrongType(side.span, {
      needs: `\`${use.operator.replace('-', ' ')}\` compares two texts`,
      is: `\`${of}\` is ${describeType(found)}`,
      help:
        (found & STRUCTURE) === 0
          ? `write \`${side.expr.op === 'const' ? `"${of}"` : stringOf(of)}\` for its text`
          : 'look in it with `contains`',
    });
  }
  return null;
}

/**
 * Whether all operands are constants, and a USE passes one of them: another condition of the pattern may decide whether
 * they meet.
 */
function isPassed({ left, right }: Pick<TypeUse, 'left' | 'right'>, sources: SourceSet): boolean {
  if (left.expr.op !== 'const' || right.expr.op !== 'const') return false;
  return [left, right].some(
    (one) => isWord(textOf(one, sources)) && !/^(?:true|false|null)$/.test(textOf(one, sources)),
  );
}

/** A text that is only `{x}` has the type of its value. */
const stringOf = (written: string): string => `string(${/^"\{([^{}"]+)\}"$/.exec(written)?.[1] ?? written})`;

const textOf = ({ span }: TypedOperand, sources: SourceSet): string =>
  sources[span.file]?.text.slice(span.start, span.end) ?? '';

const STRUCTURE = LIST | OBJECT;
const SCALAR = TEXT | NUMBER | BOOLEAN | VERSION;
const ORDERED = TEXT | NUMBER | VERSION;

function checkComparison(
  use: TypeUse,
  state: number,
  types: TypesOf,
  sources: SourceSet,
  words: KnownWords,
): Diagnostic | null {
  if (use.operator !== '==' && use.operator !== '!=') return null;
  const left = types(use.left.expr, state) & ~NULL;
  const right = types(use.right.expr, state) & ~NULL;
  const isAlike = (left & right & SCALAR) !== 0 || ((left & STRUCTURE) !== 0 && (right & STRUCTURE) !== 0);
  if (isAlike || left === 0 || right === 0) return null;
  const known = words.wordsOf(use.left.expr, state) ?? words.wordsOf(use.right.expr, state);
  const fix = known === null ? mendComparison(use, left, right, sources) : null;
  return say.comparesUnlike(use.span, {
    operator: use.operator,
    left: describe(use.left, left, sources),
    right: describe(use.right, right, sources),
    words: known === null ? undefined : comparisonWith(known, use, sources),
    printed: [left, right].some((one) => (one & TEXT) !== 0 && (one & STRUCTURE) !== 0),
    structure: structureOf(left) ?? structureOf(right),
    name: convertibleName(use.left, left, sources) ?? convertibleName(use.right, right, sources),
    fix: fix?.fix,
    after: fix?.after,
  });
}

/** Of what is never a text, a number or another single value. */
function structureOf(types: Types): 'list' | 'object' | undefined {
  if ((types & ~STRUCTURE) !== 0) return undefined;
  return (types & LIST) === 0 ? 'object' : 'list';
}

/** `<` of two values that are not both numbers, texts or versions. */
function checkOrder(
  use: TypeUse,
  state: number,
  types: TypesOf,
  sources: SourceSet,
  order: TextOrder,
): Diagnostic | null {
  if (!/^[<>]=?$/.test(use.operator)) return null;
  const left = types(use.left.expr, state) & ~NULL;
  const right = types(use.right.expr, state) & ~NULL;
  if (left === 0 || right === 0 || (left & right & ORDERED) !== 0) {
    if (isOutput(left) && isOutput(right)) return say.comparesText(use.span, { operator: use.operator, outputs: true });
    const isMisled = (left & right & TEXT) !== 0 && order.misleads(use.left.expr, use.right.expr, state);
    return isMisled ? say.comparesText(use.span, { operator: use.operator, ...readAsNumbers(use, sources) }) : null;
  }
  const fix = mendComparison(use, left, right, sources);
  return say.comparesUnlike(use.span, {
    operator: use.operator,
    left: describe(use.left, left, sources),
    right: describe(use.right, right, sources),
    printed: isOutput(left) || isOutput(right),
    name: undefined,
    fix: fix?.fix,
    after: fix?.after,
  });
}

/** What to write for a comparison with a text that looks like a number or a version. */
function readAsNumbers(
  { operator, left, right }: TypeUse,
  sources: SourceSet,
): { readonly instead?: string; readonly unitless?: string } {
  const textOf = ({ span }: TypedOperand) => sources[span.file]?.text.slice(span.start, span.end) ?? '';
  const literal = [left, right].find(({ expr }) => expr.op === 'const')?.expr;
  const written = literal?.op === 'const' && typeof literal.value === 'string' ? literal.value.trim() : '';
  const isNumber = /^\d+$/.test(written);
  const [, amount] = /^(\d+)(?:\.\d+)?(?:ms|[a-zA-Z%])$/.exec(written) ?? [];
  if (amount !== undefined)
    return { unitless: left.expr === literal ? `${amount} ${operator} int(x)` : `int(x) ${operator} ${amount}` };
  if (!isNumber && !/^(?:[vV]\d|\d+\.\d+\.\d)/.test(written)) return {};
  const [a = '', b = ''] = [left, right].map((one) => {
    if (one.expr.op !== 'const') return isNumber ? `int(${textOf(one)})` : `version(${textOf(one)})`;
    return isNumber ? String(Number(written)) : `version("${written}")`;
  });
  return `${a}${b}`.length > 80 ? {} : { instead: `${a} ${operator} ${b}` };
}

const ADDED = NUMBER | TEXT | LIST;

/** Arithmetic with what is never a number, and conditions that are never true or false. */
function checkOperands(
  use: TypeUse,
  state: number,
  types: TypesOf,
  sources: SourceSet,
  words: KnownWords,
): Diagnostic | null {
  const { operator, span } = use;
  const wanted = operator === 'is' ? BOOLEAN : operator === '+' ? ADDED : numeric(operator) ? NUMBER : null;
  if (wanted === null) return null;
  const left = types(use.left.expr, state) & ~NULL;
  const right = types(use.right.expr, state) & ~NULL;
  // A literal in the place of a condition has a message of its own.
  const isLiteral = operator === 'is' && use.left.expr.op === 'const';
  if (left === 0 || right === 0 || isLiteral || isPassed(use, sources)) return null;
  const nameOf = (one: TypedOperand) => sources[one.span.file]?.text.slice(one.span.start, one.span.end) ?? '';
  if (operator === '+' && isOutput(left) && isOutput(right)) {
    const names = { left: nameOf(use.left), right: nameOf(use.right) };
    return isWord(names.left) && isWord(names.right) ? say.joinsOutputs(span, names) : null;
  }
  if ((left & right & wanted) !== 0) return null;
  // To blame is what is not a number, next to a number, and what is not a list, next to a list.
  const other = ((left | right) & LIST) !== 0 && ((left | right) & TEXT) === 0 ? LIST : NUMBER;
  const isListed = operator === '+' && (left === LIST) !== (right === LIST);
  const isLeft = isListed ? right === LIST : (left & wanted) === 0 || (operator === '+' && (left & other) === 0);
  const [wrong, of] = isLeft ? [use.left, left] : [use.right, right];
  const name = isWord(nameOf(wrong)) ? nameOf(wrong) : null;
  const is = name === null ? `this is ${describePrinted(of)}` : `\`${name}\` is ${describePrinted(of)}`;
  if (operator === 'is') {
    const known = words.wordsOf(wrong.expr, state);
    const help = known === null ? conditionFor(name ?? 'x', of) : comparisonWith(known, use, sources);
    return say.wrongType(span, { needs: 'a condition is true or false', is, help });
  }
  const needs =
    operator === '+'
      ? '`+` adds two numbers, two texts or two lists'
      : /^\w/.test(operator)
        ? `\`${operator}\` needs a number`
        : `\`${operator}\` needs numbers`;
  if (isListed)
    return say.wrongType(wrong.span, { needs, is, help: `write \`[${nameOf(wrong)}]\` to add it to the list` });
  return say.wrongType(wrong.span, { needs, is, help: numberFor(name, of, operator) });
}

const numeric = (operator: string): boolean =>
  /^(?:[-*/%]|INCREMENT(?: by)?)$/.test(operator) || NUMBER_FUNCTIONS.has(operator);

/** `FOR EACH: x in 3` and `join("a")`, which need a value of another type as a whole. */
function checkWhole({ operator, left }: TypeUse, state: number, types: TypesOf, sources: SourceSet): Diagnostic | null {
  const wanted = Object.hasOwn(WHOLES, operator) ? (WHOLES[operator] as Types) : 0;
  const found = types(left.expr, state) & ~NULL;
  if (wanted === 0 || found === 0 || (found & wanted) !== 0) return null;
  const text = sources[left.span.file]?.text.slice(left.span.start, left.span.end) ?? '';
  // A name with a dash has a message of its own.
  if (/^\w+-[A-Za-z]/.test(text)) return null;
  const isShort = /^\S{1,40}$/.test(text);
  const [name, isLoop] = [isShort ? text : '…', operator === 'FOR EACH'];
  return say.wrongType(left.span, {
    needs: needsOf(operator, wanted),
    is: `${isShort ? `\`${text}\`` : 'this'} is ${describePrinted(found)}`,
    help: operator === 'duration' ? durationFor(name, found) : wholeFor(name, found, wanted, isLoop),
  });
}

function needsOf(operator: string, wanted: Types): string {
  if (operator === 'FOR EACH') return 'FOR EACH goes through a list';
  return operator === 'duration' ? 'a duration needs a unit' : `\`${operator}\` needs ${describeWhole(wanted)}`;
}

function describeWhole(types: Types): string {
  if (types === (TEXT | LIST | OBJECT)) return 'text, a list or an object';
  return types === (TEXT | LIST) ? 'text or a list' : describeType(types);
}

function wholeFor(name: string, found: Types, wanted: Types, isLoop: boolean): string {
  if ((wanted & TEXT) !== 0 && (found & STRUCTURE) === 0) return `write \`${stringOf(name)}\` for its text`;
  if (wanted === LIST && found === NUMBER && isLoop) return `write \`range(${name})\` for a number of turns`;
  if (wanted === LIST && found === OBJECT) return `write \`keys(${name})\` or \`values(${name})\``;
  if (wanted === LIST && found === TEXT)
    return `write \`lines(${name})\` for its lines, or \`split(${name}, ",")\` for its parts`;
  if (wanted === LIST) return `write \`[${name}]\` for a list with one element`;
  return wanted === OBJECT ? 'use an object, such as JSON that a command printed' : 'use a value of that type';
}

function durationFor(value: string, found: Types): string {
  const quoted = 'use a text, such as `"10s"`';
  return found === NUMBER ? `write \`${value}s\` for seconds, or ${quoted}` : quoted;
}

function conditionFor(name: string, types: Types): string {
  if (isOutput(types))
    return `write \`${name} == "true"\`, or \`CHECK: ${name} = …\`, which reads \`true\` as a value and not as text`;
  if ((types & NUMBER) !== 0) return `write a comparison, such as \`${name} > 0\``;
  return `write a comparison, such as \`${name} is not empty\``;
}

const AGREES = /^(?:y|yes|true|ok|okay|on|go|ship|proceed|continue|confirm\w*|accept\w*|approve\w*|allow\w*)$/i;
const REFUSES = /^(?:n|no|false|off|stop|abort|cancel|deny|denied|reject\w*|refuse\w*|decline\w*|hold)$/i;

/** How to compare a variable that only has some words: none of them is true or false. */
function comparisonWith(known: readonly string[], { operator, left, right }: TypeUse, sources: SourceSet): string {
  const [value, other] = left.expr.op === 'read' ? [left, right] : [right, left];
  const name = sources[value.span.file]?.text.slice(value.span.start, value.span.end) ?? 'x';
  const constant = other.expr.op === 'const' ? other.expr.value : undefined;
  const word = known.find((one) => (constant === false ? REFUSES : AGREES).test(one));
  const sign = operator === '!=' ? '!=' : '==';
  if (word !== undefined && typeof constant === 'boolean') return `write \`${name} ${sign} "${word}"\``;
  return `write \`${name} ${sign} …\` with one of its values: ${known
    .slice(0, 12)
    .map((one) => `\`"${one}"\``)
    .join(', ')}`;
}

function numberFor(name: string | null, types: Types, operator: string): string {
  const isText = (types & TEXT) !== 0;
  if (operator === 'INCREMENT')
    return types === LIST
      ? `write \`SET: ${name} += [x]\` to add an element`
      : `track a number: \`TRACK: ${name} = 0\``;
  if (isText && name === null)
    return operator === '+' ? 'put both into one text, as in `"{a}{b}"`' : 'write a number without quotes';
  if (isText)
    return `write \`int(${name})\` for its number${operator === '+' ? `, or \`"{${name}}…"\` for a text` : ''}`;
  if (types === OBJECT)
    return 'write the object as a whole, as in `{"a": x.a, "b": 2}`, or add `[{"key": …, "value": …}]` to a list of pairs';
  return types === LIST ? `write \`len(${name ?? 'x'})\` for the number of its elements` : 'use values of one type';
}

/** `in` and `contains` of a list of which no element has the kind of the value, or of a number. */
function checkMembership(use: TypeUse, state: number, types: TypesOf, sources: SourceSet): Diagnostic | null {
  if (!/\b(?:in|contains)$/.test(use.operator)) return null;
  const [part, whole] =
    use.operator.endsWith('in') && !use.operator.endsWith('contains') ? [use.left, use.right] : [use.right, use.left];
  const wanted = types(part.expr, state) & ~NULL;
  const within = types(whole.expr, state) & ~NULL;
  if (within !== 0 && (within & (TEXT | LIST | OBJECT)) === 0)
    return say.wrongType(whole.span, {
      needs: `\`${use.operator.replace('-', ' ')}\` looks in a text, a list or an object`,
      is: `${describe(whole, within, sources).replace(/, which is (.*?),$/, ' is $1')}`,
      help: 'compare values with `==`',
    });
  if (within !== 0 && (within & LIST) === 0 && wanted !== 0 && (wanted & TEXT) === 0 && !isPassed(use, sources)) {
    const of = textOf(part, sources);
    return say.wrongType(part.span, {
      needs: `\`${use.operator.replace('-', ' ')}\` looks for a text in ${within === OBJECT ? 'the keys of an object' : 'a text'}`,
      is: `\`${of}\` is ${describeType(wanted)}`,
      help:
        (wanted & STRUCTURE) === 0
          ? `write \`${part.expr.op === 'const' ? `"${of}"` : stringOf(of)}\` for its text`
          : 'look for one of its parts',
    });
  }
  const among = elementTypes(whole.expr, (expr) => types(expr, state));
  if (among === null || among === 0 || (among & NULL) !== 0 || wanted === 0) return null;
  const isAlike = (wanted & among & SCALAR) !== 0 || ((wanted & STRUCTURE) !== 0 && (among & STRUCTURE) !== 0);
  if (isAlike) return null;
  return say.neverContains(use.span, {
    operator: use.operator.replace('-', ' '),
    part: describe(part, wanted, sources),
    elements: pluralOf(among),
  });
}

/** The types of the elements of a list that is written; null: not known. */
function elementTypes(expr: Expr, typeOf: (expr: Expr) => Types): Types | null {
  if (expr.op === 'list') return expr.items.reduce((types, item) => types | typeOf(item), 0);
  if (expr.op !== 'const' || !Array.isArray(expr.value)) return null;
  return expr.value.reduce<Types>((types, value) => types | typeOf({ op: 'const', value }), 0);
}

function pluralOf(types: Types): string {
  return types === NUMBER
    ? 'numbers'
    : types === TEXT
      ? 'texts'
      : types === VERSION
        ? 'versions'
        : types === BOOLEAN
          ? 'booleans'
          : 'other values';
}

/** The name of an operand that `string(…)` makes comparable with a text. */
function convertibleName({ expr, span }: TypedOperand, types: Types, sources: SourceSet): string | undefined {
  const text = sources[span.file]?.text.slice(span.start, span.end) ?? '';
  return expr.op !== 'const' && (types & TEXT) === 0 && isWord(text) ? text : undefined;
}

/** The description of an operand in a message: its name as written, with its type. */
function describe({ expr, span }: TypedOperand, types: Types, sources: SourceSet): string {
  const text = sources[span.file]?.text.slice(span.start, span.end).replace(/\s+/g, ' ') ?? '';
  const what = (types & TEXT) !== 0 && (types & STRUCTURE) !== 0 ? 'text that a command printed' : describeType(types);
  return expr.op === 'const' || text.length > 40 || text === '' ? what : `\`${text}\`, which is ${what},`;
}

function describePrinted(types: Types): string {
  if (isOutput(types)) return 'text that a command printed';
  if (types === LIST) return 'a list';
  return types === OBJECT ? 'an object' : describeType(types);
}

function describeType(types: Types): string {
  if ((types & ~STRUCTURE) === 0)
    return types === LIST ? 'a list' : types === OBJECT ? 'an object' : 'a list or an object';
  if (types & TEXT) return 'text';
  return types & NUMBER ? 'a number' : types & VERSION ? 'a version' : 'a boolean';
}

const WANTS: Readonly<Record<string, Types>> = { '-': NUMBER, '*': NUMBER, '/': NUMBER, '%': NUMBER, is: BOOLEAN };

/** Reports an input without a type in a position that needs a number or boolean. */
function untypedInput(
  use: TypeUse,
  state: number,
  types: TypesOf,
  inputs: readonly Input[],
  reported: Set<string>,
): Diagnostic | null {
  for (let side = 0; side < 2; side++) {
    const one = side === 0 ? use.left : use.right;
    const input = inputOf(one.expr, inputs);
    const isLoop = use.operator === 'FOR EACH';
    if (input === null || reported.has(input.name) || (!isLoop && Object.hasOwn(WHOLES, use.operator))) continue;
    const needed = isLoop ? LIST : (WANTS[use.operator] ?? types((side === 0 ? use.right : use.left).expr, state));
    if (needed !== NUMBER && needed !== BOOLEAN && !isLoop) continue;
    reported.add(input.name);
    const type = isLoop ? 'list' : needed === NUMBER ? 'number' : 'boolean';
    const text = typeof input.value === 'string' && input.value.includes(',') ? input.value : undefined;
    const words = isLoop && text !== undefined ? text.split(',').map((word) => word.trim()) : undefined;
    return say.untypedInput(one.span, { name: input.name, type, words });
  }
  return null;
}

/** The input that an expression reads, if the input has no type and the name can refer to nothing else. */
function inputOf(expr: Expr, inputs: readonly Input[]): Input | null {
  if (expr.op !== 'read') return null;
  const [slot] = expr.places;
  const input = slot?.in === 'input' && expr.places.length === 1 ? inputs[slot.slot] : undefined;
  if (input === undefined || input.type !== undefined) return null;
  return input.value === undefined || input.value === null || typeof input.value === 'string' ? input : null;
}
