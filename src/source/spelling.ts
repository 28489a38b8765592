/**
 * The two spellings of a program in messages: the language, and the YAML of a workflow file. Both are checked as the
 * same tree. A message uses the spelling of its file to quote code.
 */
import { positionAt, type SourceFile } from './source-file.js';

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
