/**
 * Rules for lines of other languages (shells, Python, YAML, prose), each with the equivalent line here. A rule examines
 * only lines that already have a diagnostic, so it never reports a correct program.
 */

export interface ForeignLine {
  /** Matched against the line without its indentation. */
  readonly line: RegExp;
  /** The codes of the messages that the rule replaces; if absent, the syntax errors of the line. */
  readonly codes?: RegExp;
  /** The message that replaces the existing one. */
  readonly message?: (m: RegExpExecArray) => string;
  readonly help: (m: RegExpExecArray, by: string | null, text: string) => string;
  /** Whether the rule applies in this text. */
  readonly when?: (m: RegExpExecArray, text: string) => boolean;
  /** The corrected line; null removes it. Several lines have the same indentation. */
  readonly by?: (m: RegExpExecArray, text: string) => string | null | undefined;
  /** The group of `line` that the message must refer to, if it could refer to another part of the line. */
  readonly of?: number;
  /**
   * The line can have meant nothing else, or only a line that matches this (a function also sees the whole text). Absent: the author decides, above all if the fix
   * adds something that runs, names something or drops a part.
   */
  readonly sure?: true | RegExp | ((line: string, text: string) => boolean);
  /** No command and no text is meant so: the message is an error, even if it replaces a warning. */
  readonly never?: true;
  /** Finds the last line that belongs to the mistake. If absent, deeper lines belong to it if `block` is set. */
  readonly until?: RegExp;
  readonly block?: true;
  /** A line below the deeper ones that belongs to them. */
  readonly closes?: RegExp;
  /** The names that the line was meant to bind. */
  readonly binds?: (m: RegExpExecArray) => readonly string[];
  /** The states that the line was meant to declare. */
  readonly states?: (m: RegExpExecArray) => readonly string[];
}

export const part = (m: RegExpExecArray, at: number): string => m[at] ?? '';
export const write = (_: RegExpExecArray, by: string | null): string =>
  `write \`${(by ?? '').split('\n').join('`, then `')}\``;
/** Of a rule about an operator: what stands before it does not begin a text, in which all words are meant as words. */
export const outsideText = (m: RegExpExecArray): boolean =>
  !/(?:^|→|->)\s*(?:FAIL|EMIT|RETURN|ASK)\b[^→]*$/.test(part(m, 1));
/** A command as a text in double quotes. */
export const inQuotes = (command: string): string => `"${command.replace(/["\\]/g, '\\$&')}"`;
export const unread = /^(?:unknown-verb|not-an-instruction|missing-colon|not-a-command)$/;
export const COMMANDS =
  'awk|bash|bun|cargo|cat|cd|chmod|claude|codex|cmake|cp|curl|deno|docker|echo|find|gh|git|go|grep|head|helm|jq|kubectl|ls|make|mkdir|mv|mvn|node|npm|npx|pip3?|pnpm|poetry|pytest|python3?|rm|rsync|ruby|sed|sh|ssh|tail|tar|terraform|test|touch|uv|wget|yarn';

/** How the names of agents begin that need no configuration, and those of models that are taken for agents. */
export const AGENTS = 'claude|codex|gemini|qwen|aider|gpt|opus|sonnet|haiku';

/** Whether the text binds the name that an expression begins with. */
export const mentions = (expression: string, text: string): boolean => {
  const name = /^[A-Za-z_]\w*/.exec(expression)?.[0];
  if (name === undefined) return false;
  // `DO: ls` runs a program of that name.
  const bound = `(?:INPUT|TRACK|FOR EACH)\\b[^\\n]*?:\\s*${name}\\b|(?:DO|CHECK|SET)\\b[^\\n]*?:\\s*${name}\\s*\\+?=(?!=)`;
  return new RegExp(`${bound}|→\\s*${name}\\b|\\b${name}=`).test(text);
};

/** What a key below a line has, of the names that a pattern lists; undefined: the next lines have none of them. */
export function keyBelow(line: string, text: string, names: string): string | undefined {
  const below = text
    .slice(text.indexOf(line) + line.length)
    .split('\n', 12)
    .join('\n');
  return new RegExp(`\\n\\s*(?:${names})\\s*:\\s*["']?(.*?)["']?\\s*(?=\\n|$)`, 'i').exec(below)?.[1];
}

/** The text before and after a line that occurs once, without blanks between; undefined: it does not. */
export function around(line: string, text: string): readonly [before: string, after: string] | undefined {
  const at = text.indexOf(line);
  if (at < 0 || text.indexOf(line, at + 1) >= 0) return undefined;
  return [text.slice(0, at).trimEnd(), text.slice(at + line.length).trimStart()];
}

/** Whether the text declares a state or a pattern of this name. */
export const declares = (verb: 'STATE' | 'PATTERN', name: string, text: string): boolean =>
  new RegExp(`^${verb}:\\s*${name}\\b`, 'm').test(text);

/** The end of a range that contains its last number, which `range` does not. */
function afterLast(last: string): string {
  const [, name = '', sign = '', number = ''] = /^(.*?)(?:\s*([-+])\s*)?(\d*)$/.exec(last) ?? [];
  if (number === '' || (sign === '' && name !== '')) return `${last} + 1`;
  const sum = Number(`${sign}${number}`) + 1;
  if (name === '') return String(sum);
  return sum === 0 ? name : `${name} ${sum < 0 ? '-' : '+'} ${Math.abs(sum)}`;
}

/** The list of numbers between two bounds. */
export function rangeOf(first: string, last: string, isLastIncluded: boolean): string {
  const [from, to] = [first, last].map((bound) => bound.replace(/[{}]/g, '')) as [string, string];
  return `range(${from}, ${isLastIncluded ? afterLast(to) : to})`;
}
