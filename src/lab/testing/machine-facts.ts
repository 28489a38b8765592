/** What a machine can ask of the world and emit, so that a line of a test that can match nothing is found before it runs. */
import { isReadAsValue } from '../../interpreter/plan/engine/plan-approvals.js';
import type { Template } from '../../machine/expression.js';
import type { Instruction, Machine } from '../../machine/machine.js';
import { unreachableIn } from '../foresight/ways-to.js';
import type { Coverage, CoveredItem } from './coverage.js';
import { type SelectedRequest, scriptOf } from './selectors.js';

export interface MachineFacts {
  readonly targets: readonly SelectedRequest[];
  /** Names of questions, with their choices where these are known, and of approvals of plans, such as `approvals.publish`. */
  readonly asks: ReadonlyMap<string, readonly string[] | null>;
  readonly signals: ReadonlySet<string>;
  /** Names of events with their fields. */
  readonly events: ReadonlyMap<string, readonly string[]>;
  readonly states: readonly string[];
}

/** Not STATE_ENTRY and PHASE_TRANSITION, which a run only has with `--auto-events`. */
const ENGINE_EVENTS: readonly [string, readonly string[]][] = [['TOOL_FAILURE', ['tool', 'error', 'exit']]];

export function factsOf(machine: Machine): MachineFacts {
  const targets: SelectedRequest[] = [];
  const asks = new Map<string, readonly string[] | null>();
  const signals = new Set<string>();
  const events = new Map<string, readonly string[]>(ENGINE_EVENTS);
  for (const { name: state, code } of machine.states)
    for (const instruction of code) {
      for (const target of targetsOf(instruction, machine))
        targets.push({ step: null, state, line: workOf(instruction, code).origin.line, ...target });
      if (instruction.op === 'ask')
        asks.set(instruction.name, choicesOf(instruction.choices, asks.get(instruction.name)));
      if (instruction.op === 'signal') signals.add(instruction.name);
      if (instruction.op === 'emit' && instruction.event !== null) {
        const { event, fields } = instruction;
        events.set(event, [...(events.get(event) ?? []), ...fields.map(({ name }) => name)]);
      }
    }
  for (const plan of Object.values(machine.plans ?? {}))
    for (const path of plan.gates) {
      const name = path.slice(1).join('.');
      const isAny = isReadAsValue(plan, path) || asks.get(name) === null;
      asks.set(name, isAny ? null : ['true', 'false']);
    }
  return { targets, asks, signals, events, states: machine.states.map(({ name }) => name) };
}

/** What makes the request: the agents of an attempt are called further down. */
function workOf(instruction: Instruction, code: readonly Instruction[]): Instruction {
  if (instruction.op !== 'step-attempt') return instruction;
  const { name } = instruction.plan;
  return code.find((one) => one.op === 'step-agent' && one.plan.name === name) ?? instruction;
}

/** Questions with the same name may have different choices; then all of them are allowed here. */
function choicesOf(
  choices: readonly Template[],
  before: readonly string[] | null | undefined,
): readonly string[] | null {
  const texts = choices.map(constantOf);
  if (before === null || texts.length === 0 || texts.includes(null)) return null;
  return [...(before ?? []), ...(texts as string[])];
}

type MentionedTarget = Pick<SelectedRequest, 'kind' | 'name' | 'text' | 'script'> & { readonly line?: number };

function targetsOf(instruction: Instruction, machine: Machine): MentionedTarget[] {
  switch (instruction.op) {
    case 'shell': {
      const { text, template } = instruction;
      return [{ kind: 'command', name: null, text, ...scriptOf(text, template) }];
    }
    case 'argv':
    case 'function':
    case 'gate-command':
      return [{ kind: 'command', name: null, text: instruction.text }];
    case 'agent':
      return [{ kind: 'agent', name: instruction.agent, text: instruction.text }];
    case 'step-attempt': {
      const { agent, plan } = instruction;
      const named = [agent, ...(plan.retry?.entries ?? []).flatMap((entry) => [entry.agent, entry.replan])];
      return named.flatMap((template) =>
        template === null || template === undefined
          ? []
          : [{ kind: 'agent', name: constantOf(template), text: `STEP: ${plan.name}` }],
      );
    }
    case 'undo':
      return targetsOf(instruction.by, machine).map((target) => ({ ...target, line: instruction.by.origin.line }));
    case 'plan':
      return toolsOf(machine, instruction.plan, new Set());
    default:
      return [];
  }
}

function toolsOf({ plans = {} }: Machine, name: string, seen: Set<string>): MentionedTarget[] {
  const plan = plans[name];
  if (plan === undefined || seen.has(name)) return [];
  seen.add(name);
  const inner = plan.calls.flatMap(({ delegate }) =>
    delegate === null ? [] : toolsOf({ plans } as Machine, delegate, seen),
  );
  const own = Object.entries(plan.tools).flatMap(([tool, { calls }]): MentionedTarget[] => {
    if (calls.kind === 'plan') return toolsOf({ plans } as Machine, calls.file, seen);
    const called: MentionedTarget = { kind: 'tool', name: tool, text: tool };
    return calls.kind === 'agent' ? [called, { kind: 'agent', name: calls.agent, text: tool }] : [called];
  });
  return [...own, ...inner];
}

/** The text of a template without values; null: only known during the run. */
function constantOf(template: Template): string | null {
  const [only, ...more] = template;
  return typeof only === 'string' && more.length === 0 ? only.trim() : template.length === 0 ? '' : null;
}

/** What tests need not execute: no run comes there, whatever its inputs are. */
export function dropUnreachable(coverage: Coverage): void {
  const reachable = new Set<CoveredItem>();
  const unreachable = new Set<CoveredItem>();
  for (const [machine, items] of coverage.missing()) {
    if (items.size === 0) continue;
    const isUnreachable = unreachableIn(machine);
    for (const [item, positions] of items) (positions.every(isUnreachable) ? unreachable : reachable).add(item);
  }
  // Patterns belong to several machines.
  for (const item of unreachable) if (!reachable.has(item)) coverage.drop(item);
}
