/** Limits of a program or workflow (LIMIT lines, the keys of a workflow file), and retries of an instruction. */
import { parseByteCount } from '../../../machine/byte-count.js';
import { parseDuration } from '../../../machine/duration.js';
import type { Instruction, Limits } from '../../../machine/machine.js';
import { parseRetry, parseRetryOn, RETRIED_KINDS } from '../../../machine/option-values.js';
import { nearest } from '../../../prelude/nearest.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import { stepMessages as steps } from '../../source/catalogue/steps.js';
import type { Diagnostic, Span } from '../../source/diagnostic.js';
import type { Option } from '../../syntax/ast.js';
import { constantText, lowerTemplate } from './lower-expression.js';
import type { StateLowering } from './state-lowering.js';

const LIMITS = ['transitions', 'time', 'cost', 'tokens', 'journal', 'output'];

export function lowerLimits(options: readonly Option[], diagnostics: Diagnostic[]): Limits {
  const limits: { -readonly [K in keyof Limits]: Limits[K] } = {};
  const seen = new Set<string>();
  for (const option of options) {
    const name = option.key.text;
    const text = option.value === undefined ? '' : (constantText(option.value) ?? '').trim();
    if (!LIMITS.includes(name)) {
      diagnostics.push(
        say.unknownOption(option.key.span, { name, of: 'LIMIT', known: LIMITS, near: nearest(name, LIMITS) }),
      );
      continue;
    }
    if (seen.has(name)) {
      const help = 'remove one of the two';
      diagnostics.push(say.badOption(option.span, { name, why: 'is given twice', help }));
      continue;
    }
    seen.add(name);
    if (name === 'time') {
      const timeMs = parseDuration(text);
      if (timeMs === null) diagnostics.push(say.badDuration((option.value ?? option).span, { text }));
      else limits.timeMs = timeMs;
      continue;
    }
    if (name === 'journal' || name === 'output') {
      const bytes = parseByteCount(text);
      const help = `write a number of bytes, such as \`${name}=500MiB\``;
      if (bytes !== null) limits[name] = bytes;
      else diagnostics.push(say.badOption(option.span, { name, why: 'must be a number of bytes above 0', help }));
      continue;
    }
    const number = parseAmount(text);
    if (number === null || (name !== 'cost' && !Number.isInteger(number)) || number <= 0)
      diagnostics.push(say.badLimit(option.span, { name }));
    else limits[name as 'transitions' | 'cost' | 'tokens'] = number;
  }
  return limits;
}

/** `2M`, `20k`, `5.00`. */
function parseAmount(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)([kKM]?)$/.exec(text);
  if (match === null) return null;
  const unit = match[2] === 'M' ? 1e6 : match[2] === '' ? 1 : 1e3;
  return Number(match[1]) * unit;
}

type ShellInstruction = Extract<Instruction, { op: 'shell' }>;
export type Retries = Pick<ShellInstruction, 'retry' | 'retryOn'>;

/** Lowers `retry=` and `retry_on=`: the number of retries, their pauses, and the failures that they apply to. */
export function retriesOf(l: StateLowering, options: ReadonlyMap<string, Option>, isShell = false): Retries {
  const retry = retryOf(l, options.get('retry'));
  const retryOn = retryOnOf(l, options.get('retry_on'));
  const only = options.get('retry_on');
  if (only !== undefined && !options.has('retry')) {
    const why = 'needs `retry`, which says how many times to retry';
    l.diagnostics.push(say.badOption(only.span, { name: 'retry_on', why, help: 'add `retry=2`, or remove it' }));
  }
  const [ok, times] = [options.get('ok')?.value, options.get('retry')];
  const mayEnd = options.has('timeout') || options.has('idle') || l.limit !== undefined;
  // A function may throw, whatever `ok` is.
  const isKnown = isShell && l.settings.commands.size === 0 && !mayEnd;
  if (isKnown && times !== undefined && ok !== undefined && constantText(ok)?.trim() === 'any')
    l.diagnostics.push(steps.retryOfAnyCode(times.span, {}));
  return omitUndefined({ retry, retryOn });
}

function retryOf(l: StateLowering, option: Option | undefined): Retries['retry'] {
  if (option?.value === undefined) return undefined;
  const text = constantText(option.value);
  if (text === null) return { template: lowerTemplate(option.value, l) };
  const retry = parseRetry(text);
  if (retry !== null) return retry;
  const why = 'must be a number of retries, with an optional pause';
  const help = 'write `retry=2`, `retry=2/5s`, or `retry=5/1s..60s` for pauses that double';
  l.diagnostics.push(say.badOption(option.span, { name: 'retry', why, help }));
  return undefined;
}

function retryOnOf(l: StateLowering, option: Option | undefined): Retries['retryOn'] {
  if (option?.value === undefined) return undefined;
  const text = constantText(option.value);
  if (text === null) return { template: lowerTemplate(option.value, l) };
  const read = parseRetryOn(text);
  if ('on' in read) return read.on;
  const { wrong: name } = read;
  const near = nearest(name, RETRIED_KINDS);
  l.diagnostics.push(say.unknownRetried(wordSpan(option, name), { name, known: RETRIED_KINDS, near }));
  return undefined;
}

/** The location of the word in the value, if it is written literally. */
function wordSpan({ value, span }: Option, word: string): Span {
  const at = value === undefined || word === '' ? -1 : value.raw.indexOf(word);
  if (value === undefined || at < 0) return span;
  return { ...value.span, start: value.span.start + at, end: value.span.start + at + word.length };
}
