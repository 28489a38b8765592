/** The possible outcomes of a plan, as text and as JSON. Calls are named by their tools and their positions in the plan. */
import type { Simulation } from '../../interpreter/plan/simulate-plan.js';
import type { Plan, PlanCall } from '../../machine/plan.js';
import { printPath } from '../../prelude/reference.js';
import { escapeControls, oneLine, visibleLine } from '../drawing/visible-text.js';

export function planCasesJson(plan: Plan, { cases, never, truncated }: Simulation): object {
  const names = (indexes: readonly number[]) => indexes.map((index) => nameOf(plan.calls[index]));
  return {
    cases: cases.map(({ arms, runs, skipped }) => ({ arms, runs: names(runs), skipped: names(skipped) })),
    never: never.map((index) => ({ index, tool: nameOf(plan.calls[index]) })),
    truncated,
  };
}

export function planCasesText(plan: Plan, { cases, never, truncated }: Simulation): string {
  const names = (indexes: readonly number[]) =>
    indexes.length === 0 ? 'nothing' : indexes.map((index) => titleOf(plan.calls[index])).join(', ');
  const out = cases.map(({ arms, runs, skipped }, at) => {
    const choices = Object.entries(arms).map(([index, arm]) => {
      const call = plan.calls[Number(index)];
      const paths = (call?.arms[arm] ?? []).map((path) => `†${printPath(path)}`);
      return `  ${titleOf(call)} → ${paths.join(' && ')}\n`;
    });
    return `case ${at + 1}\n${choices.join('')}  runs: ${names(runs)}\n  skipped: ${names(skipped)}\n`;
  });
  if (truncated) out.push(`there are more cases: only the first ${cases.length} were tried\n`);
  else out.push(`never runs: ${names(never)}\n`);
  return escapeControls(out.join('\n'));
}

export function nameOf(call: PlanCall | undefined): string {
  return visibleLine(call?.tool ?? call?.delegate ?? '_output');
}

function titleOf(call: PlanCall | undefined): string {
  return `${nameOf(call)} (call ${(call?.source ?? 0) + 1}${call?.instance == null ? '' : ` in ${oneLine(call.instance)}`})`;
}
