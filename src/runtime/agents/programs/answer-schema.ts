/** Schemas of answers, in the forms in which programs take them. */
import type { Json } from '../../../machine/expression.js';

/** The model gives its answer as the arguments of a tool, so it is an object. */
export type AnswerSchema = { readonly [name: string]: Json };

/** An argument may not be larger than this. */
const LONGEST_ARGUMENT = 32 * 1024;

/** The schema as one argument; null where there is none, or where it is too large. */
export function schemaArgument(schema: AnswerSchema | null): string | null {
  const text = schema === null ? null : JSON.stringify(schema);
  return text === null || text.length > LONGEST_ARGUMENT ? null : text;
}

/** Whether every object of it requires all of its members and allows no other: some services take no other schema. */
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
