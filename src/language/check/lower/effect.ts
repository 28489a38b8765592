/**
 * Lowers DO and CHECK: decides the kind of effect (shell text, an expression, a function, an agent, an argument list),
 * reads its options, and binds the output.
 */
import type { Expr, Hole, Template } from '../../../machine/expression.js';
import type { Binding, Decoding, FunctionArgument, Strictness } from '../../../machine/machine.js';
import { parseExitCodes } from '../../../machine/option-values.js';
import type { Mutable } from '../../../prelude/mutable.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { unreachable } from '../../../prelude/unreachable.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { CheckNode, Instruction, Option, Performed, ShellText } from '../../syntax/ast.js';
import type { Expression } from '../../syntax/expression-nodes.js';
import { visitExpression } from '../free-names.js';
import { programInList, reportCommands } from '../lints/command-lints.js';
import { lintScript } from '../lints/script-lints.js';
import { newCommand } from '../shell/frames.js';
import { BUILTINS, programName } from '../shell/known-programs.js';
import type { ShellFinding } from '../shell/lexing.js';
import { checkPositions, shellChecks } from '../shell/positions.js';
import { toolOf } from '../shell/text.js';
import { type Command, HOLE, type LexedHole, NO_NAMES, type Word } from '../shell/tree.js';
import { checkWarnings } from '../shell/warnings.js';
import { lowerArguments } from './constant.js';
import { type Retries, retriesOf } from './limits.js';
import { constantText, isFunction, lowerTemplate } from './lower-expression.js';
import { checkOptions, durationTemplate, type OptionTable } from './options.js';
import { reportAgent, reportPrompt } from './report-agent.js';
import { holesIn, lowerEnvironment, lowerShellText, offsetMap } from './shell-text.js';
import type { StateLowering } from './state-lowering.js';

type Do = Extract<Instruction, { kind: 'do' }>;

const DO_OPTIONS: OptionTable = {
  ok: 'list',
  timeout: 'duration',
  idle: 'duration',
  retry: 'text',
  retry_on: 'list',
  once: 'flag',
  memo: 'may',
  cwd: 'text',
  'env.*': 'text',
  shell: 'text',
  strict: 'text',
};
const CHECK_OPTIONS: OptionTable = Object.fromEntries(Object.entries(DO_OPTIONS).filter(([key]) => key !== 'ok'));

const NO_COMMAND = { why: 'has no effect here: no command runs', help: 'remove it, or write a command after the name' };

export function lowerDo(l: StateLowering, i: Do): void {
  const expression = i.expression ?? listValue(i);
  if (i.bind !== undefined && expression !== undefined && readsAsValue(l, i, expression)) {
    for (const [name, { span }] of checkOptions(l, i.options, DO_OPTIONS, 'DO'))
      l.diagnostics.push(say.badOption(span, { name, ...NO_COMMAND }));
    // In a branch, SET cannot change what is tracked.
    if (l.branch === null) l.scope.declare(i.bind, 'local', '', expression, textOf(i) || undefined);
    else l.scope.declare(i.bind, 'local');
    l.missing.bind(i.bind.text);
    const value = l.expression(expression);
    l.explain(i.span, `expression, bound to \`${i.bind.text}\``, true);
    const word = textOf(i);
    const isWord = expression.kind === 'name' || (expression.kind === 'arithmetic' && DASHED_WORD.test(word));
    if (isWord && l.settings.lookups.onPath?.(word) === true)
      l.diagnostics.push(
        say.alsoACommand(expression.span, {
          name: word,
          bind: i.bind.text,
          ...(expression.kind === 'name' ? {} : { subtraction: word.replaceAll('-', ' - ') }),
        }),
      );
    // Parentheses say that the boolean is meant.
    if (
      expression.kind === 'constant' &&
      typeof expression.value === 'boolean' &&
      textOf(i) === String(expression.value)
    )
      l.diagnostics.push(say.valueNotCommand(expression.span, { word: textOf(i), bind: i.bind.text }));
    const program = i.performed.kind === 'argv' ? programInList(i.performed.list) : null;
    if (program !== null) l.diagnostics.push(say.listNotCommand(expression.span, { program, bind: i.bind.text }));
    l.emitter.add(
      { op: 'set', to: { in: 'local', slot: l.scope.local(i.bind.text) }, name: i.bind.text, value },
      i.span,
    );
    l.giveResult(l.scope.local(i.bind.text), i.span);
    return;
  }
  const options = optionsOf(l, i, DO_OPTIONS, 'DO');
  if (i.bind !== undefined) l.scope.declare(i.bind, 'local');
  const slot = i.bind === undefined ? (l.result ?? undefined) : l.scope.local(i.bind.text);
  const bind = slot === undefined ? undefined : l.binding(slot);
  if (i.bind !== undefined) l.missing.bind(i.bind.text);
  lowerPerformed(l, i, options, { reading: bind === undefined ? 'none' : 'do', bind });
  l.giveResult(slot, i.span);
}

function textOf({ performed }: Do): string {
  return performed.kind === 'shell' ? performed.shell.text.trim() : '';
}

export function lowerCheck(l: StateLowering, i: CheckNode): void {
  const options = optionsOf(l, i, CHECK_OPTIONS, 'CHECK');
  options.settings.ok = 'any';
  const name = i.bind?.text ?? l.shared.symbols.resultNames.get(i) ?? 'check_result';
  if (i.bind !== undefined) l.scope.declare(i.bind, 'local');
  else {
    l.explain(i.verb.span, `binds \`${name}\``, true);
    if (l.shared.trackedSlots.has(name)) l.scope.declare({ text: name, span: i.verb.span }, 'local');
    else l.bindUnwritten(name, i.verb.span);
  }
  const slot = l.scope.local(name);
  l.missing.bind(name);
  l.wholeResults.bind(name, i.verb.span, i.bind === undefined && !i.capture);
  l.facts.checks.push({ slot, name, span: i.bind?.span ?? i.verb.span });
  const decoding: Decoding = i.capture ? 'capture' : i.bind === undefined ? 'check' : 'check-named';
  lowerPerformed(l, i, options, { reading: decoding, bind: l.binding(slot) });
  l.giveResult(slot, i.span);
}

/** `latest-release`: names of programs have dashes, names of values have none. */
const DASHED_WORD = /^[\p{L}_][\p{L}\p{N}_.]*(?:-[\p{L}\p{N}_.]+)+$/u;

function readsAsValue(l: StateLowering, i: Do, expression: Expression): boolean {
  if (expression.kind === 'name' && l.isOnlyBoundBy(i.bind, expression.name)) return false;
  // A path: as an expression, a slash without spaces would be a division.
  if (i.performed.kind === 'shell' && /^\{program_dir\(\)\}\//.test(i.performed.shell.text)) return false;
  if (isValue(l, expression)) return true;
  return i.performed.kind === 'shell' && isMeantAsValue(l, expression, i.performed.shell);
}

/** A list after `x =` is a value if it can be read as one. Only a bare list is run as a command. */
function listValue(i: Do): Expression | undefined {
  return i.performed.kind === 'argv' && i.performed.list.kind === 'list' ? i.performed.list : undefined;
}

// ---- options ----------------------------------------------------------------------------------------

type Ok = readonly number[] | 'any' | MadeByValues;

interface EffectSettings extends Retries {
  readonly ok: Ok;
  readonly timeout?: Template;
  readonly idle?: Template;
  readonly once?: true;
  readonly memo?: readonly Template[];
  readonly cwd?: Template;
  readonly env?: ReturnType<typeof lowerEnvironment>;
}

interface LoweredOptions {
  readonly settings: Mutable<EffectSettings>;
  readonly inShell: ShellOptions;
}

interface ShellOptions {
  readonly shell: 'bash' | 'sh' | 'default';
  readonly isStrict: boolean;
}

/** Most effects have no options, and a program has many effects: each object that is copied for one costs time. */
function optionsOf(l: StateLowering, i: Do | CheckNode, table: OptionTable, of: string): LoweredOptions {
  if (i.options.length === 0 && l.limit === undefined) return { settings: { ok: [0] }, inShell: usualShell };
  const options = checkOptions(l, i.options, table, of);
  const timeout = (options.get('timeout') ?? l.limit)?.value;
  const idle = options.get('idle')?.value;
  const cwd = options.get('cwd')?.value;
  const env = lowerEnvironment(l, options);
  const settings = omitUndefined({
    ok: okCodes(l, options.get('ok')),
    timeout: timeout === undefined ? undefined : durationTemplate(l, timeout),
    idle: idle === undefined ? undefined : durationTemplate(l, idle),
    ...retriesOf(l, options, i.kind === 'do' && i.performed.kind === 'shell'),
    once: options.has('once') ? (true as const) : undefined,
    memo: memoOf(l, options.get('memo')),
    cwd: cwd === undefined ? undefined : lowerTemplate(cwd, l),
    env: env.length > 0 ? env : undefined,
  });
  const inShell = { shell: shellOf(l, options.get('shell')), isStrict: isStrict(l, options.get('strict')) };
  return { settings, inShell };
}

/** The patterns of the files that count, between commas. `memo=yes` is `memo`. */
export function memoOf(l: StateLowering, option: Option | undefined): readonly Template[] | undefined {
  if (option === undefined) return undefined;
  if (option.value === undefined) return [];
  const text = constantText(option.value);
  if (text !== null && /^(?:yes|true|on)$/.test(text.trim())) return [];
  if (text !== null && /^(?:no|false|off)$/.test(text.trim())) return undefined;
  if (text === null) return [lowerTemplate(option.value, l)];
  const globs = text.split(',').map((glob) => glob.trim());
  const other = globs.find((glob) => NO_FILE.test(glob));
  if (other !== undefined)
    l.diagnostics.push(
      say.badOption(option.span, {
        name: 'memo',
        why: `names files whose contents count, and \`${other}\` looks like something else`,
        help: /^\d/.test(other)
          ? 'write `memo`; `statedsl run --memo-max-age 1h` says how old an outcome may be'
          : 'write `memo`, or leave it out',
      }),
    );
  return globs.filter((glob) => glob !== '').map((glob) => [glob]);
}
/** Ages, numbers and words that say how much. */
const NO_FILE = /^(?:\d+(?:\.\d+)?(?:ms|s|m|min|h|d|w)?|always|never|ever|maybe|once|y|n)$/i;

const usualShell: ShellOptions = { shell: 'default', isStrict: true };

type MadeByValues = { readonly template: Template };

function okCodes(l: StateLowering, option: Option | undefined): Ok {
  if (option?.value === undefined) return [0];
  const text = constantText(option.value);
  if (text === null) return { template: lowerTemplate(option.value, l) };
  const codes = parseExitCodes(text);
  if (codes !== null) return codes;
  l.diagnostics.push(
    say.badOption(option.span, {
      name: 'ok',
      why: 'must be a list of exit codes from 0 to 255',
      help: 'write `ok=0,2`, or `ok=any` for every exit code',
    }),
  );
  return [0];
}

function shellOf(l: StateLowering, option: Option | undefined): 'bash' | 'sh' | 'default' {
  if (option?.value === undefined) return 'default';
  const text = constantText(option.value);
  if (text === 'bash' || text === 'sh') return text;
  l.diagnostics.push(
    say.badOption(option.span, { name: 'shell', why: 'must be `bash` or `sh`', help: 'write `shell=sh`' }),
  );
  return 'default';
}

/** `strict=off`: a script continues after a command that failed. */
function isStrict(l: StateLowering, option: Option | undefined): boolean {
  const text = option?.value === undefined ? 'on' : constantText(option.value);
  if (option !== undefined && text !== 'on' && text !== 'off')
    l.diagnostics.push(
      say.badOption(option.span, { name: 'strict', why: 'must be `on` or `off`', help: 'write `strict=off`' }),
    );
  return text !== 'off';
}

// ---- kinds of effects -------------------------------------------------------------------------------

function lowerPerformed(
  l: StateLowering,
  i: Do | CheckNode,
  { settings, inShell }: LoweredOptions,
  { reading, bind }: { readonly reading: Decoding; readonly bind: Binding | undefined },
): void {
  const what = i.performed;
  // A Machine is JSON, so members without a value are left out. Spread into a literal they would take three times as long.
  const common: Mutable<CommonEffect> = Object.assign(settings, { reading, text: '' });
  if (bind !== undefined) common.bind = bind;
  if (i.piped) common.piped = true;
  common.text = oneLine(l, i);
  switch (what.kind) {
    case 'shell':
      return shellEffect(l, i, what.shell, common, inShell);
    case 'argv':
      l.explain(i.span, 'argument list, no shell');
      l.emitter.add({ op: 'argv', list: argumentList(l, what.list), ...common }, i.span);
      return;
    case 'agent':
      return agentEffect(l, i, what, common);
    default:
      return unreachable(what);
  }
}

function argumentList(l: StateLowering, list: Expression): Expr {
  const lowered = l.expression(list);
  checkArgumentList(l, list, lowered);
  return lowered;
}

interface CommonEffect extends EffectSettings {
  readonly reading: Decoding;
  readonly bind?: Binding;
  readonly piped?: true;
  readonly text: string;
}

function shellEffect(
  l: StateLowering,
  i: Do | CheckNode,
  shell: ShellText,
  common: CommonEffect,
  { shell: dialect, isStrict }: ShellOptions,
): void {
  const at = offsetMap(shell);
  // The exit code of a CHECK is data, so `errexit` must not end it early.
  const strict: { strict?: Strictness } = isStrict ? { strict: i.kind === 'do' ? 'script' : 'pipes' } : {};
  const inShell = { shell: dialect, ...strict, env: common.env };
  const compiled = lowerShellText(l, shell, inShell);
  const [first] = compiled.commands;
  const bound = compiled.commands.find((c) => c.name !== null && l.settings.commands.has(c.name));
  if (bound !== undefined && compiled.simple && first?.name != null) {
    const args = compiled.functionWords().slice(1) as FunctionArgument[];
    l.explain(i.span, `function \`${first.name}\``);
    l.emitter.add({ op: 'function', name: first.name, args, ...common }, i.span);
    return;
  }
  if (bound !== undefined) {
    const span = { file: shell.span.file, start: at(bound.nameStart), end: at(bound.nameEnd) };
    l.diagnostics.push(say.functionInPipeline(span, { name: bound.name as string }));
  } else {
    reportCommands(l, shell, compiled, { at, common });
    lintScript(l, i, compiled, { at, file: shell.span.file, common: inShell });
  }
  l.explain(i.span, i.kind === 'check' ? 'shell, prints JSON' : 'shell');
  l.emitter.add(
    Object.assign(
      { op: 'shell' as const, template: compiled.template },
      holesIn(common.text, compiled.template.parts),
      { tool: toolOf(compiled.commands, shell.text, i.kind === 'check' ? 'first' : 'last') },
      common,
      { shell: dialect },
      strict,
    ),
    i.span,
  );
}

function agentEffect(
  l: StateLowering,
  i: Do | CheckNode,
  what: Extract<Performed, { kind: 'agent' }>,
  common: CommonEffect,
): void {
  // `Task()` is the agent that the configuration names for all.
  const agent = what.agent.text.trim() || (l.settings.lookups.usualAgent ?? '');
  if (agent === '') l.diagnostics.push(say.agentMissing(what.agent.span, {}));
  else reportAgent(l, { ...what.agent, text: agent });
  if (what.prompt === undefined && what.args.length === 0 && what.unread !== true)
    l.diagnostics.push(say.promptMissing(what.agent.span, { agent }));
  l.explain(i.span, `agent \`${agent}\``);
  const prompt = what.prompt === undefined ? null : lowerTemplate(what.prompt, l, 'prompt');
  if (what.prompt !== undefined) reportPrompt(l, agent, what.prompt);
  const args = lowerArguments(l, what.args);
  const output: { output?: ReturnType<typeof lowerTemplate> } = {};
  if (what.output !== undefined) output.output = lowerTemplate(what.output, l);
  l.emitter.add({ op: 'agent', agent, prompt, args, ...output, ...common }, i.span);
}

/** The instruction as one line for people: continuation lines are joined, long ones shortened. */
function oneLine(l: StateLowering, i: Do | CheckNode): string {
  const what = i.performed;
  let text: string;
  if (what.kind === 'shell') text = what.shell.text;
  else text = l.shared.sources[what.span.file]?.text.slice(what.span.start, what.span.end) ?? '';
  const first = text.includes('\n') ? firstOfLines(text) : text.trim();
  return first.length > 400 ? `${first.slice(0, 399)}…` : first;
}

function firstOfLines(text: string): string {
  // Comments above a script do not describe its commands.
  const line = text
    .slice(0, 2000)
    .replace(/^(?:[ \t]*(?:#[^\n]*)?\n)+/, '')
    .replace(/\\\r?\n\s*/g, ' ')
    .trim();
  const end = line.indexOf('\n');
  return end < 0 ? line : `${line.slice(0, end).trimEnd()} …`;
}

/** `list`: the words as written; `lowered`: the same as expressions of the machine. */
function checkArgumentList(l: StateLowering, list: Expression, lowered: Expr): void {
  if (list.kind !== 'list' || lowered.op !== 'list' || list.items.length !== lowered.items.length) return;
  const { file } = list.span;
  const text = l.shared.sources[file]?.text ?? '';
  const words = list.items.map((item, at) => wordOf(item, lowered.items[at] as Expr, text));
  const holes = words.flatMap((word) => word.holes);
  const name = programName(words[0]);
  // The name of the program may come from the program's own lists, and builtins are those of a shell.
  if (holes.length === 0 || name === null || BUILTINS.has(name)) return;
  const command: Command = { ...newCommand({ depth: 0, owner: null, cases: [] }), words };
  const findings: ShellFinding[] = [];
  const none = { pieces: [], pipes: [], arithmetic: [], indirect: [], variables: [], made: NO_NAMES };
  const lexed = { ...none, holes, commands: [command], functions: NO_NAMES, wrapped: false, compound: false };
  const checks = shellChecks(lexed, new Map(), { strict: l.settings.strict, argv: true, findings });
  checkPositions(checks);
  checkWarnings(checks);
  for (const { start, end, make } of findings) l.diagnostics.push(make({ file, start, end }));
}

function wordOf(item: Expression, lowered: Expr, source: string): Word {
  const { start, end } = item.span;
  const holes: LexedHole[] = [];
  const word: Word = { start, end, text: '', plain: 0, quoted: true, expands: false, holes, reads: [], parts: [] };
  const add = (from: number, to: number, hole: Hole): void => {
    holes.push({ ...PLAIN, start: from, end: to, hole, offset: word.text.length });
    word.text += HOLE;
  };
  if (lowered.op === 'const') word.text = typeof lowered.value === 'string' ? lowered.value : String(lowered.value);
  else if (item.kind !== 'text' || lowered.op !== 'template')
    add(start, end, { value: lowered, source: source.slice(start, end) });
  else
    lowered.template.forEach((part, at) => {
      const written = item.template.parts[at];
      if (typeof part === 'string') word.text += part;
      else if (typeof written === 'object') add(written.span.start, written.span.end, part);
    });
  return word;
}

const PLAIN: Pick<LexedHole, 'list' | 'raw' | 'context' | 'zone' | 'reported' | 'word'> = {
  reported: false,
  word: undefined,
  list: false,
  raw: false,
  context: 'word',
  zone: null,
};

/**
 * The right side is a value if every name in it is bound. If it begins with a text, list, object or call, it is always
 * a value, because no command begins so.
 */
function isValue(l: StateLowering, e: Expression): boolean {
  if (beginsAsValue(e)) return true;
  let known = true;
  visitExpression(e, (inner) => {
    if (inner.kind === 'name' && !l.scope.has(inner.name)) known = l.settings.anyNames && e.kind !== 'name';
    if (inner.kind === 'call' && !isFunction(inner.name.text)) known = false;
    if (inner.kind === 'broken') known = false;
  });
  return known;
}

function beginsAsValue(e: Expression): boolean {
  switch (e.kind) {
    case 'text':
    case 'list':
    case 'object':
    case 'broken':
      return true;
    case 'call':
      return e.name.text !== 'raw';
    case 'arithmetic':
      return beginsAsValue(e.left);
    default:
      return false;
  }
}

/**
 * Whether `total + 1` or `resutl.items[0]` was meant as a value although a name in it is not bound. Its first word must
 * not be a program, and it must contain something that no command line has: a word such as AND, an operator between
 * spaces next to a number or a bound name, or a path that begins like a bound name. Otherwise a missing program would
 * be reported as a missing name.
 */
function isMeantAsValue(l: StateLowering, e: Expression, shell: ShellText): boolean {
  const { lookups, commands } = l.settings;
  const { onPath } = lookups;
  const word = /^\S+/.exec(shell.text)?.[0] ?? '';
  if (onPath === undefined || BUILTINS.has(word) || commands.has(word) || word.includes('/') || onPath(word))
    return false;
  switch (e.kind) {
    case 'field':
    case 'index':
    case 'maybe':
      return beginsLikeVariable(l, e);
    case 'arithmetic':
    case 'compare':
      // A subtraction of names that have no value is the name of a program.
      if (DASHED_WORD.test(shell.text.trim())) return false;
      // `tool -1` and `tool <file` are an option and a redirect.
      return !/[\w)\]}"']\s+[-+*/%<>]+[^\s=]/.test(shell.text) && hasValue(l, e);
    case 'logical':
    case 'not':
    case 'test':
      return true;
    default:
      return false;
  }
}

function beginsLikeVariable(l: StateLowering, e: Expression): boolean {
  let root = e;
  while (root.kind === 'field' || root.kind === 'index' || root.kind === 'maybe') {
    if (root.kind === 'index') return true;
    root = root.of;
  }
  return root.kind === 'name' && !l.scope.isNewWord(root.name);
}

function hasValue(l: StateLowering, e: Expression): boolean {
  let found = false;
  visitExpression(e, (inner) => {
    if (inner.kind === 'number' || inner.kind === 'text' || inner.kind === 'list') found = true;
    if (inner.kind === 'constant') found = true;
    if (inner.kind === 'name' && !l.scope.isNewWord(inner.name)) found = true;
  });
  return found;
}
