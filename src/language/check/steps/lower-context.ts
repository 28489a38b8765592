/**
 * Lowers what the agent of a step gets besides its prompt: the session that it continues, and the context, which is collected
 * before the agent is called.
 */
import type { Expr, Template } from '../../../machine/expression.js';
import type { Instruction } from '../../../machine/machine.js';
import type { ContextLayout, SessionLayout } from '../../../machine/step.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { unreachable } from '../../../prelude/unreachable.js';
import { stepMessages as say } from '../../source/catalogue/steps.js';
import type { Span } from '../../source/diagnostic.js';
import type { StepNode } from '../../syntax/ast.js';
import type { Expression } from '../../syntax/expression-nodes.js';
import type { ContextEntry } from '../../syntax/step-nodes.js';
import { constantText, lowerTemplate } from '../lower/lower-expression.js';
import { lowerShellText } from '../lower/shell-text.js';
import type { StateLowering } from '../lower/state-lowering.js';
import { toolOf } from '../shell/text.js';
import { lowerWorkflow } from './lower-workflow.js';
import { atPath, type FoundStep, nearByName, stepKey } from './step-keys.js';
import { findEverywhere, isApart, lookUp, type NamedStep, rootOf } from './step-names.js';

type FromSession = Extract<NonNullable<StepNode['session']>, { kind: 'from' }>;

/** Finds the step whose session this one continues, and reports an agent whose program cannot do that. */
export function sessionOf(l: StateLowering, i: StepNode, own: NamedStep): SessionLayout | null {
  const { session } = i;
  if (session === undefined) return null;
  if (session.kind === 'new') return { kind: 'new' };
  const name = session.step.text;
  const fail = (why: string): SessionLayout => {
    l.diagnostics.push(say.sessionStep(session.step.span, { name, why }));
    return { kind: 'new' };
  };
  const near = name.includes('/') ? null : lookUp(l.steps.context.scope, name);
  const found = near === null ? atPath(l, name) : { ...near, key: { level: near.scope.level, path: name } };
  if (found === null) return sessionByProximity(l, i, session, { own, fail });
  return sessionFrom(l, i, found, { own, fail });
}

/** The program of an agent may not be able to use the session, so that a new one begins with what was said in it. */
function reportNewSession(l: StateLowering, { name: { text: step }, run, session }: StepNode, source: NamedStep): void {
  if (session?.kind !== 'from') return;
  const { text: from, span } = session.step;
  const agent = run.kind === 'agent' ? constantText(run.agent) : null;
  const traitsOf = (name: string | null) =>
    name === null ? null : (l.settings.lookups.agents?.traits?.(name.trim()) ?? null);
  const traits = traitsOf(agent);
  if (traits === null) return;
  const { adapter, sessions } = traits;
  const made = traitsOf(source.agent)?.adapter ?? adapter;
  if (made !== adapter) l.diagnostics.push(say.sessionOfAnother(span, { step, from, adapter, made }));
  else if (!sessions.fork) l.diagnostics.push(say.sessionWithoutFork(span, { step, from, adapter }));
  else if (!sessions.elsewhere && l.settings.lookups.worktree !== false && isApart(l.steps.context.scope, source))
    l.diagnostics.push(say.sessionElsewhere(span, { step, from, adapter }));
}

interface SessionContext {
  readonly own: NamedStep;
  readonly fail: (why: string) => SessionLayout;
}

function sessionFrom(
  l: StateLowering,
  i: StepNode,
  { step, key }: FoundStep,
  { own, fail }: SessionContext,
): SessionLayout {
  if (i.session?.kind === 'from') l.mention(i.session.step.span, 'use', stepKey(step));
  if (step === own) return fail('it is this step itself');
  if (step.progress === 'ahead') return fail('it has not run yet');
  if (step.progress === 'parallel') return fail('it runs at the same time');
  if (!step.hasSession) return fail('it has no agent');
  reportNewSession(l, i, step);
  return { kind: 'from', key: { ...key, field: 'session_id' } };
}

/** A step that is not visible. The older dialect also looks inside other steps, if only one has the name. */
function sessionByProximity(
  l: StateLowering,
  i: StepNode,
  { step: { text: name, span } }: FromSession,
  refusal: SessionContext,
): SessionLayout {
  const { scope, older } = l.steps.context;
  const { found, paths } = nearByName(scope, name);
  if (found !== null && older) return sessionFrom(l, i, found, refusal);
  const known = found === null ? paths : findEverywhere(rootOf(scope), name);
  if (known.length === 0) return refusal.fail('no step of that name is visible here');
  l.diagnostics.push(say.ambiguousSession(span, { name, paths: known }));
  return { kind: 'new' };
}

/**
 * Lowers the context of a step: files, and the output of commands and workflows, collected before its agent is called.
 */
export function lowerContext(l: StateLowering, entries: readonly ContextEntry[]): ContextLayout[] {
  return entries.map((entry) => {
    const slot = l.scope.hiddenSlot('$context');
    const title = lowerEntry(l, entry, slot);
    return { title, slot, ...omitUndefined({ optional: entry.kind === 'value' ? true : undefined }) };
  });
}

/** Writes the code that stores the part in its slot, and returns its heading. */
function lowerEntry(l: StateLowering, entry: ContextEntry, slot: number): Template {
  const common = { ok: [0], reading: 'text', bind: { slot } } as const;
  switch (entry.kind) {
    case 'file': {
      const path = constantText(entry.path);
      if (path !== null) checkFile(l, path, entry.path.span);
      const name = lowerTemplate(entry.path, l);
      const list = {
        op: 'list',
        items: [constant('cat'), constant('--'), { op: 'template', template: name }],
      } as const;
      l.emitter.add({ op: 'argv', list, reads: true, ...common, text: `read ${path ?? entry.path.raw}` }, entry.span);
      return name;
    }
    case 'bash': {
      const compiled = lowerShellText(l, entry.shell);
      const text = entry.shell.text.split('\n', 1)[0] ?? '';
      const tool = toolOf(compiled.commands, entry.shell.text, 'last');
      l.emitter.add(
        {
          op: 'shell',
          template: compiled.template,
          shell: 'default',
          strict: 'script',
          tool,
          ...common,
          reading: 'both',
          text,
        },
        entry.span,
      );
      return [`$ ${text}`];
    }
    case 'workflow':
      lowerWorkflow(l, entry.call, { at: 'context', slot });
      return [entry.call.name.text];
    case 'value':
      setContext(l, slot, entry.title, l.expression(entry.value), entry.span);
      return [entry.title];
    default:
      return unreachable(entry);
  }
}

function checkFile(l: StateLowering, path: string, span: Span): void {
  const { fileExists, fileRefused } = l.settings.lookups;
  const why = fileRefused?.(path) ?? null;
  if (why !== null) l.diagnostics.push(say.refusedFile(span, { path, why }));
  else if (fileExists?.(path) === false && !mayBeMade(l)) l.diagnostics.push(say.missingFile(span, { path }));
}

function setContext(l: StateLowering, slot: number, title: string, value: Expr, span: Span): void {
  l.emitter.add({ op: 'set', to: { in: 'local', slot }, name: `$${title}`, value }, span);
}

/**
 * The values that an agent without a prompt receives in addition to the context of its step: the current task, and the
 * inputs of the workflow or program, except those that the context already contains.
 */
export function lowerGiven(l: StateLowering, entries: readonly ContextEntry[], span: Span): ContextLayout[] {
  const { task } = l.steps.context;
  const shown = new Set(entries.flatMap((entry) => (entry.kind === 'value' ? [nameIn(entry.value)] : [])));
  const names = l.scope.givenNames().filter((name) => !shown.has(name));
  return [...(task === null ? [] : [task.name]), ...names].flatMap((name) => {
    const value = l.scope.read(name, span)?.expr;
    if (value === undefined) return [];
    const slot = l.scope.hiddenSlot('$context');
    setContext(l, slot, name, value, span);
    return [{ title: [name], slot, optional: true as const }];
  });
}

const nameIn = (value: Expression): string => (value.kind === 'name' ? value.name : '');

/** Work that may leave files behind. */
const WORKS: ReadonlySet<string> = new Set(['shell', 'argv', 'function', 'agent', 'step-agent', 'plan', 'call']);

/** An earlier step or another state may create the file. */
function mayBeMade({ emitter, shared, declaration }: StateLowering): boolean {
  return declaration !== shared.machine.states[0] || emitter.code.some((i) => WORKS.has(i.op) && !readsFile(i));
}

/** The code of a context reads one file after the other. */
function readsFile(i: Instruction): boolean {
  return i.op === 'argv' && i.text.startsWith('read ');
}

const constant = (value: string) => ({ op: 'const', value }) as const;
