/**
 * The names of files with the output of running commands and agents, so that other processes can read it. When the
 * command ends, the file becomes an artifact, or is removed if the journal contains the whole output.
 */

export type OutputName = 'stdout' | 'stderr';

/** The output of one attempt of an effect. */
export interface LiveName {
  readonly effect: string;
  readonly attempt: number;
  readonly stream: OutputName;
}

/** The maximum length of a file name. An output with a longer name cannot be read while it is written. */
const LONGEST = 120;

/** The prefix of unfinished files in the folder of artifacts. */
export const PARTIAL = '.partial-';

/** The name of a new file; null for an output that cannot be read while it is written. */
export function partialName(name: LiveName | null): string {
  const time = process.hrtime.bigint();
  if (name === null) return `${PARTIAL}${time}`;
  const effect = encodeURIComponent(name.effect);
  return effect.length > LONGEST ? `${PARTIAL}${time}` : `${prefixOf(name)}${name.attempt}-${time}`;
}

/** The prefix of all files with this output. */
export function prefixOf({ effect, stream }: Pick<LiveName, 'effect' | 'stream'>): string {
  return `${PARTIAL}${encodeURIComponent(effect)}@${stream}@`;
}
