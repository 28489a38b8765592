/** All rules about lines of other languages, and those about lines of shell scripts. The first rule that matches a line applies. */
import { agentLines } from './agent-lines.js';
import { askLines } from './ask-lines.js';
import { assignmentLines } from './assignment-lines.js';
import { authorCalls } from './author-calls.js';
import { authorHeads } from './author-heads.js';
import { authorValues } from './author-values.js';
import { authorVerbs } from './author-verbs.js';
import { blockLines, stateHeads } from './block-lines.js';
import { callLines } from './call-lines.js';
import { controlLines } from './control-lines.js';
import { expressionLines } from './expression-lines.js';
import { around, COMMANDS, type ForeignLine, part, unread, write } from './foreign-line.js';
import { gateLines } from './gate-lines.js';
import { headLines } from './head-lines.js';
import { instructionLines } from './instruction-lines.js';
import { jumpLines } from './jump-lines.js';
import { loopLines } from './loop-lines.js';
import { optionLines } from './option-lines.js';
import { sectionLines } from './section-lines.js';
import { stepLines } from './step-lines.js';
import { textEndsWithSemicolon, valueLines } from './value-lines.js';
import { verbLines } from './verb-lines.js';
import { waitLines } from './wait-lines.js';

const command = new RegExp(`^(?!go to\\b)(?:(?:${COMMANDS})(?![\\w:=(]|\\s+:?\\+?=\\s)|\\.{0,2}/[\\w.]).*$`);
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

const LAST_LINES = /(?:^|\n)[ \t]*(?:- )?((?:DO|CHECK)(?:[ \t]*\[[^\]\n]*\])?:[^\n]*)((?:\n[ \t]*\|[^\n]*)*)$/;

/** The command above a line that begins with `|`, if its output is bound, with all such lines; undefined: there is none. */
function boundPipe(line: string, text: string): string | undefined {
  const before = around(line, text)?.[0].slice(-MOST_ABOVE) ?? '';
  const [, command = '', pipes = ''] = LAST_LINES.exec(before) ?? [];
  if (!/^\w+(?:\s*\[.*?\])?:\s*\w+\s*=(?!=)/.test(command)) return undefined;
  return [command, ...pipes.split('\n'), line]
    .map((one) => one.trim())
    .filter(Boolean)
    .join(' ');
}

/** The command above a line, if it ends with an operator of the shell. */
function endsOpen(line: string, text: string): string | undefined {
  const before = around(line, text)?.[0].slice(-MOST_ABOVE) ?? '';
  const above = before.slice(before.lastIndexOf('\n') + 1).trim();
  return /^(?:- )?(?:DO|CHECK)(?:\s*\[[^\]]*\])?:.*(?:\||&&)$/.test(above) ? above : undefined;
}

const MOST_ABOVE = 1000;

const shellLines = (): readonly ForeignLine[] => [
  ...(
    [
      [/^(if)\s+(?:\[|test\b|!|\(\().*$|^(if)\s.*;\s*then$/, /^fi\b/],
      [
        /^(for)\s.*;\s*do$|^(for)\s+\w+\s+in\s+(?!.*(?:[:{]$|\s(?:to|until|through|where|if)\s))(?:\*|\$|[^\s()[\],.]+\s+[^\s()[\],.]\S*.*$)/,
        /^done\b/,
      ],
      [/^(while|until)\s+(?!\((?!\()|[\w.]+\s*(?:[<>=!]|is\b|not\b)).*(?:;\s*do|[^:{\s])$/, /^done\b/],
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
  {
    line: /^\|\s*\S.*$/,
    codes: unread,
    when: (m, text) => boundPipe(m[0], text) !== undefined,
    message: () => 'the command above ends at the end of its line',
    help: (m, _, text) => `write the whole pipe on one line: \`${boundPipe(m[0], text)}\``,
  },
  {
    line: /^[^#\s].*$/,
    codes: unread,
    when: (m, text) => endsOpen(m[0], text) !== undefined,
    message: () => 'the command above ends at the end of its line',
    help: (m, _, text) => `write it on one line: \`${endsOpen(m[0], text)} ${m[0]}\``,
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
    codes: /not-a-command/,
    message: () => 'a line has only one instruction, and a command extends to the end of its line',
    help: write,
    by: (m) => `${part(m, 1)}: ${part(m, 2)}\n${part(m, 3)}`,
  },
  {
    line: /^(DO|CHECK)\s+(once)\s*:\s*(.+)$/i,
    codes: /missing-colon|unknown-verb|not-a-command|not-an-instruction/,
    help: write,
    by: (m) => `${part(m, 1).toUpperCase()} [once]: ${part(m, 3)}`,
  },
  {
    line: /^((?:DO|CHECK)(?:\s*\[.*?\])?:\s*(?:\w+\s*=\s*)?)(?:bash|sh|shell|exec|system|run|execSync|os\.system|os\.popen|subprocess\.(?:run|call|check_output)|child_process\.exec)\(\s*(["'`])(.*?)\2(?:\s*,[^()]*)?\s*\)$/,
    codes: /not-a-command|command-not-found|unknown-function|unexpected/,
    message: () => 'a command is written without a function around it',
    help: write,
    by: (m) => part(m, 1) + part(m, 3),
  },
  {
    line: /^((?:UNDO|DO|CHECK):\s*)(?:DO|RUN|CHECK):\s*(.+)$/,
    codes: /not-a-command|command-not-found/,
    help: write,
    by: (m) => part(m, 1) + part(m, 2),
  },
  {
    line: /^(DO(?:\s*\[.*?\])?:)\s*(?:\|[-+]|>[-+]?|\{|`{3}(?:\w+)?)$/,
    codes: /unexpected|not-a|unclosed|missing|bad-|empty/,
    message: () => 'a block of commands begins with `DO:` alone',
    help: (m) => `write \`${part(m, 1)}\` alone, and remove the line that closes the block`,
    by: (m) => part(m, 1),
    block: true,
  },
  {
    line: /^(DO|CHECK): (["'])([^"'\\{]+ [^"'\\]*)\2$/,
    codes: /command-not-found/,
    message: (m) => `the quotes make \`${part(m, 3)}\` the name of one program`,
    help: write,
    by: (m) => `${part(m, 1)}: ${part(m, 3)}`,
  },
];

let all: readonly ForeignLine[] | undefined;

/** All rules. They are made when the first mistake is explained: most programs have none. */
export function foreignLines(): readonly ForeignLine[] {
  all ??= [
    semicolon,
    ...optionLines(),
    ...gateLines(),
    ...waitLines(),
    ...headLines(),
    ...askLines(),
    ...controlLines(),
    ...agentLines(),
    ...callLines(),
    ...verbLines(),
    ...stepLines(),
    ...shellLines(),
    ...authorHeads(),
    ...authorValues(),
    ...authorVerbs(),
    ...authorCalls(),
    ...loopLines(),
    ...assignmentLines(),
    ...sectionLines(),
    ...jumpLines(),
    ...blockLines(),
    ...valueLines(),
    ...instructionLines(),
    ...expressionLines(),
    ...stateHeads(),
  ];
  return all;
}
