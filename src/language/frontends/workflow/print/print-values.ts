/**
 * Prints values of a program as YAML. Each text is parsed again after it is written. If the result differs, it is
 * reported at its location.
 */
import yaml, { type Node, type ScalarTag } from 'yaml';
import { omitUndefined } from '../../../../prelude/omit-undefined.js';
import { workflowMessages as words } from '../../../source/catalogue/workflow.js';
import type { Diagnostic, SourceFile, Span } from '../../../source/diagnostic.js';
import type { Argument, ShellText } from '../../../syntax/ast.js';
import type { Expression, Template } from '../../../syntax/expression-nodes.js';
import type { AttachedComments } from '../../../syntax/steps/attached-comments.js';
import { locatedTemplate } from '../../../syntax/tree/located-template.js';

export interface Printing {
  /** The source text of the tree. */
  readonly file: SourceFile;
  readonly diagnostics: Diagnostic[];
  readonly comments: AttachedComments;
}

/** Reports that something cannot be written in a workflow file, and returns a placeholder. */
export function reportNoForm(printing: Printing, span: Span, what: string, help?: string): null {
  printing.diagnostics.push(words.noYamlForm(span, { what, ...omitUndefined({ help }) }));
  return null;
}

export function sliceOf({ file }: Printing, { start, end }: Span): string {
  return file.text.slice(start, end);
}

/** A text with values. In prompts doubled braces lose a pair, so literal braces may have to be doubled. */
export function templateText(printing: Printing, template: Template, prompt = false): string {
  const plain: boolean[] = [];
  let text = '';
  for (const part of template.parts) {
    const spelt = typeof part === 'string' ? part : sliceOf(printing, part.span);
    text += spelt;
    for (let i = 0; i < spelt.length; i++) plain.push(typeof part === 'string');
  }
  for (const candidate of [text, doubleHoles(text, plain), doubleBraces(text, plain)])
    if (sameParts(locatedTemplate({ text: candidate, pieces: [{ at: 0, source: 0 }] }, 0, prompt), template))
      return candidate;
  reportNoForm(printing, template.span, 'this text with its braces');
  return text;
}

/** A number after a keyword stays a number. */
export function scalarOf(printing: Printing, template: Template): unknown {
  const text = templateText(printing, template);
  return /^(?:0|[1-9]\d{0,14})(?:\.\d+)?$/.test(text) ? numberNode(text) : text;
}

/** A number as it is written: `5.00`, `12e5`, or more digits than a number of JavaScript has. */
class WrittenNumber {
  constructor(readonly text: string) {}
}

/** Prints written numbers. */
export const writtenNumbers: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: (value) => value instanceof WrittenNumber,
  resolve: (text) => text,
  stringify: ({ value }) => (value as WrittenNumber).text,
};

function numberNode(text: string): Node {
  return new yaml.Scalar(new WrittenNumber(text));
}

/** A literal `{x}` becomes `{{x}}`. */
function doubleHoles(text: string, plain: readonly boolean[]): string {
  return text.replace(/\{[A-Za-z_†][^{}\n]*\}/g, (found, at: number) => (plain[at] === true ? `{${found}}` : found));
}

/** Doubles literal braces that close on their line. */
function doubleBraces(text: string, plain: readonly boolean[]): string {
  const twice = new Set<number>();
  let open: number[] = [];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\n') open = [];
    else if (plain[at] === true && text[at] === '{') open.push(at);
    else if (plain[at] === true && text[at] === '}') {
      const other = open.pop();
      if (other !== undefined) twice.add(other).add(at);
    }
  }
  return [...text.split('')].map((unit, at) => (twice.has(at) ? unit + unit : unit)).join('');
}

function sameParts(a: Template, b: Template): boolean {
  return JSON.stringify(a.parts, withoutSpans) === JSON.stringify(b.parts, withoutSpans);
}

function withoutSpans(key: string, value: unknown): unknown {
  return key === 'span' || key === 'operatorSpan' || key === 'raw' || key === 'quote' ? undefined : value;
}

export function shellText({ text }: ShellText): string {
  return text.includes('\n') ? `${text}\n` : text;
}

export function argumentsMap(printing: Printing, args: readonly Argument[]): Record<string, unknown> {
  const map: Record<string, unknown> = Object.create(null);
  for (const { name, value } of args) {
    if (value === undefined) map[name.text] = `{${name.text}}`;
    else map[name.text] = value.kind === 'word' ? value.word.text : plainValue(printing, value.expression);
  }
  return map;
}

/** A value of `with`, or a default. A computed value cannot be written in YAML. */
export function plainValue(printing: Printing, expression: Expression): unknown {
  switch (expression.kind) {
    case 'number':
      return numberNode(expression.text);
    case 'constant':
      return expression.value;
    case 'text':
      return templateText(printing, expression.template);
    case 'list':
      return expression.items.map((item) => plainValue(printing, item));
    case 'object': {
      const map: Record<string, unknown> = Object.create(null);
      for (const { key, value } of expression.entries) map[key] = plainValue(printing, value);
      return map;
    }
    case 'negate':
      if (expression.of.kind === 'number') return numberNode(`-${expression.of.text}`);
      return reportNoForm(printing, expression.span, 'a computed value');
    case 'name':
    case 'field':
    case 'index':
    case 'maybe':
    case 'call':
    case 'step-key':
      return reference(printing, expression);
    default:
      return reportNoForm(
        printing,
        expression.span,
        'a computed value',
        'bind it to a name first, or compute it where it is used',
      );
  }
}

/** A value by its name or path, in braces. */
function reference(printing: Printing, { span }: Expression): unknown {
  const slice = sliceOf(printing, span);
  const text = slice.startsWith('{') ? slice : `{${slice}}`;
  const [only, more] = locatedTemplate({ text, pieces: [{ at: 0, source: 0 }] }, 0).parts;
  if (more === undefined && typeof only === 'object') return text;
  return reportNoForm(printing, span, 'this value');
}
