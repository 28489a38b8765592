/** Suggests the FAIL that corresponds to a `GOTO: ERROR with …` in a program without a state ERROR. */
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { Span } from '../../source/source-file.js';
import type { Argument, Instruction } from '../../syntax/ast.js';
import { ERROR_NAMES } from '../reserved-names.js';
import type { StateLowering } from './state-lowering.js';

type Goto = Extract<Instruction, { kind: 'goto' }>;

/** Arguments that usually contain the reason, the most likely first. */
const REASONS = ['error', 'message', 'reason', 'text', 'why'];

export function writeFail(l: StateLowering, { verb, target, args, span }: Goto): Diagnostic {
  const source = l.shared.sources[span.file]?.text ?? '';
  const slice = ({ start, end }: Span): string => source.slice(start, end);
  const colon = /^[ \t]*:/.test(source.slice(verb.span.end)) ? ':' : '';
  const reason =
    REASONS.map((name) => args.find((arg) => arg.name.text === name)).find((arg) => arg !== undefined) ??
    args.find(({ value }) => value?.kind === 'expression' && value.expression.kind === 'text');
  // FAIL has a fixed kind, and the engine sets the rest of the error contract.
  const passed = args.filter((arg) => arg !== reason && !(ERROR_NAMES as readonly string[]).includes(arg.name.text));
  const list = passed.length === 0 ? '' : ` with ${passed.map((arg) => slice(arg.span)).join(', ')}`;
  const text = reason === undefined ? null : textOf(reason, slice);
  const written = `FAIL${colon} ${text ?? '…'}${list}`;
  const fix = text === null ? undefined : { span, text: written };
  return say.writeFail(target.name.span, { written, fix });
}

/** The value of an argument, written as the text of FAIL. */
function textOf({ name, value }: Argument, slice: (span: Span) => string): string | null {
  if (value === undefined) return `{${name.text}}`;
  if (value.kind === 'word') return value.word.text;
  const e = value.expression;
  if (e.kind === 'text') return e.template.raw;
  if (e.kind !== 'name' && e.kind !== 'field' && e.kind !== 'call') return null;
  const written = slice(e.span);
  return written.startsWith('{') ? written : `{${written}}`;
}
