/** Calls of tools, plans, pages and commands in the words of other tools, each with the line that is meant. */
import { argumentsOf, asQuotedText, HEAD, isAgent, NOT_RUN, pair, QUOTED, withValues } from './agent-lines.js';
import { COMMANDS, declares, type ForeignLine, mentions, part, write } from './foreign-line.js';

/** `CALL` with the arguments of other languages; undefined: they have no names. */
function callOf(bind: string, tool: string, inside: string, text: string): string | undefined {
  const list = argumentsOf(inside.replace(/^\{(.*)\}$/s, '$1'));
  const values = withValues(
    list.flatMap((one) => (pair(one) === undefined && /\s/.test(one) && !/["']/.test(one) ? one.split(/\s+/) : [one])),
    text,
  );
  return values === undefined ? undefined : `CALL: ${bind}${tool.replace(/^tools?\./, '')}${values}`;
}

/** How other programs fetch a page, as a command. */
function curlOf(method: string, address: string, body: string): string {
  const verb = method.toUpperCase();
  const data = body === '' ? '' : ` -d '${body.replace(/'/g, '')}'`;
  return `curl -fsS${verb === 'GET' || verb === 'FETCH' || (verb === 'POST' && data !== '') ? '' : ` -X ${verb}`}${data} ${address}`;
}

const TOOL_VERBS = 'CALL_TOOL|TOOL_CALL|TOOL|USE_TOOL|RUN_TOOL|INVOKE|INVOKE_TOOL|EXECUTE_TOOL|ACTIVITY|FUNCTION';

/** Whatever is wrong with it is not its form. */
const RIGHT_CALL = /^CALL:\s+(?:\w+\s*=\s*)?["']?[\w-]+["']?(?:\s+with\s+(?!\{).*)?$/;

/** At the left margin, `TOOL: yes` is a declaration. */
const isAtMargin = (line: string, text: string): boolean =>
  new RegExp(`^${line.replace(/[^\w\s]/g, '\\$&')}`, 'm').test(text);

export const callLines = (): readonly ForeignLine[] => [
  // Tools
  {
    line: new RegExp(
      `^(?:CALL|${TOOL_VERBS}):?\\s+((?:(?!tool\\b|name\\b)\\w+\\s*=\\s*)?)(?:(?:function|tool|activity|task)\\s+)?(?:(?:tool|name)\\s*=\\s*)?["']?((?:tools?\\.)?[A-Za-z_][\\w-]*)["']?\\s*(?:\\(\\s*(.*?)\\s*\\)|(?:,|with\\b)?\\s*(\\{.*\\}|\\w+\\s*=(?!=).*?))?(?:\\s+(?:as|into)\\s+([A-Za-z_]\\w*))?$`,
    ),
    codes:
      /unknown-(?:tool|verb)|unexpected|not-an-instruction|missing|section-outside-step|bad-|ambiguous-word|operator-spelling/,
    when: (m, text) =>
      !/[→†]|->/.test(m[0]) &&
      !RIGHT_CALL.test(m[0]) &&
      !(/^TOOL\b/.test(m[0]) && isAtMargin(m[0], text)) &&
      !isAgent(part(m, 2)) &&
      !declares('PATTERN', part(m, 2), text) &&
      !declares('STATE', part(m, 2), text),
    message: () => 'a tool is called by its name, and its values follow `with`',
    help: write,
    by: (m, text) => callOf(m[5] === undefined ? part(m, 1) : `${m[5]} = `, part(m, 2), m[3] ?? m[4] ?? '', text),
    binds: (m) => [m[5] ?? /^\w*/.exec(part(m, 1))?.[0] ?? ''],
  },
  {
    line: /^CALL:?\s+((?:\w+\s*=\s*)?)([A-Za-z_][\w-]*)((?:\s+--?[A-Za-z][\w-]*(?:[= ][^\s-]\S*)?)+)$/,
    codes: /unexpected/,
    message: () => 'a tool is called by its name, and its values follow `with`',
    help: write,
    by: (m, text) => {
      const given = [...part(m, 3).matchAll(/--?([A-Za-z][\w-]*)(?:[= ]([^\s-]\S*))?/g)];
      return callOf(
        part(m, 1),
        part(m, 2),
        given.map(([, name = '', value = 'true']) => `${name.replaceAll('-', '_')}=${value}`).join(','),
        text,
      );
    },
  },
  {
    line: new RegExp(`^(?:${TOOL_VERBS}):?\\s+["']?([A-Za-z_][\\w-]*)["']?\\s*[(:,]?\\s*(${QUOTED})\\s*\\)?$`),
    codes: /unknown-verb|unexpected|missing|section-outside-step/,
    when: (m) => !isAgent(part(m, 1)),
    message: () => 'a tool is called by its name, and its values follow `with`',
    help: (m) =>
      `write \`CALL: ${part(m, 1)} with NAME=${asQuotedText(part(m, 2))}\`, where NAME is a parameter of the tool`,
  },
  {
    line: /^CALL:?\s+((?:\w+\s*=\s*)?)(\.{0,2}\/[^\s→†]+|[\w-]+\.(?:sh|py|js|ts)\b)((?:\s+[^→†]*)?)$/,
    codes: /unknown-tool/,
    help: (_, by) => `write \`${by}\`: CALL is for the tools of a \`tools.yaml\``,
    by: (m) => `DO: ${part(m, 1)}${/^[./]/.test(part(m, 2)) ? '' : './'}${part(m, 2)}${part(m, 3)}`,
    binds: (m) => [/^\w*/.exec(part(m, 1))?.[0] ?? ''],
  },
  {
    line: /^CALL:?\s+((?:\w+\s*=\s*)?[\w-]+(?:\s+with\s+[^[\]]*?)?)\s*\[([^[\]]+)\]$/,
    codes: /unexpected/,
    message: () => 'options stand before the colon',
    help: write,
    by: (m) => `CALL [${part(m, 2)}]: ${part(m, 1)}`,
  },
  {
    line: /^CALL:?\s+((?:\w+\s*=\s*)?)([A-Za-z_][\w-]*)\s+with\s+(\w+\s*:\s*\S.*)$/,
    codes: /unknown-name|unexpected/,
    help: write,
    by: (m, text) => callOf(part(m, 1), part(m, 2), part(m, 3), text),
  },
  {
    line: new RegExp(
      `^(?:CALL:?\\s+|DO(?:\\s*\\[[^\\]]*\\])?:\\s*)((?:\\w+\\s*=\\s*)?)(?:(?:tools?|mcp|functions?)\\.)?([A-Za-z_]\\w*)\\(\\s*(${QUOTED})\\s*\\)$`,
    ),
    codes: /unexpected|unknown-tool/,
    message: () => 'a tool is called by its name, and its values follow `with`',
    help: (m) =>
      `write \`CALL: ${part(m, 1)}${part(m, 2)} with NAME=${asQuotedText(part(m, 3))}\`, where NAME is a parameter of the tool`,
  },
  {
    line: /^DO(?:\s*\[[^\]]*\])?:\s*((?:\w+\s*=\s*)?)(?:(?:tools?|mcp|functions?)\.([A-Za-z_]\w*)\((.*)\)|([A-Za-z_]\w*)\(\s*(\w+\s*=(?!=).*)\))$/,
    codes: /not-a-command|command-not-found|unknown-function|operator-spelling/,
    when: (m) => m[4] === undefined || !/^(?:Agent|Crew|Task|LLM)/.test(m[4]),
    message: () => 'a tool is called by its name, and its values follow `with`',
    help: (m, by) =>
      by === null ? `write \`CALL: ${part(m, 1)}${part(m, 2)} with NAME=${part(m, 3)}\`` : `write \`${by}\``,
    by: (m, text) =>
      callOf(part(m, 1), m[2] ?? part(m, 4), m[3] ?? part(m, 5), text) ??
      `CALL: ${part(m, 1)}${m[2] ?? part(m, 4)} with NAME=${part(m, 3)}`,
  },
  {
    line: /^CALL:?\s+(?:sub-?flow|sub-?workflow|workflow|flow|program|child)\s+["']?([\w./-]+?)(?:\.dsl)?["']?(?:\s+with\s+(.*))?$/i,
    codes: /unknown-tool|unexpected/,
    message: () => 'another program is run by a command',
    help: write,
    by: (m) => {
      const values = argumentsOf(m[2] ?? '').map((one) => ` -i ${one}`);
      return `DO: statedsl run ${part(m, 1)}.dsl${values.join('')}`;
    },
  },
  {
    line: /^(?:DO|CHECK)(?:\s*\[[^\]]*\])?:\s*((?:\w+\s*=\s*)?)call\s+([A-Za-z_][\w-]*)(\s+with\s.*)?$/i,
    codes: NOT_RUN,
    help: write,
    by: (m) => `CALL: ${part(m, 1)}${part(m, 2)}${part(m, 3)}`,
    binds: (m) => [/^\w*/.exec(part(m, 1))?.[0] ?? ''],
  },
  {
    line: /^DO(?:\s*\[[^\]]*\])?:\s*((?:\w+\s*=\s*)?)(?:await\s+)?(?:activity|activities|workflow|execute_activity|executeActivity|self|ctx|context|tools?|step|steps)(?:\.(\w+))?\(\s*(.*?)\s*\)$/,
    codes: NOT_RUN,
    message: () => 'an activity is a tool or a command',
    help: write,
    by: (m, text) => {
      const list = argumentsOf(part(m, 3));
      const isNamed = m[2] !== undefined && !/^(?:execute|run|call|start|invoke)/.test(m[2]);
      const name = isNamed ? m[2] : list[0]?.replace(/^["']|["']$/g, '');
      if (name === undefined || !/^\w+$/.test(name)) return undefined;
      return callOf(part(m, 1), name, (isNamed ? list : list.slice(1)).join(','), text);
    },
    binds: (m) => [/^\w*/.exec(part(m, 1))?.[0] ?? ''],
  },
  // Plans
  {
    line: /^(?:PLAN|RUN_PLAN|EXECUTE_PLAN|EXECUTE|RUN):?\s+((?:\w+\s*=\s*)?)([\w./-]+\.json)(\s+with\s.*)?$/,
    codes: /missing-part|unknown-verb|unexpected/,
    message: () => 'the file of a plan is in quotes',
    help: (m) => `write \`PLAN: ${part(m, 1)}"${part(m, 2)}"${part(m, 3)}\``,
    binds: (m) => [/^\w*/.exec(part(m, 1))?.[0] ?? ''],
  },
  {
    line: /^PLAN:?(?:\s+(?!["'])(?:(\w+)\s*=\s*)?(?!["']).*)?$/,
    codes: /missing-part|unexpected/,
    block: true,
    message: () => 'a plan is a file with calls of tools',
    help: (m) =>
      `write \`PLAN: ${m[1] === undefined || /^PLAN:?\s+steps/.test(m[0]) ? '' : `${m[1]} = `}"./plan.json"\`; for a plan in words \`DO: plan = Task(claude) "…"\``,
  },
  // Commands
  {
    line: new RegExp(
      `^${HEAD}(?:(?:HTTP|http|curl:?)\\s+)?(GET|POST|PUT|PATCH|DELETE|HEAD|fetch|FETCH)\\s+["']?(https?:\\/\\/[^\\s"']+)["']?\\s*(\\{.*\\})?(?:\\s*(?:==|is)\\s*\\d+)?(?:\\s*(?:→|->)\\s*(\\w+))?$`,
    ),
    codes: /not-a-command|command-not-found|taken-as-text|name-after-command/,
    message: () => 'a page is fetched by a command',
    help: write,
    by: (m) => {
      const bound = m[5] === undefined || part(m, 1).includes('=') ? '' : `${m[5]} = `;
      return `${part(m, 1)}${bound}${curlOf(part(m, 2), part(m, 3), m[4] ?? '')}`;
    },
    binds: (m) => [m[5] ?? ''],
  },
  {
    line: new RegExp(
      `^${HEAD}(?:await\\s+)?(?:http|https|requests|axios|fetch|client|session|urllib)(?:\\.(get|post|put|patch|delete|request))?\\(\\s*["'\x60](https?:\\/\\/[^"'\x60]+)["'\x60].*\\)(?:\\.\\w+(?:\\(\\))?)*$`,
      'i',
    ),
    codes: NOT_RUN,
    message: () => 'a page is fetched by a command',
    help: write,
    by: (m) => `${part(m, 1)}${curlOf(m[2] ?? 'GET', part(m, 3), '')}`,
  },
  {
    line: new RegExp(`^${HEAD}(https?:\\/\\/\\S+)$`),
    codes: /command-not-found/,
    message: () => 'a page is fetched by a command',
    help: write,
    by: (m) => part(m, 1) + curlOf('GET', part(m, 2), ''),
  },
  {
    line: /^(DO|CHECK)((?:\s*\[[^\]]*\])?):\s*((?:\w+\s*=\s*)?)(?:command|cmd|run|shell|script|exec|execute|bash|sh|sudo)\s*:\s*["']?(\S.*?)["']?$/,
    codes: NOT_RUN,
    message: () => 'the command follows the colon',
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 2)}: ${part(m, 3)}${part(m, 4)}`,
  },
  {
    line: /^(DO|CHECK):\s*name:\s*["']?([\w -]+?)["']?\s*,\s*(?:command|cmd|run|shell|script):\s*["']?(\S.*?)["']?$/,
    codes: NOT_RUN,
    message: () => 'the command follows the colon',
    help: write,
    by: (m) => `${part(m, 1)}: ${part(m, 3)}`,
  },
  {
    line: new RegExp(`^(DO|CHECK):\\s*((?:\\w+\\s*=\\s*)?)[@!](?=(?:${COMMANDS})\\b|\\.{0,2}/)(.*)$`),
    codes: NOT_RUN,
    help: write,
    by: (m) => `${part(m, 1)}: ${part(m, 2)}${part(m, 3)}`,
  },
  {
    line: new RegExp(`^DO:\\s*((?:\\w+\\s*=\\s*)?)-(?=(?:${COMMANDS})\\b|\\.{0,2}/)(.*)$`),
    codes: NOT_RUN,
    message: () => 'every exit code is good with an option',
    help: write,
    by: (m) => `DO [ok=any]: ${part(m, 1)}${part(m, 2)}`,
  },
  {
    line: /^((?:DO|CHECK)(?:\s*\[[^\]]*\])?:.*?)\$[({]MAKE[)}](.*)$/,
    codes: NOT_RUN,
    help: write,
    by: (m) => `${part(m, 1)}make${part(m, 2)}`,
  },
  {
    line: /^(DO|CHECK):\s*((?:\w+\s*=\s*)?)(retry|retries|timeout|within)\s*(?:\(\s*(\d+(?:\.\d+)?(?:ms|[smhd])?)\s*\)\s*:?|\s(\d+(?:\.\d+)?(?:ms|[smhd])?)(?:\s+times)?\s*:?)\s+(\S.*)$/,
    codes: NOT_RUN,
    message: () => 'options stand in brackets before the colon',
    help: write,
    by: (m) => {
      const amount = m[4] ?? part(m, 5);
      const option = /^retr/.test(part(m, 3))
        ? `retry=${amount.replace(/\D+$/, '')}`
        : `timeout=${/\d$/.test(amount) ? `${amount}s` : amount}`;
      return `${part(m, 1)} [${option}]: ${part(m, 2)}${part(m, 6)}`;
    },
  },
  {
    line: /^DO:\s*(?:time\.)?(?:sleep|wait|delay|pause)\(\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h)?\s*\)$/i,
    codes: NOT_RUN,
    help: write,
    by: (m) => `WAIT: ${part(m, 1)}${m[2] ?? 's'}`,
  },
  {
    line: new RegExp(
      `^(?:await\\s+)?(?:(\\w+)\\s*=\\s*)?(?:sh|bash|bat|shell|run|exec|system|execSync|os\\.(?:system|popen)|subprocess\\.\\w+|child_process\\.\\w+)\\s*(?:\\(\\s*(?:\\[\\s*((?:${QUOTED}\\s*,?\\s*)+)\\]|(${QUOTED}))\\s*(?:,[^()]*)?\\)|\\s(${QUOTED}))(?:\\.\\w+(?:\\(\\))?)*;?$`,
    ),
    codes: /not-an-instruction|unknown-verb/,
    message: () => 'a command is written without a function around it',
    help: write,
    by: (m) => {
      const words = m[2]?.match(new RegExp(QUOTED, 'g'))?.map((one) => one.slice(1, -1));
      return `DO: ${m[1] === undefined ? '' : `${m[1]} = `}${words?.join(' ') ?? (m[3] ?? part(m, 4)).slice(1, -1)}`;
    },
    binds: (m) => [m[1] ?? ''],
  },
  {
    line: new RegExp(`^@((?:${COMMANDS})(?:\\s+.*)?)$`),
    codes: /not-an-instruction|unknown-verb/,
    message: () => 'a command has no `@` before it',
    help: write,
    by: (m) => `DO: ${part(m, 1)}`,
  },
  {
    line: /^DO:\s*uses:\s*(\S+)$/,
    codes: NOT_RUN,
    message: () => 'actions of other services do not run here',
    help: (m) =>
      /checkout/.test(part(m, 1))
        ? 'remove it: a run works in its folder'
        : 'write the command that does the same, as in `DO: npm ci`',
  },
  {
    line: /^CHECK:\s*\{([A-Za-z_][\w.]*)\}\s*(==|!=|<=|>=|<|>|contains)\s*("[^"]*"|[\w.]+)$/,
    codes: /unsafe-position|not-a-command|command-not-found/,
    message: () => 'CHECK runs a command, and this is a condition',
    help: write,
    by: (m) =>
      `IF: NOT (${part(m, 1)} ${part(m, 2)} ${part(m, 3)}) → FAIL: "not ${part(m, 1)} ${part(m, 2)} ${part(m, 3).replace(/"/g, '\\"')}"`,
  },
  {
    line: /^CHECK:\s*([A-Za-z_][\w.]*)\s+(?:is|equals|eq)\s+("[^"]*"|\d+|true|false)$/,
    codes: NOT_RUN,
    when: (m, text) => mentions(part(m, 1), text),
    message: () => 'CHECK runs a command, and this is a condition',
    help: write,
    by: (m) => `IF: ${part(m, 1)} != ${part(m, 2)} → FAIL: "not ${part(m, 1)} == ${part(m, 2).replace(/"/g, '\\"')}"`,
  },
  {
    line: /^CHECK:\s*(?:(\w+)\s*=\s*)?(?:that\s+)?(?:(file|dir|directory|folder|path)\s+(?:exists:?\s+["']?([\w./{}-]+)["']?|["']?([\w./{}-]+)["']?\s+exists)|(?:file_?exists|exists|isfile|isdir)\(?\s*["']?([\w./{}-]+)["']?\s*\)?)$/i,
    codes: NOT_RUN,
    message: () => 'a file is looked for by a command',
    help: write,
    by: (m) => {
      const [name, kind] = [m[1] ?? 'found', /^(?:d|fo)/i.test(m[2] ?? '') ? '-d' : '-e'];
      const path = m[3] ?? m[4] ?? part(m, 5);
      return `CHECK: ${name} = test ${kind} ${path}\nIF: exit_code(${name}) != 0 → FAIL: no ${path}`;
    },
    binds: (m) => [m[1] ?? 'found'],
  },
  {
    line: /^CHECK:\s*port\s+(\d+)(?:\s+(?:is\s+)?(?:open|up|listening))?$/i,
    codes: NOT_RUN,
    message: () => 'a port is tried by a command',
    help: write,
    by: (m) =>
      `CHECK: open = nc -z localhost ${part(m, 1)}\nIF: exit_code(open) != 0 → FAIL: port ${part(m, 1)} is closed`,
    binds: () => ['open'],
  },
];
