/** Options of DO and CHECK as other tools write them: other names, colons, commas, units in words. */
import { type ForeignLine, part, write } from './foreign-line.js';

const UNIT =
  '(ms|milli(?:second)?s?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|times|attempts|tries|retries)';
const VALUE = String.raw`"(?:[^"\\]|\\.)*"|'[^']*'|[[(]\s*\d+(?:[\s,]+\d+)*\s*[\])]|(?:[^\s,;[\]()"'{}]|\{[^{}]*\})+(?:,\s*\d+(?![\w.]*\s*[=:]))*`;
const VARIABLES = String.raw`\{\s*["']?\w+["']?\s*[=:](?:[^{}]|\{[\w.]+\})*\}`;

/** A word of the options: its name, its value, and a unit behind that; the sign may be a space where a number follows. */
const WORD = new RegExp(
  `[\\s,;]*(?:(?<list>retry_on|memo)=(?<entries>[^\\s,=]+(?:,[^\\s,=]+(?![^\\s,]*=))*)|(?:env(?:\\s+|\\.)(?<variable>\\w+)|(?<name>[A-Za-z_][\\w-]*))(?:(?:\\s*[=:]\\s*|\\s+(?=\\d))(?:(?<variables>${VARIABLES})|(?<value>${VALUE}))(?:\\s*${UNIT}(?![\\w=:./-]))?)?)`,
  'y',
);

const PAUSES = /^(?:delay|wait|pause|backoff|every|interval|sleep|retry_(?:delay|wait|pause|backoff|interval))$/;
const IGNORED =
  /^(?:ignore_(?:errors?|failures?|exit(?:_code)?)|allow_failures?|allowed_to_fail|continue(?:_on_(?:error|failure))?|keep_going|no_?fail|soft_fail|may_fail)$/;
const NAMES: Readonly<Record<string, string>> = {
  retries: 'retry',
  max_retries: 'retry',
  retry_count: 'retry',
  time_limit: 'timeout',
  start_to_close: 'timeout',
  start_to_close_timeout: 'timeout',
  schedule_to_close: 'timeout',
  schedule_to_close_timeout: 'timeout',
  execution_timeout: 'timeout',
  heartbeat: 'idle',
  heartbeat_timeout: 'idle',
  idle_timeout: 'idle',
  no_output_timeout: 'idle',
  cache: 'memo',
  cached: 'memo',
  memoize: 'memo',
  idempotent: 'once',
  at_most_once: 'once',
  exactly_once: 'once',
  run_once: 'once',
  time_out: 'timeout',
  max_time: 'timeout',
  deadline: 'timeout',
  dir: 'cwd',
  directory: 'cwd',
  folder: 'cwd',
  workdir: 'cwd',
  working_dir: 'cwd',
  working_directory: 'cwd',
  chdir: 'cwd',
  path: 'cwd',
  accept: 'ok',
  allow: 'ok',
  allowed: 'ok',
  code: 'ok',
  codes: 'ok',
  expect: 'ok',
  exit: 'ok',
  exitcode: 'ok',
  exitcodes: 'ok',
  exits: 'ok',
  exit_code: 'ok',
  exit_codes: 'ok',
  ok_codes: 'ok',
  ok_exit_codes: 'ok',
  success_codes: 'ok',
  allowed_exit_codes: 'ok',
};
/** How many times in all, where `retry` says how many times more. */
const IN_ALL = /^(?:attempts|tries|max_attempts|max_tries)$/;
const OWN = /^(?:ok|timeout|idle|retry|retry_on|once|memo|cwd|shell|strict)$/;
const OWN_WORD =
  /^(?:(?:once|memo)|ok=(?:any|\d+(?:,\d+)*)|(?:timeout|idle)=(?:\d[\d.]*|\{[^{}]*\})(?:ms|[smhd])?|(?:retry|retry_on|memo|cwd|shell|strict|env\.\w+)=[^\s=;]+)$/;
const FLAGS = /^(?:once|memo)$/;
const DOUBLING =
  /^(?:(?:retry_)?backoff=(?:exp\w*|doubl\w*|true|\d+(?:\.\d+)?)|exponential(?:_backoff)?=(?:true|yes|on)?)$/;
const LONGEST_PAUSE = '60s';
const YES = /^(?:true|yes|on|1)$/i;
const NO = /^(?:false|no|off|0)$/i;
const LARGEST_EXIT = 255;
const MOST_EXITS = 20;

/** What the words have said of the one option `retry`. */
interface RetryWords {
  count?: string;
  pause?: string;
  /** The longest of pauses that double. */
  longest?: string;
}

/** Exit codes as a list, whatever stands around them. */
function exitCodes(value: string): string {
  const [, from = '', to = ''] = /^(\d+)(?:-|\.{2,3})(\d+)$/.exec(value) ?? [];
  if (/^(?:\*|true|all|always|any)$/i.test(value)) return 'any';
  if (from === '') return value.replace(/^[[(]\s*|\s*[\])]$/g, '').replace(/[\s,]+/g, ',');
  const count = Number(to) - Number(from) + 1;
  if (count < 1 || count > MOST_EXITS || Number(to) > LARGEST_EXIT) return 'any';
  return Array.from({ length: count }, (_, at) => Number(from) + at).join();
}

/** An amount with its unit in letters, seconds if a number has none. */
function duration(value: string, unit: string): string {
  const [, amount = '', word = ''] = /^(\d+(?:\.\d+)?|\{[^{}]*\})([A-Za-z]*)$/.exec(value) ?? [];
  if (amount === '') return value;
  const written = word || unit;
  const letters = /^(?:ms|milli)/i.test(written) ? 'ms' : written.charAt(0).toLowerCase();
  return amount + (letters || (amount.startsWith('{') ? '' : 's'));
}

/** The option that a name and its value mean; '' if that is what holds anyhow, and undefined if it means none. */
function optionOf(name: string, value: string | undefined, unit: string, retries: RetryWords): string | undefined {
  const key = NAMES[name] ?? name;
  const isCount = /^(?:times|attempts|tries|retries)$/.test(unit);
  if (
    IGNORED.test(key) ||
    (/^on_?(?:error|fail(?:ure)?)$/.test(key) && /^(?:continue|ignore|skip|keep|proceed|none)$/.test(value ?? ''))
  )
    return value !== undefined && NO.test(value) ? '' : 'ok=any';
  if (/^(?:check|raise(?:_on_error)?|fail(?:_fast|_on_error)?|errexit|must_succeed)$/.test(key))
    return value === undefined || !NO.test(value) ? '' : 'ok=any';
  // The log shows what a command prints, or not.
  if (/^(?:silent|quiet|verbose|no_?log|echo|show)$/.test(key)) return '';
  if (IN_ALL.test(key) || key === 'retry') {
    const [, count = '', pause] = /^(\d+|\{[^{}]*\})(?:\/(.+))?$/.exec(value ?? '') ?? [];
    if (count === '' || retries.count !== undefined || (unit !== '' && !isCount)) return undefined;
    if (IN_ALL.test(key) && !/^[1-9]\d*$/.test(count)) return undefined;
    retries.count = IN_ALL.test(key) ? String(Number(count) - 1) : count;
    if (pause !== undefined) retries.pause = pause;
    return '';
  }
  if (DOUBLING.test(`${key}=${value ?? ''}`)) {
    retries.longest ??= LONGEST_PAUSE;
    return '';
  }
  if (/^max_(?:delay|wait|pause|backoff|interval)$/.test(key)) {
    if (value === undefined || isCount || !/^\d/.test(value)) return undefined;
    retries.longest = duration(value, unit);
    return '';
  }
  if (PAUSES.test(key)) {
    if (value === undefined || isCount || retries.pause !== undefined || !/^(?:\d|\{)/.test(value)) return undefined;
    retries.pause = duration(value, unit);
    return '';
  }
  if (/^[A-Z][A-Z0-9_]*$/.test(key) && !OWN.test(key.toLowerCase()))
    return value === undefined || unit !== '' ? undefined : `env.${key}=${value}`;
  if (!OWN.test(key) || isCount) return undefined;
  if (FLAGS.test(key) && (value === undefined || YES.test(value) || NO.test(value)))
    return value !== undefined && NO.test(value) ? '' : key;
  if (value === undefined) return undefined;
  if (key === 'strict' && (YES.test(value) || NO.test(value))) return YES.test(value) ? '' : 'strict=off';
  if (key === 'ok') return unit === '' ? `ok=${exitCodes(value)}` : undefined;
  if (key === 'timeout' || key === 'idle') return /^[\d{]/.test(value) ? `${key}=${duration(value, unit)}` : undefined;
  return unit === '' ? `${key}=${value}` : undefined;
}

/**
 * The options that are meant between brackets, as they are written here; undefined if a word means none. `verb` is in capitals:
 * every exit code is good for a CHECK.
 */
export function meantOptions(verb: string, inside: string): string | undefined {
  const options: string[] = [];
  const retries: RetryWords = {};
  let retryAt = -1;
  WORD.lastIndex = 0;
  const end = inside.trimEnd().length;
  while (WORD.lastIndex < end) {
    const match = WORD.exec(inside.slice(0, end));
    if (match === null) return undefined;
    const { list, entries, variable, name = '', variables, value } = match.groups as Record<string, string | undefined>;
    const unit = match[match.length - 1] ?? '';
    const key = name.replaceAll('-', '_');
    if (list !== undefined) {
      options.push(`${list}=${entries}`);
      continue;
    }
    if (variable !== undefined || (key === 'env' && /^\w+=/.test(value ?? ''))) {
      const given = variable === undefined ? value : value === undefined ? undefined : `${variable}=${value}`;
      if (given === undefined || unit !== '') return undefined;
      options.push(`env.${given}`);
      continue;
    }
    if (variables !== undefined) {
      if (!/^env(?:ironment|s)?$/.test(key)) return undefined;
      for (const [, one, text] of variables.matchAll(/["']?(\w+)["']?\s*[=:]\s*("[^"]*"|'[^']*'|[^\s,}]+)/g))
        options.push(`env.${one}=${text}`);
      continue;
    }
    const before = retries.count;
    const option = optionOf(key, value, unit, retries);
    if (option === undefined) return undefined;
    if (retries.count !== before) retryAt = options.length;
    if (option !== '' && !(verb === 'CHECK' && option === 'ok=any')) options.push(option);
  }
  const { count, longest, pause = longest && '1s' } = retries;
  if (count === undefined) return pause === undefined ? options.join(' ') : undefined;
  const pauses = longest === undefined || pause?.includes('..') ? pause : `${pause}..${longest}`;
  const retry = `retry=${count}${pauses === undefined ? '' : `/${pauses}`}`;
  return (count === '0' ? options : options.toSpliced(retryAt, 0, retry)).join(' ');
}

/** An instruction with these options; `rest` begins behind the colon. Exit codes are good or bad for a DO only. */
export function withOptions(verb: string, options: string, rest: string): string {
  const head = /\bok=/.test(options) ? verb.replace('CHECK', 'DO') : verb;
  return `${head}${options === '' ? '' : ` [${options}]`}: ${rest}`;
}

/** The correctHeader line of a header. */
function correctHeader(m: RegExpExecArray): string | undefined {
  const [verb, meant] = [part(m, 2), meantOptions(part(m, 2), part(m, 3))];
  // What a CHECK reads and a DO reads differ in more than the exit codes that are good.
  if (meant === undefined || (verb === 'CHECK' && /\bok=/.test(meant))) return undefined;
  return withOptions(part(m, 1), meant, part(m, 4));
}

/** The options without what may stand between them. */
const withoutCommas = (options: string): string => options.trim().replace(/\s*,\s+|\s+/g, ' ');

export const optionLines = (): readonly ForeignLine[] => [
  {
    line: /^((?:- )?(?:DO|CHECK))\s*\[\s*(?:if|when|unless|only_if|not_if)\s*[=:]\s*(.+?)\s*\]\s*:\s*(.+)$/,
    codes: /unknown-option|unexpected|bad-|missing/,
    message: () => 'a condition stands before its instruction',
    help: write,
    by: (m) => {
      const test = part(m, 2).replace(/^["'{]+|["'}]+$/g, '');
      const isNot = /\[\s*(?:unless|not_if)/.test(m[0]);
      return `IF: ${isNot ? (/^\w+$/.test(test) ? `NOT ${test}` : `NOT (${test})`) : test} → ${part(m, 1)}: ${part(m, 3)}`;
    },
  },
  {
    line: /^(DO|CHECK)\s*\[\s*(?:(sudo|become)(?:\s*=\s*(?:true|yes))?|(?:user|become_user|run_as|runas|sudo_user)\s*[=:]\s*["']?([\w-]+)["']?)\s*\]\s*:\s*((?:\w+\s*=\s*)?)(\S.*)$/,
    codes: /unknown-option|bad-/,
    message: () => 'another user is part of the command',
    help: write,
    by: (m) =>
      `${part(m, 1)}: ${part(m, 4)}sudo ${m[3] === undefined || m[3] === 'root' ? '' : `-u ${m[3]} `}${part(m, 5)}`,
  },
  {
    line: /^(DO|CHECK)\s*\[([^\]]*?)\bretry\s*[=:]\s*\{\s*([^{}]*)\}\s*,?([^\]]*)\]\s*:\s*(\S.*)$/,
    codes: /unknown-option|bad-|unexpected|unclosed|missing/,
    help: write,
    by: (m) => {
      const words = part(m, 3).replace(/\b(?:max|limit|count|attempts|times|retries|max_attempts)\s*[=:]/, 'retry=');
      const meant = meantOptions(part(m, 1), `${part(m, 2)} ${words} ${part(m, 4)}`);
      return meant === undefined ? undefined : withOptions(part(m, 1), meant, part(m, 5));
    },
  },
  {
    line: /^(?:- )?(?:DO|CHECK|CALL|USE)\s*\[[^\]]*\b(?:needs|depends_on|depends|after|requires|before|wait_for)\s*[=:].*$/,
    codes: /unknown-option|bad-|unexpected|missing/,
    message: () => 'lines run in their order',
    help: () => 'remove the option, and put the line below what it needs',
  },
  {
    line: /^(?:- )?(?:DO|CHECK)\s*\[[^\]]*(?<=[[\s,])(?:trigger_rule|always|run_if|on_status|if_failed|finally)(?=[\s=:,\]]).*$/,
    codes: /unknown-option|bad-|unexpected|missing/,
    message: () => 'what runs after a failure stands where failures go',
    help: () => 'write it below `ON ERROR: →` at the end of the state, or into `STATE: ERROR`',
  },
  {
    line: /^(?:- )?(?:DO|CHECK)\s*\[[^\]]*\b(?:pool|queue|concurrency(?:_group)?|max_parallel|slots|lock|mutex|semaphore)\s*[=:]\s*["']?([\w-]+)["']?[^\]]*\]\s*:\s*(.*)$/,
    codes: /unknown-option|bad-|unexpected|missing/,
    message: () => 'how many run at once is an option of PARALLEL',
    help: (m) =>
      `write \`FOR EACH: … in PARALLEL [max=${/^\d+$/.test(part(m, 1)) ? part(m, 1) : '1'}]:\`, and \`DO: ${part(m, 2)}\` below it`,
  },
  {
    line: /^(?:- )?(?:DO|CHECK)\s*\[[^\]]*\b(?:tools?|allowed_tools|permissions?|allow)\s*[=:].*\bTask\(["']?([A-Za-z][\w.-]*).*$/,
    codes: /unknown-option|bad-|unexpected|missing|not-a-command/,
    message: () => 'the configuration says what an agent may do',
    help: (m) =>
      `write \`DO: Task(helper) "…"\`, and in statedsl.config.yaml \`agents: { helper: { adapter: ${/^\w+/.exec(part(m, 1))?.[0]}, allow: [shell] } }\``,
  },
  {
    line: /^(?:- )?(?:DO|CHECK)\s*\[[^\]]*\b(?:system(?:_prompt)?|persona|role|instructions?|backstory|goal)\s*[=:]\s*(?:"([^"]*)"|([^\]\s]+))[^\]]*\]\s*:\s*((?:\w+\s*=\s*)?Task\([\w.-]+\)\s*)"((?:[^"\\]|\\.)*)"(.*)$/,
    codes: /unknown-option|bad-|unexpected/,
    message: () => 'all that an agent is told is its prompt',
    help: write,
    by: (m) => `DO: ${part(m, 3)}"${(m[1] ?? part(m, 2)).replace(/[.\s]*$/, '. ')}${part(m, 4)}"${part(m, 5)}`,
  },
  {
    line: /^(?:- )?(?:DO|CHECK)\s*\[[^\]]*\b(?:temperature|top_p|seed|reasoning|effort|thinking)\s*[=:].*\bTask\(["']?([A-Za-z][\w.-]*).*$/,
    codes: /unknown-option|bad-|unexpected/,
    message: () => 'settings of a model belong to its program',
    help: (m) =>
      `remove it, or write \`DO: Task(helper) "…"\`, and in statedsl.config.yaml \`agents: { helper: { adapter: ${/^\w+/.exec(part(m, 1))?.[0]}, args: […] } }\``,
  },
  {
    line: /^(?:- )?((?:DO|CHECK))\s*\[\s*(?:session|memory|thread|conversation|history)(?:\s*[=:]\s*[\w"'-]+)?\s*\]\s*:\s*(.*\bTask\(.*)$/,
    codes: /unknown-option|bad-|unexpected/,
    message: () => 'each Task begins a session of its own',
    help: (m) =>
      `write \`${part(m, 1)}: ${part(m, 2)} with …\`, with the names of what it has to know; only the attempts of a STEP share a session`,
  },
  {
    line: /^((?:- )?(DO|CHECK))\s*\[((?:"[^"]*"|[^"])*?)\]\s*:\s*(\S.*)$/,
    codes: /unknown-option|unexpected|bad-|unclosed|missing/,
    // A number alone has its own message, since its unit may be another.
    when: (m) =>
      !withoutCommas(part(m, 3))
        .split(' ')
        .every((word) => OWN_WORD.test(word)),
    help: write,
    by: (m) => {
      const line = correctHeader(m);
      return line === `${part(m, 1)} [${withoutCommas(part(m, 3))}]: ${part(m, 4)}` ? undefined : line;
    },
  },
  {
    line: /^((?:- )?(DO|CHECK))\s*[({<](.*?)[)}>]\s*:\s*(\S.*)$/,
    sure: (line) =>
      withoutCommas(/[({<](.*?)[)}>]/.exec(line)?.[1] ?? '')
        .split(' ')
        .every((word) => OWN_WORD.test(word)),
    codes: /missing-colon|not-an-instruction/,
    help: write,
    by: correctHeader,
  },
  {
    line: /^(?=.{0,1000}$)((?:- )?(DO)):\s*((?:\w+\s*=\s*)?Task\([\w-]+\)\s*"(?:[^"\\]|\\.)*"[^[\]]*?)(?:,?\s*[[({]([^[\]]*)[\])}]|[\s,]+(\w+=[^\s,[\]]+(?:\s+\w+=[^\s,[\]]+)*))$/,
    codes: /unexpected|unclosed|bad-/,
    message: () => 'options stand before the colon',
    help: write,
    by: (m) => {
      const meant = meantOptions(part(m, 2), m[4] ?? part(m, 5));
      return meant === undefined
        ? undefined
        : withOptions(
            part(m, 1),
            meant,
            part(m, 3)
              .trimEnd()
              .replace(/\s+with$/, ''),
          );
    },
  },
];
