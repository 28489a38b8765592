/** The states of a machine, lowered one by one, or taken from where they were lowered before. */
import { positionAt, type SourceFile } from '../../source/source-file.js';
import type { StateDeclaration } from '../collect.js';
import type { MachineScope } from '../scope.js';
import type { EffectSettings } from './effect.js';
import { type Answers, type KeptState, type KeptStates, movedState } from './kept.js';
import { type LoweredState, lowerState } from './state.js';

/** What an earlier state of the text left, and what is needed to leave it in turn. */
export interface Keeping {
  readonly previous: KeptStates | undefined;
  /** The text of a declaration that was read as one part: its tree depends on nothing else. */
  readonly textOf: ReadonlyMap<StateDeclaration, string>;
}

/** Lowers all states. `kept` is for the next time, null where nothing is to be kept. */
export function lowerStates(
  shared: MachineScope,
  settings: EffectSettings,
  keeping: Keeping | null,
): { states: LoweredState[]; kept: KeptStates | null } {
  const { states, script } = shared.machine;
  if (keeping === null || script)
    return { states: states.map((state) => lowerState(shared, state, settings, script)), kept: null };
  const surroundings = surroundingsOf(shared, settings);
  const before = keeping.previous?.surroundings === surroundings ? keeping.previous.byText : undefined;
  const byText = new Map<string, KeptState>();
  const lowered = states.map((declaration) => {
    const text = keeping.textOf.get(declaration);
    if (text === undefined) return lowerState(shared, declaration, settings, false);
    const known = before?.get(text);
    const now = known !== undefined && stillHolds(known, shared, declaration, settings) ? known : null;
    const next = now === null ? lowerAndKeep(shared, declaration, settings) : movedHere(now, shared, declaration);
    if (next.isKept) byText.set(text, next);
    return next.lowered;
  });
  return { states: lowered, kept: { surroundings, byText } };
}

type Candidate = KeptState & { readonly isKept: boolean };

/** Everything that all states may read, apart from patterns: the order of names decides about slots and indexes. */
function surroundingsOf(shared: MachineScope, settings: EffectSettings): string {
  const { inputSlots, trackedSlots, machine, explain } = shared;
  const { commands, shell, strict, anyNames, onPath, agents } = settings;
  const names = [inputSlots.keys(), trackedSlots.keys(), commands].map((list) => [...list]);
  const states = machine.states.map((state) => state.name.text);
  const asked = [onPath !== undefined, agents !== undefined];
  return JSON.stringify([names, states, shell, strict, anyNames, explain, asked]);
}

function stillHolds(
  known: KeptState,
  shared: MachineScope,
  { name }: StateDeclaration,
  { onPath, agents }: EffectSettings,
): boolean {
  const entry = [...(shared.entrySlots.get(name.text)?.keys() ?? [])];
  const had = known.lowered.state.entry;
  return (
    entry.length === had.length &&
    entry.every((one, at) => one === had[at]) &&
    same(known.commands, onPath) &&
    same(known.agents, agents)
  );
}

function same(answers: Answers, ask: ((name: string) => boolean) | undefined): boolean {
  for (const [name, answer] of answers) if (ask?.(name) !== answer) return false;
  return true;
}

function movedHere(known: KeptState, shared: MachineScope, declaration: StateDeclaration): Candidate {
  const { start, line } = placeOf(shared, declaration);
  return { ...known, lowered: movedState(known, start, line), start, line, isKept: true };
}

/** Lowers a state and notes what it asked. */
function lowerAndKeep(shared: MachineScope, declaration: StateDeclaration, settings: EffectSettings): Candidate {
  const commands = new Map<string, boolean>();
  const agents = new Map<string, boolean>();
  const messages = shared.diagnostics.length;
  const lowered = lowerState(
    shared,
    declaration,
    {
      ...settings,
      onPath: noting(commands, settings.onPath),
      agents: noting(agents, settings.agents),
    },
    false,
  );
  // An unknown agent is told once for the whole program, so what is told here depends on the states above. A state
  // that needs the ERROR of the engine has a message too.
  const isKept =
    shared.diagnostics.length === messages &&
    shared.survey.states.get(declaration.name.text)?.usesPatterns === false &&
    // Tools and plans are files that change without the program.
    !lowered.dagger.calls &&
    [...agents.values()].every(Boolean);
  return { lowered, ...placeOf(shared, declaration), commands, agents, isKept };
}

function noting<Ask extends ((name: string) => boolean) | undefined>(answers: Map<string, boolean>, ask: Ask): Ask {
  if (ask === undefined) return ask;
  const noted = (name: string): boolean => {
    const answer = ask(name);
    answers.set(name, answer);
    return answer;
  };
  return noted as Ask;
}

function placeOf({ sources }: MachineScope, { span }: StateDeclaration): { start: number; line: number } {
  return { start: span.start, line: positionAt(sources[span.file] as SourceFile, span.start).line };
}
