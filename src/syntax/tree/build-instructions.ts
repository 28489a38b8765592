/** The instructions whose whole text is one line: EMIT, GOTO, USE, RETURN, FAIL, TRACK, SET and INCREMENT. */
import type { CstNode, IToken } from 'chevrotain';
import {
  badName,
  missingPart,
  pathAssignment,
  unclosedBracket,
  unexpectedText,
} from '../../source/catalogue/syntax.js';
import type { Argument, Expression, GotoTarget, Instruction, Name } from '../ast.js';
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
import { dataReferenceEnd } from '../tokens/interpolation-scan.js';
import { broken } from './build-declarations.js';
import { buildArguments, buildFields, textTemplate } from './build-options.js';
import { buildExpression, parseExpressionText } from './expression.js';
import { quotedTemplate } from './interpolation.js';

export function buildEmit(reading: ParseContext, node: CstNode): Instruction {
  const verb = verbName(reading, token(node, 'Emit') as IToken);
  const pieces = parts(node) as readonly IToken[];
  const first = pieces[0];
  const where = spanOf(reading, node);
  if (first === undefined) {
    reportMissing(
      reading,
      missingPart(verb.span, { what: 'an event or a quoted text', after: 'EMIT:', example: 'EMIT: STARTED mode=fast' }),
    );
    return broken(reading, node, verb);
  }
  if (first.tokenType.name === 'Quoted') {
    const message = quotedTemplate(reading, first.image, first.startOffset);
    const second = pieces[1];
    if (second !== undefined)
      reportMissing(reading, unexpectedText(tokenSpan(reading, second), { text: second.image }));
    return { kind: 'emit', verb, fields: [], message, span: where };
  }
  if (first.tokenType.name !== 'EventWord') {
    reportMissing(
      reading,
      missingPart(verb.span, { what: 'the name of an event', after: 'EMIT:', example: 'EMIT: STARTED mode=fast' }),
    );
    reading.blamed = true;
    return { kind: 'emit', verb, fields: buildFields(reading, pieces), span: where };
  }
  if (pieces[1]?.tokenType.name === 'Assigned') {
    reportMissing(
      reading,
      missingPart(verb.span, {
        what: 'the name of an event',
        after: 'EMIT:',
        example: `EMIT: EVENT ${first.image}${pieces[1].image}`,
      }),
    );
    return { kind: 'emit', verb, fields: buildFields(reading, pieces), span: where };
  }
  const fields = buildFields(reading, pieces.slice(1));
  return { kind: 'emit', verb, event: checkedName(reading, first, 'an event'), fields, span: where };
}

// ---- leaving a state --------------------------------------------------------------------------------

export function buildJump(reading: ParseContext, node: CstNode, rest?: CstNode): Instruction {
  const verbToken = (token(node, 'Goto') ?? token(node, 'Use')) as IToken;
  const verb = verbName(reading, verbToken);
  const goto = verbToken.tokenType.name === 'Goto';
  const word = token(node, 'Word');
  const braced = token(node, 'BracedTarget');
  const args = [...buildArguments(reading, child(node, 'args')), ...lostArguments(reading, rest)];
  const where = spanOf(reading, node);
  if (word === undefined && (braced === undefined || !goto)) {
    const what = goto ? 'the name of a state' : 'the name of a pattern';
    reportMissing(
      reading,
      missingPart(verb.span, { what, after: verb.text, example: goto ? 'GOTO: BUILD' : 'USE: RETRY with times=3' }),
    );
    return broken(reading, node, verb);
  }
  if (!goto)
    return { kind: 'use', verb, pattern: checkedName(reading, word as IToken, 'a pattern'), args, span: where };
  const target = word === undefined ? parameterTarget(reading, braced as IToken) : stateTarget(reading, word);
  return { kind: 'goto', verb, target, args, span: where };
}

/** Arguments after a mistake: their names are passed, whatever their values are. */
function lostArguments(reading: ParseContext, rest: CstNode | undefined): Argument[] {
  const pieces = rest === undefined ? [] : (parts(rest) as readonly IToken[]);
  return pieces.flatMap((piece, i) => {
    const separated = i === 0 || ['Comma', 'With'].includes(pieces[i - 1]?.tokenType.name ?? '');
    if (piece.tokenType.name !== 'Name' || pieces[i + 1]?.tokenType.name !== 'Assign' || !separated) return [];
    const where = tokenSpan(reading, piece);
    const value = { kind: 'expression', expression: { kind: 'broken', span: where }, span: where } as const;
    return [{ name: nameOf(reading, piece), value, span: where }];
  });
}

function stateTarget(reading: ParseContext, word: IToken): GotoTarget {
  return { kind: 'state', name: checkedName(reading, word, 'a state') };
}

function parameterTarget(reading: ParseContext, braced: IToken): GotoTarget {
  const text = braced.image.slice(1, -1);
  const name: Name = { text, span: span(reading, braced.startOffset + 1, braced.startOffset + 1 + text.length) };
  if (!/^[A-Za-z_]\w*$/.test(text)) reportMissing(reading, badName(name.span, { name: text, what: 'a parameter' }));
  return { kind: 'parameter', name };
}

export function buildReturn(reading: ParseContext, node: CstNode): Instruction {
  const verb = verbName(reading, token(node, 'Return') as IToken);
  const text = token(node, 'Text');
  const where = spanOf(reading, node);
  if (text === undefined) return { kind: 'return', verb, span: where };
  const reference = text.image.startsWith('†') && dataReferenceEnd(text.image, 0) === text.image.length;
  if (reference || token(node, 'ReturnWith') !== undefined) {
    const { expression, diagnostics, complete } = parseExpressionText(
      text.image,
      reading.base + text.startOffset,
      reading.file,
    );
    if (complete && diagnostics.length === 0) return { kind: 'return', verb, value: expression, span: where };
  }
  reportOpenBrace(reading, text);
  return { kind: 'return', verb, text: textTemplate(reading, text.image, text.startOffset), span: where };
}

const OPEN_BRACE = /(?<![{\\])\{(?=[A-Za-z_†][\w†.[\]?:]*["']?\s*$)/;

/** `RETURN: {x`: with nothing that closes it, the text itself would be the result. */
function reportOpenBrace(reading: ParseContext, { image, startOffset }: IToken): void {
  const found = OPEN_BRACE.exec(image);
  if (found === null) return;
  const start = startOffset + found.index;
  reportMissing(reading, unclosedBracket(span(reading, start, start + 1), { open: '{', close: '}' }));
}

export function buildFail(reading: ParseContext, node: CstNode): Instruction {
  const verb = verbName(reading, token(node, 'Fail') as IToken);
  const text = token(node, 'FailText');
  const args = buildArguments(reading, child(node, 'args'));
  const where = spanOf(reading, node);
  if (text === undefined)
    reportMissing(
      reading,
      missingPart(verb.span, { what: 'a text with the reason', after: verb.text, example: 'FAIL: no free port' }),
    );
  const said = text === undefined ? {} : { text: textTemplate(reading, text.image, text.startOffset) };
  return { kind: 'fail', verb, ...said, args, span: where };
}

// ---- variables --------------------------------------------------------------------------------------

const startsAt = /^\((?:[^"'()]*[,;])?\s*starts\s+at\s+/;

export function buildAssignment(reading: ParseContext, node: CstNode): Instruction {
  const verbToken = (token(node, 'Track') ?? token(node, 'Set') ?? token(node, 'Increment')) as IToken;
  const verb = verbName(reading, verbToken);
  const word = token(node, 'Word');
  if (word === undefined) {
    reportMissing(
      reading,
      missingPart(verb.span, {
        what: 'the name of a variable',
        after: verb.text,
        example: `${verb.text}: count${verb.text === 'SET' ? ' = 1' : ''}`,
      }),
    );
    return broken(reading, node, verb);
  }
  const name = assignedName(reading, node, word);
  const expression = child(node, 'expression');
  const operator = token(node, 'Assign') ?? token(node, 'PlusAssign') ?? token(node, 'By');
  const value = expression === undefined ? undefined : buildExpression(reading, expression);
  if (operator !== undefined && value === undefined)
    reportMissing(reading, missingPart(tokenSpan(reading, operator), { what: 'a value', after: operator.image }));
  const where = spanOf(reading, node);
  switch (verbToken.tokenType.name) {
    case 'Track': {
      if (operator !== undefined && operator.image !== '=') unexpectedOperator(reading, operator, 'TRACK: x = 3');
      const starting = value ?? trackedStart(reading, tokens(node, 'Note'));
      return { kind: 'track', verb, name, ...(starting === undefined ? {} : { value: starting }), span: where };
    }
    case 'Increment':
      if (operator !== undefined && operator.image !== 'by')
        unexpectedOperator(reading, operator, `INCREMENT: ${name.text} by 2`);
      return { kind: 'increment', verb, name, ...(value === undefined ? {} : { by: value }), span: where };
    default:
      if (operator === undefined)
        reportMissing(
          reading,
          missingPart(name.span, { what: '`=` and a value', after: name.text, example: `SET: ${name.text} = 1` }),
        );
      if (value === undefined) return broken(reading, node, verb);
      return { kind: 'set', verb, name, operator: operator?.image === '+=' ? '+=' : '=', value, span: where };
  }
}

function assignedName(reading: ParseContext, node: CstNode, word: IToken): Name {
  const root = /^([A-Za-z_]\w*)\./.exec(word.image)?.[1];
  const bracket = token(node, 'Set') !== undefined && reading.text[tokenEnd(word)] === '[';
  if (root !== undefined || bracket) {
    const name = nameOf(reading, word);
    reading.blamed = false;
    const path = bracket ? `${name.text}[…]` : name.text;
    reportMissing(reading, pathAssignment(name.span, { path, root: root ?? name.text }));
    reading.blamed = true;
    return root === undefined ? name : { text: root, span: name.span };
  }
  return bindingName(reading, word, 'a variable');
}

function unexpectedOperator(reading: ParseContext, operator: IToken, example: string): void {
  reportMissing(
    reading,
    unexpectedText(tokenSpan(reading, operator), { text: operator.image, help: `write \`${example}\`` }),
  );
}

/** The value in `(starts at 3, whatever else the note says)`. */
function trackedStart(reading: ParseContext, notes: readonly IToken[]): Expression | undefined {
  for (const note of notes) {
    const prefix = startsAt.exec(note.image)?.[0];
    if (prefix === undefined) continue;
    const raw = note.image.slice(prefix.length, -1);
    const text = raw.slice(0, topLevelComma(raw)).trimEnd();
    const parsed = parseExpressionText(text, reading.base + note.startOffset + prefix.length, reading.file);
    for (const diagnostic of parsed.diagnostics) report(reading, diagnostic);
    return parsed.expression;
  }
  return undefined;
}

function topLevelComma(text: string): number {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string;
    if ('([{'.includes(c)) depth++;
    else if (')]}'.includes(c)) depth--;
    else if (c === ',' && depth === 0) return i;
  }
  return text.length;
}
