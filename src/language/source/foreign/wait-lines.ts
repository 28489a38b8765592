/** Waits for signals and times as engines of workflows, agents and shells write them, each with the line that is meant. */
import { oneDuration } from './author-verbs.js';
import { declares, type ForeignLine, mentions, part, unread, write } from './foreign-line.js';

/** What other tools call what comes from outside. */
const OUTSIDE =
  'signals?|events?|webhooks?|messages?|callbacks?|notifications?|triggers?|external[_ ]?events?|hooks?|topics?|queues?';
/** Names that no operator has. */
const NAME = String.raw`["']?(?!(?:AND|OR|NOT|is|in|contains|matches|starts|ends|exists|and|or|not)\b)([A-Za-z_]\w*)["']?`;
const LIMIT = String.raw`(?:[\s,]*(?:\bOR\s+)?\btimeout\s*[\s=:]\s*["']?(\d+(?:ms|s|m|h|d)?|\{\w+\})["']?)?`;
/** How a wait begins in other tools. */
const WAIT = `(?:WAIT|AWAIT|BLOCK|LISTEN|RECEIVE|SUSPEND|PAUSE)`;

const isOther = /unknown-|unexpected|missing|not-a|bad-|operator|literal|wrong-type/;

/** A wait for a signal, with its limit. */
const signal = (name: string, limit: string): string =>
  `WAIT: signal ${name}${limit === '' ? '' : ` OR timeout=${limit}${/\d$/.test(limit) ? 's' : ''}`}`;

const unitOf = (word: string): string =>
  /^(?:ms|milli)/i.test(word) ? 'ms' : (/^[mhd]/i.exec(word)?.[0].toLowerCase() ?? 's');

/** Hours, minutes and seconds as one duration. */
const ofParts = (hours = '', minutes = '', seconds = ''): string =>
  oneDuration([
    [hours || '0', 'h'],
    [minutes || '0', 'm'],
    [seconds || '0', 's'],
  ]);

export const waitLines = (): readonly ForeignLine[] => [
  {
    // `WAIT: signal("go")`, `go = wait_for_event("go", timeout=300)`
    line: new RegExp(
      String.raw`^(?:(\w+)\s*=\s*)?(?:(?:await|yield|yield from)\s+)?(?:${WAIT}(?:[ _]FOR|[ _]UNTIL)?:?\s*)?(?:(?:workflow|ctx|context|self|client)\.)?` +
        String.raw`(?:wait[_ ]?(?:for|until)?[_ ]?|receive[_ ]?|get[_ ]?)?(?:${OUTSIDE})\(\s*${NAME}\s*${LIMIT}\s*\)${LIMIT}$`,
      'i',
    ),
    codes: isOther,
    message: () => 'what comes from outside is a signal, and no function',
    help: write,
    by: (m) => signal(part(m, 2), part(m, 3) || part(m, 4)),
    binds: (m) => [part(m, 1), part(m, 2)],
  },
  {
    // `WAIT signal: go`, `WAIT [signal=go]:`, `WAIT FOR SIGNAL: go`, `WAIT_FOR_EVENT: go`
    line: new RegExp(
      String.raw`^(?:(\w+)\s*=\s*)?(?!WAIT: signal )${WAIT}(?:[ _](?:FOR|ON|UNTIL))?(?:[\s:_([]{0,3})(?:the\s+)?(?:${OUTSIDE}|approval(?=\s))(?:\s*[:=]\s*|\s+)${NAME}[\s\])]*:?${LIMIT}$`,
      'i',
    ),
    codes: isOther,
    message: () => 'what comes from outside is `signal` and its name',
    help: write,
    by: (m) => signal(part(m, 2), part(m, 3)),
    binds: (m) => [part(m, 1), part(m, 2)],
  },
  {
    line: new RegExp(String.raw`^(\w+)\s*=\s*(?:DO:\s*)?WAIT:?\s*signal\s+${NAME}${LIMIT}$`),
    codes: isOther,
    message: (m) => `the payload of a signal has its name: \`${part(m, 2)}\``,
    help: (m, by) => `write \`${by}\`, and read \`${part(m, 2)}\``,
    by: (m) => signal(part(m, 2), part(m, 3)),
    binds: (m) => [part(m, 1), part(m, 2)],
  },
  {
    line: /^WAIT:\s*(?:signals|(?:any|all|both|one)(?:\s+of)?:?)\s+([A-Za-z_]\w*)(?:\s*,\s*(?:and |or )?|\s+(?:and|or)\s+)([A-Za-z_]\w*).*$/i,
    codes: isOther,
    message: () => 'a WAIT awaits one signal',
    help: (m) =>
      `let the sender say which in the payload: \`WAIT: signal answer\`, then \`IF: answer == "${part(m, 1)}" → …\` and \`IF: answer == "${part(m, 2)}" → …\``,
    binds: (m) => [part(m, 1), part(m, 2), 'answer'],
  },
  {
    line: /^(WAIT:\s*signal\s+)(?=.*[-/. ])(?!\w+\s+(?:OR|AND|timeout|every|or|and|as|until|for|then|if|when|GOTO)\b)(?:"(\w+[ ./-][\w./ -]*)"|([A-Za-z_]\w*(?:[-/.]\w+)+))((?:\s+OR\s+timeout=.*)?)$/,
    codes: isOther,
    message: () => 'the name of a signal is one word of letters, digits and `_`',
    help: (m, by) => `write \`${by}\`, and send it as \`${nameOf(m)}\``,
    by: (m) => `${part(m, 1)}${nameOf(m)}${part(m, 4)}`,
    binds: (m) => [nameOf(m)],
  },
  {
    line: /^(WAIT:\s*signal\s+(\w+)(?:\s+OR\s+timeout=\S+)?)\s*(?:→|->|=>|,|;|\band then\b|\bthen\b)\s*([A-Z]{2,}\b.*)$/,
    codes: /unexpected|bad-character/,
    message: () => 'a line has only one instruction',
    help: write,
    by: (m) => `${part(m, 1)}\n${part(m, 3)}`,
    binds: (m) => [part(m, 2)],
  },
  {
    line: /^(WAIT:\s*signal\s+(\w+))\s*[:,]?\s*(?:"[^"]*"|\(\s*"[^"]*"\s*\))$/,
    codes: /unexpected|bad-character/,
    message: () => 'a signal has a name and no text; its payload is what the sender gives',
    help: write,
    by: (m) => part(m, 1),
    binds: (m) => [part(m, 2)],
  },
  {
    line: /^(?:ON|WHEN)\s+(?:SIGNAL|EVENT|MESSAGE|WEBHOOK):?\s+["']?(\w+)["']?\s*:?\s*(?:→|->|=>)?\s*([A-Z]{2,}\b.*)$/i,
    codes: unread,
    message: () => 'a run waits for a signal where it needs it',
    help: write,
    by: (m) => `WAIT: signal ${part(m, 1)}\n${part(m, 2)}`,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^(?:ELSE )?IF:\s*(?:signal|event|webhook|message)\s+["']?(\w+)["']?(?:\s+(?:received|arrives|arrived|comes))?\s*(?:→|->)\s*(\S.*)$/i,
    codes: isOther,
    message: () => 'a condition does not ask for signals: a WAIT does',
    help: (m) =>
      `write \`WAIT: signal ${part(m, 1)} OR timeout=1h\`, then \`IF: NOT timed_out → ${part(m, 2).replace(/`/g, "'")}\``,
    binds: (m) => [part(m, 1)],
  },
  {
    line: /^WAIT(?:[ _]FOR)?:?\s*(?:for\s+)?(?:a\s+|the\s+)?(?:(?:user|human|person|manual|operator|reviewer)(?:['’]?s)?(?:\s+(?:approval|input|answer|reply|confirmation|decision|review))?|(?:confirmation|input|decision)(?:\s+from\s+\w+)?)$/i,
    codes: isOther,
    when: (m, text) => !mentions(/\w+$/.exec(m[0])?.[0] ?? '', text),
    message: () => 'a person is asked with ASK, which waits for the answer',
    help: write,
    by: () => 'ASK user: "Continue?" → go choices=yes,no',
    binds: () => ['go'],
  },
  // Conditions
  {
    line: /^(?:WAIT:?\s*|(?:await\s+)?workflow\.wait_condition\(\s*)(?:lambda\s*:|\(\)\s*=>|until\s*\()\s*([^()]+?)\s*\)?$/i,
    codes: isOther,
    help: write,
    by: (m, text) => {
      const of = part(m, 1);
      if (/^[A-Za-z_]\w*$/.test(of) && !mentions(of, text)) return `WAIT: signal ${of}`;
      return `WAIT: ${of}${/\btimeout=/.test(of) ? '' : ' OR timeout=60s'}`;
    },
    binds: (m) => [part(m, 1)],
  },
  {
    line: new RegExp(String.raw`^WAIT(?:[ _](?:FOR|UNTIL)\b|:\s*(?:for|until)\b)[\s:]*${NAME}${LIMIT}$`, 'i'),
    codes: isOther,
    when: (m, text) => !mentions(part(m, 1), text),
    help: (m, by) => `write \`${by}\` to wait for a signal, or bind \`${part(m, 1)}\` above or in the block below`,
    by: (m) => signal(part(m, 1), part(m, 2)),
    binds: (m) => [part(m, 1)],
  },
  // Times
  {
    line: /^(?!WAIT:?\s+\d)(?:WAIT|SLEEP|DELAY|PAUSE|TIMER|(?:await\s+)?(?:time|asyncio|workflow|os|Thread|std::thread)\.sleep|(?:await\s+)?setTimeout|sleepFor)(?:[ _]?FOR)?[\s:([]*(?:(?:duration|time|delay|for|sleep|secs?|seconds|minutes|mins?|hours|hrs?|days)\s*[=:]\s*)?(\d+(?:\.\d+)?)\s*(ms|msecs?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)?[\s\])]*[:;]?$/i,
    codes: isOther,
    help: write,
    by: (m) => {
      const [, named = ''] = /\b(secs?|seconds|minutes|mins?|hours|hrs?|days)\s*[=:]/i.exec(m[0]) ?? [];
      // Such a function counts milliseconds.
      const isMilliseconds = /^(?:await\s+)?setTimeout/i.test(m[0]) && m[2] === undefined && named === '';
      return `WAIT: ${part(m, 1)}${isMilliseconds ? 'ms' : unitOf(m[2] ?? named)}`;
    },
  },
  {
    line: /^WAIT:\s*["']?PT?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?["']?$/i,
    codes: isOther,
    when: (m) => /\d/.test(m[0]),
    message: () => 'a duration is one number with one unit',
    help: write,
    by: (m) => `WAIT: ${ofParts(m[1], m[2], m[3])}`,
  },
  {
    line: /^WAIT:\s*["']?(\d{1,2}):([0-5]\d):([0-5]\d)["']?$/,
    codes: isOther,
    message: () => 'a duration is one number with one unit',
    help: write,
    by: (m) => `WAIT: ${ofParts(m[1], m[2], m[3])}`,
  },
  {
    line: /^WAIT:\s*(\d{1,6})\s*\*\s*(\d{1,6})\s*(ms|s|m|h)?$/,
    codes: isOther,
    message: () => 'a duration is one number with one unit',
    help: write,
    by: (m) => `WAIT: ${Number(part(m, 1)) * Number(part(m, 2))}${m[3] ?? 's'}`,
  },
  {
    line: /^WAIT:\s*\{?([a-z_]\w*)\}?\s+(milliseconds?|secs?|seconds?|mins?|minutes?|hrs?|hours?|days?)$/i,
    codes: isOther,
    when: (m, text) => mentions(part(m, 1), text),
    help: write,
    by: (m) => `WAIT: {${part(m, 1)}}${unitOf(part(m, 2))}`,
  },
  {
    line: /^WAIT:\s*(?:cron|schedule|crontab)\s*[(:\s]\s*["']?([^"')]*)["']?\s*\)?$/i,
    codes: isOther,
    message: () => 'a WAIT has a length, and no time of day',
    help: (m) =>
      `let \`schedules:\` of statedsl.config.yaml start a run then, with \`cron: "${part(m, 1)}"\`, or write the length, as in \`WAIT: 1h\``,
  },
  {
    line: /^WAIT:\s*(?:https?|GET|POST)\s+(?:(?:GET|POST|PUT)\s+)?(\S+)$/,
    codes: isOther,
    message: () => 'what comes over HTTP is a signal, which `statedsl serve` receives',
    help: (m) => `write \`WAIT: signal ${/(\w+)\/?$/.exec(part(m, 1))?.[1] ?? 'arrived'}\``,
    binds: (m) => [/(\w+)\/?$/.exec(part(m, 1))?.[1] ?? 'arrived'],
  },
  {
    line: /^WAIT:?\s+([A-Z]\w*)$/,
    codes: /unknown-name|missing/,
    when: (m, text) => declares('STATE', part(m, 1), text),
    message: (m) => `\`${part(m, 1)}\` is a state, and a run is in one state at a time`,
    help: write,
    by: (m) => `GOTO: ${part(m, 1)}`,
  },
];

function nameOf(m: RegExpExecArray): string {
  return (m[2] ?? m[3] ?? '').trim().replace(/\W+/g, '_');
}
