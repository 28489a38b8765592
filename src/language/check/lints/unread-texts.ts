/**
 * Reports the bare text of a RETURN, a FAIL or an event that looks like an instruction, a command or a value: it is a text, and
 * nothing of it happens.
 */
import { textMessages as say } from '../../source/catalogue/texts.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { ShellText } from '../../syntax/ast.js';
import type { Name, Template } from '../../syntax/expression-nodes.js';
import { isFunction } from '../lower/lower-expression.js';
import { FILE_NAME } from '../lower/simple.js';

const LONGEST = 500;
const ACTIONS = 'GOTO|RETURN|FAIL|EMIT|DO|CHECK|SET|INCREMENT|USE|ASK user|WAIT|CALL|PROCEED';
/** An instruction that is all of a text. */
const INSTRUCTION = new RegExp(`^(?:(?:→|->)\\s*)?((?:${ACTIONS}):\\s.*)$`);
/** An instruction behind a text. */
const FOLLOWED = new RegExp(`^(.*?[^\\s,;&])(\\s*(?:[,;]|&&|→|->|\\bTHEN\\b|\\bthen\\b)\\s*(?:${ACTIONS}):\\s.*)$`);
const ARROW = /^(?:→|->)\s*(\S.*)$/;
const OPTIONS = /^\[\s*\w+=[^\]]*\]\s*:\s*(\S.*)$/;
const COMMAND = /^\$\(([^()]+)\)$|^`([^`]+)`$/;
const AGENT = /^Task\([\w.-]+\)\s*".*$/;
/** A name of the program as the whole condition. */
const ONLY_IF = /^(\S.*?)\s+(IF|UNLESS|WHEN):?\s+(NOT\s+|!\s*)?([A-Za-z_]\w*)$/i;
/** A field and its value. */
const FIELD = /(?:^|,\s*|\s+)([A-Za-z_]\w*)=("(?:[^"\\]|\\.)*"|\{[^{}]*\}|[^\s,"{}=]+)(?=,|\s|$)/y;
/** What other tools give to a failure besides its text. */
const OF_FAILURE = /^(?:(?:exit_?)?code|exit|status|error_?type|type|kind)\s*[=:]\s*["']?[\w-]+["']?\s*,?\s*/i;
const TEXT_OF_FAILURE = /^(?:message|msg|reason|error|why|text)\s*=\s*(\S.*)$/i;
const PATH = /^([A-Za-z_]\w*)(?:\.\w+|\[\d+\])+$/;
const CALLED = /^([a-z_]\w*)\(\s*([A-Za-z_]\w*)(?:\.\w+)*\s*(?:,[^()]*)?\)$/;
const COMPUTED = /^(?:[A-Za-z_]\w*|\d+)\s*[-+*/%]\s*(?:[A-Za-z_]\w*|\d+)$/;
const JOINED = /^"(?:[^"\\]|\\.)*"(?:\s*\+\s*(?:"(?:[^"\\]|\\.)*"|[A-Za-z_][\w.]*))+$/;
const PYTHON = /^f("(?:[^"\\]|\\.)*")$/;

/** A second command with its name behind a comma, or a second program. */
const SECOND = /^([^"'`|;&<>$(){}]*[^\s"'`|;&<>$(){},]),\s+([A-Za-z_]\w*\s=\s+[A-Za-z./]\S*.*)$/;
const SECOND_PROGRAM = /^(\.{0,2}\/[^\s"',]+)(?:,|\s+(?:and|AND|then|THEN))\s+(\.{0,2}\/[^\s"']+.*)$/;

/** `x = ./x.sh, y = ./y.sh`: to the shell, all of it is one command. */
export function lintSecondCommand(
  { text, lines, span }: ShellText,
  verb: 'DO' | 'CHECK',
  isBound: boolean,
  diagnostics: Diagnostic[],
): void {
  const only = lines[0];
  if (lines.length !== 1 || only === undefined || !/, |\s(?:and|then)\s/i.test(text) || text.length > LONGEST) return;
  const [, before, second] = (isBound ? SECOND.exec(text) : null) ?? SECOND_PROGRAM.exec(text) ?? [];
  if (before === undefined || second === undefined) return;
  const at = { file: span.file, start: only.source + before.length, end: only.source + text.length };
  diagnostics.push(say.nextAction(at, { part: text.slice(before.length).trim(), rest: `${verb}: ${second}` }));
}

/** What is expected of a command, as words behind it. */
const EXPECTED =
  /\s((?:(passes|succeeds|(?:must|should|has to)\s+(?:pass|succeed))|(?:(?:returns|exits|exited)(?:\s+with)?(?:\s+(?:code|status))?|→|->|==)\s+(\d{1,3})|(outputs|prints|equals|contains|includes|matches|==)\s+("[^"]*")))$/;
/** Programs to which such words can be arguments. */
const COMPARES = /^(?:test|\[|expr|awk|jq|grep|echo|printf|node|python3?|ruby|perl|bash|sh|git|gh)\s/;
const IGNORED = /\s((?:ignore[_-]errors|continue[_-]on[_-]error|allow[_-]failure)\s*[:=]\s*(?:yes|true))$/i;
const REGISTERED = /\s(register:\s*([A-Za-z_]\w*))$/;
const WAITED = /^wait\s+(\d+(?:\.\d+)?(?:ms|[smhd]))$/;

/** `CHECK: make test passes`, `DO: make register: out` and `DO: wait 5s`: to the shell, all words are arguments. */
export function lintArguments(
  { text, lines, span }: ShellText,
  verb: 'DO' | 'CHECK',
  bound: string | undefined,
  diagnostics: Diagnostic[],
): void {
  const only = lines[0];
  if (lines.length !== 1 || only === undefined || text.length > LONGEST) return;
  const at = (part: string) => ({
    file: span.file,
    start: only.source + text.length - part.length,
    end: only.source + text.length,
  });
  const [all = '', part = '', passes, code, how = '', wanted] =
    verb === 'CHECK' && !COMPARES.test(text) ? (EXPECTED.exec(text) ?? []) : [];
  if (part !== '') {
    const name = bound ?? 'result';
    const test =
      wanted === undefined
        ? `exit_code(${name}) == ${passes === undefined ? code : '0'}`
        : `${name} ${/^(?:contain|includ)/.test(how) ? 'contains' : how === 'matches' ? how : '=='} ${wanted}`;
    const command = text.slice(0, text.length - all.length);
    diagnostics.push(say.expectedWords(at(part), { part, line: `${verb}: ${name} = ${command}`, test }));
  }
  const [, ignored] = IGNORED.exec(text) ?? [];
  if (ignored !== undefined && verb === 'DO')
    diagnostics.push(say.wordedOption(at(ignored), { part: ignored, verb, option: 'ok=any' }));
  const [kept = '', registered, name] = REGISTERED.exec(text) ?? [];
  if (registered !== undefined && name !== undefined && bound === undefined)
    diagnostics.push(
      say.waited(at(registered), { line: `${verb}: ${name} = ${text.slice(0, text.length - kept.length)}` }),
    );
  const [waited, time] = WAITED.exec(text) ?? [];
  if (waited !== undefined) diagnostics.push(say.waited(at(waited), { line: `WAIT: ${time}` }));
}

/** The text of a RETURN or FAIL. */
export function lintEnd(
  text: Template | undefined,
  verb: 'RETURN' | 'FAIL',
  names: ReadonlySet<string>,
  diagnostics: Diagnostic[],
): void {
  if (text === undefined || text.quote !== 'none' || text.raw.length > LONGEST) return;
  const { raw, span } = text;
  const [, instruction] = INSTRUCTION.exec(raw) ?? [];
  const [, before = '', followed] = instruction === undefined ? (FOLLOWED.exec(raw) ?? []) : [];
  const [, bare] = ARROW.exec(raw) ?? OPTIONS.exec(raw) ?? [];
  if (instruction !== undefined)
    diagnostics.push(say.unreadInstruction(span, { part: raw, help: `write \`${instruction}\` alone` }));
  else if (followed !== undefined) {
    const part = followed.trim();
    const help = `the run ends here: write \`${verb}: ${before}\`, or quotes around the whole text`;
    diagnostics.push(say.unreadInstruction({ ...span, start: span.end - part.length }, { part, help }));
  } else if (bare !== undefined) {
    const part = raw.slice(0, raw.length - bare.length).trim();
    const at = { ...span, end: span.start + part.length };
    diagnostics.push(say.unreadInstruction(at, { part, help: `write \`${verb}: ${bare}\`` }));
  } else lintCommand(text, verb, diagnostics);
  const [, what = '', how, not = '', name = ''] = ONLY_IF.exec(raw) ?? [];
  if (how !== undefined && names.has(name)) {
    const test = /unless/i.test(how) || not !== '' ? `NOT ${name}` : name;
    const isProse = how === how.toLowerCase();
    diagnostics.push(say.onlyIf(span, { test, line: `${verb}: ${what}`, ...(isProse ? { isProse } : {}) }));
  }
  // A RETURN computes these.
  if (verb === 'FAIL') lintComputed(text, names, diagnostics);
  if (verb === 'FAIL') lintFailure(text, fieldsOf(raw, names) !== undefined, diagnostics);
}

/** `x=1 y=2` as the values of a `with`; undefined: the text has something else in it. */
export function fieldsOf(raw: string, names: ReadonlySet<string>): string | undefined {
  const fields: string[] = [];
  FIELD.lastIndex = 0;
  for (let at = 0; at < raw.length; at = FIELD.lastIndex) {
    const [, name, value = ''] = FIELD.exec(raw) ?? [];
    if (name === undefined) return undefined;
    const isValue = /^(?:["{]|-?\d+(?:\.\d+)?$|(?:true|false|null)$)/.test(value);
    fields.push(`${name}=${isValue ? value : names.has(value) ? `{${value}}` : `"${value}"`}`);
  }
  return fields.length === 0 ? undefined : fields.join(', ');
}

/** `FAIL: code=3 no space`: only a text can be given to it. */
function lintFailure({ raw, span }: Template, hasOnlyFields: boolean, diagnostics: Diagnostic[]): void {
  const rest = raw.replace(OF_FAILURE, '');
  const [, text = rest] = TEXT_OF_FAILURE.exec(rest) ?? [];
  if (text === raw && !hasOnlyFields) return;
  const isText = /^(?:"(?:[^"\\]|\\.)*"|[^"=]+)$/.test(text);
  diagnostics.push(say.failureFields(span, { text: isText ? text : 'why' }));
}

/** An event whose name is that of a value, and that has no fields. */
export function lintEvent(
  event: Name,
  hasFields: boolean,
  names: ReadonlySet<string>,
  diagnostics: Diagnostic[],
): void {
  const { text, span } = event;
  if (hasFields || !names.has(text) || text === text.toUpperCase()) return;
  diagnostics.push(say.eventOfValue(span, { name: text }));
}

function lintCommand({ raw, span }: Template, verb: string, diagnostics: Diagnostic[]): void {
  const [, dollar, ticks] = COMMAND.exec(raw) ?? [];
  const command = dollar ?? ticks ?? (AGENT.test(raw) ? raw : undefined);
  if (command === undefined) return;
  diagnostics.push(
    say.substitution(span, { text: raw, line: `DO: result = ${command.trim()}\`, then \`${verb}: {result}` }),
  );
}

/** The value of a field of an event. */
export function lintFieldValue(
  text: Template,
  name: string,
  names: ReadonlySet<string>,
  diagnostics: Diagnostic[],
): void {
  if (text.quote !== 'none' || text.raw.length > LONGEST) return;
  const [, command] = COMMAND.exec(text.raw) ?? [];
  if (command === undefined) lintComputed(text, names, diagnostics);
  else
    diagnostics.push(
      say.substitution(text.span, {
        text: text.raw,
        line: `DO: result = ${command.trim()}\`, then \`${name}={result}`,
      }),
    );
}

/** A value of the program as other languages write it in a text. */
function lintComputed({ raw, span }: Template, names: ReadonlySet<string>, diagnostics: Diagnostic[]): void {
  const [, root = ''] = PATH.exec(raw) ?? [];
  const [, called = '', of = ''] = CALLED.exec(raw) ?? [];
  const [, quoted] = PYTHON.exec(raw) ?? [];
  if (
    (names.has(root) && !FILE_NAME.test(raw)) ||
    (isFunction(called) && names.has(of)) ||
    (COMPUTED.test(raw) && boundIn(raw, names))
  )
    diagnostics.push(say.textOfValue(span, { instead: `{${raw}}` }));
  else if (quoted !== undefined) diagnostics.push(say.textOfValue(span, { instead: quoted }));
  else if (JOINED.test(raw)) {
    const parts = raw.match(/"(?:[^"\\]|\\.)*"|[A-Za-z_][\w.]*/g) ?? [];
    const inside = parts.map((one) => (one.startsWith('"') ? one.slice(1, -1) : `{${one}}`)).join('');
    diagnostics.push(say.textOfValue(span, { instead: `"${inside}"` }));
  }
}

/** Whether all names of an expression are values of the program, and there is one. */
function boundIn(raw: string, names: ReadonlySet<string>): boolean {
  const words = raw.match(/[A-Za-z_]\w*/g) ?? [];
  return words.length > 0 && words.every((word) => names.has(word));
}
