/**
 * Lowers a machine of the tree to a Machine: assigns slots, lowers every state, and adds the built-in ERROR if a GOTO
 * needs it.
 */
import type { Json } from '../../../machine/expression.js';
import { type Input, type Machine, RUN_FORMAT, type State } from '../../../machine/machine.js';
import { nearest } from '../../../prelude/nearest.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { Diagnostic, SourceSet } from '../../source/diagnostic.js';
import type { InputDeclaration } from '../../syntax/ast.js';
import type { Expression, Template } from '../../syntax/expression-nodes.js';
import type { MachineUnit, Unit } from '../collect.js';
import { ERROR_NAMES, errorNames, isEngineName, isReserved } from '../collect.js';
import type { MachineScope } from '../scope.js';
import { buildSymbolTable, type SymbolTable } from '../symbol-table.js';
import { constantExpr } from './constant.js';
import { lowerLimits } from './limits.js';
import type { ReusableStates } from './lower-states.js';
import { lowerStates, type StateReuse, type Stepwise } from './lower-states.js';
import type { LoweredState, LoweringSettings } from './lowered-state.js';
import { dividedChoice } from './options.js';
import { partsOf } from './text-parts.js';

export interface LoweredMachine {
  readonly machine: Machine;
  readonly unit: MachineUnit;
  readonly states: readonly LoweredState[];
  readonly symbols: SymbolTable;
  /** The states for the next compilation; null if nothing is kept. */
  readonly reusable: ReusableStates | null;
}

const ERROR_STATE = 'ERROR';

export function* lowerMachine(
  unit: Unit,
  machine: MachineUnit,
  sources: SourceSet,
  diagnostics: Diagnostic[],
  settings: LoweringSettings,
  reuse: StateReuse | null = null,
): Stepwise<LoweredMachine> {
  const symbols = buildSymbolTable(unit, machine, diagnostics, settings.expansions);
  const index = new Map(machine.states.map((s, at) => [s.name.text, at]));
  let builtin = false;
  const shared: MachineScope = {
    unit,
    machine,
    symbols: symbols,
    diagnostics,
    sources,
    index: settings.index,
    inputSlots: slots(unit.inputs.keys()),
    trackedSlots: slots(symbols.tracked.keys()),
    entrySlots: entrySlots(machine, symbols),
    stateIndex: (name) => index.get(name) ?? null,
    builtinError: () => {
      builtin = true;
      return machine.states.length;
    },
  };
  const { states, reusable: kept } = yield* lowerStates(shared, settings, reuse);
  if (!machine.script && machine.states[0]?.name.text === ERROR_STATE)
    diagnostics.push(say.firstStateError(machine.states[0].name.span, {}));
  const plans = settings.callables.plansOf(states.flatMap(({ state }) => state.code));
  const compiled: Machine = {
    version: RUN_FORMAT,
    name: machine.name,
    files: sources.map((s) => s.name),
    inputs: [...unit.inputs.values()].map((input) => lowerInput(input, unit, diagnostics)),
    tracked: [...symbols.tracked.keys()],
    states: builtin ? [...states.map((s) => s.state), builtinErrorState()] : states.map((s) => s.state),
    initial: 0,
    error: index.get(ERROR_STATE) ?? null,
    limits: lowerLimits(unit.limits, diagnostics),
    ...omitUndefined({ key: unit.key === null ? undefined : lowerKey(unit.key, unit, diagnostics) }),
    ...omitUndefined({ workflow: unit.workflow, plans, title: lowerTitle(unit, diagnostics) }),
  };
  return { machine: compiled, unit: machine, states, symbols: symbols, reusable: kept };
}

function slots(names: Iterable<string>): Map<string, number> {
  const map = new Map<string, number>();
  for (const name of names) map.set(name, map.size);
  return map;
}

/** The entry slots of each state: the names that GOTOs pass to it, and in ERROR the error contract. */
function entrySlots(machine: MachineUnit, symbols: SymbolTable): Map<string, Map<string, number>> {
  const contract = errorNames(symbols);
  const anywhere = symbols.entries.get('*') ?? new Set<string>();
  return new Map(
    machine.states.map((state) => {
      const name = state.name.text;
      const always = name === ERROR_STATE ? contract : [];
      return [name, slots(new Set([...always, ...(symbols.entries.get(name) ?? []), ...anywhere]))] as const;
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

/** A value of an input, as a key or a title may contain it. */
const INPUT_PATH = /^\{\w+(?:\.\w+|\[(?:\d+|"[^"]*")\])*\}$/;

/** A title is known before anything runs, so that it can contain only inputs and their members. */
function lowerTitle({ title, inputs }: Unit, diagnostics: Diagnostic[]): Machine['title'] {
  if (title === null) return undefined;
  const names = { has: (name: string) => inputs.has(name), shared: { diagnostics }, only: INPUT_PATH };
  const parts = partsOf(title, names).map((part) => {
    if (typeof part === 'string') return part;
    const { expression, filter, list } = part;
    const path = filter === undefined && list !== true ? inputPath(expression) : null;
    const [input, ...members] = path ?? [];
    if (typeof input === 'string' && inputs.has(input)) return { input, members };
    const near = typeof input === 'string' ? nearest(input, [...inputs.keys()]) : undefined;
    diagnostics.push(say.titlePart(expression.span, { name: typeof input === 'string' ? input : null, near }));
    return '';
  });
  return parts;
}

/** `a.b[0]` as `['a', 'b', 0]`; null for any other expression. */
function inputPath(e: Expression): (string | number)[] | null {
  if (e.kind === 'name') return [e.name];
  if (e.kind === 'maybe') return inputPath(e.of);
  if (e.kind !== 'field' && e.kind !== 'index') return null;
  const path = inputPath(e.of);
  if (path === null) return null;
  if (e.kind === 'field') return [...path, e.name.text];
  const index = constantExpr(e.index)?.value;
  return typeof index === 'number' || typeof index === 'string' ? [...path, index] : null;
}

/** As in the note of an input. */
function defaultTypeOf(value: Json): string {
  return Array.isArray(value) ? 'list' : typeof value;
}

function lowerInput(input: InputDeclaration, { workflow }: Unit, diagnostics: Diagnostic[]): Input {
  const name = input.name.text;
  // A workflow has no state ERROR that would bind these names, and validators may have an input `error`.
  const isFree = workflow !== undefined && isEngineName(name);
  if (isReserved(name) && !isFree) diagnostics.push(say.reservedName(input.name.span, { name }));
  const constant = input.value === undefined ? undefined : constantExpr(input.value);
  const value = constant?.value;
  if (input.value !== undefined && value === undefined) {
    const word = input.value.kind === 'name' ? input.value.name : undefined;
    diagnostics.push(say.inputDefault(input.value.span, { word }));
  }
  const choices = input.choices;
  const { type } = input;
  const given = value === undefined || value === null ? type : defaultTypeOf(value);
  // YAML has its own words for values, and choices are compared below.
  const isCompared = choices === undefined && workflow === undefined;
  if (isCompared && input.value !== undefined && type !== undefined && given !== undefined && given !== type)
    diagnostics.push(say.inputDefaultType(input.value.span, { type, given }));
  const divided = choices?.length === 1 && workflow === undefined ? dividedChoice(choices[0] as string) : [];
  if (divided.length > 1)
    diagnostics.push(say.oneChoice(input.span, { choice: choices?.[0] as string, choices: divided, of: 'INPUT' }));
  const isChoice = (choice: string): boolean =>
    choice === String(value) || (input.value?.kind === 'number' && choice === input.value.text);
  const isOther = choices !== undefined && value !== undefined && !choices.some(isChoice);
  if (isOther && input.value !== undefined && divided.length < 2)
    diagnostics.push(say.inputChoice(input.value.span, { value: String(value), choices }));
  return {
    name,
    // A default that is none is reported above; that the input has no value would be the same mistake again.
    ...omitUndefined({
      // A default that is none is reported above; that the input has no value would be the same mistake again.
      value: input.value === undefined ? undefined : (value ?? null),
      printed: constant?.printed,
      type: input.type,
      choices,
      secret: input.secret ? (true as const) : undefined,
    }),
  };
}

/** The parts of a key, which is known before the run begins: texts, and inputs by the paths to their values. */
function lowerKey(key: Template, { inputs }: Unit, diagnostics: Diagnostic[]): NonNullable<Machine['key']> {
  const { span } = key;
  const parts = partsOf(key, { has: (name) => inputs.has(name), shared: { diagnostics }, only: INPUT_PATH });
  if (parts.every((part) => typeof part === 'string' && part.trim() === ''))
    diagnostics.push(say.badKey(span, { why: 'is empty', help: 'write a text, such as `deploy {target}`' }));
  return parts.flatMap((part): NonNullable<Machine['key']> => {
    if (typeof part === 'string') return [part];
    const path = part.filter === undefined && part.list !== true ? inputPath(part.expression) : null;
    const [root, ...members] = path ?? [];
    const name = String(root);
    const input = inputs.get(name);
    const help = 'a KEY has texts and inputs, such as `deploy {target}`, because it is known before the run begins';
    if (path === null) diagnostics.push(say.badKey(part.span, { why: 'contains more than inputs', help }));
    else if (input === undefined)
      diagnostics.push(say.badKey(part.span, { why: `uses \`${name}\`, which is not an input`, help }));
    else if (input.secret)
      diagnostics.push(
        say.badKey(part.span, {
          why: `uses the secret input \`${name}\``,
          help: 'leave it out: lists and records show the keys of runs',
        }),
      );
    else return [{ input: name, members }];
    return [];
  });
}
