/** The instructions whose whole text is one line: EMIT, GOTO, USE, RETURN, WAIT, TRACK, SET, ASK and the loops. */
import type { CstNode, IToken } from 'chevrotain';
import { badName, emptyBlock, missingPart, pathAssignment, unexpectedText } from '../source/catalogue/syntax.js';
import type { Block, Expression, GotoTarget, Instruction, Name, Option, Template, WaitFor } from './ast.js';
import { commandOptions } from './build-commands.js';
import { broken } from './build-declarations.js';
import {
  assignedValue,
  buildArguments,
  buildFields,
  buildOptions,
  noteOptions,
  textTemplate,
} from './build-options.js';
import {
  child,
  nameOf,
  parts,
  type Reading,
  report,
  reportMissing,
  span,
  spanOf,
  token,
  tokenEnd,
  tokenSpan,
  tokens,
} from './cst.js';
import { buildExpression, parseExpressionText } from './expression.js';
import { plainTemplate, quotedTemplate } from './interpolation.js';
import { bindingName, checkedName, verbName } from './names.js';
import type { Bodies } from './place.js';

export function buildEmit(reading: Reading, node: CstNode): Instruction {
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

export function buildJump(reading: Reading, node: CstNode): Instruction {
  const verbToken = (token(node, 'Goto') ?? token(node, 'Use')) as IToken;
  const verb = verbName(reading, verbToken);
  const goto = verbToken.tokenType.name === 'Goto';
  const word = token(node, 'Word');
  const braced = token(node, 'BracedTarget');
  const args = buildArguments(reading, child(node, 'args'));
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

function stateTarget(reading: Reading, word: IToken): GotoTarget {
  return { kind: 'state', name: checkedName(reading, word, 'a state') };
}

function parameterTarget(reading: Reading, braced: IToken): GotoTarget {
  const text = braced.image.slice(1, -1);
  const name: Name = { text, span: span(reading, braced.startOffset + 1, braced.startOffset + 1 + text.length) };
  if (!/^[A-Za-z_]\w*$/.test(text)) reportMissing(reading, badName(name.span, { name: text, what: 'a parameter' }));
  return { kind: 'parameter', name };
}

export function buildReturn(reading: Reading, node: CstNode): Instruction {
  const verb = verbName(reading, token(node, 'Return') as IToken);
  const text = token(node, 'Text');
  const where = spanOf(reading, node);
  if (text === undefined) return { kind: 'return', verb, span: where };
  if (token(node, 'ReturnWith') !== undefined) {
    const { expression, diagnostics, complete } = parseExpressionText(
      text.image,
      reading.base + text.startOffset,
      reading.file,
    );
    if (complete && diagnostics.length === 0) return { kind: 'return', verb, value: expression, span: where };
  }
  return { kind: 'return', verb, text: textTemplate(reading, text.image, text.startOffset), span: where };
}

// ---- variables --------------------------------------------------------------------------------------

const startsAt = /^\(\s*starts\s+at\s+/;

export function buildAssignment(reading: Reading, node: CstNode): Instruction {
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

function assignedName(reading: Reading, node: CstNode, word: IToken): Name {
  const root = /^([A-Za-z_]\w*)\./.exec(word.image)?.[1];
  const bracket = token(node, 'Set') !== undefined && reading.text[tokenEnd(word)] === '[';
  if (root !== undefined || bracket) {
    const name = nameOf(reading, word);
    reading.blamed = false;
    reportMissing(reading, pathAssignment(name.span, { path: name.text, root: root ?? name.text }));
    reading.blamed = true;
    return root === undefined ? name : { text: root, span: name.span };
  }
  return bindingName(reading, word, 'a variable');
}

function unexpectedOperator(reading: Reading, operator: IToken, example: string): void {
  reportMissing(
    reading,
    unexpectedText(tokenSpan(reading, operator), { text: operator.image, help: `write \`${example}\`` }),
  );
}

/** The value in `(starts at 3, whatever else the note says)`. */
function trackedStart(reading: Reading, notes: readonly IToken[]): Expression | undefined {
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

// ---- WAIT and ASK -----------------------------------------------------------------------------------

export function buildWait(reading: Reading, node: CstNode, bodies: Bodies): Instruction {
  const verb = verbName(reading, token(node, 'Wait') as IToken);
  const notes = tokens(node, 'Note').flatMap((note) => noteOptions(reading, note));
  const every = tokens(node, 'Every').map((t) => everyOption(reading, t));
  const timeout = token(node, 'Timeout');
  const awaited = waitFor(reading, node, verb, notes);
  const limit = timeout === undefined ? undefined : timeoutTemplate(reading, timeout);
  const body = bodies.below(false);
  return {
    kind: 'wait',
    verb,
    for: awaited,
    ...(limit === undefined ? {} : { timeout: limit }),
    options: awaited.kind === 'members' ? every : [...every, ...notes],
    ...(body === undefined ? {} : { body }),
    span: spanOf(reading, node),
  };
}

function waitFor(reading: Reading, node: CstNode, verb: Name, notes: readonly Option[]): WaitFor {
  const duration = token(node, 'WaitDuration');
  if (duration !== undefined)
    return {
      kind: 'duration',
      duration: plainTemplate(reading, duration.image, duration.startOffset),
      span: tokenSpan(reading, duration),
    };
  const signal = token(node, 'Signal');
  if (signal !== undefined) {
    const name = token(node, 'Name');
    const where = tokenSpan(reading, signal);
    if (name !== undefined)
      return {
        kind: 'signal',
        name: checkedName(reading, name, 'a signal'),
        span: { ...where, end: reading.base + tokenEnd(name) },
      };
    reportMissing(
      reading,
      missingPart(where, {
        what: 'the name of a signal',
        after: 'signal',
        example: 'WAIT: signal approved OR timeout=24h',
      }),
    );
  }
  const members = token(node, 'Members');
  if (members !== undefined) {
    const count = /\d+/.exec(members.image)?.[0];
    const quorum = notes.find((option) => option.key.text === 'quorum')?.value?.raw;
    return {
      kind: 'members',
      ...(count === undefined ? {} : { count: Number(count) }),
      ...(quorum === undefined || !/^\d+$/.test(quorum) ? {} : { quorum: Number(quorum) }),
      span: tokenSpan(reading, members),
    };
  }
  const expression = child(node, 'expression');
  if (expression !== undefined)
    return { kind: 'condition', condition: buildExpression(reading, expression), span: spanOf(reading, expression) };
  reportMissing(
    reading,
    missingPart(verb.span, {
      what: 'a condition or a duration',
      after: 'WAIT:',
      example: 'WAIT: result.done OR timeout=30s',
    }),
  );
  const where = { ...verb.span, start: verb.span.end };
  return { kind: 'condition', condition: { kind: 'broken', span: where }, span: where };
}

function timeoutTemplate(reading: Reading, timeout: IToken): Template {
  const raw = timeout.image.replace(/^(?:OR|or|\|\|)[ \t]+timeout[ \t]*=[ \t]*/, '');
  const operator = /^\S+/.exec(timeout.image)?.[0] ?? 'OR';
  if (operator !== 'OR') {
    const where = span(reading, timeout.startOffset, timeout.startOffset + operator.length);
    reportMissing(reading, unexpectedText(where, { text: operator, help: 'write `OR`' }));
  }
  if (raw === '')
    reportMissing(
      reading,
      missingPart(tokenSpan(reading, timeout), { what: 'a duration', after: 'timeout=', example: 'OR timeout=30s' }),
    );
  return textTemplate(reading, raw, tokenEnd(timeout) - raw.length);
}

function everyOption(reading: Reading, every: IToken): Option {
  const key = every.image.indexOf('every');
  const start = every.startOffset + key;
  const raw = every.image
    .slice(every.image.indexOf('=') + 1)
    .replace(/[ \t]*\]$/, '')
    .trim();
  const valueStart = every.startOffset + every.image.indexOf(raw, every.image.indexOf('=') + 1);
  if (raw === '')
    reportMissing(
      reading,
      missingPart(tokenSpan(reading, every), { what: 'a duration', after: 'every=', example: 'every=1s' }),
    );
  return {
    key: { text: 'every', span: span(reading, start, start + 5) },
    value: textTemplate(reading, raw, valueStart),
    span: tokenSpan(reading, every),
  };
}

export function buildAsk(reading: Reading, node: CstNode): Instruction {
  const verbToken = token(node, 'Ask') as IToken;
  const verb = verbName(reading, verbToken);
  const question = token(node, 'Quoted');
  const where = spanOf(reading, node);
  if (question === undefined || !/^ASK[ \t]+user/.test(verbToken.image)) {
    const what = question === undefined ? 'a quoted question' : 'whom to ask';
    reportMissing(
      reading,
      missingPart(verb.span, { what, after: verbToken.image, example: 'ASK user: "Ship it?" → answer' }),
    );
  }
  const pieces = parts(node) as readonly IToken[];
  const arrow = pieces.findIndex((piece) => piece.tokenType.name === 'PlainArrow');
  const bound = arrow < 0 ? undefined : pieces[arrow + 1];
  const named = bound?.tokenType.name === 'OptionKey' && pieces[arrow + 2]?.tokenType.name !== 'Assigned';
  const bind = named && bound !== undefined ? bindingName(reading, bound, 'an answer') : undefined;
  if (arrow >= 0 && bind === undefined)
    reportMissing(
      reading,
      missingPart(tokenSpan(reading, pieces[arrow] as IToken), {
        what: 'a name for the answer',
        after: '→',
        example: '→ answer',
      }),
    );
  const options = askOptions(
    reading,
    pieces.filter((_, i) => i !== arrow && !(named && i === arrow + 1)),
  );
  return {
    kind: 'ask',
    verb,
    ...(question === undefined ? {} : { question: quotedTemplate(reading, question.image, question.startOffset) }),
    ...(bind === undefined ? {} : { bind }),
    options,
    span: where,
  };
}

function askOptions(reading: Reading, pieces: readonly IToken[]): Option[] {
  const options: Option[] = [];
  for (let i = 0; i < pieces.length; i++) {
    const key = pieces[i] as IToken;
    const value = pieces[i + 1];
    if (key.tokenType.name !== 'OptionKey') continue;
    if (value?.tokenType.name === 'Assigned') {
      const where = span(reading, key.startOffset, tokenEnd(value));
      options.push({ key: nameOf(reading, key), value: assignedValue(reading, value), span: where });
    } else if (!reading.blamed) {
      reading.blamed = true;
      report(
        reading,
        unexpectedText(tokenSpan(reading, key), {
          text: key.image,
          help: 'write the question in quotes, then `→ name` and options such as `choices=a,b`',
        }),
      );
    }
  }
  return options;
}

// ---- loops and parallel work ------------------------------------------------------------------------

export function buildParallel(
  reading: Reading,
  head: CstNode,
  node: CstNode,
  verbToken: IToken,
  bodies: Bodies,
  inList: boolean,
): Instruction {
  const verb = verbName(reading, verbToken);
  const headToken = token(node, 'ParallelHead') as IToken;
  const words = headToken.image.replace(/in[ \t]+PARALLEL$/, '').trimEnd();
  const note =
    words === ''
      ? undefined
      : { text: words, span: span(reading, headToken.startOffset, headToken.startOffset + words.length) };
  const options = [
    ...commandOptions(reading, head, verbToken, inList),
    ...buildOptions(reading, child(node, 'options')),
  ];
  const members = loopBody(reading, bodies, verb, 'members', 'PARALLEL');
  return {
    kind: 'parallel',
    verb,
    ...(note === undefined ? {} : { note }),
    options,
    members,
    span: spanOf(reading, head),
  };
}

function loopBody(reading: Reading, bodies: Bodies, verb: Name, what: string, title: string): Block {
  const body = bodies.below(true);
  if (body !== undefined && body.instructions.length > 0) return body;
  reportMissing(reading, emptyBlock(verb.span, { verb: title, what }));
  return body ?? { instructions: [], inline: false, span: { ...verb.span, start: verb.span.end } };
}

export function buildForEach(
  reading: Reading,
  node: CstNode,
  doToken: IToken | undefined,
  bodies: Bodies,
): Instruction {
  const forToken = (token(node, 'ForEach') ?? token(node, 'DoForEach')) as IToken;
  const verb = verbName(reading, doToken ?? forToken);
  const word = token(node, 'Word');
  const relation = token(node, 'Relation');
  const expression = child(node, 'expression');
  const example = 'FOR EACH: task in tasks';
  if (word === undefined)
    reportMissing(
      reading,
      missingPart(tokenSpan(reading, forToken), { what: 'a variable', after: 'FOR EACH', example }),
    );
  else if (relation === undefined || relation.image !== 'in')
    reportMissing(
      reading,
      missingPart(tokenSpan(reading, relation ?? word), { what: '`in`', after: word.image, example }),
    );
  else if (expression === undefined)
    reportMissing(reading, missingPart(tokenSpan(reading, relation), { what: 'a list', after: 'in', example }));
  const list: Expression =
    expression === undefined ? { kind: 'broken', span: verb.span } : buildExpression(reading, expression);
  const parallelNote = tokens(node, 'Note').find((note) => /(?<!\w)in[ \t]+PARALLEL(?!\w)/.test(note.image));
  const options = [
    ...buildOptions(reading, child(node, 'options')),
    ...(parallelNote === undefined ? [] : noteOptions(reading, parallelNote)),
  ];
  const variable = word === undefined ? { text: '', span: verb.span } : bindingName(reading, word, 'a variable');
  const body = loopBody(reading, bodies, verb, 'body', 'FOR EACH');
  const parallel = token(node, 'InParallel') !== undefined || parallelNote !== undefined;
  const where = { ...verb.span, end: spanOf(reading, node).end };
  return {
    kind: 'for-each',
    verb,
    variable,
    list,
    parallel,
    options,
    body,
    afterDo: doToken !== undefined,
    span: where,
  };
}
