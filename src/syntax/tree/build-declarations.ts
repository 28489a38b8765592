/** Declarations: MACHINE, STATE, PATTERN, INPUT, LIMIT and IMPORT. Bodies are added by the block builder. */
import type { CstNode, IToken } from 'chevrotain';
import { badInputNote, missingPart, unexpectedText, unquotedPath } from '../../source/catalogue/syntax.js';
import { nearest } from '../../source/suggest.js';
import type { Block, Declaration, Instruction, Name } from '../ast.js';
import { child, type ParseContext, reportMissing, span, spanOf, token, tokenSpan, tokens } from '../grammar/cst.js';
import { bindingName, checkedName, verbName } from '../names.js';
import { buildOptions, buildParameters } from './build-options.js';
import { buildExpression } from './expression.js';
import { quotedTemplate } from './interpolation.js';

type Broken = Extract<Instruction, { kind: 'broken' }>;

/** An instruction in place of a line that cannot be used. */
export function broken(reading: ParseContext, node: CstNode, verb: Name): Broken {
  return { kind: 'broken', verb, span: spanOf(reading, node) };
}

export function buildHeading(reading: ParseContext, node: CstNode, body: () => Block): Declaration | Broken {
  const verbToken = (token(node, 'Machine') ?? token(node, 'State') ?? token(node, 'Pattern')) as IToken;
  const verb = verbName(reading, verbToken);
  const kind =
    verbToken.tokenType.name === 'Machine' ? 'machine' : verbToken.tokenType.name === 'State' ? 'state' : 'pattern';
  const word = token(node, 'Word');
  if (word === undefined) {
    reportMissing(
      reading,
      missingPart(verb.span, { what: 'a name', after: `${verb.text}:`, example: headingExample[kind] }),
    );
    reading.blamed = true;
  }
  const name =
    word === undefined ? { text: '', span: verb.span } : checkedName(reading, word, `a ${kind}`, kind === 'machine');
  const where = spanOf(reading, node);
  const args = child(node, 'args');
  if (kind === 'pattern') {
    const parameters = buildParameters(reading, args);
    return word === undefined
      ? headless(reading, node, verb, body)
      : { kind, name, parameters, inferred: false, body: body(), span: where };
  }
  if (args !== undefined) {
    const help =
      kind === 'state' ? 'a state takes the values that `GOTO … with` passes without declaring them' : 'remove it';
    reportMissing(reading, unexpectedText(tokenSpan(reading, token(args, 'With') as IToken), { text: 'with', help }));
  }
  if (kind === 'machine') return word === undefined ? broken(reading, node, verb) : { kind, name, span: where };
  return word === undefined ? headless(reading, node, verb, body) : { kind, name, body: body(), span: where };
}

const headingExample = {
  machine: 'MACHINE: release',
  state: 'STATE: BUILD',
  pattern: 'PATTERN: RETRY with times=3',
} as const;

/** A body without a name is still read, so that its own mistakes are found. */
function headless(reading: ParseContext, node: CstNode, verb: Name, body: () => Block): Broken {
  reading.blamed = false;
  body();
  return broken(reading, node, verb);
}

export function buildLimit(reading: ParseContext, node: CstNode): Declaration {
  const options = buildOptions(reading, child(node, 'options'));
  const verb = tokenSpan(reading, token(node, 'Limit') as IToken);
  if (options.length === 0)
    reportMissing(
      reading,
      missingPart(verb, { what: 'a limit', after: 'LIMIT:', example: 'LIMIT: transitions=100 time=2h' }),
    );
  return { kind: 'limit', options, span: spanOf(reading, node) };
}

export function buildImport(reading: ParseContext, node: CstNode): Declaration | Broken {
  const path = token(node, 'Quoted');
  const bare = token(node, 'UnquotedPath');
  const verb = verbName(reading, token(node, 'Import') as IToken);
  if (path !== undefined)
    return { kind: 'import', path: quotedTemplate(reading, path.image, path.startOffset), span: spanOf(reading, node) };
  if (bare !== undefined) {
    const where = tokenSpan(reading, bare);
    reportMissing(reading, unquotedPath(where, { path: bare.image, fix: { span: where, text: `"${bare.image}"` } }));
    const template = { parts: [bare.image], quote: 'none', raw: bare.image, span: where } as const;
    return { kind: 'import', path: template, span: spanOf(reading, node) };
  }
  reportMissing(
    reading,
    missingPart(verb.span, { what: 'a quoted path', after: 'IMPORT:', example: 'IMPORT: "./lib/quorum.dsl"' }),
  );
  return broken(reading, node, verb);
}

// ---- inputs -----------------------------------------------------------------------------------------

type InputDeclaration = Extract<Declaration, { kind: 'input' }>;
type InputType = NonNullable<InputDeclaration['type']>;
const inputTypes: readonly string[] = ['string', 'number', 'boolean', 'list', 'object'];

interface InputNotes {
  type?: InputType;
  choices?: string[];
  secret: boolean;
}

export function buildInput(reading: ParseContext, node: CstNode): Declaration | Broken {
  const verb = verbName(reading, token(node, 'Input') as IToken);
  const word = token(node, 'Word');
  if (word === undefined) {
    reportMissing(reading, missingPart(verb.span, { what: 'a name', after: 'INPUT:', example: 'INPUT: objective' }));
    return broken(reading, node, verb);
  }
  const name = bindingName(reading, word, 'an input');
  const assign = token(node, 'Assign');
  const value = child(node, 'expression');
  if (assign !== undefined && value === undefined)
    reportMissing(reading, missingPart(tokenSpan(reading, assign), { what: 'a default value', after: '=' }));
  const notes: InputNotes = { secret: false };
  for (const note of tokens(node, 'Note')) readInputNote(reading, note, notes);
  return {
    kind: 'input',
    name,
    ...(value === undefined ? {} : { value: buildExpression(reading, value) }),
    ...(notes.type === undefined ? {} : { type: notes.type }),
    ...(notes.choices === undefined ? {} : { choices: notes.choices }),
    secret: notes.secret,
    span: spanOf(reading, node),
  };
}

const oneOf = /^\s*one[ \t]+of\b\s*:?\s*/;
const noteItem = /"(?:[^"\\]|\\.)*"|'[^']*'|[^,;]+/g;

/** `(string)`, `(secret)`, `(string, secret)` or `(one of: a, b)`. */
function readInputNote(reading: ParseContext, note: IToken, notes: InputNotes): void {
  const inner = note.image.slice(1, -1);
  const prefix = oneOf.exec(inner)?.[0];
  if (prefix !== undefined) {
    const choices = [...inner.slice(prefix.length).matchAll(noteItem)].map((found) => unquoted(found[0].trim()));
    notes.choices = choices.filter((choice) => choice !== '');
    notes.type ??= impliedType(notes.choices);
    if (notes.choices.length === 0)
      reportMissing(
        reading,
        missingPart(tokenSpan(reading, note), { what: 'a choice', after: 'one of:', example: '(one of: fast, slow)' }),
      );
    return;
  }
  for (const found of inner.matchAll(/[^\s,;]+/g)) {
    const word = found[0];
    if (word === 'secret') notes.secret = true;
    else if (inputTypes.includes(word)) notes.type = word as InputType;
    else {
      const start = note.startOffset + 1 + found.index;
      const suggestion = nearest(word, [...inputTypes, 'secret']);
      const where = span(reading, start, start + word.length);
      reportMissing(reading, badInputNote(where, { word, ...(suggestion === undefined ? {} : { suggestion }) }));
      return;
    }
  }
}

function unquoted(text: string): string {
  const quote = text[0];
  return text.length > 1 && (quote === '"' || quote === "'") && text.endsWith(quote) ? text.slice(1, -1) : text;
}

function impliedType(choices: readonly string[]): InputType {
  if (choices.length > 0 && choices.every((choice) => /^-?\d+(?:\.\d+)?$/.test(choice))) return 'number';
  if (choices.length > 0 && choices.every((choice) => choice === 'true' || choice === 'false')) return 'boolean';
  return 'string';
}
