/**
 * What a person calls a run: the name it was given, or the title of its program, or else the inputs that are not the
 * default; and the key that it shares with others. Both are made once, when the run begins.
 */
import { defaultOf, printJson, render } from '../../interpreter/values/json.js';
import { equal, isList, isObject, member, type Value } from '../../interpreter/values/value.js';
import type { Json } from '../../machine/expression.js';
import type { InputText, Machine } from '../../machine/machine.js';

const LONGEST = 120;
/** The longest value of an input that is not in a title which the author wrote. */
const LONGEST_VALUE = 40;

type Inputs = Readonly<Record<string, Json>>;

/** Undefined: nothing sets the run apart from others of its program. Secret inputs are left out. */
export function titleOf(machine: Machine, inputs: Inputs, name?: string): string | undefined {
  return [name, writtenTitle(machine, inputs), givenInputs(machine, inputs)]
    .map((text) => inOneLine(text ?? '', LONGEST))
    .find((text) => text !== '');
}

function writtenTitle({ title, inputs: declared }: Machine, inputs: Inputs): string | undefined {
  return title === undefined ? undefined : textOf(title, declared, inputs);
}

/** The key of a run of the program with these inputs; null: it has none. */
export function keyOfProgram({ key, inputs: declared }: Machine, inputs: Inputs): string | null {
  return key === undefined ? null : textOf(key, declared, inputs);
}

function textOf(parts: readonly InputText[], declared: Machine['inputs'], inputs: Inputs): string {
  const valueText = ({ input, members }: Exclude<InputText, string>): string => {
    const declaration = declared.find((one) => one.name === input);
    if (declaration?.secret) return '';
    let value = ownValue(inputs, input) ?? (declaration && defaultOf(declaration));
    for (const name of members) value = value === undefined ? undefined : memberOf(value, name);
    return value === undefined || value === null ? '' : render(value);
  };
  return parts.map((part) => (typeof part === 'string' ? part : valueText(part))).join('');
}

function givenInputs({ inputs: declared }: Machine, inputs: Inputs): string {
  return declared
    .flatMap(({ name, value: byDefault, secret }) => {
      const value = ownValue(inputs, name);
      if (value === undefined || secret || (byDefault !== undefined && equal(value, byDefault as Value))) return [];
      return [`${name}=${inOneLine(typeof value === 'string' ? value : printJson(value), LONGEST_VALUE)}`];
    })
    .join(' ');
}

function ownValue(inputs: Inputs, name: string): Value | undefined {
  return Object.hasOwn(inputs, name) ? (inputs[name] as Value) : undefined;
}

function memberOf(value: Value, name: string | number): Value | undefined {
  if (isList(value)) return typeof name === 'number' ? value[name] : undefined;
  if (!isObject(value) || typeof name !== 'string') return undefined;
  return Object.hasOwn(value, name) ? (member(value, name) as Value) : undefined;
}

/** Needs no classes of Unicode, whose patterns take half a millisecond to compile. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

/** The beginning of a text, without anything that a terminal or page would not show as a sign. */
export function inOneLine(text: string, longest: number): string {
  if (text.length <= longest && PLAIN.test(text)) return text;
  // A long text needs not be read to its end.
  const signs = [
    ...text
      .slice(0, longest * 8)
      .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
      .trim(),
  ];
  return signs.length <= longest && text.length <= longest * 8
    ? signs.join('')
    : `${signs
        .slice(0, longest - 1)
        .join('')
        .trimEnd()}…`;
}
