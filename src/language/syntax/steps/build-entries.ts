/** Builds the entries of CONTEXT and GATE, from one line or several. */
import { isMisspelling, nearest } from '../../../prelude/nearest.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { unreachable } from '../../../prelude/unreachable.js';
import { badGateCommand, notAGate, unknownEntry } from '../../source/catalogue/steps.js';
import { missingPart, unexpectedText } from '../../source/catalogue/syntax.js';
import type { Instruction, ShellText } from '../ast.js';
import type { Expression, Name, Template } from '../expression-nodes.js';
import type { SyntaxNode } from '../grammar/cst.js';
import {
  child,
  children,
  emptySpanAt,
  fixAt,
  type ParseContext,
  parts,
  report,
  reportMissing,
  span,
  spanOf,
  startOf,
  token,
  tokenEnd,
  tokenSpan,
  tokens,
} from '../grammar/cst.js';
import type { ContextEntry, GateCheck, GateEntry, WorkflowCall } from '../step-nodes.js';
import type { Token } from '../tokens/token.js';
import { buildExpression } from '../tree/build-expression.js';
import { assignedValue, buildArguments, textTemplate } from '../tree/build-options.js';
import { isNoGate, meantGate, type TextGate } from './section-words.js';

/** The word of an entry, without the colon that may follow it. */
export function entryName(context: ParseContext, of: Token): Name {
  const text = of.image.replace(/[ \t]*:$/, '');
  return { text, span: span(context, of.startOffset, of.startOffset + text.length) };
}

/** `meant`: the word of the list that was probably meant. */
export function reportUnknown(
  context: ParseContext,
  word: Name,
  list: string,
  known: readonly string[],
  meant: string | undefined,
): void {
  const facts = { written: word.text, list, known };
  const fix =
    meant === undefined ? {} : { meant, fix: fixAt(word.span, meant, isMisspelling(word.text, meant, known)) };
  report(context, unknownEntry(word.span, { ...facts, ...fix }));
  context.blamed = true;
}

/** A called workflow: `name` is the token with its name, `after` the token before it. */
export function buildCall(
  context: ParseContext,
  node: SyntaxNode,
  name: Token | undefined,
  after: Name,
  example: string,
): WorkflowCall {
  if (name === undefined) {
    reportMissing(context, missingPart(after.span, { what: 'the name of a workflow', after: after.text, example }));
    context.blamed = true;
  }
  const args = buildArguments(context, child(node, 'args'));
  const called =
    name === undefined
      ? { text: '', span: emptySpanAt(after.span) }
      : { text: name.image, span: tokenSpan(context, name) };
  const end = args[args.length - 1]?.span.end ?? called.span.end;
  return { name: called, args, span: { ...called.span, end } };
}

/** Reports a separator without a following entry. */
function reportTrailing(
  context: ParseContext,
  node: SyntaxNode,
  separator: string,
  entries: readonly SyntaxNode[],
  what: string,
): void {
  const commas = tokens(node, separator);
  const last = commas[commas.length - 1];
  const end = entries[entries.length - 1];
  if (last !== undefined && end !== undefined && last.startOffset > startOf(end))
    reportMissing(context, missingPart(tokenSpan(context, last), { what, after: ',' }));
}

// ---- context ----------------------------------------------------------------------------------------

const contextWords = ['file', 'bash', 'workflow'];

export function buildContexts(context: ParseContext, node: SyntaxNode): ContextEntry[] {
  const entries = children(node, 'contextEntry');
  reportTrailing(context, node, 'NextContext', entries, 'an entry');
  return entries.flatMap((entry) => buildContext(context, entry));
}

function buildContext(context: ParseContext, node: SyntaxNode): ContextEntry[] {
  const where = spanOf(context, node);
  const call = token(node, 'ContextCall');
  if (call !== undefined) return [{ kind: 'workflow', call: contextCall(context, node, call), span: where }];
  const key = token(node, 'ContextKey') as Token;
  const value = token(node, 'Assigned');
  const word = entryName(context, key);
  if (!contextWords.includes(word.text)) {
    reportUnknown(context, word, 'CONTEXT', contextWords, nearest(word.text, contextWords));
    return [];
  }
  const template = value === undefined ? undefined : assignedValue(context, value);
  if (value === undefined || template === undefined || template.raw === '') {
    const what = word.text === 'bash' ? 'a command' : word.text === 'file' ? 'a path' : 'the name of a workflow';
    reportMissing(
      context,
      missingPart(word.span, { what, after: `${word.text}=`, example: contextExample[word.text] ?? 'file=README.md' }),
    );
    context.blamed = true;
    return [];
  }
  if (word.text === 'file') return [{ kind: 'file', path: template, span: where }];
  const start = template.span.start - context.base;
  return [{ kind: 'bash', shell: quotedShell(context, template.raw, start), span: where }];
}

const contextExample: Readonly<Record<string, string>> = {
  file: 'file=docs/design.md',
  bash: 'bash="git log -3"',
  workflow: 'workflow=research with topic={topic}',
};

function contextCall(context: ParseContext, node: SyntaxNode, call: Token): WorkflowCall {
  const image = call.image.replace(/^workflow[ \t]*=[ \t]*/, '');
  const start = tokenEnd(call) - image.length;
  const after: Name = { text: 'workflow=', span: tokenSpan(context, call) };
  const name = image === '' ? undefined : { ...call, image, startOffset: start };
  return buildCall(context, node, name, after, 'workflow=research with topic={topic}');
}

// ---- gates ------------------------------------------------------------------------------------------

export function buildGates(context: ParseContext, node: SyntaxNode): GateEntry[] {
  const entries = children(node, 'gate');
  reportTrailing(context, node, 'NextGate', entries, 'a gate');
  return entries.map((entry) => buildGate(context, entry));
}

function buildGate(context: ParseContext, node: SyntaxNode): GateEntry {
  const first = (token(node, 'GateExpression') ??
    token(node, 'GateCall') ??
    token(node, 'GateText') ??
    token(node, 'GateName')) as Token;
  const word = gateWord(context, first);
  const check = gateCheck(context, node, first, word);
  const as = token(node, 'As');
  const label = token(node, 'Label');
  if (as !== undefined && label === undefined)
    reportMissing(
      context,
      missingPart(tokenSpan(context, as), { what: 'a name', after: 'as', example: `${word.text} as quick` }),
    );
  return {
    ...check,
    word,
    ...omitUndefined({
      label: label === undefined ? undefined : { text: label.image, span: tokenSpan(context, label) },
    }),
    span: spanOf(context, node),
  };
}

/** The keyword of a gate in its correct spelling. */
function gateWord(context: ParseContext, first: Token): Name {
  const word = entryName(context, first);
  const meant = meantGate(word.text);
  if (meant !== word.text) {
    const facts = { written: word.text, list: 'GATE', known: [], meant, fix: fixAt(word.span, meant) };
    report(context, unknownEntry(word.span, facts));
    context.blamed = true;
  } else if (isNoGate(meant)) {
    reportMissing(context, notAGate(word.span, { verb: meant }));
    context.blamed = true;
  }
  return { ...word, text: meant };
}

function gateCheck(context: ParseContext, node: SyntaxNode, first: Token, word: Name): GateCheck {
  switch (first.tokenType.name) {
    case 'GateCall': {
      const example = 'validate validators/review with diff={diff}';
      return { kind: 'validate', call: buildCall(context, node, token(node, 'CallName'), word, example) };
    }
    case 'GateExpression': {
      const value = gateValue(context, node, word);
      return word.text === 'expr' ? { kind: 'expr', condition: value } : { kind: 'coverage', least: value };
    }
    case 'GateText':
      return textGate(context, node, word);
    default:
      return { kind: 'command' };
  }
}

function gateValue(context: ParseContext, node: SyntaxNode, word: Name): Expression {
  const expression = child(node, 'expression');
  if (expression !== undefined) return buildExpression(context, expression);
  const [what, example] = word.text === 'expr' ? ['a condition', 'expr a > 1'] : ['a percentage', 'coverage 80'];
  reportMissing(context, missingPart(word.span, { what, after: word.text, example }));
  return { kind: 'broken', span: emptySpanAt(word.span) };
}

function textGate(context: ParseContext, node: SyntaxNode, word: Name): GateCheck {
  const texts = parts(node) as readonly Token[];
  const gate = word.text as TextGate;
  switch (gate) {
    case 'touched':
    case 'untouched':
      if (texts.length === 0)
        reportMissing(
          context,
          missingPart(word.span, { what: 'a pattern of file names', after: gate, example: `${gate} "src/**"` }),
        );
      return { kind: gate, globs: texts.map((text) => templateOf(context, text)) };
    case 'schema': {
      const path = onlyText(context, texts, gate);
      return path === undefined ? { kind: 'schema' } : { kind: 'schema', path: templateOf(context, path) };
    }
    case 'bash':
      return bashGate(context, onlyText(context, texts, gate), word);
    default:
      return unreachable(gate);
  }
}

/** The first text; more texts are reported. */
function onlyText(context: ParseContext, [first, second]: readonly Token[], gate: TextGate): Token | undefined {
  if (second !== undefined) {
    const facts = { text: second.image, help: `\`${gate}\` takes one text` };
    report(context, unexpectedText(tokenSpan(context, second), facts));
    context.blamed = true;
  }
  return first;
}

function bashGate(context: ParseContext, text: Token | undefined, word: Name): GateCheck {
  if (text === undefined || text.tokenType.name !== 'Quoted') {
    const where = text === undefined ? word.span : tokenSpan(context, text);
    const facts = { what: 'a command in quotes', after: word.text, example: 'bash "npm test"' };
    reportMissing(context, missingPart(where, facts));
  }
  const end = word.span.end - context.base;
  return { kind: 'bash', shell: quotedShell(context, text?.image ?? '', text?.startOffset ?? end) };
}

function templateOf(context: ParseContext, text: Token): Template {
  return textTemplate(context, text.image, text.startOffset);
}

/** A `DO:` among gates: a command of the shell. */
export function gateOfCommand(context: ParseContext, instruction: Instruction): GateEntry[] {
  if (instruction.kind === 'broken') return [];
  const { verb, span: where } = instruction;
  if (instruction.kind !== 'do') {
    report(context, notAGate(verb.span, { verb: verb.text }));
    return [];
  }
  const { performed, options, bind, piped } = instruction;
  if (performed.kind !== 'shell' || options.length > 0 || bind !== undefined || piped) {
    report(context, badGateCommand(verb.span, {}));
    return [];
  }
  return [{ kind: 'bash', shell: performed.shell, word: verb, span: where }];
}

/** The text of `raw`, which begins at `start`. Without quotes it is used unchanged. */
function quotedShell(context: ParseContext, raw: string, start: number): ShellText {
  const quote = raw[0];
  const quoted = raw.length > 1 && (quote === '"' || quote === "'") && raw.endsWith(quote);
  const from = quoted ? 1 : 0;
  const inner = quoted ? raw.slice(1, -1) : raw;
  const lines = [{ at: 0, source: context.base + start + from }];
  let text = '';
  let at = 0;
  if (quote === '"') {
    for (const found of inner.matchAll(/\\(["\\]|u\{a\})/g)) {
      text += inner.slice(at, found.index) + (found[1] === 'u{a}' ? '\n' : found[1]);
      at = found.index + found[0].length;
      // After an escape, an offset in the file is one character larger than in the text.
      lines.push({ at: text.length, source: context.base + start + from + at });
    }
  }
  text += inner.slice(at);
  return { text, lines, block: false, span: span(context, start, start + raw.length) };
}
