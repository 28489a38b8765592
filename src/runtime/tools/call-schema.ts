/**
 * Checks values against the JSON Schemas of tools. Patterns in schemas run in bounded time, like every regular expression
 * from outside. References such as `#/$defs/…` work from each part of a schema.
 */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Json } from '../../machine/expression.js';
import { isJsonObject } from '../../prelude/json-object.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { boundedMatches } from '../matches.js';

export type ValidateCall = (schema: Json, value: Json, root?: Json) => string | null;

const SHARED = ['$defs', 'definitions'] as const;

/** A validator that caches schemas. It returns a clause with the problem, or null. */
export function schemaValidator(): ValidateCall {
  const { ajv } = newAjv();
  const known = new Map<Json, ValidateFunction | null>();
  return (schema, value, root = schema) => {
    if (typeof schema !== 'boolean' && !isJsonObject(schema)) return null;
    let validate = known.get(schema);
    if (validate === undefined) {
      validate = compileSchema(ajv, withShared(schema, root));
      known.set(schema, validate);
    }
    if (validate === null || validate(value)) return null;
    return clause(validate.errors?.[0]);
  };
}

/** The problem in the schema of a call itself, as a clause, or null. */
export function schemaProblem(schema: Json): string | null {
  const { ajv, failure } = newAjv();
  for (const part of [schema, memberSchema(schema, '_output'), memberSchema(schema, '_outputPath')]) {
    if (part === undefined) continue;
    if (typeof part !== 'boolean' && !isJsonObject(part)) return 'is not a JSON Schema';
    try {
      ajv.compile(withShared(part, schema) as object);
    } catch (cause) {
      const message = failure() ?? (cause instanceof Error ? cause.message : String(cause));
      return message.replace(/^schema is invalid: data/, 'is not a JSON Schema: ').replaceAll('data/', '');
    }
  }
  return null;
}

/** `_output` and `_outputPath` are among the properties or next to them. */
export function memberSchema(schema: Json, name: string): Json | undefined {
  if (!isJsonObject(schema)) return undefined;
  const { properties } = schema;
  if (isJsonObject(properties) && Object.hasOwn(properties, name)) return properties[name];
  return Object.hasOwn(schema, name) ? schema[name] : undefined;
}

/** The schema of the parameters alone. Its members with an underscore describe the call. */
export function parameterSchema(schema: Json): Json {
  if (!isJsonObject(schema)) return schema;
  const { properties, required, _output: _, _outputPath: __, ...rest } = schema;
  const isOwn = (name: Json): boolean => !(typeof name === 'string' && name.startsWith('_'));
  return {
    ...rest,
    ...omitUndefined({
      properties: isJsonObject(properties)
        ? Object.fromEntries(Object.entries(properties).filter(([name]) => isOwn(name)))
        : undefined,
      required: Array.isArray(required) ? required.filter(isOwn) : undefined,
    }),
  };
}

function newAjv(): { readonly ajv: Ajv2020; readonly failure: () => string | null } {
  const matches = boundedMatches();
  let failure: string | null = null;
  const engine = (pattern: string, flags: string) => {
    let regex: RegExp;
    try {
      regex = new RegExp(pattern, flags);
    } catch (cause) {
      failure = `has a pattern that is not a regular expression: ${cause instanceof Error ? cause.message : pattern}`;
      throw cause;
    }
    // A pattern that takes too long does not match: the value is refused, and the run continues.
    const test = (text: string): boolean => matches(regex, text) === true;
    // Patterns are distinguished by how they print.
    return { test, toString: () => String(regex) } as RegExp;
  };
  const regExp = Object.assign(engine, { code: 'new RegExp' });
  const options = { strict: false, allErrors: false, validateFormats: false, logger: false, code: { regExp } } as const;
  return { ajv: new Ajv2020(options), failure: () => failure };
}

function compileSchema(ajv: Ajv2020, schema: Json): ValidateFunction | null {
  try {
    return ajv.compile(schema as object);
  } catch {
    return null;
  }
}

/** A part of a schema with the definitions of the whole, without `$id`, which would be registered twice. */
function withShared(schema: Json, root: Json): Json {
  if (!isJsonObject(schema) || !isJsonObject(root)) return schema;
  const { $id: _, $schema: __, ...bare } = schema;
  const shared = SHARED.filter((name) => Object.hasOwn(root, name) && !Object.hasOwn(bare, name));
  return { ...Object.fromEntries(shared.map((name) => [name, root[name] as Json])), ...bare };
}

/** Ajv's message, worded to follow the name of the value: `must be integer`. */
function clause(error: ErrorObject | undefined): string {
  if (error === undefined) return 'does not fit its schema';
  const inside = error.instancePath === '' ? '' : `, in \`${error.instancePath.slice(1).replaceAll('/', '.')}\`,`;
  const { allowedValue, allowedValues, additionalProperty } = error.params as {
    allowedValue?: Json;
    allowedValues?: Json[];
    additionalProperty?: string;
  };
  if (additionalProperty !== undefined) return `${inside} must not have \`${additionalProperty}\``.trim();
  if (error.keyword === 'const') return `${inside} must be \`${JSON.stringify(allowedValue)}\``.trim();
  if (error.keyword === 'enum')
    return `${inside} must be one of ${(allowedValues ?? []).map((one) => `\`${JSON.stringify(one)}\``).join(', ')}`.trim();
  return `${inside} ${(error.message ?? 'does not fit').replace(/^must NOT have /, 'must not have ')}`.trim();
}
