/** Lowers `retry=` and `retry_on=`: the number of retries, their pauses, and the failures that they apply to. */
import type { Instruction } from '../../machine/machine.js';
import { parseRetry, parseRetryOn, RETRIED_KINDS } from '../../machine/option-values.js';
import { nearest } from '../../prelude/nearest.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { Span } from '../../source/source-file.js';
import type { Option } from '../../syntax/ast.js';
import { constantText, lowerTemplate } from './expression.js';
import type { StateLowering } from './state-lowering.js';

type Effect = Extract<Instruction, { op: 'shell' }>;
type Retries = Pick<Effect, 'retry' | 'retryOn'>;

export function retriesOf(l: StateLowering, options: ReadonlyMap<string, Option>): Retries {
  const retry = retryOf(l, options.get('retry'));
  const retryOn = retryOnOf(l, options.get('retry_on'));
  const only = options.get('retry_on');
  if (only !== undefined && !options.has('retry')) {
    const why = 'needs `retry`, which says how often to retry';
    l.diagnostics.push(say.badOption(only.span, { name: 'retry_on', why, help: 'add `retry=2`, or remove it' }));
  }
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
