/** Gates of steps as other tools write them: a command alone, a name in front, options, prose. */
import { around, COMMANDS, type ForeignLine, inQuotes, part, write } from './foreign-line.js';

const PROGRAMS =
  'bazel|black|bundle|clippy|composer|ctest|dotnet|eslint|go|gradle|jest|just|mix|mypy|ninja|nox|phpunit|php|prettier|pyright|python3?|rake|rspec|ruff|rubocop|sbt|shellcheck|swift|task|tox|tsc|vitest|xcodebuild|zig';
/** A longer line is not meant as a list of commands. */
const LONGEST = 1000;

/** `test`, `lint` and `compile` alone are gates, and prose begins with them, too. */
const COMMAND = new RegExp(
  `^(?:(?!(?:test|lint|compile|cat|find|head|tail|touch|make|go|task|just|go)\\b)(?:${COMMANDS}|${PROGRAMS})(?![\\w.:=(-])|(?:test|\\[{1,2})\\s+[-!"'$]|(?:make|go|task|just|cat|find|head|tail)(?:\\s+(?:-|\\.{0,2}/|(?:all|check|test|build|lint|vet|unit|verify)\\b).*)?$|\\.{0,2}/[\\w.]|[a-z][\\w.-]*\\s+(?:\\S+\\s+)*--?\\w).*$`,
);
/** Whether a line of words begins as a command does, and not as prose. */
export const looksLikeCommand = (text: string): boolean => text.length <= LONGEST && COMMAND.test(text);

const KNOWN =
  /^(?:(?:compile|test|lint|tests_found)(?:\s+as\s+\w+)?|bash\s*["'].*|coverage\s+[\d{].*|(?:schema|touched|untouched|expr|validate)\b(?!\s*[=<>]).*)$/i;
const SUBJECTS = ['lint', 'test', 'types', 'typecheck', 'build', 'format', 'check', 'coverage', 'e2e', 'vet'];

const TESTS = /^(?:(?:py|vi|c)?tests?|jest|phpunit|rspec)$/;

/** A name for the gate of a command: what it is about, else its program. */
function nameOf(command: string): string {
  if (/^(?:test|\[{1,2})\s/.test(command)) return 'exists';
  const words: readonly string[] = command.match(/[A-Za-z]\w*/g) ?? [];
  const subject = SUBJECTS.find((one) => words.includes(one));
  if (subject === undefined && words.some((word) => TESTS.test(word))) return 'test';
  if (subject !== undefined) return subject;
  return /^(?:.*\/)?([A-Za-z]\w*)/.exec(command.split(/\s/)[0] ?? '')?.[1] ?? 'passes';
}

/** A condition as a gate. Words that compare are also in prose, so that a value must follow them. */
function comparison(text: string): string | undefined {
  const [, name = '', operator = '', value = ''] =
    /^\{?([A-Za-z_][\w.]*)\}?\s*(==|!=|[<>]=?)\s*([^\s=<>].*)$/.exec(text) ??
    /^\{?([A-Za-z_][\w.]*)\}?\s+(contains|matches|in|is(?:\s+not)?)\s+(["[].*|empty|null|true|false|valid JSON)$/.exec(
      text,
    ) ??
    [];
  const least = /^coverage\s*(?:>=?|=|:|at least|of)\s*(\d+(?:\.\d+)?)\s*%?$/.exec(text)?.[1];
  if (least !== undefined) return `coverage ${least}`;
  return name === '' || name === 'coverage' ? undefined : `expr ${name} ${operator} ${value}`;
}

/** One gate as it is written here; undefined if it looks like no command. */
function gateOf(written: string): string | undefined {
  const text = written.trim();
  if (KNOWN.test(text)) return text;
  const [, command = text, as] = /^(.*?)\s+as\s+["']?(\w+)["']?$/.exec(text) ?? [];
  const label = as ?? '';
  const within = /^(?:command|cmd|run|shell|sh|exec|script|bash|do)\s*[:=(]?\s*"((?:[^"\\]|\\.)*)"\)?$/i.exec(
    command,
  )?.[1];
  if (within !== undefined) return `bash "${within}"${label === '' ? '' : ` as ${label}`}`;
  const compared = comparison(text);
  if (compared !== undefined) return compared;
  const plain = /^(?:command|cmd|run|shell|exec|script|bash|do):?\s+(.*)$/i.exec(command)?.[1] ?? command;
  const [, file = ''] = /^(?:file_)?exists?\s*\(?\s*["']?([\w./*-]+)["']?\)?$/i.exec(plain) ?? [];
  if (file !== '') return `bash "test -e ${file}" as ${label || 'exists'}`;
  const single = /^'([^']*)'$/.exec(plain)?.[1] ?? plain;
  if (single === plain && plain === command && !COMMAND.test(plain)) return undefined;
  return `bash ${inQuotes(single)} as ${label || nameOf(single)}`;
}

const isSubject = (word: string): boolean => SUBJECTS.includes(word);

/** All gates of a line; a comma inside quotes separates none. */
function gatesOf(written: string): string | undefined {
  if (written.length > LONGEST) return undefined;
  const gates = (written.match(/(?:"[^"]*"|'[^']*'|[^,]|,(?=\S))+/g) ?? []).map(gateOf);
  return gates.includes(undefined) ? undefined : gates.join(', ');
}

/** What is wrong with a line of gates. */
function mistakeOf(written: string): string {
  const gates = gatesOf(written) ?? '';
  if (gates.includes('bash "')) return 'the command of a gate is in quotes, after `bash`';
  return gates.includes('expr ') ? 'a condition of a gate follows `expr`' : '`coverage` is followed by a number';
}

const MOST_ABOVE = 1000;
const codes = /gate-without-command|not-an-instruction|unexpected|missing|bad-|unclosed|not-a-condition|unknown-verb/;

export const gateLines = (): readonly ForeignLine[] => [
  {
    line: /^GATES?:?\s*("(?:[^"\\]|\\.)*")(\s+as\s+\w+)?$/,
    codes,
    message: () => 'the command of a gate begins with `bash`',
    help: write,
    by: (m) => `GATE: bash ${part(m, 1)}${part(m, 2)}`,
  },
  {
    line: /^GATES?(?:\s+|:\s*)["']?(?!(?:bash|command|cmd|run|shell|sh|exec|script|DO|schema|touched|untouched|coverage|expr|validate)\b)([A-Za-z]\w*)["']?\s*[:=]\s*([^=\s].*)$/,
    codes,
    message: () => 'the name of a gate follows its command',
    help: write,
    by: (m) => {
      const gate = gatesOf(/^["']/.test(part(m, 2)) ? `bash ${part(m, 2)}` : part(m, 2));
      return gate === undefined ? undefined : `GATE: ${gate.replace(/\s+as\s+\w+$/, '')} as ${part(m, 1)}`;
    },
  },
  {
    line: /^GATES?\s*\[([^\]]*)\]\s*:\s*(\S.*)$/,
    codes,
    message: () => 'a gate has no options',
    help: (m, by) =>
      `write \`${by}\`${/timeout/i.test(part(m, 1)) ? '; `timeout 5m …` in its command limits its time' : ''}`,
    by: (m) => {
      const gates = gatesOf(part(m, 2));
      return gates === undefined ? undefined : `GATE: ${gates}`;
    },
  },
  {
    line: /^GATE:\s*bash\s+"((?:[^"\\]|\\.)*)"((?:\s+as\s+\w+)?),?\s+[[(]?timeout[=:]\s*(\d+[smhd]?)[\])]?$/,
    codes,
    message: () => 'a gate has no options',
    help: write,
    by: (m) => `GATE: bash "timeout ${part(m, 3)} ${part(m, 1)}"${part(m, 2)}`,
  },
  {
    line: /^-\s+(\S.*)$/,
    codes,
    when: (m, text) =>
      /(?:^|\n)[ \t]*GATE:[ \t]*(?:\n[ \t]*- [^\n]*)*$/.test(around(m[0], text)?.[0].slice(-MOST_ABOVE) ?? ''),
    message: (m) => mistakeOf(part(m, 1)),
    help: write,
    by: (m) => {
      const gates = gatesOf(part(m, 1));
      return gates === undefined ? undefined : `- ${gates}`;
    },
  },
  {
    line: /^GATES?:?\s*(\S.*)$/,
    codes,
    message: (m) => mistakeOf(part(m, 1)),
    help: write,
    by: (m) => {
      const gates = gatesOf(part(m, 1));
      return gates === undefined || gates === part(m, 1) ? undefined : `GATE: ${gates}`;
    },
  },
  {
    line: /^GATES?:\s*(?!(?:bash|schema|touched|untouched|coverage|expr|validate)\b)([A-Za-z][\w'’]*)((?:\s+[\w'’-]+)+)\.?$/,
    codes: /gate-without-command|unexpected/,
    message: () => 'a gate is a command that passes, or one of the checks of statedsl',
    help: (m) => {
      const subject = (m[0].toLowerCase().match(/[a-z]\w*/g) ?? [])
        .map((word) => word.replace(/s$/, ''))
        .find(isSubject);
      return `write what finds it out: \`GATE: bash "command" as ${subject ?? 'done'}\``;
    },
  },
];
