/** Commands and options as other tools name them: what to write here. */

const COMMANDS: Readonly<Record<string, string>> = {
  ...{ logs: 'output', log: 'output', tail: 'output --follow', cat: 'output' },
  ...{ status: 'show', inspect: 'show', describe: 'show', info: 'show', get: 'show', state: 'show' },
  ...{ ps: 'runs', ls: 'list', history: 'runs', 'list-runs': 'runs', jobs: 'runs' },
  ...{ validate: 'check', lint: 'check', analyze: 'check', compile: 'check', build: 'check', typecheck: 'check' },
  ...{ prove: 'verify', explore: 'verify', simulate: 'verify' },
  ...{ undo: 'rollback', revert: 'rollback', compensate: 'rollback' },
  ...{ approve: 'answer', reply: 'answer', respond: 'answer', accept: 'answer', confirm: 'answer' },
  ...{ deny: 'answer', reject: 'answer' },
  ...{ send: 'signal', emit: 'signal', notify: 'signal', trigger: 'signal', publish: 'signal' },
  ...{ stop: 'cancel', kill: 'cancel', abort: 'cancel', terminate: 'cancel', end: 'cancel', delete: 'cancel' },
  ...{ start: 'run FILE', exec: 'run FILE', execute: 'run FILE', go: 'run FILE', launch: 'run FILE' },
  ...{ submit: 'run FILE', watch: 'test --watch', dev: 'test --watch', tests: 'test', spec: 'test' },
  ...{ 'dry-run': 'run FILE --dry-run', dryrun: 'run FILE --dry-run', preview: 'run FILE --dry-run' },
  ...{ retry: 'resume', continue: 'resume', restart: 'resume', unpause: 'resume', rerun: 'replay' },
  ...{ format: 'fmt', prettier: 'fmt', tidy: 'fmt', fix: 'check FILE --fix' },
  ...{ draw: 'graph', render: 'graph', visualize: 'graph', diagram: 'graph', viz: 'graph' },
  ...{ new: 'init', create: 'init', scaffold: 'init', generate: 'init' },
  ...{ web: 'ui', open: 'ui', dashboard: 'ui', view: 'ui', server: 'serve', api: 'serve', daemon: 'serve' },
  ...{ rm: 'gc', clean: 'gc --keep-last N', prune: 'gc --keep-last N', purge: 'gc --keep-last N' },
  ...{
    merge: 'apply',
    compare: 'diff',
    trace: 'show',
    debug: 'run FILE --verbose',
    export: 'report --html FILE',
    stats: 'report',
  },
  ...{ cost: 'report', time: 'report', agents: 'doctor', version: '--version', diagnose: 'doctor' },
  ...{ import: 'convert', migrate: 'convert', translate: 'convert', record: 'run FILE --record CASSETTE' },
};

/** Null: the command is not known from another tool. */
export function commandHint(written: string): string | null {
  const meant = Object.hasOwn(COMMANDS, written.toLowerCase()) ? COMMANDS[written.toLowerCase()] : undefined;
  return meant === undefined ? null : `write \`statedsl ${meant}\``;
}

const INPUT = ['--var', '--set', '--param', '--arg', '--args', '--env-var', '--inputs', '-e', '-D', '-p', '-P', '-v'];
const OPTIONS: Readonly<Record<string, string>> = {
  ...{ '--port': '--listen 127.0.0.1:PORT', '-p': '--listen 127.0.0.1:PORT', '--host': '--listen HOST:PORT' },
  ...{ '--bind': '--listen HOST:PORT', '--address': '--listen HOST:PORT', '--addr': '--listen HOST:PORT' },
  ...{ '-q': '--quiet', '--silent': '--quiet', '-s': '--quiet', '-v': '--verbose', '--debug': '--verbose' },
  ...{ '--background': '--detach', '-d': '--detach', '--daemon': '--detach', '-n': '--dry-run', '-j': '--jobs' },
  ...{ '--dryrun': '--dry-run', '--plan': '--dry-run', '--preview': '--dry-run', '--check': '--dry-run' },
  ...{ '--workdir': '--cwd', '-C': '--cwd', '--chdir': '--cwd', '--working-directory': '--cwd' },
  ...{ '--parallel': '--jobs', '--concurrency': '--jobs', '--workers': '--jobs', '--max-parallel': '--jobs' },
  ...{ '--budget': '--max-cost', '--cost': '--max-cost', '--max-steps': '--max-transitions', '--limit': '--last' },
  ...{ '--max-iterations': '--max-transitions', '--recursion-limit': '--max-transitions', '--entry': '--start' },
  ...{
    '--entrypoint': '--start',
    '--state': '--start',
    '--format=json': '--json',
    '--watch': '--follow',
    '-f': '--follow',
  },
  ...{
    '--engine': '--on',
    '--url': '--on',
    '--server': '--on',
    '--grep': '--filter',
    '-t': '--filter',
    '-k': '--filter',
  },
  ...{
    '--fail-fast': '--bail',
    '-x': '--bail',
    '--update-snapshots': '--update',
    '-u': '--update',
    '--cov': '--coverage',
  },
  ...{ '--write': '--fix', '--autofix': '--fix', '--werror': '--strict', '-W': '--strict', '--store': '--dir' },
};

/**
 * What to write instead of an unknown option; null if nothing is known. `known`: the options of the command. `rest` are
 * the words after it.
 */
export function optionHint(
  command: string,
  written: string,
  rest: readonly string[],
  known: readonly string[],
): string | null {
  const [name = '', value] = written.split('=', 2) as [string, string?];
  if (name === '--no-color' || name === '--color')
    return `set an environment variable: \`${name === '--color' ? 'FORCE_COLOR=1' : 'NO_COLOR=1'}\``;
  if (name === '--config' || name === '-c') return 'leave it out: statedsl finds `statedsl.config.yaml` here and above';
  if (name === '--model') return 'set the model of an agent in `statedsl.config.yaml`';
  if (name === '-y' || name === '--yes') return 'leave it out: answer with `statedsl answer RUN NAME=yes`';
  if (name === '--record' && command === 'rollback')
    return 'leave it out: a cassette holds a run from its beginning, which no rollback is part of';
  const meant = Object.hasOwn(OPTIONS, name) ? (OPTIONS[name] as string) : null;
  if (meant !== null && known.includes(meant.split(' ')[0] as string))
    return `write \`${/^\d+$/.test(value ?? rest[0] ?? '') ? meant.replace('PORT', value ?? rest[0] ?? '') : meant}\``;
  if (!known.includes('--input')) return null;
  const given = INPUT.includes(name) ? (value ?? rest[0] ?? '') : null;
  if (given?.includes('=')) return `write \`-i ${given}\``;
  const input = /^--([A-Za-z_][\w-]*)$/.exec(name)?.[1]?.replaceAll('-', '_');
  if (command !== 'run' || input === undefined) return null;
  const next = value ?? (rest[0] !== undefined && !rest[0].startsWith('-') ? rest[0] : '…');
  return `write \`-i ${input}=${/^[\w./:@-]+$/.test(next) ? next : '…'}\` to set an input`;
}

/** A word too many of `command`; null if nothing is known. */
export function wordHint(command: string, words: readonly string[]): string | null {
  const assigned = words.filter((word) => /^[A-Za-z_]\w*:?=/.test(word));
  if (command === 'run' && assigned.length > 0)
    return `write \`${assigned.map((word) => `-i ${/^[\w./:@=-]+$/.test(word) ? word : `'${word}'`}`).join(' ')}\` to set inputs`;
  if (command === 'run' && words.some((word) => /\.(?:dsl|statedsl|md|ya?ml)$/.test(word)))
    return 'run one program at a time; `statedsl test` and `statedsl check` take several';
  if (command === 'run') return 'write `-i name=value` to set an input';
  return null;
}
