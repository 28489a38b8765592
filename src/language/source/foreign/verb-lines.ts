/** Jumps, assignments and undos as engines of workflows and shells write them, each with the line that is meant. */
import { around, COMMANDS, declares, type ForeignLine, mentions, part, unread, write } from './foreign-line.js';

const WRONG = /unexpected|bad-|missing|unknown-|not-a|literal|path-assignment|operator/;

/** The state that a line is in. */
function stateAround(line: string, text: string): string | undefined {
  const before = text.slice(0, Math.max(0, text.indexOf(line)));
  return [...before.matchAll(/^STATE:[ \t]*(\w+)/gm)].at(-1)?.[1];
}

/** What a word means that other tools have for a state. */
function stateOf(word: string, line: string, text: string): string | undefined {
  if (/^(?:self|this|current|same|again|\.)$/i.test(word)) return stateAround(line, text);
  return /^(?:start|begin|beginning|first|initial)$/i.test(word) ? /^STATE:[ \t]*(\w+)/m.exec(text)?.[1] : undefined;
}

const MOVES =
  'GO(?: TO)?|MOVE(?:[ _]TO)?|ENTER|CONTINUE(?:[ _](?:TO|WITH|AT))?|PROCEED(?:[ _]TO)?|RESUME(?:[ _]AT)?|TRANSITION(?:[ _]TO)?|LOOP(?:[ _](?:BACK|TO))*|REPEAT|RETRY|RESTART|BACK[ _]TO|RETURN[ _]TO|SWITCH[ _]TO|DISPATCH|NEXT[ _]STATE|GOTO→|→ GOTO';

const VALUES = String.raw`((?:\s+with\s+\S.*)?)`;

/** What a value begins with that only a command gives. */
const RUN = new RegExp(
  `^(?:\\$\\((?!\\()(.+)\\)|\`(.+)\`|(Task\\([\\w.-]+\\)\\s*".*)|(?:DO|RUN|CHECK|EXEC):?\\s+(\\S.*)|((?:\\.{0,2}/[\\w.]|(?:${COMMANDS})\\s).*))$`,
);

/** A name of something to undo, as other tools have it. */
const UNDOES =
  'REVERT|REVERSE|INVERSE|COMPENSATE|COMPENSATION|TEARDOWN|BACK ?OUT|RESTORE|DESTROY|ROLLBACK|UNDO|ON[ _](?:ROLLBACK|UNDO|REVERT|COMPENSATE)';

/** Whether the instruction above can have an UNDO. */
const followsWork = (m: RegExpExecArray, text: string): boolean =>
  /\n[ \t]*(?:DO|CALL|UNDO)\b[^\n]*$/.test(around(m[0], text)?.[0] ?? '');

export const verbLines = (): readonly ForeignLine[] => [
  // Jumps
  {
    line: new RegExp(
      `^((?:.*?\\S\\s*(?:→|->)\\s*)?)(?:${MOVES})\\b:?\\s*(?:→|->|=>|to\\s)?\\s*(?:STATE:?\\s+)?["']?([A-Za-z_]\\w*)["']?${VALUES}$`,
      'i',
    ),
    codes: /unknown-verb|not-an-instruction|unexpected|section-outside|not-a-command|bad-name|missing/,
    when: (m, text) => declares('STATE', part(m, 2), text) && !/^(?:.*(?:→|->)\s*)?GOTO:? [A-Z]/.test(m[0]),
    help: write,
    by: (m) => `${part(m, 1)}GOTO: ${part(m, 2)}${part(m, 3)}`,
  },
  {
    line: new RegExp(`^(.*?)\\bGOTO\\s*:?\\s*(?:→|->|=>)\\s*(?:STATE:?\\s+)?([A-Za-z_]\\w*)${VALUES}$`),
    codes: WRONG,
    help: write,
    by: (m) => `${part(m, 1)}GOTO: ${part(m, 2)}${part(m, 3)}`,
  },
  {
    line: new RegExp(`^(.*?)\\bGOTO:?\\s+["']?(?:(\\w+)\\.(\\w+)|\\$\\{?(\\w+)\\}?)["']?${VALUES}$`),
    codes: WRONG,
    help: write,
    by: (m, text) => {
      const name = [m[2], m[3], m[4]].find((one) => one !== undefined && declares('STATE', one, text));
      return name === undefined ? undefined : `${part(m, 1)}GOTO: ${name}${part(m, 5)}`;
    },
  },
  {
    line: /^(?:(.*?)\bGOTO:?\s+|(?:return\s+)?Command\(\s*goto\s*=\s*["'])(self|this|current|same|start|begin|first|initial|\.|\w+(?=["']))["']?.*$/i,
    codes: WRONG,
    help: write,
    by: (m, text) => {
      const name = declares('STATE', part(m, 2), text) ? part(m, 2) : stateOf(part(m, 2), m[0], text);
      return name === undefined ? undefined : `${part(m, 1)}GOTO: ${name}`;
    },
  },
  {
    line: /^(?:RESTART|AGAIN|REPEAT|LOOP|START[ _]OVER|REDO|GOTO:?\s+(?:PREVIOUS|BACK|LAST))$/i,
    codes: /not-an-instruction|unknown-verb|unknown-state/,
    help: (_, by) => `write \`${by}\`, and let an IF above it end the loop`,
    by: (m, text) => {
      const name = stateAround(m[0], text);
      return name === undefined || /^GOTO/.test(m[0]) ? undefined : `GOTO: ${name}`;
    },
  },
  {
    line: /^(.*?)\bGOTO:?\s+(RETURN|FAIL):?\s+(\S.*)$/,
    codes: /unknown-state|unexpected/,
    message: (m) => `\`${part(m, 2)}\` is an instruction, and no state`,
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 2)}: ${part(m, 3)}`,
  },
  {
    line: /^(.*?)\bGOTO:?\s+(?:RETURN|__end__|END_STATE|TERMINAL|EXIT_STATE)$/,
    codes: /unknown-state/,
    help: () => 'write `RETURN` to end the run',
    by: (m) => `${part(m, 1)}RETURN`,
  },
  {
    line: /^GOTO:?\s+(\w+)\s+(?:after|in)\s+(\d+(?:ms|s|m|h|d))$/,
    codes: /unexpected/,
    message: () => 'a GOTO goes at once, and a WAIT before it waits',
    help: write,
    by: (m) => `WAIT: ${part(m, 2)}\nGOTO: ${part(m, 1)}`,
  },
  {
    line: /^(.*\b(?:GOTO|USE):?\s+\w+)\s+(?:with\s+)?\{\s*((?:["']?\w+["']?\s*:\s*["']?[\w.]+["']?\s*,?\s*)+)\}$/,
    codes: /unexpected/,
    help: write,
    by: (m) =>
      `${part(m, 1)} with ${part(m, 2)
        .split(',')
        .map((one) =>
          one.replace(/^\s*["']?(\w+)["']?\s*:\s*(.*?)\s*$/, '$1=$2').replace(/=([A-Za-z_][\w.]*)$/, '={$1}'),
        )
        .join(', ')}`,
  },
  {
    line: /^GOTO:?\s+(\w+)\s+IF\s+(.+?)(\s+with\s+\S.*)$/,
    codes: /unexpected/,
    help: write,
    by: (m) => `IF: ${part(m, 2)} → GOTO: ${part(m, 1)}${part(m, 3)}`,
  },
  {
    line: /^(.*\b(?:RETURN|GOTO:?\s+\w+)\s+with\s+)(\w+=[^\s,"]+)((?:\s+\w+=[^\s,"]+)+)$/i,
    codes: /unexpected|ambiguous-word/,
    message: () => 'a comma separates the values',
    help: write,
    by: (m, text) => {
      const values = `${part(m, 2)}${part(m, 3)}`.split(/\s+/);
      return `${part(m, 1)}${values.map((one) => one.replace(/=([A-Za-z_]\w*)$/, (all, name) => (mentions(name, text) ? `={${name}}` : all))).join(', ')}`;
    },
  },
  {
    line: /^((?:-\s+)?(?:(?:DO|CHECK)(?:\s*\[[^\]]*\])?:)?)\s*(\w+\s*=\s+[^,"']*[^\s,"']|\.{0,2}\/[^\s,"']+),\s+(\w+\s=\s+\S.*|\.{0,2}\/\S.*)$/,
    codes: /taken-as-text/,
    message: () => 'a line has one command',
    help: write,
    by: (m) => {
      const head = part(m, 1).trim();
      return `${head} ${part(m, 2)}\n${head} ${part(m, 3)}`;
    },
  },
  // Values
  {
    line: /^(SET|TRACK|INPUT):?\s*(\w+)\s*===?\s*(\S.*)$/,
    codes: /unexpected/,
    help: write,
    by: (m) => `${part(m, 1)}: ${part(m, 2)} = ${part(m, 3)}`,
  },
  {
    line: /^TRACK:?\s*(\w+)\s+(?:from|at|is|begins? at|initially|init)\s+(-?[\d.]+|"[^"]*"|\[.*\]|true|false)$/i,
    codes: /bad-name|unexpected/,
    help: write,
    by: (m) => `TRACK: ${part(m, 1)} = ${part(m, 2)}`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^(TRACK|SET|INPUT):?\s*["'`](\w+)["'`](\s*=.*|)$/,
    codes: /unexpected|bad-character/,
    message: () => 'a name has no quotes',
    help: write,
    by: (m) => `${part(m, 1)}: ${part(m, 2)}${part(m, 3)}`,
    binds: (m) => [part(m, 2)],
  },
  {
    line: /^((?:TRACK|SET|DO|INPUT):\s*\w+\s*=\s*)(?:(list|array|Array|new Array|\[\]\.new|set)|(dict|object|Object|new Map|map|Map|hash|json))\(\s*\)$/,
    codes: /unknown-function|unexpected|not-a-command|input-default/,
    help: write,
    by: (m) => `${part(m, 1)}${m[2] === undefined ? '{}' : '[]'}`,
  },
  {
    line: /^TRACK:?\s*(\w+)\s*=\s*([A-Za-z][\w'’!?-]*(?:\s+[\w'’!?-]+)*)$/,
    codes: /unknown-name|unexpected/,
    when: (m, text) =>
      !mentions(part(m, 2), text) &&
      !/^(?:none|null|nil|undefined|true|false|yes|no)$|\b(?:AND|OR|NOT|in|is|contains|not|and|or|matches)\b/i.test(
        part(m, 2),
      ),
    help: (m, by) => `write \`${by}\` for the text, or bind \`${part(m, 2).split(/\s/)[0]}\` above`,
    by: (m) => `TRACK: ${part(m, 1)} = "${part(m, 2)}"`,
  },
  {
    line: /^((?:SET|DO|TRACK):\s*\w+\s*=\s*)`([^`]*\$\{[^`]*)`$/,
    codes: WRONG,
    message: () => 'a text is in double quotes',
    help: write,
    by: (m) => `${part(m, 1)}"${part(m, 2).replace(/\$\{/g, '{')}"`,
  },
  {
    line: /^(SET|TRACK):?\s*(\w+)\s*(\+?=)\s*(\S.*)$/,
    codes: /bad-character|unknown-name|unknown-function|unexpected|not-a|missing|misplaced/,
    when: (m) => RUN.test(part(m, 4)),
    message: (m) => `\`${part(m, 1)}\` computes, and runs no command`,
    help: write,
    by: (m, text) => {
      const found = RUN.exec(part(m, 4));
      const command = (found?.slice(1).find((one) => one !== undefined) ?? '').trim();
      if (found?.[5] !== undefined && mentions(part(m, 4), text)) return undefined;
      const line = part(m, 1) === 'TRACK' ? `TRACK: ${part(m, 2)}\n` : '';
      return `${line}DO: printed = ${command}\nSET: ${part(m, 2)} ${part(m, 3)} printed`;
    },
    binds: (m) => [part(m, 2)],
  },
  {
    line: /^(SET|TRACK):\s*(\w+)\s*=\s*("[^"]*"|\[[^\]]*\]|[\w.]+)\s*(?:;|,|\band\b|&&)\s*(?:SET:?\s+)?(\w+)\s*=\s*([^=\s].*)$/,
    codes: /bad-character|unexpected|operator-spelling|unknown-name/,
    message: () => 'a line sets one name',
    help: write,
    by: (m) => `${part(m, 1)}: ${part(m, 2)} = ${part(m, 3)}\n${part(m, 1)}: ${part(m, 4)} = ${part(m, 5)}`,
    binds: (m) => [part(m, 4)],
  },
  {
    line: /^(SET|TRACK):\s*(\w+)\s*,\s*(\w+)\s*=\s*("[^"]*"|\[[^\]]*\]|[\w.]+)\s*,\s*(\S.*)$/,
    codes: /unexpected/,
    message: () => 'a line sets one name',
    help: write,
    by: (m) => `${part(m, 1)}: ${part(m, 2)} = ${part(m, 4)}\n${part(m, 1)}: ${part(m, 3)} = ${part(m, 5)}`,
    binds: (m) => [part(m, 2), part(m, 3)],
  },
  {
    line: /^SET:\s*(?:\+\+|--)\s*(\w+)$/,
    codes: /unexpected|bad-/,
    help: write,
    by: (m) => `INCREMENT: ${part(m, 1)}${m[0].includes('--') ? ' by -1' : ''}`,
  },
  {
    line: /^(INCREMENT):?\s*(\w+)\s*=\s*\2\s*([+-])\s*(\d+|\w+)$/,
    codes: /unexpected/,
    help: write,
    by: (m) =>
      `INCREMENT: ${part(m, 2)}${part(m, 3) === '-' ? ` by -${part(m, 4)}` : part(m, 4) === '1' ? '' : ` by ${part(m, 4)}`}`,
  },
  {
    line: /^INCREMENT\s*[[(]\s*(\w+)\s*[\])]\s*:?\s*(\d*)$/,
    codes: WRONG,
    help: write,
    by: (m) => `INCREMENT: ${part(m, 1)}${/^1?$/.test(part(m, 2)) ? '' : ` by ${part(m, 2)}`}`,
  },
  {
    line: /^(?:set_fact|set_stats|set_output|setOutput|set_state|setState|xcom_push|vars|register):\s*(\w+)\s*[=:]\s*(\S.*)$/i,
    codes: unread,
    help: write,
    by: (m, text) =>
      `${new RegExp(`^\\s*TRACK:\\s*${part(m, 1)}\\b`, 'm').test(text) ? 'SET' : 'TRACK'}: ${part(m, 1)} = ${part(m, 2)}`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^(?:set_fact|vars|variables|env|outputs?):$/i,
    codes: unread,
    block: true,
    message: () => 'each value has a line of its own',
    help: (m, _, text) => {
      const [, name = 'name', value = 'value'] = /^(\w+)\s*[:=]\s*([^\n]*)/.exec(around(m[0], text)?.[1] ?? '') ?? [];
      const tracks = new RegExp(`^\\s*TRACK:\\s*${name}\\b`, 'm').test(text);
      return `write \`${tracks ? 'SET' : 'TRACK'}: ${name} = ${value.trim()}\``;
    },
  },
  {
    line: /^(?:readonly|final|static|auto|int|str|string|bool|float|double)\s+(?:\w+\s+)?([A-Za-z_]\w*)\s*=\s*(\S.*?);?$/,
    codes: unread,
    help: write,
    by: (m) => `TRACK: ${part(m, 1)} = ${part(m, 2)}`,
    binds: (m) => [part(m, 1)],
  },
  // Undo
  {
    line: new RegExp(
      `^(?:${UNDOES})(?:[ _](?:WITH|BY|VIA|USING))?:?\\s*(?:→|->|with\\s|:)?\\s*(?:DO:\\s*)?((?:\\.{0,2}/|[a-z])\\S.*|Task\\(.*)$`,
    ),
    codes:
      /unknown-verb|not-an-instruction|bad-character|unexpected|missing-colon|command-not-found|not-a-command|section/,
    when: (m, text) =>
      followsWork(m, text) &&
      !/^UNDO(?:\s*\[[^\]]*\])?: (?!with\s)[\w.]/.test(m[0]) &&
      !/^ROLLBACK:?\s+(?:all|to|last)\b/i.test(m[0]),
    message: () => 'what undoes a command is an UNDO below it; ROLLBACK performs all of them',
    help: write,
    by: (m) => `UNDO: ${part(m, 1)}`,
  },
  {
    line: /^UNDO((?:\s*\[[^\]]*\])?):\s*(\w+)\s*=\s+(\S.*)$/,
    codes: /bad-undo/,
    message: () => 'an UNDO binds no name',
    help: write,
    by: (m) => `UNDO${part(m, 1)}: ${part(m, 3)}`,
  },
  {
    line: /^(?!UNDO:$)(?:DO:\s*)?(?:ROLL ?BACK|UNDO|REVERT|COMPENSATE|compensate|rollback|undo|revert|RESET)(?:(?:[\s:_]+(?:ALL|EVERYTHING|CHANGES|IT|LAST|TO:?\s+\w+|\d+))|\s*\[[^\]]*\])?(?:\(\s*\))?:?$/i,
    codes:
      /not-an-instruction|unknown-verb|missing|not-a-command|unexpected|command-not-found|undo-without-effect|bad-/,
    message: () => '`ROLLBACK` undoes everything with an UNDO that is not yet undone, the latest first',
    help: write,
    by: () => 'ROLLBACK',
  },
  {
    line: /^(ROLLBACK|KEEP):?\s*(?:;|,|\band\b|\bAND\b|&&|→|->|\bthen\b)\s*([A-Z]{2,}\b:?.*)$/,
    codes: /unexpected|not-an-instruction|bad-character/,
    message: () => 'a line has only one instruction',
    help: write,
    by: (m) => `${part(m, 1)}\n${part(m, 2)}`,
  },
  {
    line: /^(?:COMMIT|KEEP|FORGET|SAVE ?POINT|CHECK ?POINT|(?:DISCARD|DROP|CLEAR|FORGET)[ _]UNDOS?)(?:[\s:]+(?:all|ALL|everything|changes))?(?:\(\s*\))?:?$/i,
    codes: /not-an-instruction|unknown-verb|missing|unexpected/,
    message: () => '`KEEP` keeps what has been done: no ROLLBACK undoes it',
    help: write,
    by: () => 'KEEP',
  },
];
