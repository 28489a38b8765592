/** Points of a run as people write them: `12` is an event, `BUILD` the first entry of a state, `BUILD#3` its third. */
import { RunRefused } from '../runtime/store/store-error.js';

/** Throws a `RunRefused`. */
export function replayPoint(text: string): number | { readonly state: string; readonly entry: number } {
  if (/^\d+$/.test(text)) return Number(text);
  const match = /^(.+?)(?:#(\d+))?$/.exec(text);
  const entry = Number(match?.[2] ?? 1);
  if (match === null || entry < 1)
    throw new RunRefused(
      'wrong-use',
      `\`${text}\` is not a point of a run`,
      'write the number of an event, a state, or STATE#2 for its second entry',
    );
  return { state: match[1] as string, entry };
}
