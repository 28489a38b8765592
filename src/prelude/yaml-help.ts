/** YAML for its readers: which numbers are texts, and what to write instead of a text that is not YAML. */

const BY_CODE: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'put the text in quotes: `: ` inside it begins a mapping',
  BLOCK_IN_FLOW: 'put the text in quotes: `: ` inside it begins a mapping',
  TAB_AS_INDENT: 'indent with spaces',
  DUPLICATE_KEY: 'keep one of the two, or indent the second below what it belongs to',
  BAD_INDENT: 'indent it like the lines it belongs to',
  BAD_SCALAR_START: 'put the text in quotes',
  MULTIPLE_DOCS: 'remove the line `---` and what is below it: a file has one document',
  MISSING_CHAR: 'close the quotes or brackets that are open here',
  UNEXPECTED_TOKEN: 'put texts that begin with `{`, `[`, `*`, `&`, `!`, `|`, `>`, `%` or `@` in quotes',
  IMPOSSIBLE: 'put texts that begin with a sign in quotes',
};

/** `line`: the text of the line where the library found the mistake. */
export function yamlHelp(code: string, problem: string, line: string): string {
  const [, key, value] = /^\s*(?:- )?([A-Za-z_][\w.-]*)\s*=\s*(.*)$/.exec(line) ?? [];
  if (key !== undefined) return `write \`${key}: ${value}\``;
  if (/^\s*\/\//.test(line)) return `write a comment as \`# …\``;
  if (/^\s*\[[\w.]+\]\s*$/.test(line)) return `write \`${line.trim().slice(1, -1)}:\`, and its keys below it`;
  if (/\$\{/.test(line)) return 'put the text in quotes; environment variables are not inserted';
  const dash = /^\s*-(?=[A-Za-z])(\S.*)$/.exec(line)?.[1];
  if (dash !== undefined) return `write a space after the dash: \`- ${dash}\``;
  const colon = /^\s*(?:- )?([A-Za-z_]\w*):(?=[^\s/:])(\S.*)$/.exec(line);
  if (colon !== null) return `write a space after the colon: \`${colon[1]}: ${colon[2]}\``;
  if (/without - indicator/.test(problem)) return 'indent it like the first key of its item, or begin it with `- `';
  if (/^\s*[\w-]+:\s*\{?\s*\*/.test(line)) return 'put `*` in quotes: `"*"`';
  return BY_CODE[code] ?? 'check the indentation of this line and of the one above';
}

/**
 * Whether a scalar is a text although YAML reads a number: the number would lose what is written, as in an identifier
 * (`0042`, `0x1F`), a telephone number (`+49`) or a hash (`7e12345`). `isSetting`: the number counts, as in `+5`.
 */
export function losesDigits(source: string, value: number, isSetting = false): boolean {
  const isLost = isSetting ? /^[-+]?0\d/ : /^[-+]?0[\dox]|^\+[\d.]/;
  return isLost.test(source) || (/^[-+]?[\d.]+e/i.test(source) && !Number.isFinite(value));
}

/** A number as JSON has it. */
export const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
