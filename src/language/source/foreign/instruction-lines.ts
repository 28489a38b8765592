/** Instructions of other languages that print, wait, ask and call agents. */
import { isMisspelling } from '../../../prelude/nearest.js';
import { SERVERS_HELP } from '../catalogue/workflow.js';
import { COMMANDS, declares, type ForeignLine, mentions, part, unread, write } from './foreign-line.js';

const unit = (word: string): string =>
  /^ms|^milli/i.test(word) ? 'ms' : /^[mhd]/i.test(word) ? word.charAt(0).toLowerCase() : 's';

const DURATION = String.raw`\d+(?:\.\d+)?(?:ms|s|m|h|d)|\{\w+\}`;

const action = /^((?:IF|ELSE|DEFAULT|ELSE IF)\b.*?(?:→|->)\s*)/;

export const instructionLines = (): readonly ForeignLine[] => [
  { line: /^(?:SHELL|BASH|SH|COMMAND|CMD):\s*(.+)$/i, codes: unread, help: write, by: (m) => `DO: ${part(m, 1)}` },
  { line: /^ECHO:\s*(["']?)([^"'\\]*)\1$/, codes: unread, help: write, by: (m) => `EMIT: "${part(m, 2)}"` },
  { line: /^ERROR:\s*(.+)$/, codes: unread, help: write, by: (m) => `FAIL: ${part(m, 1)}` },
  { line: /^RESULT:\s*(.+)$/, codes: unread, help: write, by: (m) => `RETURN: ${part(m, 1)}` },
  {
    line: /^ON\s+(?:FAILURE|FAILED|FAIL|EXCEPTION):?\s*(?:→|->)?\s*([A-Z].*)$/,
    codes: /unknown-verb|not-an-instruction|missing-colon/,
    help: write,
    by: (m) => `ON ERROR: → ${part(m, 1)}`,
  },
  {
    line: /^ON\s+TIMEOUT:?\s*(?:→|->)?\s*([A-Z].*)$/,
    codes: /unknown-verb|not-an-instruction|missing-colon/,
    help: write,
    by: (m) => `ON ERROR timeout: → ${part(m, 1)}`,
  },
  {
    line: /^ON\s+(?:SUCCESS|OK|COMPLETE|DONE)\b.*$/,
    codes: /unknown-verb|not-an-instruction|missing-colon/,
    help: () => 'write these actions as the next lines of the state: they run only if nothing above failed',
  },
  {
    line: /^ON[ _]?ERROR\s*(?:\(\s*(\w+)\s*\)|\*|as\s+\w+)?\s*:?\s*(?:→|->|=>)?\s*((?:GOTO|RETURN|FAIL|EMIT|DO|SET|ROLLBACK|USE|ASK)\b.*)$/i,
    codes: /missing-colon|unexpected|unknown-verb|not-an-instruction/,
    // In other letters it is read as the verb that it is.
    when: ([line]) => line.startsWith('ON ERROR') || !/^on[ \t]+error[ \t]*(?::\s|→|->)/i.test(line),
    help: write,
    by: (m) =>
      `ON ERROR${m[1] === undefined ? '' : ` ${m[1]}`}: → ${part(m, 2).replace(/^\w+/, (verb) => verb.toUpperCase())}`,
  },
  {
    line: /^ON ERROR\s+(\w+)(?:\s*[,|]\s*|\s+(?:or|OR|and|AND)\s+)(\w+):?\s*(?:→|->)\s*(.+)$/,
    codes: /missing-colon|unexpected|unknown-verb/,
    message: () => '`ON ERROR` handles one kind of failure, or each of them',
    help: write,
    by: (m) => `ON ERROR ${part(m, 1)}: → ${part(m, 3)}\nON ERROR ${part(m, 2)}: → ${part(m, 3)}`,
  },
  {
    line: /^(?:CONFIRM|APPROVE|APPROVAL|QUESTION|HUMAN|GATE):\s*("[^"]*")\s*(?:(?:→|->)\s*(\w+))?$/,
    codes: unread,
    help: write,
    by: (m) => `ASK user: ${part(m, 1)} → ${m[2] ?? 'go'} choices=yes,no`,
    binds: (m) => [m[2] ?? 'go'],
  },
  {
    line: /^TASK:?\s+([\w-]+):?\s+(".*)$/,
    codes: unread,
    help: write,
    by: (m) => `DO: Task(${part(m, 1)}) ${part(m, 2)}`,
  },
  {
    line: /^(?:POLL|WATCH|WAIT_FOR|AWAIT):\s*(\S.*)$/,
    codes: unread,
    help: (m) =>
      `write \`WAIT: status == "done" OR timeout=5m every=10s\`, and in the block below it \`CHECK: status = ${part(m, 1)}\``,
  },
  {
    line: /^(DO:\s*(?:\w+\s*=\s*)?Task\(\s*[\w-]+)\s*,\s*("[^"]*")\s*\)(.*)$/,
    codes: /unknown-function|unexpected|bad-name/,
    help: write,
    by: (m) => `${part(m, 1)}) ${part(m, 2)}${part(m, 3)}`,
  },
  {
    line: /^DO:\s*((?:\w+\s*=\s*)?Task\([\w-]+\))\s*(?::|prompt\s*=|\[([^\]]*)\])\s*(\S.*)$/,
    codes: /prompt-missing|unexpected/,
    help: write,
    by: (m) => {
      const prompt = part(m, 3).startsWith('"') ? part(m, 3) : `"${part(m, 3)}"`;
      if (/^"[^"]*"[^"]*"/.test(prompt) && !part(m, 3).startsWith('"')) return undefined;
      return `DO${m[2] === undefined ? '' : ` [${m[2]}]`}: ${part(m, 1)} ${prompt}`;
    },
  },
  {
    line: /^(DO.*?\bTask\()\s*(?:agent|name|model)\s*[=:]\s*["']?([\w.-]+)["']?\s*(?:,\s*(?:prompt\s*[=:]\s*)?("[^"]*"))?\s*\)(.*)$/,
    codes: /bad-name|unexpected|unknown-agent/,
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 2)})${m[3] === undefined ? '' : ` ${m[3]}`}${part(m, 4)}`,
  },
  {
    line: /^EMIT:\s*(\w+)\s*(?::\s*(?=.*[^)]$)|\(\s*(?=.*\)$)|\{\s*(?=.*\}\}?$))(\w+\s*=(?:[^{}]|\{[^{}]*\})*?)\s*[)}]?$/,
    codes: /bad-name|unexpected|missing/,
    help: write,
    by: (m) =>
      `EMIT: ${part(m, 1)} ${part(m, 2)
        .replace(/\s*=\s*/g, '=')
        .replace(/\s*,\s*/g, ' ')}`,
  },
  {
    line: /^(.*\b(?:GOTO|USE):?\s*\w+(?:\s*,)?\s+|EMIT:\s*\w+\s+)(?:with\s+)?([({[]?)\s*(\w+\s*[=:]\s*(?:[^\s:(){}[\]]|\{[\w.]+\})(?:[^(){}]|\{[\w.]+\})*?)\s*([)}\]]?)$/,
    codes: /unexpected|unknown-name|missing|bad-/,
    help: write,
    by: (m, text) => {
      if ((part(m, 2) === '') !== (part(m, 4) === '')) return undefined;
      const values = part(m, 3)
        .replace(/(^|[,\s])(\w+)\s*[:=]\s*(?=[^\s:/=])/g, '$1$2=')
        .replace(/=([A-Za-z_]\w*)(?=$|[,\s])/g, (all, value) => (mentions(value, text) ? `={${value}}` : all));
      const isEvent = part(m, 1).startsWith('EMIT');
      return part(m, 1).replace(/\s*,\s*$/, ' ') + (isEvent ? values.replace(/\s*,\s*/g, ' ') : `with ${values}`);
    },
    binds: (m) => [...part(m, 3).matchAll(/(?:^|[,\s])(\w+)\s*[:=]/g)].map(([, name]) => name as string),
  },
  {
    line: /^(DO(?:\s*\[.*?\])?:\s*)(Task\([\w-]+\)\s*"(?:[^"\\]|\\.)*".*?)\s*(?:→|->|=>|\bas\b|\binto\b)\s*(\w+)$/i,
    codes: /unexpected/,
    message: () => 'a result has its name before the agent',
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 3)} = ${part(m, 2)}`,
    binds: (m) => [part(m, 3)],
  },
  {
    line: /^ASK(?:\s+user)?:\s*("[^"]*")\s*(?:→\s*(\w+)\s*)?[[(]\s*(\w+(?:\s*[/|,]\s*\w+)+)\s*[\])]$/,
    codes: /bad-character|unexpected|missing/,
    help: write,
    by: (m) => `ASK user: ${part(m, 1)} → ${part(m, 2) || 'go'} choices=${part(m, 3).replace(/\s*[/|,]\s*/g, ',')}`,
    binds: (m) => [part(m, 2) || 'go'],
  },
  {
    line: /^(DO|CHECK)\s*\[(?:name|output|out|as|register|id|into|result|var|save|bind)=["']?(\w+)["']?\]:\s*(.+)$/,
    codes: /unknown-option/,
    message: () => 'a result has its name before the command',
    help: write,
    by: (m) => `${part(m, 1)}: ${part(m, 2)} = ${part(m, 3)}`,
    binds: (m) => [part(m, 2)],
  },
  {
    line: /^EMIT:\s*(\w+)(?:\s*[:,]\s*|\s+(?:with\s+)?)(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))$/,
    codes: /unexpected/,
    help: write,
    by: (m, text) => {
      const name = part(m, 2) || part(m, 3);
      return m[2] !== undefined || mentions(name, text) ? `EMIT: ${part(m, 1)} ${name}={${name}}` : undefined;
    },
  },
  {
    line: /^EMIT:\s*([a-z]\w*(?:\s+[\w'’.!,-]+)+)$/,
    codes: /unexpected/,
    help: write,
    by: (m) => `EMIT: "${part(m, 1)}"`,
  },
  {
    line: /^EMIT:\s*(\w+)\s+(?:with\s+)?\{\s*(["']?\w+["']?\s*:\s*["']?\w+["']?(?:\s*,\s*["']?\w+["']?\s*:\s*["']?\w+["']?)*)\s*\}$/,
    codes: /unexpected|bad-/,
    help: write,
    by: (m, text) => {
      const fields = part(m, 2)
        .split(/\s*,\s*/)
        .map((field) => {
          const [, name = '', value = ''] = /^["']?(\w+)["']?\s*:\s*(.*)$/.exec(field) ?? [];
          return `${name}=${mentions(value, text) ? `{${value}}` : value}`;
        });
      return `EMIT: ${part(m, 1)} ${fields.join(' ')}`;
    },
  },
  {
    line: /^(?:((?:ELSE )?IF)|ELIF|ELSIF|ELSEIF)\b:?\s*([^→]*?[^\s→:{])\s*(?:\bTHEN\b:?|:|\{)\s*(GOTO|RETURN|FAIL|EMIT|DO|SET|INCREMENT|USE|CHECK|WAIT|ASK)\b((?::?\s[^{}]*)?(?:\{[\w.]+\}[^{}]*)*?)\s*\}?$/i,
    codes: /missing-arrow|missing-colon|unexpected|unknown-verb|not-an-instruction/,
    help: write,
    by: (m) =>
      `${(m[1] ?? 'ELSE IF').toUpperCase()}: ${part(m, 2)} → ${part(m, 3).toUpperCase()}${part(m, 4)}`.trimEnd(),
  },
  {
    line: /^(?:DO:\s*)?((?:\w+\s*=\s*)?)(?:ASK|ask)(?:\s+user)?:?\s*\(?\s*("[^"]*")\s*\)?(.*)$/,
    codes: /not-a-command|command-not-found|unknown-function/,
    help: write,
    by: (m) => {
      const name = part(m, 1) === '' ? '' : ` → ${part(m, 1).replace(/\W/g, '')}`;
      return `ASK user: ${part(m, 2)}${name} ${part(m, 3).trim()}`.trimEnd();
    },
    binds: (m) => [part(m, 1).replace(/\W/g, '')],
  },
  {
    line: /^(?:CHECK|ASSERT|VERIFY|REQUIRE|ENSURE|EXPECT):\s*(([A-Za-z_]\w*)(?:\.\w+)*\s*(?:==|!=|[<>]=?)\s*[^→]+?)(\s*(?:→|->).*)?$/,
    codes: /unknown-verb|command-not-found|not-a-command/,
    never: true,
    message: (m) =>
      m[0].startsWith('CHECK') ? 'CHECK runs a command, and this is a condition' : 'a condition stands in an IF',
    help: write,
    by: (m, text) => {
      if (m[0].startsWith('CHECK') && !mentions(part(m, 2), text)) return undefined;
      return m[3] === undefined
        ? `IF: NOT (${part(m, 1)}) → FAIL: "not ${part(m, 1).replace(/["\\]/g, "'")}"`
        : `IF: ${part(m, 1)}${part(m, 3)}`;
    },
  },
  {
    line: /^(?:(?:DO|CALL|RUN|USE(?=:\s*\w+\s*=)):\s*|(?=\w))(?!(?:USE(?!\s)|GOTO|DO|CALL|RUN|STATE|PATTERN)\b)(?:\w+\s*=\s*)?(?:USE\s+)?(\w+)(?:\s*\((.*)\)|:?\s+with\s+(.+)|:\s*)$/,
    codes: /not-a-command|command-not-found|unknown-function|unknown-verb|not-an-instruction|unknown-pattern/,
    message: (m) => `\`${part(m, 1)}\` is a pattern: USE inserts it, and it has no result`,
    help: write,
    by: (m, text) => {
      if (!declares('PATTERN', part(m, 1), text)) return undefined;
      const values = m[2] ?? m[3] ?? '';
      if (values !== '' && !values.includes('=')) return `USE: ${part(m, 1)}(${values})`;
      return `USE: ${part(m, 1)}${values === '' ? '' : ` with ${values}`}`;
    },
  },
  { line: /^KEEP\b.+$/, codes: /unexpected|missing-colon/, help: write, by: () => 'KEEP' },
  {
    line: /^(?:DO|CHECK)\s*\[[^\]]*\b(?:background|bg|async|detach|nowait|no_wait|parallel|daemon)\b.*?\]:\s*(.+)$/,
    codes: /unknown-option/,
    message: () => 'an instruction ends before the next one begins: there is no work in the background',
    help: (m) =>
      `write \`DO: in PARALLEL\`, and below it \`- ${part(m, 1)}\` and a member for what runs at the same time`,
  },
  {
    line: /^(.*\bPARALLEL\s*\[[^\]]*?)\b(?:limit|concurrency|jobs|workers|parallel)=(\d+)(.*)$/,
    codes: /unknown-option/,
    help: write,
    by: (m) => `${part(m, 1)}max=${part(m, 2)}${part(m, 3)}`,
  },
  {
    line: /^(.*\bPARALLEL\s*\[[^\]]*?)\b(?:fail_?fast=(?:false|no|off)|(?:continue|keep_going)\w*(?:=\w+)?)(.*)$/,
    codes: /unknown-option/,
    help: write,
    by: (m) => `${part(m, 1)}on_failure=keep${part(m, 2)}`,
  },
  {
    line: /^(?:DO|CHECK|UNDO|CALL|PLAN)(?=[^:]*[^\S \t])\s*\[[^\]\n]*\]\s*:.*$/,
    sure: /^\w+\s*\[[ \t!-~]*\]\s*:/,
    codes: /missing-colon|unexpected|bad-/,
    message: () => 'this line has a space that is not an ordinary one',
    help: () => 'write ordinary spaces',
    by: (m) => m[0].replace(/^.*?\]\s*:/, (header) => header.replace(/[^\S \t]/g, ' ')),
  },
  {
    line: /^(?:print|println|printf|puts|log(?:ger)?(?:\.\w+)?|logging\.\w+|say|output|show|display|message|info|event|console\.\w+|write)(?:\s*:\s*|\s*\(\s*|\s+)(["']?)(.*?)\1\s*\)?;?$/i,
    codes: unread,
    help: write,
    by: (m, text) => {
      if (/["\\]/.test(part(m, 2))) return undefined;
      // In parentheses and without quotes, it is a value.
      const isValue =
        part(m, 1) === '' && /\(/.test(m[0]) && /^[A-Za-z_][\w.]*$/.test(part(m, 2)) && mentions(part(m, 2), text);
      return `EMIT: "${isValue ? `{${part(m, 2)}}` : part(m, 2)}"`;
    },
  },
  {
    line: /^((?:EMIT|FAIL|ASK user):\s*)"(.*?\w.*?"\w.*?)"(\s*→.*)?$/,
    codes: /unexpected-text|unclosed-quote|missing/,
    message: () => 'the quotes in this text end it',
    help: (_, by) => `write \`\\"\` for quotes in a text: \`${by}\``,
    by: (m) => `${part(m, 1)}"${part(m, 2).replace(/(?<!\\)"/g, '\\"')}"${part(m, 3)}`,
  },
  { line: /^EMIT:\s*"([^"]*)"\s*\+\s*([\w.]+)$/, help: write, by: (m) => `EMIT: "${part(m, 1)}{${part(m, 2)}}"` },
  {
    line: /^(?:DO:\s*)?((?:\w+\s*=\s*)?)[Tt]ask\s+([\w-]+):?\s+(".*)$/,
    sure: /^DO:/,
    help: write,
    by: (m) => `DO: ${part(m, 1)}Task(${part(m, 2)}) ${part(m, 3)}`,
  },
  {
    line: /^(?:DO:\s*)?((?:\w+\s*=\s*)?)task\((.*)$/,
    sure: /^DO:/,
    codes: unread,
    help: write,
    by: (m) => `DO: ${part(m, 1)}Task(${part(m, 2)}`,
  },
  {
    line: /^DO:\s*((?:\w+\s*=\s*)?Task\([\w-]+\))\s+([^"'|>]+)$/,
    codes: /prompt-missing|unexpected/,
    help: write,
    by: (m) => `DO: ${part(m, 1)} "${part(m, 2)}"`,
  },
  {
    line: /^(?:sleep|pause|delay|WAIT)(?::|\s)\s*(\d+(?:\.\d+)?)\s*(ms|msecs?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)?$/i,
    sure: /^WAIT:\s*[\d.]+\s*[a-z]+$/i,
    help: write,
    by: (m) => `WAIT: ${part(m, 1)}${unit(part(m, 2))}`,
  },
  {
    line: /^WAIT:?\s+(?:for\s+)?(?:signal|event|message)?:?\s*["']([A-Za-z_]\w*)["'](?:\s+(?:OR\s+)?(timeout=.*))?$/i,
    codes: /unexpected|unknown-name|missing/,
    message: () => 'the name of a signal has no quotes',
    help: write,
    by: (m) => `WAIT: signal ${part(m, 1)}${m[2] === undefined ? '' : ` OR ${m[2]}`}`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^WAIT:\s*([A-Za-z_]\w*)(\s+OR\s+timeout=.*)?$/,
    codes: /^unknown-name$/,
    help: (m, by) => `write \`${by}\` to wait for a signal, or bind \`${part(m, 1)}\` above or in the block below`,
    by: (m) => `WAIT: signal ${part(m, 1)}${part(m, 2)}`,
    binds: (m) => [part(m, 1)],
    of: 1,
  },
  {
    line: /^WAIT:\s*(?:([A-Za-z_]\w*)\s*=\s*)?signal\s+([A-Za-z_]\w*)\s*(?:(?:→|->|[Aa][Ss]|=)\s*([A-Za-z_]\w*))?(?:\s+(?:OR\s+)?(timeout=.*))?$/,
    codes: /unexpected|missing|bad-character/,
    message: (m) => `the payload of a signal has its name: \`${part(m, 2)}\``,
    help: (m, by) => `write \`${by}\`, and read \`${part(m, 2)}\``,
    by: (m) => `WAIT: signal ${part(m, 2)}${m[4] === undefined ? '' : ` OR ${m[4]}`}`,
  },
  {
    // With the right options, another message says more about what is before them.
    line: new RegExp(
      `^(?!.* (?:OR|AND|&&|\\|\\|) timeout\\s*=\\s*(?:${DURATION})(?: every=(?:${DURATION}))?(?:\\s*\\(.*)?$)(WAIT:\\s*\\S.*?)` +
        `(,?\\s+(?:(?:OR|\\|\\|)\\s+)?(?:(?:\\b(?:t?tim|tmi|itm|tme)\\w*|time[ _-]out|for|within|limit|deadline|max)\\s*[:=]?\\s*|(?<=\\b(?:OR|\\|\\|)\\s+))` +
        `(${DURATION})(?:[\\s,]+ev\\w*\\s*[:=]?\\s*(${DURATION}))?(\\s*\\(.*\\))?)$`,
      'i',
    ),
    sure: (line) => {
      const [, name] = /^WAIT:[^"'{]* OR (\w+)=/.exec(line) ?? [];
      return name !== undefined && isMisspelling(name, 'timeout', ['timeout', 'every']);
    },
    codes: /unexpected|unknown-name|operator-spelling/,
    message: () => 'what ends a WAIT is written `OR timeout=`, and the pause between looks `every=`',
    help: write,
    by: (m) => {
      const every = m[4] === undefined ? '' : ` every=${m[4]}`;
      return `${part(m, 1)} OR timeout=${part(m, 3)}${every}${part(m, 5)}`;
    },
  },
  {
    line: /^WAIT\s*\[\s*(?:(timeout=[\w.{}]+)(?:[\s,]+(every=[\w.{}]+))?|(every=[\w.{}]+)(?:[\s,]+(timeout=[\w.{}]+))?)\s*\]\s*:\s*(.+)$/,
    // A limit that is not written is not added without asking.
    sure: /^WAIT\s*\[[^\]]*\btimeout=/,
    codes: /missing|unexpected|unknown-option|bad-/,
    message: () => 'the options of a WAIT follow what it waits for',
    help: write,
    by: (m) => {
      const [timeout, every] = [m[1] ?? m[4] ?? 'timeout=300s', m[2] ?? m[3]];
      return `WAIT: ${part(m, 5)} OR ${timeout}${every === undefined ? '' : ` ${every}`}`;
    },
    binds: (m) => /^signal\s+(\w+)/.exec(part(m, 5))?.slice(1) ?? [],
  },
  {
    line: /^WAIT:\s*signal\s+(\w+)(?:\s*(?:,|\||\bOR\b|\bor\b|\bAND\b|\band\b)\s*(?:signal\s+)?(?!timeout\b|every\b)(\w+))+(?:\s+OR\s+timeout=.*)?$/,
    codes: /unexpected|missing|operator-spelling/,
    message: () => 'a WAIT awaits one signal',
    help: (m) =>
      `let the sender say which in the payload: \`WAIT: signal answer\`, then \`IF: answer == "${part(m, 1)}" → …\` and \`IF: answer == "${part(m, 2)}" → …\``,
    binds: (m) => [part(m, 1), part(m, 2)],
  },
  {
    line: /^MODEL:?\s*["']?([\w./:-]+)["']?$/i,
    codes: unread,
    help: () =>
      'an agent has a model: write `agents: { NAME: { adapter: claude, model: … } }` in statedsl.config.yaml, and `DO: Task(NAME) "…"` here',
  },
  {
    line: /^WAIT:?\s+(?:UNTIL|FOR|WHILE):?\s+(\D.*)$/i,
    codes: /unexpected|unknown-name|missing/,
    help: write,
    by: (m) => `WAIT: ${part(m, 1)}${/\btimeout=/.test(part(m, 1)) ? '' : ' OR timeout=60s'}`,
  },
  {
    line: /^WAIT:\s*(?:\$\{(\w+)\}|\$(\w+)|([a-z]\w*))\s*(ms|s|m|h|d|seconds?|minutes?|hours?)$/,
    codes: /unexpected|bad-character|bad-duration/,
    help: write,
    by: (m, text) => {
      const name = part(m, 1) || part(m, 2) || part(m, 3);
      return mentions(name, text) ? `WAIT: {${name}}${unit(part(m, 4))}` : undefined;
    },
  },
  {
    line: /^(DO|CHECK)\s*\(?((?:\s*\w+=[^\s:()[\]]+)+)\)?\s*:\s*(.+)$/,
    sure: true,
    help: write,
    by: (m) => `${part(m, 1)} [${part(m, 2).trim()}]: ${part(m, 3)}`,
  },
  {
    line: /^ASK(?:\s+user)?:\s*(".*?")\s*\((\w+(?:[/,|]\s*\w+)+)\)(.*)$/,
    help: write,
    by: (m) => `ASK user: ${part(m, 1)}${part(m, 3)} choices=${part(m, 2).replace(/[/|]|,\s+/g, ',')}`,
  },
  {
    line: /^ASK\s+(?!user\b)@?[\w.-]+:?\s*("[^"]+".*)$/,
    codes: /missing-part/,
    help: (_, by) => `write \`${by}\`; who may answer is \`approvers:\` of the configuration`,
    by: (m) => `ASK user: ${part(m, 1)}`,
  },
  {
    line: /^(ASK.*?)\btimeout=(\w+)(.*)$/,
    codes: /unknown-option/,
    help: (_, by) => `write \`${by}\`, with a \`default=\` for who is late`,
    by: (m) => `${part(m, 1)}deadline=${part(m, 2)}${part(m, 3)}`,
  },
  {
    line: /^(ASK.*?)\b(?:options|answers|values)=(.*)$/,
    codes: /unknown-option/,
    help: write,
    by: (m) => `${part(m, 1)}choices=${part(m, 2)}`,
  },
  {
    line: /^(ASK.*?\b(?:choices|show)=)\s*\(?\s*([\w.-]+(?:\s*,\s*[\w.-]+)+)\s*\)?$/,
    codes: /unexpected|bad-character|missing/,
    help: write,
    by: (m) => part(m, 1) + part(m, 2).replace(/\s*,\s*/g, ','),
  },
  {
    line: /^ASK(?::\s*user)?\s*("[^"]*".*)$/,
    codes: /unexpected|missing/,
    help: write,
    by: (m) => `ASK user: ${part(m, 1)}`,
  },
  { line: /^ASK:\s*(".*)$/, sure: true, help: write, by: (m) => `ASK user: ${part(m, 1)}` },
  {
    line: /^ASK(?:\s+user)?:\s*(?:(\w+)\s*=\s*("[^"]*")|("[^"]*")\s*(?:→|->|=>|as|into)\s*[{$]*(\w+)\}?)(.*)$/i,
    codes: /unexpected|missing|unknown-option|bad-character/,
    help: write,
    by: (m) => `ASK user: ${part(m, 2) || part(m, 3)} → ${part(m, 1) || part(m, 4)}${part(m, 5)}`,
    binds: (m) => [part(m, 1) || part(m, 4)],
  },
  {
    line: /^ASK(?:\s+user)?:?\s+(?!user:?(?:\s|$))([^"'→]+?)\s*(→\s*\w+)?$/,
    help: write,
    by: (m) => `ASK user: "${part(m, 1)}"${m[2] === undefined ? '' : ` ${m[2]}`}`,
  },
  { line: /^(?:read|input)\s*\(\s*("[^"]*")\s*\)$/i, help: write, by: (m) => `ASK user: ${part(m, 1)} → answer` },
  {
    line: /^(?:INCLUDE|LOAD|REQUIRE|import|include|require)(?::|\s)\s*["']?([\w./-]+)["']?;?$/,
    codes: unread,
    help: write,
    by: (m) => `IMPORT: "${part(m, 1)}"`,
  },
  {
    line: /^(?:\/\/|--|\/\*|<!--|REM\b|%)\s*(.*?)\s*(?:\*\/|-->)?$/,
    sure: /^(?:\/\/(?:\s|$)|<!--.*-->$|\/\*\s.*\*\/$)/,
    codes: unread,
    message: () => 'a comment begins with `#`',
    help: write,
    by: (m) => `# ${part(m, 1)}`,
  },
  { line: /^MCP(?:_?SERVERS?)?:/i, codes: unread, help: () => SERVERS_HELP },
  {
    line: /^(?:NAME|TITLE|VERSION|AUTHOR|DESCRIPTION|PURPOSE|GOAL|NOTE|NOTES|TODO|SUMMARY):\s*(.*)$/i,
    codes: unread,
    help: (m) => `make it a comment: \`# ${m[0]}\``,
    by: (m) => `# ${m[0]}`,
  },
  {
    line: new RegExp(`${action.source}((?:${COMMANDS})(?![\\w:=(]|\\s+:?\\+?=\\s).*|\\.{0,2}/[\\w.].*)$`),
    codes: unread,
    help: write,
    by: (m) => `${part(m, 1)}DO: ${part(m, 2)}`,
  },
];
