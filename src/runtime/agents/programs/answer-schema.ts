/** Schemas of answers in the forms that programs accept. */
import type { Json } from '../../../machine/expression.js';

/** The model passes its answer as the arguments of a tool, so it is an object. */
export type AnswerSchema = { readonly [name: string]: Json };

/** The maximum size of an argument. */
const LONGEST_ARGUMENT = 32 * 1024;

/** The schema as one argument; null if there is none, or if it is too large. */
export function schemaArgument(schema: AnswerSchema | null): string | null {
  const text = schema === null ? null : JSON.stringify(schema);
  return text === null || text.length > LONGEST_ARGUMENT ? null : text;
}

/**
 * Whether every object in the schema requires all of its members and allows no others. Some services accept only such
 * schemas.
 */
export function isStrict(schema: Json | undefined): boolean {
  if (schema === null || typeof schema !== 'object') return true;
  if (Array.isArray(schema)) return schema.every(isStrict);
  const { properties, required, additionalProperties } = schema as AnswerSchema;
  if (schema.type === 'object' || properties !== undefined) {
    const names = Object.keys((properties ?? {}) as AnswerSchema);
    const all = Array.isArray(required) && names.every((name) => required.includes(name));
    if (additionalProperties !== false || !all) return false;
  }
  return Object.values(schema).every(isStrict);
}
