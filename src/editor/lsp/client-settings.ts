/** What a person has set in the editor, below `statedsl`. A value of another form counts as not set. */
import { HINTS, type HintChoice, LENSES, type LensChoice } from '../ide/remarks.js';

export interface ClientSettings {
  /** How long errors of a line that is being typed wait, in milliseconds. */
  readonly typingDelay: number;
  /** Patterns of YAML files that are workflow files. */
  readonly workflowFiles: readonly string[];
  readonly inlayHints: HintChoice;
  readonly codeLens: LensChoice;
}

export const defaultSettings: ClientSettings = {
  typingDelay: 300,
  workflowFiles: [],
  inlayHints: HINTS,
  codeLens: LENSES,
};

/** `given`: what a client sends, with or without the name `statedsl` around it. */
export function readSettings(given: unknown): ClientSettings {
  const all = membersIn(given);
  const own = Object.hasOwn(all, 'statedsl') ? membersIn(all.statedsl) : all;
  const { typingDelay, workflowFiles, inlayHints, codeLens } = own;
  return {
    typingDelay: typeof typingDelay === 'number' && typingDelay >= 0 ? typingDelay : defaultSettings.typingDelay,
    workflowFiles: Array.isArray(workflowFiles) ? workflowFiles.filter((one) => typeof one === 'string') : [],
    inlayHints: choiceOf(HINTS, inlayHints),
    codeLens: choiceOf(LENSES, codeLens),
  };
}

function membersIn(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function choiceOf<Choice extends { readonly [name: string]: boolean }>(usual: Choice, given: unknown): Choice {
  const said = membersIn(given);
  return Object.fromEntries(
    Object.entries(usual).map(([name, is]) => [name, typeof said[name] === 'boolean' ? said[name] : is]),
  ) as Choice;
}
