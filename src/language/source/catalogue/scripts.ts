/** Messages about scripts: changes that are lost at their end, and failures that sh ignores. */
import type { Words } from '../diagnostic.js';
import { didYouMean, list, message } from './message.js';

const toPlain = (value: string | null): string => (value !== null && /^[\w./:@%+,-]+$/.test(value) ? value : '…');

export const scriptMessages = {
  lostInShell: message<{
    what: string;
    kind: 'directory' | 'variable' | 'settings';
    value: string | null;
    name: string;
  }>('lost-in-shell', 'warning', (f) => ({
    message: `\`${f.what}\` changes a shell that ends with this instruction`,
    label: 'the next instruction has its own shell',
    help:
      f.kind === 'directory'
        ? `write \`DO [cwd=${toPlain(f.value)}]: …\` for the command that should run there`
        : f.kind === 'variable'
          ? `write ${f.what === 'export' ? '' : `\`DO: ${f.name} = …\` to bind a name, or `}\`DO [env.${f.name}=${toPlain(f.value)}]: …\` for the command that needs it`
          : 'write it above the commands that need it, as one block below `DO:`',
  })),
  pipeInSh: message('pipe-in-sh', 'warning', () => ({
    message: 'sh ignores the failure of a command before a `|`',
    label: 'only the exit code of the last command counts',
    notes: ['bash runs scripts with `pipefail`, which sh does not have'],
    help: 'leave out `shell=sh`, or write `strict=off` to allow it',
  })),
} as const;

/** Functions by their names in other languages, in lower case and without `_`. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  ...{ length: 'len', size: 'len', count: 'len', strlen: 'len', sizeof: 'len', num: 'float', number: 'float' },
  ...{
    uppercase: 'upper',
    touppercase: 'upper',
    toupper: 'upper',
    lowercase: 'lower',
    tolowercase: 'lower',
    tolower: 'lower',
  },
  ...{
    str: 'string',
    tostring: 'string',
    text: 'string',
    strip: 'trim',
    parseint: 'int',
    toint: 'int',
    integer: 'int',
  },
  ...{ tonumber: 'float', parsefloat: 'float', tofloat: 'float', substring: 'slice', substr: 'slice', sub: 'replace' },
  ...{
    tojson: 'json',
    stringify: 'json',
    dumps: 'json',
    fromjson: 'parse_json',
    parse: 'parse_json',
    loads: 'parse_json',
  },
  ...{
    sorted: 'sort',
    uniq: 'unique',
    distinct: 'unique',
    head: 'first',
    tail: 'last',
    splitlines: 'lines',
    gsub: 'replace',
  },
  ...{
    ceiling: 'ceil',
    hash: 'sha256',
    semver: 'version',
    coalesce: 'default',
    ifnull: 'default',
    nvl: 'default',
    b64encode: 'base64_encode',
  },
  ...{ jsonparse: 'parse_json', jsondecode: 'parse_json', jsonloads: 'parse_json', loads: 'parse_json' },
  ...{ jsonencode: 'json', jsondumps: 'json', dumps: 'json', stringify: 'json', tojson: 'json', implode: 'join' },
  ...{ explode: 'split', strip: 'trim', toupper: 'upper', tolower: 'lower', tostring: 'string', toint: 'int' },
  ...{ base64: 'base64_encode', b64decode: 'base64_decode', uuid4: 'uuid', date: 'now', time: 'now', total: 'sum' },
};

/** Functions of other languages that are operators here, with the arguments in the order of the call. */
const OPERATORS: Readonly<Record<string, string>> = {
  ...{ contains: 'x contains y', includes: 'x contains y', has: 'x contains y', haskey: '"key" in x' },
  ...{
    startswith: 'x starts with y',
    hasprefix: 'x starts with y',
    endswith: 'x ends with y',
    hassuffix: 'x ends with y',
  },
  ...{
    matches: 'x matches "regex"',
    match: 'x matches "regex"',
    regex: 'x matches "regex"',
    test: 'x matches "regex"',
  },
  ...{ empty: 'x is empty', isempty: 'x is empty', isnull: 'x is null', isnone: 'x is null', exists: 'x exists' },
  ...{ defined: 'x exists', isdefined: 'x exists', concat: 'x + y', append: 'x + [y]', push: 'x + [y]' },
  ...{ format: '"… {x} …"', sprintf: '"… {x} …"', type: 'x is valid JSON' },
};

const DATE = 'only commands read the clock so: `DO: x = date +%F`; `now()` is the time';
const ENVIRONMENT = 'only commands see the environment: `DO: x = printenv NAME`';
const EACH = 'no function goes through a list: `FOR EACH: item in LIST:`, and in it `IF: … → INCREMENT: n`';
const PATH = 'only commands take paths apart: `DO: x = basename -- {path}`';

/** What functions of other languages do and none of this language does. */
const HINTS: Readonly<Record<string, string>> = {
  ...{
    today: DATE,
    timestamp: DATE,
    datetime: DATE,
    strftime: DATE,
    currentdate: DATE,
    formatdate: DATE,
    utcnow: DATE,
  },
  ...{ env: ENVIRONMENT, getenv: ENVIRONMENT, environ: ENVIRONMENT, osgetenv: ENVIRONMENT },
  ...{
    any: EACH,
    all: EACH,
    some: EACH,
    every: EACH,
    zip: EACH,
    reduce: EACH,
    foreach: EACH,
    groupby: EACH,
    find: EACH,
  },
  ...{ basename: PATH, dirname: PATH },
  enumerate: 'write `FOR EACH: i in range(len(LIST)):` for the numbers, and `LIST[i]` for the elements',
  ...{ reverse: 'write `DO: x = printf "%s\\n" {LIST*} | tac`, and go through `lines(x)`' },
  ...{ reversed: 'write `DO: x = printf "%s\\n" {LIST*} | tac`, and go through `lines(x)`' },
  ...{ pow: 'write `n * n`', sleep: 'write the instruction `WAIT: 5s`', print: 'write the instruction `EMIT: "…"`' },
  read: 'only commands read files: `DO: x = cat FILE`',
};

/** The function or operator that corresponds to a call of `name`. */
export function functionMeant(
  name: string,
  near: string | undefined,
  known: readonly string[],
): Pick<Words, 'help' | 'repair'> {
  if (/^(?:merge|assign|extend|update|put|setitem|with)$/.test(name))
    return {
      help: 'no function changes an object: write the whole of it, or add `[{"key": …, "value": …}]` to a list',
    };
  if (name === 'raw') return { help: 'in shell text write `raw({x})`, with the braces inside' };
  const key = name.toLowerCase().replaceAll('_', '');
  const operator = Object.hasOwn(OPERATORS, key) ? OPERATORS[key] : undefined;
  if (operator !== undefined) return { help: `write \`${operator}\`` };
  const meant = Object.hasOwn(FUNCTIONS, key) ? FUNCTIONS[key] : undefined;
  const hint = Object.hasOwn(HINTS, key) ? HINTS[key] : undefined;
  if (hint !== undefined) return { help: hint };
  if (meant !== undefined) return { help: `write \`${meant}(…)\``, repair: { replace: name, by: meant, guess: true } };
  return didYouMean(name, near, `the functions are ${list([...known].sort())}`, known);
}

const CONSTANTS: Readonly<Record<string, string>> = {
  ...{ None: 'null', none: 'null', nil: 'null', undefined: 'null', NULL: 'null', Null: 'null' },
  ...{ True: 'true', TRUE: 'true', False: 'false', FALSE: 'false' },
};

/** The constant for a name of other languages. */
export function constantMeant(name: string): string | undefined {
  return Object.hasOwn(CONSTANTS, name) ? CONSTANTS[name] : undefined;
}
