/** Loops, branches and jumps of other languages, with the condition, the cases and the states of the author in the line that is meant. */
import {
  around,
  COMMANDS,
  declares,
  type ForeignLine,
  keyBelow,
  mentions,
  part,
  unread,
  write,
} from './foreign-line.js';
import { quotedList } from './loop-lines.js';

/** Further lines are data. */
const MOST = 200;

/** The lines below a line that are deeper. */
function blockBelow(line: string, text: string): readonly string[] {
  const at = text.indexOf(line);
  if (at < 0) return [];
  const own = at - (text.lastIndexOf('\n', at) + 1);
  const below = text
    .slice(at + line.length)
    .split('\n', MOST)
    .slice(1);
  const end = below.findIndex((one) => one.trim() !== '' && depthOf(one) <= own);
  return below.slice(0, end < 0 ? undefined : end).filter((one) => one.trim() !== '');
}

const depthOf = (line: string): number => line.length - line.trimStart().length;

/** The heads above a line that contain it, the nearest first. */
function headsAbove(line: string, text: string): readonly string[] {
  const at = text.indexOf(line);
  if (at < 0) return [];
  const heads: string[] = [];
  let indentation = at - (text.lastIndexOf('\n', at) + 1);
  for (const one of text.slice(0, at).split('\n').slice(-MOST).reverse()) {
    const own = depthOf(one);
    if (one.trim() === '' || own >= indentation) continue;
    heads.push(one.trim());
    indentation = own;
  }
  return heads;
}

/** A command as a Makefile hides it. */
const COMMAND = new RegExp(`^@(?:${COMMANDS})$`);

const LOOP = /^(?:DO:\s*\w+\s*=\s*)?FOR EACH\b/;

/** The loop over a list in which a line is; undefined: it is in none. */
const loopOf = (line: string, text: string): string | undefined =>
  headsAbove(line, text).find((head) => LOOP.test(head));

const OPPOSITE: Readonly<Record<string, string>> = {
  '==': '!=',
  '!=': '==',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
};

/** The opposite of a condition, without parentheses where none are needed. */
function opposite(condition: string): string {
  const test = condition.trim();
  const [, left, operator = '', right] =
    /^([\w.?[\]()]+)\s*(==|!=|<=|>=|<|>)\s*("[^"]*"|[\w.[\]()-]+)$/.exec(test) ?? [];
  if (left !== undefined) return `${left} ${OPPOSITE[operator]} ${right}`;
  const [, negated] = /^(?:NOT|not|!)\s*([\w.?]+|\([^()]*\))$/.exec(test) ?? [];
  if (negated !== undefined) return negated.replace(/^\((.*)\)$/, '$1');
  const [, what, not, word] = /^([\w.?]+)\s+is\s+(not\s+)?(null|empty)$/.exec(test) ?? [];
  if (what !== undefined) return `${what} is ${not === undefined ? 'not ' : ''}${word}`;
  return /^[\w.?]+$/.test(test) ? `NOT ${test}` : `NOT (${test})`;
}

/** A name for a state that the text does not declare yet. */
const stateNamed = (name: string, text: string): string =>
  declares('STATE', name, text) ? stateNamed(`${name}_2`, text) : name;

/** A loop with a condition as a state; `isUntil`: it ends when the condition is true. */
function loopAsState(condition: string, isUntil: boolean, line: string, text: string): string {
  const [loop, after] = [stateNamed('LOOP', text), stateNamed('AFTER', text)];
  if (/^(?:true|1)$/i.test(condition))
    return `a loop is a state: write \`STATE: ${loop}\`, below it the lines of the loop and \`GOTO: ${loop}\``;
  const ends = isUntil ? condition : opposite(condition);
  const [, polled] =
    /^CHECK(?:\s*\[[^\]]*\])?:\s*(\w+)\s*=/.exec(
      blockBelow(line, text)
        .map((one) => one.trim())
        .find((one) => one.startsWith('CHECK')) ?? '',
    ) ?? [];
  if (polled !== undefined && new RegExp(`\\b${polled}\\b`).test(condition))
    return `write \`WAIT: ${ends} OR timeout=10m every=5s\`, and only the CHECK below it`;
  return `a loop is a state: write \`STATE: ${loop}\`, below it \`IF: ${ends} → GOTO: ${after}\`, the lines of the loop and \`GOTO: ${loop}\`, and put the rest into \`STATE: ${after}\`; its names are passed with \`with\``;
}

/** How the rest of a turn is left out if a condition is true. */
function restUnless(condition: string, actions: string): string {
  const before = actions.replace(/[,;\s]+$/, '');
  return before === ''
    ? `write \`IF: ${opposite(condition)} →\`, and the rest of the turn below it, indented deeper`
    : `write \`IF: ${condition} → ${before}\`, then \`ELSE →\`, and the rest of the turn below that, indented deeper`;
}

/** How a loop is left. */
function afterLoop(line: string, text: string): string {
  const loop = loopOf(line, text);
  if (loop !== undefined && /\bin PARALLEL\b/.test(loop))
    return 'turns in PARALLEL end together: `FOR EACH: … in PARALLEL [quorum=1]` stops the others after one success';
  const after = stateNamed('AFTER', text);
  return `write \`GOTO: ${after}\`, and put what follows the loop into \`STATE: ${after}\`; its names are passed with \`with\``;
}

const VALUE = String.raw`"[^"]*"|'[^']*'|[\w.-]+`;
const CASE = new RegExp(
  `^(?:-\\s*)?(?:CASE|WHEN|ON|IF|\\|)?\\s*:?\\s*((?:${VALUE})(?:\\s*(?:,|\\||\\bor\\b|\\bOR\\b)\\s*(?:${VALUE}))*)\\s*(?::|→|->|=>|\\)|\\bTHEN\\b:?)\\s*(.*?)\\s*(?:;;|;|,)?$`,
  'i',
);
const OTHERWISE =
  /^(?:-\s*)?(?:CASE\s*:?\s*)?(?:DEFAULT|ELSE|OTHERWISE|_|\*)\s*(?::|→|->|=>|\))*\s*(.*?)\s*(?:;;|;|,)?$/i;
const BARE_STATE = /^[A-Z][A-Z0-9_]*$/;

/** A value of a case as it is compared here. */
const caseValue = (text: string): string =>
  /^(?:"|-?\d+(?:\.\d+)?$|(?:true|false|null)$)/.test(text) ? text : `"${text.replace(/^'|'$/g, '')}"`;

/** The lines of a branch by value; undefined: its block has something else. */
function branches(subject: string, block: readonly string[], text: string): string | undefined {
  const heads: string[] = [];
  let isOpen = false;
  const own = Math.min(...block.map(depthOf));
  for (const one of block) {
    const line = one.trim();
    if (depthOf(one) > own) continue;
    const [whole, last] = OTHERWISE.exec(line) ?? [];
    const [, value, action = last ?? ''] = whole === undefined ? (CASE.exec(line) ?? []) : [];
    if (whole === undefined && value === undefined) return undefined;
    const test = (value ?? '')
      .split(/\s*(?:,|\||\bor\b)\s*/i)
      .map((one) => `${subject} == ${caseValue(one)}`)
      .join(' OR ');
    const does = BARE_STATE.test(action) && declares('STATE', action, text) ? `GOTO: ${action}` : action;
    const head = whole !== undefined ? 'ELSE' : `${heads.length === 0 ? 'IF' : 'ELSE IF'}: ${test}`;
    heads.push(`${head} → ${does}`.trimEnd());
    isOpen ||= does === '';
  }
  if (heads.length === 0 || !heads[0]?.startsWith('IF')) return undefined;
  return `write \`${heads.join('`, then `')}\`${isOpen ? ', each with its lines below it, indented deeper' : ''}`;
}

/** The dimensions of a matrix, each with its list; undefined: there are none. */
function dimensions(source: string): readonly (readonly [name: string, list: string])[] {
  return [
    ...source.matchAll(
      /(?:^|[\s,{])["']?([A-Za-z_][\w-]*)["']?\s*(?:=|:|\bin\b)\s*(\[[^\]]*\]|[a-z_]\w*(?=\s*(?:,|$)))/g,
    ),
  ].map(([, name = '', list = '']) => {
    const inner = list.slice(1, -1).trim();
    const isWords = list.startsWith('[') && !/["'{[]/.test(inner) && /[A-Za-z]/.test(inner);
    return [name.replaceAll('-', '_'), isWords ? quotedList(inner) : list.replaceAll("'", '"')] as const;
  });
}

/** Loops in each other, of which the innermost turns run at once. */
function matrix(source: string): string | undefined {
  const [, only] = /^([a-z_]\w*)\n?$/.exec(source) ?? [];
  if (only !== undefined)
    return `write \`FOR EACH: item in ${only} in PARALLEL:\`, and the lines below it, indented deeper`;
  const found = dimensions(source).filter(([name]) => !/^(?:matrix|strategy|include|exclude)$/i.test(name));
  if (found.length === 0) return undefined;
  const heads = found.map(
    ([name, list], at) => `\`FOR EACH: ${name} in ${list}${at === found.length - 1 ? ' in PARALLEL' : ''}:\``,
  );
  return `write ${heads.join(', below it, indented deeper, ')}, and the lines below that`;
}

/** Two states to which a value could lead. */
function statesOf(text: string): readonly string[] {
  const names = [...text.matchAll(/^STATE:\s*([A-Za-z_]\w*)/gm)].map(([, name = '']) => name);
  return names.filter((name) => name !== 'ERROR').slice(-2);
}

/** Also a parameter of a pattern, or a value that a state was entered with. */
const isValue = (name: string, text: string): boolean =>
  name !== '' && (mentions(name, text) || new RegExp(`\\bwith\\b[^\\n]*\\b${name}\\b`).test(text));

export const controlLines = (): readonly ForeignLine[] => [
  {
    line: /^(.*\b)GOTO:?\s*(?:\$?\{\{?\s*([A-Za-z_][\w.]*)\s*\}?\}|\$([A-Za-z_]\w*)|([a-z_]\w*(?:\.\w+)*))$/,
    codes: /goto-parameter|bad-name|unknown-state|unexpected-text/,
    when: (m, text) => {
      const value = m[2] ?? m[3] ?? part(m, 4);
      return isValue(/^\w+/.exec(value)?.[0] ?? '', text) && !/^PATTERN:/m.test(headsAbove(m[0], text).at(-1) ?? '');
    },
    message: () => 'the state after GOTO is known before the run',
    help: (m, _, text) => {
      const value = m[2] ?? m[3] ?? part(m, 4);
      const lines = statesOf(text).map((name) => `\`IF: ${value} == "${name}" → GOTO: ${name}\``);
      return `write one line for each state that it may be: ${lines.join(', ')}`;
    },
  },
  {
    line: /^(IF:?\s+)(.+?)\s*(?:→|->|=>|:)\s*((?:[A-Z]+\b.*?[,;]\s*)?)(?:CONTINUE|NEXT|SKIP)(?:\s+(?:LOOP|TURN|ITEM|ITERATION))?$/i,
    codes: unread,
    when: (m, text) => loopOf(m[0], text) !== undefined,
    message: () => 'a turn of a loop goes to its end',
    help: (m) => restUnless(part(m, 2), part(m, 3)),
  },
  {
    line: /^(?:CONTINUE|NEXT|SKIP)(?:\s+(?:LOOP|TURN|ITEM|ITERATION))?$/i,
    codes: /unknown-verb|not-an-instruction|missing-colon|not-a-command|command-not-found/,
    when: (m, text) => loopOf(m[0], text) !== undefined,
    message: () => 'a turn of a loop goes to its end',
    help: (m, _, text) => {
      const [head = ''] = headsAbove(m[0], text);
      const [, condition] = /^IF:?\s+(.+?)\s*(?:→|->|=>|:)$/.exec(head) ?? [];
      if (condition === undefined) return 'put the rest of the turn in the block of an `IF:`';
      const before = text.slice(0, text.indexOf(m[0])).trimEnd();
      return before.endsWith(head)
        ? restUnless(condition, '')
        : 'write `ELSE →` instead of it, as deep as the `IF:`, and the rest of the turn below that, indented deeper';
    },
  },
  {
    line: /^CONTINUE$/i,
    codes: unread,
    message: () => '`CONTINUE` is not an instruction',
    help: (m, _, text) => {
      const [, state = 'A'] = /^STATE:\s*(\w+)/.exec(headsAbove(m[0], text).at(-1) ?? '') ?? [];
      return `write \`PROCEED\` to go on with the next line, or \`GOTO: ${state}\` to begin the state again`;
    },
  },
  {
    line: /^(IF:?\s+)(.+?)\s*(?:→|->|=>)\s*CONTINUE$/i,
    codes: unread,
    message: () => '`CONTINUE` is not an instruction',
    help: (m, _, text) => {
      const [, state = 'A'] = /^STATE:\s*(\w+)/.exec(headsAbove(m[0], text).at(-1) ?? '') ?? [];
      return `write \`IF: ${part(m, 2)} → PROCEED\` to go on with the next line, or \`IF: ${part(m, 2)} → GOTO: ${state}\` to begin the state again`;
    },
  },
  {
    line: /^(IF:?\s+)(.+?)\s*(?:→|->|=>|:)\s*((?:[A-Z]+\b.*?[,;]\s*)?)BREAK(?:\s+LOOP)?$/i,
    codes: unread,
    when: (_, text) => /^STATE:/m.test(text),
    message: () => '`BREAK` is not an instruction: `GOTO` leaves a loop',
    help: (m, _, text) =>
      afterLoop(m[0], text).replace('`GOTO:', `\`IF: ${part(m, 2)} → ${part(m, 3).replace(/[,;\s]+$/, ', ')}GOTO:`),
  },
  {
    line: /^BREAK(?:\s+LOOP)?$/i,
    codes: /unknown-verb|not-an-instruction|missing-colon|not-a-command|command-not-found/,
    when: (_, text) => /^STATE:/m.test(text),
    message: () => '`BREAK` is not an instruction: `GOTO` leaves a loop',
    help: (m, _, text) => afterLoop(m[0], text),
  },
  {
    line: /^(?:REPEAT|DO|LOOP):?\s*$/i,
    codes: unread,
    until: /^(?:UNTIL|WHILE)\b/i,
    when: (m, text) => /^\s*(?:UNTIL|WHILE)\b/im.test(around(m[0], text)?.[1].split(/\n(?=\S)/)[0] ?? ''),
    message: () => 'a loop is a state',
    help: (m, _, text) => {
      const [, word = '', condition = ''] =
        /^\s*(UNTIL|WHILE)\b:?\s*(.+?)\s*:?$/im.exec(text.slice(text.indexOf(m[0]))) ?? [];
      const again = /^until/i.test(word) ? opposite(condition) : condition;
      const loop = stateNamed('LOOP', text);
      return `write \`STATE: ${loop}\`, below it the lines of the loop and \`IF: ${again} → GOTO: ${loop}\`; the names of this state are passed with \`with\``;
    },
  },
  {
    line: /^(?:(?:DO|LOOP|REPEAT)\s+)?(while|until)\b\s*:?\s*\(?(.*?[^\s:→>{(])\)?\s*(?:→|->|:|\{|\bdo\b)?$/i,
    codes: unread,
    block: true,
    // A loop of the shell keeps its own advice.
    when: (m, text) =>
      !/\bdone\b|;|\bread\s|\[\s|\$\(/.test(m[0]) && !headsAbove(m[0], text).some((head) => /^STEP\b/.test(head)),
    message: (m) => `\`${part(m, 1).toUpperCase()}\` is not an instruction`,
    help: (m, _, text) => loopAsState(part(m, 2), /until/i.test(part(m, 1)), m[0], text),
  },
  {
    line: /^(?!case\s.*\sin$)(?:SWITCH|CASE|MATCH|WHEN|CHOOSE|SELECT|BRANCH|ROUTE)\b\s*(?:ON\b|BY\b)?\s*:?\s*\(?\{?\$?([A-Za-z_][\w.?]*)\}?\)?\s*(?:→|->|:|\{|\bin\b)?$/i,
    codes: unread,
    block: true,
    help: (m, _, text) =>
      branches(part(m, 1), blockBelow(m[0], text), text) ??
      `write one \`IF: ${part(m, 1)} == … → …\` for each case, and \`DEFAULT: …\` after them`,
  },
  {
    line: /^(?:MATRIX|strategy|matrix|FOR EACH COMBINATION|COMBINATIONS?)\b\s*(?:OF\b)?\s*:?\s*(.*?)\s*:?$/i,
    codes: unread,
    block: true,
    message: () => 'a matrix is loops in each other',
    help: (m, _, text) =>
      matrix(
        `${part(m, 1)}\n${blockBelow(m[0], text)
          .filter((one) => !/^\s*[A-Z]{2,}\b/.test(one))
          .join('\n')}`,
      ) ?? 'write `FOR EACH: one in list in PARALLEL:`, and the lines below it, indented deeper',
  },
  {
    line: /^FOR(?: EACH)?:?\s+(\w+\s+in\s+(?:\[[^\]]*\]|\w+)(?:\s*(?:,|\bx\b|×|\band\b)\s*\w+\s+in\s+(?:\[[^\]]*\]|\w+))+)(\s+in PARALLEL\b.*?)?\s*:?$/,
    codes: /unexpected|unknown-verb|missing/,
    message: () => 'a loop goes through one list',
    help: (m) => {
      const heads = part(m, 1)
        .split(/\s*(?:,|\bx\b|×|\band\b)\s*(?=\w+\s+in\s)/)
        .map((head, at, all) => `\`FOR EACH: ${head}${at === all.length - 1 ? part(m, 2) : ''}:\``);
      return `write ${heads.join(', below it, indented deeper, ')}, and the lines below that`;
    },
    binds: (m) => [...part(m, 1).matchAll(/(\w+)\s+in\s/g)].map(([, name = '']) => name),
  },
  // Graphs
  {
    line: /^(?:\w+\.)?add_(?:edge|transition)\(\s*["']?(\w+)["']?\s*,\s*["']?(\w+)["']?.*\)$|^(?!ELSE\b|IF\b)([A-Za-z_]\w*)\s*(?:>>|-{1,2}>|→|=>)\s*([A-Za-z_]\w*)$/,
    codes: /not-an-instruction|unknown-verb/,
    message: () => 'a state says itself what comes after it',
    help: (m) => `write \`GOTO: ${m[2] ?? part(m, 4)}\` at the end of \`STATE: ${m[1] ?? part(m, 3)}\``,
  },
  {
    line: /^(?:\w+\.)?add_(?:node|state|task)\(\s*["']?(\w+)["']?.*\)$/,
    codes: /not-an-instruction|unknown-verb/,
    message: () => 'a state is a line and what is below it',
    help: (m) => `write \`STATE: ${part(m, 1)}\` at the margin, and its lines below it`,
  },
  {
    line: /^(?:\w+\.)?add_conditional_edges?\(.*\)$/,
    codes: /not-an-instruction|unknown-verb/,
    message: () => 'a state says itself what comes after it',
    help: (m) => {
      const found = [...m[0].matchAll(/["'](\w+)["']\s*:\s*["']?(\w+)["']?/g)];
      const lines = found.map(([, value, state]) => `\`IF: answer == "${value}" → GOTO: ${state}\``);
      return `write ${lines.length === 0 ? '`IF: answer == "…" → GOTO: …`' : lines.join(', then ')} at the end of that state`;
    },
  },
  {
    line: /^(?:@[A-Za-z][\w.]*(?:\(.*\))?|(?:global|nonlocal)\s+\w+|yield(?:\s+.*)?|(?:\w+\.)?(?:compile|build_graph|set_entry_point|set_finish_point)\(.*\))$/,
    codes: /not-an-instruction|unknown-verb/,
    when: (m) => !COMMAND.test(m[0]),
    message: () => 'a flow needs no such line',
    help: () => 'remove it: the first STATE is the start, and all names of TRACK are known in all states',
    by: () => null,
  },
  // Conditions in one line
  {
    line: /^(?:if\s*\(?)?\[{0,2}\s*([A-Za-z_][\w.]*)\s+-(gt|lt|ge|le|eq|ne)\s+([\w."]+)\s*\]{1,2}\s*(?:&&|;\s*then)\s*((?:GOTO|RETURN|FAIL|EMIT|DO|SET|USE|INCREMENT)\b.*)$/,
    codes: /not-an-instruction|unknown-verb|unexpected/,
    help: write,
    by: (m) => {
      const sign = { gt: '>', lt: '<', ge: '>=', le: '<=', eq: '==', ne: '!=' }[part(m, 2)];
      return `IF: ${part(m, 1)} ${sign} ${part(m, 3)} → ${part(m, 4)}`;
    },
  },
  {
    line: /^((?:not\s+|NOT\s+)?[A-Za-z_][\w.]*(?:\s*(?:==|!=|<=|>=|<|>|is|in|contains)\s*[^?&→]+?)?)\s*(?:\?|&&|\band\b|\bAND\b|\bTHEN\b|\bthen\b|→|->|=>|:)\s*((?:GOTO|RETURN|FAIL|EMIT|SET|USE|INCREMENT)\b.*)$/,
    codes: /not-an-instruction|unknown-verb/,
    when: (m, text) => isValue(/\w+$/.exec(part(m, 1).split(/\s*[=!<>]/)[0] ?? '')?.[0] ?? '', text),
    message: () => 'a condition follows IF',
    help: write,
    by: (m) => `IF: ${part(m, 1).replace(/^not\s/, 'NOT ')} → ${part(m, 2)}`,
  },
  {
    line: /^unless\s+(.+?)\s*(?::|→|->|then\b)\s*((?:GOTO|RETURN|FAIL|EMIT|DO|SET|USE|INCREMENT)\b.*)$/i,
    codes: /not-an-instruction|unknown-verb/,
    help: write,
    by: (m) => `IF: ${opposite(part(m, 1))} → ${part(m, 2)}`,
  },
  {
    line: /^(?:guard|requires?|assert|ensure|must|invariant|precondition|expect)\b(?!:)\s*\(?(.+?(?:==|!=|<=|>=|<|>|\bis\b|\bin\b|\bcontains\b).+?)\)?(?:\s*,\s*["'](.*)["'])?;?$/i,
    codes: /not-an-instruction|unknown-verb/,
    when: (m, text) => isValue(/^\(?(\w+)/.exec(part(m, 1))?.[1] ?? '', text) && !/\)\./.test(m[0]),
    message: () => 'what must hold is an IF that fails otherwise',
    help: write,
    by: (m) => `IF: ${opposite(part(m, 1))} → FAIL: "${m[2] ?? `not ${part(m, 1).replace(/"/g, '\\"')}`}"`,
  },
  {
    line: /^expect\(\s*([A-Za-z_][\w.]*)\s*\)\.to(?:Be|Equal|StrictEqual)\(\s*([^()]+?)\s*\);?$/,
    codes: /not-an-instruction|unknown-verb/,
    message: () => 'what must hold is an IF that fails otherwise',
    help: write,
    by: (m) => `IF: ${part(m, 1)} != ${part(m, 2)} → FAIL: "not ${part(m, 1)} == ${part(m, 2).replace(/"/g, '\\"')}"`,
  },
  {
    line: /^(?:sys|process|os)\.(?:_?exit)\(\s*(\d*)\s*\);?$/,
    codes: /not-an-instruction|unknown-verb/,
    help: write,
    by: (m) => (/^0?$/.test(part(m, 1)) ? 'RETURN' : 'FAIL: why'),
  },
  {
    line: /^(?:await\s+)?(?:asyncio\.gather|Promise\.(?:all|allSettled|any|race)|Parallel|parallel|gather)\s*\(.*$/,
    codes: /not-an-instruction|unknown-verb/,
    message: () => 'what runs at the same time is in one PARALLEL',
    help: () =>
      'write `DO: in PARALLEL:`, and below it, indented deeper, one member for each, as in `- left = ./left.sh`',
  },
  // Ansible and the like
  {
    line: /^-\s+name:\s*["']?(.*?)["']?$/,
    codes: /not-an-instruction|unknown-verb/,
    until:
      /^(?:command|shell|run|script|cmd|register|when|ignore_errors|args|env|with_items|loop|retries|delay|until|become|notify)\s*:/,
    when: (m, text) =>
      /^\s*\n\s*(?:command|shell|run|script|cmd|args|register)\s*:/.test(text.slice(text.indexOf(m[0]) + m[0].length)),
    message: () => 'a task is one line',
    help: (m, _, text) => {
      const of = (names: string) => keyBelow(m[0], text, names);
      const [bound, test] = [of('register'), of('when')];
      return `write \`${test === undefined ? '' : `IF: ${test} → `}DO: ${bound === undefined ? '' : `${bound} = `}${of('command|shell|run|script|cmd') ?? '…'}\``;
    },
  },
  {
    line: /^(?:with_items|with_list|loop|for_each|foreach|items)\s*:\s*["']?(?:\{\{\s*)?(\[.*\]|[A-Za-z_][\w.]*)(?:\s*\}\})?["']?$/,
    codes: /unknown-verb|not-an-instruction/,
    message: () => 'a loop stands above its lines',
    help: (m) => `write \`FOR EACH: item in ${part(m, 1)}:\`, and the lines below it, indented deeper`,
  },
  {
    line: /^register:\s*([A-Za-z_]\w*)$/,
    codes: /unknown-verb/,
    message: () => 'a result has its name before the command',
    help: (m) => `write \`DO: ${part(m, 1)} = …\` with the command above`,
  },
  {
    line: /^when:\s*(.+[^:→])$/,
    codes: /unknown-verb/,
    message: () => 'a condition stands before its instruction',
    help: (m) => `write \`IF: ${part(m, 1)} → …\` with the instruction that it is about`,
  },
];
