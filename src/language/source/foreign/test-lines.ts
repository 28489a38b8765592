/**
 * Lines of test files as other tools write them, each with the line that is meant. No right line matches one of these
 * patterns, so that they are tried before a line is read.
 */
import { type ForeignLine, part } from './foreign-line.js';

type ForeignTestLine = Required<Pick<ForeignLine, 'line' | 'by'>>;

/** A quoted text, an agent or a tool. */
const CALL = String.raw`("(?:[^"\\]|\\.)*"|Task\([\w./:-]+\)|CALL \S+)`;
const NO = String.raw`(?:not|NOT|no|never|neither)`;
const RAN =
  '(?:ran|runs?|calls?|called|executed|executes|invoked|performs?|performed|commands?|undone|undid|rolled back|has run|was called)';
const NAME = String.raw`([A-Za-z_]\w*)`;

const rule = (pattern: string, by: ForeignTestLine['by']): ForeignTestLine => ({
  line: new RegExp(`^${pattern}$`),
  by,
});
const expect = (pattern: string, by: ForeignTestLine['by']): ForeignTestLine => rule(`EXPECT:\\s*${pattern}`, by);

const timesOf = (count: string): string => ({ once: '1', twice: '2', thrice: '3', never: '0' })[count] ?? count;

const expectations: readonly ForeignTestLine[] = [
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
  expect('(?:not|no|never)\\s+(?:failed|failure|fails|fail|error)', () => 'EXPECT: returned'),
  expect(`(?:visited|visits|reache[sd]|entered|enters|state|state\\s+is|goes to|ends in)\\s+"?${NAME}"?`, (m) => {
    return `EXPECT: states …, ${part(m, 1)}, …`;
  }),
  expect(String.raw`states?\s*(?:==?|:|are)?\s*\[?\s*("?\w+"?(?:\s*(?:,|→|->)\s*"?\w+"?)+)\s*\]?`, (m) => {
    if (/^EXPECT:\s*states\s+\w+(?:\s*,\s*\w+)+$/.test(m[0])) return undefined;
    return `EXPECT: states ${part(m, 1)
      .replace(/"/g, '')
      .replace(/\s*(?:,|→|->)\s*/g, ', ')}`;
  }),
  expect(`${NO}\\s+(?:event|emit|emits|emitted|EMIT):?\\s+"?${NAME}"?`, (m) => {
    return /^EXPECT:\s*no\s+event\s+\w+$/.test(m[0]) ? undefined : `EXPECT: no event ${part(m, 1)}`;
  }),
  expect(`(?:emitted|emits?|EMIT|events?):?\\s+"?${NAME}"?`, (m) => {
    return /^EXPECT:\s*event\s+\w+$/.test(m[0]) ? undefined : `EXPECT: event ${part(m, 1)}`;
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

const MOCKED = `MOCK:\\s*(?:(\\w+/)?)${CALL}`;
const mocks: readonly ForeignTestLine[] = [
  rule(`${MOCKED}\\s*(?:=>|=|:|returns|prints|gives)\\s*(\\S.*)`, (m) => {
    return `MOCK: ${part(m, 1)}${part(m, 2)} → ${part(m, 3)}`;
  }),
  rule(`${MOCKED}\\s*(?:→|->)\\s*(?:exit\\s*[=:]\\s*|exit\\s+code\\s*[=:]?\\s*|code\\s*[=:]?\\s*)(\\d+)(.*)`, (m) => {
    return `MOCK: ${part(m, 1)}${part(m, 2)} → exit ${part(m, 3)}${part(m, 4)}`;
  }),
  rule(`${MOCKED}\\s*(?:→|->)\\s*(?:fails?|error|failure|FAIL)`, (m) => `MOCK: ${part(m, 1)}${part(m, 2)} → exit 1`),
  rule(`${MOCKED}\\s*(?:→|->)\\s*(?:ok|success|nothing|succeeds|pass)`, (m) => `MOCK: ${part(m, 1)}${part(m, 2)} → ""`),
  rule(`${MOCKED}\\s*(?:→|->)\\s*(?:timeout|timed out|time-?out)`, (m) => {
    return `MOCK: ${part(m, 1)}${part(m, 2)} → times out`;
  }),
  rule(`${MOCKED}\\s*(?:→|->)\\s*("[^"]*"|exit \\d+)\\s*(?:\\sx|×|\\*)\\s*([2-9])`, (m) => {
    return `MOCK: ${part(m, 1)}${part(m, 2)} → ${Array(Number(part(m, 4)))
      .fill(part(m, 3))
      .join(', ')}`;
  }),
  rule(String.raw`MOCK:\s*(?!.*(?:Task\(|CALL\s))([a-z./][^"'→]*?)\s*(?:→|->|=>)\s*(\S.*)`, (m) => {
    return /^\w+\//.test(part(m, 1)) && !part(m, 1).includes(' ') ? undefined : `MOCK: "${part(m, 1)}" → ${part(m, 2)}`;
  }),
];

const others: readonly ForeignTestLine[] = [
  rule(String.raw`(?:ASSERT|THEN|SHOULD|EXPECTS|EXPECTED|VERIFY|RESULT)\b:?\s*(\S.*)`, (m) => `EXPECT: ${part(m, 1)}`),
  rule(String.raw`(?:INPUTS?|ARGS?|PARAMS?|-i)\b:?\s*(\w+\s*=.*)`, (m) => `GIVEN: ${part(m, 1)}`),
  rule(String.raw`GIVEN:\s*(\w+)\s*:\s*(\S.*)`, (m) => `GIVEN: ${part(m, 1)}=${part(m, 2)}`),
  rule(String.raw`(?:STUB|FAKE|PATCH|ON|WHEN)\b:?\s*(".*?")\s*(?:→|->|=>|=|:|returns?)\s*(\S.*)`, (m) => {
    return `MOCK: ${part(m, 1)} → ${part(m, 2)}`;
  }),
  rule(String.raw`ANSWER:\s*(\w+)\s*(?:==?|:|=>)\s*"?([^"]*?)"?`, (m) => `ANSWER: ${part(m, 1)} → "${part(m, 2)}"`),
  rule(String.raw`ANSWER:\s*(\w+)\s+"([^"]*)"`, (m) => `ANSWER: ${part(m, 1)} → "${part(m, 2)}"`),
  rule(String.raw`(?:PROGRAM|FLOW|FILE|IMPORT|TEST FILE|USE):\s*"?([\w./-]+\.(?:dsl|md|ya?ml|json))"?`, (m) => {
    return `TESTS: "${part(m, 1)}"`;
  }),
  rule(String.raw`TESTS:\s*([\w./-]+)`, (m) => `TESTS: "${part(m, 1)}"`),
];

/** Text in which words within quotes do not count. */
const MOMENT = String.raw`((?:[^"]|"[^"]*")+?)`;

/** A moment as it is probably meant. */
const momentOf = (text: string): string =>
  text
    .trim()
    .replace(/^(?:emit(?:s|ted)?|EMIT):?\s+(?=\w+$)/, 'event ')
    .replace(/^(?:ran|runs|calls?|called|command|executes|executed|DO|CHECK):?\s+(?=["TC])/, 'run ')
    .replace(/^(?="|Task\()/, 'run ')
    .replace(/^answered\s+(\w+)\s*(?:=(?!=)|→|is\b|:)\s*/, 'answered $1 == ')
    .replace(/^(?:fails|fail|failure|FAIL)$/, 'failed')
    .replace(/^(?:returns?|RETURN):?(?=\s|$)/, 'returned');

const properties: readonly ForeignTestLine[] = [
  rule(String.raw`AT MOST\s+(\d+|ONCE|once)\s*:\s*(\S.*)`, (m) => {
    return `AT MOST: ${part(m, 1).replace(/once/i, '1')} ${momentOf(part(m, 2))}`;
  }),
  rule(String.raw`AT MOST:\s*once\s+(\S.*)`, (m) => `AT MOST: 1 ${momentOf(part(m, 1))}`),
  rule(String.raw`AT MOST:\s*([a-zA-Z"].*?)\s*(?:,|<=)?\s*(\d+|once)(?:\s+times?)?`, (m) => {
    return `AT MOST: ${part(m, 2).replace('once', '1')} ${momentOf(part(m, 1))}`;
  }),
  rule(String.raw`ONCE:\s*(\S.*)`, (m) => `AT MOST: 1 ${momentOf(part(m, 1))}`),
  rule(String.raw`AFTER:\s*${MOMENT}\s+(?:EVENTUALLY|THEN|ALWAYS|COMES|FOLLOWS|eventually|then)\s*:?\s+(\S.*)`, (m) => {
    return `AFTER: ${momentOf(part(m, 1))} → ${momentOf(part(m, 2))}`;
  }),
  rule(String.raw`NEVER:\s*${MOMENT}\s+(?:BEFORE|WITHOUT|UNTIL|before|without|unless)\s+(\S.*)`, (m) => {
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

/** The line that is meant; null: this line may be right. */
export function testLineMeant(line: string, isProperty: boolean): string | null {
  const rules = isProperty ? properties : [...expectations, ...mocks, ...others];
  for (const { line: pattern, by } of rules) {
    const found = pattern.exec(line);
    const meant = found === null ? undefined : by(found, line);
    if (meant !== undefined && meant !== null && meant !== line) return meant;
  }
  return null;
}
