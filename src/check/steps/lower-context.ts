/** The context of a step: files, the output of commands and of workflows, taken before its agent is called. */

import type { Template } from '../../machine/expression.js';
import type { Instruction } from '../../machine/machine.js';
import type { ContextPlan } from '../../machine/step.js';
import { stepMessages as say } from '../../source/catalogue/steps.js';
import type { ContextEntry } from '../../syntax/step.js';
import { toolOf } from '../lints/command-lints.js';
import { lowerShellText } from '../lower/effect.js';
import { constantText, lowerTemplate } from '../lower/expression.js';
import type { StateLowering } from '../lower/state.js';
import { lowerWorkflow } from './lower-workflow.js';

export function lowerContext(l: StateLowering, entries: readonly ContextEntry[]): ContextPlan[] {
  return entries.map((entry) => {
    const slot = l.scope.hidden('$context');
    return { title: lowerEntry(l, entry, slot), slot };
  });
}

/** Writes what puts the part into its slot, and gives the heading that it gets. */
function lowerEntry(l: StateLowering, entry: ContextEntry, slot: number): Template {
  const common = { ok: [0], reading: 'text', bind: { slot } } as const;
  switch (entry.kind) {
    case 'file': {
      const path = constantText(entry.path);
      if (path !== null && l.settings.fileExists?.(path) === false && !mayBeMade(l))
        l.diagnostics.push(say.missingFile(entry.path.span, { path }));
      const name = lowerTemplate(entry.path, l);
      const list = {
        op: 'list',
        items: [constant('cat'), constant('--'), { op: 'template', template: name }],
      } as const;
      l.emitter.add({ op: 'argv', list, ...common, text: `read ${path ?? entry.path.raw}` }, entry.span);
      return name;
    }
    case 'bash': {
      const compiled = lowerShellText(l, entry.shell, 'default');
      const text = entry.shell.text.split('\n', 1)[0] ?? '';
      const tool = toolOf(compiled.commands, entry.shell.text, 'last');
      l.emitter.add({ op: 'shell', template: compiled.template, shell: 'default', tool, ...common, text }, entry.span);
      return [`$ ${text}`];
    }
    case 'workflow':
      lowerWorkflow(l, entry.call, { at: 'context', slot });
      return [entry.call.name.text];
    default:
      return unknownEntry(entry);
  }
}

/** Work that may leave files behind. */
const WORKS: ReadonlySet<string> = new Set(['shell', 'argv', 'function', 'agent', 'step-agent', 'plan', 'call']);

/** What stands above may make the file, and so may another state. */
function mayBeMade({ emitter, shared, declaration }: StateLowering): boolean {
  return declaration !== shared.machine.states[0] || emitter.code.some((i) => WORKS.has(i.op) && !isReading(i));
}

/** The context of a step reads one file after the other. */
function isReading(i: Instruction): boolean {
  return i.op === 'argv' && i.text.startsWith('read ');
}

const constant = (value: string) => ({ op: 'const', value }) as const;

function unknownEntry(entry: never): never {
  throw new Error(`unknown context: ${JSON.stringify(entry)}`);
}
