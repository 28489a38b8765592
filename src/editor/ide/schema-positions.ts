/**
 * Files that a JSON Schema describes: workflow files, the configuration, tools, plans. Where in the data a position is follows
 * from indentation and brackets alone, so that half-typed lines have answers too.
 */
import { lineText, positionAt, type SourceFile, type Span } from '../../language/source/diagnostic.js';

/** What this file reads of a JSON Schema. */
export interface SchemaNode {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: boolean | SchemaNode;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly allOf?: readonly SchemaNode[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, SchemaNode>>;
}

/** A position in the data of a file. */
interface DataPosition {
  /** The keys that lead there; an element of a list is `[]`. With the key itself if its value is meant. */
  readonly path: readonly string[];
  readonly isValue: boolean;
  /** The word at the position, as far as it is written. */
  readonly word: Span;
  /** The other keys of the same map. */
  readonly siblings: ReadonlySet<string>;
  /** What follows a key that is inserted. */
  readonly colon: string;
}

const ELEMENT = '[]';
/** How deep a schema may refer to itself. */
const DEEPEST = 12;

export interface SchemaCompletion {
  readonly label: string;
  readonly kind: 'field' | 'word';
  readonly detail?: string;
  readonly insert?: string;
  readonly rank: number;
  readonly replace: Span;
}

/** `names`: what may stand as a value of a key, beyond the schema. */
export function schemaCompletions(
  source: SourceFile,
  offset: number,
  schema: SchemaNode,
  names: (key: string) => readonly string[] = () => [],
): SchemaCompletion[] {
  const at = dataPosition(source, offset);
  if (at === null) return [];
  const found = at.path.reduce((all, key) => all.flatMap((one) => inner(one, key, schema)), expand(schema, schema));
  const quote = source.text[at.word.start - 1];
  const isQuoted = quote === '"' || quote === "'";
  const isJson = /\.json$/.test(source.name);
  const quoteIn = (text: string): string => (isJson && !isQuoted ? `"${text}"` : text);
  const values = new Set([
    ...found.flatMap((one) => [...(one.enum ?? []), ...('const' in one ? [one.const] : [])]),
    ...(at.isValue ? found.flatMap(({ type }) => ([type].flat().includes('boolean') ? [true, false] : [])) : []),
    ...(at.isValue || at.path.at(-1) === ELEMENT ? names(at.path.findLast((key) => key !== ELEMENT) ?? '') : []),
  ]);
  const words = [...values].map((value): SchemaCompletion => {
    const insert = typeof value === 'string' ? quoteIn(value) : JSON.stringify(value);
    return { label: String(value), kind: 'word', insert, rank: 0, replace: at.word };
  });
  if (at.isValue) return words;
  const known = new Map<string, SchemaNode>();
  for (const { properties = {} } of found)
    for (const [key, one] of Object.entries(properties)) if (!known.has(key)) known.set(key, one);
  const keys = [...known].flatMap(([label, one]): SchemaCompletion[] => {
    if (at.siblings.has(label)) return [];
    const detail = descriptionOf(one, schema);
    const insert = `${quoteIn(label)}${isQuoted ? '' : at.colon}`;
    return [{ label, kind: 'field', ...(detail === null ? {} : { detail }), insert, rank: 1, replace: at.word }];
  });
  return [...words, ...keys];
}

/** What the schema says about the key at an offset, or about the key of the value there. */
export function schemaHover(
  source: SourceFile,
  offset: number,
  schema: SchemaNode,
): { span: Span; text: string } | null {
  const at = dataPosition(source, offset);
  if (at === null) return null;
  const end = endOfWord(source.text, at.word.end);
  const span = { ...at.word, end };
  const key = at.isValue ? at.path.findLast((one) => one !== ELEMENT) : source.text.slice(span.start, end);
  if (key === undefined || key === '' || span.end === span.start) return null;
  const path = at.isValue ? at.path : [...at.path, key];
  const found = path.reduce((all, one) => all.flatMap((node) => inner(node, one, schema)), expand(schema, schema));
  const [first] = found;
  if (first === undefined) return null;
  const descriptions = [...new Set(found.flatMap(({ description }) => description ?? []))];
  const values = [...new Set(found.flatMap((one) => one.enum ?? []))];
  const types = [...new Set(found.flatMap(({ type }) => type ?? []))];
  const lines = [
    `\`${key}\`${types.length === 0 ? '' : `: ${types.join(' or ')}`}`,
    ...descriptions,
    ...(values.length === 0 ? [] : [`one of ${values.map((one) => `\`${String(one)}\``).join(', ')}`]),
  ];
  return lines.length === 1 && types.length === 0 ? null : { span, text: lines.join('\n') };
}

function descriptionOf(one: SchemaNode, root: SchemaNode): string | null {
  return one.description ?? expand(one, root).find(({ description }) => description !== undefined)?.description ?? null;
}

/** The schemas that a schema refers to or is composed of. What is said where it is referred to counts for them. */
function expand(one: SchemaNode, root: SchemaNode, depth = 0): SchemaNode[] {
  if (depth > DEEPEST) return [];
  const { $ref, anyOf = [], oneOf = [], allOf = [], ...own } = one;
  const name = $ref === undefined ? undefined : /^#\/\$defs\/(.+)$/.exec($ref)?.[1];
  const referred = name === undefined ? undefined : root.$defs?.[name];
  const parts = [...(referred === undefined ? [] : [referred]), ...anyOf, ...oneOf, ...allOf];
  return [own, ...parts.flatMap((part) => expand(part, root, depth + 1))];
}

function inner(one: SchemaNode, key: string, root: SchemaNode): SchemaNode[] {
  if (key === ELEMENT) return one.items === undefined ? [] : expand(one.items, root);
  const known = one.properties !== undefined && Object.hasOwn(one.properties, key) ? one.properties[key] : undefined;
  if (known !== undefined) return expand(known, root);
  return typeof one.additionalProperties === 'object' ? expand(one.additionalProperties, root) : [];
}

const WORD = /[\w.$-]*$/;

function endOfWord(text: string, from: number): number {
  let end = from;
  while (/[\w.$-]/.test(text[end] ?? '')) end++;
  return end;
}

function dataPosition(source: SourceFile, offset: number): DataPosition | null {
  if (/\.json$/.test(source.name)) return flowPosition(source.text, 0, offset, []);
  const { line, column } = positionAt(source, offset);
  const start = source.lineStarts[line - 1] as number;
  const before = lineText(source, line).slice(0, column - 1);
  if (/^\s*#|\s#\s/.test(before)) return null;
  const { keyAt, key, valueAt } = partsOfLine(lineText(source, line));
  const isValue = key !== null && valueAt >= 0 && column - 1 >= valueAt;
  const indentation = keyAt < column ? keyAt : column - 1;
  const parents = parentsOf(source, line, indentation);
  if (isValue) {
    const path = [...parents, key];
    const opens = lineText(source, line).slice(valueAt).search(/\S/);
    const first = opens < 0 ? '' : lineText(source, line)[valueAt + opens];
    if ((first === '{' || first === '[') && valueAt + opens < column - 1)
      return flowPosition(source.text, start + valueAt + opens, offset, path);
    return positionOf(path, true, source.text, offset, new Set(), '');
  }
  // A scalar of a list is a value; a word that begins an element may become a key.
  return positionOf(parents, false, source.text, offset, siblingsOf(source, line, indentation), ': ');
}

function positionOf(
  path: readonly string[],
  isValue: boolean,
  text: string,
  offset: number,
  siblings: ReadonlySet<string>,
  colon: string,
): DataPosition {
  const written = WORD.exec(text.slice(Math.max(0, offset - 200), offset))?.[0] ?? '';
  return { path, isValue, word: { file: 0, start: offset - written.length, end: offset }, siblings, colon };
}

/** The columns of a line, from 0: its dashes, its key, and where its value begins; -1 if there is no colon. */
function partsOfLine(text: string) {
  const dashes: number[] = [];
  let at = /^\s*/.exec(text)?.[0].length ?? 0;
  for (let dash = /^-(?:\s+|$)/.exec(text.slice(at)); dash !== null; dash = /^-(?:\s+|$)/.exec(text.slice(at))) {
    dashes.push(at);
    at += dash[0].length;
  }
  const found = /^(?:"([^"]*)"|'([^']*)'|([^\s:#{["'][^:#]*?))\s*:(?=\s|$)/.exec(text.slice(at));
  const key = found === null ? null : (found[1] ?? found[2] ?? found[3] ?? null);
  return { dashes, keyAt: at, key, valueAt: found === null ? -1 : at + found[0].length };
}

/** The keys above a position, from the outermost. */
function parentsOf(source: SourceFile, line: number, indentation: number): string[] {
  const path: string[] = [];
  let limit = indentation;
  let isElement = false;
  const take = (text: string, isOwn: boolean): void => {
    const { dashes, key, keyAt } = partsOfLine(text);
    // The elements of a list may have the indentation of its key.
    if (!isOwn && key !== null && (keyAt < limit || (isElement && keyAt === limit))) {
      path.unshift(key);
      [limit, isElement] = [keyAt, false];
    }
    for (const dash of dashes.toReversed())
      if (dash < limit) {
        path.unshift(ELEMENT);
        [limit, isElement] = [dash, true];
      }
  };
  take(lineText(source, line), true);
  for (let at = line - 1; at > 0 && (limit > 0 || isElement); at--) {
    const text = lineText(source, at);
    if (text.trim() !== '' && !/^\s*#/.test(text)) take(text, false);
  }
  return path;
}

/** The other keys of the map around a line. */
function siblingsOf(source: SourceFile, line: number, indentation: number): Set<string> {
  const found = new Set<string>();
  for (const step of [-1, 1])
    for (let at = line + (step > 0 ? 1 : 0); at > 0 && at <= source.lineStarts.length; at += step) {
      const text = lineText(source, at);
      if (text.trim() === '' || /^\s*#/.test(text)) continue;
      const { dashes, key, keyAt } = partsOfLine(text);
      const begins = dashes.some((dash) => dash < indentation);
      if (keyAt < indentation || (begins && step > 0)) break;
      if (keyAt === indentation && key !== null && at !== line) found.add(key);
      if (begins) break;
    }
  return found;
}

interface OpenValue {
  readonly isMap: boolean;
  readonly keys: Set<string>;
  key: string | null;
}

/** A position in brackets and braces, as JSON has them, and YAML within a line. */
function flowPosition(text: string, from: number, offset: number, outer: readonly string[]): DataPosition | null {
  const open: OpenValue[] = [];
  let last: string | null = null;
  for (let at = from; at < offset; at++) {
    const c = text[at] as string;
    const top = open.at(-1);
    if (c === '"' || c === "'") {
      let end = at + 1;
      while (end < text.length && text[end] !== c && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1;
      if (end >= offset) break;
      last = text.slice(at + 1, end);
      at = end;
    } else if (c === '{' || c === '[') {
      open.push({ isMap: c === '{', keys: new Set(), key: null });
      last = null;
    } else if (c === '}' || c === ']') {
      open.pop();
      last = null;
    } else if (c === ',') {
      if (top !== undefined) top.key = null;
      last = null;
    } else if (c === ':' && top?.isMap === true && top.key === null && last !== null) {
      top.key = last;
      top.keys.add(last);
      last = null;
    } else if (/[^\s:]/.test(c)) {
      const word = /^[^\s,:{}[\]"']+/.exec(text.slice(at, at + 200))?.[0] ?? c;
      if (at + word.length >= offset) break;
      last = word;
      at += word.length - 1;
    }
  }
  const top = open.at(-1);
  if (top === undefined) return null;
  const path = [...outer, ...open.slice(0, -1).map(({ isMap, key }) => (isMap ? (key ?? '') : ELEMENT))];
  if (!top.isMap) return positionOf([...path, ELEMENT], true, text, offset, new Set(), '');
  if (top.key !== null) return positionOf([...path, top.key], true, text, offset, new Set(), '');
  return positionOf(path, false, text, offset, top.keys, ': ');
}
