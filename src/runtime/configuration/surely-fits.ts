/**
 * Whether a value fits a JSON Schema, for the keywords that simple schemas have. Most configurations are right, and making
 * a validator that says what is wrong takes longer than running a small program.
 */
import type { Json } from '../../machine/expression.js';

type Schema = Readonly<Record<string, unknown>>;
type Members = Readonly<Record<string, Json>>;

/** False: it does not fit, or the schema has a keyword that is not known here. */
export function surelyFits(schema: Schema, value: Json): boolean {
  return Object.entries(schema).every(([keyword, wanted]) => fits(keyword, wanted, value, schema));
}

function fits(keyword: string, wanted: unknown, value: Json, schema: Schema): boolean {
  switch (keyword) {
    case '$schema':
    case 'title':
    case 'description':
    case 'default':
      return true;
    case 'type':
      return isOf(value, wanted);
    case 'enum':
      return typeof value === 'string' && (wanted as readonly unknown[]).includes(value);
    case 'anyOf':
      return (wanted as readonly Schema[]).some((one) => surelyFits(one, value));
    case 'items':
    case 'minItems':
      return !Array.isArray(value) || fitsAsList(keyword, wanted, value);
    case 'pattern':
    case 'minLength':
      return typeof value !== 'string' || fitsAsText(keyword, wanted, value);
    case 'minimum':
    case 'exclusiveMinimum':
      return (
        typeof value !== 'number' || (keyword === 'minimum' ? value >= (wanted as number) : value > (wanted as number))
      );
    default:
      return typeof value !== 'object' || value === null || Array.isArray(value)
        ? ABOUT_OBJECTS.has(keyword)
        : fitsAsObject(keyword, wanted, value as Members, schema);
  }
}

function isOf(value: Json, type: unknown): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    default:
      return (type === 'string' || type === 'boolean') && typeof value === type;
  }
}

function fitsAsList(keyword: 'items' | 'minItems', wanted: unknown, value: readonly Json[]): boolean {
  return keyword === 'items'
    ? value.every((item) => surelyFits(wanted as Schema, item))
    : value.length >= (wanted as number);
}

function fitsAsText(keyword: 'pattern' | 'minLength', wanted: unknown, value: string): boolean {
  return keyword === 'pattern'
    ? new RegExp(wanted as string, 'u').test(value)
    : [...value].length >= (wanted as number);
}

const ABOUT_OBJECTS: ReadonlySet<string> = new Set([
  'properties',
  'additionalProperties',
  'propertyNames',
  'required',
  'minProperties',
  'maxProperties',
]);

function fitsAsObject(keyword: string, wanted: unknown, value: Members, { properties = {} }: Schema): boolean {
  const names = Object.keys(value);
  const own = properties as Readonly<Record<string, Schema>>;
  switch (keyword) {
    case 'properties':
      return Object.keys(own).every(
        (name) => !Object.hasOwn(value, name) || surelyFits(own[name] as Schema, value[name] as Json),
      );
    case 'additionalProperties':
      return names.every(
        (name) => Object.hasOwn(own, name) || (wanted !== false && surelyFits(wanted as Schema, value[name] as Json)),
      );
    case 'propertyNames':
      return names.every((name) => surelyFits(wanted as Schema, name));
    case 'required':
      return (wanted as readonly string[]).every((name) => Object.hasOwn(value, name));
    case 'minProperties':
      return names.length >= (wanted as number);
    case 'maxProperties':
      return names.length <= (wanted as number);
    default:
      return false;
  }
}
