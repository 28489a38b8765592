/** YAML with source locations, in the form of JSON, for tools files. Aliases become separate values. */
import yaml, { type Node } from 'yaml';
import { planMessages as words } from '../source/catalogue/plan.js';
import type { Span } from '../source/diagnostic.js';
import type { JsonMember, JsonNode } from '../syntax/plan-tree.js';
import type { ParsedJson } from './json-tree.js';

const MAX_DEPTH = 100;
const MAX_NODES = 200_000;

/** Reads YAML 1.2, which includes JSON. */
export function readYamlTree(text: string, file: number): ParsedJson {
  if (tooDeep(text)) return failWith(file, 0, text.length, `values are nested deeper than ${MAX_DEPTH} levels`);
  const document = yaml.parseDocument(text, { prettyErrors: false, version: '1.2' });
  const [error] = document.errors;
  if (error !== undefined) {
    const message = error.message.charAt(0).toLowerCase() + error.message.slice(1);
    return failWith(file, error.pos[0], error.pos[1], message);
  }
  let left = MAX_NODES;
  const spanOf = (node: unknown): Span => {
    const range = (node as Node | null)?.range;
    return { file, start: range?.[0] ?? 0, end: range?.[1] ?? 0 };
  };
  const treeOf = (node: unknown, depth: number): JsonNode => {
    const span = spanOf(node);
    if (--left < 0 || depth > MAX_DEPTH) return { kind: 'scalar', span, value: null };
    if (yaml.isAlias(node)) return treeOf(node.resolve(document), depth + 1);
    if (yaml.isSeq(node)) return { kind: 'list', span, items: node.items.map((item) => treeOf(item, depth + 1)) };
    if (yaml.isMap(node)) {
      const members = node.items.map((pair): JsonMember => {
        const key = yaml.isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
        return { key, keySpan: spanOf(pair.key), value: treeOf(pair.value, depth + 1) };
      });
      return { kind: 'object', span, members };
    }
    const value = yaml.isScalar(node) ? node.value : null;
    if (typeof value === 'string') return textNode(value, span, text);
    if (typeof value === 'boolean' || value === null) return { kind: 'scalar', span, value };
    return { kind: 'scalar', span, value: Number(value) };
  };
  const root = treeOf(document.contents, 0);
  return left < 0 ? failWith(file, 0, 1, `it contains more than ${MAX_NODES} values`) : { root, diagnostics: [] };
}

function textNode(value: string, span: Span, text: string): JsonNode {
  const quoted = text[span.start] === '"' || text[span.start] === "'" ? 1 : 0;
  const from = span.start + quoted;
  // If the text contains escapes or folded lines, messages mark all of it.
  const direct = text.startsWith(value, from);
  const part = (start: number, end: number): Span =>
    direct ? { file: span.file, start: from + start, end: from + end } : span;
  return { kind: 'text', span, value, part };
}

function failWith(file: number, start: number, end: number, problem: string): ParsedJson {
  return { root: null, diagnostics: [words.yaml({ file, start, end }, { problem })] };
}

/** Counts brackets, and dashes or spaces at the beginning of a line, because the parser recurses on both. */
function tooDeep(text: string): boolean {
  let brackets = 0;
  for (const character of text) {
    if (character === '[' || character === '{') brackets++;
    else if (character === ']' || character === '}') brackets = Math.max(0, brackets - 1);
    if (brackets > MAX_DEPTH) return true;
  }
  return /^(?:[ ]{400}|(?:- ){100})/m.test(text);
}
