/** Reads the work of a step: an agent with its guards, a workflow, commands, or inner steps. */
import type { Block, Instruction, Option, ShellText } from '../../syntax/ast.js';
import type { Name } from '../../syntax/expression-nodes.js';
import type { StepRun } from '../../syntax/step-nodes.js';
import { callMembers } from './read-gates.js';
import { GUARD_HINTS } from './step-hints.js';
import {
  callOf,
  flagOf,
  isNothing,
  itemsOf,
  Members,
  optionOf,
  type ReaderContext,
  reportOneOf,
  shellOf,
  spanOf,
  templateOf,
  textOf,
  wrongShape,
} from './values.js';
import type { YamlMember } from './yaml/yaml-nodes.js';

const GUARDS: Readonly<Record<string, string>> = {
  max_turns: 'max_turns',
  max_cost: 'max_cost',
  max_budget: 'max_cost',
  max_time: 'max_time',
  max_timeout: 'max_time',
  timeout: 'max_time',
  idle: 'idle',
  no_write: 'no_write',
};

export const GUARD_KEYS: readonly string[] = Object.keys(GUARDS);

export function runOf(
  context: ReaderContext,
  parts: ReadonlyMap<string, YamlMember>,
  group: { readonly member: YamlMember; readonly run: StepRun } | undefined,
): StepRun {
  const agent = parts.get('agent');
  const workflow = parts.get('workflow');
  const bash = parts.get('bash');
  const guard = parts.get('guard');
  const given = parts.get('with');
  const several = [agent, workflow, bash, group?.member].filter((one) => one !== undefined);
  reportOneOf(
    context,
    several.sort((a, b) => a.key.span.start - b.key.span.start),
    'this step',
  );
  if (guard !== undefined && agent === undefined)
    wrongShape(context, { ...guard.value, span: guard.key.span }, '`guard`', 'next to `agent`');
  if (given !== undefined && workflow === undefined)
    wrongShape(context, { ...given.value, span: given.key.span }, '`with`', 'next to `workflow`');
  const adjacent = ['timeout', 'max_turns'].flatMap((key) => parts.get(key) ?? []);
  for (const one of agent === undefined ? adjacent : [])
    wrongShape(context, { ...one.value, span: one.key.span }, `\`${one.key.text}\``, 'next to `agent`');
  if (agent !== undefined) {
    const name = templateOf(context, agent);
    const limits = adjacent.flatMap((one) => optionOf(context, one, GUARDS[one.key.text] as string) ?? []);
    const guards = [...(guard === undefined ? [] : guardsOf(context, guard)), ...limits];
    const span = spanOf(agent);
    return name === undefined ? { kind: 'none' } : { kind: 'agent', agent: name, guards, span };
  }
  if (workflow !== undefined) {
    const call = callOf(context, ...callMembers(workflow, given));
    return call === undefined ? { kind: 'none' } : { kind: 'workflow', call };
  }
  if (bash !== undefined) return { kind: 'body', body: commandsOf(context, bash) };
  return group?.run ?? { kind: 'none' };
}

function guardsOf(context: ReaderContext, { value }: YamlMember): Option[] {
  if (isNothing(value)) return [];
  if (value.kind !== 'map') {
    wrongShape(context, value, '`guard`', 'a mapping', 'write `guard: { max_turns: 60 }`');
    return [];
  }
  const members = new Members(value, context);
  const options = value.members.flatMap((member): Option[] => {
    const key = Object.hasOwn(GUARDS, member.key.text) ? (GUARDS[member.key.text] as string) : undefined;
    if (key === undefined) return [];
    members.take(member.key.text);
    if (key !== 'no_write') return [optionOf(context, member, key) ?? []].flat();
    const name = { text: key, span: member.key.span };
    return flagOf(context, member) ? [{ key: name, span: spanOf(member) }] : [];
  });
  members.reportUnknown('`guard`', [...new Set(Object.values(GUARDS))], GUARD_HINTS);
  return options;
}

/** `bash: …` of a step: commands that run one after the other. */
function commandsOf(context: ReaderContext, { key, value }: YamlMember): Block {
  const instructions = itemsOf(value).flatMap((item): Instruction[] => {
    const text = textOf(context, { key, value: item }, 'a command');
    return text === undefined ? [] : [command(key.span, shellOf(text))];
  });
  return { instructions, inline: false, span: value.span };
}

function command(verb: Name['span'], shell: ShellText): Instruction {
  const performed = { kind: 'shell', shell } as const;
  const { span } = shell;
  return { kind: 'do', verb: { text: 'DO', span: verb }, options: [], piped: false, performed, style: 'verb', span };
}
