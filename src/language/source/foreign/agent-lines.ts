/** Calls of agents in the words of other tools, each with the line that is meant. */
import { AGENTS, type ForeignLine, keyBelow, mentions, part, unread, write } from './foreign-line.js';

export const QUOTED = String.raw`(?:"(?:[^"\\]|\\.)*"|'[^']*'|\x60[^\x60]*\x60)`;
/** The beginning of a DO or CHECK, until the command. */
export const HEAD = String.raw`((?:-\s+)?(?:DO|CHECK)(?:\s*\[[^\]]*\])?:\s*(?:\w+\s*=\s*)?)`;
export const isAgent = (name: string): boolean => new RegExp(`^(?:${AGENTS})(?![a-z])`, 'i').test(name);

/** A prompt in double quotes. */
export const asQuotedText = (text: string): string =>
  text.startsWith('"') ? text : `"${text.replace(/^['\x60]|['\x60]$/g, '').replace(/"/g, '\\"')}"`;

/** What stands between parentheses, divided at its commas. */
export const argumentsOf = (text: string): readonly string[] =>
  (text.match(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\[[^\]]*\]|\{[^}]*\}|[^,])+/g) ?? [])
    .map((one) => one.trim())
    .filter(Boolean);

/** `name=value` or `name: value`. */
export const pair = (text: string): readonly [name: string, value: string] | undefined => {
  const [, name, value] = /^["']?([A-Za-z_]\w*)["']?\s*[=:]\s*(?!=)(\S.*)$/s.exec(text) ?? [];
  return name === undefined || value === undefined ? undefined : [name, value];
};

/** A value after `with`: names of the program in braces, words in quotes. */
function givenValue(value: string, text: string): string {
  if (/^["[{]/.test(value) || /^-?\d+(?:\.\d+)?$|^(?:true|false|null)$/.test(value)) return value;
  if (value.startsWith("'")) return asQuotedText(value);
  return mentions(value, text) ? `{${value}}` : `"${value}"`;
}

/** The values of a `with`; undefined: one of them has no name. */
export function withValues(list: readonly string[], text: string): string | undefined {
  const values: string[] = [];
  for (const one of list) {
    const named = pair(one);
    if (named !== undefined) values.push(`${named[0]}=${givenValue(named[1], text)}`);
    else if (/^[A-Za-z_]\w*$/.test(one) && mentions(one, text)) values.push(one);
    else return undefined;
  }
  return values.length === 0 ? '' : ` with ${values.join(', ')}`;
}

const MODEL = /^(?:opus|sonnet|haiku|pro|flash|mini|[a-z][\w.-]*\d[\w.-]*)$/;
const PROMPT_NAMES = /^(?:prompt|task|input|message|instructions?|description|goal|query|text|content)$/;

/** `Task("claude", "x", context=name)` and the like after `head`; undefined: it is no call of an agent. */
function taskOf(head: string, inside: string, rest: string, text: string): string | undefined {
  let [agent, prompt, model, options]: [string?, string?, string?, string[]?] = [undefined, undefined, undefined, []];
  const others: string[] = [];
  for (const one of argumentsOf(inside)) {
    const named = pair(one);
    const value = (named?.[1] ?? one).replace(/^["']|["']$/g, '');
    if (named === undefined && agent === undefined && /^[A-Za-z][\w./-]*$/.test(value)) agent = value;
    else if (/^(?:agent|name|agent_name|assistant|who)$/.test(named?.[0] ?? '')) agent = value;
    else if (named?.[0] === 'model' || (named === undefined && MODEL.test(one))) model = value;
    else if (/^(?:timeout|retry)$/.test(named?.[0] ?? '')) options.push(`${named?.[0]}=${value}`);
    else if (
      prompt === undefined &&
      (PROMPT_NAMES.test(named?.[0] ?? '') || (named === undefined && /^["'\x60]/.test(one)))
    )
      prompt = named?.[1] ?? one;
    else others.push(one);
  }
  const [, before = '', after = ''] =
    new RegExp(`^\\s*[:(]?\\s*(${QUOTED})(?:\\s*\\))?(\\s+with\\s.*|\\s*)$`, 's').exec(rest) ?? [];
  if (before !== '') prompt ??= before;
  else if (rest.trim() !== '') return undefined;
  const values = withValues(others, text);
  if (agent === undefined || prompt === undefined || values === undefined) return undefined;
  const name =
    model === undefined || agent.endsWith(model) ? agent : `${agent}-${model.replace(new RegExp(`^${agent}-`), '')}`;
  const given = options.length === 0 ? head : head.replace(/^((?:-\s+)?(?:DO|CHECK)):/, `$1 [${options.join(' ')}]:`);
  const asked = /^["'\x60]/.test(prompt)
    ? asQuotedText(prompt)
    : mentions(prompt, text)
      ? `"{${prompt}}"`
      : `"${prompt}"`;
  return `${given}Task(${name}) ${asked}${values}${after.trimEnd()}`;
}

const TASK = new RegExp(`^${HEAD}(?:Task|task|TASK)\\s*[([]\\s*(.*?)\\s*[)\\]](\\s*[:(]?\\s*(?:${QUOTED}.*)?)$`, 's');

export const NOT_RUN = /not-a-command|command-not-found|unknown-function/;
const AGENT_VERBS =
  'INVOKE|DELEGATE(?:[ _]TO)?|ASSIGN(?:[ _]TO)?|LLM|AI|RUN_AGENT|CALL_AGENT|ASK_AGENT|SUBAGENT|EXECUTE|CALL|PLAN|TASK|HANDOFF(?:[ _]TO)?';

export const agentLines = (): readonly ForeignLine[] => [
  {
    line: TASK,
    codes:
      /not-a-command|command-not-found|unknown-function|unexpected|bad-name|bad-character|missing|operator-spelling|taken-as-text/,
    // The simple forms have rules of their own.
    when: (m) =>
      argumentsOf(part(m, 2)).length > 1 ||
      pair(part(m, 2)) !== undefined ||
      /^\s*(?:\(|\x60)/.test(part(m, 3)) ||
      m[0].includes('Task['),
    message: () => 'an agent is called by its name and a prompt',
    help: write,
    by: (m, text) => taskOf(part(m, 1), part(m, 2), part(m, 3), text),
  },
  {
    line: new RegExp(`^${HEAD}Task\\s*:\\s+["']?([A-Za-z][\\w.-]*)["']?\\s*[:,]?\\s*(${QUOTED}.*)$`, 'i'),
    codes: NOT_RUN,
    help: write,
    by: (m) => `${part(m, 1)}Task(${part(m, 2)}) ${asQuotedText(part(m, 3))}`,
  },
  {
    line: /^((?:DO|CHECK)(?:\s*\[[^\]]*\])?:\s*(?:\w+\s*=\s*)?Task\([\w.-]+\)\s*"(?:[^"\\]|\\.)*")\s*(?:,|;|&&?|\band\b|\bthen\b|\bTHEN\b|\bAND\b|→|->|\|)\s*((?:\w+\s*=\s*)?Task\([\w.-]+\)\s*"(?:[^"\\]|\\.)*")$/,
    codes: /unexpected|bad-/,
    message: () => 'a line has one call of an agent',
    help: write,
    by: (m) => `${part(m, 1)}\nDO: ${part(m, 2)}`,
  },
  {
    line: /^DO(?:\s*\[[^\]]*\])?:\s*(?:(\w+)\s*=\s*)?Task\(\s*\[?\s*([\w-]+)\s*(?:,|\||\bor\b|\band\b)\s*([\w-]+)\s*\]?\s*\)\s*("(?:[^"\\]|\\.)*")$/,
    codes: /bad-name|not-a-command|unexpected|unknown-agent/,
    when: (m) => isAgent(part(m, 2)) && isAgent(part(m, 3)),
    message: () => 'a Task has one agent',
    help: (m) => {
      const name = m[1] ?? 'answer';
      const task = (agent: string) => `${name}_${agent.replace(/-/g, '_')} = Task(${agent}) ${part(m, 4)}`;
      return `write \`DO: in PARALLEL:\`, and below it, indented deeper, \`- ${task(part(m, 2))}\` and \`- ${task(part(m, 3))}\``;
    },
  },
  {
    line: /^(DO(?:\s*\[[^\]]*\])?:\s*(?:\w+\s*=\s*)?Task\([\w-]+\)\s*"(?:[^"\\]|\\.)*")\s+(?:fallback|or else|else|otherwise|on error|catch)\s*:?\s*(?:to\s+)?(?:Task\()?([\w-]+)\)?$/i,
    codes: /unexpected/,
    message: () => 'another agent takes over where failures go',
    help: (m) =>
      `write \`${part(m, 1)}\`, and at the end of the state \`ON ERROR: → DO: ${/(\w+)\s*=/.exec(part(m, 1))?.[0] ?? ''} Task(${part(m, 2)}) …\``.replace(
        / {2}/g,
        ' ',
      ),
  },
  {
    line: /^(DO(?:\s*\[[^\]]*\])?:\s*(?:\w+\s*=\s*)?Task\([\w-]+\)\s*"(?:[^"\\]|\\.)*")\s*\[\s*(?:output|format|response_format|as)?\s*[=:]?\s*["']?json["']?\s*\]$/i,
    codes: /unexpected/,
    message: () => 'an answer that is a JSON object or list is one',
    help: (_, by) => `write \`${by}\`, and say in the prompt: Answer only JSON`,
    by: (m) => part(m, 1),
  },
  {
    line: new RegExp(`^${HEAD}await\\s+(\\S.*)$`),
    codes: NOT_RUN,
    message: () => 'every instruction is waited for',
    help: write,
    by: (m) => part(m, 1) + part(m, 2),
  },
  {
    line: new RegExp(
      `^${HEAD}(Task\\([\\w.-]+\\)\\s*"(?:[^"\\\\]|\\\\.)*)"\\s*(?:\\+\\s*\\{?([A-Za-z_][\\w.]*)\\}?|\\{([A-Za-z_][\\w.]*)\\})$`,
    ),
    codes: /unexpected/,
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 2).replace(/\s+$/, '')} {${m[3] ?? part(m, 4)}}"`,
  },
  {
    line: new RegExp(
      `^${HEAD}(Task\\([\\w.-]+\\)\\s*"(?:[^"\\\\]|\\\\.)*")\\s*,?\\s*(?:with|using|given|from|on|context|ctx|input|vars|variables|inputs|params|args)\\s*[:=]?\\s*(?:[({[]\\s*(.*?)\\s*[)}\\]]|([A-Za-z_]\\w*(?:\\s*,\\s*[A-Za-z_]\\w*)*))$`,
    ),
    codes: /unexpected|bad-|missing/,
    help: write,
    by: (m, text) => {
      const values = withValues(argumentsOf(m[3] ?? part(m, 4)), text);
      return values === undefined ? undefined : `${part(m, 1)}${part(m, 2)}${values}`;
    },
  },
  {
    line: /^((?:-\s+)?DO(?:\s*\[[^\]]*\])?:\s*)((?:\w+\s*=\s*)?)(Task\([\w.-]+\)\s*"(?:[^"\\]|\\.)*".*?)\s*(?:→|->|=>|\bas\b|\binto\b)\s*(?!json\b)([A-Za-z_]\w*)$/,
    codes: /unexpected/,
    help: write,
    by: (m) => `${part(m, 1)}${part(m, 2) === '' ? `${part(m, 4)} = ` : part(m, 2)}${part(m, 3)}`,
    binds: (m) => [part(m, 4)],
  },
  {
    line: new RegExp(
      `^${HEAD}(Task\\([\\w.-]+\\)\\s*"(?:[^"\\\\]|\\\\.)*".*?)\\s*(?:→|->|=>|\\breturn(?:s|ing)|\\bexpect(?:s|ing)|\\boutput\\b|\\bformat\\b)\\s*[=:]?\\s*["']?json["']?$`,
      'i',
    ),
    codes: /unexpected/,
    message: () => 'an answer that is a JSON object or list is one',
    help: (_, by) => `write \`${by}\`, and say in the prompt: Answer only JSON`,
    by: (m) => part(m, 1) + part(m, 2),
  },
  {
    line: new RegExp(`^${HEAD}(Task\\([\\w.-]+\\)\\s*"(?:[^"\\\\]|\\\\.)*")\\s+(if|when|unless)\\s+(.+)$`, 'i'),
    codes: /unexpected/,
    help: write,
    by: (m) => `IF: ${/unless/i.test(part(m, 3)) ? `NOT (${part(m, 4)})` : part(m, 4)} → ${part(m, 1)}${part(m, 2)}`,
  },
  {
    line: new RegExp(
      `^${HEAD}Task\\(([\\w.-]+)\\)\\s*(?:(?:file|prompt_file|path|from|prompt)\\s*[=:]\\s*["']?|@|<\\s*)([\\w./-]+\\.\\w+)["']?$`,
    ),
    codes: /unexpected|bad-|missing|unclosed/,
    message: () => 'a prompt in a file is read by a command',
    help: write,
    by: (m) => `DO: prompt = cat ${part(m, 3)}\n${part(m, 1)}Task(${part(m, 2)}) "{prompt}"`,
    binds: () => ['prompt'],
  },
  {
    line: /^CHECK(\s*\[[^\]]*\])?:\s*(Task\([\w.-]+\)\s*"(?:[^"\\]|\\.)*?")\s*(==|!=|contains|is|matches)\s*("(?:[^"\\]|\\.)*"|\w+)$/,
    codes: /unexpected/,
    message: () => 'an answer is compared in an IF',
    help: (m) => {
      const operator = part(m, 3) === 'is' ? '==' : part(m, 3);
      const opposite =
        operator === '=='
          ? `answer != ${part(m, 4)}`
          : operator === '!='
            ? `answer == ${part(m, 4)}`
            : `NOT (answer ${operator} ${part(m, 4)})`;
      return `write \`CHECK${part(m, 1)}: answer = ${part(m, 2)}\`, then \`IF: ${opposite} → FAIL: {answer}\``;
    },
  },
  {
    line: /^(.*\bTask\(\s*)(?:(?:anthropic|openai|google|bedrock|vertex|azure)[/:])?([A-Za-z][\w.-]*)(\s*\).*)$/,
    codes: /unknown-agent|not-a-command|bad-name/,
    help: write,
    by: (m) => {
      const name = part(m, 2).toLowerCase();
      const own = /^(?:claude|codex|gemini)/.test(name)
        ? name
        : /^(?:opus|sonnet|haiku)/.test(name)
          ? `claude-${name}`
          : /^(?:gpt|o\d|chatgpt|openai)/.test(name)
            ? `codex-${name}`
            : undefined;
      return own === undefined ? undefined : `${part(m, 1)}${own}${part(m, 3)}`;
    },
  },
  {
    line: new RegExp(
      `^${HEAD}(?:agent|llm|model|client)\\(\\s*["']?([A-Za-z][\\w.-]*)["']?\\s*\\)\\.(?:\\w+)\\(\\s*(${QUOTED})\\s*\\)$`,
      'i',
    ),
    codes: NOT_RUN,
    message: () => 'an agent is called by its name and a prompt',
    help: write,
    by: (m) => `${part(m, 1)}Task(${part(m, 2)}) ${asQuotedText(part(m, 3))}`,
  },
  {
    line: new RegExp(`^${HEAD}([A-Za-z][\\w-]*)(?:\\.\\w+)?\\s*[( ]\\s*(${QUOTED})\\s*\\)?$`),
    codes: NOT_RUN,
    when: (m) => isAgent(part(m, 2)),
    message: () => 'an agent works in a Task',
    help: write,
    by: (m) => `${part(m, 1)}Task(${part(m, 2)}) ${asQuotedText(part(m, 3))}`,
  },
  {
    line: new RegExp(
      `^${HEAD}(?:llm|ai|prompt|complete|completion|chat|generate|agent|agents?\\.\\w+|llm\\.\\w+|chain\\.\\w+|graph\\.\\w+|crew\\.\\w+|model\\.\\w+|client\\.[\\w.]+)\\(\\s*(${QUOTED}|[A-Za-z_]\\w*)?\\s*\\)$`,
      'i',
    ),
    codes: NOT_RUN,
    message: () => 'an agent is called by its name and a prompt',
    help: write,
    by: (m) =>
      `${part(m, 1)}Task(claude) ${m[2] === undefined ? '"…"' : /^["'\x60]/.test(m[2]) ? asQuotedText(m[2]) : `"{${m[2]}}"`}`,
  },
  {
    line: new RegExp(
      `^${HEAD}(?:Agent|Crew|LLM|ChatOpenAI|ChatAnthropic|Chain|Assistant|StateGraph|create_agent|create_react_agent)\\((.*)\\)(?:\\.\\w+\\(.*\\))?$`,
    ),
    codes: /not-a-command|command-not-found|unknown-function|operator-spelling|unexpected/,
    message: () => 'agents are named, and described in statedsl.config.yaml',
    help: write,
    by: (m, text) => {
      const called = taskOf(part(m, 1), part(m, 2), '', text);
      if (called !== undefined) return called;
      const named = argumentsOf(part(m, 2)).map(pair);
      const prompt = named.find((one) => one !== undefined && PROMPT_NAMES.test(one[0]))?.[1];
      return `${part(m, 1)}Task(claude) ${prompt === undefined ? '"…"' : asQuotedText(prompt)}`;
    },
  },
  {
    line: new RegExp(
      `^(?:${AGENT_VERBS}):?\\s+(?:agent\\s+)?(?:(\\w+)\\s*=\\s*)?(?:Task\\()?["']?([A-Za-z][\\w.-]*)["']?\\)?\\s*[:,]?\\s*(${QUOTED}.*)$`,
    ),
    codes: /unknown-(?:verb|tool)|unexpected|not-an-instruction|missing|bad-/,
    when: (m) => isAgent(part(m, 2)),
    message: () => 'an agent works in a Task',
    help: write,
    by: (m) =>
      `DO: ${m[1] === undefined ? (/^PLAN/.test(m[0]) ? 'plan = ' : '') : `${m[1]} = `}Task(${part(m, 2)}) ${asQuotedText(part(m, 3))}`,
    binds: (m) => [m[1] ?? (/^PLAN/.test(m[0]) ? 'plan' : '')],
  },
  {
    line: new RegExp(
      `^(?:LLM|AI|PROMPT|AGENT|TASK|GENERATE|INFER|COMPLETE|THINK):?\\s+(?:(\\w+)\\s*=\\s*)?(${QUOTED})(?:[\\s,]+(?:agent|model|by|with)\\s*[=:]?\\s*["']?([A-Za-z][\\w.-]*)["']?)?$`,
    ),
    codes: /unknown-verb|section-outside-step|not-an-instruction/,
    message: () => 'an agent works in a Task',
    help: write,
    by: (m) => `DO: ${m[1] === undefined ? '' : `${m[1]} = `}Task(${m[3] ?? 'claude'}) ${asQuotedText(part(m, 2))}`,
    binds: (m) => [m[1] ?? ''],
  },
  {
    line: /^(?:HANDOFF|DELEGATE|TRANSFER|ESCALATE)(?:[ _]TO)?:?\s+(?:Task\()?["']?([A-Za-z][\w.-]*)["']?\)?(?:\s+with\s+(.*))?$/,
    codes: unread,
    when: (m) => isAgent(part(m, 1)),
    message: () => 'an agent works in a Task',
    help: write,
    by: (m) => `DO: Task(${part(m, 1)}) "…"${m[2] === undefined ? '' : ` with ${m[2]}`}`,
  },
  {
    line: /^ASK\s+(?:agent\s+)?(?:Task\()["']?([A-Za-z][\w.-]*)["']?\)\s*:?\s*("(?:[^"\\]|\\.)*")\s*(?:(?:→|->)\s*(\w+))?$/,
    codes: /bad-|unexpected|missing/,
    message: () => 'ASK asks a person',
    help: write,
    by: (m) => `DO: ${m[3] === undefined ? '' : `${m[3]} = `}Task(${part(m, 1)}) ${part(m, 2)}`,
    binds: (m) => [m[3] ?? ''],
  },
  {
    line: /^(?:DO\s+|DO:\s*|-\s+)?@([A-Za-z][\w-]*)\s*:?\s+(?:"([^"]*)"|(\S[^"]*))$/,
    codes: /unknown-verb|not-an-instruction|command-not-found|not-a-command|missing-colon/,
    when: (m) => isAgent(part(m, 1)),
    message: () => 'an agent works in a Task',
    help: write,
    by: (m) => `DO: Task(${part(m, 1)}) "${m[2] ?? part(m, 3)}"`,
  },
  {
    line: new RegExp(`^(?:DO|RUN)\\s+([A-Za-z][\\w-]*)\\s*:\\s*(${QUOTED}.*)$`),
    codes: /missing-colon|unknown-verb|not-an-instruction/,
    when: (m) => isAgent(part(m, 1)),
    message: () => 'an agent works in a Task',
    help: write,
    by: (m) => `DO: Task(${part(m, 1)}) ${asQuotedText(part(m, 2))}`,
  },
  {
    line: new RegExp(
      `^DO\\s*\\[\\s*(?:agent|model|by)\\s*[=:]\\s*["']?([A-Za-z][\\w.-]*)["']?\\s*,?\\s*(.*?)\\]\\s*:\\s*((?:\\w+\\s*=\\s*)?)(${QUOTED})$`,
    ),
    codes: /unknown-option|bad-option|unexpected/,
    message: () => 'an agent works in a Task',
    help: write,
    by: (m) =>
      `DO${part(m, 2) === '' ? '' : ` [${part(m, 2)}]`}: ${part(m, 3)}Task(${part(m, 1)}) ${asQuotedText(part(m, 4))}`,
  },
  {
    line: /^AGENT:?\s+["']?([A-Za-z][\w.-]*)["']?\s*:?$/,
    codes: /section-outside-step/,
    until: /^PROMPT\b/,
    block: true,
    when: (m, text) => /^\s*\n\s*PROMPT:?\s*"/.test(text.slice(text.indexOf(m[0]) + m[0].length)),
    message: () => 'only a STEP has sections',
    help: (m, _, text) => {
      const [, prompt = '"…"'] =
        /^\s*\n\s*PROMPT:?\s*("(?:[^"\\]|\\.)*")/.exec(text.slice(text.indexOf(m[0]) + m[0].length)) ?? [];
      return `write \`DO: Task(${part(m, 1)}) ${prompt}\``;
    },
  },
  {
    line: /^(?:TASK|Task|task)\b:?\s*(\w*)\s*:?$/,
    codes: /unknown-verb|not-an-instruction|missing-colon/,
    block: true,
    when: (m, text) => /^\s*\n\s*\w+\s*:/.test(text.slice(text.indexOf(m[0]) + m[0].length)),
    message: () => 'an agent is called by its name and a prompt',
    help: (m, _, text) => {
      const of = (names: string) => keyBelow(m[0], text, names);
      const prompt = of('prompt|description|task|goal|instructions?|input') ?? '…';
      return `write \`DO: ${part(m, 1) === '' ? '' : `${part(m, 1)} = `}Task(${of('agent|assignee|role|model') ?? 'claude'}) "${prompt}"\``;
    },
  },
];
