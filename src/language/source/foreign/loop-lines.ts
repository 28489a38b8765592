/** Loops and lists of other languages. */
import { COMMANDS, type ForeignLine, mentions, part, write } from './foreign-line.js';

/** Words in quotes, as the elements of a list. */
export const quotedList = (words: string): string =>
  `[${words
    .split(/\s*,\s*|\s+/)
    .filter((word) => word !== '')
    .map((word) => `"${word}"`)
    .join(', ')}]`;

const IN_WORDS = new RegExp(`^(?:${COMMANDS})\\b|\\b(?:where|if|with|from|of|and|or|to|by|as|PARALLEL|parallel|in)\\b`);

/** A loop over a value that collects what each turn ends with. */
function loopThatCollects(name: string, variable: string, list: string, value: string): string {
  return `write \`DO: ${name} = FOR EACH ${variable} in ${list}:\`, and below it, indented deeper, \`DO: value = ${value}\``;
}

export const loopLines = (): readonly ForeignLine[] => [
  {
    line: /^(FOR EACH:?\s+\w+\s+in\s+)(?:\[([A-Za-z][\w.-]*(?:\s*,\s*[A-Za-z][\w.-]*)*)\]|([A-Za-z][\w.-]*(?:(?:\s*,\s*|\s+)[A-Za-z][\w.-]*)+))(\s+in PARALLEL\b[^:]*)?\s*:?$/,
    codes: /unexpected-text|unknown-name/,
    message: () => 'the texts of a list are in quotes',
    help: write,
    by: (m, text) => {
      const words = m[2] ?? part(m, 3);
      const areBound = words.split(/\s*,\s*|\s+/).some((word) => mentions(word, text));
      if (areBound || (m[2] === undefined && IN_WORDS.test(words))) return undefined;
      return `${part(m, 1)}${quotedList(words)}${part(m, 4)}:`;
    },
  },
  {
    line: /^(FOR EACH:?\s+\w+\s+in\s+.*?\S)\s*\[\s*(?:parallel|concurrent|async)\b(?:=true)?[\s,]*([^\]]*)\]\s*:?$/i,
    codes: /unknown-name|unknown-option|unexpected/,
    help: write,
    by: (m) => `${part(m, 1)} in PARALLEL${part(m, 2) === '' ? '' : ` [${part(m, 2)}]`}:`,
  },
  {
    line: /^(FOR EACH\b(?!.*\bin PARALLEL).*?\S)\s*(\[\s*(?:max|quorum|timeout)=[^\]]*\])\s*:?$/,
    codes: /unknown-option/,
    message: () => 'only turns in PARALLEL have this option',
    help: write,
    by: (m) => `${part(m, 1)} in PARALLEL ${part(m, 2)}:`,
  },
  {
    line: /^(.*\bin PARALLEL\s*\[(?:[^\]]*[\s,])?)(?:keep|keep-going|keep_going|continue|continue_on_error)((?:[\s,][^\]]*)?\].*)$/,
    codes: /unknown-option/,
    help: write,
    by: (m) => `${part(m, 1)}on_failure=keep${part(m, 2)}`,
  },
  {
    line: /^FOR EACH:?\s+(\w+)\s+in\s+([A-Za-z_][\w.]*)\[\*?\]\.([\w.]+?)(\s+in PARALLEL\b[^:]*)?\s*:?$/,
    codes: /unexpected|missing/,
    message: () => 'no expression goes through a list',
    help: (m) =>
      `write \`FOR EACH: ${part(m, 1)} in ${part(m, 2)}${part(m, 4)}:\`, and read \`${part(m, 1)}.${part(m, 3)}\` in it`,
  },
  {
    line: /^DO:?\s*(\w+)\s*=\s*FOR EACH:?\s+(\w+)\s+in\s+([\w.]+(?:\([^()]*\))?)\s*:\s*(\S.*)$/,
    codes: /unexpected/,
    message: () => 'the lines of a loop are below it',
    help: (m) => loopThatCollects(part(m, 1), part(m, 2), part(m, 3), part(m, 4)),
  },
  {
    line: /^(?:DO|SET|TRACK):?\s*(\w+)\s*=\s*([A-Za-z_][\w.]*)\.map\(\s*(?:\(?(\w+)\)?\s*=>|lambda\s+(\w+)\s*:)\s*([^=<>]+?)\s*\)$/,
    codes: /not-a-command|command-not-found|unexpected/,
    message: () => 'no expression goes through a list',
    help: (m) => loopThatCollects(part(m, 1), m[3] ?? part(m, 4), part(m, 2), part(m, 5)),
  },
  {
    line: /^(?:DO|SET|TRACK):?\s*(\w+)\s*=\s*\[\s*([^[\]]+?)\s+for\s+(\w+)\s+in\s+([A-Za-z_][\w.]*(?:\([^()]*\))?)\s*\]$/,
    codes: /unclosed|unexpected|not-a-command|unknown-name/,
    message: () => 'no expression goes through a list',
    help: (m) => loopThatCollects(part(m, 1), part(m, 3), part(m, 4), part(m, 2)),
  },
  {
    line: /^SET:?\s*(\w+)\s*=\s*\[\s*(?:\*|\.\.\.|…)\s*(\w+)\s*,\s*([^,]+?)\s*\]$/,
    codes: /wrong-type|unexpected|bad-character|misplaced-operator|missing/,
    message: () => 'a list grows by another list',
    help: write,
    by: (m) => `SET: ${part(m, 1)} = ${part(m, 2)} + [${part(m, 3)}]`,
  },
];
