/**
 * The texts of the parts of a STEP. The formatter keeps the author's spelling and layout, and a tree of a workflow file is
 * printed in a fixed one; both get the words and their order from here.
 */
import { unreachable } from '../../prelude/unreachable.js';
import type { Option, ShellText, StepNode } from '../syntax/ast.js';
import type { Expression, Template } from '../syntax/expression-nodes.js';
import type { ContextEntry, EachTask, GateEntry, RetryCondition, WorkflowCall } from '../syntax/step-nodes.js';

/** How parts are spelled that may be written in several ways. */
export interface StepSpelling {
  readonly expression: (expression: Expression) => string;
  /** A text that needs no quotes if it is one word. */
  readonly word: (text: Template) => string;
  readonly text: (text: Template) => string;
  readonly shell: (shell: ShellText) => string;
  readonly call: (call: WorkflowCall) => string;
}

/** The line of the step itself, without its verb. */
export function stepHead({ name, type, options, run }: StepNode, option: (option: Option) => string): string {
  const parallel = run.kind === 'group' && run.parallel ? ' parallel' : '';
  const given = options.map((one) => ` ${option(one)}`).join('');
  return `${name.text}${type === undefined ? '' : ` type=${type.text}`}${parallel}${given}`;
}

export function sessionText(session: NonNullable<StepNode['session']>): string {
  return `SESSION: ${session.kind === 'new' ? 'new' : `from=${session.step.text}`}`;
}

export function eachText({ parallel, options, of }: EachTask, option: (option: Option) => string): string {
  const given = [
    ...(of === undefined ? [] : [`of=${of.text}`]),
    ...(parallel ? ['parallel'] : []),
    ...options.map(option),
  ];
  return given.length === 0 ? 'EACH:' : `EACH [${given.join(' ')}]:`;
}

/** Null: only workflow files have such an entry, and it is part of the prompt by now. */
export function contextText(entry: ContextEntry, { word, shell, call }: StepSpelling): string | null {
  switch (entry.kind) {
    case 'file':
      return `file=${word(entry.path)}`;
    case 'bash':
      return `bash=${shell(entry.shell)}`;
    case 'workflow':
      return `workflow=${call(entry.call)}`;
    case 'value':
      return null;
    default:
      return unreachable(entry);
  }
}

export function gateText(gate: GateEntry, spelling: StepSpelling): string {
  return `${checkText(gate, spelling)}${gate.label === undefined ? '' : ` as ${gate.label.text}`}`;
}

function checkText(gate: GateEntry, { expression, text, shell, call }: StepSpelling): string {
  const word = gate.word.text;
  switch (gate.kind) {
    case 'command':
      return word;
    case 'coverage':
      return `${word} ${expression(gate.least)}`;
    case 'expr':
      return `${word} ${expression(gate.condition)}`;
    case 'schema':
      return gate.path === undefined ? word : `${word} ${text(gate.path)}`;
    case 'touched':
    case 'untouched':
      return `${word} ${gate.globs.map(text).join(', ')}`;
    case 'validate':
      return `${word} ${call(gate.call)}`;
    case 'bash':
      return `${word} ${shell(gate.shell)}`;
    default:
      return unreachable(gate);
  }
}

export function conditionText(condition: RetryCondition, { expression, call }: StepSpelling): string {
  switch (condition.kind) {
    case 'attempt':
      return `ATTEMPT ${expression(condition.number)}`;
    case 'exit':
      return `EXIT ${expression(condition.number)}`;
    case 'not':
      return `NOT ${condition.gate.text}`;
    case 'validate':
      return `VALIDATE ${call(condition.call)}`;
    default:
      return unreachable(condition);
  }
}
