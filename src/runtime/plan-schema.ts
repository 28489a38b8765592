/** Values against JSON Schemas of tools. A schema that is none, or that refers to others, refuses nothing. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Json } from '../machine/expression.js';

/** A validator that remembers the schemas it has seen: it gives a clause that says what is wrong, or null. */
export function schemaValidator(): (schema: Json, value: Json) => string | null {
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false, logger: false });
  const known = new Map<Json, ValidateFunction | null>();
  return (schema, value) => {
    if (typeof schema !== 'boolean' && (typeof schema !== 'object' || schema === null)) return null;
    let validate = known.get(schema);
    if (validate === undefined) {
      validate = compiled(ajv, schema);
      known.set(schema, validate);
    }
    if (validate === null || validate(value)) return null;
    return clause(validate.errors?.[0]);
  };
}

function compiled(ajv: Ajv2020, schema: boolean | object): ValidateFunction | null {
  try {
    return ajv.compile(schema);
  } catch {
    return null;
  }
}

/** Ajv's words, made to follow the name of the value: `has to be integer`. */
function clause(error: ErrorObject | undefined): string {
  if (error === undefined) return 'does not fit its schema';
  const inside = error.instancePath === '' ? '' : `, in \`${error.instancePath.slice(1).replaceAll('/', '.')}\`,`;
  const { allowedValue, allowedValues } = error.params as { allowedValue?: Json; allowedValues?: Json[] };
  if (error.keyword === 'const') return `${inside} has to be \`${JSON.stringify(allowedValue)}\``.trim();
  if (error.keyword === 'enum')
    return `${inside} has to be one of ${(allowedValues ?? []).map((one) => `\`${JSON.stringify(one)}\``).join(', ')}`.trim();
  return `${inside} ${(error.message ?? 'does not fit')
    .replace(/^must be /, 'has to be ')
    .replace(/^must NOT have /, 'may not have ')
    .replace(/^must have /, 'has to have ')
    .replace(/^must match /, 'has to match ')}`.trim();
}
