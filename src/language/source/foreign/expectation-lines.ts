/** What other tools write after EXPECT, and the parts that all rules of lines of test files share. */
import { type ForeignLine, part } from './foreign-line.js';

export interface ForeignTestLine extends Required<Pick<ForeignLine, 'line' | 'by'>> {
  /** What to do, if no line says the same. */
  readonly advice?: string;
}

/** A quoted text, an agent or a tool. */
export const CALL = String.raw`("(?:[^"\\]|\\.)*"|Task\([\w./:-]+\)|CALL \S+)`;
const NO = '(?:not|NOT|no|never|neither)';
const RAN =
  '(?:ran|runs?|calls?|called|executed|executes|invoked|performs?|performed|commands?|undone|undid|rolled back|has run|was called)';
const NAME = String.raw`([A-Za-z_]\w*)`;
const ENTERED = 'visited?|visits|entered?|enters|in|reache[sd]|reach';

export const rule = (pattern: string, by: ForeignTestLine['by']): ForeignTestLine => ({
  line: new RegExp(`^${pattern}$`),
  by,
});
const expect = (pattern: string, by: ForeignTestLine['by']): ForeignTestLine => rule(`EXPECT:\\s*${pattern}`, by);
/** A line that no other line replaces. */
export const advise = (pattern: string, advice: string): ForeignTestLine => ({ ...rule(pattern, (m) => m[0]), advice });

export const timesOf = (count: string): string => ({ once: '1', twice: '2', thrice: '3', never: '0' })[count] ?? count;

const SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86400 };
/** What other tools call the result. */
const RESULT =
  '(?:returned|result|output|stdout|text|response|actual|value|ret|return_value|returnValue|returned_value)';
const IS = '(?:===?|=|:|is|equals?|to be|toBe|toEqual|should be)';
/** The same condition with the names that a test has. */
export const withOwnNames = (text: string): string =>
  text
    .replace(new RegExp(`^(?:flow\\.|run\\.|result\\.)?${RESULT}\\b(?=\\s|$)`), 'returned')
    .replace(/;$/, '')
    .trim();

/** How other tools compare a number of calls. */
const COMPARED: Readonly<Record<string, string>> = {
  ...{ 'at least': '>=', 'at most': '<=', 'more than': '>', 'less than': '<', 'fewer than': '<', exactly: '==' },
  ...{ 'no more than': '<=', 'no fewer than': '>=' },
};

export const expectations = (): readonly ForeignTestLine[] => [
  expect(
    `(?:calls\\s+)?${CALL}\\s+(?:${RAN}\\s+)?(${Object.keys(COMPARED).join('|')})\\s+(\\d+|once|twice)(?:\\s*(?:x|times?))?`,
    (m) => `EXPECT: calls ${part(m, 1)} ${COMPARED[part(m, 2)]} ${timesOf(part(m, 3))}`,
  ),
  expect(`(?:calls\\s+)?${CALL}\\s+between\\s+(\\d+)\\s+and\\s+(\\d+)(?:\\s*times)?`, (m) => {
    return `EXPECT: calls ${part(m, 1)} >= ${part(m, 2)}\nEXPECT: calls ${part(m, 1)} <= ${part(m, 3)}`;
  }),
  advise(
    `EXPECT:\\s*(?:order\\s+|calls\\s+)?${CALL}\\s*(?:before|then|→|->|,|after)\\s*${CALL}`,
    'write what comes first as a `PROPERTY:` at the margin, and below it `NEVER: run "second" UNLESS run "first"`',
  ),
  expect(
    '(?:(?:that|then)\\s+)?(?:the\\s+(?:run|flow|program|workflow)|it|this)\\s+((?:fails?|failed|returns?|returned|succeeds|passes|completes)(?:\\s.*)?)',
    (m) =>
      /^(?:fail)/.test(part(m, 1))
        ? `EXPECT: failed${part(m, 1).replace(/^\w+/, '')}`
        : /^return/.test(part(m, 1))
          ? `EXPECT: returned${part(m, 1).replace(/^\w+/, '')}`
          : 'EXPECT: returned',
  ),
  expect(String.raw`FAIL:\s*"?([^"]+?)"?`, (m) => `EXPECT: failed\nEXPECT: error contains "${part(m, 1)}"`),
  expect(
    String.raw`(?:raises?|throws?|error|fails with|failed with|error type|kind)\s*(?:==?|:|is)?\s*"?(timeout|tool_failure|bad_value|not_json|in_doubt|denied)"?`,
    (m) => `EXPECT: failed ${part(m, 1)}`,
  ),
  expect(
    String.raw`(?:final|last|end|current)\s+state\s*(?:==?|is|:)?\s*"?([A-Za-z_]\w*)"?`,
    (m) => `EXPECT: states …, ${part(m, 1)}`,
  ),
  expect(
    String.raw`(?:ran|run|runs|executed|executes|called|calls)\s+([a-z./][\w./ -]*)`,
    (m) => `EXPECT: calls "${part(m, 1)}" >= 1`,
  ),
  expect(String.raw`((?:no\s+)?event\s+\w+)\s+(\{.*\})`, (m) => {
    const fields = [...part(m, 2).matchAll(/["']?(\w+)["']?\s*:\s*("[^"]*"|[^\s,}]+)/g)].map(
      ([, name, value]) => `${name}=${value}`,
    );
    return fields.length === 0 ? undefined : `EXPECT: ${part(m, 1)} ${fields.join(', ')}`;
  }),
  expect(
    String.raw`(?:TRACK|variable|var|value|tracked|state variable|counter)\s+([a-z_]\w*\s*(?:==|!=|[<>]=?).*)`,
    (m) => `EXPECT: ${part(m, 1)}`,
  ),
  expect(
    String.raw`within\s+(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)`,
    (m) => `EXPECT: time <= ${Number(part(m, 1)) * (SECONDS[part(m, 2)] ?? 1)}`,
  ),
  expect(
    String.raw`prompt\s+(?:of|for|to)\s+(?:agent\s+)?([\w-]+)\s+contains\s+("[^"]*")`,
    (m) => `EXPECT: prompt Task(${part(m, 1)}) contains ${part(m, 2)}`,
  ),
  expect(
    String.raw`(?!that\b|it\b|the\b)([\w-]+)\s+was\s+(?:asked|told|prompted)\s+("[^"]*")`,
    (m) => `EXPECT: prompt Task(${part(m, 1)}) contains ${part(m, 2)}`,
  ),
  advise(
    String.raw`EXPECT:\s*(?:asked|asks|ASK)\s+(?:user:?\s*)?"[^"]*"`,
    'name the question, as in `EXPECT: suspended go`: the name is the one behind the arrow of the ASK',
  ),
  expect(
    String.raw`(?:(?:undone|undid|rolled back|UNDO|undo)):?\s+("(?:[^"\\]|\\.)*")`,
    (m) => `EXPECT: calls ${part(m, 1)} >= 1`,
  ),
  advise(
    String.raw`EXPECT:\s*(?:rolled back|rollback|undone|ROLLBACK)`,
    'name the command of the UNDO, as in `EXPECT: calls "./undo.sh *" == 1`',
  ),
  advise(
    String.raw`EXPECT:\s*(?:file\s+\S.*|"?[\w./-]+\.(?:txt|json|md|log|ya?ml|csv)"?\s+(?:exists|contains|is)\b.*)`,
    'a test starts nothing and writes no file: expect the command that writes it, as in `EXPECT: calls "./write.sh *" == 1`',
  ),
  advise(
    String.raw`EXPECT:\s*(?:signal\s+\w+)`,
    'a signal is given to the run, as in `SIGNAL: go "payload" at 1h`; a run that waits for it is `EXPECT: suspended go`',
  ),
  expect(String.raw`calls\s+((?:\.{0,2}\/)[^"\s=<>!]*(?:\s+[^"=<>!\s]+)*)\s*([=!<>]=?\s*\d+)`, (m) => {
    return `EXPECT: calls "${part(m, 1)}" ${part(m, 2)}`;
  }),
  expect(String.raw`((?:no\s+)?event\s+\w+)\s+(?:with|where|having)\s+(\w+\s*=.*)`, (m) => {
    return `EXPECT: ${part(m, 1)} ${part(m, 2)}`;
  }),
  expect(String.raw`(?:(?:failed|error)\s*:\s*"?([^"]+?)"?|error\s+("[^"]*"))`, (m) => {
    return `EXPECT: failed\nEXPECT: error contains ${m[2] ?? `"${part(m, 1)}"`}`;
  }),
  expect(
    String.raw`(?:path|route|trace|visits|sequence|states?:)?\s*([A-Z]\w*(?:\s*(?:→|->|,)\s*(?:[A-Z]\w*|…|\.\.\.))+)`,
    (m) => {
      return `EXPECT: states ${part(m, 1)
        .replace(/\s*(?:→|->|,)\s*/g, ', ')
        .replaceAll('...', '…')}`;
    },
  ),
  expect(String.raw`(.*\bmatches\s+)\/((?:[^/\\"]|\\.)+)\/`, (m) => `EXPECT: ${part(m, 1)}"${part(m, 2)}"`),
  expect(String.raw`(?:\[always\]|always|ALWAYS)\s*:?\s+(\S.*)`, (m) => `EXPECT [always]: ${part(m, 1)}`),
  expect(
    String.raw`(returned\s+"(?:[^"\\]|\\.)*"|returned|failed\s+[a-z_]+|failed|suspended\s+\w+)\s*(?:,|;|&&|\band\b|\bAND\b)\s*(\S.*)`,
    (m) => `EXPECT: ${part(m, 1)}\nEXPECT: ${part(m, 2)}`,
  ),
  expect(
    String.raw`(?:(?:never|not|no)\s+(?:(?:${ENTERED})\s+)?|(?:NOT|NO|NEVER)\s+(?:${ENTERED})\s+)(?:state\s+)?"?((?!returned\b|failed\b|suspended\b)[A-Z]\w*)"?`,
    (m) => `EXPECT: no state ${part(m, 1)}`,
  ),
  expect(
    String.raw`(?:states?\s+)?"?([A-Z]\w*)"?\s+(?:(?:is|was)\s+)?(?:never|not|NOT)\s+(?:${ENTERED})`,
    (m) => `EXPECT: no state ${part(m, 1)}`,
  ),
  expect(
    String.raw`(?:states?\s+)?"?([A-Z]\w*)"?\s+(?:(?:is|was)\s+)?(?:${ENTERED})`,
    (m) => `EXPECT: state ${part(m, 1)}`,
  ),
  expect(
    String.raw`(?:(?:not|NOT)\s+)?states?\s+(?:(?:does\s+|do\s+)?not\s+(?:contains?|includes?)|excludes?|without)\s+"?([A-Z]\w*)"?`,
    (m) => `EXPECT: no state ${part(m, 1)}`,
  ),
  expect(String.raw`states?\s+(?:contains?|includes?|has)\s+"?([A-Z]\w*)"?`, (m) => `EXPECT: state ${part(m, 1)}`),
  expect(
    String.raw`"?([A-Z]\w*)"?\s+(not\s+)?in\s+(?:states|visited|path)`,
    (m) => `EXPECT: ${m[2] === undefined ? '' : 'no '}state ${part(m, 1)}`,
  ),
  expect(
    String.raw`(?:emits?|emitted|(?:the\s+)?events?)\s*(?:==?=?|:|are|contains?|includes?|in order)?\s*\[?\s*("?\w+"?(?:\s*(?:,|→|->|\band\b|\bAND\b)\s*(?:event\s+)?"?\w+"?)+)\s*\]?`,
    (m) => {
      const names = part(m, 1).split(/\s*(?:,|→|->|\band\b|\bAND\b)\s*(?:events?\s+)?/);
      return names.map((one) => `EXPECT: event ${one.replace(/"/g, '')}`).join('\n');
    },
  ),
  expect(String.raw`(?:not|NOT|!)\s*returned`, () => 'EXPECT: failed'),
  expect(String.raw`(?:not|NOT|!)\s*returned\s+(\S.*)`, (m) => `EXPECT: returned != ${part(m, 1)}`),
  expect(String.raw`returned\s*=\s*(?!=)(\S.*)`, (m) => `EXPECT: returned ${part(m, 1)}`),
  expect(String.raw`(?!returned\b)${RESULT}\s*(?:${IS}\s*)?("(?:[^"\\]|\\.)*")`, (m) => {
    return `EXPECT: returned ${part(m, 1)}`;
  }),
  expect(String.raw`${RESULT}\s+(?:includes|has|matches|toContain|contain|with)\s+(".*")`, (m) => {
    return `EXPECT: returned contains ${part(m, 1)}`;
  }),
  expect(String.raw`(?!returned\b)${RESULT}\s+contains\s+(\S.*)`, (m) => `EXPECT: returned contains ${part(m, 1)}`),
  expect(
    String.raw`returned\s+((?!(?:AND|OR|NOT|in|not|is|and|or|contains|exists|matches|starts|ends|empty)\b)[A-Za-z][\w'-]*(?:\s+(?!(?:AND|OR|NOT|in|not|is|and|or|contains|exists|matches|starts|ends|with)\b)[\w'.!?-]+)+)`,
    (m) => `EXPECT: returned "${part(m, 1)}"`,
  ),
  expect(
    String.raw`(?:exit|code|exit[_ -]?code|exit[_ -]?status|status|returncode)\s*(?:${IS})?\s*(?:0|"?(?:returned|success|successful|completed|passed|ok|done)"?)`,
    () => 'EXPECT: returned',
  ),
  expect(
    String.raw`(?:exit|code|exit[_ -]?code|exit[_ -]?status|status|returncode)\s*(?:${IS}|!=)?\s*(?:\d+|"?(?:failed|failure|error)"?)`,
    () => 'EXPECT: failed',
  ),
  expect(String.raw`status\s*${IS}\s*"?(?:suspended|waiting|paused)"?`, () => 'EXPECT: suspended'),
  expect('(?:to )?(?:success|successful|succeeds?|succeeded|pass(?:es|ed)?|ok|completes?|completed|finishes)', () => {
    return 'EXPECT: returned';
  }),
  expect(String.raw`(?:(?:current|final|last|end)[_ ]?)?states?\s*(?:==?=?|is)\s*"?([A-Za-z_]\w*)"?`, (m) => {
    return `EXPECT: states …, ${part(m, 1)}`;
  }),
  expect(String.raw`(?:toMatchSnapshot|matches? snapshot|snapshot|to match snapshot)\s*(?:\(\s*\))`, () => {
    return 'EXPECT: snapshot';
  }),
  expect('(?:matches? snapshot|toMatchSnapshot|to match snapshot)', () => 'EXPECT: snapshot'),
  expect(String.raw`(cost\s*[<>=!]+\s*)(?:\$|USD\s*)([\d.]+)`, (m) => `EXPECT: ${part(m, 1)}${part(m, 2)}`),
  expect(
    String.raw`((?:time|duration|elapsed)\s*[<>=!]+\s*)([\d.]+)\s*(ms|s|m|h|d)(?:ec(?:onds?)?|in(?:utes?)?|ours?)?`,
    (m) => {
      const seconds = Number(part(m, 2)) * (SECONDS[part(m, 3)] ?? 1);
      return `EXPECT: ${part(m, 1).replace(/^\w+/, 'time')}${seconds}`;
    },
  ),
  expect(String.raw`error(?:\.(?:msg|text)|_message)\b(.*)`, (m) => `EXPECT: error${part(m, 1)}`),
  expect(String.raw`error\.(?:type|name|reason|error_type)\b(.*)`, (m) => `EXPECT: error.kind${part(m, 1)}`),
  expect(String.raw`error\.(?:code|exit|exitCode|status)\b(.*)`, (m) => `EXPECT: error.exit_code${part(m, 1)}`),
  expect(
    `${CALL}\\s+(?:is\\s+|was\\s+)?${RAN},?\\s+(?:exactly\\s+)?(\\d+|once|twice|thrice)(?:\\s*(?:x|times?))?`,
    (m) => {
      return `EXPECT: calls ${part(m, 1)} == ${timesOf(part(m, 2))}`;
    },
  ),
  expect(`${NO}\\s+(?:${RAN}\\s+)?${CALL}`, (m) => `EXPECT: calls ${part(m, 1)} == 0`),
  expect(`${CALL}\\s+(?:was\\s+|is\\s+)?${NO}\\s+${RAN}`, (m) => `EXPECT: calls ${part(m, 1)} == 0`),
  expect(`${RAN}\\s+${CALL},?\\s+(?:exactly\\s+)?(\\d+|once|twice|thrice|never)(?:\\s+times?)?`, (m) => {
    return `EXPECT: calls ${part(m, 1)} == ${timesOf(part(m, 2))}`;
  }),
  expect(`(?!calls\\b)${RAN}:?\\s*${CALL}`, (m) => `EXPECT: calls ${part(m, 1)} >= 1`),
  expect(`calls\\s+${CALL}`, (m) => `EXPECT: calls ${part(m, 1)} >= 1`),
  expect(`(?:was\\s+)?${CALL}(?:\\s+(?:was\\s+)?${RAN})?`, (m) => `EXPECT: calls ${part(m, 1)} >= 1`),
  expect(`(?:calls?|count|times|number of calls)\\s*\\(\\s*${CALL}\\s*\\)\\s*(==?|[<>]=?|!=)\\s*(\\d+)`, (m) => {
    return `EXPECT: calls ${part(m, 1)} ${part(m, 2) === '=' ? '==' : part(m, 2)} ${part(m, 3)}`;
  }),
  expect(`(?:count|times|number of calls)\\s+(?:of\\s+)?${CALL}\\s*(?:==?|is|:)?\\s*(\\d+)(?:\\s+times?)?`, (m) => {
    return `EXPECT: calls ${part(m, 1)} == ${part(m, 2)}`;
  }),
  expect(`calls\\s+${CALL}\\s*(?:=|is|:)\\s*(\\d+)`, (m) => `EXPECT: calls ${part(m, 1)} == ${part(m, 2)}`),
  expect(`(?:exactly\\s+)?(\\d+)\\s*(?:x|times|calls?)?\\s+(?:(?:calls?\\s+)?of\\s+)?${CALL}`, (m) => {
    return `EXPECT: calls ${part(m, 2)} == ${part(m, 1)}`;
  }),
  expect(String.raw`(?:returns?|RETURNS?|RETURN|returned)\s*:?\s+(?![=!<>])(\S.*)`, (m) => {
    return /^EXPECT:\s*returned\s+(?!:)/.test(m[0]) ? undefined : `EXPECT: returned ${part(m, 1)}`;
  }),
  expect('(?:the run fails|FAIL|FAILED)', () => 'EXPECT: failed'),
  expect(String.raw`(?:failed|fails|FAIL|FAILED):?\s+(?:with\s+)?("(?:[^"\\]|\\.)*")`, (m) => {
    return `EXPECT: failed\nEXPECT: error contains ${part(m, 1)}`;
  }),
  expect(`(?:failed|fails)\\s+with\\s+${NAME}`, (m) => `EXPECT: failed ${part(m, 1)}`),
  expect('(?:not|NOT|no|never)\\s+(?:failed|failure|fails|fail|error)', () => 'EXPECT: returned'),
  expect(`(?:${ENTERED}|goes to)\\s+(?:state\\s+)?"?${NAME}"?`, (m) => {
    return `EXPECT: state ${part(m, 1)}`;
  }),
  expect(`(?:state\\s+is|ends in|ended in)\\s+"?${NAME}"?`, (m) => `EXPECT: states …, ${part(m, 1)}`),
  expect(String.raw`states?\s*(?:==?|:|are)?\s*\[?\s*("?\w+"?(?:\s*(?:,|→|->)\s*"?\w+"?)+)\s*\]?`, (m) => {
    if (/^EXPECT:\s*states\s+\w+(?:\s*,\s*\w+)+$/.test(m[0])) return undefined;
    return `EXPECT: states ${part(m, 1)
      .replace(/"/g, '')
      .replace(/\s*(?:,|→|->)\s*/g, ', ')}`;
  }),
  expect(`${NO}\\s+(?:events?|emit|emits|emitted|EMIT):?\\s+"?${NAME}"?`, (m) => {
    return /^EXPECT:\s*no\s+event\s+\w+$/.test(m[0]) ? undefined : `EXPECT: no event ${part(m, 1)}`;
  }),
  expect(`(?:emitted|emits?|EMIT|events?):?\\s+"?${NAME}"?`, (m) => {
    return /^EXPECT:\s*event\s+\w+$/.test(m[0]) ? undefined : `EXPECT: event ${part(m, 1)}`;
  }),
  expect(`(?:emitted|emits?|EMIT):?\\s+"?${NAME}"?(?:\\s+with)?\\s+(\\w+\\s*=.*)`, (m) => {
    return `EXPECT: event ${part(m, 1)} ${part(m, 2)}`;
  }),
  expect(`(?:asked|asks|ASK|waits?(?:ing)?(?:\\s+for)?|suspends?|suspended\\s+(?:on|at|in))\\s+"?${NAME}"?`, (m) => {
    return `EXPECT: suspended ${part(m, 1)}`;
  }),
  expect(`${CALL}\\s+prompt\\s+(?:contains|includes|has)\\s+(".*")`, (m) => {
    return `EXPECT: prompt ${part(m, 1)} contains ${part(m, 2)}`;
  }),
  expect(`prompt\\s+(?:of\\s+)?${CALL}\\s+(?:includes|has|matches|==)\\s+(".*")`, (m) => {
    return `EXPECT: prompt ${part(m, 1)} contains ${part(m, 2)}`;
  }),
];
