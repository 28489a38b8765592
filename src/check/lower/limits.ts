/** The limits of a program or workflow: LIMIT lines, and the keys of a workflow file. */
import { parseByteCount } from '../../machine/byte-count.js';
import { parseDuration } from '../../machine/duration.js';
import type { Limits } from '../../machine/machine.js';
import { nearest } from '../../prelude/nearest.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { Option } from '../../syntax/ast.js';
import { constantText } from './expression.js';

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
