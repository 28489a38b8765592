/**
 * Commands that need no shell. Most texts are one program with plain words and are started directly: the shell would
 * only split the words and then replace itself by the program. The shell runs everything that it could interpret (an
 * operator, a pattern, an expansion, a builtin), and also a program that cannot be started, because the shell has the
 * usual message for that.
 */
import type { ShellValue } from '../../interpreter/request.js';
import type { ShellInsertion, ShellText } from '../../machine/expression.js';
import { ARGUMENT_BYTES } from './shell-values.js';

/** Texts, and indexes of interpolations, in order. */
type Word = readonly (string | number)[];

const plainCharacter = /[A-Za-z0-9_./:=@%+,-]/;
const programName = /^[A-Za-z0-9_./+][A-Za-z0-9_./+-]*$/;

/** Words that bash or sh would execute or interpret themselves, with results that programs of these names do not have. */
const builtins = new Set(
  (
    '. : [ alias bg bind break builtin caller case cd command compgen complete compopt continue coproc declare dirs ' +
    'disown do done echo elif else enable esac eval exec exit export false fc fg fi for function getopts hash help ' +
    'history if in jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return select ' +
    'set shift shopt source suspend test then time times trap true type typeset ulimit umask unalias unset until ' +
    'wait while'
  ).split(' '),
);

/** Builtins that do what the programs of these names do, if no words follow. */
const constants = new Set(['true', 'false']);

/** The program and its arguments, or null if the text needs a shell. */
export function directCommand(template: ShellText, values: readonly ShellValue[]): string[] | null {
  const words = wordsOf(template);
  if (words === null) return null;
  const argv: string[] = [];
  for (const word of words) {
    const [first] = word;
    const spread = word.length === 1 && typeof first === 'number' ? values[first] : undefined;
    if (spread !== undefined && 'list' in spread) {
      if (!spread.list.every(fits)) return null;
      argv.push(...spread.list);
      continue;
    }
    let text = '';
    for (const part of word) {
      const piece = typeof part === 'string' ? part : textOf(values[part]);
      if (piece === null) return null;
      text += piece;
    }
    if (!fits(text)) return null;
    argv.push(text);
  }
  return argv;
}

function textOf(value: ShellValue | undefined): string | null {
  return value === undefined || 'list' in value || value.file === true ? null : value.text;
}

/** Whether a text can be an argument. Binding the shell text reports the others. */
function fits(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text) && text.length * 3 <= ARGUMENT_BYTES;
}

/** The words of a template that is one plain command. */
function wordsOf(template: ShellText): Word[] | null {
  const words: (string | number)[][] = [];
  let word: (string | number)[] | null = null;
  let quote: '' | "'" | '"' = '';
  let hole = 0;
  const add = (part: string | number): void => {
    if (word === null) {
      word = [];
      words.push(word);
    }
    word.push(part);
  };
  for (const part of template.parts) {
    if (typeof part !== 'string') {
      if (!plainHole(part, quote)) return null;
      add(hole++);
      continue;
    }
    for (const character of part) {
      if (quote !== '') {
        if (character === quote) quote = '';
        else if (quote === '"' && /[$`\\]/.test(character)) return null;
        else add(character);
      } else if (character === ' ' || character === '\t') word = null;
      else if (character === "'" || character === '"') {
        add('');
        quote = character;
      } else if (plainCharacter.test(character)) add(character);
      else return null;
    }
  }
  return quote === '' && startsProgram(words) ? words : null;
}

function plainHole(hole: ShellInsertion, quote: string): boolean {
  if (hole.filter === 'path' || hole.filter === 'file' || 'raw' in hole) return false;
  const context = quote === '' ? 'word' : quote === '"' ? 'double' : 'single';
  return hole.context === context;
}

/** The program must be written out, without an assignment before it. */
function startsProgram(words: readonly Word[]): boolean {
  const first = words[0];
  if (first === undefined || first.some((part) => typeof part === 'number')) return false;
  const name = first.join('');
  return programName.test(name) && (!builtins.has(name) || (words.length === 1 && constants.has(name)));
}
