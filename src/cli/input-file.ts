/** `--input-file`: one object as JSON, or as YAML where the name says so. YAML is loaded only then. */
import type { Json } from '../machine/expression.js';
import type { FileInputs } from './inputs.js';
import { MAX_INPUT_BYTES, readBytes } from './read-text.js';

/** Deeper YAML is refused before it is parsed: the parser recurses, and an overflow there cannot be caught. */
const MAX_YAML_NESTING = 200;

/** The members, or a clause that says why there are none. */
export async function readInputFile(path: string): Promise<FileInputs | { readonly reason: string }> {
  const read = readBytes(path, MAX_INPUT_BYTES);
  if (read.kind === 'unreadable') return { reason: read.reason };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(read.bytes);
  } catch {
    return { reason: 'it is not UTF-8 text' };
  }
  const value = /\.ya?ml$/i.test(path) ? await parseYaml(text) : parseJson(text);
  if ('reason' in value) return value;
  if (value.json === null || typeof value.json !== 'object' || Array.isArray(value.json))
    return { reason: 'it does not hold an object' };
  return { name: path, members: value.json };
}

type Parsed = { readonly json: Json } | { readonly reason: string };

function parseJson(text: string): Parsed {
  try {
    return { json: JSON.parse(text) as Json };
  } catch (error) {
    return { reason: `it is not valid JSON: ${(error as Error).message}` };
  }
}

async function parseYaml(text: string): Promise<Parsed> {
  if (nesting(text) > MAX_YAML_NESTING) return { reason: `it is nested deeper than ${MAX_YAML_NESTING} levels` };
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text, { prettyErrors: true, maxAliasCount: 100 } as object);
  const problem = document.errors[0];
  if (problem !== undefined) return { reason: `it is not valid YAML: ${problem.message.split('\n')[0]}` };
  try {
    // Through JSON, so that what JSON cannot hold (dates, infinities) is nothing a program can meet.
    const json = JSON.stringify(document.toJS({ maxAliasCount: 100 }));
    return { json: json === undefined ? null : (JSON.parse(json) as Json) };
  } catch (error) {
    return { reason: `it is not valid YAML: ${(error as Error).message}` };
  }
}

/** An upper bound of the depth: open brackets, and the deepest indentation (each level takes one blank or dash). */
function nesting(text: string): number {
  let open = 0;
  let deepest = 0;
  for (const character of text) {
    if (character === '[' || character === '{') deepest = Math.max(deepest, ++open);
    else if (character === ']' || character === '}') open = Math.max(0, open - 1);
  }
  for (const lead of text.match(/^[ \-?]+/gm) ?? []) deepest = Math.max(deepest, lead.length / 2);
  return deepest;
}
