/**
 * Resolves keys of steps in expressions and texts: `{converge.output}`, `{build/task-1/converge.gate.test}`,
 * `{gate.review.comments}`, `{prev.output}`, `{error}`. A variable of the program with such a name wins.
 */
import type { Expr, StepKey } from '../../../machine/expression.js';
import { nearest } from '../../../prelude/nearest.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { stepMessages as say } from '../../source/catalogue/steps.js';
import type { Span } from '../../source/diagnostic.js';
import type { StepNode } from '../../syntax/ast.js';
import type { Expression } from '../../syntax/expression-nodes.js';
import { STEP_FIELDS } from '../../syntax/expression-nodes.js';
import { locationOf, type NameRole, type SymbolKey, symbolKey } from '../program-index.js';
import type { MachineScope } from '../scope.js';
import {
  allPaths,
  byPath,
  findEverywhere,
  lookUp,
  type NamedStep,
  rootOf,
  type StepScope,
  type StepTask,
} from './step-names.js';

/** A step as a symbol of the index. */
export function stepKey({ span, name }: NamedStep): SymbolKey {
  return symbolKey('step', locationOf(span), name);
}

const FIELDS: ReadonlySet<string> = new Set(STEP_FIELDS);
const RETRY_NAMES: ReadonlySet<string> = new Set(['error', 'diff', 'attempt']);
const RUN_TOTALS: ReadonlySet<string> = new Set(['cost', 'duration', 'tokens_in', 'tokens_out', 'retries', 'status']);
/** The names of a task in the steps of a split, in both dialects. */
const TASKS: ReadonlySet<string> = new Set(['task', 'item']);
/** Fields that depend on changed files. */
const CHANGES: ReadonlySet<string> = new Set(['diff', 'files']);

/** Fields that are known only after all gates of an attempt, so gates cannot read them. */
const VERDICT: ReadonlySet<string> = new Set(['status', 'attempt', 'retries', 'duration', 'check_result']);

/** The position from which expressions about steps are resolved. */
interface StepContext {
  readonly scope: StepScope;
  /** The step that contains the template; null outside of steps. */
  readonly own: NamedStep | null;
  /** The expression belongs to its gates, so the results of this attempt exist. */
  readonly judging: boolean;
  readonly older: boolean;
  readonly task: StepTask | null;
}

/** The state of lowering that concerns steps. */
export interface StepLowering {
  context: StepContext;
  /** The scopes of all states of the machine. */
  readonly machine: readonly StepScope[];
  /** The step that determines the answer of the workflow that is being lowered. */
  readonly verdict: StepNode | null;
}

/** The interface through which resolving a key accesses the lowering of a state. */
interface KeyContext {
  readonly steps: StepLowering;
  readonly scope: { has(name: string): boolean };
  readonly shared: MachineScope;
  readonly diagnostics: MachineScope['diagnostics'];
  readonly settings: { readonly anyNames: boolean };
  /** Notes a key, with its words for `check --explain`. */
  explainKey(span: Span, text: string, symbol: SymbolKey): void;
  mention(span: Span, role: NameRole, ...symbols: SymbolKey[]): void;
}

/** The root and the fields of a path such as `a.b.c`; null for any other expression. */
function pathIn(e: Expression): { readonly root: string; readonly fields: readonly string[] } | null {
  if (e.kind === 'name') return { root: e.name, fields: [] };
  if (e.kind !== 'field') return null;
  const of = pathIn(e.of);
  return of === null ? null : { root: of.root, fields: [...of.fields, e.name.text] };
}

/** Whether keys can begin with a name because it is that of a step, or because a step has a last attempt. */
export function ofSteps({ context, machine }: StepLowering, name: string): 'step' | 'attempt' | null {
  if (lookUp(context.scope, name) !== null || machine.some(({ steps }) => steps.has(name))) return 'step';
  const isOwn = RETRY_NAMES.has(name) || name === 'gate' || name === 'prev';
  return context.own !== null && isOwn ? 'attempt' : null;
}

/** Lowers an expression that is a key of a step; null if it is not one. Reports mistakes in keys. */
export function stepExpression(l: KeyContext, e: Expression): Expr | null {
  const { context, machine } = l.steps;
  if (e.kind === 'step-key') return writtenKey(l, e);
  if (context.own === null && context.scope.steps.size === 0 && machine.length === 0 && context.scope.parent === null)
    return null;
  const path = pathIn(e);
  if (path === null || l.scope.has(path.root)) return null;
  const { root, fields } = path;
  if (fields.length === 0)
    return context.own !== null && RETRY_NAMES.has(root) ? { op: 'retry-key', field: root } : null;
  return keyExpression(l, root, fields, e.span);
}

function keyExpression(l: KeyContext, root: string, fields: readonly string[], span: Span): Expr | null {
  const { context } = l.steps;
  const field = fields.join('.');
  const text = `${root}.${field}`;
  if (context.own !== null && (root === 'gate' || root === 'prev')) return ownKey(l, context.own, root, fields, span);
  if (root === 'run' && context.older && RUN_TOTALS.has(field)) return { op: 'run-total', field };
  if (root === 'steps' && context.older) return olderKey(l, fields, text, span);
  const found = lookUp(context.scope, root);
  if (found !== null) return keyOf(l, found.step, { level: found.scope.level, path: root }, fields, text, span);
  const others = findEverywhere(rootOf(context.scope), root);
  if (others.length === 0) return otherState(l, root, fields, text, span);
  l.diagnostics.push(say.ambiguousStep(span, { key: text, paths: others.map((path) => `${path}.${field}`) }));
  return nothing;
}

const nothing: Expr = { op: 'const', value: '' };

/** A step of another state needs its whole path. For a short name, the message shows that path. */
function otherState(l: KeyContext, root: string, fields: readonly string[], text: string, span: Span): Expr | null {
  const elsewhere = l.steps.machine.filter((scope) => scope.steps.has(root)).map((scope) => scope.path + root);
  if (elsewhere.length === 0) return noStep(l, root, fields, text, span);
  l.diagnostics.push(
    say.ambiguousStep(span, { key: text, paths: elsewhere.map((path) => `${path}.${fields.join('.')}`) }),
  );
  return nothing;
}

/** No step has this name. A name with a field of steps was meant as a key, unless some state binds the name. */
function noStep(l: KeyContext, root: string, fields: readonly string[], text: string, span: Span): Expr | null {
  const [first = ''] = fields;
  const isKey = FIELDS.has(fields.join('.')) || first === 'gate' || TASKS.has(root);
  if (!isKey || l.settings.anyNames || l.shared.symbols.binders(root).length > 0) return null;
  const { own, judging, scope } = l.steps.context;
  const path = TASKS.has(root) ? undefined : nearest(root, allPaths(rootOf(scope)));
  // A step reads what it writes itself only in its gates.
  const isOwn = !judging && own !== null && path?.split('/').at(-1) === own.name;
  const near = path === undefined ? undefined : isOwn ? 'prev' : path;
  const key = near === undefined ? undefined : `${near}.${fields.join('.')}`;
  l.diagnostics.push(say.unknownStep(span, { key: text, near: key, isTask: TASKS.has(root) }));
  return nothing;
}

function ownKey(l: KeyContext, own: NamedStep, root: string, fields: readonly string[], span: Span): Expr {
  const field = [root, ...fields].join('.');
  const gateFields = root === 'gate' ? fields : fields[0] === 'gate' ? fields.slice(1) : null;
  if (gateFields !== null) checkGate(l, own, gateFields, span);
  else if (!FIELDS.has(fields.join('.'))) unknownField(l, field, fields.join('.'), span);
  return { op: 'retry-key', field };
}

function checkGate(l: KeyContext, step: NamedStep, fields: readonly string[], span: Span): void {
  const [gate = ''] = fields;
  if (l.shared.index) l.mention(span, 'read', symbolKey('gate', locationOf(step.span), gate));
  const tail = fields.slice(1).join('.');
  if (tail !== '' && tail !== 'comments' && tail !== 'error' && !tail.startsWith('state.'))
    l.diagnostics.push(say.unknownGateField(span, { key: `gate.${fields.join('.')}`, field: tail, gate }));
  if (step.gates.has(gate)) return;
  const known = [...step.gates];
  l.diagnostics.push(say.unknownGate(span, { gate, step: step.name, known, near: nearest(gate, known) }));
}

function unknownField(l: KeyContext, key: string, field: string, span: Span): void {
  const known = [...STEP_FIELDS, 'gate.<name>'];
  l.diagnostics.push(
    say.unknownField(span, { key, field, known, near: FIELD_MEANT[field] ?? nearest(field, [...STEP_FIELDS]) }),
  );
}

/** What an agent answers, in the words of other tools. */
const FIELD_MEANT: Readonly<Record<string, string>> = {
  ...{ result: 'output', answer: 'output', text: 'output', stdout: 'output', response: 'output', content: 'output' },
  ...{ changes: 'diff', patch: 'diff', changed_files: 'files', price: 'cost' },
};

/** A key of a step that is known. */
function keyOf(
  l: KeyContext,
  step: NamedStep,
  { level, path }: Pick<StepKey, 'level' | 'path'>,
  fields: readonly string[],
  text: string,
  span: Span,
): Expr {
  const { context } = l.steps;
  const field = fields.join('.');
  if (step === context.own && (!context.judging || VERDICT.has(field))) {
    l.diagnostics.push(say.ownKey(span, { key: text, field }));
    return nothing;
  }
  if (step.progress === 'ahead' && context.older) {
    // In the older dialect, reading a later step gives its result of the previous round of the group.
    l.diagnostics.push(say.earlyRead(span, { key: text, step: step.name }));
    checkFields(l, step, fields, text, span);
    const key = { op: 'step-key', key: { ...omitUndefined({ level }), path, field }, text } as const;
    return { op: 'call', name: 'default', args: [key, { op: 'const', value: '' }] };
  }
  if (step.progress === 'ahead') {
    l.diagnostics.push(say.forwardStep(span, { key: text, step: step.name }));
    return nothing;
  }
  if (step.progress === 'parallel') {
    l.diagnostics.push(say.concurrentStep(span, { key: text, step: step.name }));
    return nothing;
  }
  checkFields(l, step, fields, text, span);
  if (l.shared.index) {
    const location = locationOf(step.span);
    l.explainKey(span, `\`${text}\` is written by the step \`${path}\``, stepKey(step));
    l.mention(span, 'read', symbolKey('step-key', location, field));
  }
  return { op: 'step-key', key: { ...omitUndefined({ level }), path, field }, text };
}

function checkFields(l: KeyContext, step: NamedStep, fields: readonly string[], text: string, span: Span): void {
  const [first = ''] = fields;
  const field = fields.join('.');
  if (first === 'gate') return checkGate(l, step, fields.slice(1), span);
  if (first === 'state') return checkGraft(l, step, fields.slice(1), text, span);
  if (!FIELDS.has(field)) return unknownField(l, text, field, span);
  if (isAbsent(field, step)) l.diagnostics.push(say.absentField(span, { key: text, field, type: step.type }));
}

/** Only a validation has comments. The comments of gates are below the gate. */
function isAbsent(field: string, { type }: NamedStep): boolean {
  if (CHANGES.has(field)) return type !== 'code' && type !== 'none';
  return field === 'comments' && type !== 'validate';
}

/** A key of a step inside the workflow that a step ran. */
function checkGraft(l: KeyContext, step: NamedStep, fields: readonly string[], text: string, span: Span): void {
  const { below } = step;
  const [path = '', ...rest] = fields;
  const inner = below?.kind === 'workflow' ? byPath(below, path.split('/')) : null;
  if (inner !== null) return checkFields(l, inner, rest, text, span);
  const known = below?.kind === 'workflow' ? allPaths(below) : [];
  l.diagnostics.push(say.unknownStep(span, { key: text, near: nearest(path, known) }));
}

/** `{steps.v.steps.r.output}`: every `steps.` leads into the workflow or group of the preceding step. */
function olderKey(l: KeyContext, fields: readonly string[], text: string, span: Span): Expr {
  const [name = '', ...rest] = fields;
  const { context } = l.steps;
  const near = nearByName(context.scope, name);
  if (near.found !== null) return belowOlder(l, near.found, rest, text, span);
  if (near.paths.length > 0) {
    const paths = near.paths.map((one) => `steps.${one}.${rest.join('.')}`);
    l.diagnostics.push(say.ambiguousStep(span, { key: text, paths }));
    return nothing;
  }
  l.diagnostics.push(say.unknownStep(span, { key: text, near: nearest(name, allPaths(rootOf(context.scope))) }));
  return nothing;
}

/** A step below a group belongs to the same scopes. Below a workflow it is a key that the workflow passed on. */
function belowOlder(
  l: KeyContext,
  { step, key }: FoundStep,
  fields: readonly string[],
  text: string,
  span: Span,
): Expr {
  const [first, name = '', ...rest] = fields;
  const inner = first === 'steps' && step.below?.kind === 'group' ? step.below.steps.get(name) : undefined;
  if (inner !== undefined)
    return belowOlder(l, { step: inner, key: { ...key, path: `${key.path}/${name}` } }, rest, text, span);
  const mapped = fields.map((field) => (field === 'steps' ? 'state' : field));
  return keyOf(l, step, key, mapped, text, span);
}

export interface FoundStep {
  readonly step: NamedStep;
  readonly key: Pick<StepKey, 'level' | 'path'>;
}

/**
 * Finds a step by proximity: a visible step, or else the only one in the nearest scope that has any. Returns the paths
 * if several are equally near.
 */
export function nearByName(
  from: StepScope,
  name: string,
): { readonly found: FoundStep | null; readonly paths: readonly string[] } {
  const visible = lookUp(from, name);
  if (visible !== null)
    return { found: { step: visible.step, key: { level: visible.scope.level, path: name } }, paths: [] };
  for (let scope: StepScope | null = from; scope !== null; scope = scope.kind === 'workflow' ? null : scope.parent) {
    const paths = findEverywhere(scope, name);
    const [only] = paths;
    if (only === undefined) continue;
    const path = only.slice(scope.path.length);
    const step = path.includes('<') ? null : byPath(scope, path.split('/'));
    const alone = paths.length === 1 && step !== null;
    return alone ? { found: { step, key: { level: scope.level, path } }, paths: [] } : { found: null, paths };
  }
  return { found: null, paths: [] };
}

/** A key with a written path, or with a name that contains `-`. */
function writtenKey(l: KeyContext, written: Extract<Expression, { kind: 'step-key' }>): Expr {
  const { context } = l.steps;
  const e = context.older ? withoutSteps(written) : written;
  const fields = fieldsOf(e.field);
  const text = `${e.path}.${e.field}`;
  if (!e.path.includes('/')) {
    const known = keyExpression(l, e.path, fields, e.span);
    if (known !== null) return known;
    const near = nearest(e.path, allPaths(rootOf(context.scope)));
    l.diagnostics.push(
      say.unknownStep(e.span, { key: text, near: near === undefined ? undefined : `${near}.${e.field}` }),
    );
    return nothing;
  }
  const found = atPath(l, e.path);
  if (found !== null && !found.elsewhere) return keyOf(l, found.step, found.key, fields, text, e.span);
  if (found !== null) {
    checkFields(l, found.step, fields, text, e.span);
    if (l.shared.index) {
      l.mention(e.span, 'read', stepKey(found.step));
      l.mention(e.span, 'read', symbolKey('step-key', locationOf(found.step.span), e.field));
    }
    return { op: 'step-key', key: { ...found.key, field: e.field }, text };
  }
  const root = rootOf(context.scope);
  const inRoot = byPath(root, e.path.split('/'));
  const known = root.kind === 'machine' ? l.steps.machine.flatMap((one) => allPaths(one)) : allPaths(root);
  // In a state, the missing part is usually the state's own name.
  const near = inRoot === null ? nearest(e.path, known) : root.path + e.path;
  l.diagnostics.push(
    say.unknownStep(e.span, { key: text, near: near === undefined ? undefined : `${near}.${e.field}` }),
  );
  return nothing;
}

/** The older dialect also writes `steps.` before whole paths: `{steps.build/impl.output}`. */
function withoutSteps<Key extends Extract<Expression, { kind: 'step-key' }>>(written: Key): Key {
  const dot = written.field.indexOf('.');
  const path = written.field.slice(0, Math.max(0, dot));
  if (written.path !== 'steps' || !path.includes('/')) return written;
  return { ...written, path, field: written.field.slice(dot + 1) };
}

interface StepAtPath {
  readonly step: NamedStep;
  readonly key: Pick<StepKey, 'level' | 'path'>;
  /** The step is in another state. Whether that state has run is known only when the key is read. */
  readonly elsewhere: boolean;
}

/** The step that a whole path names: relative to its workflow, or in a program beginning with the state. */
export function atPath(l: KeyContext, path: string): StepAtPath | null {
  const root = rootOf(l.steps.context.scope);
  const parts = path.split('/');
  const inRoot = byPath(root, parts);
  if (inRoot !== null && root.kind === 'workflow')
    return { step: inRoot, key: { level: root.level, path }, elsewhere: false };
  if (inRoot !== null && root.path === '') return { step: inRoot, key: { path }, elsewhere: false };
  const [state = '', ...rest] = parts;
  const scope = root.kind === 'machine' ? l.steps.machine.find((one) => one.path === `${state}/`) : undefined;
  const step = scope === undefined ? null : byPath(scope, rest);
  return step === null ? null : { step, key: { path }, elsewhere: scope !== root };
}

/** Names of gates and steps of workflows may contain `/`, which does not separate fields. */
function fieldsOf(field: string): string[] {
  return field.split('.');
}
