/** What is said about functions, constants and characters of other languages, and about JSON that is none. */
import { expect, test } from 'vitest';
import { readJsonTree } from '../../src/language/frontends/json-tree.js';
import { constantMeant, functionMeant } from '../../src/language/source/catalogue/scripts.js';
import { badCharacter } from '../../src/language/source/catalogue/syntax.js';

/** Also as they are written elsewhere: in capitals, with `_`. */
const NAMES = `
length size count strlen sizeof num number uppercase touppercase toupper lowercase tolowercase tolower str
tostring text strip parseint toint integer tonumber parsefloat tofloat substring substr sub tojson stringify
dumps fromjson parse loads sorted uniq distinct head tail splitlines gsub ceiling hash semver coalesce ifnull
nvl b64encode jsonparse jsondecode jsonloads jsonencode jsondumps implode explode base64 b64decode uuid4 date
time total contains includes has haskey startswith hasprefix endswith hassuffix matches match regex test empty
isempty isnull isnone exists defined isdefined concat append push format sprintf type today timestamp datetime
strftime currentdate formatdate utcnow env getenv environ osgetenv any all some every zip reduce foreach
groupby find basename dirname enumerate reverse reversed pow sleep print EMIT read
merge extend raw IS_NULL startsWith to_string JSON_LOADS unknown lenn toString __proto__ constructor`;

test('functions', () => {
  const lines = NAMES.trim()
    .split(/\s+/)
    .map((name) => {
      const { help, repair } = functionMeant(name, name === 'lenn' ? 'len' : undefined, ['len', 'abs']);
      return `${name}: ${help}${repair === undefined ? '' : ` | ${JSON.stringify(repair)}`}`;
    });
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "length: write \`len(…)\` | {"replace":"length","by":"len","guess":true}
    size: write \`len(…)\` | {"replace":"size","by":"len","guess":true}
    count: write \`len(…)\` | {"replace":"count","by":"len","guess":true}
    strlen: write \`len(…)\` | {"replace":"strlen","by":"len","guess":true}
    sizeof: write \`len(…)\` | {"replace":"sizeof","by":"len","guess":true}
    num: write \`float(…)\` | {"replace":"num","by":"float","guess":true}
    number: write \`float(…)\` | {"replace":"number","by":"float","guess":true}
    uppercase: write \`upper(…)\` | {"replace":"uppercase","by":"upper","guess":true}
    touppercase: write \`upper(…)\` | {"replace":"touppercase","by":"upper","guess":true}
    toupper: write \`upper(…)\` | {"replace":"toupper","by":"upper","guess":true}
    lowercase: write \`lower(…)\` | {"replace":"lowercase","by":"lower","guess":true}
    tolowercase: write \`lower(…)\` | {"replace":"tolowercase","by":"lower","guess":true}
    tolower: write \`lower(…)\` | {"replace":"tolower","by":"lower","guess":true}
    str: write \`string(…)\` | {"replace":"str","by":"string","guess":true}
    tostring: write \`string(…)\` | {"replace":"tostring","by":"string","guess":true}
    text: write \`string(…)\` | {"replace":"text","by":"string","guess":true}
    strip: write \`trim(…)\` | {"replace":"strip","by":"trim","guess":true}
    parseint: write \`int(…)\` | {"replace":"parseint","by":"int","guess":true}
    toint: write \`int(…)\` | {"replace":"toint","by":"int","guess":true}
    integer: write \`int(…)\` | {"replace":"integer","by":"int","guess":true}
    tonumber: write \`float(…)\` | {"replace":"tonumber","by":"float","guess":true}
    parsefloat: write \`float(…)\` | {"replace":"parsefloat","by":"float","guess":true}
    tofloat: write \`float(…)\` | {"replace":"tofloat","by":"float","guess":true}
    substring: write \`slice(…)\` | {"replace":"substring","by":"slice","guess":true}
    substr: write \`slice(…)\` | {"replace":"substr","by":"slice","guess":true}
    sub: write \`replace(…)\` | {"replace":"sub","by":"replace","guess":true}
    tojson: write \`json(…)\` | {"replace":"tojson","by":"json","guess":true}
    stringify: write \`json(…)\` | {"replace":"stringify","by":"json","guess":true}
    dumps: write \`json(…)\` | {"replace":"dumps","by":"json","guess":true}
    fromjson: write \`parse_json(…)\` | {"replace":"fromjson","by":"parse_json","guess":true}
    parse: write \`parse_json(…)\` | {"replace":"parse","by":"parse_json","guess":true}
    loads: write \`parse_json(…)\` | {"replace":"loads","by":"parse_json","guess":true}
    sorted: write \`sort(…)\` | {"replace":"sorted","by":"sort","guess":true}
    uniq: write \`unique(…)\` | {"replace":"uniq","by":"unique","guess":true}
    distinct: write \`unique(…)\` | {"replace":"distinct","by":"unique","guess":true}
    head: write \`first(…)\` | {"replace":"head","by":"first","guess":true}
    tail: write \`last(…)\` | {"replace":"tail","by":"last","guess":true}
    splitlines: write \`lines(…)\` | {"replace":"splitlines","by":"lines","guess":true}
    gsub: write \`replace(…)\` | {"replace":"gsub","by":"replace","guess":true}
    ceiling: write \`ceil(…)\` | {"replace":"ceiling","by":"ceil","guess":true}
    hash: write \`sha256(…)\` | {"replace":"hash","by":"sha256","guess":true}
    semver: write \`version(…)\` | {"replace":"semver","by":"version","guess":true}
    coalesce: write \`default(…)\` | {"replace":"coalesce","by":"default","guess":true}
    ifnull: write \`default(…)\` | {"replace":"ifnull","by":"default","guess":true}
    nvl: write \`default(…)\` | {"replace":"nvl","by":"default","guess":true}
    b64encode: write \`base64_encode(…)\` | {"replace":"b64encode","by":"base64_encode","guess":true}
    jsonparse: write \`parse_json(…)\` | {"replace":"jsonparse","by":"parse_json","guess":true}
    jsondecode: write \`parse_json(…)\` | {"replace":"jsondecode","by":"parse_json","guess":true}
    jsonloads: write \`parse_json(…)\` | {"replace":"jsonloads","by":"parse_json","guess":true}
    jsonencode: write \`json(…)\` | {"replace":"jsonencode","by":"json","guess":true}
    jsondumps: write \`json(…)\` | {"replace":"jsondumps","by":"json","guess":true}
    implode: write \`join(…)\` | {"replace":"implode","by":"join","guess":true}
    explode: write \`split(…)\` | {"replace":"explode","by":"split","guess":true}
    base64: write \`base64_encode(…)\` | {"replace":"base64","by":"base64_encode","guess":true}
    b64decode: write \`base64_decode(…)\` | {"replace":"b64decode","by":"base64_decode","guess":true}
    uuid4: write \`uuid(…)\` | {"replace":"uuid4","by":"uuid","guess":true}
    date: write \`now(…)\` | {"replace":"date","by":"now","guess":true}
    time: write \`now(…)\` | {"replace":"time","by":"now","guess":true}
    total: write \`sum(…)\` | {"replace":"total","by":"sum","guess":true}
    contains: write \`x contains y\`
    includes: write \`x contains y\`
    has: write \`x contains y\`
    haskey: write \`"key" in x\`
    startswith: write \`x starts with y\`
    hasprefix: write \`x starts with y\`
    endswith: write \`x ends with y\`
    hassuffix: write \`x ends with y\`
    matches: write \`x matches "regex"\`
    match: write \`x matches "regex"\`
    regex: write \`x matches "regex"\`
    test: write \`x matches "regex"\`
    empty: write \`x is empty\`
    isempty: write \`x is empty\`
    isnull: write \`x is null\`
    isnone: write \`x is null\`
    exists: write \`x exists\`
    defined: write \`x exists\`
    isdefined: write \`x exists\`
    concat: write \`x + y\`
    append: write \`x + [y]\`
    push: write \`x + [y]\`
    format: write \`"… {x} …"\`
    sprintf: write \`"… {x} …"\`
    type: write \`x is valid JSON\`
    today: only commands read the clock so: \`DO: x = date +%F\`; \`now()\` is the time
    timestamp: only commands read the clock so: \`DO: x = date +%F\`; \`now()\` is the time
    datetime: only commands read the clock so: \`DO: x = date +%F\`; \`now()\` is the time
    strftime: only commands read the clock so: \`DO: x = date +%F\`; \`now()\` is the time
    currentdate: only commands read the clock so: \`DO: x = date +%F\`; \`now()\` is the time
    formatdate: only commands read the clock so: \`DO: x = date +%F\`; \`now()\` is the time
    utcnow: only commands read the clock so: \`DO: x = date +%F\`; \`now()\` is the time
    env: only commands see the environment: \`DO: x = printenv NAME\`
    getenv: only commands see the environment: \`DO: x = printenv NAME\`
    environ: only commands see the environment: \`DO: x = printenv NAME\`
    osgetenv: only commands see the environment: \`DO: x = printenv NAME\`
    any: no function goes through a list: \`FOR EACH: item in LIST:\`, and in it \`IF: … → INCREMENT: n\`
    all: no function goes through a list: \`FOR EACH: item in LIST:\`, and in it \`IF: … → INCREMENT: n\`
    some: no function goes through a list: \`FOR EACH: item in LIST:\`, and in it \`IF: … → INCREMENT: n\`
    every: no function goes through a list: \`FOR EACH: item in LIST:\`, and in it \`IF: … → INCREMENT: n\`
    zip: no function goes through a list: \`FOR EACH: item in LIST:\`, and in it \`IF: … → INCREMENT: n\`
    reduce: no function goes through a list: \`FOR EACH: item in LIST:\`, and in it \`IF: … → INCREMENT: n\`
    foreach: no function goes through a list: \`FOR EACH: item in LIST:\`, and in it \`IF: … → INCREMENT: n\`
    groupby: no function goes through a list: \`FOR EACH: item in LIST:\`, and in it \`IF: … → INCREMENT: n\`
    find: no function goes through a list: \`FOR EACH: item in LIST:\`, and in it \`IF: … → INCREMENT: n\`
    basename: only commands take paths apart: \`DO: x = basename -- {path}\`
    dirname: only commands take paths apart: \`DO: x = basename -- {path}\`
    enumerate: write \`FOR EACH: i in range(len(LIST)):\` for the numbers, and \`LIST[i]\` for the elements
    reverse: write \`DO: x = printf "%s\\n" {LIST*} | tac\`, and go through \`lines(x)\`
    reversed: write \`DO: x = printf "%s\\n" {LIST*} | tac\`, and go through \`lines(x)\`
    pow: write \`n * n\`
    sleep: write the instruction \`WAIT: 5s\`
    print: write the instruction \`EMIT: "…"\`
    EMIT: the functions are \`abs\`, \`len\`
    read: only commands read files: \`DO: x = cat FILE\`
    merge: no function changes an object: write the whole of it, or add \`[{"key": …, "value": …}]\` to a list
    extend: no function changes an object: write the whole of it, or add \`[{"key": …, "value": …}]\` to a list
    raw: in shell text write \`raw({x})\`, with the braces inside
    IS_NULL: write \`x is null\`
    startsWith: write \`x starts with y\`
    to_string: write \`string(…)\` | {"replace":"to_string","by":"string","guess":true}
    JSON_LOADS: write \`parse_json(…)\` | {"replace":"JSON_LOADS","by":"parse_json","guess":true}
    unknown: the functions are \`abs\`, \`len\`
    lenn: did you mean \`len\`? | {"replace":"lenn","by":"len"}
    toString: write \`string(…)\` | {"replace":"toString","by":"string","guess":true}
    __proto__: the functions are \`abs\`, \`len\`
    constructor: the functions are \`abs\`, \`len\`"
  `);
});

test('constants', () => {
  const names = 'None none nil undefined NULL Null True TRUE False FALSE true null NIL toString'.split(' ');
  expect(names.map((name) => `${name}: ${constantMeant(name)}`).join('\n')).toMatchInlineSnapshot(`
    "None: null
    none: null
    nil: null
    undefined: null
    NULL: null
    Null: null
    True: true
    TRUE: true
    False: false
    FALSE: false
    true: undefined
    null: undefined
    NIL: undefined
    toString: undefined"
  `);
});

test('characters', () => {
  const characters = '“”„«»‘’‚≥≤≠–−×÷⇒➜➔➡➝➞⟹⟶↦⇾∧∨¬\u00a0\u2009\u200b\u200d\u2060\ufeff#^~§;`@?é中';
  const span = { file: 0, start: 0, end: 1 };
  const lines = [...characters].map((character) => {
    const { message, help, repair } = badCharacter(span, { character });
    return `${message} · ${help} | ${JSON.stringify(repair)}`;
  });
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "the character \`“\` has no meaning here · write \`"\` | {"instead":"\\"","anySpelling":true}
    the character \`”\` has no meaning here · write \`"\` | {"instead":"\\"","anySpelling":true}
    the character \`„\` has no meaning here · write \`"\` | {"instead":"\\"","anySpelling":true}
    the character \`«\` has no meaning here · write \`"\` | {"instead":"\\"","anySpelling":true}
    the character \`»\` has no meaning here · write \`"\` | {"instead":"\\"","anySpelling":true}
    the character \`‘\` has no meaning here · write \`'\` | {"instead":"'","anySpelling":true}
    the character \`’\` has no meaning here · write \`'\` | {"instead":"'","anySpelling":true}
    the character \`‚\` has no meaning here · write \`'\` | {"instead":"'","anySpelling":true}
    the character \`≥\` has no meaning here · write \`>=\` | {"instead":">=","anySpelling":true}
    the character \`≤\` has no meaning here · write \`<=\` | {"instead":"<=","anySpelling":true}
    the character \`≠\` has no meaning here · write \`!=\` | {"instead":"!=","anySpelling":true}
    the character \`–\` has no meaning here · write \`-\` | {"instead":"-","anySpelling":true}
    the character \`−\` has no meaning here · write \`-\` | {"instead":"-","anySpelling":true}
    the character \`×\` has no meaning here · write \`*\` | {"instead":"*","anySpelling":true}
    the character \`÷\` has no meaning here · write \`/\` | {"instead":"/","anySpelling":true}
    the character \`⇒\` has no meaning here · write \`→\` | {"instead":"→","anySpelling":true}
    the character \`➜\` has no meaning here · write \`→\` | {"instead":"→","anySpelling":true}
    the character \`➔\` has no meaning here · write \`→\` | {"instead":"→","anySpelling":true}
    the character \`➡\` has no meaning here · write \`→\` | {"instead":"→","anySpelling":true}
    the character \`➝\` has no meaning here · write \`→\` | {"instead":"→","anySpelling":true}
    the character \`➞\` has no meaning here · write \`→\` | {"instead":"→","anySpelling":true}
    the character \`⟹\` has no meaning here · write \`→\` | {"instead":"→","anySpelling":true}
    the character \`⟶\` has no meaning here · write \`→\` | {"instead":"→","anySpelling":true}
    the character \`↦\` has no meaning here · write \`→\` | {"instead":"→","anySpelling":true}
    the character \`⇾\` has no meaning here · write \`→\` | {"instead":"→","anySpelling":true}
    the character \`∧\` has no meaning here · write \`AND\` | {"instead":"AND","anySpelling":true}
    the character \`∨\` has no meaning here · write \`OR\` | {"instead":"OR","anySpelling":true}
    the character \`¬\` has no meaning here · write \`NOT \` | {"instead":"NOT ","anySpelling":true}
    the character U+00A0 looks like a space but is not one · write ordinary spaces | {"instead":" ","anySpelling":true}
    the character U+2009 looks like a space but is not one · write ordinary spaces | {"instead":" ","anySpelling":true}
    the character U+200B is invisible · remove it | {"instead":"","anySpelling":true}
    the character U+200D is invisible · remove it | {"instead":"","anySpelling":true}
    the character U+2060 is invisible · remove it | {"instead":"","anySpelling":true}
    the character U+FEFF looks like a space but is not one · write ordinary spaces | {"instead":" ","anySpelling":true}
    \`#\` is in the middle of an instruction · begin a comment with two spaces and \`# \` | {"instead":"  # ","anySpelling":true,"guess":true}
    the character \`^\` has no meaning here · remove it, or put the text in quotes | undefined
    the character \`~\` has no meaning here · remove it, or put the text in quotes | undefined
    the character \`§\` has no meaning here · remove it, or put the text in quotes | undefined
    the character \`;\` has no meaning here · remove it, or put the text in quotes | undefined
    the character \`\`\` has no meaning here · remove it, or put the text in quotes | undefined
    the character \`@\` has no meaning here · remove it, or put the text in quotes | undefined
    the character \`?\` has no meaning here · remove it, or put the text in quotes | undefined
    the character \`é\` has no meaning here · remove it, or put the text in quotes | undefined
    the character \`中\` has no meaning here · remove it, or put the text in quotes | undefined"
  `);
});

test('JSON that cannot be read', () => {
  const texts = [
    ...[
      '',
      ' ',
      '{',
      '[',
      '{"a"',
      '{"a":',
      '{"a" 1}',
      '{"a":}',
      '{"a":1,}',
      '{"a":1 "b":2}',
      '{1:2}',
      "{'a':1}",
      '{"a":1',
    ],
    ...[
      '[1,]',
      '[1 2]',
      '[,]',
      'tru',
      'nul',
      'True',
      '"a',
      '"a\nb"',
      '"\\x"',
      '"\\u12"',
      '"\t"',
      '1 2',
      '{} {}',
      '-',
      '01',
      '1.',
    ],
    ...['.5', '+1', '1e', '// a', '{"a":1,"a":2}', '{"__proto__":1}', `${'['.repeat(201)}1${']'.repeat(201)}`],
  ];
  const lines = texts.map((text) => {
    const { root, diagnostics } = readJsonTree(text, 0);
    const said = diagnostics.map(
      ({ span, message, help }) => `${span.start}-${span.end} ${message}${help === undefined ? '' : ` · ${help}`}`,
    );
    return `${JSON.stringify(text).slice(0, 30)}: ${[root === null ? '' : root.kind, ...said].filter(Boolean).join('; ')}`;
  });
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    """: 0-0 this is not JSON: the file is empty · a plan is strict JSON: double quotes, no comments, no trailing commas
    " ": 1-1 this is not JSON: the file is empty · a plan is strict JSON: double quotes, no comments, no trailing commas
    "{": 1-1 this is not JSON: the name of a member is missing · a plan is strict JSON: double quotes, no comments, no trailing commas
    "[": 1-1 this is not JSON: a value is missing · a plan is strict JSON: double quotes, no comments, no trailing commas
    "{\\"a\\"": 4-4 this is not JSON: a \`:\` is missing · a plan is strict JSON: double quotes, no comments, no trailing commas
    "{\\"a\\":": 5-5 this is not JSON: a value is missing · a plan is strict JSON: double quotes, no comments, no trailing commas
    "{\\"a\\" 1}": 5-6 this is not JSON: a \`:\` is missing · a plan is strict JSON: double quotes, no comments, no trailing commas
    "{\\"a\\":}": 5-6 this is not JSON: a value is missing · a plan is strict JSON: double quotes, no comments, no trailing commas
    "{\\"a\\":1,}": 7-8 this is not JSON: nothing follows this comma · a plan is strict JSON: double quotes, no comments, no trailing commas
    "{\\"a\\":1 \\"b\\":2}": 7-8 this is not JSON: a \`,\` or \`}\` is missing · a plan is strict JSON: double quotes, no comments, no trailing commas
    "{1:2}": 1-2 this is not JSON: the name of a member is missing · a plan is strict JSON: double quotes, no comments, no trailing commas
    "{'a':1}": 1-2 this is not JSON: the name of a member is missing · a plan is strict JSON: double quotes, no comments, no trailing commas
    "{\\"a\\":1": 6-6 this is not JSON: a \`,\` or \`}\` is missing · a plan is strict JSON: double quotes, no comments, no trailing commas
    "[1,]": 3-4 this is not JSON: nothing follows this comma · a plan is strict JSON: double quotes, no comments, no trailing commas
    "[1 2]": 3-4 this is not JSON: a \`,\` or \`]\` is missing · a plan is strict JSON: double quotes, no comments, no trailing commas
    "[,]": 1-2 this is not JSON: a value is missing · a plan is strict JSON: double quotes, no comments, no trailing commas
    "tru": 0-1 this is not JSON: a value is missing · a plan is strict JSON: double quotes, no comments, no trailing commas
    "nul": 0-1 this is not JSON: a value is missing · a plan is strict JSON: double quotes, no comments, no trailing commas
    "True": 0-1 this is not JSON: a value is missing · a plan is strict JSON: double quotes, no comments, no trailing commas
    "\\"a": 0-1 this is not JSON: this text has no closing quote · a plan is strict JSON: double quotes, no comments, no trailing commas
    "\\"a\\nb\\"": 0-1 this is not JSON: this text has no closing quote · a plan is strict JSON: double quotes, no comments, no trailing commas
    "\\"\\\\x\\"": 0-4 this is not JSON: this text has an escape or a control character that JSON does not allow · a plan is strict JSON: double quotes, no comments, no trailing commas
    "\\"\\\\u12\\"": 0-6 this is not JSON: this text has an escape or a control character that JSON does not allow · a plan is strict JSON: double quotes, no comments, no trailing commas
    "\\"\\t\\"": 0-3 this is not JSON: this text has an escape or a control character that JSON does not allow · a plan is strict JSON: double quotes, no comments, no trailing commas
    "1 2": 2-3 this is not JSON: nothing can follow the value · a plan is strict JSON: double quotes, no comments, no trailing commas
    "{} {}": 3-4 this is not JSON: nothing can follow the value · a plan is strict JSON: double quotes, no comments, no trailing commas
    "-": 0-1 this is not JSON: a value is missing · a plan is strict JSON: double quotes, no comments, no trailing commas
    "01": 1-2 this is not JSON: nothing can follow the value · a plan is strict JSON: double quotes, no comments, no trailing commas
    "1.": 1-2 this is not JSON: nothing can follow the value · a plan is strict JSON: double quotes, no comments, no trailing commas
    ".5": 0-1 this is not JSON: a value is missing · a plan is strict JSON: double quotes, no comments, no trailing commas
    "+1": 0-1 this is not JSON: a value is missing · a plan is strict JSON: double quotes, no comments, no trailing commas
    "1e": 1-2 this is not JSON: nothing can follow the value · a plan is strict JSON: double quotes, no comments, no trailing commas
    "// a": 0-1 this is not JSON: a value is missing · a plan is strict JSON: double quotes, no comments, no trailing commas
    "{\\"a\\":1,\\"a\\":2}": object; 7-10 the member \`a\` is given twice in one object · keep one of the two
    "{\\"__proto__\\":1}": object
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[: 200-201 values are nested deeper than 200 levels · use fewer levels"
  `);
});
