/** Jumps and exits of other languages. */
import { declares, type ForeignLine, part, unread, write } from './foreign-line.js';

const ENDS = 'STOP|END|QUIT|FINISH|FINISHED|HALT|DONE|TERMINATE|COMPLETE|SUCCESS|SUCCEED';

/** The next declared state, if the text shows clearly which line is meant. */
function nextState(line: string, text: string): string | undefined {
  const at = text.indexOf(line);
  return at < 0 || text.indexOf(line, at + 1) >= 0 ? undefined : /^STATE:\s*(\w+)/m.exec(text.slice(at))?.[1];
}

/** The verb of an action. */
const ACTION =
  /^(?:DO|CHECK|EMIT|IF|PROCEED|GOTO|USE|RETURN|WAIT|TRACK|INCREMENT|SET|ASK|FOR EACH|CALL|PLAN|FAIL|UNDO|ROLLBACK)\b/;

const ACTIONS = '(?:GOTO|RETURN|FAIL|EMIT|DO|SET|INCREMENT|USE|PROCEED|WAIT|ASK|CHECK)';

export const jumpLines = (): readonly ForeignLine[] => [
  {
    line: new RegExp(
      `^(DO|CHECK)((?:\\s*\\[[^\\]]*\\])?):\\s*(?:(\\w+)\\s*=\\s+)?(\\S.*?)\\s*(\\|\\||&&)\\s*(${ACTIONS}:)(\\s.*)?$`,
    ),
    codes: /command-not-found|not-a-command/,
    of: 6,
    never: true,
    message: (m) => `the shell runs no \`${part(m, 6)}\``,
    help: write,
    by: (m) => {
      const [verb, name] = [part(m, 1), m[3] ?? 'ran'];
      const options = [
        ...part(m, 2)
          .replace(/^\s*\[|\]$|\b(?:ok|retry(?:_on)?)=\S+/g, '')
          .trim()
          .split(/\s+/),
        verb === 'DO' ? 'ok=any' : '',
      ];
      const given = options.filter((one) => one !== '').join(' ');
      const action = `${part(m, 6)}${part(m, 7)}`;
      return `${verb}${given === '' ? '' : ` [${given}]`}: ${name} = ${part(m, 4)}\nIF: exit_code(${name}) ${part(m, 5) === '&&' ? '==' : '!='} 0 → ${action}`;
    },
    binds: (m) => [m[3] ?? 'ran'],
  },
  {
    line: new RegExp(
      `^((?:ELSE )?IF:?\\s+(?:(?!→|->).)*?\\S)\\s*(?:→|->)\\s*(${ACTIONS}\\b.*?\\S)\\s+ELSE:?\\s*(?:→|->)?\\s*(${ACTIONS}\\b.*)$`,
    ),
    codes: /taken-as-text/,
    never: true,
    message: () => '`ELSE` begins a line',
    help: write,
    by: (m) => `${part(m, 1)} → ${part(m, 2)}\nELSE → ${part(m, 3)}`,
  },
  {
    line: new RegExp(
      `^((?:DO|CHECK)(?:\\s*\\[[^\\]]*\\])?:\\s*\\S.*?)\\s+(?:(?:→|->)\\s*)?(?:ON (?:ERROR|FAILURE|FAIL)|OR ELSE|OR|ELSE|or else|or|else|otherwise)\\b:?\\s*(?:(?:→|->|=>)\\s*)?(${ACTIONS}\\b.*)$`,
    ),
    codes: /taken-as-text/,
    never: true,
    message: () => 'a command extends to the end of its line',
    help: (m) => {
      const [, head, bound, command] = /^(CHECK(?:\s*\[[^\]]*\])?):\s*(?:(\w+)\s*=\s)?(.*)$/.exec(part(m, 1)) ?? [];
      if (head === undefined)
        return `write \`${part(m, 1)}\`, and at the end of the state \`ON ERROR: → ${part(m, 2)}\``;
      // To a CHECK, no exit code is a failure.
      const name = bound ?? 'result';
      return `write \`${head}: ${name} = ${command}\`, then \`IF: exit_code(${name}) != 0 → ${part(m, 2)}\``;
    },
  },
  {
    line: new RegExp(
      `^(IF:?\\s+.*?\\S)\\s*(?:→|->|=>|\\?|\\bTHEN\\b:?)\\s*(${ACTIONS}\\b(?:[^→]*?[^→\\s,;])??)[\\s,;]*(?:\\bELSE\\b:?\\s*(?:→|->)?|(?<=\\?.*)\\s:)\\s*(${ACTIONS}\\b.*)$`,
      'i',
    ),
    codes: /unexpected|missing-arrow|missing-colon|unknown-verb/,
    message: () => '`ELSE` begins a line',
    help: write,
    by: (m) => `${part(m, 1)} → ${part(m, 2)}\nELSE → ${part(m, 3)}`,
  },
  {
    line: /^(IF:\s+.+?)\s*(→|->)\s*GOTO:?\s+(\w+)\s+(if|when|unless)\s+(.+)$/,
    codes: /unexpected/,
    help: write,
    by: (m) =>
      `${part(m, 1)} AND ${part(m, 4) === 'unless' ? 'NOT ' : ''}(${part(m, 5)}) ${part(m, 2)} GOTO: ${part(m, 3)}`,
  },
  {
    line: /^((?:.*(?:→|->)\s*)?)(GOTO|RETURN|FAIL|EMIT|WAIT|USE|DO|CHECK|INCREMENT|TRACK)\s*\(\s*([^()]*)\s*\)$/,
    codes: /unknown-verb|unexpected-text|missing|not-an-instruction/,
    message: (m) => `\`${part(m, 2)}\` is an instruction, not a function`,
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 2)}: ${part(m, 3)}`,
  },
  {
    line: /^(.*(?:→|->)\s*)(?:STATE|NEXT|JUMP|TRANSITION|GO TO|THEN):?\s+(?:TO\s+)?(?:STATE\s+)?(\w+)$/i,
    codes: unread,
    help: write,
    by: (m, text) => (declares('STATE', part(m, 2), text) ? `${part(m, 1)}GOTO: ${part(m, 2)}` : undefined),
  },
  {
    line: /^(?:→|->|=>|[⇒➔➜⟶⇨➡])\s*([A-Z]{2,}\b:?\s*\S.*)$/,
    codes: unread,
    message: () => 'an arrow stands only behind a condition',
    help: write,
    by: (m) => (ACTION.test(part(m, 1)) ? part(m, 1) : undefined),
  },
  {
    line: /^(.*\bGOTO:?\s+)(?:\$?\{|[[`(<@#]|\*{1,2})(\w+)(?:[\]`)>}]|\*{1,2})?$/,
    codes: /bad-name|unexpected-text|unknown-state|bad-character/,
    message: () => 'the name of a state has no signs around it',
    help: write,
    by: (m, text) => (declares('STATE', part(m, 2), text) ? part(m, 1) + part(m, 2) : undefined),
  },
  {
    line: /^((?:STATE|GOTO|TRACK|SET|INPUT|INCREMENT|USE|IF|ELSE|WAIT|LIMIT|FOR EACH|ROLLBACK|KEEP)\b[^"']*?\S)\s+(?:\/\/|--)\s+(.*)$/,
    codes: /unexpected|bad-character/,
    message: () => 'a comment begins with two spaces and `#`',
    help: write,
    by: (m) => `${part(m, 1)}  # ${part(m, 2)}`,
  },
  {
    line: /^(.*\bGOTO:?\s+)next$/i,
    codes: /unknown-state/,
    help: (_, by) => (by === null ? 'write the name of the state' : `write \`${by}\``),
    by: (m, text) => {
      const name = nextState(m[0], text);
      return name === undefined ? undefined : part(m, 1) + name;
    },
  },
  {
    line: /^(.*\bGOTO:?\s+)["'](\w+)["'](.*)$/,
    codes: /unexpected-text|unknown-state|missing/,
    message: () => 'the name of a state has no quotes',
    help: write,
    by: (m) => part(m, 1) + part(m, 2) + part(m, 3),
  },
  {
    line: /^ROLLBACK:?\s*(?:to\s+)?["']?(\w+)["']?$/i,
    codes: /unexpected-text|unknown-verb|not-an-instruction/,
    message: () =>
      '`ROLLBACK` has no target: it undoes everything with an UNDO that is not yet undone, the latest first',
    help: write,
    by: () => 'ROLLBACK',
  },
  {
    line: /^((?:IF|ELSE|ELSE IF|DEFAULT|ON ERROR)\b.*?(?:→|->)\s*(?:(?!→|->).)*?)\s*(?:;|→|->|,?\s+(?:and then|and|then)\b|&&|(?<=EMIT:? \w+)(?=\s[A-Z]+:\s))\s*([A-Z]{2,}(?: EACH| user)?\b:?.*)$/,
    codes: /unexpected-text|not-a-command|bad-character|missing/,
    message: () => 'a comma separates the actions after an arrow',
    help: write,
    by: (m) => (ACTION.test(part(m, 2)) ? `${part(m, 1)}, ${part(m, 2)}` : undefined),
  },
  {
    line: /^((?!IF\b|ELSE\b|DEFAULT\b|ON ERROR\b)[A-Z]{2,}\b(?:(?!→|->).)*?)\s*(?:;|,?\s+(?:and then|and|then)\b|&&)\s*([A-Z]{2,}(?: EACH| user)?\b:?.*)$/,
    codes: /unexpected-text|bad-character|bad-name|missing/,
    message: () => 'a line has only one instruction',
    help: write,
    by: (m) => (ACTION.test(part(m, 2)) ? `${part(m, 1)}\n${part(m, 2)}` : undefined),
  },
  {
    line: /^(.*\bGOTO:?\s+)([a-z]\w*(?:[ -]\w+)+)$/i,
    codes: /unexpected-text/,
    help: write,
    by: (m, text) => (declares('STATE', part(m, 2), text) ? part(m, 1) + part(m, 2).replace(/[ -]/g, '_') : undefined),
  },
  {
    line: /^(?:CALL|RUN|START|INVOKE|EXECUTE|INCLUDE):?\s+(\w+)(.*)$/i,
    codes: /unknown-tool|unknown-verb|not-an-instruction/,
    help: write,
    by: (m, text) => {
      if (declares('STATE', part(m, 1), text)) return `GOTO: ${part(m, 1)}${part(m, 2)}`;
      return declares('PATTERN', part(m, 1), text) ? `USE: ${part(m, 1)}${part(m, 2)}` : undefined;
    },
  },
  {
    line: new RegExp(`^(.*(?:→|->|=>)\\s*)(?:${ENDS})$`),
    codes: unread,
    help: () => 'write `RETURN` to end the run',
    by: (m) => `${part(m, 1)}RETURN`,
  },
  {
    line: new RegExp(`^(?:${ENDS}):?$`),
    codes: unread,
    help: () => 'write `RETURN` to end the run',
    by: () => 'RETURN',
  },
  { line: new RegExp(`^(?:${ENDS}):?\\s+(\\S.*)$`), codes: unread, help: write, by: (m) => `RETURN: ${part(m, 1)}` },
  {
    line: /^((?:.*(?:→|->)\s*)?)exit(?::|\s|\()?\s*0?\)?$/i,
    codes: unread,
    help: () => 'write `RETURN` to end the run',
    by: (m) => `${part(m, 1)}RETURN`,
  },
  {
    line: /^((?:.*(?:→|->)\s*)?)(?:exit|die|panic)\b:?\s*\(?\s*(\d+|.*?)\)?$/i,
    codes: unread,
    help: write,
    by: (m) => `${part(m, 1)}FAIL: ${/^\d+$/.test(part(m, 2)) ? `exit code ${part(m, 2)}` : part(m, 2) || 'failed'}`,
  },
  {
    line: new RegExp(`^(.*?)\\bGOTO:?\\s+(?:${ENDS}|EXIT)$`),
    codes: /unknown-state/,
    help: () => 'write `RETURN` to end the run',
    by: (m) => `${part(m, 1)}RETURN`,
  },
  {
    line: /^(.*\bGOTO:?\s+)STATE:?\s+(\w.*)$/,
    codes: /unknown-state|unexpected-text/,
    help: write,
    by: (m) => part(m, 1) + part(m, 2),
  },
  { line: /^GOTO:?\s+(\w+)\s+(?:if|when)\s+(.+)$/i, help: write, by: (m) => `IF: ${part(m, 2)} → GOTO: ${part(m, 1)}` },
  {
    line: /^((?:EMIT:\s*\w+(?:\s+\w+=(?:"[^"]*"|\S+))*|INCREMENT:\s*\w+(?:\s+by\s+\d+)?|SET:\s*\w+\s*=\s*(?:"[^"]*"|[\w.]+)|USE:\s*\w+|PROCEED|ROLLBACK|WAIT:\s*\d+\w))\s+(if|when|unless|IF|WHEN|UNLESS):?\s+((?:(?!\belse\b).)+)$/i,
    help: write,
    by: (m) => `IF: ${/unless/i.test(part(m, 2)) ? `NOT (${part(m, 3)})` : part(m, 3)} → ${part(m, 1)}`,
  },
  {
    line: /^GOTO:?\s+(\w+)\s+unless\s+(.+)$/i,
    help: write,
    by: (m) => `IF: NOT (${part(m, 2)}) → GOTO: ${part(m, 1)}`,
  },
  {
    line: /^(.*\bGOTO:?\s+\w+)(?:\s*,|\s+passing|\s+\[)\s*(\w+\s*=\s*[^[\]]+?)\]?$/,
    codes: /unexpected-text/,
    help: write,
    by: (m) => `${part(m, 1)} with ${part(m, 2)}`,
  },
  {
    line: /^(.*\b(?:GOTO|USE):?\s+\w+\s+with\s+)\(\s*([^()]+?)\s*\)$/,
    codes: /unexpected-text/,
    help: write,
    by: (m) => part(m, 1) + part(m, 2),
  },
  {
    line: /^(.*\bGOTO:?\s+\w+)(?:,| and| or|\s*&)\s+\w+.*$/i,
    codes: /unexpected-text/,
    message: () => '`GOTO` can only go to one state',
    help: () => 'name one state, or run members at the same time with `DO: in PARALLEL`',
  },
  { line: /^(?:→|->|=>|[⇒➔➜⟶⇨➡])\s*(\w+)$/, codes: unread, help: write, by: (m) => `GOTO: ${part(m, 1)}` },
  {
    line: /^((?:ELSE )?IF\b.*?|ELSE\b.*?|DEFAULT\b.*?|ON ERROR\b.*?)\s*[➔➜⟶⇨➡]\uFE0F?\s*(\S.*)$/,
    codes: /missing-arrow|missing-colon|unexpected|bad-character/,
    message: () => 'this arrow is not `→`',
    help: write,
    by: (m) => `${part(m, 1)} → ${part(m, 2)}`,
  },
  {
    line: /^(?:NEXT|JUMP|TRANSITION|GO ?TO|CONTINUE WITH|THEN):?\s+(?:TO\s+)?(\w+)$/i,
    codes: unread,
    help: write,
    by: (m) => `GOTO: ${part(m, 1)}`,
  },
  {
    line: /^(IF.*(?:→|->)\s*)(\w+)$/,
    codes: unread,
    help: write,
    by: (m, text) => (declares('STATE', part(m, 2), text) ? `${part(m, 1)}GOTO: ${part(m, 2)}` : undefined),
  },
  {
    line: /^ON (?:FAILURE|FAIL|FAILED|EXCEPTION):?\s*(?:→|->|=>)?\s*(?:GOTO:?\s*)?(\w+)$/i,
    codes: unread,
    help: write,
    by: (m) => `ON ERROR: → GOTO: ${part(m, 1)}`,
  },
  {
    line: /^ON ERROR:?\s+GOTO:?\s+(\w+)$/,
    sure: true,
    codes: /missing-colon|missing-part|unexpected|missing-arrow/,
    help: write,
    by: (m) => `ON ERROR: → GOTO: ${part(m, 1)}`,
  },
  {
    line: /^ON SUCCESS:?\s*(?:→|->|=>)?\s*(?:GOTO:?\s*)?(\w+)$/i,
    codes: unread,
    message: () => '`ON SUCCESS` is not an instruction: the instructions after a command run only if it succeeds',
    help: write,
    by: (m) => `GOTO: ${part(m, 1)}`,
  },
  {
    line: /^(?:TRY|CATCH|EXCEPT|FINALLY|RESCUE)\b.*$/i,
    codes: unread,
    block: true,
    help: () => 'handle failures at the end of the state, with `ON ERROR: → GOTO: …`',
  },
  {
    line: /^((?:.*(?:→|->)\s*)?)(?:pass|no-?op|nothing|do nothing|skip|ignore)$/i,
    codes: unread,
    help: write,
    by: (m) => `${part(m, 1)}PROCEED`,
  },
  {
    line: /^(?:.*(?:→|->)\s*)?(?:retry|repeat|again|try again)$/i,
    codes: unread,
    help: () =>
      'go back with `GOTO:` and the name of the state, or write `DO [retry=3]: …` for more attempts of a command',
  },
  {
    line: /^(?:.*(?:→|->)\s*)?(BREAK|CONTINUE)$/i,
    codes: unread,
    help: (m) =>
      /^c/i.test(part(m, 1))
        ? 'put the rest of the round in the block of an `IF:`'
        : 'FOR EACH goes through the whole list: shorten the list before it, or leave with `GOTO:` or `RETURN`',
  },
];
