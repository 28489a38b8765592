/** The entries of CONTEXT and GATE, from one line or from several. */
import type { CstNode, IToken } from 'chevrotain';
import { badGateCommand, notAGate, unknownEntry } from '../../source/catalogue/step-syntax.js';
import { missingPart, unexpectedText } from '../../source/catalogue/syntax.js';
import { nearest } from '../../source/suggest.js';
import type { Expression, Instruction, Name, Template } from '../ast.js';
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
} from '../grammar/cst.js';
import type { ContextEntry, GateCheck, GateEntry, WorkflowCall } from '../step.js';
import { assignedValue, buildArguments, textTemplate } from '../tree/build-options.js';
import { buildExpression } from '../tree/expression.js';
import { quotedShell } from './quoted-shell.js';
import { isNoGate, meantGate } from './step-words.js';

/** The word of an entry, without the colon that may follow it. */
export function entryName(reading: ParseContext, of: IToken): Name {
  const text = of.image.replace(/[ \t]*:$/, '');
  return { text, span: span(reading, of.startOffset, of.startOffset + text.length) };
}

/** A workflow that is called: `name` is the token that holds its name, `after` what is before it. */
export function buildCall(
  reading: ParseContext,
  node: CstNode,
  name: IToken | undefined,
  after: Name,
  example: string,
): WorkflowCall {
  if (name === undefined) {
    reportMissing(reading, missingPart(after.span, { what: 'the name of a workflow', after: after.text, example }));
    reading.blamed = true;
  }
  const args = buildArguments(reading, child(node, 'args'));
  const called =
    name === undefined
      ? { text: '', span: emptySpanAt(after.span) }
      : { text: name.image, span: tokenSpan(reading, name) };
  const end = args[args.length - 1]?.span.end ?? called.span.end;
  return { name: called, args, span: { ...called.span, end } };
}

/** Says that a separator has nothing after it. */
export function reportTrailing(
  reading: ParseContext,
  node: CstNode,
  separator: string,
  entries: readonly CstNode[],
  what: string,
): void {
  const commas = (node.children[separator] ?? []) as IToken[];
  const last = commas[commas.length - 1];
  const end = entries[entries.length - 1];
  if (last !== undefined && end !== undefined && last.startOffset > startOf(end))
    reportMissing(reading, missingPart(tokenSpan(reading, last), { what, after: ',' }));
}

// ---- context ----------------------------------------------------------------------------------------

const contextWords = ['file', 'bash', 'workflow'];

export function buildContexts(reading: ParseContext, node: CstNode): ContextEntry[] {
  const entries = children(node, 'contextEntry');
  reportTrailing(reading, node, 'NextContext', entries, 'an entry');
  return entries.flatMap((entry) => buildContext(reading, entry));
}

function buildContext(reading: ParseContext, node: CstNode): ContextEntry[] {
  const where = spanOf(reading, node);
  const call = token(node, 'ContextCall');
  if (call !== undefined) return [{ kind: 'workflow', call: contextCall(reading, node, call), span: where }];
  const key = token(node, 'ContextKey') as IToken;
  const value = token(node, 'Assigned');
  const word = entryName(reading, key);
  if (!contextWords.includes(word.text)) {
    const meant = nearest(word.text, contextWords);
    const facts = { written: word.text, list: 'CONTEXT', known: contextWords };
    report(
      reading,
      unknownEntry(word.span, meant === undefined ? facts : { ...facts, meant, fix: fixAt(word.span, meant) }),
    );
    reading.blamed = true;
    return [];
  }
  const template = value === undefined ? undefined : assignedValue(reading, value);
  if (value === undefined || template === undefined || template.raw === '') {
    const what = word.text === 'bash' ? 'a command' : word.text === 'file' ? 'a path' : 'the name of a workflow';
    reportMissing(
      reading,
      missingPart(word.span, { what, after: `${word.text}=`, example: contextExample[word.text] ?? 'file=README.md' }),
    );
    reading.blamed = true;
    return [];
  }
  if (word.text === 'file') return [{ kind: 'file', path: template, span: where }];
  const start = template.span.start - reading.base;
  return [{ kind: 'bash', shell: quotedShell(reading, template.raw, start), span: where }];
}

const contextExample: Readonly<Record<string, string>> = {
  file: 'file=docs/design.md',
  bash: 'bash="git log -3"',
  workflow: 'workflow=research with topic={topic}',
};

function contextCall(reading: ParseContext, node: CstNode, call: IToken): WorkflowCall {
  const image = call.image.replace(/^workflow[ \t]*=[ \t]*/, '');
  const start = tokenEnd(call) - image.length;
  const after: Name = { text: 'workflow=', span: tokenSpan(reading, call) };
  const name = image === '' ? undefined : { ...call, image, startOffset: start };
  return buildCall(reading, node, name, after, 'workflow=research with topic={topic}');
}

// ---- gates ------------------------------------------------------------------------------------------

export function buildGates(reading: ParseContext, node: CstNode): GateEntry[] {
  const entries = children(node, 'gate');
  reportTrailing(reading, node, 'NextGate', entries, 'a gate');
  return entries.map((entry) => buildGate(reading, entry));
}

function buildGate(reading: ParseContext, node: CstNode): GateEntry {
  const first = (token(node, 'GateExpression') ??
    token(node, 'GateCall') ??
    token(node, 'GateText') ??
    token(node, 'GateName')) as IToken;
  const word = gateWord(reading, first);
  const check = gateCheck(reading, node, first, word);
  const as = token(node, 'As');
  const label = token(node, 'Label');
  if (as !== undefined && label === undefined)
    reportMissing(
      reading,
      missingPart(tokenSpan(reading, as), { what: 'a name', after: 'as', example: `${word.text} as quick` }),
    );
  return {
    ...check,
    word,
    ...(label === undefined ? {} : { label: { text: label.image, span: tokenSpan(reading, label) } }),
    span: spanOf(reading, node),
  };
}

/** The word of a gate as the language has it. */
function gateWord(reading: ParseContext, first: IToken): Name {
  const word = entryName(reading, first);
  const meant = meantGate(word.text);
  if (meant !== word.text) {
    const facts = { written: word.text, list: 'GATE', known: [], meant, fix: fixAt(word.span, meant) };
    report(reading, unknownEntry(word.span, facts));
    reading.blamed = true;
  } else if (isNoGate(meant)) {
    reportMissing(reading, notAGate(word.span, { verb: meant }));
    reading.blamed = true;
  }
  return { ...word, text: meant };
}

function gateCheck(reading: ParseContext, node: CstNode, first: IToken, word: Name): GateCheck {
  switch (first.tokenType.name) {
    case 'GateCall': {
      const example = 'validate validators/review with diff={diff}';
      return { kind: 'validate', call: buildCall(reading, node, token(node, 'CallName'), word, example) };
    }
    case 'GateExpression': {
      const value = gateValue(reading, node, word);
      return word.text === 'expr' ? { kind: 'expr', condition: value } : { kind: 'coverage', least: value };
    }
    case 'GateText':
      return textGate(reading, node, word);
    default:
      return { kind: 'command' };
  }
}

function gateValue(reading: ParseContext, node: CstNode, word: Name): Expression {
  const expression = child(node, 'expression');
  if (expression !== undefined) return buildExpression(reading, expression);
  const [what, example] = word.text === 'expr' ? ['a condition', 'expr a > 1'] : ['a percentage', 'coverage 80'];
  reportMissing(reading, missingPart(word.span, { what, after: word.text, example }));
  return { kind: 'broken', span: emptySpanAt(word.span) };
}

function textGate(reading: ParseContext, node: CstNode, word: Name): GateCheck {
  const texts = parts(node) as readonly IToken[];
  const [first, second] = texts;
  if (word.text === 'touched' || word.text === 'untouched') {
    if (first === undefined)
      reportMissing(
        reading,
        missingPart(word.span, { what: 'a pattern of file names', after: word.text, example: `${word.text} "src/**"` }),
      );
    return { kind: word.text, globs: texts.map((text) => templateOf(reading, text)) };
  }
  if (second !== undefined) {
    report(
      reading,
      unexpectedText(tokenSpan(reading, second), { text: second.image, help: `\`${word.text}\` takes one text` }),
    );
    reading.blamed = true;
  }
  if (word.text === 'schema')
    return first === undefined ? { kind: 'schema' } : { kind: 'schema', path: templateOf(reading, first) };
  if (first === undefined || first.tokenType.name !== 'Quoted')
    reportMissing(
      reading,
      missingPart(first === undefined ? word.span : tokenSpan(reading, first), {
        what: 'a command in quotes',
        after: word.text,
        example: 'bash "npm test"',
      }),
    );
  const end = word.span.end - reading.base;
  return { kind: 'bash', shell: quotedShell(reading, first?.image ?? '', first?.startOffset ?? end) };
}

function templateOf(reading: ParseContext, text: IToken): Template {
  return textTemplate(reading, text.image, text.startOffset);
}

/** A `DO:` among gates: a command of the shell. */
export function gateOfCommand(reading: ParseContext, instruction: Instruction): GateEntry[] {
  if (instruction.kind === 'broken') return [];
  const { verb, span: where } = instruction;
  if (instruction.kind !== 'do') {
    report(reading, notAGate(verb.span, { verb: verb.text }));
    return [];
  }
  const { performed, options, bind, piped } = instruction;
  if (performed.kind !== 'shell' || options.length > 0 || bind !== undefined || piped) {
    report(reading, badGateCommand(verb.span, {}));
    return [];
  }
  return [{ kind: 'bash', shell: performed.shell, word: verb, span: where }];
}
