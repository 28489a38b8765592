/** What `verify` claims of a program against what all of its runs do. */
import type { Found, Verification } from '../../src/lab/foresight/verify-machine.js';
import type { Instruction } from '../../src/machine/machine.js';
import { type BruteForce, CALLS, CENTS } from './brute-force.js';

/** `wrong`: a run does what is said not to happen. `vague`: nothing does what is said to be possible. */
export interface Comparison {
  readonly wrong: readonly string[];
  readonly vague: readonly string[];
}

export function compared(claimed: Verification, found: BruteForce, length: number): Comparison {
  const wrong: string[] = [];
  const vague: string[] = [];
  for (const { what, most, ordinarily, claim } of boundsIn(claimed, found, length)) {
    if (ordinarily > claim) wrong.push(`${what}: ${ordinarily}, not ${claim}`);
    if (most < claim) vague.push(`${what}: ${most}, not ${claim}`);
  }
  const { defects, machine } = claimed;
  const ends = new Set(claimed.ends.map(({ status, state, error }) => `${status} ${state} ${error}`));
  for (const end of found.ends) if (!ends.has(end)) wrong.push(`end ${end}`);
  const isLimited = machine.limits.transitions !== undefined;
  for (const end of ends) if (!found.ends.has(end) && !isLimited) vague.push(`end ${end}`);
  for (const state of claimed.never) if (found.entered.has(state)) wrong.push(`never ${state}`);
  const has = (kind: Found['kind']): boolean => defects.some((one) => one.kind === kind);
  if (Object.keys(machine.limits).length === 0) {
    if (found.isEndless && !has('endless')) wrong.push('it is endless');
    if (!found.isEndless && has('endless')) vague.push('it is not endless');
    if (found.isEndlessWaiting && !has('endless') && !has('endless-waiting')) wrong.push('it is endless-waiting');
    if (!found.isEndlessWaiting && !found.isEndless && has('endless-waiting')) vague.push('it is not endless-waiting');
    if (found.hasNoEnd && !has('no-end') && !has('endless')) wrong.push('it has no end');
    if (!found.hasNoEnd && has('no-end')) vague.push('it always has an end');
  }
  places(claimed, found, wrong, vague);
  rules(claimed, found, wrong);
  for (const { kind, line, isOnlyPossible } of defects)
    if (isOnlyPossible === true) vague.push(`${kind} of line ${line} is only possible`);
  return { wrong, vague };
}

/** What is said of all runs, or that no run comes somewhere. */
function rules({ properties }: Verification, { shown }: BruteForce, wrong: string[]): void {
  properties
    .flatMap((property) => property.rules)
    .forEach(({ text, verdict, note, except = [] }, at) => {
      // Of runs that LIMIT ends, nothing is said then.
      if (note?.includes('that `LIMIT: ') === true) return;
      const isExcluded = text.startsWith('REACHES') ? verdict === 'violated' : /proved|bounded|vacuous/.test(verdict);
      for (const rare of shown[at] ?? [])
        if (isExcluded && (rare === null || !except.includes(rare)))
          wrong.push(`${text} is ${verdict}, and ${rare ?? 'nothing rare'} breaks it`);
    });
}

interface Pair {
  readonly what: string;
  readonly most: number;
  /** In runs in which nothing rare happens. */
  readonly ordinarily: number;
  readonly claim: number;
}

function boundsIn({ bounds }: Verification, { most, mostOrdinarily }: BruteForce, length: number): Pair[] {
  // Polls are counted by the time of their WAIT.
  const counted = bounds.filter(
    ({ kind, because }) => kind !== 'time' && kind !== 'cost' && because?.text !== 'timeout of WAIT',
  );
  const known = new Set(bounds.map(({ what }) => what));
  return [
    ...counted.map(({ what, atMost, formula }) => ({
      what,
      most: most.get(what) ?? 0,
      ordinarily: mostOrdinarily.get(what) ?? 0,
      claim: formula === null ? (atMost ?? Number.POSITIVE_INFINITY) : formulaValue(formula, length),
    })),
    ...[...mostOrdinarily].flatMap(([what, ordinarily]) =>
      known.has(what) || what === CALLS || what === CENTS || ordinarily === 0
        ? []
        : [{ what, most: ordinarily, ordinarily, claim: 0 }],
    ),
  ];
}

/** The value of a formula for lists of this length; NaN: it does not say. */
export function formulaValue(formula: string, length: number): number {
  const parts = /^(?:(\d+) \+ )?(\d+) × /.exec(formula);
  return parts === null ? Number.NaN : Number(parts[1] ?? 0) + Number(parts[2]) * length;
}

function places({ defects, machine }: Verification, found: BruteForce, wrong: string[], vague: string[]): void {
  const code = machine.states.flatMap((state) => state.code);
  const at = (kind: Found['kind'], line: number): boolean =>
    defects.some((one) => one.kind === kind && one.line === line);
  const byLine = new Map<string, { readonly one: Instruction; isTrue: boolean; isFalse: boolean }>();
  code.forEach((one, pc) => {
    if (one.op !== 'unless') return;
    const key = `${one.origin.line} ${one.text}`;
    const known = byLine.get(key);
    const [isTrue, isFalse] = [found.wasTrue.has(pc), found.wasFalse.has(pc)];
    byLine.set(key, { one, isTrue: isTrue || known?.isTrue === true, isFalse: isFalse || known?.isFalse === true });
  });
  for (const { one, isTrue, isFalse } of byLine.values()) {
    const { line } = one.origin;
    const text = one.op === 'unless' ? one.text : '';
    const claims = defects.filter((each) => each.line === line && each.message.includes(`\`${text}\``));
    for (const { kind, message } of claims)
      if (kind === 'dead-branch' && (message.endsWith('true') ? isFalse : isTrue))
        wrong.push(`line ${line} ${message}`);
      else if (kind === 'dead-handler' && isTrue) wrong.push(`line ${line} ${message}`);
    if (isTrue !== isFalse && !claims.some(({ kind }) => kind === 'dead-branch' || kind === 'dead-handler'))
      vague.push(`line ${line}: \`${text}\` is always ${isTrue}`);
  }
  for (const { kind, line } of defects)
    if (
      kind === 'certain-failure' &&
      code.some((one, pc) => one.origin.line === line && found.passed.has(pc) && found.failed.has(pc))
    )
      wrong.push(`line ${line} does not always fail`);
  code.forEach((one, pc) => {
    if (['fail', 'fell-off', 'step-verdict'].includes(one.op)) return;
    if (found.failed.has(pc) && !found.passed.has(pc) && !at('certain-failure', one.origin.line))
      vague.push(`line ${one.origin.line} always fails`);
  });
}
