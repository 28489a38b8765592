/** Lines of workflow files, of make and of other tools that configure what runs, and verbs that are written elsewhere here. */
import { around, declares, type ForeignLine, part, unread, write } from './foreign-line.js';

/** Units of time in words. */
const TIME = 'ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?';
const unitOf = (word: string): string => (/^ms/i.test(word) ? 'ms' : (word[0] ?? 's').toLowerCase());

/** The command above a line of which this is a setting. */
function commandAbove(line: string, text: string): RegExpExecArray | null {
  const above = around(line, text)?.[0] ?? '';
  return /^\s*((?:DO|CHECK))(?:\s*\[([^\]]*)\])?(:.*)$/.exec(above.slice(above.lastIndexOf('\n') + 1));
}

/** The line above with one more option. */
function withOption(option: string, line: string, text: string): string {
  const [, verb = 'DO', options = '', rest = ': …'] = commandAbove(line, text) ?? [];
  const others = options.split(/\s+/).filter((one) => one !== '' && one.split('=')[0] !== option.split('=')[0]);
  return `\`${verb} [${[...others, option].join(' ')}]${rest}\``;
}

/** What is true of a value of other tools is true of its name here. */
const ownCondition = (condition: string): string =>
  condition
    .replace(/\b(?:inputs|env|vars|github\.event\.inputs)\.(?=\w)/g, '')
    .replace(/'([^'"]*)'/g, '"$1"')
    .replace(/&&/g, 'AND')
    .replace(/\|\|/g, 'OR');

export const sectionLines = (): readonly ForeignLine[] => [
  {
    line: /^(?:-\s*)?uses:\s*(\S+)$/,
    codes: unread,
    message: (m) => `\`${part(m, 1)}\` is an action of another service, and no command`,
    help: (m) =>
      /checkout/.test(part(m, 1))
        ? 'remove it: commands run in the working directory, which is there'
        : 'write the command that it runs: `DO: …`',
  },
  {
    line: /^(?:needs|depends[_-]?on):.*$/i,
    codes: unread,
    message: () => 'an instruction comes after the lines above it, and a state after the `GOTO:` to it',
    help: () => 'remove this line, and put what it needs above',
    block: true,
  },
  {
    line: /^timeout(?:[-_](?:minutes|seconds))?\s*[:=]?\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|seconds?|minutes?|hours?)?$/i,
    codes: unread,
    message: () => 'a time limit is an option of a command, or a limit of the run',
    help: (m, _, text) => {
      const unit = m[2] ?? (/minutes/i.test(m[0]) ? 'm' : 's');
      const time = `${part(m, 1)}${unitOf(unit)}`;
      return `write ${withOption(`timeout=${time}`, m[0], text)}, or \`LIMIT: time=${time}\` at the margin for the whole run`;
    },
  },
  {
    line: /^(?:continue[-_]on[-_]error|ignore[-_]errors?|allow[-_]failure)(?:\s*[:=]\s*(?:true|yes|on))?$/i,
    codes: unread,
    message: () => 'which exit codes a command may have is an option of the command',
    help: (m, _, text) => `write ${withOption('ok=any', m[0], text)}`,
  },
  {
    line: /^env:?\s*(?:(\w+)\s*[=:]\s*(\S.*))?$/i,
    codes: unread,
    message: () => 'a variable of the environment is an option of the command that reads it',
    help: (m, _, text) =>
      `write ${withOption(m[1] === undefined ? 'env.NAME=value' : `env.${part(m, 1)}=${part(m, 2)}`, m[0], text)}`,
    block: true,
  },
  {
    line: /^SECRETS?:?\s+(\w+)$/i,
    codes: unread,
    message: () => 'a secret is an input',
    help: write,
    by: (m) => `INPUT: ${part(m, 1)} (secret)`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^if:\s*(?:\$\{\{)?\s*(?:success|failure|always|cancelled)\(\)\s*(?:\}\})?$/,
    codes: /unknown-verb|bad-character|not-a-condition|missing|unknown-function/,
    message: () => 'a condition cannot ask how a command ended',
    help: () =>
      'what stands below a command runs only if it succeeded; write `ON ERROR: → …` at the end of the state for a failure',
  },
  {
    line: /^if:\s*\$\{\{\s*(.*?)\s*\}\}$/,
    codes: /unknown-verb|bad-character|not-a-condition|missing/,
    message: () => 'a condition has no braces around it, and its actions below it',
    help: (m) => `write \`IF: ${ownCondition(part(m, 1))} →\`, and its actions below it, indented deeper`,
  },
  {
    line: /^(?:ASSERT|VERIFY|REQUIRE|ENSURE)\b:?\s+([^→]*(?:[=<>]|\bis\b|\bcontains\b)[^→]*)$/,
    codes: unread,
    message: () => 'what must hold is a condition',
    help: write,
    by: (m) => `IF: NOT (${part(m, 1)}) → FAIL: "not ${part(m, 1).replace(/["\\{}]/g, "'")}"`,
  },
  {
    line: /^(?:SIGNAL|RECEIVE|LISTEN|ON SIGNAL):?\s+(\w+)$/,
    codes: unread,
    help: (_, by) => `write \`${by}\` to wait for it; it is sent from outside, with \`statedsl signal\``,
    by: (m) => `WAIT: signal ${part(m, 1)}`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^AGENT(?::\s*|\s+)([\w-]+):?\s+(".*)$/,
    codes: /section-outside/,
    help: write,
    by: (m) => `DO: Task(${part(m, 1)}) ${part(m, 2)}`,
  },
  {
    line: /^RETRY:\s*(\d+)(?:\s*(?:x|times|attempts?|tries))?$/i,
    codes: /section-outside/,
    message: () => 'how often a command is tried again is an option of the command',
    help: (m, _, text) => `write ${withOption(`retry=${part(m, 1)}`, m[0], text)}`,
  },
  {
    line: /^RETRY:\s*(\d+)(?:\s*(?:x|times|attempts?|tries))?$/i,
    codes: /unexpected|retry-without-exit/,
    message: () => 'a RETRY says after how many attempts it ends',
    help: write,
    by: (m) => `RETRY: EXIT ${part(m, 1)}`,
  },
  {
    line: /^(?!(?:IF|ELSE|DEFAULT|ON)\b)((?:NOT\s+)?(?:gate\.|ATTEMPT\b|[a-z_]\w*\b)[^"→]*(?:→|->)\s*)("(?:[^"\\]|\\.)*")$/,
    codes: /unexpected/,
    message: () => 'an entry of a RETRY says what changes',
    help: write,
    by: (m) => `${part(m, 1)}PROMPT ${part(m, 2)}`,
  },
  {
    line: /^(?:FINALLY|ALWAYS|CLEAN[ _-]?UP|DEFER|ENSURE)\b:?\s*(?:DO:\s*)?(.*)$/i,
    codes: unread,
    block: true,
    message: () => 'what cleans up belongs to the command that it cleans up after',
    help: (m) =>
      `write \`UNDO: ${part(m, 1) || '…'}\` below that command, and \`ROLLBACK\` before each end of the run, also in \`STATE: ERROR\``,
  },
  {
    line: /^(?:CALL|RUN|INCLUDE|IMPORT|USE):?\s+["']?([\w./-]+\.(?:dsl|md|ya?ml))["']?(?:\s+(?:with\s+)?.*)?$/,
    codes: /unknown-tool|unknown-verb|not-an-instruction|unexpected/,
    message: () => 'another program is run by a command',
    help: (m) =>
      `write \`DO: statedsl run ${part(m, 1)}\`, or \`IMPORT: "${/^\.{0,2}\//.test(part(m, 1)) ? '' : './'}${part(m, 1)}"\` at the margin for its patterns`,
  },
  {
    line: /^((?:ELSE )?IF:)\s*(NOT\s+|!\s*)?(-[bcdefhLrswxz])\s+("[^"]*"|[^\s→"]+)\s*(?:→|->)\s*(.*)$/,
    codes: /unexpected|bad-character|unknown-name|not-a-condition|wrong-type|operator-spelling/,
    message: () => 'a condition runs no test of the shell',
    help: (m, by) => (by === null ? 'test it with a command above: `CHECK: tested = test …`' : write(m, by)),
    by: (m) => {
      if (part(m, 1) !== 'IF:') return undefined;
      const test = `test ${part(m, 3)} ${part(m, 4).replace(/^"?\$\{?(\w+)\}?"?$/, '{$1}')}`;
      return `CHECK: tested = ${test}\nIF: exit_code(tested) ${m[2] === undefined ? '==' : '!='} 0 → ${part(m, 5)}`.trimEnd();
    },
    binds: () => ['tested'],
  },
  {
    line: /^\.PHONY:?.*$/,
    codes: unread,
    message: () => 'this is a line of a Makefile',
    help: () => 'remove it: a state has no file',
    by: () => null,
  },
  {
    line: /^@\s*((?:\.{0,2}\/)?[a-z].*)$/,
    codes: unread,
    message: () => 'a command has no `@` before it',
    help: write,
    by: (m) => (/^[a-z]\w*$/.test(part(m, 1)) ? undefined : `DO: ${part(m, 1)}`),
  },
  {
    line: /^-((?:rm|rmdir|mkdir|docker|kill|pkill|git|make|npm)\b.*)$/,
    codes: unread,
    message: () => 'a command that may fail says so in its options',
    help: write,
    by: (m) => `DO [ok=any]: ${part(m, 1)}`,
  },
  {
    line: /^(?!(?:DO|CHECK|SET|TRACK|INPUT|RETURN|EMIT|FAIL|UNDO)\b)([A-Za-z_]\w*)\s*(?::=|\?=|::=)\s*([^\s"'].*)$/,
    codes: unread,
    help: (_, by) => `write \`${by}\`, or \`DO:\` with the same for the output of a command`,
    by: (m) =>
      `TRACK: ${part(m, 1)} = ${/^-?\d+(?:\.\d+)?$|^(?:true|false|null)$/.test(part(m, 2)) ? part(m, 2) : `"${part(m, 2).replace(/["\\]/g, '\\$&')}"`}`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^(?!(?:run|name|shell|id|with|on|jobs?|steps?|stages?|script|image|if|for|while|else|try|except|finally|default)\b)([a-z][\w-]*):\s+((?:[a-z][\w./-]*)(?:\s+[a-z][\w./-]*)*)$/,
    codes: /^unknown-verb$/,
    when: (m, text) =>
      /^(?:all|build|check|clean|deploy|dist|docs|install|lint|package|release|test)$/.test(part(m, 1)) ||
      part(m, 2)
        .split(/\s+/)
        .every((name) => declares('STATE', name, text) || targets(name, text)),
    message: (m) => `\`${part(m, 1)}\` with what it depends on is a rule of a Makefile`,
    help: (m) =>
      `write \`STATE: ${part(m, 1)}\` at the margin, its commands below it with \`DO:\`, and \`GOTO: ${part(m, 1)}\` at the end of the state that comes before`,
    states: (m) => [part(m, 1)],
    block: true,
  },
  {
    line: /^(?:DO:\s*)(?:print|println|printf|puts|log(?:ger)?(?:\.\w+)?|logging\.\w+|console\.\w+)\(\s*f?(["'])([^"'\\]*)\1\s*\)$/,
    codes: /not-a-command|command-not-found|unsafe-position|unknown-function/,
    message: () => 'what a run says is an event',
    help: (m, by) => write(m, by),
    by: (m) => `EMIT: "${part(m, 2)}"`,
  },
  {
    line: /^(.*?[=(\s])(len|upper|lower|trim|keys|values|first|last|sort|unique|int|float|lines|sum|min|max)\s+([a-z_]\w*(?:\.\w+)*)((?:\s*(?:[<>=!]=?|→|->|AND\b|OR\b|is\b|in\b|contains\b|\+).*)?)$/,
    codes: /unexpected|command-not-found|not-a-command/,
    when: (m, text) =>
      new RegExp(
        `\\b${part(m, 3).replace(/\..*/, '')}\\s*(?:=(?!=)|\\(|$)|→\\s*${part(m, 3).replace(/\..*/, '')}\\b`,
        'm',
      ).test(text),
    message: (m) => `\`${part(m, 2)}\` takes its value in parentheses`,
    help: write,
    by: (m) =>
      /^(?:IF|ELSE IF|WAIT|SET|TRACK|DO|CHECK|RETURN)\b/.test(m[0])
        ? `${part(m, 1).replace(/^CHECK/, 'DO')}${part(m, 2)}(${part(m, 3)})${part(m, 4)}`
        : undefined,
  },
  {
    line: /^(INPUT|TRACK|SET)(:\s*\w+\s*=\s*)((?:v?\d+(?:\.\d+){2,}|v\d+(?:\.\d+)*|\d*[A-Za-z]\w*(?:[.-]\w+)+)(?:-[\w.]+)?)(\s*\(.*\))?$/,
    codes: /input-default|bad-character|unexpected|unknown-name|bad-number/,
    when: (m, text) => part(m, 1) === 'INPUT' || !new RegExp(`\\b${part(m, 3).split(/[.-]/)[0]}\\s*=`).test(text),
    help: (m) => `write \`"${part(m, 3)}"\` for the text`,
    by: (m) => `${part(m, 1)}${part(m, 2)}"${part(m, 3)}"${part(m, 4)}`,
  },
  {
    line: /^(INPUT:\s*\w+\s*=\s*)(yes|no|on|off|none|null|true|false)(\s*\(.*\bone of:(.*)\))$/i,
    codes: /input-default|input-choice|bad-input-note/,
    when: (m) =>
      part(m, 4)
        .split(/[,|]/)
        .some((one) => one.trim() === part(m, 2)),
    help: write,
    by: (m) => `${part(m, 1)}"${part(m, 2)}"${part(m, 3)}`,
  },
  {
    line: new RegExp(`^(LIMIT:.*?\\btime\\s*=\\s*)(\\d+(?:\\.\\d+)?)\\s*(${TIME})\\b(.*)$`, 'i'),
    codes: /bad-duration|unknown-option|unexpected/,
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 2)}${unitOf(part(m, 3))}${part(m, 4)}`,
  },
  {
    line: /^LIMIT:\s*time\s*=\s*"?\{?([A-Za-z_]\w*)\}?"?$/,
    codes: /bad-duration|bad-option|unexpected|missing/,
    message: () => 'the limit of a run is written in the program',
    help: (m) =>
      `write \`LIMIT: time=30m\`; what a run is given can limit a command: \`DO [timeout={${part(m, 1)}}]: …\``,
  },
];

/** Whether the text has a rule of a Makefile for the name. */
const targets = (name: string, text: string): boolean =>
  new RegExp(`^\\s*${name.replace(/[.]/g, '\\.')}:`, 'm').test(text);
