/** Why a failed run is not resumed: it would fail again, or the user must agree to what would be repeated. */
import type { RepeatedInstruction } from '../../../interpreter/record/kept-effects.js';
import { failsAgain, type Run } from '../../../interpreter/run.js';
import { byteCount } from '../../../machine/byte-count.js';
import type { ExceededScope, Limits, Machine } from '../../../machine/machine.js';
import { digestOf } from '../../store/image.js';
import { RunRefused } from '../../store/store-error.js';
import type { StoredRun } from '../../store/stored-run.js';
import { defaultLimit } from '../growth.js';
import type { FirstFailure, KnownEffect, ResumePoint } from './find-resume-point.js';
import type { Recovered } from './recover.js';
import type { UsedUp } from './search-record.js';

/** What a run would repeat, and what was done because that had failed. */
export interface GoingBack {
  readonly runId: string;
  /** Commands, agents and tools that are executed again. */
  readonly again: readonly KnownEffect[];
  /** Effects of ON ERROR and the state ERROR since the failure. They stay done. */
  readonly stays: readonly KnownEffect[];
  /** What an edited program has above them, which is executed first. */
  readonly first?: readonly KnownEffect[];
  /** Null if the record does not say, or a limit ended the run. */
  readonly failure: FirstFailure | null;
}

/** Throws a `RunRefused` if the program does not produce the events on record. */
export function refuseDifference(recovered: Recovered): Recovered {
  const { difference } = recovered;
  if (difference === null) return recovered;
  const made = difference.made === null ? 'nothing' : `\`${difference.made.type}\``;
  throw new RunRefused(
    'unusable',
    `the record of the run does not match its program: event ${difference.seq} is \`${difference.recorded.type}\`, but the program produces ${made}`,
    'see the difference with `statedsl replay`; a secret that is not stored may have caused it',
  );
}

/**
 * The run goes back before effects of a handler only if the user agrees: `again` is the answer, or a function that asks.
 * Rejects with a `RunRefused`.
 */
export async function refuseUnlessAgreed(
  { about }: StoredRun,
  point: ResumePoint | null,
  again: boolean | ((back: GoingBack) => boolean | Promise<boolean>) | undefined,
): Promise<void> {
  if (point === null || point.stays.length === 0) return;
  const { stays, failure } = point;
  const back = { runId: about.run_id, again: point.again, stays, failure };
  if (typeof again === 'function' ? await again(back) : again === true) return;
  throw new RunRefused(
    'wrong-use',
    `the failure was handled: ${listEffects(stays)} ${stays.length === 1 ? 'was' : 'were'} done and would not be undone, and ${goal(back)}`,
    `resume anyway: \`statedsl resume ${about.run_id} --again\``,
  );
}

/** What an edited program does again although it is done needs the same agreement. Rejects with a `RunRefused`. */
export async function refuseUnlessRepeated(
  { about }: StoredRun,
  repeated: readonly RepeatedInstruction[],
  again: boolean | ((back: GoingBack) => boolean | Promise<boolean>) | undefined,
): Promise<void> {
  if (repeated.length === 0) return;
  const effects = repeated.map((one) => ({ effect: '', ...one }));
  const back = { runId: about.run_id, again: effects, stays: [], failure: null };
  if (typeof again === 'function' ? await again(back) : again === true) return;
  throw new RunRefused(
    'wrong-use',
    `the edited program would run again what has already run: ${listEffects(effects)}`,
    `resume anyway with \`--again\`, or remove ${effects.length === 1 ? 'that line' : 'those lines'}`,
  );
}

/**
 * What an edited program has above what is open: executed first, if what is open begins anew, and left out otherwise. Neither
 * happens without agreement. Rejects with a `RunRefused`.
 */
export async function refuseUnlessInserted(
  { about }: StoredRun,
  found: {
    readonly first: readonly RepeatedInstruction[];
    readonly leftOut: readonly RepeatedInstruction[];
    readonly repeated: readonly RepeatedInstruction[];
    /** The lines that begin anew. */
    readonly anew: readonly number[];
  },
  again: boolean | ((back: GoingBack) => boolean | Promise<boolean>) | undefined,
): Promise<void> {
  const effectOf = (one: RepeatedInstruction): KnownEffect => ({ effect: '', ...one });
  const leftOut = found.leftOut.map(effectOf);
  const repeated = found.repeated.map(effectOf);
  const first = found.first.map(effectOf).filter((one) => !leftOut.some(({ line }) => line === one.line));
  const back = { runId: about.run_id, again: repeated, stays: [], first, failure: null };
  if (typeof again === 'function' ? await again(back) : again === true) return;
  const count = first.length + leftOut.length + repeated.length;
  const what =
    count === 0 ? 'leave the lines in their order' : `move ${count === 1 ? 'that line' : 'those lines'} further down`;
  const problems = [
    ...(leftOut.length === 0
      ? []
      : [`would leave out ${listEffects(leftOut)}, because what is below has begun and cannot begin anew`]),
    ...(first.length === 0
      ? []
      : [`has ${listEffects(first)} above line ${found.anew.join(', ')}, which had begun and would begin anew`]),
    ...(count > 0
      ? []
      : [
          `has finished lines in another order above line ${found.anew.join(', ')}, which had begun and would begin anew`,
        ]),
    ...(repeated.length === 0 ? [] : [`would run again what has already run: ${listEffects(repeated)}`]),
  ];
  throw new RunRefused(
    'wrong-use',
    `the edited program ${problems.join(', and ')}`,
    `resume anyway with \`--again\`, or ${what}`,
  );
}

function goal({ again, failure }: GoingBack): string {
  if (again.length > 0) return `${listEffects(again)} would run again`;
  return failure === null ? 'the run would go back before it' : `the run would go back to line ${failure.line}`;
}

function listEffects(effects: readonly KnownEffect[]): string {
  const shown = effects.slice(0, 5).map(({ text, line }) => `\`${oneLine(text)}\` (line ${line})`);
  return effects.length > 5 ? `${shown.join(', ')} and ${effects.length - 5} more` : shown.join(', ');
}

function oneLine(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
}

/** If no effect caused the failure, the same program fails in the same way: resuming helps only if something differs now. */
export function refuseHopeless(
  { about }: StoredRun,
  { hopeless, failure, discarded }: ResumePoint,
  { run, machine }: { readonly run: Run; readonly machine: Machine | undefined },
): void {
  const edited = machine !== undefined && digestOf(machine) !== digestOf(run.linked.machine);
  if (hopeless === 'unless-edited' && (edited || !failsAgain(run, discarded.held ?? []))) return;
  const { error, line, state } = failure as FirstFailure;
  const file = about.program === null || about.program === '<stdin>' ? 'FILE' : about.program;
  const help =
    hopeless === 'always'
      ? `correct the program and start again from a state: \`statedsl replay ${about.run_id} --from ${state} --from-file ${file}\``
      : `correct the program, then resume: \`statedsl resume ${about.run_id} --from-file ${file}\``;
  const why = error.trim() === '' ? '' : `: ${error}`;
  throw new RunRefused('wrong-use', `the run would fail again at line ${line}${why}`, help);
}

const FLAGS = {
  transitions: '--max-transitions',
  time: '--timeout',
  cost: '--max-cost',
  tokens: '--max-tokens',
  journal: '--max-journal',
  output: '--max-output',
} as const;

/** A run that stopped at a limit is resumed only with a higher one; otherwise every resume would go a little further. */
export function refuseUsedUp({ scope, limit, used }: UsedUp, had: Limits, given: Limits): void {
  if (scope === 'image')
    throw new RunRefused(
      'wrong-use',
      `the run needs more than the ${byteCount(limit)} that an engine remembers of a run`,
      'keep less in variables, such as names of files instead of their contents, and start a new run',
    );
  const key = scope === 'time' ? 'timeMs' : scope;
  const raised = given[key];
  const isOwn = (had[key] ?? defaultLimit(scope)) === limit;
  if (isOwn && raised !== undefined && raised >= used && raised > limit) return;
  const amount = limitText(scope, limit);
  if (isOwn)
    throw new RunRefused(
      'wrong-use',
      `the run has used up its limit of ${amount}`,
      `raise the limit with \`${FLAGS[scope]}\``,
    );
  throw new RunRefused(
    'wrong-use',
    `a workflow that the run calls has used up its own limit of ${amount}`,
    'raise the limit in the file of that workflow, and start a new run',
  );
}

function limitText(scope: ExceededScope, limit: number): string {
  if (scope === 'journal' || scope === 'output') return `${byteCount(limit)} of ${scope}`;
  return scope === 'time' ? `${limit} ms` : scope === 'cost' ? `$${limit}` : `${limit} ${scope}`;
}
