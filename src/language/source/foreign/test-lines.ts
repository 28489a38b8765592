/**
 * Lines of test files as other tools write them, each with the line that is meant. No right line matches one of these
 * patterns, so that they are tried before a line is read.
 */
import { advise, CALL, expectations, type ForeignTestLine, rule, timesOf, withOwnNames } from './expectation-lines.js';
import { part } from './foreign-line.js';
import { mocks } from './mock-lines.js';

const ABOUT_ALL_RUNS = /^(?:NEVER|AT MOST|REACHES|ENDS|ASSUME|AFTER)\b/;
const BELOW_A_PROPERTY =
  'write `PROPERTY: NAME` at the left margin, and this line indented below it: it is about all runs of the program';

/** The verbs of lines, in every place. */
const VERBS =
  'TESTS|MOCK|PROPERTY|TEST|GIVEN|START|EACH|ANSWER|SIGNAL|CASSETTE|AT|EXPECT|SKIP|ASSUME|NEVER|AFTER|AT MOST|ENDS|REACHES';
const UPPER_OF = new RegExp(`^(?:${VERBS})$`);
/** `name="a" n=3`, `{"name": "a"}` and `name="a" and n=3` as a list of values. */
const valuesOf = (text: string): string | undefined => {
  const inside = text.trim().replace(/^\{(.*)\}$/s, '$1');
  const values: string[] = [];
  const one =
    /^\s*(?:-i\s+|--input\s+|--)?["']?([A-Za-z_]\w*)["']?\s*(?::=|==?|:|\bis\b)\s*("(?:[^"\\]|\\.)*"|\[[^\]]*\]|\{[^}]*\}|[^\s,;{}[\]"]+)\s*(?:,|;|&&|\band\b|\bAND\b)?/;
  let rest = inside;
  while (rest.trim() !== '') {
    const found = one.exec(rest);
    if (found === null) return undefined;
    values.push(
      `${part(found, 1)}=${found[0].trim().startsWith('-') && !part(found, 2).startsWith('"') ? `"${part(found, 2)}"` : part(found, 2)}`,
    );
    rest = rest.slice(found[0].length);
  }
  return values.length === 0 ? undefined : values.join(', ');
};
/** The same as an object. */
const objectOf = (text: string): string | undefined => {
  const values = valuesOf(text);
  const one = /(\w+)=("(?:[^"\\]|\\.)*"|\[[^\]]*\]|\{[^}]*\}|[^,]+)/g;
  const members = [...(values ?? '').matchAll(one)].map(([, name, value = '']) => {
    return `"${name}": ${/^(?:["[{]|-?\d+(?:\.\d+)?$|(?:true|false|null)$)/.test(value) ? value : `"${value}"`}`;
  });
  return values === undefined ? undefined : `{${members.join(', ')}}`;
};
const isGiven = (text: string): boolean =>
  /^\s*\w+\s*=(?!=)/.test(text) && !/["\]}\w]\s+(?:and\b|AND\b|&&|;|\w+\s*=(?!=))|;/.test(text);
const NO_ANSWER =
  'remove the line: without it nobody answers, and the question takes its `default=` when its `deadline=` has passed; a run without one is suspended, as in `EXPECT: suspended NAME`';
const SECTIONS =
  'BEFORE|BEFORE_?EACH|BEFORE_?ALL|AFTER_?EACH|AFTER_?ALL|SETUP|TEARDOWN|FIXTURES?|CLEANUP|BACKGROUND|BEGIN_?ALL';

const others = (): readonly ForeignTestLine[] => [
  advise(
    String.raw`PROPERTY:\s*(?:NEVER|AFTER|AT MOST|ENDS|REACHES|ASSUME)\s*:.*`,
    'a property has a name, and its lines below it: `PROPERTY: people decide`, and indented deeper `NEVER: …`',
  ),
  rule(String.raw`(?:\/\/|--(?!input\b)|;|\/\*)\s*(.*?)(?:\*\/)?`, (m) => `# ${part(m, 1).trim()}`),
  rule(
    String.raw`(?:TESTS?|FLOW|PROGRAM|FILE|import|from|require|use|IMPORT|USE)\s*(?:FOR|for|OF|of|FILE)?\s*[:(]?\s*["']([\w./-]+\.(?:dsl|md|ya?ml|json))["']\s*\)?;?`,
    (m) => {
      return /^TESTS:\s*"/.test(m[0]) ? undefined : `TESTS: "${part(m, 1)}"`;
    },
  ),
  rule(String.raw`(?:PROGRAM|FLOW|FILE|IMPORT|TEST FILE|USE):\s*"?([\w./-]+\.(?:dsl|md|ya?ml|json))"?`, (m) => {
    return `TESTS: "${part(m, 1)}"`;
  }),
  rule(String.raw`(?:async\s+)?def\s+(?:test_)?(\w+)\s*\(.*`, (m) => `TEST: ${part(m, 1).replaceAll('_', ' ')}`),
  rule(String.raw`(?:it|test|scenario|specify)(?:\.\w+)?\s*\(\s*["'\x60](.+?)["'\x60].*`, (m) => `TEST: ${part(m, 1)}`),
  rule(String.raw`(?:TEST|test|it)\.(?:only|skip|todo|concurrent)\s*:?\s*(\S.*)`, (m) => `TEST: ${part(m, 1)}`),
  rule(
    String.raw`(?:Scenario(?: Outline)?|SCENARIO|CASE|TEST CASE|TESTCASE|IT|Case|Test|SHOULD PASS|ONLY|TEST ONLY|- name|name):\s*(\S.*)`,
    (m) => {
      return `TEST: ${part(m, 1)}`;
    },
  ),
  advise(
    String.raw`(?:(?:describe|context|suite)(?:\.\w+)?\s*\(.*|(?:Feature|DESCRIBE|SUITE|class)\b:?.*|[)};\]]+|import\b.*|from\s+\w+.*|(?:const|let|var)\s.*|@\w+[^(]*|"""|beforeEach.*|afterEach.*|beforeAll.*)`,
    'remove it: a file has `TESTS:` with its program, and each test a line `TEST: NAME` with its lines indented below',
  ),
  rule(
    String.raw`@pytest\.mark\.parametrize\(\s*["'](\w+)["']\s*,\s*(\[.*\])\s*\)`,
    (m) => `EACH: ${part(m, 1)} in ${part(m, 2)}`,
  ),
  rule(String.raw`(?:test|it)\.each\(\s*(\[.*\])\s*\).*`, (m) => `EACH: row in ${part(m, 1)}`),
  rule(
    String.raw`(?:EACH|EXAMPLES?|CASES?|PARAMS|PARAMETERS|ROWS|DATA|MATRIX|WHERE|TABLE):\s*(\[.*\])`,
    (m) => `EACH: row in ${part(m, 1)}`,
  ),
  rule(
    String.raw`(?:EACH|EXAMPLES?|CASES?|PARAMS|PARAMETERS|ROWS|DATA|MATRIX|TABLE):\s*(\{.*\})`,
    (m) => `EACH: row in [${part(m, 1)}]`,
  ),
  rule(String.raw`FOR EACH:?\s*(\w+)\s+(?:in|IN|of)\s+(\[.*\])\s*:?`, (m) => `EACH: ${part(m, 1)} in ${part(m, 2)}`),
  rule(String.raw`(?:WITH|VARS|VARIABLES|USING|SET|LET|WHERE|GIVENS|INPUTS?|ARGS?|PARAMS?)\b:?\s*(\S.*)`, (m) => {
    const values = isGiven(part(m, 1)) ? part(m, 1) : valuesOf(part(m, 1));
    return values === undefined ? undefined : `GIVEN: ${values}`;
  }),
  rule(String.raw`(?:GIVEN:|Given:?|given:?|GIVEN(?!:)|-i|--input)\s*(\S.*)`, (m) => {
    // A comma may be left out before the next name.
    if (/^GIVEN:/.test(m[0]) && isGiven(part(m, 1).replace(/(["\]}\w])\s+(?=\w+\s*=(?!=))/g, '$1, '))) return undefined;
    // On the command line, a value needs no quotes.
    const text = m[0].startsWith('-') ? m[0] : part(m, 1);
    const values = isGiven(text) ? text : valuesOf(text);
    return values === undefined ? undefined : `GIVEN: ${values}`;
  }),
  rule(
    String.raw`WHEN:?\s*(?:run|runs|ran|calls?|command)?\s*("(?:[^"\\]|\\.)*"|Task\([\w./:-]+\))\s*,?\s*(?:(?:THEN|then)\s*(?:RETURN|return)?|returns?|prints?|gives|answers|is called)\s*(\S.*)`,
    (m) => {
      return `MOCK: ${part(m, 1)} → ${part(m, 2)}`;
    },
  ),
  rule(
    String.raw`(?:RUN|MOCKS|COMMAND|DO|CHECK|RETURNS?|RESPOND|PATCH|AGENT):\s*("(?:[^"\\]|\\.)*"|Task\([\w./:-]+\))\s*(?:→|->|=>)\s*(\S.*)`,
    (m) => {
      return `MOCK: ${part(m, 1)} → ${part(m, 2)}`;
    },
  ),
  advise(
    String.raw`(?:RUN|WHEN|When|ACT|DO|EXEC|EXECUTE|CALL|INVOKE)\b:?(?:\s[^"]*)?`,
    'remove it: each TEST runs the program by itself',
  ),
  rule(
    String.raw`(?:ASK|REPLY|REPLIES|CHOOSE|RESPONSE|USER|PERSON|HUMAN|ANSWERS):\s*(?:user[:/]?\s*)?"?(\w+)"?\s*(?:→|->|=>|==?|:)\s*(\S.*)`,
    (m) => `ANSWER: ${part(m, 1)} → ${part(m, 2)}`,
  ),
  rule(String.raw`ANSWER:\s*(?:user|ASK|ask|question)[\s/.:]+"?(\w+)"?\s*(?:→|->|=>|==?|:)\s*(\S.*)`, (m) => {
    return `ANSWER: ${part(m, 1)} → ${part(m, 2)}`;
  }),
  advise(
    String.raw`ANSWER:\s*\w+\s*(?:(?:→|->|=>|==?|:)\s*)?(?:(?:fails\s+)?(?:times?|timed)\s+out|no\s+(?:answer|one|reply|response)|(?:is|stays)\s+silent|hangs|nobody|no_answer|never|fails\s+timeout.*|after\s+\d+\s*[smhd]|deadline(?:\s+(?:passes|passed))?)`,
    NO_ANSWER,
  ),
  rule(
    String.raw`ANSWER:\s*(\w+)\s*(?:→|->)\s*("[^"]*")\s+(?:after|at|in|@)\s+(\d+\s*(?:ms|[smhd]))`,
    (m) => `AT: ${part(m, 3)}\nANSWER: ${part(m, 1)} → ${part(m, 2)}`,
  ),
  advise(
    String.raw`SIGNAL:\s*\w+\s*(?:→|->|=>|==?|:)?\s*(?:(?:fails\s+)?(?:times?|timed)\s+out|no\s+(?:signal|one)|hangs|never|(?:→|->|=>)\s*(?:timeout|none|nothing|null))`,
    'remove the line: without it no signal comes, and a WAIT with `timeout=` goes on when that has passed',
  ),
  rule(
    String.raw`(?:START|BEGIN|START AT|START IN|START FROM|FROM|STATE|BEGIN AT|BEGIN IN|STARTS?|ENTER)(?:\s+(?:AT|IN|FROM|STATE))?:\s*(?:at\s+|in\s+|state\s+)?"?([A-Za-z_]\w*)"?(\s+with\s.*)?`,
    (m) => {
      return `START: ${part(m, 1)}${part(m, 2)}`;
    },
  ),
  rule('(?:SKIP|SKIPPED|PENDING|TODO|XFAIL|DISABLED):?', () => 'SKIP: not yet'),
  rule(String.raw`(?:SKIPPED|PENDING|TODO|XFAIL|DISABLED):\s*(\S.*)`, (m) => `SKIP: ${part(m, 1)}`),
  rule(
    String.raw`(?:ADVANCE|WAIT|SLEEP|CLOCK|TICK|TIME|AT|AFTER|TRAVEL|DELAY)\s*:\s*(?:after\s+)?(\d+)\s*(s|m|h|d)(?:ec(?:ond)?s?|in(?:ute)?s?|ours?|ays?)?`,
    (m) => {
      return `AT: ${part(m, 1)}${part(m, 2).toLowerCase()}`;
    },
  ),
  advise(
    String.raw`(?:TIMEOUT|MAX_TIME|DEADLINE|LIMIT|SLOW)\b:.*`,
    'remove it: time is virtual; `EXPECT: time < 5` judges how many seconds a run takes',
  ),
  advise(
    String.raw`(?:${SECTIONS})\b:?.*`,
    'remove it with the lines below it: a test starts nothing, so there is nothing to prepare; write `MOCK:` lines',
  ),
  advise(
    String.raw`(?:ENV|ENVIRONMENT|CWD|WORKDIR|ARGS|CONFIG)\b:.*`,
    'remove it: mocks answer for commands, so no command sees it',
  ),
  rule(
    String.raw`(?:TAGS?|DESCRIPTION|DESC|DOC|DOCS|NOTE|COMMENT|AUTHOR|MARK|LABELS?|PRIORITY|OWNER):\s*(.*)`,
    (m) => `# ${part(m, 1)}`,
  ),
  rule(String.raw`CASSETTE:\s*([\w./-]+)(\s+\w+=\w+)*`, (m) => `CASSETTE: "${part(m, 1)}"${part(m, 2)}`),
  rule(String.raw`(?:RECORDING|VCR|REPLAY|RECORD):\s*"?([\w./-]+)"?`, (m) => `CASSETTE: "${part(m, 1)}"`),
  rule(
    String.raw`SIGNAL:\s*"?(\w+)"?(?:\s*(?:→|->|=>|:)\s*|\s+)(?:(?:with|WITH)\s+)?(\w+\s*=(?!=).*?)(\s+at\s+\d\w*)?`,
    (m) => {
      const payload = objectOf(part(m, 2));
      return payload === undefined ? undefined : `SIGNAL: ${part(m, 1)} ${payload}${part(m, 3)}`;
    },
  ),
  rule(
    String.raw`SIGNAL:\s*"?(\w+)"?\s*(?:→|->|=>|=|:|with(?=\s*["{]))\s*(\S.*)`,
    (m) => `SIGNAL: ${part(m, 1)} ${part(m, 2)}`,
  ),
  rule(
    String.raw`SIGNAL:\s*"?(\w+)"?(\s+(?:"[^"]*"|\{.*\}))?\s+(?:after|in|@)\s*(\d+(?:\.\d+)?(?:ms|s|m|h|d))`,
    (m) => `SIGNAL: ${part(m, 1)}${part(m, 2)} at ${part(m, 3)}`,
  ),
  rule(
    String.raw`(MOCK:\s*|EXPECT:\s*calls\s+|EXPECT:\s*prompt\s+|(?:NEVER|AT MOST):\s*(?:\d+\s+)?run\s+)"(Task\([\w.-]+\))"(.*)`,
    (m) => `${part(m, 1)}${part(m, 2)}${part(m, 3)}`,
  ),
  rule(String.raw`(?:EVENT|SEND|EMIT|SIGNALS):\s*"?(\w+)"?(.*)`, (m) => `SIGNAL: ${part(m, 1)}${part(m, 2)}`),
  rule(String.raw`(?:RETURNS?|RETURNED|OUTPUT|EXPECTED_OUTPUT):\s*(\S.*)`, (m) => `EXPECT: returned ${part(m, 1)}`),
  rule(String.raw`(?:FAILS?|FAILED|RAISES|THROWS)(?::\s*([a-z_]+)?)?`, (m) => `EXPECT: failed ${part(m, 1)}`.trimEnd()),
  rule(
    String.raw`expect\s*\((.+)\)\.not\.(?:toBe|toEqual|toStrictEqual)\((.*)\);?`,
    (m) => `EXPECT: ${withOwnNames(part(m, 1))} != ${part(m, 2)}`,
  ),
  rule(
    String.raw`expect\s*\((.+)\)\.(?:toBe|toEqual|toStrictEqual|to\.equal|to\.be|toMatch)\((.*)\);?`,
    (m) => `EXPECT: ${withOwnNames(part(m, 1))} == ${part(m, 2)}`,
  ),
  rule(
    String.raw`expect\s*\((.+)\)\.(?:toContain|toInclude|to\.contain|to\.include)\((.*)\);?`,
    (m) => `EXPECT: ${withOwnNames(part(m, 1))} contains ${part(m, 2)}`,
  ),
  rule(
    `expect\\s*\\(${CALL}\\)\\.toHaveBeenCalledTimes\\((\\d+)\\);?`,
    (m) => `EXPECT: calls ${part(m, 1)} == ${part(m, 2)}`,
  ),
  rule(`expect\\s*\\(${CALL}\\)\\.toHaveBeenCalled(?:With)?\\(.*\\);?`, (m) => `EXPECT: calls ${part(m, 1)} >= 1`),
  rule(`expect\\s*\\(${CALL}\\)\\.not\\.toHaveBeenCalled\\(\\);?`, (m) => `EXPECT: calls ${part(m, 1)} == 0`),
  rule(
    String.raw`(?:self\.)?assert(?:_eq(?:ual)?|Equals?|_equal|\.equal)\s*\((.+),\s*(.+)\);?`,
    (m) => `EXPECT: ${withOwnNames(part(m, 1))} == ${part(m, 2)}`,
  ),
  rule(
    String.raw`(?:assert|expect|Then|then|should|And|and|check|verify)\b:?\s+(?!\()(\S.*)`,
    (m) => `EXPECT: ${withOwnNames(part(m, 1))}`,
  ),
  advise(
    String.raw`(?:expect|assert)\s*\(.*`,
    'write `EXPECT: returned "…"`, `EXPECT: calls "…" == 1`, or another line of `EXPECT:`',
  ),
  rule(String.raw`ENDS?(?:\s+(?:IN|AT|AS))?:\s*(returned|failed|suspended)`, (m) => `EXPECT: ${part(m, 1)}`),
  rule(
    String.raw`(?:ENDS?|ENDS IN|END STATE|FINAL|FINAL STATE|REACHES|VISITS|VISITED|STATES?):\s*(?:in\s+|state\s+)?"?([A-Za-z_]\w*)"?`,
    (m) => {
      return `EXPECT: states …, ${part(m, 1)}, …`;
    },
  ),
  rule(`(?:NEVER|NOT|NO):\\s*(?:run\\s+|runs\\s+|calls\\s+)?${CALL}`, (m) => `EXPECT: calls ${part(m, 1)} == 0`),
  rule(String.raw`NEVER:\s*(?:event|emits?)\s+(\w+)`, (m) => `EXPECT: no event ${part(m, 1)}`),
  rule('NEVER:\\s*(?:failed|fails)', () => 'EXPECT: returned'),
  rule(
    `AT MOST:?\\s*(\\d+):?\\s*(?:run\\s+|calls?\\s+(?:of\\s+)?)?${CALL}`,
    (m) => `EXPECT: calls ${part(m, 2)} <= ${part(m, 1)}`,
  ),
  rule(
    `AT LEAST:?\\s*(\\d+):?\\s*(?:run\\s+|calls?\\s+(?:of\\s+)?)?${CALL}`,
    (m) => `EXPECT: calls ${part(m, 2)} >= ${part(m, 1)}`,
  ),
  rule(
    `(?:CALLS|CALLED|COUNT|RAN):\\s*${CALL}\\s*(?:==?|x|×)?\\s*(\\d+)(?:\\s*times)?`,
    (m) => `EXPECT: calls ${part(m, 1)} == ${part(m, 2)}`,
  ),
  rule(String.raw`(?:ALWAYS|INVARIANT):\s*(\S.*)`, (m) => `EXPECT [always]: ${part(m, 1)}`),
  advise('(?:NEVER|AT MOST|REACHES|ENDS|ASSUME|AFTER|PROPERTY)\\b.*', BELOW_A_PROPERTY),
  rule(String.raw`MOCKS?\s+["']?([\w./*-][^"':→]*?)["']?\s*(?::|=>|=|→|->)\s*(\S.*)`, (m) => {
    return `MOCK: ${/^(?:Task\(|CALL )/.test(part(m, 1)) ? part(m, 1) : `"${part(m, 1)}"`} → ${part(m, 2)}`;
  }),
  rule(String.raw`(${VERBS})\s+(?![\s:[])(.*[^:])`, (m) => `${part(m, 1)}: ${part(m, 2)}`),
  rule(
    String.raw`(?!EXPECT\b)(${VERBS.toLowerCase()}|${VERBS.split('|')
      .map((one) => one[0] + one.slice(1).toLowerCase())
      .join('|')})\s*:\s*(.*)`,
    (m) => {
      const verb = part(m, 1).toUpperCase();
      return UPPER_OF.test(verb) ? `${verb}: ${part(m, 2)}`.trimEnd() : undefined;
    },
  ),
  rule(String.raw`(?:ASSERT|THEN|SHOULD|EXPECTS|EXPECTED|VERIFY|RESULT)\b:?\s*(\S.*)`, (m) => `EXPECT: ${part(m, 1)}`),
  rule(String.raw`(?:STUB|FAKE|PATCH|ON|WHEN)\b:?\s*(".*?")\s*(?:→|->|=>|=|:|returns?)\s*(\S.*)`, (m) => {
    return `MOCK: ${part(m, 1)} → ${part(m, 2)}`;
  }),
  rule(String.raw`ANSWER:\s*(\w+)\s*(?:==?|:|=>)\s*"?([^"]*?)"?`, (m) => `ANSWER: ${part(m, 1)} → "${part(m, 2)}"`),
  rule(String.raw`ANSWER:?\s*(\w+)\s+(?![-=]>)"?([^"→]*?)"?`, (m) => `ANSWER: ${part(m, 1)} → "${part(m, 2)}"`),
  rule(String.raw`TESTS:\s*([\w./-]+)`, (m) => `TESTS: "${part(m, 1)}"`),
];

/** Text in which words within quotes do not count. */
const MOMENT = '((?:[^"]|"[^"]*")+?)';

/** A moment as it is probably meant. */
const momentOf = (text: string): string =>
  text
    .trim()
    .replace(/^(?:in|enters?|entered|visits?|visited|reaches|reached|goes to|STATE:?)\s+(?=[A-Z_]\w*$)/, 'state ')
    .replace(/^(?=[A-Z][A-Z0-9_]*$)/, 'state ')
    .replace(/^(?:emit(?:s|ted)?|EMIT):?\s+(?=\w+$)/, 'event ')
    .replace(/^(?:ran|runs|calls?|called|command|executes|executed|DO|CHECK):?\s+(?=["TC])/, 'run ')
    .replace(/^(?="|Task\()/, 'run ')
    .replace(/^answered\s+(\w+)\s*(?:=(?!=)|→|is\b|:)\s*/, 'answered $1 == ')
    .replace(/^(answered\s+\w+\s*[!=]=\s*)(?!true$|false$)([A-Za-z][\w-]*)$/, '$1"$2"')
    .replace(/^(?:fails|fail|failure|FAIL)$/, 'failed')
    // Only answers are compared with a text in a moment.
    .replace(/^(?=[a-z_]\w*\s*==\s*"[^"]*"$)/, 'answered ')
    .replace(/^(?:returns?|RETURN):?(?=\s|$)/, 'returned');

const properties = (): readonly ForeignTestLine[] => [
  rule(
    String.raw`(NEVER:\s*${MOMENT}\s+UNLESS\s+)(?:ANSWER|answer|answered|ASK)\s+(\w+)\s*(?:→|->|==?|is)\s*"?([^"]+?)"?`,
    (m) => {
      const meant = `${part(m, 1)}answered ${part(m, 3)} == "${part(m, 4)}"`;
      return /UNLESS answered \w+ == (?:"|true$|false$|\w+$)/.test(m[0]) ? undefined : meant;
    },
  ),
  rule(
    String.raw`NEVER:\s*${MOMENT}\s+(?:TWICE|twice|AGAIN|again|(?:MORE THAN|more than)\s+(?:once|ONCE|1))`,
    (m) => `AT MOST: 1 ${momentOf(part(m, 1))}`,
  ),
  rule(
    String.raw`NEVER:\s*${MOMENT}\s+(?:MORE THAN|more than)\s+(\d+)(?:\s*times)?`,
    (m) => `AT MOST: ${part(m, 2)} ${momentOf(part(m, 1))}`,
  ),
  rule(
    String.raw`NEVER:\s*((?!\w+\s*==\s*"|answered\b|failed\b|returned\b|event\b|state\b|run\b)[a-z_]\w*(?:\.\w+)*\s*(?:[<>]=?|!=|==)\s*[\w."-]+)`,
    (m) => {
      return `NEVER: returned WHEN ${part(m, 1)}`;
    },
  ),
  rule(
    String.raw`(?:NEVER|REACHES|CAN|POSSIBLE):\s*(?:GOTO:?|reach(?:es)?|visits?|goes to|enters?)\s+(?:state\s+)?([A-Za-z_]\w*)`,
    (m) => {
      return `${m[0].startsWith('NEVER') ? 'NEVER' : 'REACHES'}: state ${part(m, 1)}`;
    },
  ),
  rule(
    String.raw`(NEVER|REACHES|AT MOST):\s*(\d+\s+)?(?:agent|AGENT)\s+([\w-]+)`,
    (m) => `${part(m, 1)}: ${part(m, 2)}run Task(${part(m, 3)})`,
  ),
  rule(
    String.raw`AT MOST:\s*(\d+)\s*(?:times|x|runs?(?=\s+of)|calls?)\s+(?:of\s+)?(?:run\s+)?(\S.*)`,
    (m) => `AT MOST: ${part(m, 1)} ${momentOf(part(m, 2))}`,
  ),
  rule(String.raw`EXACTLY:?\s*(\d+)\s*(?:times\s+)?(\S.*)`, (m) => `AT MOST: ${part(m, 1)} ${momentOf(part(m, 2))}`),
  rule(
    String.raw`AFTER:\s*((?:run|event|state|answered|failed|returned)\b[^"→]*(?:"[^"]*")?)\s*,?\s*((?:run|event|state|answered)\s+.*)`,
    (m) => {
      return /→|->/.test(m[0]) ? undefined : `AFTER: ${part(m, 1).trim()} → ${part(m, 2)}`;
    },
  ),
  rule(
    String.raw`(?:IF|WHEN|WHENEVER|ON):?\s+${MOMENT}\s*(?:→|->|=>|,?\s*THEN|,?\s*then)\s*(\S.*)`,
    (m) => `AFTER: ${momentOf(part(m, 1))} → ${momentOf(part(m, 2))}`,
  ),
  rule(
    String.raw`(?!\w+:)${MOMENT}\s+(?:IMPLIES|LEADS TO|implies|leads to|=>|~>)\s+(\S.*)`,
    (m) => `AFTER: ${momentOf(part(m, 1))} → ${momentOf(part(m, 2))}`,
  ),
  rule(String.raw`(?:POSSIBLE|POSSIBLY|MAYBE|LIVENESS):\s*(\S.*)`, (m) => `REACHES: ${momentOf(part(m, 1))}`),
  rule(
    String.raw`(NEVER|AFTER|REACHES|ASSUME|ENDS)\s+(?!:)(\S.*)`,
    (m) => `${part(m, 1)}: ${part(m, 1) === 'ASSUME' || part(m, 1) === 'ENDS' ? part(m, 2) : momentOf(part(m, 2))}`,
  ),
  rule(
    String.raw`(?:ASSERT|GIVEN|REQUIRE|PRECONDITION|SUPPOSE|LET):?\s+(\w+\s*(?:==|!=|[<>]=?)\s*.*)`,
    (m) => `ASSUME: ${part(m, 1)}`,
  ),
  rule(String.raw`GIVEN:?\s+(\w+)\s*=\s*(?!=)(\S.*)`, (m) => `ASSUME: ${part(m, 1)} == ${part(m, 2)}`),
  rule(String.raw`ENDS:?\s+in\s+([A-Za-z_]\w*)`, (m) => `REACHES: state ${part(m, 1)}`),
  rule(String.raw`(?:G|F|□|◇|\[\]|<>)\s*\(?\s*((?:run|state|event)\s.*?)\s*\)?`, (m) => `REACHES: ${part(m, 1)}`),
  rule(
    String.raw`(?:(?:FORBID|FORBIDDEN|MUST NOT|NOT|NO)(?=[\s:])|NEVER(?=\s)):?\s*(\S.*)`,
    (m) => `NEVER: ${momentOf(part(m, 1))}`,
  ),
  rule(String.raw`(?:MAX(?:IMUM)?|NO MORE THAN):?\s*(\d+\s.*)`, (m) => `AT MOST: ${part(m, 1)}`),
  rule(String.raw`AT MOST:\s*(one|two|three)\s+(?:times?\s+)?(\S.*)`, (m) => {
    return `AT MOST: ${['one', 'two', 'three'].indexOf(part(m, 1)) + 1} ${momentOf(part(m, 2))}`;
  }),
  rule(String.raw`AT LEAST:?\s*(?:1|one|once)?:?\s*(["A-Za-z]\S.*)`, (m) => `REACHES: ${momentOf(part(m, 1))}`),
  rule(
    String.raw`(?!\w+:)${MOMENT}\s+BEFORE\s+(\S.*)`,
    (m) => `NEVER: ${momentOf(part(m, 2))} UNLESS ${momentOf(part(m, 1))}`,
  ),
  advise(
    String.raw`AFTER:\s*${MOMENT}\s*(?:→|->)\s*(?:(?:returned|failed|ended)\s+(?:OR|or|\|\|)\s+(?:returned|failed)|ended|the\s+end)`,
    'write `ENDS: always`: a run that ends has returned or failed',
  ),
  advise(
    String.raw`AFTER:\s*${MOMENT}\s*(?:→|->)\s*${MOMENT}\s+(?:OR|or|\|\|)\s+\S.*|(?:NEVER:.*\sUNLESS|AT MOST:|REACHES:)\s${MOMENT}\s+(?:OR|or|\|\|)\s+\S.*`,
    'a line has one moment here: emit one event on each of these ways, as in `EMIT: SETTLED`, and name it as `event SETTLED`',
  ),
  rule(String.raw`NEVER:\s*${MOMENT}\s+UNLESS\s+${MOMENT}\s+(?:AND|and|&&)\s+(\S.*)`, (m) => {
    if (/\sWHEN\s/.test(part(m, 2))) return undefined;
    const never = `NEVER: ${momentOf(part(m, 1))} UNLESS`;
    return `${never} ${momentOf(part(m, 2))}\n${never} ${momentOf(part(m, 3))}`;
  }),
  rule(String.raw`AFTER:\s*${MOMENT}\s+(?:OR|or|\|\|)\s+${MOMENT}\s*(?:→|->)\s*(\S.*)`, (m) => {
    const after = momentOf(part(m, 3));
    return `AFTER: ${momentOf(part(m, 1))} → ${after}\nAFTER: ${momentOf(part(m, 2))} → ${after}`;
  }),
  rule(String.raw`AFTER:\s*${MOMENT}\s*(?:→|->)\s*${MOMENT}\s+(?:AND|and|&&)\s+(\S.*)`, (m) => {
    if (/\sWHEN\s/.test(part(m, 2))) return undefined;
    const after = `AFTER: ${momentOf(part(m, 1))} →`;
    return `${after} ${momentOf(part(m, 2))}\n${after} ${momentOf(part(m, 3))}`;
  }),
  rule(String.raw`NEVER:\s*${MOMENT}\s+(?:OR|or)\s+(\S.*)`, (m) => {
    if (/\s(?:UNLESS|WHEN)\s/.test(m[0])) return undefined;
    return `NEVER: ${momentOf(part(m, 1))}\nNEVER: ${momentOf(part(m, 2))}`;
  }),
  rule(
    String.raw`NEVER:\s*${MOMENT}\s+(?:IF|if|when)\s+(\S.*)`,
    (m) => `NEVER: ${momentOf(part(m, 1))} WHEN ${part(m, 2)}`,
  ),
  rule(
    String.raw`(?:ALWAYS|INVARIANT|HOLDS):\s*(?:ends|ended|returned|returns|terminates|finishes|halts)`,
    () => 'ENDS: always',
  ),
  rule(String.raw`AT MOST\s+(\d+|ONCE|once)\s*:\s*(\S.*)`, (m) => {
    return `AT MOST: ${part(m, 1).replace(/once/i, '1')} ${momentOf(part(m, 2))}`;
  }),
  rule(String.raw`AT MOST:\s*once\s+(\S.*)`, (m) => `AT MOST: 1 ${momentOf(part(m, 1))}`),
  rule(String.raw`AT MOST:\s*([a-zA-Z"].*?)\s*(?:,|<=)?\s*(\d+|once|twice)(?:\s+times?)?`, (m) => {
    return `AT MOST: ${timesOf(part(m, 2))} ${momentOf(part(m, 1))}`;
  }),
  advise(
    String.raw`(?:ALWAYS|INVARIANT|HOLDS):\s*(?:returned|failed)\s+(?:or|OR|\|\|)\s+(?:returned|failed)`,
    'write `ENDS: always`: a run that ends has returned or failed',
  ),
  rule(String.raw`(?:ALWAYS|INVARIANT|HOLDS):\s*(\S.*)`, (m) => `NEVER: returned WHEN NOT (${part(m, 1)})`),
  rule(String.raw`ONCE:\s*(\S.*)`, (m) => `AT MOST: 1 ${momentOf(part(m, 1))}`),
  rule(String.raw`AFTER:\s*${MOMENT}\s+(?:EVENTUALLY|THEN|ALWAYS|COMES|FOLLOWS|eventually|then)\s*:?\s+(\S.*)`, (m) => {
    return `AFTER: ${momentOf(part(m, 1))} → ${momentOf(part(m, 2))}`;
  }),
  rule(String.raw`NEVER:\s*${MOMENT}\s+(?:BEFORE|WITHOUT|UNTIL|before|without|until|unless)\s+(\S.*)`, (m) => {
    return `NEVER: ${momentOf(part(m, 1))} UNLESS ${momentOf(part(m, 2))}`;
  }),
  rule(String.raw`BEFORE:\s*${MOMENT}\s*(?:→|->|,)\s*(\S.*)`, (m) => {
    return `NEVER: ${momentOf(part(m, 1))} UNLESS ${momentOf(part(m, 2))}`;
  }),
  rule(String.raw`(NEVER|REACHES|AFTER|AT MOST):\s*(\d+\s+)?(.+)`, (m) => {
    const [first, ...rest] = part(m, 3).split(/(\s+UNLESS\s+|\s*(?:→|->)\s*)/);
    const meant = [momentOf(first ?? ''), ...rest.map((one, at) => (at % 2 === 0 ? one : momentOf(one)))].join('');
    return meant === part(m, 3) ? undefined : `${part(m, 1)}: ${part(m, 2)}${meant}`;
  }),
  rule(String.raw`(?:EVENTUALLY|SOMETIMES|REACHABLE|CAN):\s*(\S.*)`, (m) => `REACHES: ${momentOf(part(m, 1))}`),
  rule(String.raw`(?:TERMINATES|HALTS|ENDS|TERMINATION)(?::\s*(?:yes|true|eventually)?)?`, () => 'ENDS: always'),
];

/** Where a line is: at the left margin, or below a TEST or a PROPERTY. */
type LineLevel = 'file' | 'test' | 'property';

/** Longer lines are data. So are lines with more blanks in a row: the rules would try each way to divide them. */
const LONGEST: Readonly<Record<LineLevel, number>> = { file: 2000, test: 2000, property: 500 };
const MANY_BLANKS = /\s{24}/;

let ofTests: readonly ForeignTestLine[] | undefined;
let ofProperties: readonly ForeignTestLine[] | undefined;

/** They are made when the first line is read. */
function rulesOf(level: LineLevel): readonly ForeignTestLine[] {
  if (level === 'property') {
    ofProperties ??= properties();
    return ofProperties;
  }
  ofTests ??= [...expectations(), ...mocks(), ...others()];
  return ofTests;
}

/** The line that is meant, or what to do instead; null: this line may be right. */
export function testLineMeant(
  line: string,
  level: LineLevel,
): { readonly meant: string } | { readonly advice: string } | null {
  if (level === 'file' && ABOUT_ALL_RUNS.test(line)) return { advice: BELOW_A_PROPERTY };
  if (line.length > LONGEST[level] || MANY_BLANKS.test(line)) return null;
  for (const { line: pattern, by, advice } of rulesOf(level)) {
    const found = pattern.exec(line);
    if (found === null || isRightIn(level, line)) continue;
    if (advice !== undefined) return { advice };
    const meant = by(found, line);
    if (meant !== undefined && meant !== null && meant !== line) return { meant: meantAgain(meant, level) };
  }
  return null;
}

/** Lines that begin as others of another place do. */
function isRightIn(level: LineLevel, line: string): boolean {
  return level === 'file'
    ? /^(?:TESTS|TEST|PROPERTY):\s+(?!["'][^"']*\.(?:dsl|md|ya?ml|json)["']$)\S/.test(line) &&
        !/^TESTS:\s*[^"'\s]/.test(line)
    : false;
}

/** Each line that is meant may itself be written as another tool writes it. */
function meantAgain(meant: string, level: LineLevel, depth = 3): string {
  return meant
    .split('\n')
    .map((line) => {
      const again = depth === 0 || line.startsWith('#') ? null : testLineMeant(line, level);
      return again !== null && 'meant' in again ? again.meant : line;
    })
    .join('\n');
}
