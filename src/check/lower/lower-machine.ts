/**
 * A machine of the tree becomes a Machine: slots are handed out, every state is lowered, and the built-in ERROR
 * is added where some GOTO needs it.
 */

import { parseByteCount } from '../../machine/byte-count.js';
import { parseDuration } from '../../machine/duration.js';
import type { Json } from '../../machine/expression.js';
import { type Input, type Limits, MACHINE_VERSION, type Machine, type State } from '../../machine/machine.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { SourceSet } from '../../source/source-file.js';
import { nearest } from '../../source/suggest.js';
import type { Expression, Option } from '../../syntax/ast.js';
import type { InputDeclaration, MachineUnit, Unit } from '../collect.js';
import { ERROR_NAMES, isEngineName, isReserved, type MachineScope } from '../scope.js';
import { type Survey, survey } from '../survey.js';
import { constantText } from './expression.js';
import type { ReusableStates } from './reused-state.js';
import { type StateReuse, lowerStates } from './lower-states.js';
import type { LoweredState } from './lowered-state.js';
import type { LoweringSettings } from './settings.js';

export interface LoweredMachine {
  readonly machine: Machine;
  readonly unit: MachineUnit;
  readonly states: readonly LoweredState[];
  readonly survey: Survey;
  /** For the next time the text is compiled; null where nothing is kept. */
  readonly reusable: ReusableStates | null;
}

const ERROR_STATE = 'ERROR';

export function lowerMachine(
  unit: Unit,
  machine: MachineUnit,
  sources: SourceSet,
  diagnostics: Diagnostic[],
  settings: LoweringSettings,
  reuse: StateReuse | null = null,
): LoweredMachine {
  const surveyed = survey(unit, machine, diagnostics, settings.expansions);
  const index = new Map(machine.states.map((s, at) => [s.name.text, at]));
  let builtin = false;
  const shared: MachineScope = {
    unit,
    machine,
    survey: surveyed,
    diagnostics,
    sources,
    explain: settings.explain,
    inputSlots: slots(unit.inputs.keys()),
    trackedSlots: slots(surveyed.tracked.keys()),
    entrySlots: entrySlots(machine, surveyed),
    stateIndex: (name) => index.get(name) ?? null,
    builtinError: () => {
      builtin = true;
      return machine.states.length;
    },
  };
  const { states, reusable: kept } = lowerStates(shared, settings, reuse);
  if (!machine.script && machine.states[0]?.name.text === ERROR_STATE)
    diagnostics.push(say.firstStateError(machine.states[0].name.span, {}));
  const plans = settings.callables.used(states.flatMap(({ state }) => state.code));
  const compiled: Machine = {
    version: MACHINE_VERSION,
    name: machine.name,
    files: sources.map((s) => s.name),
    inputs: [...unit.inputs.values()].map((input) => lowerInput(input, unit, diagnostics)),
    tracked: [...surveyed.tracked.keys()],
    states: builtin ? [...states.map((s) => s.state), builtinErrorState()] : states.map((s) => s.state),
    initial: 0,
    error: index.get(ERROR_STATE) ?? null,
    limits: lowerLimits(unit.limits, diagnostics),
    ...(unit.workflow === undefined ? {} : { workflow: unit.workflow }),
    ...(plans === undefined ? {} : { plans }),
  };
  return { machine: compiled, unit: machine, states, survey: surveyed, reusable: kept };
}

function slots(names: Iterable<string>): Map<string, number> {
  const map = new Map<string, number>();
  for (const name of names) map.set(name, map.size);
  return map;
}

/** Entry slots of each state: what GOTOs pass to it, and in ERROR the error contract. */
function entrySlots(machine: MachineUnit, surveyed: Survey): Map<string, Map<string, number>> {
  const anywhere = surveyed.entries.get('*') ?? new Set<string>();
  return new Map(
    machine.states.map((state) => {
      const name = state.name.text;
      const contract = name === ERROR_STATE ? ERROR_NAMES : [];
      return [name, slots(new Set([...contract, ...(surveyed.entries.get(name) ?? []), ...anywhere]))] as const;
    }),
  );
}

function builtinErrorState(): State {
  return {
    name: ERROR_STATE,
    locals: [],
    entry: [...ERROR_NAMES],
    code: [{ op: 'fell-off', origin: { file: 0, line: 1 } }],
    handlers: [],
    builtin: true,
  };
}

// ---- declarations of the file -----------------------------------------------------------------------

function lowerInput(input: InputDeclaration, { workflow }: Unit, diagnostics: Diagnostic[]): Input {
  const name = input.name.text;
  // A workflow has no state ERROR that would bind its names, and validators are given an `error` to judge.
  const isFree = workflow !== undefined && isEngineName(name);
  if (isReserved(name) && !isFree) diagnostics.push(say.reservedName(input.name.span, { name }));
  const value = input.value === undefined ? undefined : constantOf(input.value);
  if (input.value !== undefined && value === undefined) {
    const word = input.value.kind === 'name' ? input.value.name : undefined;
    diagnostics.push(say.inputDefault(input.value.span, { word }));
  }
  const choices = input.choices;
  const isChoice = (choice: string): boolean =>
    choice === String(value) || (input.value?.kind === 'number' && choice === input.value.text);
  if (choices !== undefined && value !== undefined && input.value !== undefined && !choices.some(isChoice))
    diagnostics.push(say.inputChoice(input.value.span, { value: String(value), choices }));
  return {
    name,
    // A default that is none is told above; that the input has no value would be the same mistake again.
    ...(input.value === undefined ? {} : { value: value ?? null }),
    ...(input.value?.kind === 'number' && String(value) !== input.value.text && isJsonNumber(input.value.text)
      ? { printed: input.value.text }
      : {}),
    ...(input.type === undefined ? {} : { type: input.type }),
    ...(choices === undefined ? {} : { choices }),
    ...(input.secret ? { secret: true as const } : {}),
  };
}

const isJsonNumber = (text: string): boolean => /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);

/** The value of a literal, or undefined when a name or call is in it. */
export function constantOf(e: Expression): Json | undefined {
  switch (e.kind) {
    case 'number':
    case 'constant':
      return e.value;
    case 'text':
      return constantText(e.template) ?? undefined;
    case 'negate': {
      const of = constantOf(e.of);
      return typeof of === 'number' ? -of : undefined;
    }
    case 'list': {
      const items = e.items.map(constantOf);
      return items.every((i): i is Json => i !== undefined) ? items : undefined;
    }
    case 'object': {
      const entries = e.entries.map((entry) => [entry.key, constantOf(entry.value)] as const);
      return entries.every(([, v]) => v !== undefined) ? (Object.fromEntries(entries) as Json) : undefined;
    }
    default:
      return undefined;
  }
}

const LIMITS = ['transitions', 'time', 'cost', 'tokens', 'journal', 'output'];

export function lowerLimits(options: readonly Option[], diagnostics: Diagnostic[]): Limits {
  const limits: { -readonly [K in keyof Limits]: Limits[K] } = {};
  const seen = new Set<string>();
  for (const option of options) {
    const name = option.key.text;
    const text = option.value === undefined ? '' : (constantText(option.value) ?? '').trim();
    if (!LIMITS.includes(name)) {
      diagnostics.push(
        say.unknownOption(option.key.span, { name, of: 'LIMIT', known: LIMITS, near: nearest(name, LIMITS) }),
      );
      continue;
    }
    if (seen.has(name)) {
      const help = 'remove one of the two';
      diagnostics.push(say.badOption(option.span, { name, why: 'is given twice', help }));
      continue;
    }
    seen.add(name);
    if (name === 'time') {
      const timeMs = parseDuration(text);
      if (timeMs === null) diagnostics.push(say.badDuration((option.value ?? option).span, { text }));
      else limits.timeMs = timeMs;
      continue;
    }
    if (name === 'journal' || name === 'output') {
      const bytes = parseByteCount(text);
      const help = `write a number of bytes, such as \`${name}=500MiB\``;
      if (bytes !== null) limits[name] = bytes;
      else diagnostics.push(say.badOption(option.span, { name, why: 'must be a number of bytes above 0', help }));
      continue;
    }
    const number = parseAmount(text);
    if (number === null || (name !== 'cost' && !Number.isInteger(number)) || number <= 0)
      diagnostics.push(say.badLimit(option.span, { name }));
    else limits[name as 'transitions' | 'cost' | 'tokens'] = number;
  }
  return limits;
}

/** `2M`, `20k`, `5.00`. */
function parseAmount(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)([kKM]?)$/.exec(text);
  if (match === null) return null;
  const unit = match[2] === 'M' ? 1e6 : match[2] === '' ? 1 : 1e3;
  return Number(match[1]) * unit;
}
