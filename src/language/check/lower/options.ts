/** Lowers options in brackets and after instructions: which ones exist, and the form of their values. */
import { parseDuration } from '../../../machine/duration.js';
import type { Expr, Template } from '../../../machine/expression.js';
import { parsePause } from '../../../machine/option-values.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { Option } from '../../syntax/ast.js';
import type { Template as TextTemplate } from '../../syntax/expression-nodes.js';
import { suggestName } from '../suggest-name.js';
import { constantText, lowerTemplate, noteValue } from './lower-expression.js';
import type { StateLowering } from './state-lowering.js';

/** The default time-out of a WAIT, as the text of a template. */
export const DEFAULT_LIMIT: readonly [string] = ['300s'];

/** `flag` takes no value, and `may` may have one; `number` is a whole number of at least 1. */
type OptionKind = 'flag' | 'may' | 'number' | 'duration' | 'text' | 'list';
export type OptionTable = Readonly<Record<string, OptionKind>>;

/** Options by key, without wrong ones, which are reported. Keys such as `env.HOME` match `env.*` in the table. */
export function checkOptions(
  l: StateLowering,
  options: readonly Option[],
  table: OptionTable,
  of: string,
): ReadonlyMap<string, Option> {
  if (options.length === 0) return none;
  const found = new Map<string, Option>();
  for (const option of options) {
    const key = option.key.text;
    const kind = Object.hasOwn(table, key) ? table[key] : key.startsWith('env.') ? table['env.*'] : undefined;
    if (kind === undefined) {
      const known = Object.keys(table);
      l.diagnostics.push(
        say.unknownOption(option.key.span, {
          name: key,
          of,
          known,
          near: suggestName(l.diagnostics, key, () => known),
        }),
      );
    } else if (found.has(key)) {
      l.diagnostics.push(
        say.badOption(option.span, { name: key, why: 'is given twice', help: 'remove one of the two' }),
      );
    } else if (checkValue(l, option, kind)) found.set(key, option);
  }
  return found;
}

const none: ReadonlyMap<string, Option> = new Map();

/** Who gives it a value means once for a key or a day, which the word alone does not say. */
const ONCE =
  '`once` alone means that a resume does not run again what may have run; for once per key or day, leave a file with it: `CHECK: seen = test -e seen-{key}`, `IF: exit_code(seen) == 0 → RETURN: done before`, and `touch` it after the command';

/** Options for which the empty text is a value. */
const MAY_BE_EMPTY = /^(?:default|cwd|env\..+)$/;

function checkValue(l: StateLowering, option: Option, kind: OptionKind): boolean {
  const name = option.key.text;
  if (kind === 'flag') {
    if (option.value === undefined) return true;
    const help = name === 'once' ? ONCE : `write \`${name}\` alone`;
    l.diagnostics.push(say.badOption(option.span, { name, why: 'takes no value', help }));
    return false;
  }
  if (option.value === undefined && kind === 'may') return true;
  if (option.value === undefined) {
    l.diagnostics.push(say.badOption(option.span, { name, why: 'needs a value', help: `write \`${name}=…\`` }));
    return false;
  }
  const text = constantText(option.value);
  if (text === null) return true;
  if (text === '') {
    // The parser has reported a value that is missing, and an empty text in quotes is one.
    if (option.value.quote === 'none') return false;
    if (MAY_BE_EMPTY.test(name)) return true;
    l.diagnostics.push(say.badOption(option.span, { name, why: 'needs a value', help: `write \`${name}=…\`` }));
    return false;
  }
  if (kind === 'duration' && parseDuration(text) === null) {
    l.diagnostics.push(say.badDuration(option.value.span, { text }));
    return false;
  }
  if (kind === 'number' && !/^[1-9]\d{0,8}$/.test(text.trim())) {
    const why = `must be a whole number of at least 1, not \`${text}\``;
    l.diagnostics.push(say.badOption(option.span, { name, why, help: `write \`${name}=4\`` }));
    return false;
  }
  return true;
}

/** A duration template. A constant is checked here, all others when the instruction runs. */
export function durationTemplate(l: StateLowering, template: TextTemplate): Template {
  const text = constantText(template);
  if (text !== null && parseDuration(text) === null) l.diagnostics.push(say.badDuration(template.span, { text }));
  const lowered = lowerTemplate(template, l);
  const [only] = lowered;
  if (lowered.length === 1 && typeof only === 'object') noteValue('duration', only.value, template.span, l.scope);
  return lowered;
}

/** A pause: a duration, or two durations between which it doubles. */
export function pauseTemplate(l: StateLowering, template: TextTemplate): Template {
  const text = constantText(template);
  if (text === null || !text.includes('..')) return durationTemplate(l, template);
  if (parsePause(text) === null) l.diagnostics.push(say.badPause(template.span, { text }));
  return lowerTemplate(template, l);
}

/** A number option as an expression: its constant, or the value of its interpolation. */
export function numberOption(l: StateLowering, option: Option | undefined): Expr | null {
  if (option?.value === undefined) return null;
  const text = constantText(option.value);
  if (text !== null) return { op: 'const', value: Number(text) };
  return { op: 'template', template: lowerTemplate(option.value, l) };
}

/** The words of a choice that has another mark between them than the comma, as other languages have it. */
export function dividedChoice(choice: string): string[] {
  return choice.split(/\s*[|;/]\s*|\s+or\s+/).filter((word) => word !== '');
}
