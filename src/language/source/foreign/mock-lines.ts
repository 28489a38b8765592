/** Lines that pretend what commands and agents do, as other tools write them. */
import { advise, CALL, type ForeignTestLine, rule } from './expectation-lines.js';
import { part } from './foreign-line.js';

/** Words of other tools before the text of a command. */
const COMMAND_WORD = '(?:CHECK|DO|RUN|COMMAND|command|cmd|bash|shell|run|exec)';

const MOCKED = `MOCK:\\s*(?:(\\w+/)?)${CALL}`;
const ANSWERED = `${MOCKED}\\s*(?:→|->)\\s*`;
const answerRule = (pattern: string, by: (m: RegExpExecArray) => string): ForeignTestLine =>
  rule(`${ANSWERED}${pattern}`, (m) => `MOCK: ${part(m, 1)}${part(m, 2)} → ${by(m)}`);

/** Answers in words, and how they are written here. */
const WORDS: Readonly<Record<string, string>> = {
  ...{ fail: 'exit 1', fails: 'exit 1', failed: 'exit 1', failure: 'exit 1', error: 'exit 1', errors: 'exit 1' },
  ...{ crash: 'exit 1', red: 'exit 1', ko: 'exit 1', broken: 'exit 1' },
  ...{
    ok: '""',
    success: '""',
    succeed: '""',
    succeeds: '""',
    pass: '""',
    passes: '""',
    passed: '""',
    done: '""',
    green: '""',
  },
  ...{ nothing: '""', empty: '""', timeout: 'times out', hang: 'hangs' },
};
/** A word that is an answer, or an answer. */
const WORD_OR_ANSWER = String.raw`(?:"(?:[^"\\]|\\.)*"|exit \d+|[A-Za-z]+)`;

/** Whether a mock answers in words that hardly are names of values, although such a line could be read. */
export const answersInWords = (line: string): boolean => {
  const [, answers = ''] = /^MOCK:.*?(?:→|->)\s*([^"]*)$/.exec(line) ?? [];
  return answers.split(/\s*,\s*/).some((one) => /^(?:fails?|failure|errors?|crash)$/i.test(one));
};

/** The name of a command in quotes. */
const quotedCommand = (text: string): string => (/^(?:"|Task\(|CALL )/.test(text) ? text : `"${text}"`);

export const mocks = (): readonly ForeignTestLine[] => [
  rule(
    String.raw`MOCK:\s*((?:\w+/)?(?:"(?:[^"\\]|\\.)*"|Task\([\w./:-]+\)|CALL \S+|[a-z./][\w./ -]*?))\s*(?:→|->)\s*(${WORD_OR_ANSWER}(?:\s*,\s*${WORD_OR_ANSWER})*)(\s*,\s*…)?`,
    (m) => {
      const answers = part(m, 2).match(/"(?:[^"\\]|\\.)*"|[^",]+/g) ?? [];
      const own = answers.map((one) => WORDS[one.trim().toLowerCase()] ?? one.trim()).filter(Boolean);
      const isWord = answers.some((one) => Object.hasOwn(WORDS, one.trim().toLowerCase()));
      return isWord ? `MOCK: ${quotedCommand(part(m, 1))} → ${own.join(', ')}${part(m, 3)}` : undefined;
    },
  ),
  rule(
    String.raw`MOCK:\s*(.*?(?:→|->))\s*(?:returns?|RETURNS?|gives|answers|prints|always|first)\s+("(?:[^"\\]|\\.)*".*)`,
    (m) => `MOCK: ${part(m, 1)} ${part(m, 2).replace(/,\s*then\s+/g, ', ')}${/always/.test(m[0]) ? ', …' : ''}`,
  ),
  rule(
    String.raw`MOCK:\s*(.*?(?:→|->))\s*(?:FAIL|fail|fails|raise|raises|throw|throws):?\s+("(?:[^"\\]|\\.)*")`,
    (m) => `MOCK: ${part(m, 1)} fails tool_failure ${part(m, 2)}`,
  ),
  rule(
    String.raw`MOCK:\s*(.*?(?:→|->))\s*(?:FAIL|fail|fails|failed|raise|raises|throw|throws|exits?)\s+with\s+(?:exit(?:[ _]?code)?|code|status)?\s*(\d+)`,
    (m) => `MOCK: ${part(m, 1)} exit ${part(m, 2)}`,
  ),
  rule(
    String.raw`MOCK:\s*(.*?(?:→|->))\s*(?:raise|raises|throw|throws|fail)\s+(timeout|tool_failure|bad_value|not_json|denied|in_doubt)`,
    (m) => `MOCK: ${part(m, 1)} fails ${part(m, 2)} ""`,
  ),
  rule(
    String.raw`MOCK:\s*(.*?(?:→|->))\s*stderr\s*[:=]?\s*("(?:[^"\\]|\\.)*")\s*,?\s*exit(?:[ _]?code)?\s*[:=]?\s*(\d+)`,
    (m) => `MOCK: ${part(m, 1)} exit ${part(m, 3)} ${part(m, 2)}`,
  ),
  rule(
    String.raw`MOCK:\s*(.*?(?:→|->))\s*("(?:[^"\\]|\\.)*"(?:\s*(?:;|\||,?\s*then|,\s*and then)\s*"(?:[^"\\]|\\.)*")+)`,
    (m) => `MOCK: ${part(m, 1)} ${(part(m, 2).match(/"(?:[^"\\]|\\.)*"/g) ?? []).join(', ')}`,
  ),
  rule(
    String.raw`MOCK:\s*(.*?(?:→|->))\s*("(?:[^"\\]|\\.)*"|exit \d+)\s*\(\s*([2-9])\s*(?:times|x)\s*\)`,
    (m) =>
      `MOCK: ${part(m, 1)} ${Array(Number(part(m, 3)))
        .fill(part(m, 2))
        .join(', ')}`,
  ),
  rule(
    String.raw`MOCK:\s*(\w+/)?Task\(\s*["']?([\w./:-]+)["']?\s*,\s*"(?:[^"\\]|\\.)*"\s*\)\s*(?:→|->)(.*)`,
    (m) => `MOCK: ${part(m, 1)}Task(${part(m, 2)}) →${part(m, 3)}`,
  ),
  rule(
    String.raw`MOCK:\s*(?:\*|any|all|everything|others?|default)\s*(?:→|->)\s*(\S.*)`,
    (m) => `MOCK: "*" → ${part(m, 1)}`,
  ),
  rule(
    String.raw`MOCK:\s*(?:WAIT\s+)?signal\s+"?(\w+)"?\s*(?:→|->)\s*(\S.*)`,
    (m) => `SIGNAL: ${part(m, 1)} ${part(m, 2)}`,
  ),
  rule(String.raw`RUN:\s*([a-z./][^"→]*?)\s*(?:→|->|=>)\s*(\S.*)`, (m) => `MOCK: "${part(m, 1)}" → ${part(m, 2)}`),
  advise(String.raw`RUN:\s*"[^"]*\.(?:dsl|md|ya?ml)"`, 'remove it: each TEST runs the program by itself'),
  advise(
    String.raw`MOCK:\s*(.*?(?:→|->))\s*(?:file\s+"[^"]*"|@\S+|\$\(.*\))`,
    'write what the command prints in quotes, with `\\n` for a new line: a mock reads no file',
  ),
  rule(
    String.raw`MOCK:\s*(.*?→)\s*("(?:[^"\\]|\\.)*")\s*,?\s*exit\s*=?\s*(\d+)`,
    (m) => `MOCK: ${part(m, 1)} exit ${part(m, 3)} ${part(m, 2)}`,
  ),
  rule(
    String.raw`MOCK:\s*(.*?→\s*exit\s+\d+)\s*[:,]\s*("(?:[^"\\]|\\.)*")`,
    (m) => `MOCK: ${part(m, 1)} ${part(m, 2)}`,
  ),
  rule(
    String.raw`MOCK:\s*(.*?→\s*"(?:[^"\\]|\\.)*")\s*,?\s+(?:then|and then|THEN)\s+(\S.*)`,
    (m) => `MOCK: ${part(m, 1)}, ${part(m, 2)}`,
  ),
  advise(
    String.raw`MOCKS?:\s*"?[\w./-]+\.(?:ya?ml|json|js|py)"?`,
    'write each mock on its own line, such as `MOCK: "make *" → "done"`: a file of mocks is for `statedsl run --mock`',
  ),
  rule(String.raw`MOCK:\s*(\w+/)?Task\s*[(:]?\s*["']([\w./:-]+)["']\s*\)?(.*)`, (m) => {
    return `MOCK: ${part(m, 1)}Task(${part(m, 2)})${part(m, 3)}`;
  }),
  rule(
    String.raw`MOCK:\s*(\w+/)?(?:AGENT|Agent|agent|LLM|llm|TASK|task)\s*[\s(:/]\s*["']?([\w./:-]+?)["']?\s*\)?\s*(=>|=|:|→|->|returns)(.*)`,
    (m) => {
      return `MOCK: ${part(m, 1)}Task(${part(m, 2)}) →${part(m, 4)}`;
    },
  ),
  rule(
    String.raw`MOCK:\s*(?:ASK|ask|ANSWER|answer|user|USER|question)[\s/:]\s*(?:user:?\s*)?"?(\w+)"?\s*(?:→|->|=>|=|:)\s*(\S.*)`,
    (m) => `ANSWER: ${part(m, 1)} → ${part(m, 2)}`,
  ),
  rule(
    String.raw`MOCK:\s*(\w+/)?${COMMAND_WORD}:?\s+(?:\w+\s*=\s*)?"((?:[^"\\]|\\.)*)"\s*(?:→|->|=>|=|:)\s*(\S.*)`,
    (m) => {
      return `MOCK: ${part(m, 1)}"${part(m, 2)}" → ${part(m, 3)}`;
    },
  ),
  rule(String.raw`MOCK:\s*(\w+/)?${COMMAND_WORD}:\s*(?:\w+\s*=\s+)?([^"'→]+?)\s*(?:→|->|=>)\s*(\S.*)`, (m) => {
    return `MOCK: ${part(m, 1)}"${part(m, 2)}" → ${part(m, 3)}`;
  }),
  rule(String.raw`MOCK:\s*([A-Za-z_]\w*)\s*(?:[:.>]|::)\s*("(?:[^"\\]|\\.)*"|Task\([\w./:-]+\)|CALL \S+)(.*)`, (m) => {
    return `MOCK: ${part(m, 1)}/${part(m, 2)}${part(m, 3)}`;
  }),
  rule(`MOCK:\\s*${CALL}\\s+(?:in|of|@)\\s+([A-Za-z_]\\w*)\\s*(→|->)(.*)`, (m) => {
    return `MOCK: ${part(m, 2)}/${part(m, 1)} →${part(m, 4)}`;
  }),
  rule(String.raw`MOCK:\s*(\w+/)?\/((?:[^/\\]|\\.)+)\/[a-z]*\s*(→|->)(.*)`, (m) => {
    return `MOCK: ${part(m, 1)}"*${part(m, 2)
      .replace(/^\^|\$$/g, '')
      .replace(/\.[*+]/g, '*')
      .replace(/\\/g, '')}*" →${part(m, 4)}`;
  }),
  rule(`${MOCKED}\\s*(?:→|->)`, (m) => `MOCK: ${part(m, 1)}${part(m, 2)} → ""`),
  answerRule(
    String.raw`(?:exit[_ -]?code|exit|code)\s*[(=:]?\s*(\d+)\s*\)(.*)`,
    (m) => `exit ${part(m, 3)}${part(m, 4)}`,
  ),
  answerRule(String.raw`(?:exit[_-]code|exitCode|returncode)\s+(\d+)(.*)`, (m) => `exit ${part(m, 3)}${part(m, 4)}`),
  answerRule(
    String.raw`(?:throws?|raises?|fails?|error|rejects?)\s*(?:with\s+)?(?:new\s+)?(?:\w*(?:Error|Exception))?\s*\(?\s*("(?:[^"\\]|\\.)*")\s*\)?`,
    (m) => {
      return `fails tool_failure ${part(m, 3)}`;
    },
  ),
  answerRule(
    String.raw`(?:stdout|output|prints?|text|value)\s*[:=]?\s*("(?:[^"\\]|\\.)*")(.*)`,
    (m) => `${part(m, 3)}${part(m, 4)}`,
  ),
  advise(
    String.raw`MOCK:\s*(?:\w+\/)?(?:Task\(\s*(?:\*|any|all)?\s*\)|Task|TASK|agents?)\s*(?:→|->|=).*`,
    'name the agent, as in `MOCK: Task(claude) → "…"`: each agent has a line of its own',
  ),
  rule(
    String.raw`MOCK:\s*(\w+/)?(Task\([\w./:-]+\))\s+"(?:[^"\\]|\\.)*"\s*(?:→|->)(.*)`,
    (m) => `MOCK: ${part(m, 1)}${part(m, 2)} →${part(m, 3)}`,
  ),
  answerRule('(?:real|REAL|for-real|passthrough|actual|original|unmocked)', () => 'for real'),
  answerRule(
    String.raw`("(?:[^"\\]|\\.)*"|exit \d+)\s*,?\s+(?:always|forever|repeat(?:s|edly|ed)?|every time|each time|\.\.\.|…)`,
    (m) => {
      return `${part(m, 3)}, …`;
    },
  ),
  answerRule(String.raw`("(?:[^"\\]|\\.)*"|exit \d+)\s*,?\s+(?:times|x|×|\*)\s*([2-9])`, (m) => {
    return Array(Number(part(m, 4)))
      .fill(part(m, 3))
      .join(', ');
  }),
  answerRule(String.raw`("(?:[^"\\]|\\.)*"|exit \d+)\s*,?\s+([2-9])\s*(?:times|x)`, (m) => {
    return Array(Number(part(m, 4)))
      .fill(part(m, 3))
      .join(', ');
  }),
  answerRule(
    String.raw`(.*\S)\s*,?\s+(cost|tokens|after)\s*[=:]\s*\$?(\d.*)`,
    (m) => `${part(m, 3)} ${part(m, 4)} ${part(m, 5)}`,
  ),
  answerRule(
    String.raw`(.*\S)\s+cost\s+(?:\$|USD\s*)([\d.]+)(.*)`,
    (m) => `${part(m, 3)} cost ${part(m, 4)}${part(m, 5)}`,
  ),
  answerRule(
    String.raw`(.*\S)\s+(?:after|in|delay|delayed|takes|sleep|wait)\s+(?:of\s+)?(\d+)\s*(s|m|h|d)(?:ec(?:ond)?s?|in(?:ute)?s?|ours?|ays?)?`,
    (m) => {
      const meant = `${part(m, 3)} after ${part(m, 4)}${part(m, 5).toLowerCase()}`;
      return meant;
    },
  ),
  rule(`${MOCKED}\\s*(?:=>|=|:|returns|prints|gives)\\s*(\\S.*)`, (m) => {
    return `MOCK: ${part(m, 1)}${part(m, 2)} → ${part(m, 3)}`;
  }),
  rule(`${MOCKED}\\s*(?:→|->)\\s*(?:exit\\s*[=:]\\s*|exit\\s+code\\s*[=:]?\\s*|code\\s*[=:]?\\s*)(\\d+)(.*)`, (m) => {
    return `MOCK: ${part(m, 1)}${part(m, 2)} → exit ${part(m, 3)}${part(m, 4)}`;
  }),
  rule(`${MOCKED}\\s*(?:→|->)\\s*(?:fails?|error|failure|FAIL)`, (m) => `MOCK: ${part(m, 1)}${part(m, 2)} → exit 1`),
  rule(
    `${MOCKED}\\s*(?:→|->)\\s*(?:success|nothing|succeeds|pass(?:es)?)`,
    (m) => `MOCK: ${part(m, 1)}${part(m, 2)} → ""`,
  ),
  answerRule('(?:timeout|timed out|time-?out)(?:\\s+\\d\\w*)?', () => 'times out'),
  answerRule(
    '(?:timeout|times out|timed out|time-?out):?\\s+("(?:[^"\\\\]|\\\\.)*")',
    (m) => `fails timeout ${part(m, 3)}`,
  ),
  rule(`${MOCKED}\\s*(?:→|->)\\s*("[^"]*"|exit \\d+)\\s*(?:\\sx|×|\\*)\\s*([2-9])`, (m) => {
    return `MOCK: ${part(m, 1)}${part(m, 2)} → ${Array(Number(part(m, 4)))
      .fill(part(m, 3))
      .join(', ')}`;
  }),
  rule(
    String.raw`MOCK:\s*(?!.*(?:Task\(|CALL\s))(?![\w-]+\s*(?:→|->|=>))([a-z./][^"'→]*?)\s*(?:→|->|=>)\s*(\S.*)`,
    (m) => {
      return /^\w+\//.test(part(m, 1)) && !part(m, 1).includes(' ')
        ? undefined
        : `MOCK: "${part(m, 1)}" → ${part(m, 2)}`;
    },
  ),
];
