/**
 * Whether a text matches a JSON Schema in a file. Loaded on first use. Schemas are files of the project: an unusable one is
 * a failure of its own, and no pattern in one can hang the run.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createContext, Script } from 'node:vm';
import type { AnySchema, ErrorObject, ValidateFunction } from 'ajv';
import { readAnswer } from '../interpreter/agents/agent-wait.js';
import type { Outcome } from '../interpreter/events/event.js';
import type { SchemaRequest } from '../interpreter/request.js';
import type { Json } from '../machine/expression.js';
import { type Readable, whyUnreadable } from './readable-file.js';
import { reasonOf } from './store/store-error.js';

const LARGEST_BYTES = 4 * 1024 * 1024;
const LIMIT_MS = 2000;
/** How many problems a message names. An agent that must correct them does not need more at once. */
const MOST_PROBLEMS = 5;

/** Settles with null, or with the problems as a text. */
export async function fitsSchema(
  request: SchemaRequest,
  cwd: string,
  readable: Readable,
  limitMs = LIMIT_MS,
): Promise<Outcome> {
  const path = resolve(request.directory ?? cwd, request.path);
  const why = whyUnreadable(path, readable, LARGEST_BYTES);
  const schema = why === null ? readSchema(path) : { reason: why };
  if ('reason' in schema) return unusableSchema(request.path, schema.reason);
  const value = readAnswer(request.text);
  if (value === undefined) return { kind: 'value', value: 'it is not JSON' };
  try {
    const validate = await compileSchema(schema.schema);
    const errors = validateInTime(validate, value, limitMs);
    return { kind: 'value', value: errors === null ? null : errors.join('; ') };
  } catch (cause) {
    if ((cause as { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      return unusableSchema(request.path, `it takes longer than ${limitMs / 1000} s to check this value`);
    return unusableSchema(request.path, cause instanceof Error ? cause.message : String(cause));
  }
}

/** The schema in a file; null where it cannot be read, or is none. */
export function readSchemaFile(path: string, readable: Readable): Json | null {
  if (whyUnreadable(path, readable, LARGEST_BYTES) !== null) return null;
  const read = readSchema(path);
  return 'reason' in read ? null : (read.schema as Json);
}

function unusableSchema(path: string, reason: string): Outcome {
  return { kind: 'failed', error_type: 'bad_schema', message: `the schema \`${path}\` cannot be used: ${reason}` };
}

function readSchema(path: string): { readonly schema: AnySchema } | { readonly reason: string } {
  try {
    const schema = parseJson(readFileSync(path, 'utf8'));
    if (schema === undefined) return { reason: 'it is not JSON' };
    if (typeof schema === 'boolean' || (typeof schema === 'object' && schema !== null && !Array.isArray(schema)))
      return { schema: schema as AnySchema };
    return { reason: 'it is neither an object nor true or false' };
  } catch (cause) {
    return { reason: reasonOf(cause) };
  }
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Schemas that name an older draft are read by its rules, all others by those of the newest draft. */
async function compileSchema(schema: AnySchema): Promise<ValidateFunction> {
  const options = { strict: false, allErrors: true, validateFormats: false, logger: false } as const;
  const draft = typeof schema === 'object' ? String((schema as { $schema?: unknown }).$schema ?? '') : '';
  if (/draft-0[467]/.test(draft)) {
    const { default: ajv } = await import('ajv');
    return new ajv.Ajv(options).compile(withoutDraft(schema));
  }
  const { default: ajv } = await import('ajv/dist/2020.js');
  return new ajv.Ajv2020(options).compile(withoutDraft(schema));
}

/** Removes the name of the draft: the draft is already chosen, and an unknown one would be refused. */
function withoutDraft(schema: AnySchema): AnySchema {
  if (typeof schema !== 'object') return schema;
  const { $schema: _, ...rest } = schema as { $schema?: unknown };
  return rest;
}

/** Validates in a context with a time limit, because a pattern may take practically forever. */
function validateInTime(validate: ValidateFunction, value: Json, limitMs: number): string[] | null {
  const context = createContext({ check: () => validate(value) });
  if (new Script('check()').runInContext(context, { timeout: limitMs }) === true) return null;
  const problems = [...new Set((validate.errors ?? []).map(problemOf))];
  const rest = problems.length - MOST_PROBLEMS;
  return rest > 0 ? [...problems.slice(0, MOST_PROBLEMS), `and ${rest} more`] : problems;
}

/** Location and problem: `/tasks/0/name must be string`. */
function problemOf({ instancePath, keyword, params, message = 'does not fit' }: ErrorObject): string {
  const where = instancePath === '' ? 'the value' : `\`${instancePath}\``;
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties')
    return `${where} must not have \`${String(params.additionalProperty ?? params.unevaluatedProperty)}\``;
  if (keyword === 'enum')
    return `${where} must be one of ${(params.allowedValues as Json[]).map((one) => JSON.stringify(one)).join(', ')}`;
  if (keyword === 'const') return `${where} must be ${JSON.stringify(params.allowedValue)}`;
  return `${where} ${message}`;
}
