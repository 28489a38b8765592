/** Judges the properties of a test file by the events of one run, with a fault or without. */
import type { RunEvent } from '../../interpreter/events/event.js';
import { link, startRun } from '../../interpreter/run.js';
import type { Json } from '../../machine/expression.js';
import type { RunReport } from '../../runtime/run/run-report.js';
import { runOptionsOf } from '../foresight/foresight-options.js';
import { evaluatorOf, type MonitoredRule, type Monitors, monitorsOf } from '../foresight/monitors.js';
import type { Suite } from './suite.js';

interface JudgedRun {
  readonly events: readonly RunEvent[];
  readonly report: RunReport;
  readonly inputs: Readonly<Record<string, Json>>;
}

/** A rule that a run violates, and where it is in the file. */
export interface ViolatedRule {
  readonly property: string;
  readonly text: string;
  readonly offset: number;
}

interface CompiledRules {
  readonly rules: readonly (ViolatedRule & { readonly rule: MonitoredRule })[];
  readonly monitors: Monitors;
  readonly assumptions: readonly ReturnType<typeof evaluatorOf>[];
}

const compiled = new WeakMap<Suite, readonly CompiledRules[]>();

/** `REACHES` is about other runs, and is not judged. */
export function violatedRules(suite: Suite, { events, report, inputs }: JudgedRun): ViolatedRule[] {
  if (suite.properties.length === 0) return [];
  const properties = compiled.get(suite) ?? compileAll(suite);
  compiled.set(suite, properties);
  const { machine } = suite;
  const run = startRun(link(machine), runOptionsOf(machine, { inputs }));
  const isOver = report.status === 'returned' || report.status === 'failed';
  const found: ViolatedRule[] = [];
  for (const { rules, monitors, assumptions } of properties) {
    const isAssumed = assumptions.every((holds) => holds({ run, tracked: [], knowledge: null }) === true);
    if (!isAssumed || rules.length === 0) continue;
    const { violated } = monitors.step(monitors.first, { run, events, knowledge: null, trackedBefore: [], isOver });
    rules.forEach(({ rule, ...about }, at) => {
      const isWrongEnd = rule.kind === 'ends' && isOver && rule.statuses?.includes(report.status) === false;
      if (isWrongEnd || violated.includes(at)) found.push(about);
    });
  }
  return found;
}

function compileAll({ properties, tree }: Suite): CompiledRules[] {
  return properties.map(({ name, rules, assumptions }) => {
    const lines = tree.properties.find((one) => one.name === name)?.rules ?? [];
    return {
      rules: rules.map((rule) => ({
        ...{ property: name, text: rule.text, rule },
        offset: lines.find(({ text }) => text === rule.text)?.span.start ?? 0,
      })),
      monitors: monitorsOf(rules),
      assumptions: assumptions.map(evaluatorOf),
    };
  });
}
