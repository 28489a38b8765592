/** Messages about text that cannot be parsed without guessing. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import type { Correction } from '../diagnostic.js';
import { didYouMean, message } from './message.js';

// ---- characters and lines ---------------------------------------------------------------------------

/** Characters that word processors substitute for typed ones, and mathematical signs. */
const lookalikes: ReadonlyMap<string, string> = new Map([
  ...[...'“”„«»'].map((quote) => [quote, '"'] as const),
  ...[...'‘’‚'].map((quote) => [quote, "'"] as const),
  ['≥', '>='],
  ['≤', '<='],
  ['≠', '!='],
  ['–', '-'],
  ['−', '-'],
  ['×', '*'],
  ['÷', '/'],
  ['⇒', '→'],
  ...[...'➜➔➡➝➞⟹⟶↦⇾'].map((arrow) => [arrow, '→'] as const),
  ['∧', 'AND'],
  ['∨', 'OR'],
  ['¬', 'NOT '],
  ['\u00a0', ' '],
]);

/** `inWord`: a shell takes it for a letter of an argument, which could be meant. */
export const badCharacter = message<{ character: string; inWord?: true }>(
  'bad-character',
  'error',
  ({ character, inWord }) => {
    if (character === '#')
      return {
        message: '`#` is in the middle of an instruction',
        label: 'not part of any instruction',
        help: 'begin a comment with two spaces and `# `',
        repair: { instead: '  # ', anySpelling: true, guess: true },
      };
    const meant = lookalikes.get(character);
    const guess = inWord === true ? { guess: inWord } : {};
    if (meant === ' ' || /^\s$/.test(character))
      return {
        message: `the character ${codePoint(character)} looks like a space but is not one`,
        help: inWord === true ? 'write ordinary spaces, or put the text in quotes' : 'write ordinary spaces',
        repair: { instead: ' ', anySpelling: true, ...guess },
      };
    if (/^[\u200b-\u200d\u2060]$/.test(character))
      return {
        message: `the character ${codePoint(character)} is invisible`,
        help: inWord === true ? 'remove it, or put the text in quotes' : 'remove it',
        repair: { instead: '', anySpelling: true, ...guess },
      };
    if (meant !== undefined)
      return {
        message: `the character \`${character}\` has no meaning here`,
        help: `write \`${meant}\``,
        repair: { instead: meant, anySpelling: true },
      };
    const shown = /^[\x20-\x7e\u00a1-\ufffd]$/.test(character) ? `\`${character}\`` : codePoint(character);
    return {
      message: `the character ${shown} has no meaning here`,
      help: 'remove it, or put the text in quotes',
    };
  },
);

export const unreadableCharacter = message<{ character: string }>('bad-character', 'error', ({ character }) => ({
  message: `the text contains ${codePoint(character)}, which a program cannot contain`,
  help: 'save the file as UTF-8 without control characters',
}));

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

export const tabIndentation = message<{ fix: Correction }>('tab-indentation', 'error', ({ fix }) => ({
  message: 'this line is indented with a tab',
  notes: ['the width of a tab depends on the editor, and indentation defines the blocks'],
  help: 'indent with two spaces for each level',
  correction: fix,
}));

export const badIndentation = message('bad-indentation', 'error', () => ({
  message: 'the indentation of this line does not match any block above it',
  help: 'indent it like the line it belongs to',
}));

interface UnexpectedIndentationFacts {
  readonly after?: string;
  /** What the lines were meant as, if not as instructions that only stand too deep. */
  readonly meant?: { readonly message?: string; readonly help: string };
}

export const unexpectedIndentation = message<UnexpectedIndentationFacts>(
  'unexpected-indentation',
  'error',
  ({ after, meant }) => ({
    message:
      meant?.message ??
      (after === undefined ? 'the first line is indented' : `\`${after}\` cannot have an indented block`),
    label: 'deeper than the line above',
    help: meant?.help ?? 'remove the extra indentation',
  }),
);

export const blockLineOutside = message<{ of: string }>('bad-indentation', 'error', ({ of }) => ({
  message: `this line is indented less than the first line of its \`${of}\` block`,
  help: 'indent it at least as far as the first line',
}));

export const nestedTooDeep = message<{ what: string; limit: number }>(
  'nested-too-deep',
  'error',
  ({ what, limit }) => ({
    message: `${what} are nested more than ${limit} levels deep`,
    help: 'move the inner part into a separate state or pattern, or into a variable',
  }),
);

export const tripleQuotes = message<{ block: boolean; within?: boolean; help?: string; fix?: Correction }>(
  'triple-quotes',
  'error',
  ({ block, within, help, fix }) => ({
    message: 'three quotes do not begin a text',
    help:
      help ??
      (within
        ? 'remove both lines of quotes: the prompt is the lines below the `:`'
        : block
          ? 'end the line with `:` and write the prompt on the lines below, indented deeper'
          : 'write one quote on each side: `"…"`'),
    correction: fix,
  }),
);

export const textBelow = message<{ verb: string; help: string }>(
  'unexpected-indentation',
  'error',
  ({ verb, help }) => ({
    message: `the text of \`${verb}:\` is not on its line`,
    help,
  }),
);

export const heredocPrompt = message<{ head: string }>('triple-quotes', 'error', ({ head }) => ({
  message: '`<<` begins a text only in a command of the shell',
  help: `write \`${head}\` alone, and the prompt on the lines below, indented deeper`,
}));

export const twoPrompts = message('two-prompts', 'error', () => ({
  message: 'this agent is given two prompts: this one, and the lines below',
  help: 'write all of it on the lines below',
}));

export const unclosedQuote = message<{ quote: string }>('unclosed-quote', 'error', ({ quote }) => ({
  message: 'the quoted text does not end on this line',
  label: 'opened here',
  help: `close it with \`${quote}\``,
  repair: { close: quote, guess: true },
}));

export const unclosedBracket = message<{ open: string; close: string }>(
  'unclosed-bracket',
  'error',
  ({ open, close }) => ({
    message: `\`${open}\` is never closed`,
    label: 'opened here',
    help: `close it with \`${close}\``,
    repair: { close, guess: true },
  }),
);

// ---- verbs ------------------------------------------------------------------------------------------

interface UnknownVerbFacts {
  readonly written: string;
  readonly meant?: string;
  readonly fix?: Correction;
  readonly inList?: boolean;
  /** The action before it, if this is the rest of its text. */
  readonly quoted?: string;
}

export const unknownVerb = message<UnknownVerbFacts>(
  'unknown-verb',
  'error',
  ({ written, meant, fix, inList, quoted }) => ({
    message: `\`${written}\` is not a verb`,
    help:
      meant !== undefined
        ? `write \`${meant}\``
        : quoted !== undefined
          ? `in a list of actions a comma ends a text without quotes: write \`${quoted}\``
          : inList === true
            ? 'begin the action with a verb such as `GOTO` or `EMIT`, or write `DO: Task(AGENT) "…"` to give it to an agent'
            : 'begin the line with a verb such as `DO:`, `EMIT:` or `GOTO:`, or make it a comment with `# `',
    ...omitUndefined({ correction: fix }),
  }),
);

export const notAnInstruction = message<{ help?: string; fix?: Correction }>(
  'not-an-instruction',
  'error',
  ({ help, fix }) => ({
    message: 'this line is not an instruction: it does not begin with a verb',
    help: help ?? 'write `DO: ` before a command, or make the line a comment with `# `',
    ...omitUndefined({ correction: fix }),
  }),
);

/** Prose instead of a program: one message for all its lines. */
export const notInstructions = message<{ lines: number }>('not-an-instruction', 'error', ({ lines }) => ({
  message: `this line and the ${lines - 1} below it are not instructions: they do not begin with a verb`,
  help: 'write `DO: ` before commands, or make the lines comments with `# `',
}));

export const missingColon = message<{ verb: string; fix: Correction }>('missing-colon', 'error', ({ verb, fix }) => ({
  message: `\`${verb}\` is not followed by a colon`,
  help: `write \`${verb}:\``,
  correction: fix,
}));

export const missingArrow = message<{ verb: string; fix?: Correction }>('missing-arrow', 'error', ({ verb, fix }) => ({
  message: `the condition of \`${verb}\` is not followed by an arrow`,
  label: 'an arrow is missing after this',
  help: 'write `→` (or `->`) between the condition and its actions',
  ...omitUndefined({ correction: fix }),
}));

export const indentedDeclaration = message<{ verb: string; fix: Correction }>(
  'indented-declaration',
  'error',
  ({ verb, fix }) => ({
    message: `\`${verb}\` is inside another block`,
    notes: ['declarations begin at the left margin'],
    help:
      verb === 'INPUT' || verb === 'LIMIT' || verb === 'IMPORT'
        ? 'write this line without indentation, above the first state'
        : 'remove the indentation of this line',
    correction: fix,
  }),
);

export const branchWithoutIf = message<{ verb: string; why: string }>('else-without-if', 'error', ({ verb, why }) => ({
  message: `\`${verb}\` ${why}`,
  notes: ['`ELSE` belongs to the `IF` directly above it at the same indentation'],
  help: 'move it below the `IF` it belongs to',
}));

export const emptyBlock = message<{ verb: string; what: string }>('empty-block', 'error', ({ verb, what }) => ({
  message: `\`${verb}\` has no ${what}`,
  help: `write the ${what} below it, indented deeper`,
}));

/** What runs at the same time, as bullets. `command` is what is written before `in PARALLEL`. */
export function bulletsOf(command: string): string {
  const first = /\w/.test(command) ? command : './one.sh';
  return `write what runs at the same time as bullets below it:\nDO: in PARALLEL\n  - ${first}\n  - ./another.sh`;
}

export const parallelWithoutBullets = message<{ command: string }>('empty-block', 'error', ({ command }) => ({
  message: '`PARALLEL` has no members',
  help: bulletsOf(command),
}));

// ---- parts of instructions --------------------------------------------------------------------------

export const missingPart = message<{ what: string; after: string; example?: string }>(
  'missing-part',
  'error',
  ({ what, after, example }) => ({
    message: `${what} is missing after \`${after}\``,
    help: example === undefined ? `write ${what} there, or remove \`${after}\`` : `write for example \`${example}\``,
  }),
);

export const unexpectedText = message<{ text: string; help?: string; fix?: Correction }>(
  'unexpected-text',
  'error',
  ({ text, help, fix }) => ({
    message: `\`${text}\` is unexpected here`,
    label: 'the instruction could end before this',
    help: help ?? 'remove it, or quote it if it belongs to a text',
    ...omitUndefined({ correction: fix }),
  }),
);

export const unquotedPath = message<{ path: string; fix: Correction }>('unquoted-path', 'error', ({ fix }) => ({
  message: 'the path of an import is not in quotes',
  help: `write \`IMPORT: ${fix.text}\``,
  correction: fix,
}));

export const badName = message<{ name: string; what: string; dash?: boolean; suggestion?: string; help?: string }>(
  'bad-name',
  'error',
  ({ name, what, dash, suggestion, help }) => ({
    message: `\`${name}\` cannot be the name of ${what}`,
    notes: [
      `a name consists of letters${/[^\0-\x7f]/.test(name) ? ' from a to z' : ''}, digits${dash === true ? ', `-`' : ''} and \`_\`, and begins with a letter or \`_\``,
    ],
    help: suggestion === undefined ? (help ?? 'choose another name') : `write \`${suggestion}\``,
    ...omitUndefined({
      repair: suggestion === undefined ? undefined : ({ instead: suggestion, guess: true } as const),
    }),
  }),
);

export const reservedName = message<{ name: string }>('reserved-name', 'error', ({ name }) => ({
  message: `\`${name}\` is a word of the expression language and cannot name a value`,
  help: `choose another name, such as \`${name.toLowerCase()}_value\``,
  repair: { instead: `${name.toLowerCase()}_value`, guess: true },
}));

export const pathAssignment = message<{ path: string; root: string }>('path-assignment', 'error', ({ path, root }) => ({
  message: `\`${path}\` is a part of \`${root}\`, and only a whole variable can be set`,
  help: `build the new value and set \`${root}\`: a list grows by \`${root} + [x]\`, and pairs are a list of \`{"key": …, "value": …}\``,
}));

export const badEscape = message<{ written: string; fix: Correction }>('bad-escape', 'error', ({ written, fix }) => ({
  message: `\`${written}\` is not an escape of quoted text`,
  notes: ['the escapes are `\\"`, `\\\\`, `\\n`, `\\t`, `\\r` and `\\u{…}`'],
  help: `write \`${fix.text}\``,
  correction: fix,
}));

/** `isGuess`: what is written instead may not be meant. */
export const badNote = message<{ written: string; instead: string | null; isGuess?: boolean }>(
  'bad-note',
  'error',
  (f) => ({
    message: `the note \`${f.written}\` sets nothing`,
    label: 'notes are ignored, apart from `(starts at N)`, `(quorum=N)` and `(max=N)`',
    help: f.instead === null ? 'remove it' : `write \`${f.instead}\``,
    ...omitUndefined({
      repair:
        f.instead === null
          ? undefined
          : { instead: f.instead, ...(f.isGuess === true ? { guess: true as const } : {}) },
    }),
  }),
);

/** `oneOf`: the choices that were probably meant. */
export const badInputNote = message<{ word: string; suggestion?: string; oneOf?: string; known: readonly string[] }>(
  'bad-input-note',
  'error',
  ({ word, suggestion, oneOf, known }) => ({
    message: `\`${word}\` is not a property of an input`,
    notes: [
      'an input can be `(string)`, `(number)`, `(boolean)`, `(list)`, `(object)`, `(secret)` or `(one of: a, b)`',
    ],
    ...didYouMean(word, suggestion, 'remove it', known),
    help:
      suggestion !== undefined
        ? `write \`${suggestion}\``
        : oneOf !== undefined
          ? `write \`${oneOf}\``
          : /^(?:optional|nullable)$/i.test(word)
            ? 'give the input a default, such as `= null` or `= ""`: then it may be left out'
            : 'remove it',
  }),
);

// ---- expressions ------------------------------------------------------------------------------------

export const operatorSpelling = message<{ written: string; meant: string; fix: Correction }>(
  'operator-spelling',
  'error',
  ({ written, meant, fix }) => ({
    message: `\`${written}\` is not an operator here`,
    help: `write \`${meant}\``,
    correction: fix,
  }),
);

export const misplacedOperator = message<{ written: string }>('misplaced-operator', 'error', ({ written }) => ({
  message: `\`${written}\` cannot come before a value here`,
  ...(written === '+'
    ? { help: 'remove it', repair: { remove: 'span', guess: true } }
    : { help: 'put the negation in parentheses: `(NOT …)`' }),
}));

/** `2026-11-28` without quotes. The fix is a guess: the result may have been meant. */
export const literalArithmetic = message<{ text: string }>('literal-arithmetic', 'error', ({ text }) => ({
  message: `\`${text}\` would be computed, because it has no quotes`,
  label: 'numbers and operators without spaces',
  help: `write \`"${text}"\` for this text, or spaces around each operator for the result`,
  repair: { around: ['"', '"'], guess: true },
}));

export const badNumber = message<{ text: string }>('bad-number', 'error', ({ text }) => {
  const isInfinite = /^-?(?:[1-9]|0(?!\d))/.test(text);
  return {
    message: isInfinite ? `\`${text}\` is larger than any number` : `a number does not begin with 0, as in \`${text}\``,
    help: `write \`"${text}"\` for the text${isInfinite ? '' : `, or \`${text.replace(/0+(?=\d)/, '')}\` for the number`}`,
    repair: { around: ['"', '"'], guess: true },
  };
});

export const chainedComparison = message('chained-comparison', 'error', () => ({
  message: 'comparisons cannot be chained',
  label: 'the second comparison',
  help: 'compare twice and join the two with `AND`',
}));
