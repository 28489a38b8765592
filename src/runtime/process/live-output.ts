/**
 * The names of files that hold the output of running commands and agents, so that other processes can read it. The file
 * of an output becomes an artifact when the command ends, or is removed if the journal has the whole output.
 */

export type OutputName = 'stdout' | 'stderr';

/** The output of one attempt of an effect. */
export interface LiveName {
  readonly effect: string;
  readonly attempt: number;
  readonly stream: OutputName;
}

/** An output that nobody looks for: a longer name would be no name of a file. */
const LONGEST = 120;

/** Unfinished files in the folder of artifacts begin with this. */
export const PARTIAL = '.partial-';

/** The name of a new file; null is an output that cannot be found while it is written. */
export function partialName(name: LiveName | null): string {
  const time = process.hrtime.bigint();
  if (name === null) return `${PARTIAL}${time}`;
  const effect = encodeURIComponent(name.effect);
  return effect.length > LONGEST ? `${PARTIAL}${time}` : `${prefixOf(name)}${name.attempt}-${time}`;
}

/** How the names of all files with this output begin. */
export function prefixOf({ effect, stream }: Pick<LiveName, 'effect' | 'stream'>): string {
  return `${PARTIAL}${encodeURIComponent(effect)}@${stream}@`;
}
