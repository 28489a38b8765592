/** Builds options, arguments and event fields: the `key=value` parts of instructions. */

import { isMisspelling } from '../../../prelude/nearest.js';
import {
  badNote,
  missingColon,
  missingPart,
  unclosedBracket,
  unclosedQuote,
  unexpectedText,
} from '../../source/catalogue/syntax.js';
import type { Argument, ArgumentValue, Field, Option, Parameter } from '../ast.js';
import type { Expression, Name, Template } from '../expression-nodes.js';
import type { SyntaxNode } from '../grammar/cst.js';
import {
  child,
  children,
  fixAt,
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
import { checkBinding, checkedName, verbName } from '../names.js';
import { isQuoted } from '../tokens/interpolation-scan.js';
import type { Token } from '../tokens/token.js';
import { lacksOnlyColon } from '../tokens/verbs.js';
import { buildExpression } from './build-expression.js';
import { plainTemplate, quotedTemplate } from './interpolation.js';

/** Text that is quoted as a whole is quoted text; any other text is used unchanged. */
export function textTemplate(context: ParseContext, raw: string, start: number): Template {
  return isQuoted(raw) ? quotedTemplate(context, raw, start) : plainTemplate(context, raw, start);
}

/** The value of an `=value` token. */
export function assignedValue(context: ParseContext, assigned: Token): Template {
  const { image } = assigned;
  const raw = image[1] === ' ' || image[1] === '\t' ? image.replace(/^=[ \t]*/, '') : image.slice(1);
  return textTemplate(context, raw, tokenEnd(assigned) - raw.length);
}

/** Options between the verb and its colon. Reports missing parts of the header. */
export function headerOptions(context: ParseContext, node: SyntaxNode, verbToken: Token, inList: boolean): Option[] {
  const open = token(node, 'OptionsOpen');
  const close = token(node, 'OptionsClose') ?? token(node, 'CallOptionsClose');
  const colon = verbToken.image.endsWith(':') || token(node, 'HeaderColon') !== undefined;
  const verb = verbName(context, verbToken);
  if (open !== undefined && close === undefined) {
    reportMissing(context, unclosedBracket(tokenSpan(context, open), { open: '[', close: ']' }));
    context.blamed = true;
  } else if (!colon && !inList) {
    const end = tokenEnd(close ?? verbToken);
    const isSure = lacksOnlyColon(context.text, end, close === undefined);
    const fix = fixAt(span(context, end, end), ':', isSure);
    reportMissing(context, missingColon(verb.span, { verb: verb.text, fix }));
  }
  return buildOptions(context, child(node, 'options'));
}

/** The options in an `options` node. Brackets, commas and colons are only punctuation. */
export function buildOptions(context: ParseContext, node: SyntaxNode | undefined): Option[] {
  const list: Option[] = [];
  const pieces = (node === undefined ? [] : parts(node)) as readonly Token[];
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i] as Token;
    const kind = piece.tokenType.name;
    if (kind === 'OptionKey') {
      const next = pieces[i + 1];
      const value = next?.tokenType.name === 'Assigned' ? next : undefined;
      list.push(option(context, piece, value));
      if (value !== undefined) i++;
    } else if (kind === 'Assigned') {
      reportMissing(
        context,
        unexpectedText(tokenSpan(context, piece), {
          text: piece.image,
          help: 'write the name of the option before `=`',
        }),
      );
    } else if (kind === 'Note') list.push(...noteOptions(context, piece, 'PARALLEL'));
  }
  return list;
}

function option(context: ParseContext, key: Token, value: Token | undefined): Option {
  const where = { ...tokenSpan(context, key), end: context.base + tokenEnd(value ?? key) };
  const name = nameOf(context, key);
  if (value === undefined) return { key: name, span: where };
  const template = assignedValue(context, value);
  if (template.raw === '') reportMissing(context, missingPart(where, { what: 'a value', after: `${key.image}=` }));
  return { key: name, value: template, span: where };
}

const noteOption = /(?<![\w.])(max|quorum)=(\d+|\{[^{}]*\})/g;

const LITERAL = String.raw`(-?\d[\w.]*|"[^"]*"|'[^']*'|\{[^{}]*\}|true\b|false\b|\[[^\]]*\])`;
const VALUE = String.raw`\s*(?:at|with|to|of|is|by|:|=)?\s*${LITERAL}`;
const startNote = new RegExp(
  `^\\(\\s*(?:start(?:s|ing)?|init(?:ial(?:ly)?)?|begins?|defaults?)\\b(?:\\s+value\\b)?${VALUE}`,
  'i',
);
const valueNote = new RegExp(`^\\(${VALUE}\\s*\\)$`);
const limitNote = new RegExp(`^\\(\\s*(quorum|max|at\\s+most)(?:imum)?\\b${VALUE}`, 'i');

/** A word and a value, with little between. */
const wordNote = new RegExp(`^\\(\\s*([A-Za-z]+)((?:\\s*[:=,]|\\s+[A-Za-z]{1,5}\\b){0,3})\\s*${LITERAL}\\s*\\)$`);
const STARTS = [
  'start',
  'starts',
  'starting',
  'started',
  'startsat',
  'init',
  'initial',
  'initially',
  'begins',
  'default',
];
/** What people write for `starts`, and may mean otherwise. */
const ALSO_STARTS: ReadonlySet<string> = new Set(['value', 'from', 'set', 'begin', 'beginning', 'equals']);

/** What a note in nearly the right words sets: `(startss at 2)`, `(value: 2)`, `(quorm=2)`. */
function meantNote(note: string, takes: 'start' | 'limits' | 'nothing'): { instead: string; isGuess: boolean } | null {
  const [, word = '', between = '', value = ''] = wordNote.exec(note) ?? [];
  const isNear = (meant: string): boolean => isMisspelling(word, meant, [meant]);
  if (value === '') return null;
  if (takes === 'start' && STARTS.some(isNear)) return { instead: `(starts at ${value})`, isGuess: false };
  if (takes === 'start' && ALSO_STARTS.has(word.toLowerCase()))
    return { instead: `(starts at ${value})`, isGuess: true };
  if (takes === 'limits' && isNear('quorum')) return { instead: `(quorum=${value})`, isGuess: false };
  if (takes === 'limits' && /^at\s+least$/i.test(`${word}${between}`))
    return { instead: `(quorum=${value})`, isGuess: true };
  return null;
}

/** A note that would mean something if it were spelt right, or stood elsewhere: notes are otherwise ignored. */
export function checkNote(
  context: ParseContext,
  note: Pick<Token, 'image' | 'startOffset'>,
  takes: 'start' | 'limits' | 'nothing',
): void {
  const start = startNote.exec(note.image) ?? (takes === 'start' ? valueNote.exec(note.image) : null);
  const limit = limitNote.exec(note.image);
  const written = note.image;
  const where = span(context, note.startOffset, note.startOffset + written.length);
  if (start === null && limit === null) {
    const meant = meantNote(written, takes);
    if (meant !== null) report(context, badNote(where, { written, ...meant }));
    return;
  }
  const [, key = '', value = ''] = limit ?? ['', '', start?.[1]];
  const option = /^quorum$/i.test(key) ? 'quorum' : 'max';
  const starts = takes === 'start' && start !== null ? `(starts at ${value})` : null;
  const limits = takes === 'limits' && start === null ? `(${option}=${value})` : null;
  report(context, badNote(where, { written, instead: starts ?? limits }));
}

/** Options that other tools give to a state. */
const optionOfState =
  /^[[(]\s*(?:timeout|retry|retries|once|ok|cwd|max_visits|max_time|on_error|on_failure|parallel|agent|model)\s*=\s*[^\])]+[\])]$/;

/** A note behind the name of a state that would be options elsewhere. */
export function checkStateNote(context: ParseContext, note: Pick<Token, 'image' | 'startOffset'>): void {
  if (!optionOfState.test(note.image)) return;
  const where = span(context, note.startOffset, note.startOffset + note.image.length);
  report(context, badNote(where, { written: note.image, instead: null }));
}

/** Options that a note cannot set, and nothing else. */
const optionsNote =
  /^\(\s*((?:OR\s+)?(?:max|quorum|timeout|every|on_failure|retry)\s*=\s*[^\s,()]+(?:[\s,]+\w+\s*=\s*[^\s,()]+)*)\s*\)$/;

/** `(quorum=3)`: a note that contains options. */
export function noteOptions(
  context: ParseContext,
  note: Pick<Token, 'image' | 'startOffset'>,
  of: 'WAIT' | 'PARALLEL',
): Option[] {
  const options = optionsNote.exec(note.image)?.[1]?.replace(/[\s,]+/g, ' ');
  if (options !== undefined && /(?:timeout|every|on_failure|retry)\s*=/.test(options)) {
    const instead = of === 'PARALLEL' ? `[${options}]` : options.replace(/^timeout/, 'OR timeout');
    const where = span(context, note.startOffset, note.startOffset + note.image.length);
    // On the members it also changes what the block below does.
    report(context, badNote(where, { written: note.image, instead, isGuess: of === 'PARALLEL' }));
    return [];
  }
  if (note.image.search(noteOption) < 0) checkNote(context, note, 'limits');
  return [...note.image.matchAll(noteOption)].map((found) => {
    const start = note.startOffset + found.index;
    const [whole, key = '', value = ''] = found;
    return {
      key: { text: key, span: span(context, start, start + key.length) },
      value: plainTemplate(context, value, start + key.length + 1),
      span: span(context, start, start + whole.length),
    };
  });
}

// ---- arguments --------------------------------------------------------------------------------------

export function buildArguments(context: ParseContext, node: SyntaxNode | undefined, what = 'an argument'): Argument[] {
  if (node === undefined) return [];
  const list = children(node, node.name === 'callArgs' ? 'callArg' : 'arg');
  const commas = tokens(node, 'Comma');
  const separator =
    list.length === 0 ? token(node, 'With') : commas.length >= list.length ? commas[commas.length - 1] : undefined;
  if (separator !== undefined)
    reportMissing(
      context,
      missingPart(tokenSpan(context, separator), {
        what: `the name of ${what}`,
        after: separator.image,
        example: 'with name=value',
      }),
    );
  return list.map((arg) => buildArgument(context, arg, what));
}

function buildArgument(context: ParseContext, node: SyntaxNode, what: string): Argument {
  const quoted = token(node, 'Quoted');
  const name =
    quoted === undefined ? checkedName(context, token(node, 'Name') as Token, what) : quotedName(context, quoted);
  const quotes = quoted === undefined ? {} : ({ quoted: true } as const);
  const assign = token(node, 'Assign');
  const where = spanOf(context, node);
  if (assign === undefined) {
    if (quoted !== undefined)
      reportMissing(
        context,
        missingPart(name.span, { what: 'a value', after: quoted.image, example: `${quoted.image}=value` }),
      );
    return { name, ...quotes, span: where };
  }
  const dashed = token(node, 'DashedWord');
  if (dashed !== undefined) {
    const word = nameOf(context, dashed);
    return { name, ...quotes, value: { kind: 'word', word, span: word.span }, span: where };
  }
  const value = child(node, 'expression');
  if (value === undefined) {
    reportMissing(context, missingPart(tokenSpan(context, assign), { what: 'a value', after: `${name.text}=` }));
    return {
      name,
      ...quotes,
      value: { kind: 'expression', expression: { kind: 'broken', span: where }, span: where },
      span: where,
    };
  }
  return { name, ...quotes, value: argumentValue(buildExpression(context, value)), span: where };
}

/** A quoted name, used unchanged. */
function quotedName(context: ParseContext, quoted: Token): Name {
  return { text: quoted.image.slice(1, -1), span: tokenSpan(context, quoted) };
}

/** A single bare word is text unless a variable has its name, which only the checker knows. */
export function argumentValue(expression: Expression): ArgumentValue {
  if (expression.kind !== 'name' || expression.span.end - expression.span.start !== expression.name.length)
    return { kind: 'expression', expression, span: expression.span };
  return { kind: 'word', word: { text: expression.name, span: expression.span }, span: expression.span };
}

/** What follows a name: `with a, b`, or `(a, b)`. */
export function passedOf(context: ParseContext, node: SyntaxNode): SyntaxNode | undefined {
  const parenthesized = child(node, 'parenthesized');
  if (parenthesized === undefined) return child(node, 'args');
  const open = token(parenthesized, 'PassOpen') as Token;
  if (token(parenthesized, 'RParen') === undefined)
    reportMissing(context, unclosedBracket(tokenSpan(context, open), { open: '(', close: ')' }));
  return parenthesized;
}

export function buildParameters(context: ParseContext, node: SyntaxNode | undefined): Parameter[] {
  const parameters = buildArguments(context, node, 'a parameter');
  for (const parameter of parameters) checkBinding(context, parameter.name, 'a parameter');
  return parameters;
}

// ---- events -----------------------------------------------------------------------------------------

const unclosed = /^="(?:[^"\\]|\\.)*$/;

/** The fields after an event's name. Anything that is neither a field nor punctuation is reported once. */
export function buildFields(context: ParseContext, pieces: readonly Token[]): Field[] {
  const fields: Field[] = [];
  let optional: Token | undefined;
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i] as Token;
    const next = pieces[i + 1];
    const kind = piece.tokenType.name;
    if (kind === 'LBracket') optional = piece;
    else if (kind === 'RBracket') optional = undefined;
    else if (kind === 'Comma') continue;
    else if (kind === 'EventWord' && next?.tokenType.name === 'Assigned') {
      const name = checkedName(context, piece, 'a field');
      if (unclosed.test(next.image)) {
        const quote = next.startOffset + 1;
        report(context, unclosedQuote(span(context, quote, quote + 1), { quote: '"' }));
        context.blamed = true;
      }
      const value = assignedValue(context, next);
      fields.push({
        name,
        value,
        optional: optional !== undefined,
        span: span(context, piece.startOffset, tokenEnd(next)),
      });
      i++;
    } else if (!context.blamed) {
      const help = 'write `name=value`, or quote the whole text: `EMIT: "…"`';
      report(context, unexpectedText(tokenSpan(context, piece), { text: piece.image, help }));
      context.blamed = true;
    }
  }
  if (optional !== undefined)
    reportMissing(
      context,
      missingPart(tokenSpan(context, optional), { what: '`]`', after: '[', example: '[mode={mode}]' }),
    );
  return fields;
}
