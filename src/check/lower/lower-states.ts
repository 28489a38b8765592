/** Lowers the states of a machine one by one, or reuses states of an earlier compilation. */

import { omitUndefined } from '../../prelude/omit-undefined.js';
import { positionAt, type SourceFile } from '../../source/source-file.js';
import type { StateDeclaration } from '../collect.js';
import type { MachineScope } from '../scope.js';
import { lowerState } from './lower-state.js';
import type { LoweredState } from './lowered-state.js';
import { type ReusableState, type ReusableStates, rebaseState } from './reused-state.js';
import type { AgentTraits, Lookups, LoweringSettings } from './settings.js';

/** The reusable states of an earlier text, and the data that makes the new states reusable. */
export interface StateReuse {
  readonly previous: ReusableStates | undefined;
  /** The text of a declaration that was parsed as one part: its tree depends only on this text. */
  readonly textOf: ReadonlyMap<StateDeclaration, string>;
}

/** Lowers all states. `kept` is for the next compilation; null if nothing is to be kept. */
export function lowerStates(
  shared: MachineScope,
  settings: LoweringSettings,
  reuse: StateReuse | null,
): { states: LoweredState[]; reusable: ReusableStates | null } {
  const { states, script } = shared.machine;
  if (reuse === null || script)
    return { states: states.map((state) => lowerState(shared, state, settings, script)), reusable: null };
  const surroundings = surroundingsOf(shared, settings);
  const before = reuse.previous?.surroundings === surroundings ? reuse.previous.byText : undefined;
  const byText = new Map<string, ReusableState>();
  const lowered = states.map((declaration) => {
    const text = reuse.textOf.get(declaration);
    if (text === undefined) return lowerState(shared, declaration, settings, false);
    const known = before?.get(text);
    const now = known !== undefined && isReusable(known, shared, declaration, settings) ? known : null;
    const next = now === null ? lowerReusable(shared, declaration, settings) : rebaseHere(now, shared, declaration);
    if (next.isReusable) byText.set(text, next);
    return next.lowered;
  });
  return { states: lowered, reusable: { surroundings, byText } };
}

type Candidate = ReusableState & { readonly isReusable: boolean };

/**
 * Everything that all states may read, except for patterns. The order of names matters, because it determines slots and
 * indexes.
 */
function surroundingsOf(shared: MachineScope, settings: LoweringSettings): string {
  const { inputSlots, trackedSlots, machine, explain } = shared;
  const { commands, shell, strict, anyNames, lookups } = settings;
  const names = [inputSlots.keys(), trackedSlots.keys(), commands].map((list) => [...list]);
  const states = machine.states.map((state) => state.name.text);
  const asked = [lookups.onPath !== undefined, lookups.agents !== undefined, lookups.worktree];
  return JSON.stringify([names, states, shell, strict, anyNames, explain, asked]);
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

function rebaseHere(known: ReusableState, shared: MachineScope, declaration: StateDeclaration): Candidate {
  const { start, line } = positionOf(shared, declaration);
  return { ...known, lowered: rebaseState(known, start, line), start, line, isReusable: true };
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
