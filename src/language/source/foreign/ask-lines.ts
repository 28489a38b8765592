/** Questions, events and ends as engines of workflows, agents and shells write them, each with the line that is meant. */
import { declares, type ForeignLine, mentions, part, unread, write } from './foreign-line.js';

const TEXT = String.raw`("(?:[^"\\]|\\.)*")`;
const WRONG =
  /unexpected|bad-character|missing|unknown-|not-an-instruction|section-outside|not-a-command|command-not-found|ask-/;

/** What asks a person in other tools; some of them only for yes or no. */
const ASKS =
  'ASK|ask|interrupt|INTERRUPT|input|PROMPT|prompt|raw_input|CONFIRM|confirm|APPROVE|approve|PAUSE|QUESTION|inquire';
const isYesOrNo = (line: string): boolean => /^(?:\w+\s*=\s*)?(?:await\s+)?(?:confirm|approve|pause)\b/i.test(line);

const words = (list: string): string =>
  list
    .replace(/["']/g, '')
    .trim()
    .split(/\s*[,|/]\s*/)
    .join(',');

/** The options of an ASK as they are written here. */
const options = (text: string): string =>
  text
    .replace(/\b(?:one of|options|allowed|enum)\s*[:=]?\s*/gi, 'choices=')
    .replace(/\b(choices|default|deadline|show)\s*(?:[:=]\s*|\s+(?=\w))/g, '$1=')
    .replace(/\b(?:expires|expiry|expires_in|within|ttl|due|timeout|sla)\s*[:=]\s*(?=\d)/g, 'deadline=')
    .replace(
      /\b(?:required|multiple|mandatory|blocking|async|secret|priority|hidden|multiline|retries|retry)(?:[:=]\w+)?(?![\w=])/g,
      '',
    )
    .replace(/=\[([^\]]*)\]|=\(([^)]*)\)/g, (_, list, other) => `=${words(list ?? other)}`)
    .replace(/(?<==[\w.-]+)\s*,\s*(?=(?:default|deadline|show|choices)=)/g, ' ')
    .replace(/(?<=choices=[\w.,-]*\w)\s*[,|/]\s+(?=[\w.-]+(?:\s|,|$))(?![\w-]+=)/g, ',')
    .replace(/\s+/g, ' ')
    .trim();

/** Events have fields, of which texts of several words are in quotes. */
const fields = (text: string, program: string): string =>
  text
    .replace(/^\{(.*)\}$/s, '$1')
    .replace(
      /(["']?)(\w+)\1\s*[:=]\s*("(?:[^"\\]|\\.)*"|\{[\w.]+\}|[^\s,{}]+)\s*,?/g,
      (_, __, name: string, value: string) =>
        `${name}=${mentions(value, program) && /^[A-Za-z_][\w.]*$/.test(value) ? `{${value}}` : value} `,
    )
    .trim();

/** Text with the values of the program in one pair of braces. */
const inBraces = (text: string): string => text.replace(/\$\{([\w.]+)\}/g, '{$1}');

export const askLines = (): readonly ForeignLine[] => [
  {
    // `ASK {name}: "Go?"`, `ASK @ops "Go?"`, `ASK user, ops: "Go?"`
    line: new RegExp(
      String.raw`^ASK:?\s+(?:\{[^{}]*\}|@\s*[\w.-]+|user\s*(?:,|and\b|or\b|\||/)\s*[@{]?[\w.-]+\}?)\s*:?\s*${TEXT}(.*)$`,
    ),
    codes: WRONG,
    help: (m, by) => `${write(m, by)}; who may answer is \`approvers:\` of the configuration`,
    by: (m) => `ASK user: ${part(m, 1)}${part(m, 2)}`,
    binds: (m) => /(?:→|->)\s*(\w+)/.exec(part(m, 2))?.slice(1) ?? [],
  },
  {
    // `ASK("Go?") → go`, `go = interrupt("Go?")`, `CONFIRM "Go?" → go`
    line: new RegExp(
      String.raw`^(?:(\w+)\s*=\s*)?(?:await\s+)?(?!ASK(?::| user))(?:${ASKS})(?:\s+(?:user|human|USER|HUMAN))?\s*[:(]?\s*${TEXT}\s*\)?\s*(?:(?:→|->|=>|as|into)\s*\{?(\w+)\}?)?$`,
    ),
    codes: WRONG,
    // A prompt without a name belongs to an agent.
    when: (m) => !/^PROMPT/i.test(m[0]) || m[1] !== undefined || m[3] !== undefined,
    help: write,
    by: (m) => {
      if (/^ASK/i.test(m[0]) && m[3] === undefined) return `ASK user: ${part(m, 2)}`;
      const name = m[1] ?? m[3] ?? (isYesOrNo(m[0]) ? 'go' : 'answer');
      return `ASK user: ${part(m, 2)} → ${name}${isYesOrNo(m[0]) ? ' choices=yes,no' : ''}`;
    },
    binds: (m) => [m[1] ?? m[3] ?? 'go'],
  },
  {
    line: /^read\s+(?:-\w+\s+)*-p\s+("[^"]*"|'[^']*')\s+(\w+)$/,
    codes: WRONG,
    message: () => 'a run has no terminal: it asks with ASK',
    help: write,
    by: (m) => `ASK user: "${part(m, 1).slice(1, -1).trim()}" → ${part(m, 2)}`,
    binds: (m) => [part(m, 2)],
  },
  {
    line: new RegExp(String.raw`^ASK\s*(?:user)?\s*\[([^\]]*)\]\s*:?\s*${TEXT}\s*((?:→|->)\s*\w+)?$`),
    codes: WRONG,
    message: () => 'the options of an ASK stand behind its name',
    help: write,
    by: (m) => `ASK user: ${part(m, 2)} ${m[3] ?? '→ answer'} ${options(part(m, 1))}`.trimEnd(),
    binds: (m) => [/\w+$/.exec(m[3] ?? '')?.[0] ?? 'answer'],
  },
  {
    line: new RegExp(
      String.raw`^ASK(?:\s+user)?:?\s*${TEXT}\s*[[(]\s*(\w+(?:\s*[/|,]\s*\w+)+)\s*[\])]\s*(?:→|->)\s*(\w+)$`,
    ),
    codes: WRONG,
    help: write,
    by: (m) => `ASK user: ${part(m, 1)} → ${part(m, 3)} choices=${words(part(m, 2))}`,
    binds: (m) => [part(m, 3)],
  },
  {
    line: new RegExp(
      String.raw`^ASK(?:\s+user)?:?\s*${TEXT}\s*\((?:secret|hidden|password|optional|required|text|string|number)\)\s*(?:→|->)\s*(\w+)(.*)$`,
    ),
    codes: WRONG,
    message: () => 'an answer is a text, and no note changes that',
    help: write,
    by: (m) => `ASK user: ${part(m, 1)} → ${part(m, 2)}${part(m, 3)}`,
    binds: (m) => [part(m, 2)],
  },
  {
    line: new RegExp(String.raw`^ASK(?:\s+user)?:?\s*${TEXT}\s*(?:→|->)\s*(\w+)\s*,\s*([A-Z]{2,}\b:?\s*\S.*)$`),
    codes: /unexpected/,
    message: () => 'a line has only one instruction',
    help: write,
    by: (m) => `ASK user: ${part(m, 1)} → ${part(m, 2)}\n${part(m, 3)}`,
    binds: (m) => [part(m, 2)],
  },
  {
    // Each answer with what it does
    line: new RegExp(
      String.raw`^ASK(?:\s+user)?:?\s*${TEXT}\s*(?:→|->|,)?\s*["']?(\w+)["']?\s*(?:→|->|=>|:)\s*((?:(?!→|->|=>)[^,;:]|:\s)+?)\s*[,;]?\s*\b["']?(\w+)["']?\s*(?:→|->|=>|:)\s*(\S.*)$`,
    ),
    codes: WRONG,
    message: () => 'an ASK binds its answer, and IF decides by it',
    help: (m, _, text) => {
      const act = (action: string) =>
        declares('STATE', action, text) ? `GOTO: ${action}` : action.replace(/^GOTO\s+(?=\w)/, 'GOTO: ');
      const [yes, no] = [part(m, 2), part(m, 4)];
      return `write \`ASK user: ${part(m, 1)} → answer choices=${yes},${no}\`, then \`IF: answer == "${yes}" → ${act(part(m, 3))}\`, then \`ELSE → ${act(part(m, 5))}\``;
    },
    binds: (m) => [part(m, 2)],
  },
  {
    line: new RegExp(
      String.raw`^(?:ELSE )?IF:?\s*ASK(?:\s+user)?:?\s*${TEXT}\s*(?:==|is|=)\s*["']?(\w+)["']?\s*(?:→|->)\s*(\S.*)$`,
    ),
    codes: WRONG,
    message: () => 'a condition asks nobody: ASK binds the answer above it',
    help: write,
    by: (m) => `ASK user: ${part(m, 1)} → answer\nIF: answer == "${part(m, 2)}" → ${part(m, 3)}`,
    binds: () => ['answer'],
  },
  {
    line: new RegExp(
      String.raw`^ASK(?:\s+user)?:?\s*${TEXT}\s*(?:→|->)\s*["'$]*\{?(\w+)\}?["']?\s+(.*=.*|.*\b(?:one of|choices|default|deadline)\b.*)$`,
    ),
    codes: /unexpected|bad-character|unknown-option|ask-deadline/,
    help: write,
    by: (m) => {
      const given = options(part(m, 3));
      return /^(?:\w+=\S+\s*)*$/.test(given) ? `ASK user: ${part(m, 1)} → ${part(m, 2)} ${given}`.trimEnd() : undefined;
    },
    binds: (m) => [part(m, 2)],
  },
  {
    line: new RegExp(String.raw`^ASK(?:\s+user)?:?\s*${TEXT}\s*(?:→|->)\s*(?:"(\w+)"|'(\w+)')$`),
    codes: /unexpected|bad-character|missing/,
    message: () => 'the name of an answer has no quotes',
    help: write,
    by: (m) => `ASK user: ${part(m, 1)} → ${m[2] ?? part(m, 3)}`,
    binds: (m) => [m[2] ?? part(m, 3)],
  },
  {
    line: new RegExp(String.raw`^ASK\s+(?!user\b)[@\w. -]+(?:\s*,\s*[@\w. -]+)+:\s*(${TEXT}.*)$`),
    codes: WRONG,
    help: (_, by) => `write \`${by}\`; who may answer is \`approvers:\` of the configuration`,
    by: (m) => `ASK user: ${part(m, 1)}`,
  },
  {
    line: /^(?:APPROVALS?|APPROVERS?|REVIEWERS?|MANUAL[ _]APPROVAL|REQUIRES?[ _]APPROVAL):\s*([^"]*)$/i,
    codes: unread,
    message: () => 'a person is asked with ASK; who may answer is `approvers:` of the configuration',
    help: write,
    by: () => 'ASK user: "Continue?" → go choices=yes,no',
    binds: () => ['go'],
  },
  // Events
  {
    line: /^EMIT:?\s*(?:event|name|type|EVENT)\s*[\s=:]\s*["']?([A-Z]\w*)["']?((?:[\s,]+\w+\s*=.*)?)$/,
    codes: WRONG,
    message: () => 'an event begins with its name',
    help: write,
    by: (m, text) => `EMIT: ${part(m, 1)} ${fields(part(m, 2).replace(/^[\s,]+/, ''), text)}`.trimEnd(),
  },
  {
    line: /^(?:EVENT|(?:RAISE|SEND|FIRE|PUBLISH|TRIGGER|DISPATCH|POST)(?:[ _]EVENT)?|FIRE):?\s+["']?([A-Z][A-Z0-9_]*)["']?((?:[\s,]+\w+\s*=.*)?)$/,
    codes: unread,
    when: (m, text) => !declares('PATTERN', part(m, 1), text),
    help: write,
    by: (m, text) => `EMIT: ${part(m, 1)} ${fields(part(m, 2).replace(/^[\s,]+/, ''), text)}`.trimEnd(),
  },
  {
    line: /^(?:EMIT|emit)\s*[:(]?\s*["'](\w[\w ]*)["']\s*,?\s*(\{.*\}|\w+\s*[=:]\s*[^")]+)\)?$/,
    codes: WRONG,
    message: () => 'an event with values has a name',
    help: write,
    by: (m, text) => `EMIT: ${part(m, 1).trim().toUpperCase().replace(/ +/g, '_')} ${fields(part(m, 2), text)}`,
  },
  { line: /^emit\s*\(\s*(["'])((?:(?!\1).)*)\1\s*\)$/i, codes: WRONG, help: write, by: (m) => `EMIT: "${part(m, 2)}"` },
  {
    line: /^EMIT\s*\[([^\]]*)\]\s*:\s*([A-Z]\w*)((?:\s+\w+=.*)?)$/,
    codes: WRONG,
    message: () => 'an event has no options, and its values follow its name',
    help: write,
    by: (m, text) => `EMIT: ${part(m, 2)}${part(m, 3)} ${fields(part(m, 1), text)}`,
  },
  {
    line: /^EMIT:\s*(?:\[\w+\]|level\s*=\s*\w+|(?:INFO|WARN|ERROR|DEBUG):)\s*["']?([^"'=]+?)["']?$/,
    codes: WRONG,
    message: () => 'an event has no level',
    help: write,
    by: (m) => `EMIT: "${part(m, 1)}"`,
  },
  {
    line: /^EMIT:\s*([A-Z][A-Z0-9_]*)\s*,\s*([A-Z][A-Z0-9_]*)$/,
    codes: WRONG,
    message: () => 'a line has one event',
    help: write,
    by: (m) => `EMIT: ${part(m, 1)}\nEMIT: ${part(m, 2)}`,
  },
  {
    line: /^EMIT:\s*([A-Z][A-Z0-9_]*)\s+(?:[-–—]|:)\s+([^"=]+)$/,
    codes: WRONG,
    help: write,
    by: (m) => `EMIT: ${part(m, 1)} text="${part(m, 2)}"`,
  },
  {
    line: /^EMIT:\s*([A-Z]\w*)\s+\{?([A-Za-z_]\w*(?:\.\w+)+)\}?$/,
    codes: WRONG,
    when: (m, text) => mentions(part(m, 2), text),
    help: write,
    by: (m) => `EMIT: ${part(m, 1)} ${/\w+$/.exec(part(m, 2))?.[0]}={${part(m, 2)}}`,
  },
  {
    line: /^(EMIT:\s*\w+(?:\s+\w+=(?:"[^"]*"|\{[\w.]+\}|\w+))*\s+\w+=)([A-Za-z][^\s"=,+*/-]*(?:\s+[A-Za-z{][^\s"=,+*/]*)+)$/,
    codes: /unexpected/,
    message: () => 'a text of several words is in quotes',
    help: write,
    by: (m) => `${part(m, 1)}"${part(m, 2)}"`,
  },
  {
    line: /^(EMIT:\s*(?:"[^"]*"|\w+(?:\s+\w+=(?:"[^"]*"|\{[\w.]+\}|\w+))*))\s*(?:→|->|=>|,|;)\s*((?:GOTO|RETURN|FAIL|SET|DO|INCREMENT|USE)\b.*)$/,
    codes: /unexpected/,
    message: () => 'a line has only one instruction',
    help: write,
    by: (m) => `${part(m, 1)}\n${part(m, 2)}`,
  },
  {
    line: /^EMIT:\s*"((?:[^"\\]|\\.)*)"\.format\(\s*([A-Za-z_][\w.]*(?:\s*,\s*[A-Za-z_][\w.]*)*)\s*\)$/,
    codes: WRONG,
    help: write,
    by: (m) => {
      const values = part(m, 2).split(/\s*,\s*/);
      return `EMIT: "${part(m, 1).replace(/\{\}/g, () => `{${values.shift() ?? ''}}`)}"`;
    },
  },
  {
    line: /^EMIT:\s*"((?:[^"\\]|\\.)*)"\s*%\s*\(?\s*([A-Za-z_][\w.]*(?:\s*,\s*[A-Za-z_][\w.]*)*)\s*\)?$/,
    codes: WRONG,
    help: write,
    by: (m) => {
      const values = part(m, 2).split(/\s*,\s*/);
      return `EMIT: "${part(m, 1).replace(/%[sdif]/g, () => `{${values.shift() ?? ''}}`)}"`;
    },
  },
  {
    line: /^EMIT:\s*(["'`]?)((?=[^=]*\s)[{$a-z][^"'`=]*?)\1$/,
    codes: /unexpected|bad-name/,
    message: () => 'a text is in double quotes',
    help: write,
    by: (m) => `EMIT: "${inBraces(part(m, 2))}"`,
  },
  {
    line: /^(?:print|println|console\.\w+|log(?:ger)?(?:\.\w+)?|puts|echo)\s*\(\s*(?:f|r)?(["'`])((?:(?!\1)[^\\])*)\1\s*\);?$/,
    codes: WRONG,
    when: (m) => part(m, 1) === '`' || /\(\s*[fr]["']/.test(m[0]),
    help: write,
    by: (m) => `EMIT: "${inBraces(part(m, 2)).replace(/"/g, '\\"')}"`,
  },
  {
    line: /^(?:WARN|WARNING|DEBUG|TRACE|NOTICE|VERBOSE|STATUS|PROGRESS|METRIC|ANNOUNCE):?\s+(?:"((?:[^"\\]|\\.)*)"|([^"=]+)|(\w+\s*=\s*[^"=]+))$/,
    codes: unread,
    when: (m, text) => !declares('PATTERN', /^\w+/.exec(m[0])?.[0] ?? '', text),
    help: write,
    by: (m, text) =>
      m[3] === undefined
        ? `EMIT: "${m[1] ?? part(m, 2)}"`
        : `EMIT: ${/^\w+/.exec(m[0])?.[0]} ${fields(part(m, 3), text)}`,
  },
  // Ends
  {
    line: /^(?:RETHROW|RERAISE|RE-RAISE|RAISE|THROW|ABORT|raise|throw|rethrow)\s*(?:e|err|error|ex)?;?$/,
    codes: /not-an-instruction|unknown-verb|missing/,
    message: () => 'a failure has a reason',
    help: write,
    by: (m, text) => {
      const before = text.slice(0, Math.max(0, text.indexOf(m[0])));
      const isHandler = /(?:^|\n)(?:STATE:\s*ERROR\b|[ \t]+ON ERROR\b)(?![\s\S]*\nSTATE:)/.test(before);
      return isHandler ? 'FAIL: {error}' : 'FAIL: stopped here';
    },
  },
  {
    line: /^(?:(?:raise|throw)\s+(?:new\s+)?\w*(?:Error|Exception|Failure)\w*|(?:sys\.)?(?:panic|die|abort)|fail)\s*\(\s*f?(["'])((?:(?!\1).)*)\1\s*\);?$/i,
    codes: /not-an-instruction|unknown-verb|missing/,
    help: write,
    by: (m) => `FAIL: "${part(m, 2)}"`,
  },
  {
    line: /^(?:REJECT|FAILURE|ESCALATE|CANCEL|ERROR|CRASH|HALT WITH ERROR):?\s+("(?:[^"\\]|\\.)*"|[^"]+)$/,
    codes: /unknown-verb|not-an-instruction/,
    when: (m) => !/→|->|\b(?:GOTO|RETURN|DO|EMIT)\b/.test(m[0]),
    help: write,
    by: (m) => `FAIL: ${part(m, 1)}`,
  },
  { line: /^CANCEL$/, codes: unread, help: write, by: () => 'FAIL: cancelled' },
  { line: /^(?:Succeed|Success|Pass|End|Exit):?$/, codes: unread, help: write, by: () => 'RETURN' },
  {
    line: /^(?:FAIL|RETURN):?\s*with\s+(?:reason|message|error|text)\s*=\s*("(?:[^"\\]|\\.)*")$/,
    codes: /missing-part/,
    help: write,
    by: (m) => `FAIL: ${part(m, 1)}`,
  },
  {
    line: new RegExp(String.raw`^((?:RETURN|FAIL):\s*${TEXT})\s*[,;]\s*(?:GOTO|RETURN|FAIL)\b.*$`),
    codes: /unexpected/,
    message: () => 'the run ends here, and nothing follows',
    help: write,
    by: (m) => part(m, 1),
  },
];
