/** Options, arguments and event fields: the `key=value` parts of instructions. */
import type { CstNode, IToken } from 'chevrotain';
import { missingPart, unclosedQuote, unexpectedText } from '../../source/catalogue/syntax.js';
import type { Argument, ArgumentValue, Expression, Field, Name, Option, Parameter, Template } from '../ast.js';
import {
  child,
  children,
  nameOf,
  type ParseContext,
  parts,
  report,
  reportMissing,
  span,
  spanOf,
  token,
  tokenEnd,
  tokenSpan,
  tokens,
} from '../grammar/cst.js';
import { checkBinding, checkedName } from '../names.js';
import { quotedEnd } from '../tokens/interpolation-scan.js';
import { buildExpression } from './expression.js';
import { plainTemplate, quotedTemplate } from './interpolation.js';

/** Text that is quoted as a whole is quoted text; anything else is taken as it is. */
export function textTemplate(reading: ParseContext, raw: string, start: number): Template {
  const first = raw[0];
  if ((first === '"' || first === "'") && quotedEnd(raw, 0) === raw.length) return quotedTemplate(reading, raw, start);
  return plainTemplate(reading, raw, start);
}

/** The value of an `=value` token. */
export function assignedValue(reading: ParseContext, assigned: IToken): Template {
  const raw = assigned.image.replace(/^=[ \t]*/, '');
  return textTemplate(reading, raw, tokenEnd(assigned) - raw.length);
}

/** Options among the parts of an `options` node; brackets, commas and colons are only punctuation. */
export function buildOptions(reading: ParseContext, node: CstNode | undefined): Option[] {
  const list: Option[] = [];
  const pieces = (node === undefined ? [] : parts(node)) as readonly IToken[];
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i] as IToken;
    const kind = piece.tokenType.name;
    if (kind === 'OptionKey') {
      const next = pieces[i + 1];
      const value = next?.tokenType.name === 'Assigned' ? next : undefined;
      list.push(option(reading, piece, value));
      if (value !== undefined) i++;
    } else if (kind === 'Assigned') {
      reportMissing(
        reading,
        unexpectedText(tokenSpan(reading, piece), {
          text: piece.image,
          help: 'write the name of the option before `=`',
        }),
      );
    } else if (kind === 'Note') list.push(...noteOptions(reading, piece));
  }
  return list;
}

function option(reading: ParseContext, key: IToken, value: IToken | undefined): Option {
  const where = { ...tokenSpan(reading, key), end: reading.base + tokenEnd(value ?? key) };
  const name = nameOf(reading, key);
  if (value === undefined) return { key: name, span: where };
  const template = assignedValue(reading, value);
  if (template.raw === '') reportMissing(reading, missingPart(where, { what: 'a value', after: `${key.image}=` }));
  return { key: name, value: template, span: where };
}

const noteOption = /(?<![\w.])(max|quorum)=(\d+|\{[^{}]*\})/g;

/** `(quorum=3)`: a note that holds options. */
export function noteOptions(reading: ParseContext, note: IToken): Option[] {
  return [...note.image.matchAll(noteOption)].map((found) => {
    const start = note.startOffset + found.index;
    const [whole, key = '', value = ''] = found;
    return {
      key: { text: key, span: span(reading, start, start + key.length) },
      value: plainTemplate(reading, value, start + key.length + 1),
      span: span(reading, start, start + whole.length),
    };
  });
}

// ---- arguments --------------------------------------------------------------------------------------

export function buildArguments(reading: ParseContext, node: CstNode | undefined, what = 'an argument'): Argument[] {
  if (node === undefined) return [];
  const list = [...children(node, 'arg'), ...children(node, 'callArg')];
  const commas = tokens(node, 'Comma');
  const separator =
    list.length === 0 ? token(node, 'With') : commas.length >= list.length ? commas[commas.length - 1] : undefined;
  if (separator !== undefined)
    reportMissing(
      reading,
      missingPart(tokenSpan(reading, separator), {
        what: `the name of ${what}`,
        after: separator.image,
        example: 'with name=value',
      }),
    );
  return list.map((arg) => buildArgument(reading, arg, what));
}

function buildArgument(reading: ParseContext, node: CstNode, what: string): Argument {
  const quoted = token(node, 'Quoted');
  const name =
    quoted === undefined ? checkedName(reading, token(node, 'Name') as IToken, what) : quotedName(reading, quoted);
  const quotes = quoted === undefined ? {} : ({ quoted: true } as const);
  const assign = token(node, 'Assign');
  const where = spanOf(reading, node);
  if (assign === undefined) {
    if (quoted !== undefined)
      reportMissing(
        reading,
        missingPart(name.span, { what: 'a value', after: quoted.image, example: `${quoted.image}=value` }),
      );
    return { name, ...quotes, span: where };
  }
  const dashed = token(node, 'DashedWord');
  if (dashed !== undefined) {
    const word = nameOf(reading, dashed);
    return { name, ...quotes, value: { kind: 'word', word, span: word.span }, span: where };
  }
  const value = child(node, 'expression');
  if (value === undefined) {
    reportMissing(reading, missingPart(tokenSpan(reading, assign), { what: 'a value', after: `${name.text}=` }));
    return {
      name,
      ...quotes,
      value: { kind: 'expression', expression: { kind: 'broken', span: where }, span: where },
      span: where,
    };
  }
  return { name, ...quotes, value: argumentValue(buildExpression(reading, value)), span: where };
}

/** A name that is no word of the language: taken as it is between the quotes. */
function quotedName(reading: ParseContext, quoted: IToken): Name {
  return { text: quoted.image.slice(1, -1), span: tokenSpan(reading, quoted) };
}

/** A single bare word is text unless a variable has its name; only the checker knows which. */
function argumentValue(expression: Expression): ArgumentValue {
  if (expression.kind !== 'name' || expression.span.end - expression.span.start !== expression.name.length)
    return { kind: 'expression', expression, span: expression.span };
  return { kind: 'word', word: { text: expression.name, span: expression.span }, span: expression.span };
}

export function buildParameters(reading: ParseContext, node: CstNode | undefined): Parameter[] {
  const parameters = buildArguments(reading, node, 'a parameter');
  for (const parameter of parameters) checkBinding(reading, parameter.name, 'a parameter');
  return parameters;
}

// ---- events -----------------------------------------------------------------------------------------

const unclosed = /^="(?:[^"\\]|\\.)*$/;

/** The fields after an event's name. What is neither a field nor punctuation is reported once. */
export function buildFields(reading: ParseContext, pieces: readonly IToken[]): Field[] {
  const fields: Field[] = [];
  let optional: IToken | undefined;
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i] as IToken;
    const next = pieces[i + 1];
    const kind = piece.tokenType.name;
    if (kind === 'LBracket') optional = piece;
    else if (kind === 'RBracket') optional = undefined;
    else if (kind === 'Comma') continue;
    else if (kind === 'EventWord' && next?.tokenType.name === 'Assigned') {
      const name = checkedName(reading, piece, 'a field');
      if (unclosed.test(next.image)) {
        const quote = next.startOffset + 1;
        report(reading, unclosedQuote(span(reading, quote, quote + 1), { quote: '"' }));
        reading.blamed = true;
      }
      const value = assignedValue(reading, next);
      fields.push({
        name,
        value,
        optional: optional !== undefined,
        span: span(reading, piece.startOffset, tokenEnd(next)),
      });
      i++;
    } else if (!reading.blamed) {
      const help = 'write `name=value`, or quote the whole text: `EMIT: "…"`';
      report(reading, unexpectedText(tokenSpan(reading, piece), { text: piece.image, help }));
      reading.blamed = true;
    }
  }
  if (optional !== undefined)
    reportMissing(
      reading,
      missingPart(tokenSpan(reading, optional), { what: '`]`', after: '[', example: '[mode={mode}]' }),
    );
  return fields;
}
