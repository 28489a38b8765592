/** Lowers the states of a machine one by one, or reuses states of an earlier compilation. */

import type { Instruction } from '../../../machine/machine.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { positionAt, type SourceFile, type Span } from '../../source/diagnostic.js';
import type { StateDeclaration } from '../../syntax/ast.js';
import { rebase } from '../../syntax/child-blocks.js';
import type { MachineScope, TypedOperand } from '../scope.js';
import { lowerState } from './lower-state.js';
import type { AgentTraits, Lookups, LoweredState, LoweringSettings } from './lowered-state.js';

/** Work between whose steps a caller may look at something else, or give it up. */
export type Stepwise<Result> = Generator<undefined, Result>;

/** Does the work at once. */
export function finish<Result>(steps: Stepwise<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** The reusable states of an earlier text, and the data that makes the new states reusable. */
export interface StateReuse {
  readonly previous: ReusableStates | undefined;
  /** The text of a declaration that was parsed as one part: its tree depends only on this text. */
  readonly textOf: ReadonlyMap<StateDeclaration, string>;
}

/** Lowers all states, one in each step. `reusable` is for the next compilation; null if nothing is to be kept. */
export function* lowerStates(
  shared: MachineScope,
  settings: LoweringSettings,
  reuse: StateReuse | null,
): Stepwise<{ states: LoweredState[]; reusable: ReusableStates | null }> {
  const { states, script } = shared.machine;
  const lowered: LoweredState[] = [];
  if (reuse === null || script) {
    for (const state of states) {
      lowered.push(lowerState(shared, state, settings, script));
      yield;
    }
    return { states: lowered, reusable: null };
  }
  const surroundings = surroundingsOf(shared, settings);
  const before = reuse.previous?.surroundings === surroundings ? reuse.previous.byText : undefined;
  const byText = new Map<string, ReusableState>();
  const lowerOrReuse = (declaration: StateDeclaration): LoweredState => {
    const text = reuse.textOf.get(declaration);
    if (text === undefined) return lowerState(shared, declaration, settings, false);
    const known = before?.get(text);
    const now = known !== undefined && isReusable(known, shared, declaration, settings) ? known : null;
    if (now !== null) {
      // What is kept stays where it was lowered: moves are counted from there.
      byText.set(text, now);
      return rebaseHere(now, shared, declaration);
    }
    const next = lowerReusable(shared, declaration, settings);
    if (next.isReusable) byText.set(text, next);
    return next.lowered;
  };
  for (const declaration of states) {
    lowered.push(lowerOrReuse(declaration));
    yield;
  }
  return { states: lowered, reusable: { surroundings, byText } };
}

type Candidate = ReusableState & { readonly isReusable: boolean };

/**
 * Everything that all states may read, except for patterns. The order of names matters, because it determines slots and
 * indexes.
 */
function surroundingsOf(shared: MachineScope, settings: LoweringSettings): string {
  const { inputSlots, trackedSlots, machine, index, symbols } = shared;
  const { commands, shell, strict, anyNames, lookups } = settings;
  const names = [inputSlots.keys(), trackedSlots.keys(), commands].map((list) => [...list]);
  const states = machine.states.map((state) => state.name.text);
  const asked = [lookups.onPath !== undefined, lookups.agents !== undefined, lookups.usualAgent, lookups.worktree];
  return JSON.stringify([names, states, shell, strict, anyNames, index, asked, symbols.ownsFile]);
}

function isReusable(
  known: ReusableState,
  shared: MachineScope,
  { name }: StateDeclaration,
  { lookups }: LoweringSettings,
): boolean {
  const entry = [...(shared.entrySlots.get(name.text)?.keys() ?? [])];
  const had = known.lowered.state.entry;
  return (
    entry.length === had.length &&
    entry.every((one, at) => one === had[at]) &&
    areSameAnswers(known.commands, lookups.onPath) &&
    areSameAnswers(known.agents, lookups.agents?.isKnown) &&
    areSameAnswers(known.traits, traitsAsText(lookups))
  );
}

/** Traits in a form that can be compared. */
function traitsAsText({ agents }: Lookups): ((name: string) => string) | undefined {
  const ask = agents?.traits;
  return ask === undefined ? undefined : (name) => JSON.stringify(ask(name));
}

function areSameAnswers<T>(answers: ReadonlyMap<string, T>, ask: ((name: string) => T) | undefined): boolean {
  for (const [name, answer] of answers) if (ask?.(name) !== answer) return false;
  return true;
}

function rebaseHere(known: ReusableState, shared: MachineScope, declaration: StateDeclaration): LoweredState {
  const { start, line } = positionOf(shared, declaration);
  return rebaseState(known, start, line);
}

/** Lowers a state and records its questions. */
function lowerReusable(shared: MachineScope, declaration: StateDeclaration, settings: LoweringSettings): Candidate {
  const commands = new Map<string, boolean>();
  const agents = new Map<string, boolean>();
  const messages = shared.diagnostics.length;
  const traits = new Map<string, string>();
  const lookups = notingLookups(settings.lookups, { commands, agents, traits });
  const lowered = lowerState(shared, declaration, { ...settings, lookups }, false);
  // An agent is reported once for the whole program, so these messages depend on earlier states. A state that needs the
  // built-in ERROR has a message too.
  const isKept =
    shared.diagnostics.length === messages &&
    shared.symbols.states.get(declaration.name.text)?.usesPatterns === false &&
    // Tools and plans are files that can change without the program.
    !lowered.dataUse.calls &&
    ![...agents.keys()].some((name) => settings.reportedAgents.has(name));
  return { lowered, ...positionOf(shared, declaration), commands, agents, traits, isReusable: isKept };
}

interface NotedAnswers {
  readonly commands: Map<string, boolean>;
  readonly agents: Map<string, boolean>;
  readonly traits: Map<string, string>;
}

/** The same lookups, which record their answers. */
function notingLookups(lookups: Lookups, { commands, agents, traits }: NotedAnswers): Lookups {
  const noteAnswers = (answers: Map<string, boolean>, ask: (name: string) => boolean) => (name: string) => {
    const answer = ask(name);
    answers.set(name, answer);
    return answer;
  };
  const askTraits = lookups.agents?.traits;
  const noteTraits = (name: string): AgentTraits | null => {
    const answer = askTraits?.(name) ?? null;
    traits.set(name, JSON.stringify(answer));
    return answer;
  };
  return {
    ...lookups,
    ...omitUndefined({
      onPath: lookups.onPath === undefined ? undefined : noteAnswers(commands, lookups.onPath),
      agents:
        lookups.agents === undefined
          ? undefined
          : {
              ...lookups.agents,
              isKnown: noteAnswers(agents, lookups.agents.isKnown),
              ...omitUndefined({ traits: askTraits === undefined ? undefined : noteTraits }),
            },
    }),
  };
}

function positionOf({ sources }: MachineScope, { span }: StateDeclaration): { start: number; line: number } {
  return { start: span.start, line: positionAt(sources[span.file] as SourceFile, span.start).line };
}

/** The questions that lowering a state asked the lookups, with the answers. */
type LookupAnswers = ReadonlyMap<string, boolean>;

/** A lowered state with its dependencies, apart from its own text and the shared surroundings. */
interface ReusableState {
  readonly lowered: LoweredState;
  /** The offset and the line of the state, from 1. */
  readonly start: number;
  readonly line: number;
  readonly commands: LookupAnswers;
  readonly agents: LookupAnswers;
  /** What was known of the programs of its agents, as JSON. */
  readonly traits: ReadonlyMap<string, string>;
}

/** The reusable states of one machine. */
export interface ReusableStates {
  /** The names and settings that all states share, as a text to compare. */
  readonly surroundings: string;
  /** The states by their texts. */
  readonly byText: ReadonlyMap<string, ReusableState>;
}

/**
 * The state at its new position. The stored state is not modified, because it may be in use. A change at the top of a long
 * program moves all states below it, and most of what is known of them is only asked for when there is something to report:
 * then it gets its new position.
 */
function rebaseState({ lowered, start, line }: ReusableState, newStart: number, newLine: number): LoweredState {
  const by = newStart - start;
  const byLines = newLine - line;
  if (by === 0 && byLines === 0) return lowered;
  const { state } = lowered;
  const rebased: { -readonly [Key in keyof LoweredState]?: LoweredState[Key] } = {};
  const here = ({ file, start: from, end }: Span): Span => ({ file, start: from + by, end: end + by });
  const withSpan = <Fact extends { readonly span: Span }>(fact: Fact): Fact => ({ ...fact, span: here(fact.span) });
  // The expressions of the operands contain no offsets.
  const operand = ({ expr, span }: TypedOperand): TypedOperand => ({ expr, span: here(span) });
  return {
    ...lowered,
    state: byLines === 0 ? state : { ...state, code: state.code.map((i) => shiftLines(i, byLines) as Instruction) },
    get entryReads() {
      rebased.entryReads ??= new Map([...lowered.entryReads].map(([name, span]) => [name, here(span)]));
      return rebased.entryReads;
    },
    get spans() {
      rebased.spans ??= lowered.spans.map(here);
      return rebased.spans;
    },
    get jumps() {
      rebased.jumps ??= lowered.jumps.map(withSpan);
      return rebased.jumps;
    },
    get checks() {
      rebased.checks ??= lowered.checks.map(withSpan);
      return rebased.checks;
    },
    get explanations() {
      rebased.explanations ??= lowered.explanations.map(withSpan);
      return rebased.explanations;
    },
    get mentions() {
      rebased.mentions ??= lowered.mentions.map(withSpan);
      return rebased.mentions;
    },
    get dataUse() {
      rebased.dataUse ??= rebase(lowered.dataUse, 0, by);
      return rebased.dataUse;
    },
    get typeUses() {
      rebased.typeUses ??= lowered.typeUses.map((use) => ({
        ...withSpan(use),
        left: operand(use.left),
        right: operand(use.right),
      }));
      return rebased.typeUses;
    },
  };
}

/** An instruction, or a part of one, moved by a number of lines. A part without a line is the same as before. */
function shiftLines(piece: unknown, by: number): unknown {
  if (typeof piece !== 'object' || piece === null || hasNoLine.has(piece)) return piece;
  let copy: Record<string, unknown> | null = null;
  const record = piece as Record<string, unknown>;
  // A constant is data of the program, so its keys must not be changed.
  if (record.op === 'const') return record;
  for (const key in record) {
    const inner = record[key];
    const shifted = key === 'line' || key === 'boundAt' ? (inner as number) + by : shiftLines(inner, by);
    if (shifted === inner) continue;
    copy ??= (Array.isArray(piece) ? [...piece] : { ...record }) as Record<string, unknown>;
    copy[key] = shifted;
  }
  if (copy === null) hasNoLine.add(piece);
  return copy ?? piece;
}

/** Parts of instructions without a line, which is most of what they have. */
const hasNoLine = new WeakSet<object>();
