/** `--input-file`: one object as JSON, or as YAML where the name says so. YAML is loaded only then. */

import { readJson as readValue } from '../../interpreter/values/json.js';
import { isObject, type Value } from '../../interpreter/values/value.js';
import type { Json } from '../../machine/expression.js';
import { MAX_INPUT_BYTES, readBytes, whyNotRead } from '../../project/read-text.js';
import { whyNamedRefused } from '../files/host.js';
import type { FileInputs } from './inputs.js';

/** The members, or a clause that says what is wrong with the file. */
export async function readInputFile(path: string): Promise<FileInputs | { readonly reason: string }> {
  const file = readText(path);
  if ('reason' in file) return file;
  const value = /\.ya?ml$/i.test(path) ? await readYaml(file.text, path) : readJson(file.text);
  if ('reason' in value) return value;
  if (!isObject(value.json)) return { reason: 'it does not contain an object' };
  return { name: path, text: file.text, members: value.json };
}

type Parsed = { readonly json: Value } | { readonly reason: string };

function readText(path: string): { readonly text: string } | { readonly reason: string } {
  const reason = whyNamedRefused(path);
  if (reason !== null) return { reason };
  const read = readBytes(path, MAX_INPUT_BYTES);
  if (read.kind === 'unreadable') return { reason: whyNotRead(read, path) };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(read.bytes) };
  } catch {
    return { reason: 'it is not UTF-8 text' };
  }
}

function readJson(text: string): Parsed {
  try {
    JSON.parse(text);
  } catch (error) {
    return { reason: `it is not valid JSON: ${withoutExcerpt((error as Error).message)}` };
  }
  // Numbers keep the digits of the file. A value that is nested too deeply is reported for its input.
  const read = readValue(text);
  return { json: read.ok ? read.value : (JSON.parse(text) as Value) };
}

/** JavaScript's message quotes the text around the mistake, which may be a secret. */
function withoutExcerpt(message: string): string {
  return message.replace(/^(Unexpected token .{1,4}?), .*$/su, '$1');
}

async function readYaml(text: string, path: string): Promise<Parsed> {
  const { readYaml: read } = await import('../../runtime/configuration/yaml-file.js');
  const { value, problems } = await read(text, path, true);
  const problem = problems[0];
  if (problem !== undefined)
    return { reason: problem.message + (problem.line === null ? '' : ` (line ${problem.line})`) };
  return hasInfinity(value) ? { reason: 'it contains a number that is not finite' } : { json: value as Value };
}

/**
 * YAML has infinities and NaN, but values are JSON. Walks level by level with a limit, because YAML aliases can nest
 * endlessly.
 */
function hasInfinity(value: Json): boolean {
  let level: Json[] = [value];
  for (let depth = 0; level.length > 0 && depth < 1000; depth++) {
    if (level.some((one) => typeof one === 'number' && !Number.isFinite(one))) return true;
    level = level.flatMap((one) => (one !== null && typeof one === 'object' ? Object.values(one) : []));
  }
  return false;
}
