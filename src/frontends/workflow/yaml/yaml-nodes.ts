/**
 * YAML with the location of every value and of every character of its texts. Never throws: nesting is limited before
 * the library, which recurses, parses the text, and so is the number of values, which aliases could multiply.
 */
import yaml, { type Document } from 'yaml';
import { workflowMessages as words } from '../../../source/catalogue/workflow.js';
import type { Diagnostic } from '../../../source/diagnostic.js';
import type { SourceFile, Span } from '../../../source/source-file.js';
import type { Comment } from '../../../syntax/ast.js';
import type { Name } from '../../../syntax/expression.js';
import type { LocatedText } from '../../../syntax/tree/located-text.js';
import { lostIndentation } from './lost-indentation.js';
import { locatedScalar } from './scalar-locations.js';
import { scanYaml } from './scan-yaml.js';

/** The maximum number of values, including those that aliases repeat. */
const DEEPEST = 250;
const MAX_VALUES = 50_000;
const MAX_CHARACTERS = 16 * 1024 * 1024;

export type YamlNode = YamlScalar | YamlList | YamlMap;

export interface YamlScalar {
  readonly kind: 'scalar';
  readonly span: Span;
  readonly value: string | number | boolean | null;
  /** The decoded value of a text; any other scalar as written. */
  readonly located: LocatedText;
}

interface YamlList {
  readonly kind: 'list';
  readonly span: Span;
  readonly items: readonly YamlNode[];
}

export interface YamlMap {
  readonly kind: 'map';
  readonly span: Span;
  readonly members: readonly YamlMember[];
  /** The source text if it is written in braces. */
  readonly flow: string | null;
}

export interface YamlMember {
  readonly key: Name;
  readonly value: YamlNode;
}

interface ParsedYaml {
  /** Null for a text without a value, and for invalid YAML. */
  readonly root: YamlNode | null;
  readonly comments: readonly Comment[];
  readonly diagnostics: Diagnostic[];
}

export function readYaml(file: SourceFile, index: number): ParsedYaml {
  const spanOf = (start: number, end: number): Span => ({ file: index, start, end });
  const failWith = (diagnostic: Diagnostic): ParsedYaml => ({ root: null, comments: [], diagnostics: [diagnostic] });
  if (file.text.length > MAX_CHARACTERS)
    return failWith(words.tooLarge(spanOf(0, 0), { what: 'characters', limit: MAX_CHARACTERS }));
  const scan = scanYaml(file.text);
  if (scan.tooDeep !== null) return failWith(words.tooDeep(spanOf(scan.tooDeep, scan.tooDeep + 1), {}));
  const document = yaml.parseDocument(scan.text, {
    prettyErrors: false,
    version: '1.2',
    logLevel: 'error',
    // The library would compare each key with all previous ones. `collection` does this faster.
    uniqueKeys: false,
  });
  const comments = scan.comments.map(
    ({ start, text }): Comment => ({
      text,
      span: spanOf(start, start + text.length),
      position: /^[ \t]*$/.test(file.text.slice(file.text.lastIndexOf('\n', start - 1) + 1, start)) ? 'line' : 'end',
    }),
  );
  const [error] = document.errors;
  if (error !== undefined) {
    const [start, end] = error.pos;
    const where = spanOf(Math.min(start, file.text.length), Math.min(Math.max(end, start + 1), file.text.length));
    const lost = lostIndentation(file, error.pos[0]);
    if (lost !== null) return failWith(words.lostIndentation(spanOf(lost.start, lost.end), { under: lost.under }));
    return failWith(words.yaml(where, { code: error.code, problem: error.message }));
  }
  return { ...new Nodes(file, index, document).read(), comments };
}

class Nodes {
  private readonly diagnostics: Diagnostic[] = [];
  private readonly anchors = new Map<string, unknown>();
  /** The nodes that are being read. A value that contains itself is reported and not followed. */
  private readonly open = new Set<unknown>();
  private tooDeep: Span | null = null;
  private left = MAX_VALUES;

  constructor(
    private readonly file: SourceFile,
    private readonly index: number,
    private readonly document: Document,
  ) {}

  read(): { root: YamlNode | null; diagnostics: Diagnostic[] } {
    const { contents } = this.document;
    if (contents === null) return { root: null, diagnostics: this.diagnostics };
    const root = this.node(contents, { file: this.index, start: 0, end: 0 });
    if (this.tooDeep !== null) return { root: null, diagnostics: [words.tooDeep(this.tooDeep, {})] };
    if (this.left >= 0) return { root, diagnostics: this.diagnostics };
    const diagnostic = words.tooLarge(this.span(contents, 0), { what: 'values', limit: MAX_VALUES });
    return { root: null, diagnostics: [diagnostic] };
  }

  /** `otherwise` is the location of a missing value. */
  private node(node: unknown, otherwise: Span): YamlNode {
    const span = this.span(node, otherwise.start);
    if (this.open.size > DEEPEST) this.tooDeep = span;
    if (--this.left < 0 || this.tooDeep !== null) return emptyScalar(otherwise);
    if (yaml.isAlias(node)) {
      const target = this.anchors.get(node.source);
      if (target !== undefined && !this.open.has(target)) return this.node(target, span);
      this.diagnostics.push(words.alias(span, { name: node.source, itself: target !== undefined }));
      return emptyScalar(span);
    }
    if (yaml.isNode(node) && 'anchor' in node && typeof node.anchor === 'string') this.anchors.set(node.anchor, node);
    if (yaml.isScalar(node)) return this.scalar(node.value, span);
    this.open.add(node);
    const read = this.collection(node, span);
    this.open.delete(node);
    return read ?? emptyScalar(otherwise);
  }

  private collection(node: unknown, span: Span): YamlNode | null {
    if (yaml.isSeq(node)) return { kind: 'list', span, items: node.items.map((item) => this.node(item, atEnd(span))) };
    if (!yaml.isMap(node)) return null;
    const flow = this.file.text[span.start] === '{' ? this.file.text.slice(span.start, span.end) : null;
    const members: YamlMember[] = [];
    const seen = new Set<string>();
    for (const pair of node.items) {
      const key = this.key(pair.key, span);
      if (key === null) continue;
      if (seen.has(key.text)) {
        this.reportDuplicate(key);
        continue;
      }
      seen.add(key.text);
      const value = this.node(pair.value, atEnd(key.span));
      if (key.text === '<<') this.merge(members, value, key);
      else members.push({ key, value });
    }
    return { kind: 'map', span, members: withoutMerged(members), flow };
  }

  private key(node: unknown, map: Span): Name | null {
    const where = this.span(node, map.start);
    if (yaml.isScalar(node) && node.value !== null && typeof node.value !== 'object')
      return { text: String(node.value), span: where };
    this.diagnostics.push(words.keyIsNotText(where, {}));
    return null;
  }

  private reportDuplicate({ text, span }: Name): void {
    const lost = lostIndentation(this.file, span.start);
    const where = lost === null ? span : { ...span, start: lost.start, end: lost.end };
    this.diagnostics.push(
      lost === null
        ? words.yaml(where, { code: 'DUPLICATE_KEY', problem: `the key \`${text}\` appears twice in one mapping` })
        : words.lostIndentation(where, { under: lost.under }),
    );
  }

  /** `<<: *other`: members that the mapping itself does not have. */
  private merge(members: YamlMember[], value: YamlNode, key: Name): void {
    const sources = value.kind === 'list' ? value.items : [value];
    for (const source of sources) {
      if (source.kind === 'map') members.push(...source.members.map((member) => ({ ...member, merged: true })));
      else this.diagnostics.push(words.shape(key.span, { what: '`<<`', wanted: 'a mapping, as `<<: *name`' }));
    }
  }

  private scalar(value: unknown, span: Span): YamlScalar {
    const { text } = this.file;
    if (typeof value === 'string')
      return { kind: 'scalar', span, value, located: locatedScalar(text, span.start, span.end, value) };
    const written = text.slice(span.start, span.end);
    const located = { text: written, pieces: [{ at: 0, source: span.start }] };
    const plain = typeof value === 'number' || typeof value === 'boolean' ? value : null;
    return { kind: 'scalar', span, value: typeof value === 'bigint' ? Number(value) : plain, located: located };
  }

  private span(node: unknown, otherwise: number): Span {
    const range = yaml.isNode(node) ? node.range : undefined;
    const start = range?.[0] ?? otherwise;
    const end = range?.[1] ?? otherwise;
    return {
      file: this.index,
      start,
      end: this.file.text[end - 1] === '\n' ? trimmedEnd(this.file.text, start, end) : end,
    };
  }
}

function emptyScalar(span: Span): YamlScalar {
  return { kind: 'scalar', span, value: null, located: { text: '', pieces: [{ at: 0, source: span.start }] } };
}

function atEnd({ file, end }: Span): Span {
  return { file, start: end, end };
}

/** Written members come before merged ones, wherever `<<` is. */
function withoutMerged(members: readonly (YamlMember & { readonly merged?: boolean })[]): YamlMember[] {
  if (!members.some(({ merged }) => merged)) return [...members];
  const own = new Set(members.filter(({ merged }) => !merged).map(({ key }) => key.text));
  return members.flatMap(({ key, value, merged }) => {
    if (merged && own.has(key.text)) return [];
    own.add(key.text);
    return [{ key, value }];
  });
}

/** A block ends after its last line end, but its span ends before it. */
function trimmedEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && /[\s]/.test(text[at - 1] as string)) at--;
  return at;
}
