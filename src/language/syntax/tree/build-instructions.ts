/** Builds the instructions that consist of one line: EMIT, GOTO, USE, RETURN, FAIL, TRACK, SET and INCREMENT. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import {
  badName,
  missingPart,
  pathAssignment,
  unclosedBracket,
  unexpectedText,
} from '../../source/catalogue/syntax.js';
import type { Argument, GotoTarget, Instruction } from '../ast.js';
import type { Expression, Name } from '../expression-nodes.js';
import type { SyntaxNode } from '../grammar/cst.js';
import {
  child,
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
import { bindingName, checkedName, verbName } from '../names.js';
import { dataReferenceEnd, isQuoted, quotedEnd } from '../tokens/interpolation-scan.js';
import type { Token } from '../tokens/token.js';
import { type TextVerb, textVerbs, wordsOfTokens } from '../tokens/verbs.js';
import { brokenInstruction } from './build-declarations.js';
import { buildExpression, ofLiterals, parseExpressionText } from './build-expression.js';
import { argumentValue, buildArguments, buildFields, checkNote, passedOf, textTemplate } from './build-options.js';
import { quotedTemplate } from './interpolation.js';

export function buildEmit(context: ParseContext, node: SyntaxNode): Instruction {
  const verb = verbName(context, token(node, 'Emit') as Token);
  const pieces = parts(node) as readonly Token[];
  const first = pieces[0];
  const where = spanOf(context, node);
  if (first === undefined) {
    reportMissing(
      context,
      missingPart(verb.span, { what: 'an event or a quoted text', after: 'EMIT:', example: 'EMIT: STARTED mode=fast' }),
    );
    return brokenInstruction(context, node, verb);
  }
  if (first.tokenType.name === 'Quoted') {
    const message = quotedTemplate(context, first.image, first.startOffset);
    const second = pieces[1];
    if (second !== undefined)
      reportMissing(context, unexpectedText(tokenSpan(context, second), { text: second.image }));
    return { kind: 'emit', verb, fields: [], message, span: where };
  }
  if (first.tokenType.name !== 'EventWord') {
    reportMissing(
      context,
      missingPart(verb.span, { what: 'the name of an event', after: 'EMIT:', example: 'EMIT: STARTED mode=fast' }),
    );
    context.blamed = true;
    return { kind: 'emit', verb, fields: buildFields(context, pieces), span: where };
  }
  if (pieces[1]?.tokenType.name === 'Assigned') {
    reportMissing(
      context,
      missingPart(verb.span, {
        what: 'the name of an event',
        after: 'EMIT:',
        example: `EMIT: EVENT ${first.image}${pieces[1].image}`,
      }),
    );
    return { kind: 'emit', verb, fields: buildFields(context, pieces), span: where };
  }
  const fields = buildFields(context, pieces.slice(1));
  if (!first.image.startsWith('{'))
    return { kind: 'emit', verb, event: checkedName(context, first, 'an event'), fields, span: where };
  // A value is a message, which has quotes.
  const help = `write the text in quotes: \`EMIT: "${first.image}"\``;
  reportMissing(context, badName(tokenSpan(context, first), { name: first.image, what: 'an event', help }));
  return { kind: 'emit', verb, fields, span: where };
}

// ---- leaving a state --------------------------------------------------------------------------------

export function buildJump(context: ParseContext, node: SyntaxNode, rest?: SyntaxNode): Instruction {
  const verbToken = (token(node, 'Goto') ?? token(node, 'Use')) as Token;
  const verb = verbName(context, verbToken);
  const goto = verbToken.tokenType.name === 'Goto';
  for (const note of tokens(node, 'Note')) checkNote(context, note, 'nothing');
  const word = token(node, 'Word');
  const braced = token(node, 'BracedTarget');
  const args = [...buildArguments(context, passedOf(context, node)), ...lostArguments(context, rest)];
  const where = spanOf(context, node);
  if (word === undefined && (braced === undefined || !goto)) {
    const what = goto ? 'the name of a state' : 'the name of a pattern';
    reportMissing(
      context,
      missingPart(verb.span, { what, after: verb.text, example: goto ? 'GOTO: BUILD' : 'USE: RETRY with times=3' }),
    );
    return brokenInstruction(context, node, verb);
  }
  if (!goto) return { kind: 'use', verb, pattern: checkedName(context, word as Token, 'a pattern'), args, span: where };
  const target = word === undefined ? parameterTarget(context, braced as Token) : stateTarget(context, word);
  return { kind: 'goto', verb, target, args, span: where };
}

/** Arguments after a mistake: their names count as passed, whatever their values are. */
function lostArguments(context: ParseContext, rest: SyntaxNode | undefined): Argument[] {
  const pieces = rest === undefined ? [] : (parts(rest) as readonly Token[]);
  return pieces.flatMap((piece, i) => {
    const separated = i === 0 || ['Comma', 'With'].includes(pieces[i - 1]?.tokenType.name ?? '');
    if (piece.tokenType.name !== 'Name' || pieces[i + 1]?.tokenType.name !== 'Assign' || !separated) return [];
    const where = tokenSpan(context, piece);
    const value = { kind: 'expression', expression: { kind: 'broken', span: where }, span: where } as const;
    return [{ name: nameOf(context, piece), value, span: where }];
  });
}

function stateTarget(context: ParseContext, word: Token): GotoTarget {
  return { kind: 'state', name: checkedName(context, word, 'a state') };
}

function parameterTarget(context: ParseContext, braced: Token): GotoTarget {
  const text = braced.image.slice(1, -1);
  const name: Name = { text, span: span(context, braced.startOffset + 1, braced.startOffset + 1 + text.length) };
  if (!/^[A-Za-z_]\w*$/.test(text)) reportMissing(context, badName(name.span, { name: text, what: 'a parameter' }));
  return { kind: 'parameter', name };
}

export function buildReturn(context: ParseContext, node: SyntaxNode): Instruction {
  const verb = verbName(context, token(node, 'Return') as Token);
  const text = token(node, 'Text');
  const where = spanOf(context, node);
  if (text === undefined) return { kind: 'return', verb, span: where };
  const reference = text.image.startsWith('†') && dataReferenceEnd(text.image, 0) === text.image.length;
  const says = token(node, 'ReturnWith') !== undefined;
  if (says && isList(context, text))
    return { kind: 'return', verb, args: returnedArguments(context, text), span: where };
  if (reference || says) {
    const { expression, diagnostics, complete } = parseReturned(context, text);
    if (complete) {
      for (const diagnostic of diagnostics) report(context, diagnostic);
      return { kind: 'return', verb, value: expression, span: where };
    }
  }
  reportOpenBrace(context, text);
  const expression = says ? undefined : returnedExpression(context, text);
  const template = textTemplate(context, text.image, text.startOffset);
  return { kind: 'return', verb, text: template, ...omitUndefined({ expression }), span: where };
}

function parseReturned(context: ParseContext, { image, startOffset }: Token) {
  return parseExpressionText(image, context.base + startOffset, context.file);
}

/** Texts that may be an expression. The others are only words. */
const MAY_BE_VALUE = /^(?:[A-Za-z_]\w*$|.*[-+*/%<>=([{.?]|.*\b(?:AND|OR|NOT|is|in|contains|matches|exists|with)\b)/s;
/** Mistakes in what is certainly an expression. Others are those of prose, such as `yes and no`. */
const OWN_MISTAKES: ReadonlySet<string> = new Set([...ofLiterals, 'chained-comparison']);

/** The text of a RETURN as an expression, if it can be one: text with interpolations is text. */
function returnedExpression(context: ParseContext, text: Token): Expression | undefined {
  if (!MAY_BE_VALUE.test(text.image) || isQuoted(text.image)) return undefined;
  const { expression, diagnostics, complete } = parseReturned(context, text);
  const hasOwn = diagnostics.every(({ code }) => OWN_MISTAKES.has(code));
  if (!complete || !hasOwn || !mayBeReturned(context, expression)) return undefined;
  for (const diagnostic of diagnostics) report(context, diagnostic);
  return expression;
}

function mayBeReturned(context: ParseContext, e: Expression): boolean {
  const at = e.span.start - context.base;
  switch (e.kind) {
    case 'name':
    case 'field':
    case 'maybe':
    case 'index':
      return context.text[at] !== '{' && !/\s\[/.test(context.text.slice(at, e.span.end - context.base));
    // `done (twice)` is prose.
    case 'call':
      return context.text[at] !== '{' && context.text[e.name.span.end - context.base] === '(';
    case 'list':
    case 'object':
      return true;
    case 'negate':
      return e.of.kind !== 'number' && hasNoBraces(context, e.of);
    case 'not':
    case 'test':
      return hasNoBraces(context, e.of);
    case 'arithmetic':
    case 'logical':
    case 'compare':
      return hasNoBraces(context, e.left) && hasNoBraces(context, e.right);
    default:
      return false;
  }
}

/** Whether no operand is an interpolation, as in the text `{done}/{total}`. */
function hasNoBraces(context: ParseContext, e: Expression): boolean {
  switch (e.kind) {
    case 'arithmetic':
    case 'logical':
    case 'compare':
      return hasNoBraces(context, e.left) && hasNoBraces(context, e.right);
    case 'negate':
    case 'not':
    case 'test':
    case 'field':
    case 'index':
    case 'maybe':
      return hasNoBraces(context, e.of);
    default:
      return e.kind === 'object' || context.text[e.span.start - context.base] !== '{';
  }
}

/** `a=1`, or several values. */
const LIST = /^[A-Za-z_]\w*[ \t]*=(?!=)|^[^"'([{]*,/;
const ARGUMENT = /^([A-Za-z_]\w*)(?:([ \t]*=(?!=)\s*)(.*))?$/s;

/** Also if the first value lacks a name: `len(l), n`. */
function isList(context: ParseContext, { image, startOffset }: Token): boolean {
  if (LIST.test(image)) return true;
  const comma = topLevelComma(image);
  if (comma === image.length) return false;
  const { complete, diagnostics } = parseExpressionText(
    image.slice(0, comma).trimEnd(),
    context.base + startOffset,
    context.file,
  );
  return complete && diagnostics.length === 0;
}

/** The values of `RETURN with a, b=1`, as after GOTO. */
function returnedArguments(context: ParseContext, { image, startOffset }: Token): Argument[] {
  const args: Argument[] = [];
  for (let from = 0; from <= image.length; ) {
    const end = from + topLevelComma(image.slice(from));
    const written = image.slice(from, end);
    const start = startOffset + from + written.length - written.trimStart().length;
    const text = written.trim();
    from = end + 1;
    const argument = returnedArgument(context, text, start);
    if (argument !== null) {
      args.push(argument);
      continue;
    }
    const help = 'write names after `with`, as in `with a, b=1`';
    if (text === '')
      reportMissing(context, missingPart(span(context, start, start), { what: 'the name of a value', after: ',' }));
    else reportMissing(context, unexpectedText(span(context, start, start + text.length), { text, help }));
  }
  return args;
}

function returnedArgument(context: ParseContext, text: string, start: number): Argument | null {
  const [, word, assign, written] = ARGUMENT.exec(text) ?? [];
  if (word === undefined) return null;
  const name = { text: word, span: span(context, start, start + word.length) };
  const where = span(context, start, start + text.length);
  if (assign === undefined || written === undefined) return { name, span: where };
  const at = start + word.length + assign.length;
  const valueSpan = span(context, at, at + written.length);
  const { expression, diagnostics, complete } = parseExpressionText(written, context.base + at, context.file);
  for (const diagnostic of diagnostics) report(context, diagnostic);
  if (!complete && diagnostics.length === 0)
    reportMissing(context, unexpectedText(valueSpan, { text: written, help: `quote the text: \`with ${word}="…"\`` }));
  return { name, value: argumentValue(expression), span: where };
}

const OPEN_BRACE = /(?<![{\\])\{(?=[A-Za-z_†][\w†.[\]?:]*["']?\s*$)/;

/** `RETURN: {x`: without the closing brace, the text itself would be the result. */
function reportOpenBrace(context: ParseContext, { image, startOffset }: Token): void {
  const found = OPEN_BRACE.exec(image);
  if (found === null) return;
  const start = startOffset + found.index;
  reportMissing(context, unclosedBracket(span(context, start, start + 1), { open: '{', close: '}' }));
}

/** FAIL, and other verbs of a text. */
export function buildTextAction(context: ParseContext, node: SyntaxNode): Instruction {
  const [verbToken] = node.elements as [Token];
  const meant = wordsOfTokens.get(verbToken.tokenType.name) as TextVerb;
  const verb = verbName(context, verbToken);
  const text = token(node, 'SaidText');
  const args = buildArguments(context, child(node, 'args'));
  const where = spanOf(context, node);
  if (text === undefined) reportMissing(context, missingPart(verb.span, { ...textVerbs[meant], after: verb.text }));
  const said = text === undefined ? {} : { text: textTemplate(context, text.image, text.startOffset) };
  return { kind: meant.toLowerCase() as Lowercase<TextVerb>, verb, ...said, args, span: where };
}

// ---- variables --------------------------------------------------------------------------------------

const startsAt = /^\((?:[^"'()]*[,;])?\s*starts\s+at\s+/;

export function buildAssignment(context: ParseContext, node: SyntaxNode): Instruction {
  const verbToken = (token(node, 'Track') ?? token(node, 'Set') ?? token(node, 'Increment')) as Token;
  const verb = verbName(context, verbToken);
  const word = token(node, 'Word');
  if (word === undefined) {
    reportMissing(
      context,
      missingPart(verb.span, {
        what: 'the name of a variable',
        after: verb.text,
        example: `${verb.text}: count${verb.text === 'SET' ? ' = 1' : ''}`,
      }),
    );
    return brokenInstruction(context, node, verb);
  }
  const name = assignedName(context, node, word);
  const expression = child(node, 'expression');
  const operator = token(node, 'Assign') ?? token(node, 'PlusAssign') ?? token(node, 'By');
  const value = expression === undefined ? undefined : buildExpression(context, expression);
  if (operator !== undefined && value === undefined)
    reportMissing(context, missingPart(tokenSpan(context, operator), { what: 'a value', after: operator.image }));
  const where = spanOf(context, node);
  switch (verbToken.tokenType.name) {
    case 'Track': {
      if (operator !== undefined && operator.image !== '=') unexpectedOperator(context, operator, 'TRACK: x = 3');
      const notes = tokens(node, 'Note');
      // With a value, no note sets one.
      for (const note of value === undefined ? [] : notes) checkNote(context, note, 'nothing');
      const starting = value ?? trackedStart(context, notes);
      return { kind: 'track', verb, name, ...omitUndefined({ value: starting }), span: where };
    }
    case 'Increment':
      if (operator !== undefined && operator.image.toLowerCase() !== 'by')
        unexpectedOperator(context, operator, `INCREMENT: ${name.text} by 2`);
      return { kind: 'increment', verb, name, ...omitUndefined({ by: value }), span: where };
    default:
      if (operator === undefined)
        reportMissing(
          context,
          missingPart(name.span, { what: '`=` and a value', after: name.text, example: `SET: ${name.text} = 1` }),
        );
      if (value === undefined) return brokenInstruction(context, node, verb);
      return { kind: 'set', verb, name, operator: operator?.image === '+=' ? '+=' : '=', value, span: where };
  }
}

function assignedName(context: ParseContext, node: SyntaxNode, word: Token): Name {
  const root = /^([A-Za-z_]\w*)\./.exec(word.image)?.[1];
  const bracket = token(node, 'Set') !== undefined && context.text[tokenEnd(word)] === '[';
  if (root !== undefined || bracket) {
    const name = nameOf(context, word);
    context.blamed = false;
    const path = bracket ? `${name.text}[…]` : name.text;
    reportMissing(context, pathAssignment(name.span, { path, root: root ?? name.text }));
    context.blamed = true;
    return root === undefined ? name : { text: root, span: name.span };
  }
  return bindingName(context, word, 'a variable');
}

function unexpectedOperator(context: ParseContext, operator: Token, example: string): void {
  reportMissing(
    context,
    unexpectedText(tokenSpan(context, operator), { text: operator.image, help: `write \`${example}\`` }),
  );
}

/** The value in `(starts at 3, …)`, a note that may contain other text. */
function trackedStart(context: ParseContext, notes: readonly Token[]): Expression | undefined {
  for (const note of notes) {
    const prefix = startsAt.exec(note.image)?.[0];
    if (prefix === undefined) {
      checkNote(context, note, 'start');
      continue;
    }
    const raw = note.image.slice(prefix.length, -1);
    const text = raw.slice(0, topLevelComma(raw)).trimEnd();
    const parsed = parseExpressionText(text, context.base + note.startOffset + prefix.length, context.file);
    for (const diagnostic of parsed.diagnostics) report(context, diagnostic);
    return parsed.expression;
  }
  return undefined;
}

function topLevelComma(text: string): number {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string;
    const close = c === '"' || c === "'" ? quotedEnd(text, i) : -1;
    if (close > 0) i = close - 1;
    else if ('([{'.includes(c)) depth++;
    else if (')]}'.includes(c)) depth--;
    else if (c === ',' && depth === 0) return i;
  }
  return text.length;
}
