/**
 * Reads `run` with only switches and text options, as in nearly every start. Loading the command-line parser takes
 * longer than running a small program, so that parser handles only the rest: numbers, help, and all mistakes.
 */
import type { RunFlags } from '../running/run-flags.js';

type SwitchFlag = 'json' | 'log' | 'events' | 'quiet' | 'verbose' | 'dryRun';
type TextFlag = 'dir' | 'cwd' | 'machine' | 'start' | 'mock' | 'inputFile' | 'tools';

/** A test checks that the parser reads these in the same way. */
export const SWITCHES: ReadonlyMap<string, SwitchFlag> = new Map([
  ['--json', 'json'],
  ['--log', 'log'],
  ['--events', 'events'],
  ['--quiet', 'quiet'],
  ['--verbose', 'verbose'],
  ['--dry-run', 'dryRun'],
]);
export const TEXTS: ReadonlyMap<string, TextFlag> = new Map([
  ['--dir', 'dir'],
  ['--cwd', 'cwd'],
  ['--machine', 'machine'],
  ['--start', 'start'],
  ['--mock', 'mock'],
  ['--input-file', 'inputFile'],
  ['--tools', 'tools'],
]);
const INPUTS: ReadonlySet<string> = new Set(['-i', '--input']);

interface PlainRun {
  readonly file: string;
  readonly flags: RunFlags;
}

/** Reads the words after the name of the executable. Returns null if the parser has to read them. */
export function readPlainRun(
  [command, ...words]: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): PlainRun | null {
  // Environment variables can set flags, too.
  if (command !== 'run' || Object.keys(environment).some((name) => name.startsWith('STATEDSL_'))) return null;
  const flags: Partial<Record<SwitchFlag, boolean>> & Partial<Record<TextFlag, string>> & { input?: string[] } = {};
  let file: string | null = null;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    const isSwitch = SWITCHES.get(word);
    const text = TEXTS.get(word);
    if (isSwitch !== undefined) flags[isSwitch] = true;
    else if (text !== undefined || INPUTS.has(word)) {
      const value = words[++at];
      if (value === undefined || value === '' || value.startsWith('-')) return null;
      if (text === undefined) flags.input = [...(flags.input ?? []), value];
      else flags[text] = value;
    } else if (word.startsWith('-') || file !== null) return null;
    else file = word;
  }
  // The parser refuses flags that have no effect together.
  if ((flags.quiet && flags.verbose) || (flags.dryRun && Object.keys(flags).length > 1)) return null;
  return file === null ? null : { file, flags: { ...flags, typed: Object.keys(flags) } };
}
