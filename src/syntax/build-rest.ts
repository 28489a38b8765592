/** What is said about the tokens an instruction did not understand: one message, about the first of them. */
import type { CstNode, IToken } from 'chevrotain';
import { missingPart, nestedTooDeep, unclosedQuote, unexpectedText } from '../source/catalogue/syntax.js';
import { parts, type Reading, report, tokenSpan } from './cst.js';
import { deepestBrackets } from './scan.js';

/** Reports `rest` and takes the blame for its instruction: nothing else is said to be missing in it. */
export function reportRest(reading: Reading, rest: CstNode): void {
  if (reading.blamed) return;
  const list = parts(rest) as readonly IToken[];
  const first = list[0] as IToken;
  const special = list.find((t) => t.tokenType.name === 'UnclosedQuote' || t.tokenType.name === 'TooDeep') ?? first;
  reading.blamed = true;
  const where = tokenSpan(reading, special);
  switch (special.tokenType.name) {
    case 'UnclosedQuote': {
      const quote = special.image[0] ?? '"';
      report(reading, unclosedQuote({ ...where, end: where.start + 1 }, { quote }));
      return;
    }
    case 'TooDeep':
      report(reading, nestedTooDeep({ ...where, end: where.start + 1 }, { what: 'brackets', limit: deepestBrackets }));
      return;
    default:
      reportUnexpected(reading, first, list);
  }
}

function reportUnexpected(reading: Reading, first: IToken, list: readonly IToken[]): void {
  const help = helpFor(first, list[1]);
  const where = tokenSpan(reading, first);
  if (first.tokenType.name === 'PlainArrow' && list.length === 1) {
    report(reading, missingPart(where, { what: 'a name', after: first.image }));
    return;
  }
  report(reading, unexpectedText(where, { text: first.image, ...(help === undefined ? {} : { help }) }));
}

function helpFor(first: IToken, second: IToken | undefined): string | undefined {
  const text = first.image;
  switch (first.tokenType.name) {
    case 'Unit':
      return 'durations stand in `WAIT: 5s` and in options such as `timeout=5s`; a number has no unit';
    case 'Compare':
    case 'Assign':
      return 'a comparison needs a value on both sides';
    case 'Note':
      return 'remove the parenthesis, or put it into a comment after two blanks and `# `';
    case 'Redirect':
    case 'RParen':
    case 'RBracket':
    case 'RBrace':
      return 'remove it, or open the bracket it closes';
    case 'Name':
      if (text === 'is') return `write \`==\` to compare${second === undefined ? '' : ` with \`${second.image}\``}`;
      if (text === 'between' || text === 'like') return 'write the comparison with `<=`, `matches` or `contains`';
      return 'join conditions with `AND` or `OR`, or quote the words if they are a text';
    case 'Quoted':
      return 'put an operator such as `==` before the text';
    case 'Braced':
      return undefined;
    default:
      return undefined;
  }
}
