/**
 * Parses a workflow file to the tree of a program: its name, limits and inputs become declarations, its steps become
 * instructions without a state. All nodes have their location in the YAML. Never throws.
 */

import { omitUndefined } from '../../prelude/omit-undefined.js';
import { workflowMessages as words } from '../../source/catalogue/workflow.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { SourceFile } from '../../source/source-file.js';
import type { Block, Declaration, Instruction, Option, Program } from '../../syntax/ast.js';
import { allSteps } from '../../syntax/step.js';
import { dialectOf } from './dialect.js';
import { foreignFile } from './foreign-files.js';
import { declaredInputs, deducedInputs } from './inputs.js';
import { isNothing, Members, nameOf, type ReaderContext, textOf, wrongShape } from './reader-context.js';
import { withReusedSessions } from './reused-sessions.js';
import { documentationOf, ROOT_KEYS } from './root-words.js';
import { isUndeclared, withSpec } from './specification.js';
import { STEP_KEYS, stepList, stepOf, stepsOf } from './step-reader.js';
import { optionOf, spanOf } from './values.js';
import { readYaml, type YamlMap, type YamlNode } from './yaml/yaml-nodes.js';

/** The limits of a workflow, with their names in other dialects. */
const LIMITS: Readonly<Record<string, string>> = { max_budget: 'cost', max_timeout: 'time', max_tokens: 'tokens' };

interface ParsedWorkflow {
  readonly program: Program;
  readonly diagnostics: Diagnostic[];
}

export function parseWorkflow(file: SourceFile, index: number): ParsedWorkflow {
  const { root, comments, diagnostics } = readYaml(file, index);
  const context: ReaderContext = { file: index, diagnostics, signs: [], reused: new Set() };
  const { head, steps, documentation } = root === null || isNothing(root) ? NOTHING : rootOf(context, file, root);
  const inputs = new Set(head.flatMap((item) => (item.kind === 'input' ? [item.name.text] : [])));
  const workflow = dialectOf(context, steps, inputs);
  const typed = workflow === 'older' ? withReusedSessions(steps, context.reused).map(changesFiles) : steps;
  const names = new Set([...inputs, ...allSteps(typed).map(({ name }) => name.text)]);
  const deduced = deducedInputs(typed, names);
  const items = isUndeclared(root) && !names.has('spec') ? withSpec(typed, deduced) : [...deduced, ...typed];
  const documented = documentation.length === 0 ? {} : { documentation };
  // Other messages would be unreliable if lines are misplaced.
  const lost = diagnostics.some(({ code }) => code === 'lost-indentation');
  const all = lost ? [] : [...head, ...items];
  return { program: { file: index, items: all, comments, workflow, ...documented }, diagnostics };
}

/** Steps of the older dialect with an agent and without `output` change files. */
function changesFiles(one: Instruction): Instruction {
  if (one.kind !== 'step') return one;
  const { type, run, each } = one;
  const mapSteps = (block: Block): Block => ({ ...block, instructions: block.instructions.map(changesFiles) });
  return {
    ...one,
    ...omitUndefined({
      type: type === undefined && run.kind === 'agent' ? { text: 'code', span: one.name.span } : undefined,
      run: run.kind === 'group' ? { ...run, steps: mapSteps(run.steps) } : undefined,
      each: each === undefined ? undefined : { ...each, steps: mapSteps(each.steps) },
    }),
  };
}

/** Keys of a step that are next to its dash, and so after `steps` in the mapping around it. */
function lostAfterSteps({ text }: SourceFile, { members }: YamlMap): Diagnostic | null {
  const at = members.findIndex(({ key }) => key.text === 'steps');
  const list = members[at]?.value;
  const next = members[at + 1];
  if (list?.kind !== 'list' || next === undefined || !STEP_KEYS.includes(next.key.text)) return null;
  if ((ROOT_KEYS as readonly string[]).includes(next.key.text)) return null;
  const item = list.items.at(-1);
  if (item?.kind !== 'map' || item.members.length > 1) return null;
  const start = text.lastIndexOf('\n', item.span.start) + 1;
  const end = text.indexOf('\n', start);
  const under = text.slice(start, end < 0 ? text.length : end);
  // A dash that is deeper than the key has its own keys below it.
  if (!under.startsWith('-')) return null;
  return words.lostIndentation(spanOf(next), { under: under.trim() });
}

interface Root {
  readonly head: Declaration[];
  readonly steps: Instruction[];
  readonly documentation: NonNullable<Program['documentation']>;
}

const NOTHING: Root = { head: [], steps: [], documentation: [] };

/** A mapping with `steps`, a list of steps, or one step. */
function rootOf(context: ReaderContext, file: SourceFile, root: YamlNode): Root {
  if (root.kind === 'list') return { head: [], steps: stepList(context, root), documentation: [] };
  if (root.kind === 'scalar') {
    wrongShape(context, root, 'a workflow', 'a mapping with `steps`', 'write `steps:` and `- name: …` below it');
    return { head: [], steps: [], documentation: [] };
  }
  const foreign = root.members.some(({ key }) => key.text === 'steps') ? null : foreignFile(root);
  if (foreign !== null) {
    context.diagnostics.push(foreign);
    return NOTHING;
  }
  const lost = lostAfterSteps(file, root);
  if (lost !== null) {
    context.diagnostics.push(lost);
    return NOTHING;
  }
  const members = new Members(root, context);
  const keys = root.members.map(({ key }) => key.text);
  if (
    !members.has('steps') &&
    keys.some((key) => STEP_KEYS.includes(key) && !(ROOT_KEYS as readonly string[]).includes(key))
  )
    return { head: [], steps: [stepOf(context, root)], documentation: [] };
  const head: Declaration[] = [];
  const name = members.take('name');
  const text = name === undefined ? undefined : textOf(context, name, 'the name of the workflow');
  if (text !== undefined) head.push({ kind: 'machine', name: nameOf(text), span: text.span });
  const limits = Object.entries(LIMITS).flatMap(([key, limit]): Option[] => {
    const member = members.take(key);
    return member === undefined ? [] : ((optionOf(context, member, limit) ?? []) as Option[]);
  });
  const [first] = limits;
  if (first !== undefined) head.push({ kind: 'limit', options: limits, span: first.span });
  const inputs = members.take('inputs');
  if (inputs !== undefined) head.push(...declaredInputs(context, file, inputs));
  const steps = members.take('steps');
  const documentation = documentationOf(context, members, steps !== undefined);
  if (steps === undefined) wrongShape(context, root, 'a workflow', 'a mapping with `steps`', 'write `steps:`');
  return {
    head,
    steps: steps === undefined ? [] : [...stepsOf(context, steps, 'this workflow').instructions],
    documentation,
  };
}
