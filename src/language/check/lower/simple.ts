/** Lowers instructions that become one instruction of code: EMIT, GOTO, RETURN, TRACK, INCREMENT, SET, ASK. */
import type { Expr, Template } from '../../../machine/expression.js';
import { unreachable } from '../../../prelude/unreachable.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { Diagnostic, Span } from '../../source/diagnostic.js';
import type { Argument, Instruction, Option } from '../../syntax/ast.js';
import type { Expression, Template as TextTemplate } from '../../syntax/expression-nodes.js';
import { ERROR_NAMES } from '../collect.js';
import { freeNames } from '../free-names.js';
import { symbolKey } from '../program-index.js';
import type { Constant } from '../scope.js';
import { suggestName } from '../suggest-name.js';
import { lowerArguments } from './constant.js';
import { constantOr, constantText, lowerExpression, lowerTemplate, noteSides, noteValue } from './lower-expression.js';
import { checkOptions, dividedChoice, durationTemplate, type OptionTable } from './options.js';
import type { OpenBranch, StateLowering } from './state-lowering.js';

/** Those that `lower-state.ts` leaves over. */
type Simple = Exclude<
  Instruction,
  {
    kind:
      | 'do'
      | 'check'
      | 'parallel'
      | 'for-each'
      | 'if'
      | 'default'
      | 'use'
      | 'call'
      | 'wait'
      | 'on-error'
      | 'step'
      | 'undo';
  }
>;

/** Lowers one of them. Returns true if execution can continue after it. */
export function lowerSimple(l: StateLowering, i: Simple): boolean {
  switch (i.kind) {
    case 'emit':
      lowerEmit(l, i);
      return true;
    case 'proceed':
    case 'broken':
      if (i.verb.text !== 'GOTO') return true;
      // Without a target it could lead anywhere, but not to the next instruction.
      l.jump(null, [], i.span);
      return false;
    case 'goto':
      lowerGoto(l, i);
      return false;
    case 'return':
      lowerReturn(l, i);
      return false;
    case 'fail':
      lowerFail(l, i);
      return false;
    case 'rollback':
      l.bindUnwritten('rollback', i.verb.span);
      l.emitter.add({ op: 'rollback', bind: l.scope.local('rollback'), ...l.markOfTurn() }, i.span);
      return true;
    case 'keep':
      l.emitter.add({ op: 'keep', ...l.markOfTurn() }, i.span);
      return true;
    case 'track':
      lowerTrack(l, i);
      return true;
    case 'increment':
      lowerIncrement(l, i);
      return true;
    case 'set':
      lowerSet(l, i);
      return true;
    case 'ask':
      lowerAsk(l, i);
      return true;
    default:
      return unreachable(i);
  }
}

function lowerEmit(l: StateLowering, i: Extract<Instruction, { kind: 'emit' }>): void {
  const names = new Set<string>();
  for (const { name } of i.fields) {
    if (names.has(name.text)) l.diagnostics.push(say.duplicateArgument(name.span, { name: name.text }));
    names.add(name.text);
  }
  // Next to words that name nothing, a word is a text, too.
  const words = i.fields.flatMap(({ value }) => plainWord(value) ?? []);
  if (words.every((word) => l.scope.has(word)))
    for (const { value } of i.fields) {
      const word = plainWord(value);
      if (word !== undefined) l.diagnostics.push(say.emittedWord(value.span, { word }));
    }
  const fields = i.fields.map((field) => ({
    name: field.name.text,
    value: lowerTemplate(field.value, l, field.optional ? 'optional' : 'text'),
    optional: field.optional,
  }));
  const message = i.message === undefined ? null : lowerTemplate(i.message, l, 'text');
  if (i.event !== undefined) l.mention(i.event.span, 'use', symbolKey('event', '', i.event.text));
  if (i.event?.text === 'STATE_ENTRY') {
    const field = i.fields.find((f) => f.name.text === 'state');
    const said = field && constantText(field.value);
    const actual = l.declaration.name.text;
    // The author of a script has not named a state.
    if (field && said && !l.shared.machine.script && !sameName(said, actual))
      l.diagnostics.push(
        say.eventContradicts(field.span, { field: 'state', value: said, actual, what: 'this is state' }),
      );
  }
  l.emitter.add({ op: 'emit', event: i.event?.text ?? null, fields, message }, i.span);
}

/** Normalizes names as people write them in events: case and the kind of dash do not matter. */
export function sameName(a: string, b: string): boolean {
  const normalize = (name: string) => name.toLowerCase().replace(/-/g, '_');
  return normalize(a) === normalize(b);
}

function lowerGoto(l: StateLowering, i: Extract<Instruction, { kind: 'goto' }>): void {
  if (l.branch !== null) l.diagnostics.push(say.inParallel(i.verb.span, { what: '`GOTO`' }));
  const args = lowerArguments(l, i.args);
  const passes = args.map((a) => a.name);
  const named = i.target.name;
  let target: string | null = i.target.kind === 'state' ? named.text : null;
  let given: Constant['given'];
  if (i.target.kind === 'state') l.mention(named.span, 'jump', stateKey(l, named.text));
  else l.scope.mentionParameter(named);
  if (i.target.kind === 'parameter') {
    const parameter = l.scope.parameter(named.text);
    if (parameter === undefined) {
      if (l.scope.misses(named.text, named.span)) return;
      const why = l.patterns.length > 0 ? 'does not name a parameter of this pattern' : 'is outside of a pattern';
      l.diagnostics.push(say.notAStateName(named.span, { name: named.text, why }));
      return;
    }
    if ('slot' in parameter) {
      const read: Expr = { op: 'read', name: named.text, places: [{ in: 'local', slot: parameter.slot }] };
      l.jump(null, passes, i.span);
      mentionPassed(l, i.args, null);
      l.emitter.add({ op: 'goto-dynamic', target: read, args }, i.span);
      return;
    }
    if (typeof parameter.constant !== 'string') {
      if (parameter.constant !== null)
        l.diagnostics.push(
          say.notAStateName(named.span, { name: named.text, why: 'gets a value that is not the name of a state' }),
        );
      return;
    }
    target = parameter.constant;
    given = parameter.given;
    for (const span of [given?.written, named.span])
      if (span !== undefined) l.mention(span, 'jump', stateKey(l, target));
  }
  mentionPassed(l, i.args, target);
  const state = l.shared.stateIndex(target as string);
  if (state === null) {
    // A pattern of another file was written for machines that declare ERROR.
    const own = i.span.file === l.declaration.span.file;
    if (target === 'ERROR' && i.args.length > 0 && own) l.diagnostics.push(writeFail(l, i));
    else if (target === 'ERROR')
      l.diagnostics.push(
        say.errorUndeclared(named.span, { machine: l.shared.machine.name, several: l.shared.unit.machines.length > 1 }),
      );
    else {
      const names = () => l.shared.machine.states.map((s) => s.name.text);
      const name = target as string;
      // The mistake is in the argument, which may be in another file.
      const parameter = given && { name: named.text, read: named.span, isDefault: given.isDefault };
      const where = given?.span ?? named.span;
      l.diagnostics.push(
        say.unknownState(where, {
          name,
          near: suggestName(l.diagnostics, name, names),
          parameter,
          other: stateElsewhere(l, name),
        }),
      );
      // Reporting the target as unreachable would repeat the same mistake.
      l.jump(null, passes, i.span);
      return;
    }
  }
  l.jump(target, passes, i.span);
  l.emitter.add({ op: 'goto', state: state ?? l.shared.builtinError(), args }, i.span);
}

function stateKey(l: StateLowering, name: string): string {
  return symbolKey('state', l.shared.machine.name, name);
}

/** Notes the values that go to a state; null if only the run knows which. */
function mentionPassed(l: StateLowering, args: readonly Argument[], state: string | null): void {
  if (l.shared.index) for (const { name } of args) l.mention(name.span, 'pass', l.scope.entryKey(state, name.text));
}

/** The state of that name in another machine of the program. */
function stateElsewhere(l: StateLowering, name: string): { machine: string; span: Span } | undefined {
  for (const machine of l.shared.unit.machines) {
    const found = machine.states.find((state) => state.name.text === name);
    if (found !== undefined) return { machine: machine.name, span: found.name.span };
  }
  return undefined;
}

function lowerReturn(l: StateLowering, i: Extract<Instruction, { kind: 'return' }>): void {
  if (l.branch !== null) l.diagnostics.push(say.inParallel(i.verb.span, { what: '`RETURN`' }));
  const failed = l.declaration.name.text === 'ERROR';
  l.emitter.add({ op: 'return', value: returnValue(l, i), failed }, i.span);
}

const DASHED_WORDS = /^[A-Za-z_]\w*(?:-[A-Za-z]\w*)+$/;

/** Whether the text of a RETURN is the value of an expression: words and paths whose names are not bound are text. */
function isReturnedValue(l: StateLowering, e: Expression, { raw }: TextTemplate): boolean {
  if (DASHED_WORDS.test(raw.trim())) return freeNames(e).every(({ name }) => l.scope.has(name));
  let root = e;
  while (root.kind === 'field' || root.kind === 'maybe') root = root.of;
  return root.kind !== 'name' || l.scope.has(root.name);
}

/** A name with an extension: a file, even if the name is that of a value. */
export const FILE_NAME = /^\w+\.(?:md|txt|log|json|ya?ml|csv|html?|xml|pdf|sh|py|[cm]?[jt]s|dsl|zip|gz|tgz|tar)$/i;

function returnValue(l: StateLowering, i: Extract<Instruction, { kind: 'return' }>): Expr | null {
  if (i.value?.kind === 'name' && l.scope.isNewWord(i.value.name)) {
    l.diagnostics.push(say.returnsTheWord(i.value.span, { word: i.value.name, state: l.declaration.name.text }));
    return { op: 'const', value: i.value.name };
  }
  if (i.value !== undefined) return lowerExpression(i.value, l);
  if (i.args !== undefined)
    return constantOr({
      op: 'object',
      entries: lowerArguments(l, i.args).map(({ name, value }) => [name, value] as const),
    });
  if (i.text === undefined) return null;
  if (i.expression !== undefined && isReturnedValue(l, i.expression, i.text)) {
    const word = i.text.raw.trim();
    if (i.expression.kind === 'name' || FILE_NAME.test(word))
      l.diagnostics.push(say.ambiguousWord(i.text.span, { word }));
    return lowerExpression(i.expression, l);
  }
  const template = lowerTemplate(i.text, l);
  return { op: 'template', template };
}

/** A word without quotes, which may be meant as the text or as the value of that name. */
function plainWord(text: TextTemplate): string | undefined {
  const word = text.quote === 'none' ? constantText(text)?.trim() : undefined;
  return word !== undefined && /^[A-Za-z_]\w*$/.test(word) ? word : undefined;
}

/** FAIL is a failure like any other, so it is allowed where GOTO and RETURN are not. */
function lowerFail(l: StateLowering, i: Extract<Instruction, { kind: 'fail' }>): void {
  const contract: ReadonlySet<string> = new Set(ERROR_NAMES);
  for (const { name } of i.args)
    if (contract.has(name.text)) l.diagnostics.push(say.failSays(name.span, { name: name.text }));
  const word = i.text === undefined ? undefined : plainWord(i.text);
  if (i.text !== undefined && word !== undefined && l.scope.has(word))
    l.diagnostics.push(say.ambiguousWord(i.text.span, { word }));
  const message = i.text === undefined ? [] : lowerTemplate(i.text, l);
  mentionPassed(l, i.args, 'ERROR');
  l.emitter.add({ op: 'fail', message, args: lowerArguments(l, i.args) }, i.span);
}

function lowerTrack(l: StateLowering, i: Extract<Instruction, { kind: 'track' }>): void {
  if (l.branch !== null) l.diagnostics.push(say.inParallel(i.verb.span, { what: '`TRACK`' }));
  l.scope.declare(i.name, 'tracked');
  const value: Expr = i.value === undefined ? { op: 'const', value: 0 } : lowerExpression(i.value, l);
  l.emitter.add({ op: 'track', slot: l.shared.trackedSlots.get(i.name.text) as number, value }, i.span);
}

function lowerIncrement(l: StateLowering, i: Extract<Instruction, { kind: 'increment' }>): void {
  if (l.branch !== null) l.diagnostics.push(say.inParallel(i.verb.span, { what: '`INCREMENT`' }));
  const to = l.scope.target(i.name, 'INCREMENT');
  const by: Expr = i.by === undefined ? { op: 'const', value: 1 } : lowerExpression(i.by, l);
  if (to === null) return;
  noteValue('INCREMENT', { op: 'read', name: i.name.text, places: [to] }, i.name.span, l.scope);
  if (i.by !== undefined) noteValue('INCREMENT by', by, i.by.span, l.scope);
  l.emitter.add({ op: 'increment', to, name: i.name.text, by }, i.span);
}

function lowerSet(l: StateLowering, i: Extract<Instruction, { kind: 'set' }>): void {
  const to = l.scope.target(i.name, 'SET');
  let value = lowerExpression(i.value, l);
  if (to === null) return;
  if (to.in === 'tracked' && l.branch !== null)
    l.diagnostics.push(say.inParallel(i.verb.span, { what: '`SET` of a tracked variable' }));
  else if (to.in === 'local' && l.branch !== null && !l.branch.binds.has(to.slot))
    l.diagnostics.push(say.lostInParallel(i.name.span, { name: i.name.text, collect: collectingForm(l, i, l.branch) }));
  if (i.operator === '+=') {
    const left: Expr = { op: 'read', name: i.name.text, places: [to] };
    noteSides('+', i.span, { expr: left, span: i.name.span }, { expr: value, span: i.value.span }, l.scope);
    value = { op: 'arithmetic', operator: '+', left, right: value };
  }
  l.emitter.add({ op: 'set', to, name: i.name.text, value }, i.span);
}

/** How a branch passes on what a SET in it would lose. */
function collectingForm(l: StateLowering, i: Extract<Instruction, { kind: 'set' }>, branch: OpenBranch): string {
  const added = i.operator === '+=' && i.value.kind === 'list' && i.value.items.length === 1 ? i.value.items[0] : null;
  const name = added?.kind === 'name' ? added.name : null;
  // After the join, only what the branch binds itself is a list.
  const isBound =
    name !== null && l.scope.slotRefs(name).some((ref) => ref.in === 'local' && branch.binds.has(ref.slot));
  const one = isBound ? name : 'one';
  const bind = isBound ? '' : `bind it in the branch, as in \`DO: ${one} = ${name ?? '…'}\`; `;
  if (!branch.isTurn) return `${bind}after the join \`${one}\` is there: \`SET: ${i.name.text} ${i.operator} …\``;
  const then = added === null ? 'use the list there' : `\`SET: ${i.name.text} += ${one}\``;
  return `${bind}after the join \`${one}\` is the list of all turns: ${then}`;
}

const ASK_OPTIONS: OptionTable = { choices: 'list', default: 'text', deadline: 'duration', show: 'list' };

function lowerAsk(l: StateLowering, i: Extract<Instruction, { kind: 'ask' }>): void {
  const options = checkOptions(l, i.options, ASK_OPTIONS, 'ASK');
  if (i.bind) l.scope.declare(i.bind, 'local');
  else l.bindUnwritten('answer', i.verb.span);
  const name = i.bind?.text ?? 'answer';
  const deadlineOption = options.get('deadline');
  const fallback = options.get('default');
  if (deadlineOption !== undefined && fallback === undefined)
    l.diagnostics.push(say.askDeadline(deadlineOption.span, {}));
  const choices = choicesOf(l, options.get('choices'));
  warnOfOneChoice(l, options.get('choices'), choices);
  if (fallback?.value !== undefined && choices.length > 0) {
    const text = constantText(fallback.value);
    const all = choices.map((c) => (c.every((p) => typeof p === 'string') ? c.join('') : null));
    if (text !== null && !all.includes(null) && !all.includes(text))
      l.diagnostics.push(say.inputChoice(fallback.span, { value: text, choices: all as string[] }));
  }
  const show = shownValues(l, options.get('show'));
  l.emitter.add(
    {
      op: 'ask',
      name,
      question: i.question === undefined ? [] : lowerTemplate(i.question, l),
      choices,
      value: fallback?.value === undefined ? null : lowerTemplate(fallback.value, l),
      deadline: deadlineOption?.value === undefined ? null : durationTemplate(l, deadlineOption.value),
      ...(show.length === 0 ? {} : { show }),
      bind: l.scope.local(name),
    },
    i.span,
  );
}

/** The values of `show=plan,result.url`, each once. */
function shownValues(l: StateLowering, option: Option | undefined): { name: string; value: Template }[] {
  if (option?.value === undefined) return [];
  const { parts, raw } = option.value;
  const names = raw.split(',');
  const shown = new Map<string, Template>();
  parts.forEach((part, at) => {
    if (part === ',') return;
    if (typeof part === 'string') {
      const why = part === '' ? 'lists names with commas between them' : `lists names, and \`${part}\` is not a name`;
      const help = 'write `show=plan,result.url`; what is computed gets a name in a DO or SET first';
      l.diagnostics.push(say.badOption(option.span, { name: 'show', why, help }));
      return;
    }
    const name = (names[at / 2] ?? '').replaceAll('?', '');
    if (!shown.has(name)) shown.set(name, lowerTemplate({ ...(option.value as TextTemplate), parts: [part] }, l));
  });
  return [...shown].map(([name, value]) => ({ name, value }));
}

function warnOfOneChoice(l: StateLowering, option: Option | undefined, [only, ...others]: readonly Template[]): void {
  if (option === undefined || only === undefined || others.length > 0 || !only.every((one) => typeof one === 'string'))
    return;
  const choice = only.join('');
  const choices = dividedChoice(choice);
  if (choices.length > 1) l.diagnostics.push(say.oneChoice(option.span, { choice, choices, of: 'ASK' }));
}

/** Splits `choices=a,b c,{x}` or `choices=["a", "b"]` at commas outside of interpolations. */
function choicesOf(l: StateLowering, option: Option | undefined): Template[] {
  if (option?.value === undefined) return [];
  const choices: TextTemplate['parts'][number][][] = [[]];
  for (const part of withoutBrackets(option.value.parts)) {
    if (typeof part !== 'string') {
      (choices.at(-1) as TextTemplate['parts'][number][]).push(part);
      continue;
    }
    part.split(',').forEach((piece, at) => {
      if (at > 0) choices.push([]);
      (choices.at(-1) as TextTemplate['parts'][number][]).push(piece);
    });
  }
  return choices
    .map((parts) => lowerTemplate({ ...(option.value as TextTemplate), parts: trimParts(parts) }, l))
    .filter((template) => template.length > 0);
}

/** The brackets of a list, as in JSON, are not a part of its first and last choice. */
function withoutBrackets(parts: TextTemplate['parts']): TextTemplate['parts'] {
  const first = parts[0];
  const last = parts.at(-1);
  if (typeof first !== 'string' || typeof last !== 'string' || !/^\s*\[/.test(first) || !/\]\s*$/.test(last))
    return parts;
  const opened = [first.replace(/^\s*\[/, ''), ...parts.slice(1)];
  return [...opened.slice(0, -1), (opened.at(-1) as string).replace(/\]\s*$/, '')];
}

/** Removes spaces and one pair of quotes around a choice. */
function trimParts(parts: readonly TextTemplate['parts'][number][]): TextTemplate['parts'] {
  return parts.map((part, at) => {
    if (typeof part !== 'string') return part;
    let text = part;
    if (at === 0) text = text.trimStart();
    if (at === parts.length - 1) text = text.trimEnd();
    if (parts.length === 1) text = text.replace(/^(["'])(.*)\1$/s, '$2');
    return text;
  });
}

type Goto = Extract<Instruction, { kind: 'goto' }>;

/** Arguments that usually contain the reason, the most likely first. */
const REASONS = ['error', 'message', 'reason', 'text', 'why'];

/** Suggests the FAIL that corresponds to a `GOTO: ERROR with …` in a program without a state ERROR. */
function writeFail(l: StateLowering, { verb, target, args, span }: Goto): Diagnostic {
  const source = l.shared.sources[span.file]?.text ?? '';
  const slice = ({ start, end }: Span): string => source.slice(start, end);
  const colon = /^[ \t]*:/.test(source.slice(verb.span.end)) ? ':' : '';
  const reason =
    REASONS.map((name) => args.find((arg) => arg.name.text === name)).find((arg) => arg !== undefined) ??
    args.find(({ value }) => value?.kind === 'expression' && value.expression.kind === 'text');
  // FAIL has a fixed kind, and the engine sets the rest of the error contract.
  const passed = args.filter((arg) => arg !== reason && !(ERROR_NAMES as readonly string[]).includes(arg.name.text));
  const list = passed.length === 0 ? '' : ` with ${passed.map((arg) => slice(arg.span)).join(', ')}`;
  const text = reason === undefined ? null : textOf(reason, slice);
  const written = `FAIL${colon} ${text ?? '…'}${list}`;
  const fix = text === null ? undefined : { span, text: written };
  return say.writeFail(target.name.span, { written, fix });
}

/** The value of an argument, written as the text of FAIL. */
function textOf({ name, value }: Argument, slice: (span: Span) => string): string | null {
  if (value === undefined) return `{${name.text}}`;
  if (value.kind === 'word') return value.word.text;
  const e = value.expression;
  if (e.kind === 'text') return e.template.raw;
  if (e.kind !== 'name' && e.kind !== 'field' && e.kind !== 'call') return null;
  const written = slice(e.span);
  return written.startsWith('{') ? written : `{${written}}`;
}
