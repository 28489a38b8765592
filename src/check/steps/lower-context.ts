/**
 * Lowers the context of a step: files, and the output of commands and workflows, collected before its agent is called.
 */

import type { Expr, Template } from '../../machine/expression.js';
import type { Instruction } from '../../machine/machine.js';
import type { ContextLayout } from '../../machine/step.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { unreachable } from '../../prelude/unreachable.js';
import { stepMessages as say } from '../../source/catalogue/steps.js';
import type { Span } from '../../source/source-file.js';
import type { Expression } from '../../syntax/expression.js';
import type { ContextEntry } from '../../syntax/step.js';
import { toolOf } from '../lints/command-lints.js';
import { constantText, lowerTemplate } from '../lower/expression.js';
import { lowerShellText } from '../lower/shell-text.js';
import type { StateLowering } from '../lower/state-lowering.js';
import { lowerWorkflow } from './lower-workflow.js';

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
        { op: 'shell', template: compiled.template, shell: 'default', strict: 'script', tool, ...common, text },
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
