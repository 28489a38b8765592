/** Builds WAIT and ASK, which wait for time, a condition, parallel members, a signal or a person. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { missingPart, unexpectedText } from '../../source/catalogue/syntax.js';
import type { Instruction, Option, WaitFor } from '../ast.js';
import type { Interpolation, Name, Template } from '../expression-nodes.js';
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
import type { Token } from '../tokens/token.js';
import { buildExpression } from './build-expression.js';
import { assignedValue, noteOptions, textTemplate } from './build-options.js';
import { plainTemplate, quotedTemplate, scanInterpolation } from './interpolation.js';
import type { Bodies } from './statement-context.js';

export function buildWait(context: ParseContext, node: SyntaxNode, bodies: Bodies): Instruction {
  const verb = verbName(context, token(node, 'Wait') as Token);
  const notes = tokens(node, 'Note').flatMap((note) => noteOptions(context, note, 'WAIT'));
  const every = tokens(node, 'Every').map((t) => everyOption(context, t));
  const timeout = token(node, 'Timeout');
  const only = timeout === undefined ? null : onlyTimeout(context, node, timeout);
  const awaited = only ?? waitFor(context, node, verb, notes);
  const limit = only !== null ? undefined : timeout === undefined ? undefined : timeoutTemplate(context, timeout);
  const body = bodies.below(false);
  return {
    kind: 'wait',
    verb,
    for: awaited,
    ...omitUndefined({ timeout: limit }),
    options: awaited.kind === 'members' ? every : [...every, ...notes],
    ...omitUndefined({ body }),
    span: spanOf(context, node),
  };
}

/** `WAIT: timeout=10s`, where nothing else is awaited: a pause. */
function onlyTimeout(context: ParseContext, node: SyntaxNode, timeout: Token): WaitFor | null {
  const raw = /^timeout[ \t]*=[ \t]*(\S.*)$/.exec(timeout.image)?.[1];
  if (raw === undefined) return null;
  const other = ['WaitDuration', 'Signal', 'Members'].some((name) => token(node, name) !== undefined);
  if (other || child(node, 'expression') !== undefined) return null;
  const start = tokenEnd(timeout) - raw.length;
  return {
    kind: 'duration',
    duration: plainTemplate(context, raw, start),
    span: span(context, start, tokenEnd(timeout)),
  };
}

function waitFor(context: ParseContext, node: SyntaxNode, verb: Name, notes: readonly Option[]): WaitFor {
  const duration = token(node, 'WaitDuration');
  if (duration !== undefined)
    return {
      kind: 'duration',
      duration: plainTemplate(context, duration.image, duration.startOffset),
      span: tokenSpan(context, duration),
    };
  const signal = token(node, 'Signal');
  if (signal !== undefined) {
    const name = token(node, 'Name');
    const where = tokenSpan(context, signal);
    if (name !== undefined)
      return {
        kind: 'signal',
        name: checkedName(context, name, 'a signal'),
        span: { ...where, end: context.base + tokenEnd(name) },
      };
    reportMissing(
      context,
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
      ...omitUndefined({
        count: count === undefined ? undefined : Number(count),
        quorum: quorum === undefined || !/^\d+$/.test(quorum) ? undefined : Number(quorum),
      }),
      span: tokenSpan(context, members),
    };
  }
  const expression = child(node, 'expression');
  const quoted = expression === undefined ? null : quotedDuration(context, expression);
  if (quoted !== null) return quoted;
  if (expression !== undefined)
    return { kind: 'condition', condition: buildExpression(context, expression), span: spanOf(context, expression) };
  reportMissing(
    context,
    missingPart(verb.span, {
      what: 'a condition or a duration',
      after: 'WAIT:',
      example: 'WAIT: result.done OR timeout=30s',
    }),
  );
  const where = { ...verb.span, start: verb.span.end };
  return { kind: 'condition', condition: { kind: 'broken', span: where }, span: where };
}

const DURATION = /^(["'])(\d+(?:\.\d+)?(?:ms|s|m|h|d))\1$/;

/** `WAIT: "5s"`: a text is never a condition, and this one is a time. */
function quotedDuration(context: ParseContext, expression: SyntaxNode): WaitFor | null {
  const where = spanOf(context, expression);
  const written = context.text.slice(where.start - context.base, where.end - context.base);
  const [, , raw] = DURATION.exec(written) ?? [];
  if (raw === undefined) return null;
  return { kind: 'duration', duration: plainTemplate(context, raw, where.start - context.base + 1), span: where };
}

/** `OR` may be left out; the formatter writes it. */
function timeoutTemplate(context: ParseContext, timeout: Token): Template {
  const raw = timeout.image.replace(/^(?:(?:OR|or|\|\||AND|and|&&)[ \t]+)?timeout[ \t]*=[ \t]*/, '');
  const operator = /^(?:or|OR|\|\||AND|and|&&)/.exec(timeout.image)?.[0];
  if (operator !== undefined && operator !== 'OR') {
    const where = span(context, timeout.startOffset, timeout.startOffset + operator.length);
    reportMissing(context, unexpectedText(where, { text: operator, help: 'write `OR`' }));
  }
  if (raw === '')
    reportMissing(
      context,
      missingPart(tokenSpan(context, timeout), { what: 'a duration', after: 'timeout=', example: 'OR timeout=30s' }),
    );
  return textTemplate(context, raw, tokenEnd(timeout) - raw.length);
}

function everyOption(context: ParseContext, every: Token): Option {
  const key = every.image.indexOf('every');
  const start = every.startOffset + key;
  const raw = every.image
    .slice(every.image.indexOf('=') + 1)
    .replace(/[ \t]*\]$/, '')
    .trim();
  const valueStart = every.startOffset + every.image.indexOf(raw, every.image.indexOf('=') + 1);
  if (raw === '')
    reportMissing(
      context,
      missingPart(tokenSpan(context, every), { what: 'a duration', after: 'every=', example: 'every=1s' }),
    );
  return {
    key: { text: 'every', span: span(context, start, start + 5) },
    value: textTemplate(context, raw, valueStart),
    span: tokenSpan(context, every),
  };
}

export function buildAsk(context: ParseContext, node: SyntaxNode): Instruction {
  const verbToken = token(node, 'Ask') as Token;
  const verb = verbName(context, verbToken);
  const where = spanOf(context, node);
  const pieces = (parts(node) as readonly Token[]).slice();
  // `ASK [choices=a,b] user: "…"`: the options come first.
  const late = pieces.findIndex((piece) => piece.tokenType.name === 'Quoted');
  const asked = late > 0 && pieces[late - 1]?.tokenType.name === 'Colon' ? late : -1;
  const isLateUser = asked > 1 && pieces[asked - 2]?.image === 'user';
  const isUser = /^ASK[ \t]+user\b/.test(verbToken.image) || isLateUser;
  const first = token(node, 'Quoted');
  const other = first === undefined ? undefined : pieces[late];
  const question = first ?? (asked < 0 ? undefined : pieces[asked]);
  if (asked >= 0) pieces.splice(asked - (isLateUser ? 2 : 1), isLateUser ? 3 : 2);
  if (!isUser || question === undefined || question.image.slice(1, -1).trim() === '') {
    const what = isUser ? 'a quoted question' : '`user`';
    const after = isUser ? verbToken.image : 'ASK';
    const at = isUser && question !== undefined ? tokenSpan(context, question) : verb.span;
    reportMissing(context, missingPart(at, { what, after, example: 'ASK user: "Ship it?" → answer' }));
  }
  const arrow = pieces.findIndex((piece) => piece.tokenType.name === 'PlainArrow');
  const bound = arrow < 0 ? undefined : pieces[arrow + 1];
  const named = bound?.tokenType.name === 'OptionKey' && pieces[arrow + 2]?.tokenType.name !== 'Assigned';
  const bind = named && bound !== undefined ? bindingName(context, bound, 'an answer') : undefined;
  if (arrow >= 0 && bind === undefined)
    reportMissing(
      context,
      missingPart(tokenSpan(context, pieces[arrow] as Token), {
        what: 'a name for the answer',
        after: '→',
        example: '→ answer',
      }),
    );
  if (other !== undefined && !context.blamed) {
    context.blamed = true;
    const help = 'an ASK has one question: write `ASK user: "…" → name`';
    report(context, unexpectedText(tokenSpan(context, other), { text: other.image, help }));
  }
  const options = askOptions(
    context,
    pieces.filter((_, i) => i !== arrow && !(named && i === arrow + 1)),
  );
  return {
    kind: 'ask',
    verb,
    ...omitUndefined({
      question: question === undefined ? undefined : quotedTemplate(context, question.image, question.startOffset),
      bind,
    }),
    options,
    span: where,
  };
}

function askOptions(context: ParseContext, pieces: readonly Token[]): Option[] {
  const options: Option[] = [];
  for (let i = 0; i < pieces.length; i++) {
    const key = pieces[i] as Token;
    const assigned = pieces[i + 1];
    if (key.tokenType.name !== 'OptionKey') continue;
    if (assigned?.tokenType.name === 'Assigned') {
      const where = span(context, key.startOffset, tokenEnd(assigned));
      const template = assignedValue(context, assigned);
      if (template.raw === '') reportMissing(context, missingPart(where, { what: 'a value', after: `${key.image}=` }));
      const value = key.image === 'show' ? shownNames(context, template) : template;
      options.push({ key: nameOf(context, key), value, span: where });
    } else if (!context.blamed) {
      context.blamed = true;
      report(
        context,
        unexpectedText(tokenSpan(context, key), {
          text: key.image,
          help: 'write the question in quotes, then `→ name` and options such as `choices=a,b`',
        }),
      );
    }
  }
  return options;
}

/**
 * `show=plan,result.url`: its names and paths are read as interpolations are, so that everything that finds names finds
 * these. Between two of them is a part `,`; what is not a name stays a text, which the check reports. Brackets, braces and
 * quotes can mean nothing else here, and the formatter leaves them out.
 */
function shownNames(context: ParseContext, template: Template): Template {
  const { raw, span: where } = template;
  const isWrapped = /^(?:\[.*\]|"[^"]*"|'[^']*')$/s.test(raw);
  const pieces = (isWrapped ? raw.slice(1, -1) : raw).split(',');
  const parts: (string | Interpolation)[] = [];
  const written: string[] = [];
  let start = where.start + (isWrapped ? 1 : 0);
  for (const piece of pieces) {
    const name = piece.trim().replace(/^(?:\{(.*)\}|"(.*)"|'(.*)')$/s, '$1$2$3');
    const at = start + piece.indexOf(name);
    const found = scanInterpolation(`{${name}}`, 0, context.file, (offset) => at + offset - 1, false);
    const isName = found !== null && found.end === name.length + 2 && found.interpolation.filter === undefined;
    if (parts.length > 0) parts.push(',');
    parts.push(isName ? { ...found.interpolation, span: { ...where, start: at, end: at + name.length } } : name);
    written.push(name);
    start += piece.length + 1;
  }
  return { ...template, parts, quote: 'none', raw: written.join(',') };
}
