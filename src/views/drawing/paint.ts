/**
 * Colours by their role. Views ask for a role and never for a colour, so that one place decides what red means,
 * and a stream without colours costs nothing: Chalk is loaded only by `color.ts`, when there is a colour to make.
 */

export interface Paint {
  readonly error: (text: string) => string;
  readonly warning: (text: string) => string;
  /** Line numbers, gutters and second places of a picture. */
  readonly frame: (text: string) => string;
  readonly strong: (text: string) => string;
  /** Output of commands and other text of minor interest. */
  readonly faint: (text: string) => string;
  /** Names of states. */
  readonly state: (text: string) => string;
  /** Names of events. */
  readonly event: (text: string) => string;
  readonly success: (text: string) => string;
}

const same = (text: string): string => text;

/** No colours: files, pipes, NO_COLOR. */
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
