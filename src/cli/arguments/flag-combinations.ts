/**
 * Flags that have no effect together are refused: a person who writes one expects that it has. This is a table of what a
 * flag needs, and of what makes it idle; it counts what was typed, not what environment variables say.
 */
import type { Command } from 'commander';
import { usageError } from '../terminal/usage-error.js';

interface Combination {
  readonly of: readonly string[];
  readonly flags: readonly string[];
  /** One of these gives the flags an effect. */
  readonly needs?: readonly string[];
  /** Each of these takes it from them. */
  readonly idle?: readonly string[];
  readonly help: string;
}

const RESUMES = ['resume', 'replay', 'answer', 'signal', 'rollback'];
const SHOWN = ['--events', '--verbose'];
const LIMITS = ['--max-transitions', '--timeout', '--max-cost', '--max-tokens', '--max-journal', '--max-output'];
const WORLD = ['--agent', '--mock', '--real-time', '--in-doubt', '--suspend-after', '--cwd'];
/** What only the beginning of a run decides. */
const AT_START = [
  ...['--input-file', '--machine', '--start', '--worktree', '--jobs', '--effect-timeout', '--auto-events'],
  ...['--name', '--state', '--tools', '--approved', '--home', '--fresh', '--memo-max-age', '--only'],
];

export const COMBINATIONS: readonly Combination[] = [
  {
    of: ['run', ...RESUMES],
    flags: ['--quiet'],
    idle: ['--verbose'],
    help: 'choose one of them',
  },
  { of: ['run', ...RESUMES], flags: ['--real-time'], needs: ['--mock'], help: 'add `--mock FILE`, or leave it out' },
  {
    of: ['run'],
    flags: ['--again'],
    needs: ['--resume'],
    help: 'write `run FILE --resume --again`; without `--resume` the run begins at its first state',
  },
  {
    of: ['run'],
    flags: ['--from'],
    needs: ['--replay'],
    help: 'write `run FILE --replay --from POINT`, or `run FILE --start STATE` to begin at a state',
  },
  {
    of: ['run'],
    flags: ['--in-doubt'],
    needs: ['--resume', '--from', '--on'],
    help: 'write `run FILE --resume --in-doubt …`; only a run that was interrupted has effects in doubt',
  },
  {
    of: ['run', 'resume', 'replay', 'answer', 'signal'],
    flags: ['--overwrite'],
    needs: ['--record'],
    help: 'add `--record FILE`',
  },
  {
    of: ['run'],
    flags: ['--cassette-match', '--cassette-drift'],
    needs: ['--cassette'],
    help: 'add `--cassette FILE`',
  },
  {
    of: ['run'],
    flags: [
      ...['--detach', '--record', '--cassette', '--resume', '--replay', '--on', '--auto-events', '--suspend-after'],
      ...['--in-doubt', '--real-time', '--dir', '--jobs', ...SHOWN],
    ],
    idle: ['--dry-run'],
    help: 'leave out `--dry-run`, which runs nothing, or the other one',
  },
  {
    of: ['run'],
    flags: ['--yes'],
    idle: ['--dry-run', '--mock', '--cassette'],
    help: 'leave it out: only what calls agents is confirmed',
  },
  {
    of: ['run'],
    flags: ['--fresh', '--memo-max-age', '--only'],
    idle: ['--dry-run', '--mock', '--cassette', '--record'],
    help: 'leave it out: this run does not use the memo',
  },
  {
    of: ['run'],
    flags: AT_START,
    idle: ['--resume', '--replay'],
    help: 'leave it out: a run keeps what it began with',
  },
  {
    of: ['run'],
    flags: ['--detach'],
    idle: ['--resume', '--replay'],
    help: 'write `statedsl resume --detach`',
  },
  { of: ['run'], flags: ['--resume'], idle: ['--replay'], help: 'choose one of them' },
  {
    of: ['run'],
    flags: ['--cassette'],
    idle: ['--resume', '--replay'],
    help: 'a cassette holds a run from its beginning: leave out one of them',
  },
  {
    of: ['resume', 'replay', 'answer', 'signal'],
    flags: ['--record'],
    idle: ['--from-file', '--cwd'],
    help: 'leave out one of them: a cassette holds a whole run of one program in one directory',
  },
  { of: ['run'], flags: ['--record'], idle: ['--cassette'], help: 'choose one of them' },
  {
    of: ['run'],
    flags: ['--effect-timeout', '--max-output'],
    idle: ['--cassette'],
    help: 'leave it out: a cassette starts nothing',
  },
  {
    of: ['run'],
    flags: ['--name', '--key', '--key-while', '--on-busy'],
    idle: ['--dry-run'],
    help: 'leave it out: `--dry-run` makes no run',
  },
  { of: ['run'], flags: ['--memo-max-age'], idle: ['--fresh'], help: 'leave it out: `--fresh` remembers nothing' },
  { of: ['run'], flags: ['--mock'], idle: ['--cassette'], help: 'choose one of them' },
  { of: ['run'], flags: ['--agent'], idle: ['--cassette'], help: 'leave it out: a cassette starts no agent' },
  {
    of: ['replay'],
    flags: [...SHOWN, ...LIMITS, ...WORLD, '--record'],
    needs: ['--from', '--failed'],
    help: 'add `--from POINT` to start a new run; without it `replay` compares, and runs nothing',
  },
  {
    of: ['run'],
    flags: [...SHOWN, ...LIMITS, ...WORLD, '--record'],
    idle: ['--replay'],
    needs: ['--from'],
    help: 'add `--from POINT` to start a new run; `--replay` alone compares, and runs nothing',
  },
  {
    of: ['answer', 'signal'],
    flags: [...SHOWN, ...LIMITS, ...WORLD, '--record'],
    idle: ['--no-resume'],
    help: 'leave out `--no-resume`, which only records, or the other one',
  },
  {
    of: ['resume'],
    flags: SHOWN,
    idle: ['--detach'],
    help: 'leave it out: the process in the background prints nothing; `statedsl show` tells how the run goes',
  },
  {
    of: ['run'],
    flags: ['--verbose'],
    idle: ['--detach'],
    help: 'leave it out: a run in the background prints nothing',
  },
  { of: ['test'], flags: ['--min'], needs: ['--mutate'], help: 'for coverage, write `--coverage-min`' },
  {
    of: ['test'],
    flags: ['--faults'],
    idle: ['--fault'],
    help: 'choose one of them: `--fault POINT` runs only this one',
  },
  { of: ['test'], flags: ['--update', '--update-cassettes'], idle: ['--mutate'], help: 'write the files first' },
  { of: ['test'], flags: ['--rerun-failed'], idle: ['--mutate'], help: '`--mutate` needs tests that pass' },
  {
    of: ['check'],
    flags: ['--home', '--shared'],
    needs: ['--on'],
    help: 'add `--on URL`: it is about the workers of an engine',
  },
  { of: ['verify'], flags: ['--traces'], idle: ['--json', '--graph'], help: 'leave it out: they show everything' },
];

/** Refuses a command line with a flag that has no effect. Rejects after it has said so. */
export async function refuseIdleFlags(called: Command): Promise<void> {
  const wrong = takenOption(called) ?? idleFlag(called.name(), typedFlags(called));
  if (wrong === null) return;
  await usageError(wrong.message, wrong.help);
  throw Object.assign(new Error(wrong.message), { code: 'commander.combination', exitCode: 2 });
}

/** What the help calls the values that name a location; an empty one would mean the current directory. */
const LOCATIONS: ReadonlySet<string> = new Set(['directory', 'folder', 'file']);

/**
 * An option that is the value of another one, as in `--cassette --quiet`: the value was forgotten. Or no name at all, as in
 * `--dir "$STORE"` without such a variable.
 */
export function takenOption(called: Command): { readonly message: string; readonly help: string } | null {
  const names = called.options.map(({ long }) => long);
  for (const option of called.options) {
    const value: unknown = called.getOptionValue(option.attributeName());
    const isTyped = called.getOptionValueSource(option.attributeName()) === 'cli';
    const [, what = 'VALUE'] = /<(.+?)>/.exec(option.flags) ?? [];
    const isNowhere = value === '' && LOCATIONS.has(what);
    if (!isTyped || !option.required || typeof value !== 'string' || !(isNowhere || names.includes(value))) continue;
    return {
      message: `the value of \`${option.long}\` is missing`,
      help: `write \`${`${option.long} ${what.toUpperCase()} ${value}`.trim()}\``,
    };
  }
  return null;
}

function typedFlags(called: Command): ReadonlySet<string> {
  const typed = called.options.filter((option) => called.getOptionValueSource(option.attributeName()) === 'cli');
  // `--no-resume` and `--resume` have one attribute: the value tells which of them was typed.
  const meant = typed.filter((option) => (called.getOptionValue(option.attributeName()) === false) === option.negate);
  return new Set(meant.map(({ long }) => long ?? ''));
}

/** The first flag without an effect, and what has one. */
export function idleFlag(
  command: string,
  typed: ReadonlySet<string>,
): { readonly message: string; readonly help: string } | null {
  for (const { of, flags, needs, idle, help } of COMBINATIONS) {
    if (!of.includes(command)) continue;
    const flag = flags.find((one) => typed.has(one));
    if (flag === undefined || needs?.some((one) => typed.has(one))) continue;
    if (idle === undefined) return { message: `\`${flag}\` has no effect without ${either(needs ?? [])}`, help };
    const other = idle.find((one) => typed.has(one));
    if (other !== undefined) return { message: `\`${flag}\` has no effect with \`${other}\``, help };
  }
  return null;
}

const either = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(' or ');
