/**
 * Lines of other languages: what people write who know shells, Python, YAML or prose, and the same as a line of this one.
 * A rule looks at a line about which something was found already, so it never speaks of a program that is right.
 */

export interface ForeignLine {
  /** Matched against the line without its indentation. */
  readonly line: RegExp;
  /** Codes of the messages that the rule explains; when absent, errors of reading the line. */
  readonly codes?: RegExp;
  /** Instead of the message that was there. */
  readonly message?: (m: RegExpExecArray) => string;
  readonly help: (m: RegExpExecArray, by: string | null) => string;
  /** The line as it should be; null removes it. Several lines are indented alike. */
  readonly by?: (m: RegExpExecArray, text: string) => string | null | undefined;
  /** The group of `line` that has to be what the message is about, where it may be about another part of the line. */
  readonly of?: number;
  /** It leaves something to decide. */
  readonly guess?: true;
  /** The first later line that still belongs to the mistake; without it, deeper lines do where `block` says so. */
  readonly until?: RegExp;
  readonly block?: true;
  /** Names that the line was to bind. */
  readonly binds?: (m: RegExpExecArray) => readonly string[];
}

export const part = (m: RegExpExecArray, at: number): string => m[at] ?? '';
export const write = (_: RegExpExecArray, by: string | null): string =>
  `write \`${(by ?? '').split('\n').join('`, then `')}\``;
export const unread = /^(?:unknown-verb|not-an-instruction|missing-colon|not-a-command)$/;
export const COMMANDS =
  'awk|bash|bun|cargo|cat|cd|chmod|claude|codex|cmake|cp|curl|deno|docker|echo|find|gh|git|go|grep|head|helm|jq|kubectl|ls|make|mkdir|mv|mvn|node|npm|npx|pip3?|pnpm|poetry|pytest|python3?|rm|rsync|ruby|sed|sh|ssh|tail|tar|terraform|test|touch|uv|wget|yarn';
