/** Lowers gates: finds the kind and the name of each, and writes the instruction that checks it. */
import type { ShellTemplate } from '../../../machine/expression.js';
import type { CheckLayout, GateKind, GateLayout } from '../../../machine/step.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { unreachable } from '../../../prelude/unreachable.js';
import { stepMessages as say } from '../../source/catalogue/steps.js';
import type { Span } from '../../source/diagnostic.js';
import type { StepNode } from '../../syntax/ast.js';
import type { Template } from '../../syntax/expression-nodes.js';
import type { GateEntry } from '../../syntax/step-nodes.js';
import { nearGate } from '../../syntax/steps/section-words.js';
import { constantOf } from '../lower/constant.js';
import { constantText, lowerTemplate } from '../lower/lower-expression.js';
import { holesIn, lowerShellText } from '../lower/shell-text.js';
import type { StateLowering } from '../lower/state-lowering.js';
import { locationOf, symbolKey } from '../program-index.js';
import { compileShellText } from '../shell/text.js';
import { lowerWorkflow } from './lower-workflow.js';
import type { NamedStep, StepTask } from './step-names.js';

interface PreparedGate {
  readonly layout: GateLayout;
  /** Null for the gate `files`, which follows from the files of a task. */
  readonly entry: GateEntry | null;
  readonly span: Span;
  readonly task?: StepTask;
}

/** A name is one part of a key, in which `.` and `/` are separators. */
const GATE_NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]*$/;

const NAMED: ReadonlySet<string> = new Set(['compile', 'test', 'lint', 'tests_found']);

/** The default time limit for the command of a gate, in milliseconds. */
const TIMEOUT_MS = 10 * 60_000;

/** The gates of a step with their names, which must be distinct. */
export function prepareGates(l: StateLowering, i: StepNode, step: NamedStep, task: StepTask | null): PreparedGate[] {
  const firsts = new Map<string, Span>();
  const prepared: PreparedGate[] = [];
  for (const entry of i.gates) {
    const name = nameOf(entry);
    const first = firsts.get(name);
    const span = entry.label?.span ?? entry.span;
    if (first !== undefined)
      l.diagnostics.push(
        say.gateName(span, {
          name,
          first: { span: first, text: 'the first gate of that name' },
          isLabel: entry.label !== undefined,
        }),
      );
    if ((!GATE_NAME.test(name) && name !== '') || name === '__proto__')
      l.diagnostics.push(say.gateLabel(span, { name }));
    firsts.set(name, first ?? span);
    step.gates.add(name);
    if (entry.label !== undefined || entry.kind === 'command')
      l.mention((entry.label ?? entry.word).span, 'declare', symbolKey('gate', locationOf(step.span), name));
    prepared.push({ layout: { name, kind: kindOf(entry) }, entry, span: entry.span });
  }
  if (
    task !== null &&
    (step.type === 'code' || step.type === 'none') &&
    i.run.kind !== 'none' &&
    !firsts.has('files')
  ) {
    step.gates.add('files');
    prepared.push({ layout: { name: 'files', kind: 'files' }, entry: null, span: i.verb.span, task });
  }
  return prepared;
}

function kindOf(entry: GateEntry): GateKind {
  if (entry.kind !== 'command') return entry.kind;
  return NAMED.has(entry.word.text) ? (entry.word.text as GateKind) : 'command';
}

/** The label, or else the kind of the gate. A validator is named after the last word of its own name. */
function nameOf(entry: GateEntry): string {
  if (entry.label !== undefined) return entry.label.text;
  if (entry.kind === 'command') return entry.word.text;
  if (entry.kind !== 'validate') return entry.kind;
  const last = entry.call.name.text.split('/').at(-1) ?? '';
  return last.slice(last.lastIndexOf('-') + 1);
}

/** Writes the code that checks the gates, in order. */
export function emitGates(l: StateLowering, gates: readonly PreparedGate[]): void {
  for (const gate of gates) {
    const { entry, layout, span, task } = gate;
    if (entry === null) {
      check(l, layout, { kind: 'files', ...omitUndefined({ slot: task?.slot }) }, span);
    } else emitGate(l, layout, entry);
  }
}

function check(l: StateLowering, gate: GateLayout, layout: CheckLayout, span: Span): void {
  l.emitter.add({ op: 'gate-check', gate, check: layout }, span);
}

function emitGate(l: StateLowering, gate: GateLayout, entry: GateEntry): void {
  const { span } = entry;
  switch (entry.kind) {
    case 'command':
      return commandGate(l, gate, entry.word.text, entry.word.span);
    case 'coverage': {
      const least = constantOf(entry.least);
      if (typeof least !== 'number' || least < 0 || least > 100) {
        l.diagnostics.push(say.gateNumber(entry.least.span, {}));
        return;
      }
      return commandGate(l, gate, 'coverage', entry.word.span, least);
    }
    case 'schema':
      if (entry.path === undefined) return shapeGate(l, gate, span);
      checkSchema(l, entry.path);
      l.emitter.add({ op: 'gate-schema', gate, path: lowerTemplate(entry.path, l) }, span);
      return;
    case 'touched':
    case 'untouched':
      needsGit(l, entry.kind, span);
      return check(l, gate, { kind: entry.kind, globs: entry.globs.map((glob) => lowerTemplate(glob, l)) }, span);
    case 'bash': {
      const { template } = lowerShellText(l, entry.shell);
      return shellGate(l, gate, template, {
        text: entry.shell.text,
        timeoutMs: l.settings.lookups.gateTimeoutMs ?? TIMEOUT_MS,
        span,
      });
    }
    case 'expr': {
      const { condition } = entry;
      const text = l.shared.sources[condition.span.file]?.text.slice(condition.span.start, condition.span.end) ?? '';
      return check(l, gate, { kind: 'expr', condition: l.expression(condition), text }, span);
    }
    case 'validate':
      lowerWorkflow(l, entry.call, { at: 'gate', slot: null, gate: gate.name });
      l.emitter.add({ op: 'gate-verdict', gate }, span);
      return;
    default:
      return unreachable(entry);
  }
}

/** Refuses a schema that no run may read, before an agent is paid for an answer. The step itself may make the file. */
function checkSchema(l: StateLowering, path: Template): void {
  const name = constantText(path);
  const why = name === null ? null : (l.settings.lookups.fileRefused?.(name) ?? null);
  if (name !== null && why !== null)
    l.diagnostics.push(say.refusedFile(path.span, { path: name, why, isSchema: true }));
}

/** Without a repository, the changes of a step are unknown. */
export function needsGit(l: StateLowering, gate: string, span: Span): void {
  if (l.settings.lookups.worktree === false) l.diagnostics.push(say.gateGit(span, { gate }));
}

function shapeGate(l: StateLowering, gate: GateLayout, span: Span): void {
  const type = l.steps.context.own?.type ?? 'none';
  if (type !== 'split' && type !== 'validate') l.diagnostics.push(say.gateSchema(span, { type }));
  check(l, gate, { kind: 'shape' }, span);
}

/** A named gate: the project defines its command. */
function commandGate(l: StateLowering, gate: GateLayout, name: string, span: Span, least?: number): void {
  const found = l.settings.lookups.gate?.(name) ?? null;
  if (found === null || 'refused' in found) {
    // In a project without a linter, `lint` passes.
    if (name === 'lint' && found === null)
      return check(l, gate, { kind: 'skipped', why: 'the project has no linter' }, span);
    if (l.settings.lookups.gate !== undefined)
      l.diagnostics.push(say.gateCommand(span, { name, near: nearGate(name), refused: found?.refused }));
    return check(l, gate, { kind: 'unknown', why: `the gate \`${name}\` has no command` }, span);
  }
  shellGate(l, gate, plainShell(found.command), {
    text: found.command,
    timeoutMs: found.timeoutMs,
    idleMs: found.idleMs,
    span,
    least,
  });
}

/** The text of the configuration, which contains no values of the program. */
const plainShell = (source: string): ShellTemplate =>
  compileShellText(source, {
    shell: 'bash',
    strict: false,
    interpolation: () => null,
    isValue: () => false,
    wrapsPipes: true,
  }).template;

interface ShellGate {
  readonly text: string;
  readonly timeoutMs: number;
  readonly idleMs?: number | undefined;
  readonly span: Span;
  readonly least?: number | undefined;
}

function shellGate(
  l: StateLowering,
  gate: GateLayout,
  template: ShellTemplate,
  { text, timeoutMs, idleMs, span, least }: ShellGate,
): void {
  const line = text.split('\n', 1)[0] ?? '';
  const limit = least === undefined ? {} : { least };
  l.emitter.add(
    {
      op: 'gate-command',
      gate,
      template,
      shell: 'default',
      strict: 'script',
      timeoutMs,
      ...(idleMs === undefined ? {} : { idleMs }),
      text: line,
      ...holesIn(line, template.parts),
      ...limit,
    },
    span,
  );
}
