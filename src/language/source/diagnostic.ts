/**
 * Texts with their lines, and problems of a program as data. Stages create diagnostics and views draw them; they are
 * never thrown. The wording of every code is in `catalogue/` and nowhere else.
 */

export type Severity = 'error' | 'warning' | 'note';

/** A second location that helps to explain the first. */
export interface Label {
  readonly span: Span;
  readonly text: string;
}

/** Replaces the span by the text. */
export interface Edit {
  readonly span: Span;
  readonly text: string;
}

/** One way to correct a program, as a diagnostic offers it. */
export interface Fix {
  /** What it does, in a few words. */
  readonly title: string;
  /** All of them must be applied, or none. */
  readonly edits: readonly Edit[];
  /** The text can have meant only this, so `--fix` applies it. At most one fix of a diagnostic is preferred. */
  readonly preferred: boolean;
}

/** An edit that corrects the program, as the stages know it. `repair.ts` turns it into a fix. */
export interface Correction extends Edit {
  /** Further edits; all of them must be applied, or none. */
  readonly also?: readonly Edit[];
  /**
   * The text could have meant something else, or the edit has a gap to fill: editors offer it, and `--fix` does not apply it.
   * Absent only where an error can have meant nothing else: a word of the language that is misspelt, punctuation, quotes,
   * indentation, or a declaration in the wrong place. Never absent where the edit chooses a name of the program or a value,
   * or adds or removes something that runs.
   */
  readonly guess?: true;
}

/** An action at the span of a message. A `guess` is only offered, as in `Correction`. `anySpelling`: also valid in YAML. */
export type Repair = { readonly guess?: true; readonly anySpelling?: true } & (
  | { readonly instead: string }
  | { readonly before: string }
  | { readonly after: string }
  /** Text on both sides of the span. */
  | { readonly around: readonly [string, string] }
  /** The first whole word `replace` in the span, or else after it on its line. */
  | { readonly replace: string; readonly by: string }
  /** `item` includes the comma that separates it from the next item; `line` is the line on which the span begins. */
  | { readonly remove: 'span' | 'line' | 'item' }
  /** Lines above or below the line of the span, with the same indentation (`deeper`: one level more). */
  | { readonly above: string }
  | { readonly below: string; readonly deeper?: true }
  /** At the end of the line on which the span begins. */
  | { readonly endOfLine: string }
  /** The closing bracket or quote of the span: before an arrow, or else at the end of the line. */
  | { readonly close: string }
  /** A new line above the first one of the file that is neither blank nor a comment. */
  | { readonly top: string }
);

/** The words of a diagnostic. */
export interface Words {
  /** A clause in lower case that says what is wrong, with names in backticks. */
  readonly message: string;
  /** The text under the carets: why this location causes the problem. */
  readonly label?: string;
  readonly labels?: readonly Label[];
  /** The rule behind the message. */
  readonly notes?: readonly string[];
  /** One next step, as code to paste if possible. */
  readonly help?: string;
  readonly correction?: Correction;
  /** The help as an edit, if the location and the facts are enough. `repair.ts` turns it into a fix. */
  readonly repair?: Repair;
  /** What may have been meant instead. */
  readonly otherRepairs?: readonly Repair[];
}

/** The facts from which the words of a diagnostic were created. Other stages read the facts and never the words. */
interface WordsOrigin {
  readonly facts: unknown;
  readonly words: (facts: unknown, spelling: Spelling) => Words;
}

export interface Diagnostic extends Words {
  readonly code: string;
  readonly severity: Severity;
  /** The smallest span that contains the problem. */
  readonly span: Span;
  /** The ways to correct the program, the likeliest first. Absent inside of the compiler, and if there is none. */
  readonly fixes?: readonly Fix[];
  /** Absent outside of the compiler, and if no definition of the catalogue created the diagnostic. */
  readonly origin?: WordsOrigin;
}

/** The same diagnostic with all its locations elsewhere. */
export function moveDiagnostic(diagnostic: Diagnostic, move: (span: Span) => Span): Diagnostic {
  const { span, labels, correction, fixes } = diagnostic;
  const shift = <T extends { readonly span: Span }>(part: T): T => ({ ...part, span: move(part.span) });
  return {
    ...diagnostic,
    span: move(span),
    ...(labels === undefined ? {} : { labels: labels.map(shift) }),
    ...(fixes === undefined ? {} : { fixes: fixes.map((fix) => ({ ...fix, edits: fix.edits.map(shift) })) }),
    ...(correction === undefined
      ? {}
      : { correction: { ...shift(correction), ...(correction.also ? { also: correction.also.map(shift) } : {}) } }),
  };
}

/** Sorts by location and removes duplicates (same code, same span). */
export function sortDiagnostics(list: readonly Diagnostic[]): Diagnostic[] {
  const seen = new Set<string>();
  return [...list]
    .sort((a, b) => a.span.file - b.span.file || a.span.start - b.span.start || a.span.end - b.span.end)
    .filter((d) => {
      const key = `${d.code}:${d.span.file}:${d.span.start}:${d.span.end}`;
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    });
}

export function hasErrors(list: readonly Diagnostic[]): boolean {
  return list.some((d) => d.severity === 'error');
}

/** Every method returns words for a message, with code in backticks. */
export interface Spelling {
  /** The first for programs, the second for YAML, if they differ in more than a word. */
  either(text: string, yaml: string): string;
  /** A keyword as code: `EACH`, or `each`. */
  keyword(word: string): string;
  /** A keyword in the middle of a sentence: RETRY, or `retry`. */
  word(word: string): string;
  /** A keyword with one value: `SESSION new`, or `session: new`. */
  setting(word: string, value: string): string;
  /** An option: `type=code`, or `type: code`. */
  option(name: string, value: string): string;
  /** A limit of the program: `cost`, or `max_budget`. */
  limit(name: string, value?: string): string;
  /** A step by its name, or by its line if it has no name. */
  step(name: string): string;
}

export const textSpelling: Spelling = {
  either: (text) => text,
  keyword: (word) => `\`${word}\``,
  word: (word) => word,
  setting: (word, value) => `\`${word} ${value}\``,
  option: (name, value) => `\`${name}=${value}\``,
  limit: (name, value) => (value === undefined ? `option \`${name}\`` : `\`${name}=${value}\``),
  step: (name) => `the step \`${name}\``,
};

const LIMIT_KEYS: Readonly<Record<string, string>> = { cost: 'max_budget', time: 'max_timeout', tokens: 'max_tokens' };

/** The spelling of workflow files. */
export function yamlSpelling(source: SourceFile): Spelling {
  const keyOf = (word: string): string => (word === word.toUpperCase() ? word.toLowerCase() : word);
  const limitOf = (name: string): string => LIMIT_KEYS[name] ?? name;
  return {
    either: (_, yaml) => yaml,
    keyword: (word) => `\`${keyOf(word)}\``,
    word: (word) => `\`${keyOf(word)}\``,
    setting: (word, value) => `\`${keyOf(word)}: ${value}\``,
    option: (name, value) => `\`${name}: ${value}\``,
    limit: (name, value) => `\`${limitOf(name)}${value === undefined ? '' : `: ${value}`}\``,
    step: (name) => {
      const offset = offsetOfUnnamed(name);
      return offset === null ? `the step \`${name}\`` : `the step in line ${positionAt(source, offset).line}`;
    },
  };
}

/** The internal name of a step without a name. No other step has this name. */
export function unnamedStep(offset: number): string {
  return `step-${offset}`;
}

function offsetOfUnnamed(name: string): number | null {
  const digits = /^step-(\d+)$/.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Offsets into a source text, in UTF-16 code units; `end` is after the last one. */
export interface Span {
  /** The index in `sources`; -1 if there is no location, for example for the checkout. */
  readonly file: number;
  readonly start: number;
  readonly end: number;
}

/** A one-based line and column, as editors count them. The column counts code units. */
interface LineColumn {
  readonly line: number;
  readonly column: number;
}

/** One text and its line table. */
export interface SourceFile {
  /** The name in messages: the path as the user wrote it, or `<stdin>`. */
  readonly name: string;
  /** The text without a byte order mark. CRLF is kept, so offsets match what an editor shows. */
  readonly text: string;
  /** The offset of the first character of every line. */
  readonly lineStarts: readonly number[];
}

/** All files of one compilation: the program, then its imports in the order of reading. */
export type SourceSet = SourceFile[];

export function sourceFile(name: string, text: string): SourceFile {
  const lineStarts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  return { name, text, lineStarts };
}

/** The position of an offset, found by binary search. An offset after the end gives the end. */
export function positionAt(file: SourceFile, offset: number): LineColumn {
  const bounded = Math.max(0, Math.min(offset, file.text.length));
  let low = 0;
  let high = file.lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((file.lineStarts[middle] as number) <= bounded) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: bounded - (file.lineStarts[low] as number) + 1 };
}

/** The text of a one-based line, without its line end. */
export function lineText(file: SourceFile, line: number): string {
  const start = file.lineStarts[line - 1];
  if (start === undefined) return '';
  const next = file.lineStarts[line];
  const end = next === undefined ? file.text.length : next - 1;
  const text = file.text.slice(start, end);
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}
