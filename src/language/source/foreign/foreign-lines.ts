/** All rules about lines of other languages, and those about lines of shell scripts. The first rule that matches a line applies. */
import { blockLines, stateHeads } from './block-lines.js';
import { expressionLines } from './expression-lines.js';
import { COMMANDS, type ForeignLine, part, unread, write } from './foreign-line.js';
import { instructionLines } from './instruction-lines.js';
import { jumpLines } from './jump-lines.js';
import { textEndsWithSemicolon, valueLines } from './value-lines.js';

const command = new RegExp(`^(?:(?:${COMMANDS})(?![\\w:=(])|\\.{0,2}/[\\w.]).*$`);
const block = (m: RegExpExecArray): string =>
  `this is shell code: \`${m.slice(1).find((word) => word !== undefined)}\` is not an instruction`;

/** Lines that hold no text and no command, so that a `;` at their end is none of theirs. */
const textless = [
  '(?:STATE|MACHINE|PATTERN|STEP|IMPORT|LIMIT|INPUT|TRACK|SET|INCREMENT)(?!\\w).*[^\\s;]',
  '(?:FOR EACH|WAIT|GATE|RETRY|AGENT|GOTO|USE|LOCK)(?!\\w).*[^\\s;]',
  '(?:IF|ELSE|ON ERROR|ELSE IF)(?!\\w)(?:[^→;"\']*|.*→)',
  '(?:.*(?!\\w))?in PARALLEL(?!\\w).*',
  'RETURN|ROLLBACK|KEEP|"{3}|[A-Z]{2,}.*"',
];
const semicolon: ForeignLine = {
  line: new RegExp(`^(${textless.join('|')})\\s*;+$`),
  sure: (_, text) => !textEndsWithSemicolon(text),
  codes:
    /^(?:unknown-(?:verb|step-type)|not-an?-\w+|missing-(?:colon|part)|on-error-place|bad-(?:character|option|duration)|unexpected-text)$/,
  message: () => 'lines do not end with `;`',
  help: () => 'remove the `;`',
  by: (m) => part(m, 1),
  block: true,
};

const shellLines: readonly ForeignLine[] = [
  ...(
    [
      [/^(if)\s+(?:\[|test\b|!|\(\().*$|^(if)\s.*;\s*then$/, /^fi\b/],
      [/^(for)\s.*;\s*do$|^(for)\s+\w+\s+in\s+(?:\*|\$|\S+\s+\S+.*$)/, /^done\b/],
      [/^(while|until)\s.*(?:;\s*do)?$/, /^done\b/],
      [/^(case)\s.*\s+in$/, /^esac\b/],
    ] as const
  ).map(([line, until]) => ({
    line,
    codes: unread,
    until,
    message: block,
    help: () => 'write `DO:` on a line of its own and all of this code below it, indented deeper',
  })),
  {
    line: /^(?:fi|done|esac|end|endif|end ?if|endfor|end ?for|endwhile|end ?while|ENDIF|END ?IF|END ?FOR|END ?WHILE|[})];?)$/i,
    sure: /^(?:fi|esac|end ?if|end ?for|end ?while)$/i,
    codes: /unknown-verb|not-an-instruction|unexpected|bad-character/,
    message: (m) => `\`${part(m, 0)}\` is not an instruction`,
    help: () => 'remove it: a block ends where its indentation ends',
    by: () => null,
  },
  {
    line: /^(?:export|source|set)\s+(.+)$/,
    codes: /not-an-instruction/,
    help: () => 'put it in the `DO:` block of the commands that need it, or write `DO [env.NAME=value]: command`',
  },
  { line: command, codes: /^(?:not-an-instruction|unknown-verb)$/, help: write, by: (m) => `DO: ${m[0]}` },
  { line: /^\|\s*(\S.*)$/, codes: unread, help: write, by: (m) => `DO: | ${part(m, 1)}` },
  {
    line: /^DO:$/,
    codes: /missing-part/,
    until: /^(?:[A-Z][A-Z ]+:|GOTO|RETURN|$)/,
    help: () => 'write the command after it, or the script on the lines below it, indented deeper',
  },
  {
    line: /^DO: ?\|$/,
    codes: /pipe-without-source/,
    message: () => '`|` pipes the output of the command above, and there is none',
    help: () => 'write `DO:` alone: the lines below it are the script',
    by: () => 'DO:',
  },
  {
    line: /^(DO|CHECK): ([^'"]+?)\s*;\s*((?:DO|CHECK|GOTO|RETURN|EMIT):.+)$/,
    codes: /command-not-found/,
    message: () => 'a line has only one instruction, and a command extends to the end of its line',
    help: write,
    by: (m) => `${part(m, 1)}: ${part(m, 2)}\n${part(m, 3)}`,
  },
  {
    line: /^(DO|CHECK): "([^"\\{]+ [^"\\]*)"$/,
    codes: /command-not-found/,
    message: (m) => `the quotes make \`${part(m, 2)}\` the name of one program`,
    help: write,
    by: (m) => `${part(m, 1)}: ${part(m, 2)}`,
  },
];

export const foreignLines: readonly ForeignLine[] = [
  semicolon,
  ...shellLines,
  ...jumpLines,
  ...blockLines,
  ...valueLines,
  ...instructionLines,
  ...expressionLines,
  ...stateHeads,
];
