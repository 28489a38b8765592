/** Builds declarations: MACHINE, TITLE, STATE, PATTERN, INPUT, LIMIT, TOOL and IMPORT. The block builder adds their bodies. */
import { nearest } from '../../../prelude/nearest.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { badInputNote, missingPart, unexpectedText, unquotedPath } from '../../source/catalogue/syntax.js';
import type { Block, Declaration, InputDeclaration, Instruction } from '../ast.js';
import type { Name } from '../expression-nodes.js';
import type { SyntaxNode } from '../grammar/cst.js';
import { child, type ParseContext, reportMissing, span, spanOf, token, tokenSpan, tokens } from '../grammar/cst.js';
import { bindingName, checkedName, verbName } from '../names.js';
import type { Token } from '../tokens/token.js';
import { buildExpression } from './build-expression.js';
import { buildOptions, buildParameters, checkNote, checkStateNote, passedOf, textTemplate } from './build-options.js';
import { quotedTemplate } from './interpolation.js';

type BrokenNode = Extract<Instruction, { kind: 'broken' }>;

/** An instruction that replaces an unusable line. */
export function brokenInstruction(context: ParseContext, node: SyntaxNode, verb: Name): BrokenNode {
  return { kind: 'broken', verb, span: spanOf(context, node) };
}

export function buildHeading(context: ParseContext, node: SyntaxNode, body: () => Block): Declaration | BrokenNode {
  const verbToken = (token(node, 'Machine') ?? token(node, 'State') ?? token(node, 'Pattern')) as Token;
  const verb = verbName(context, verbToken);
  const kind =
    verbToken.tokenType.name === 'Machine' ? 'machine' : verbToken.tokenType.name === 'State' ? 'state' : 'pattern';
  for (const note of tokens(node, 'Note')) checkNote(context, note, 'nothing');
  for (const note of [...tokens(node, 'BracketNote'), ...tokens(node, 'Note')]) checkStateNote(context, note);
  const word = token(node, 'Word');
  if (word === undefined) {
    reportMissing(
      context,
      missingPart(verb.span, { what: 'a name', after: `${verb.text}:`, example: headingExample[kind] }),
    );
    context.blamed = true;
  }
  const name =
    word === undefined ? { text: '', span: verb.span } : checkedName(context, word, `a ${kind}`, kind === 'machine');
  const where = spanOf(context, node);
  const args = passedOf(context, node);
  if (kind === 'pattern') {
    const parameters = buildParameters(context, args);
    return word === undefined
      ? buildHeadless(context, node, verb, body)
      : { kind, name, parameters, inferred: false, body: body(), span: where };
  }
  if (args !== undefined) {
    const help =
      kind === 'state' ? 'a state takes the values that `GOTO … with` passes without declaring them' : 'remove it';
    reportMissing(context, unexpectedText(tokenSpan(context, token(args, 'With') as Token), { text: 'with', help }));
  }
  if (kind === 'machine')
    return word === undefined ? brokenInstruction(context, node, verb) : { kind, name, span: where };
  return word === undefined ? buildHeadless(context, node, verb, body) : { kind, name, body: body(), span: where };
}

const headingExample = {
  machine: 'MACHINE: release',
  state: 'STATE: BUILD',
  pattern: 'PATTERN: RETRY with times=3',
} as const;

/** A body without a name is still built, so that its own mistakes are found. */
function buildHeadless(context: ParseContext, node: SyntaxNode, verb: Name, body: () => Block): BrokenNode {
  context.blamed = false;
  body();
  return brokenInstruction(context, node, verb);
}

export function buildLimit(context: ParseContext, node: SyntaxNode): Declaration {
  const options = buildOptions(context, child(node, 'options'));
  const verb = tokenSpan(context, token(node, 'Limit') as Token);
  if (options.length === 0)
    reportMissing(
      context,
      missingPart(verb, { what: 'a limit', after: 'LIMIT:', example: 'LIMIT: transitions=100 time=2h' }),
    );
  return { kind: 'limit', options, span: spanOf(context, node) };
}

export function buildTool(context: ParseContext, node: SyntaxNode): Declaration | BrokenNode {
  const word = token(node, 'Word');
  const isKnown = word !== undefined && (word.image === 'yes' || word.image === 'no');
  if (isKnown)
    return { kind: 'tool', value: { text: word.image, span: tokenSpan(context, word) }, span: spanOf(context, node) };
  const verb = verbName(context, token(node, 'Tool') as Token);
  reportMissing(context, missingPart(verb.span, { what: '`yes` or `no`', after: 'TOOL:', example: 'TOOL: yes' }));
  return brokenInstruction(context, node, verb);
}

export function buildKey(context: ParseContext, node: SyntaxNode): Declaration | BrokenNode {
  const text = token(node, 'Text');
  if (text !== undefined)
    return { kind: 'key', text: textTemplate(context, text.image, text.startOffset), span: spanOf(context, node) };
  const verb = verbName(context, token(node, 'Key') as Token);
  reportMissing(context, missingPart(verb.span, { what: 'a text', after: 'KEY:', example: 'KEY: deploy {target}' }));
  return brokenInstruction(context, node, verb);
}

export function buildTitle(context: ParseContext, node: SyntaxNode): Declaration | BrokenNode {
  const text = token(node, 'Text');
  if (text !== undefined)
    return { kind: 'title', text: textTemplate(context, text.image, text.startOffset), span: spanOf(context, node) };
  const verb = verbName(context, token(node, 'Title') as Token);
  reportMissing(
    context,
    missingPart(verb.span, { what: 'a text', after: 'TITLE:', example: 'TITLE: Release {version}' }),
  );
  return brokenInstruction(context, node, verb);
}

export function buildImport(context: ParseContext, node: SyntaxNode): Declaration | BrokenNode {
  const path = token(node, 'Quoted');
  const bare = token(node, 'UnquotedPath');
  const verb = verbName(context, token(node, 'Import') as Token);
  if (path !== undefined)
    return { kind: 'import', path: quotedTemplate(context, path.image, path.startOffset), span: spanOf(context, node) };
  if (bare !== undefined) {
    const where = tokenSpan(context, bare);
    reportMissing(context, unquotedPath(where, { path: bare.image, fix: { span: where, text: `"${bare.image}"` } }));
    const template = { parts: [bare.image], quote: 'none', raw: bare.image, span: where } as const;
    return { kind: 'import', path: template, span: spanOf(context, node) };
  }
  reportMissing(
    context,
    missingPart(verb.span, { what: 'a quoted path', after: 'IMPORT:', example: 'IMPORT: "./lib/quorum.dsl"' }),
  );
  return brokenInstruction(context, node, verb);
}

// ---- inputs -----------------------------------------------------------------------------------------
type InputType = NonNullable<InputDeclaration['type']>;
const inputTypes: readonly string[] = ['string', 'number', 'boolean', 'list', 'object'];

interface InputNotes {
  type?: InputType;
  choices?: string[];
  secret: boolean;
}

export function buildInput(context: ParseContext, node: SyntaxNode): Declaration | BrokenNode {
  const verb = verbName(context, token(node, 'Input') as Token);
  const word = token(node, 'Word');
  if (word === undefined) {
    reportMissing(context, missingPart(verb.span, { what: 'a name', after: 'INPUT:', example: 'INPUT: objective' }));
    return brokenInstruction(context, node, verb);
  }
  const name = bindingName(context, word, 'an input');
  const assign = token(node, 'Assign');
  const value = child(node, 'expression');
  if (assign !== undefined && value === undefined)
    reportMissing(context, missingPart(tokenSpan(context, assign), { what: 'a default value', after: '=' }));
  const notes: InputNotes = { secret: false };
  for (const note of tokens(node, 'Note')) readInputNote(context, note, notes);
  return {
    kind: 'input',
    name,
    ...omitUndefined({
      value: value === undefined ? undefined : buildExpression(context, value),
      type: notes.type,
      choices: notes.choices,
    }),
    secret: notes.secret,
    span: spanOf(context, node),
  };
}

const oneOf = /^\s*one[ \t]+of\b\s*:?\s*/;
const noteItem = /"(?:[^"\\]|\\.)*"|'[^']*'|[^,;]+/g;

/** `(string)`, `(secret)`, `(string, secret)` or `(one of: a, b)`. */
function readInputNote(context: ParseContext, note: Token, notes: InputNotes): void {
  const inner = note.image.slice(1, -1);
  const prefix = oneOf.exec(inner)?.[0];
  if (prefix !== undefined) {
    const listed = inner.slice(prefix.length).replace(/^\[(.*)\]\s*$/s, '$1');
    const choices = [...listed.matchAll(noteItem)].map((found) => found[0].trim()).filter((choice) => choice !== '');
    notes.choices = choices.map(unquote);
    notes.type ??= impliedType(notes.choices);
    if (notes.choices.length === 0)
      reportMissing(
        context,
        missingPart(tokenSpan(context, note), { what: 'a choice', after: 'one of:', example: '(one of: fast, slow)' }),
      );
    return;
  }
  for (const found of inner.matchAll(/[^\s,;]+/g)) {
    const word = found[0];
    if (word === 'secret') notes.secret = true;
    else if (inputTypes.includes(word)) notes.type = word as InputType;
    else {
      const start = note.startOffset + 1 + found.index;
      const known = [...inputTypes, 'secret'];
      const suggestion = foreignTypes.get(word.toLowerCase()) ?? nearest(word, known);
      const where = span(context, start, start + word.length);
      const oneOf = suggestion === undefined ? listedChoices(inner) : undefined;
      reportMissing(context, badInputNote(where, { word, known, ...omitUndefined({ suggestion, oneOf }) }));
      return;
    }
  }
}

/** The types of other languages. */
const foreignTypes: ReadonlyMap<string, InputType> = new Map([
  ...['int', 'integer', 'float', 'double', 'num', 'numeric', 'decimal'].map((word) => [word, 'number'] as const),
  ...['str', 'text', 'path', 'choice'].map((word) => [word, 'string'] as const),
  ...['bool', 'flag'].map((word) => [word, 'boolean'] as const),
  ...['array', 'tuple', 'string[]', 'list[str]'].map((word) => [word, 'list'] as const),
  ...['dict', 'map', 'json', 'any'].map((word) => [word, 'object'] as const),
]);

/** `(fast, slow)`, `(fast|slow)` and `(choices: fast, slow)`, as `(one of: …)`; undefined for a single word. */
function listedChoices(inner: string): string | undefined {
  const listed = inner.replace(/^\s*(?:choices|choice|enum|options|values|allowed|one)\s*[:=]?\s*/i, '');
  const words = listed.replace(/^\[(.*)\]\s*$/, '$1').split(/\s*[,|/;]\s*/);
  return words.length > 1 && words.every((word) => /^["']?[\w.-]+["']?$/.test(word))
    ? `(one of: ${words.join(', ')})`
    : undefined;
}

function unquote(text: string): string {
  const quote = text[0];
  return text.length > 1 && (quote === '"' || quote === "'") && text.endsWith(quote) ? text.slice(1, -1) : text;
}

function impliedType(choices: readonly string[]): InputType {
  if (choices.length > 0 && choices.every((choice) => /^-?\d+(?:\.\d+)?$/.test(choice))) return 'number';
  if (choices.length > 0 && choices.every((choice) => choice === 'true' || choice === 'false')) return 'boolean';
  return 'string';
}
