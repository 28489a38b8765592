/**
 * Prints a program as a workflow file. A workflow contains only steps, so the program may contain only steps, in one
 * state or without a state.
 */
import yaml from 'yaml';
import { omitUndefined } from '../../../../prelude/omit-undefined.js';
import type { Diagnostic, SourceFile } from '../../../source/diagnostic.js';
import type { Declaration, InputDeclaration, Instruction, Program, StepNode } from '../../../syntax/ast.js';
import { attachComments } from '../../../syntax/steps/attached-comments.js';
import { type Printing, plainValue, reportNoForm, scalarOf, templateText, writtenNumbers } from './print-values.js';
import { commentText, itemOf, mapOf, printStep, type YamlEntry } from './print-workflow-step.js';

type Limit = Extract<Declaration, { kind: 'limit' }>;

const LIMITS: Readonly<Record<string, string>> = { cost: 'max_budget', time: 'max_timeout', tokens: 'max_tokens' };

interface PrintedWorkflow {
  /** Null if a workflow file cannot express a part of the program, which the diagnostics name. */
  readonly text: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** `file` is the source of the program. */
export function printWorkflow(program: Program, file: SourceFile): PrintedWorkflow {
  const comments = attachComments(program, file.text);
  const printing: Printing = { file, diagnostics: [], comments };
  const steps = stepsOf(printing, program);
  const pairs: YamlEntry[] = [];
  for (const item of program.items) {
    if (item.kind === 'machine') pairs.push(['name', item.name.text, item.span.start]);
    else if (item.kind === 'tool') pairs.push(['tool', item.value.text === 'yes', item.span.start]);
    else if (item.kind === 'key' || item.kind === 'title')
      pairs.push([item.kind, templateText(printing, item.text), item.span.start]);
    else if (item.kind === 'limit') pairs.push(...limitPairs(printing, item));
  }
  const inputs = program.items.filter((item): item is InputDeclaration => item.kind === 'input');
  if (inputs.length > 0)
    pairs.push(['inputs', inputs.map((input) => itemOf(inputNode(printing, input), [input.span.start], comments))]);
  const list = steps.map((step) => printStep(printing, step));
  for (const later of list.slice(1)) later.spaceBefore = true;
  const document = new yaml.Document(mapOf([...pairs, ['steps', list]], comments), {
    customTags: (tags) => [writtenNumbers, ...tags],
  });
  liftTop(document);
  if (comments.rest.length > 0) document.comment = commentText(comments.rest);
  const text =
    printing.diagnostics.length > 0 ? null : document.toString({ lineWidth: 0, flowCollectionPadding: true });
  return { text, diagnostics: printing.diagnostics };
}

/** Comments above the first key belong to the whole file. */
function liftTop(document: yaml.Document): void {
  const first = yaml.isMap(document.contents) ? document.contents.items[0]?.key : undefined;
  if (!yaml.isScalar(first) || first.commentBefore == null) return;
  document.commentBefore = first.commentBefore;
  first.commentBefore = null;
}

/** The steps of a script, or of the only state. */
function stepsOf(printing: Printing, program: Program): StepNode[] {
  const states = program.items.filter((item) => item.kind === 'state');
  const machines = program.items.filter((item) => item.kind === 'machine');
  const [, second] = states;
  if (second !== undefined)
    reportNoForm(
      printing,
      second.name.span,
      'a second state',
      'keep this program as text: a workflow file has only one list of steps',
    );
  if (machines[1] !== undefined) reportNoForm(printing, machines[1].name.span, 'a second machine');
  return program.items.flatMap((item): StepNode[] => {
    switch (item.kind) {
      case 'machine':
      case 'input':
      case 'limit':
      case 'tool':
      case 'key':
      case 'title':
        return [];
      case 'state':
        return item === states[0] ? onlySteps(printing, item.body.instructions) : [];
      case 'pattern':
        reportNoForm(printing, item.name.span, 'a pattern');
        return [];
      case 'import':
        reportNoForm(printing, item.span, 'an import');
        return [];
      default:
        return onlySteps(printing, [item]);
    }
  });
}

function onlySteps(printing: Printing, instructions: readonly Instruction[]): StepNode[] {
  return instructions.flatMap((one) => {
    if (one.kind === 'step') return [one];
    if (one.kind !== 'broken')
      reportNoForm(printing, one.verb.span, `\`${one.verb.text}\``, 'remove it, or keep the program as text');
    return [];
  });
}

function limitPairs(printing: Printing, { options }: Limit): YamlEntry[] {
  return options.flatMap(({ key, value, span }): YamlEntry[] => {
    const name = Object.hasOwn(LIMITS, key.text) ? LIMITS[key.text] : undefined;
    if (name !== undefined && value !== undefined) return [[name, scalarOf(printing, value), span.start]];
    reportNoForm(printing, span, `the limit \`${key.text}\``);
    return [];
  });
}

function inputNode(printing: Printing, input: InputDeclaration): unknown {
  const { name, value, type, choices, secret } = input;
  const given = value === undefined ? undefined : defaultOf(printing, value);
  if (type === undefined && choices === undefined && !secret)
    return given === undefined || given === null ? plainInput(input, given) : { [name.text]: given };
  return {
    name: name.text,
    // A list of words implies that the input is a text.
    ...omitUndefined({
      // A list of words implies that the input is a text.
      type: type === undefined || choices !== undefined ? undefined : type,
      default: given,
      one_of: choices,
      secret: secret ? secret : undefined,
    }),
  };
}

/** A bare word after `=` is a text. */
function defaultOf(printing: Printing, value: NonNullable<InputDeclaration['value']>): unknown {
  return value.kind === 'name' ? value.name : plainValue(printing, value);
}

/** An empty value would mean that there is no default, so a null default is written explicitly. */
function plainInput({ name }: InputDeclaration, given: unknown): unknown {
  return given === undefined ? name.text : { name: name.text, default: null };
}
