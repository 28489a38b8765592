/** The result of a verification as text, and as JSON for programs. */
import type { RunEvent } from '../../interpreter/events/event.js';
import { durationText } from '../../interpreter/outcome.js';
import { printJson } from '../../interpreter/values/json.js';
import type { Value } from '../../interpreter/values/value.js';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import { type Bound, OVERRUN } from './bound.js';
import { LATE_FAILURE } from './defects.js';
import type { End } from './ends.js';
import type { Trace, TraceStep } from './exploration.js';
import { ROUNDS } from './loops.js';
import type { JudgedProperty, JudgedRule } from './properties.js';
import { MOST_ELEMENTS, replaceMarks } from './unknown/knowledge.js';
import type { Found, Verification } from './verify-machine.js';
import type { Happening, RequestFacts } from './way.js';
import { type Rare, rareWords } from './way.js';

/** As the locale `en-US` writes it, which takes Node longer to load than some programs to be explored. */
const number = (value: number): string =>
  Number.isSafeInteger(value) ? String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ',') : value.toLocaleString('en-US');

/** How much was explored, in the first line of every report. */
export function firstLine({
  stoppedBy,
  isBounded,
  hasLists,
  shortened,
  options,
  configurations,
  leftOut,
}: Verification): string {
  const assumed = (options.assumptions ?? []).map(({ text }) => text).join(' and ');
  const without = `${options.withFailures ? '' : ', without failures of effects'}${assumed === '' ? '' : `, assuming ${assumed}`}`;
  const why = {
    configurations: `${number(stoppedBy === null ? options.maxConfigurations : configurations)} configurations`,
    seconds: `${number(options.seconds)} seconds`,
    timeout: `the timeout of ${durationText(options.timeoutMs ?? 0)}`,
    memory: '1 GiB of memory',
    'long-list': `a list longer than ${number(MOST_ELEMENTS)}`,
  };
  if (stoppedBy !== null) return `not completely: ${why[stoppedBy]}${without}`;
  const longer = shortened === null ? '' : `, because lists of ${shortened.from} do not fit into ${why[shortened.by]}`;
  const how = hasLists
    ? `up to lists of ${options.longest}${longer}`
    : isBounded
      ? 'for some values of options'
      : 'completely';
  const rare = leftOut.length === 0 ? '' : `, but for ${rareWords(leftOut)}`;
  return `explored ${how}${without}${rare}`;
}

/** Whether the result holds without what the first line says. */
export const isWhole = ({ stoppedBy, isBounded }: Verification): boolean => stoppedBy === null && !isBounded;

/** Traces are numbered in the order of the report. */
class Traces {
  readonly all: { readonly trace: Trace; readonly cycle: number }[] = [];

  name(trace: Trace, cycle = 0): string {
    return `t${this.all.push({ trace, cycle })}`;
  }
}

export interface TextOptions {
  /** Print every trace, the next steps, and what is about lines of the included patterns. */
  readonly allTraces: boolean;
  /** Print every bound, also where there are many. */
  readonly allBounds?: boolean;
  /** Print only what is wrong. */
  readonly quiet?: boolean;
}

/** Lines of the included patterns, which their users cannot change. */
const isIncluded = (file: string | null): boolean => file?.startsWith('std/') === true;

export function reportText(verification: Verification, options: TextOptions): string {
  const { defects, properties } = verification;
  if (options.allTraces) return wholeReport(verification);
  const own = defects.filter(({ file }) => !isIncluded(file));
  const others = defects.length - own.length;
  const hidden = others === 0 ? [] : [`  ${others} more in the lines of std/: --traces`];
  const shown = options.quiet ? properties.filter(({ verdict }) => verdict !== 'proved') : properties;
  const sections = [
    ...(options.quiet ? [] : [section('ends', endRows(verification.ends, null))]),
    section('defects', [...own.map((defect) => shortDefect(defect, mainFile(verification.machine))), ...hidden]),
    ...(options.quiet ? [] : [section('bounds', shortBounds(verification, options.allBounds === true))]),
    ...(options.quiet ? [] : [section('never', neverRows(verification))]),
    section(
      'properties',
      shown.flatMap((property) => propertyLines(property, null)),
    ),
  ];
  const isTraced =
    defects.some(({ trace }) => trace !== null) || properties.some(({ rules }) => rules.some(isUnexpected));
  const more = isTraced ? ['', '--traces prints the runs that show this, and the next steps'] : [];
  const head = options.quiet && verification.stoppedBy === null ? [] : headLines(verification);
  const lines = [...head, ...sections.flat()];
  if (lines.length === 0) return '';
  return [...(head.length === 0 ? lines.slice(1) : lines), ...more, ''].join('\n');
}

const isUnexpected = ({ verdict, trace }: JudgedRule): boolean => trace !== null && verdict !== 'proved';

function wholeReport(verification: Verification): string {
  const { ends, defects, bounds, properties } = verification;
  const traces = new Traces();
  const sections = [
    section('ends', endRows(ends, traces)),
    section(
      'defects',
      defects.flatMap((defect) => defectLines(defect, traces)),
    ),
    section('bounds', boundRows(bounds)),
    section('never', neverRows(verification)),
    section(
      'properties',
      properties.flatMap((property) => propertyLines(property, traces)),
    ),
    section('traces', traceSection(traces)),
  ];
  return [...headLines(verification), ...sections.flat(), ''].join('\n');
}

function headLines(verification: Verification): string[] {
  const { configurations, segments, unexplored, stoppedBy } = verification;
  const least = stoppedBy === null ? '' : '≥ ';
  const figures = `${least}${number(configurations)} configurations, ${least}${number(segments)} segments`;
  const ways =
    unexplored === 0
      ? ''
      : `what follows from ${number(unexplored)} ${unexplored === 1 ? 'configuration' : 'configurations'}, `;
  const left = `left out: ${ways}the bounds, and what never happens`;
  return [firstLine(verification), figures, ...(stoppedBy === null ? [] : [left])];
}

const neverRows = ({ never }: Verification): string[] => never.map((state) => `  ${state}`);

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines];
}

const endName = ({ status, state, error }: End): string => `${status}${error === null ? '' : ` ${error}`} in ${state}`;

/** Without traces, only that there is one. */
function endRows(ends: readonly End[], traces: Traces | null): string[] {
  if (traces !== null) return table(ends.map((end) => [endName(end), traces.name(end.trace), proofOf(end.trace)]));
  const byLimit = ends.filter(({ error, trace }) => error === 'limit' && trace.isConfirmed);
  if (byLimit.length < 2) return table(ends.map((end) => [endName(end), proofOf(end.trace)]));
  // A LIMIT may end a run in any state.
  const others = ends.filter((end) => !byLimit.includes(end));
  const states = byLimit.map(({ state }) => state).join(', ');
  return [...table(others.map((end) => [endName(end), proofOf(end.trace)])), `  failed limit in ${states}  confirmed`];
}

const proofOf = ({ isConfirmed }: Trace): string => (isConfirmed ? 'confirmed' : 'possible');

function reasonOf({ isConfirmed, isOtherAfter }: Trace): string {
  if (isConfirmed) return ' by a run';
  return isOtherAfter === true
    ? ': a run does it, and each round leaves other values'
    : ': no values were found that lead there';
}

/** One line, in which the code says what the beginning of the message says. */
function shortDefect({ kind, severity, file, line, message, trace }: Found, program: string): string {
  const where = file === program ? `line ${line}` : `${file}:${line}`;
  const proof = trace === null ? '' : ` (${proofOf(trace)}${trace.isOtherAfter === true ? reasonOf(trace) : ''})`;
  const words = message.startsWith(LATE_FAILURE) ? message.slice(LATE_FAILURE.length) : message;
  return `  ${severity}[${kind}] ${where}: ${cut(readable(words), LINE)}${proof}`;
}

/** What a defect may say on its line. */
const LINE = 110;

function defectLines({ kind, severity, file, line, message, help, trace, cycle }: Found, traces: Traces): string[] {
  const lines = [`  ${severity}[${kind}]: ${message}`, `    --> ${file}:${line}`];
  if (trace !== null) {
    lines.push(`    ${traces.name(trace, cycle)}, ${proofOf(trace)}${reasonOf(trace)}:`);
    lines.push(...traceLines(trace, cycle, ROUNDS).map((text) => `      ${text}`));
  }
  return [...lines, `    = help: ${help}`];
}

/** A property of the command line is its only rule. */
function propertyLines({ name, verdict, except, rules }: JudgedProperty, traces: Traces | null): string[] {
  const [only] = rules;
  const linesOf = (rule: JudgedRule, indent: string): string[] => ruleLines(rule, indent, traces);
  if (only !== undefined && only.text === name) return linesOf(only, '  ');
  return [`  ${name}: ${verdict}${butFor(except)}`, ...rules.flatMap((rule) => linesOf(rule, '    '))];
}

const butFor = (except: readonly Rare[] = []): string => (except.length === 0 ? '' : `, but for ${rareWords(except)}`);

function ruleLines(rule: JudgedRule, indent: string, traces: Traces | null): string[] {
  const { text, verdict, note, except, trace, cycle } = rule;
  const line = `${indent}${text}: ${verdict}${butFor(except)}${note === undefined ? '' : ` (${note})`}`;
  const proof = verdict === 'proved' ? ', by a run' : '';
  if (trace === null || traces === null) return [line + (trace === null ? '' : proof)];
  return [
    `${line}, ${traces.name(trace, cycle)}${proof}`,
    ...traceLines(trace, cycle, cycle > 0 ? ROUNDS : 0).map((one) => `${indent}    ${one}`),
  ];
}

/** More rows than this are not read by anybody who did not ask for them. */
const MOST_BOUNDS = 12;

/** Of many bounds, those of agents and people, and what has none. */
function shortBounds({ bounds, machine }: Verification, isWhole: boolean): string[] {
  const plain = bounds.map((bound) => (isIncluded(bound.because?.file ?? null) ? { ...bound, because: null } : bound));
  if (isWhole || bounds.length <= MOST_BOUNDS) return boundRows(plain);
  const first = plain.filter(
    (bound) => ['agent', 'ask', 'cost', 'time'].includes(bound.kind) || amountOf(bound) === 'unbounded',
  );
  const main = mainFile(machine);
  const shown = first.map((bound) => ({
    ...bound,
    because: bound.because === null ? null : shortBecause(bound.because, main),
  }));
  return [...boundRows(shown), `  ${bounds.length - first.length} more: --bounds`];
}

/** Where it is, and the beginning of what it says. */
function shortBecause(
  { text, file, line }: NonNullable<Bound['because']>,
  main: string,
): NonNullable<Bound['because']> {
  if (line === null) return { text, file, line };
  const where = file === main ? `line ${line}` : `${file}:${line}`;
  return { text: `${where} ${cut(text, 30)}`, file: null, line: null };
}

const mainFile = ({ files, name }: Machine): string => files[0] ?? name;

function boundRows(bounds: readonly Bound[]): string[] {
  const rows = bounds.map((bound) => [shorten(bound.what), amountOf(bound), becauseOf(bound)]);
  return rows.length === 0 ? [] : table([['call', 'at most', 'because'], ...rows]);
}

function amountOf({ kind, atMost, formula, isOnlyByLimit }: Bound): string {
  if (formula === null && atMost === null) return 'unbounded';
  const number = formula ?? textOf(kind, atMost ?? 0);
  const amount = kind === 'cost' && formula !== null && formula !== 'unknown' ? `≤ ${number}` : number;
  return isOnlyByLimit ? `${amount} (only by LIMIT)` : amount;
}

function textOf(kind: Bound['kind'], atMost: number): string {
  return kind === 'time' ? durationText(atMost * 1000) : number(atMost);
}

function becauseOf({ because }: Bound): string {
  if (because === null) return '';
  return because.line === null ? because.text : `${because.file}:${because.line} ${because.text}`;
}

function traceSection({ all }: Traces): string[] {
  return all.flatMap(({ trace, cycle }, index) => [
    `  t${index + 1}`,
    ...traceLines(trace, cycle, cycle > 0 ? ROUNDS : 0).map((line) => `    ${line}`),
  ]);
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd());
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 50 ? `${line.slice(0, 50)}…` : line;
}

/** Only the table of bounds. */
export function boundsText({ bounds }: Verification): string {
  return boundRows(bounds)
    .map((row) => `${row}\n`)
    .join('');
}

export function boundsJson({ machine, stoppedBy, isBounded, bounds }: Verification): Json {
  return {
    machine: machine.name,
    bounded_by: boundedBy(stoppedBy, isBounded),
    bounds: bounds.map(boundJson),
    ...costJson(bounds),
  };
}

/** What the calls of agents reserve, if that is a number. No number says what they cost at most. */
function costJson(bounds: readonly Bound[]): { cost?: Json } {
  const cost = bounds.find(({ kind }) => kind === 'cost');
  return cost === undefined ? {} : { cost: { reserved: cost.reserved ?? null, overrun: OVERRUN, max: null } };
}

const boundedBy = (stoppedBy: Verification['stoppedBy'], isBounded: boolean): string | null =>
  stoppedBy ?? (isBounded ? 'lists' : null);

function boundJson({ what, atMost, formula, isOnlyByLimit, because }: Bound): Json {
  return {
    what,
    at_most: atMost,
    formula,
    only_by_limit: isOnlyByLimit,
    because: because === null ? null : { ...because },
  };
}

/** The same as JSON. */
export function reportJson(verification: Verification): Json {
  const {
    machine,
    stoppedBy,
    isBounded,
    configurations,
    segments,
    unexplored,
    ends,
    defects,
    bounds,
    never,
    properties,
    leftOut,
  } = verification;
  const traceJson = (trace: Trace, cycle = 0): Json => ({
    confirmed: trace.isConfirmed,
    inputs: trace.inputs as Json,
    lines: traceLines(trace, cycle, cycle > 0 ? ROUNDS : 0),
  });
  return {
    machine: machine.name,
    complete: stoppedBy === null,
    bounded_by: boundedBy(stoppedBy, isBounded),
    left_out: [...leftOut],
    lists_up_to: verification.hasLists ? verification.options.longest : null,
    without_failures: !verification.options.withFailures,
    assumed: (verification.options.assumptions ?? []).map(({ text }) => text),
    configurations,
    segments,
    unexplored,
    ends: ends.map(({ status, state, error, trace }) => ({ status, state, error, trace: traceJson(trace) })),
    defects: defects.map(({ kind, severity, file, line, message, help, trace, cycle }) => ({
      ...{ code: kind, severity, file, line, message, help },
      verdict: trace === null ? 'never-reached' : proofOf(trace),
      trace: trace === null ? null : traceJson(trace, cycle),
    })),
    bounds: bounds.map(boundJson),
    ...costJson(bounds),
    never: [...never],
    properties: properties.map(({ name, verdict, except, rules }) => {
      const all = rules.map(({ text, verdict: own, note, except: ownExcept, trace, cycle }) => ({
        ...{
          rule: text,
          verdict: own,
          ...exceptJson(ownExcept),
          note: note ?? null,
          trace: trace === null ? null : traceJson(trace, cycle),
        },
      }));
      return {
        name,
        verdict,
        ...exceptJson(except),
        trace: all.find((one) => one.verdict === verdict)?.trace ?? null,
        rules: all,
      };
    }),
  };
}

const exceptJson = (except: readonly Rare[] | undefined): { except?: Json } =>
  except === undefined ? {} : { except: [...except] };

/** What a verification comes to: 0 nothing is wrong, 1 something confirmed is, 3 it is not decided. */
export function verdictOf({ stoppedBy, defects, properties }: Verification, isStrict: boolean): 0 | 1 | 3 {
  const wrong = defects.filter(({ severity }) => severity === 'error' || isStrict);
  const isOnlyPossible = defects.some((one) => one.isOnlyPossible);
  const verdicts = properties.map(({ verdict }) => verdict);
  if (wrong.some(({ trace }) => trace === null || trace.isConfirmed) || verdicts.includes('violated')) return 1;
  const isOpen = verdicts.some((verdict) => verdict !== 'proved' && verdict !== 'bounded');
  return wrong.length > 0 || isOnlyPossible || stoppedBy !== null || isOpen ? 3 : 0;
}

/** `cycle`: how many steps at the end of each round repeat. */
function traceLines({ steps, inputs }: Trace, cycle: number, rounds: number): string[] {
  const given = Object.entries(inputs).map(([name, value]) => `${name}=${short(printJson(value as Value))}`);
  const lines = given.length === 0 ? [] : [`with ${given.join(', ')}`];
  const repeats = cycle > 0 && rounds > 0 ? steps.length - cycle * rounds : steps.length;
  steps.slice(0, repeats + cycle).forEach((step, at) => {
    if (cycle > 0 && at === repeats) lines.push('again and again:');
    lines.push(...stepLines(step).map((line) => (cycle > 0 && at >= repeats ? `  ${line}` : line)));
  });
  return lines;
}

function stepLines({ request, label, happening, decisions, events }: TraceStep): string[] {
  const lines: string[] = [];
  if (request !== null && !isInstant(request, label)) {
    const where = request.line > 0 ? `line ${request.line} ` : '';
    lines.push(`  ${where}${short(nameOf(request))} → ${outcomeText(label, happening)}`);
  }
  for (const decision of decisions) lines.push(`    ${readable(decision)}`);
  for (const event of events) lines.push(...eventLines(event));
  return lines;
}

const isInstant = ({ kind }: RequestFacts, label: string): boolean =>
  kind === 'worktree' || ((kind === 'clock' || kind === 'uuid' || kind === 'random') && label === '');

function nameOf({ kind, text }: RequestFacts): string {
  switch (kind) {
    case 'ask':
      return `ASK ${text}`;
    case 'signal':
      return `signal ${text}`;
    case 'timer':
    case 'clock':
      return 'WAIT';
    default:
      return text;
  }
}

function outcomeText(label: string, happening: Happening | null): string {
  const value = valueText(happening);
  if (label === '') return value ?? 'ends';
  return value === null || label.includes(value) ? label : `${label}: ${value}`;
}

function valueText(happening: Happening | null): string | null {
  if (happening === null || happening.kind === 'limit') return null;
  if (happening.kind !== 'outcome') return short(JSON.stringify(happening.value));
  const { outcome } = happening;
  switch (outcome.kind) {
    case 'exited': {
      const exit = outcome.exit === 0 ? '' : `exit ${String(outcome.exit)}`;
      const text = outcome.stdout.text ?? '';
      const printed = text === '' ? '' : text.startsWith('"') ? short(text) : short(JSON.stringify(text));
      return [exit, printed].filter((part) => part !== '').join(' ') || null;
    }
    case 'value':
      return typeof outcome.value === 'number' && outcome.value > 1e12 ? null : short(JSON.stringify(outcome.value));
    default:
      return null;
  }
}

function eventLines(event: RunEvent): string[] {
  switch (event.type) {
    case 'state_entered':
      return [event.state];
    case 'emitted':
      return event.event === null || (event.by === 'engine' && event.event !== 'TOOL_FAILURE')
        ? []
        : [`  EMIT ${event.event}`];
    case 'gate_result':
      return [`  gate ${event.gate} ${event.pass ? 'passes' : 'does not pass'}`];
    case 'run_returned':
      return [`  returned ${short(JSON.stringify(event.value))}`];
    case 'run_failed':
      return [`  failed ${event.error.kind}: ${short(readable(event.error.message))}`];
    default:
      return [];
  }
}

/** At most so many characters. */
const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);

const readable = (text: string): string => replaceMarks(text, () => '…');

function short(text: string): string {
  const line = readable(text).replaceAll(/\s+/g, ' ');
  return line.length > 70 ? `${line.slice(0, 70)}…` : line;
}
