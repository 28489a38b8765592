/** Reads the output path and the fields of the result from the schema of a tool. */
import type { Json } from '../../machine/expression.js';
import { isObject } from './json-of.js';

export type Schema = { [key: string]: Json };

/** `_output` and `_outputPath` may be inside `properties` or next to it. */
export function memberSchema(schema: Schema, name: string): Json | undefined {
  const { properties } = schema;
  if (isObject(properties) && Object.hasOwn(properties, name)) return properties[name];
  return Object.hasOwn(schema, name) ? schema[name] : undefined;
}

/** The output path, if the schema allows only one. */
export function fixedOutput(schema: Json | null | undefined): string | null {
  const output = isObject(schema ?? undefined) ? memberSchema(schema as Schema, '_outputPath') : undefined;
  return isObject(output) && typeof output.const === 'string' ? output.const : null;
}

/** Keywords that combine schemas. Such schemas are not analysed: they count as allowing everything. */
const COMBINED = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'];

/** Whether no value of the schema has the field. */
export interface NoField {
  readonly segment: string;
  /** The fields that values can have; null if they have no fields. */
  readonly known: readonly string[] | null;
}

export function impossibleField(schema: Json | undefined, segments: readonly string[]): NoField | null {
  let at = schema;
  for (const segment of segments) {
    if (!isObject(at) || COMBINED.some((word) => Object.hasOwn(at as Schema, word))) return null;
    const inner = schemaBelow(at, segment);
    if (inner === undefined || (typeof inner === 'object' && 'known' in inner)) return inner ?? null;
    at = inner.schema;
  }
  return null;
}

function schemaBelow(schema: Schema, segment: string): { readonly schema: Json } | NoField | undefined {
  const types = schemaTypes(schema);
  const isIndex = /^(?:0|[1-9]\d*)$/.test(segment);
  const mayBeList = types === null || types.has('array');
  if (types !== null && !types.has('object') && !(mayBeList && isIndex)) return { segment: segment, known: null };
  if (isIndex && mayBeList)
    return schema.items === undefined || types?.has('object') !== false ? undefined : { schema: schema.items };
  const properties = isObject(schema.properties) ? schema.properties : {};
  if (Object.hasOwn(properties, segment)) return { schema: properties[segment] as Json };
  const isClosed = schema.additionalProperties === false || schema.unevaluatedProperties === false;
  return isClosed && schema.patternProperties === undefined
    ? { segment: segment, known: Object.keys(properties) }
    : undefined;
}

/** The types that the schema names, or null if it names none. */
export function schemaTypes(schema: Json): Set<string> | null {
  if (!isObject(schema)) return null;
  const { type } = schema;
  if (typeof type === 'string') return new Set([type]);
  return Array.isArray(type) && type.every((one) => typeof one === 'string') ? new Set(type as string[]) : null;
}
