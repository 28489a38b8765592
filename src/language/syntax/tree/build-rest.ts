/** Reports the unexpected tokens of an instruction: one message, about the first of them. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import {
  bulletsOf,
  missingPart,
  nestedTooDeep,
  operatorSpelling,
  unclosedQuote,
  unexpectedText,
} from '../../source/catalogue/syntax.js';
import type { SyntaxNode } from '../grammar/cst.js';
import { fixAt, type ParseContext, parts, report, span, tokenEnd, tokenSpan } from '../grammar/cst.js';
import { noName } from '../names.js';
import type { Token } from '../tokens/token.js';
import { deepestBrackets } from '../tokens/token.js';
import { readVerb } from '../tokens/verbs.js';

/** The name that belongs to a verb. `what` is its kind, such as `a state`, if the verb declares it. */
export interface Naming {
  readonly word: Token;
  readonly what: string | null;
}

/**
 * Reports `rest`, and marks the instruction as reported, so that no missing parts are reported too. `naming` is the
 * name before it, if further words may belong to the name. `verbHelp` is a more specific help for the verb.
 */
export function reportRest(context: ParseContext, rest: SyntaxNode, naming?: Naming, verbHelp?: string): void {
  if (context.blamed) return;
  const list = parts(rest) as readonly Token[];
  const first = list[0] as Token;
  const special = list.find((t) => t.tokenType.name === 'UnclosedQuote' || t.tokenType.name === 'TooDeep') ?? first;
  context.blamed = true;
  const where = tokenSpan(context, special);
  switch (special.tokenType.name) {
    case 'UnclosedQuote': {
      const quote = special.image[0] ?? '"';
      report(context, unclosedQuote({ ...where, end: where.start + 1 }, { quote }));
      return;
    }
    case 'TooDeep':
      report(context, nestedTooDeep({ ...where, end: where.start + 1 }, { what: 'brackets', limit: deepestBrackets }));
      return;
    default:
      if (naming === undefined || !isWord(first)) {
        if (!reportOperator(context, first))
          reportUnexpected(
            context,
            list,
            verbHelp ?? helpAfterWith(context, first) ?? helpFor(list, naming !== undefined),
          );
      } else if (naming.what !== null) reportLongName(context, naming.word, naming.what, list);
      else reportUnexpected(context, list, 'write `with` before the values, and notes in parentheses');
  }
}

/** Several words in the position of one. */
function reportLongName(context: ParseContext, word: Token, what: string, list: readonly Token[]): void {
  const other = list.findIndex((t) => !isWord(t));
  const end = tokenEnd(list[(other < 0 ? list.length : other) - 1] as Token);
  const text = context.text.slice(word.startOffset, end);
  report(context, noName({ text, span: span(context, word.startOffset, end) }, what, what === 'a machine'));
}

function isWord(t: Token): boolean {
  return /^\w/.test(t.image) && t.tokenType.name !== 'With';
}

const operatorWords =
  /(?:is\s+(?:not\s+)?(?:empty|null|valid\s+json)|(?:is\s+)?(?:not\s+)?(?:contains|in)|matches|(?:starts|ends)\s+with|exists|not\s+(?:empty|null))(?!\w)/iy;

/** Words of an operator in capitals, or with a superfluous or missing word: `IS EMPTY`, `is in`, `not empty`. */
function reportOperator(context: ParseContext, first: Token): boolean {
  operatorWords.lastIndex = first.startOffset;
  const written = operatorWords.exec(context.text)?.[0];
  if (written === undefined) return false;
  const words = written.toLowerCase().replace(/\s+/g, ' ').replace('json', 'JSON');
  const meant = words.replace(/^not (?=empty|null)/, 'is not ').replace(/^is (?=(?:not )?(?:contains|in)$)/, '');
  if (meant === written) return false;
  const where = span(context, first.startOffset, first.startOffset + written.length);
  report(context, operatorSpelling(where, { written, meant, fix: fixAt(where, meant) }));
  return true;
}

function reportUnexpected(context: ParseContext, list: readonly Token[], help: string | undefined): void {
  const first = list[0] as Token;
  const where = tokenSpan(context, first);
  if (first.tokenType.name === 'PlainArrow' && list.length === 1) {
    report(context, missingPart(where, { what: 'a name', after: first.image }));
    return;
  }
  const own = list[0]?.image === 'in' && /^PARALLEL\b/.test(list[1]?.image ?? '') ? bulletsFor(context, first) : help;
  const facts = spacedValue(context, first) ?? omitUndefined({ help: clockTime(context, first) ?? own });
  report(context, unexpectedText(where, { text: first.image, ...facts }));
}

/** `timeout = 5s`: the value of an option follows its `=` directly. */
function spacedValue(context: ParseContext, { startOffset, image, tokenType }: Token) {
  const { text } = context;
  const before = text.slice(Math.max(0, startOffset - 100), startOffset);
  const [, key, equals] = /([A-Za-z_][\w.-]*)([ \t]*=[ \t]+)$/.exec(before) ?? [];
  // What these verbs set may have spaces around its sign.
  const line = before.slice(before.lastIndexOf('\n') + 1);
  if (/^[ \t]*(?:- )?(?:TRACK|SET|INPUT|DO|CHECK)(?: \[[^\]]*\])?:[ \t]*\w+[ \t]*=[ \t]+$/.test(line)) return null;
  const [word] = /^[\w{.-][^\s,\]]*/.exec(text.slice(startOffset, startOffset + 100)) ?? [];
  const value = tokenType.name === 'Quoted' ? image : word;
  if (key === undefined || equals === undefined || value === undefined) return null;
  const fix = fixAt(span(context, startOffset - equals.length, startOffset), '=');
  return { help: `write \`${key}=${value}\`, without spaces`, fix };
}

/** `t=12:30`, of which only `12` was read. */
function clockTime({ text }: ParseContext, { image, startOffset }: Token): string | undefined {
  if (image !== ':') return undefined;
  const [hours] = /\d{1,4}$/.exec(text.slice(Math.max(0, startOffset - 4), startOffset)) ?? [];
  const [rest] = /^:[\d:.]+/.exec(text.slice(startOffset, startOffset + 20)) ?? [];
  return hours === undefined || rest === undefined ? undefined : `put it in quotes: \`"${hours}${rest}"\` is a text`;
}

/** `DO: Task(claude) "…" in PARALLEL`. */
function bulletsFor({ text }: ParseContext, { startOffset }: Token): string {
  const line = text.slice(text.lastIndexOf('\n', startOffset) + 1, startOffset);
  return bulletsOf(line.replace(/^[ \t]*(?:DO|CHECK)[ \t]*(?:\[[^\]]*\])?:?[ \t]*/, '').trimEnd());
}

/** `with {x}` instead of a name; words without a comma; a note before `with`. */
function helpAfterWith(context: ParseContext, first: Token): string | undefined {
  if (/^\([^()]*\)[ \t]+with(?!\w)/.test(context.text.slice(first.startOffset, first.startOffset + 200)))
    return 'put the note in parentheses after the values';
  const before = context.text.slice(Math.max(0, first.startOffset - 200), first.startOffset);
  if (/^\w/.test(first.image) && /(?<!\w)with[ \t]+(?:\w+[ \t]*,[ \t]*)*\w+[ \t]+$/.test(before))
    return `separate the names after \`with\` with commas, or pass a text: \`with name="…"\``;
  if (!/(?<!\w)with[ \t]+$/.test(before)) return undefined;
  const name = /^\{([A-Za-z_]\w*)\}/.exec(context.text.slice(first.startOffset, first.startOffset + 100))?.[1];
  return name === undefined
    ? 'write names after `with`, as in `with a, b=1`'
    : `write \`with ${name}\`, which passes its value under its name`;
}

function helpFor([first, second, third]: readonly Token[], named: boolean): string | undefined {
  if (first === undefined) return undefined;
  const text = first.image;
  switch (first.tokenType.name) {
    case 'Unit':
      if (!/^[\d.]+ ?(?:ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?)$/i.test(text) || /\..*\./.test(text))
        return `put it in quotes: \`"${text}"\` is a text`;
      return `put it in quotes, as in \`"${text}"\`, for a text that \`WAIT: {x}\` and \`timeout={x}\` take, or remove the unit for a number`;
    case 'Compare':
    case 'Assign':
      return text === '=='
        ? 'write `=` to set, and a value on both sides to compare'
        : 'a comparison needs a value on both sides';
    case 'Note':
      return 'remove the parenthesis, or write it as a comment after two spaces and `# `';
    case 'LParen':
      return named ? 'write `with` and then the names, as in `with a, b=1`' : undefined;
    case 'Redirect':
    case 'RParen':
    case 'RBracket':
    case 'RBrace':
      return 'remove it, or open the bracket it closes';
    case 'Name':
      if (/^[A-Z]+$/.test(text) && readVerb(text, 0, false) !== null) return `write \`${text}:\` on a line of its own`;
      if (text === 'is' && second?.tokenType.name === 'Not') return `write \`!=\` to compare${comparedWith(third)}`;
      if (text === 'is') return `write \`==\` to compare${comparedWith(second)}`;
      if (text === 'valid') return 'write `is valid JSON`';
      if (text === 'between' || text === 'like') return 'write the comparison with `<=`, `matches` or `contains`';
      if (second?.tokenType.name === 'Assign') return `separate the values with commas: write one before \`${text}\``;
      return 'join conditions with `AND` or `OR`, or quote the words if they are a text';
    case 'Quoted':
      return 'put an operator such as `==` before the text';
    case 'PlainWord':
      return 'separate the entries with commas, and put texts of several words in quotes';
    case 'Sum':
    case 'Product':
      return second?.tokenType.name === 'Assign' ? `write it out, as in \`x = x ${text} …\`` : undefined;
    default:
      return undefined;
  }
}

function comparedWith(value: Token | undefined): string {
  return value === undefined ? '' : ` with \`${value.image}\``;
}
