/**
 * Colors by role. Views ask for a role and never for a color, so that the meaning of each color is defined once. A
 * stream without colors costs nothing, because only `color.ts` loads Chalk.
 */

export interface Paint {
  readonly error: (text: string) => string;
  readonly warning: (text: string) => string;
  /** Line numbers, gutters and secondary locations of a picture. */
  readonly frame: (text: string) => string;
  readonly strong: (text: string) => string;
  /** Output of commands and other secondary text. */
  readonly faint: (text: string) => string;
  /** Names of states. */
  readonly state: (text: string) => string;
  /** Names of events. */
  readonly event: (text: string) => string;
  readonly success: (text: string) => string;
}

const same = (text: string): string => text;

/** Without colors: for files, pipes and NO_COLOR. */
export const plain: Paint = {
  error: same,
  warning: same,
  frame: same,
  strong: same,
  faint: same,
  state: same,
  event: same,
  success: same,
};
