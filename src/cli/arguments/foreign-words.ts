/**
 * What to write instead of a command line that the parser refuses: commands and options as other tools name them, options
 * of other commands, and values in another form.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { Command, Option } from 'commander';
import { isMisspelling, nearest } from '../../prelude/nearest.js';

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
  ...{
    up: 'run FILE',
    deploy: 'run FILE',
    dispatch: 'run FILE',
    invoke: 'run FILE',
    call: 'run FILE',
    play: 'run FILE',
  },
  ...{ down: 'cancel RUN', pause: 'cancel RUN', suspend: 'cancel RUN', eval: 'test', bench: 'test', watchdog: 'runs' },
  ...{ config: 'doctor', tools: 'list', workflows: 'list', flows: 'list', models: 'doctor', login: 'doctor' },
  ...{
    install: 'skill install',
    upgrade: '--version',
    update: '--version',
    docs: 'guide',
    man: 'help',
    tutorial: 'guide',
  },
  ...{ schedule: 'schedules', cron: 'schedules', crons: 'schedules', errors: 'explain CODE', why: 'explain CODE' },
  ...{ import: 'convert', migrate: 'convert', translate: 'convert', record: 'run FILE --record CASSETTE' },
};

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
    '--format=json': '--json',
    '--watch': '--follow',
    '-f': '--follow',
    '--last-failed': '--rerun-failed',
    '--lf': '--rerun-failed',
    '--comment': '--reason',
    '-m': '--reason',
    '--message': '--reason',
    '--token': '--token-file FILE',
    '--detached': '--detach',
    '-c': '--cwd',
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

/** Options of one command that another tool has, with the whole next step. `…` is what follows the option. */
const OF_COMMANDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  fmt: {
    ...{ '--write': 'leave it out: `fmt` writes the files', '-w': 'leave it out: `fmt` writes the files' },
    ...{ '-i': 'leave it out: `fmt` writes the files', '--diff': 'write `--check`', '-d': 'write `--check`' },
  },
  check: {
    ...{ '--format': 'write `--json`', '-o': 'write `--json`', '--dry-run': 'write `statedsl run FILE --dry-run`' },
    ...{ '-i': 'leave it out: `check` needs no inputs', '--input': 'leave it out: `check` needs no inputs' },
  },
  test: {
    ...{ '-n': 'write `--jobs …`', '-j': 'write `--jobs …`', '--parallel': 'write `--jobs …`' },
    ...{
      '--junit': 'write `--reporter junit > …`',
      '--json': 'write `--reporter json`',
      '--tap': 'write `--reporter tap`',
    },
    ...{ '--output': 'write the output to a file with `> …`', '-o': 'write the output to a file with `> …`' },
    ...{ '--name': 'write `--filter …`', '--match': 'write `--filter …`', '--only': 'write `--filter …`' },
    '--watchAll': 'write `--watch`',
  },
  graph: {
    ...{ '--svg': 'write `--format svg`', '--dot': 'write `--format dot`', '--mermaid': 'write `--format mermaid`' },
    ...{ '-o': 'write the output to a file with `> …`', '--output': 'write the output to a file with `> …`' },
    '--ascii': 'write `--format ascii`',
  },
  runs: {
    ...{ '-n': 'write `--last …`', '--limit': 'write `--last …`', '--count': 'write `--last …`' },
    ...{ '--status': 'leave it out: the column STATUS shows it, and `statedsl runs --json` has it as `status`' },
    ...{ '--since': 'write `--last 20`: the runs are listed newest first' },
  },
  run: {
    '--restart': 'leave it out: each `run` is a new run, and `statedsl resume` continues an old one',
    '--fresh': 'leave it out: each `run` is a new run, and `statedsl resume` continues an old one',
    '--trace': 'leave it out: `statedsl show` prints the events of the run, and `--events` prints them as they come',
  },
  signal: {
    ...{
      '--payload': 'write the payload after the name: `statedsl signal NAME …`',
      '--data': 'write the payload after the name: `statedsl signal NAME …`',
    },
    ...{ '-d': 'write the payload after the name: `statedsl signal NAME …`', '--name': 'write `statedsl signal …`' },
  },
  resume: {
    ...{ '--from': 'write `statedsl replay --from …`', '--start': 'write `statedsl replay --from …`' },
    ...{
      '--at': 'write `statedsl replay --from …`',
      '--force': 'leave it out: `resume` continues a run that has stopped',
    },
  },
  replay: { '--dry-run': 'leave it out: without `--from`, `replay` starts nothing', '--start': 'write `--from …`' },
  report: { '--format': 'write `--html FILE` or `--json`', '-o': 'write `--html …`', '--output': 'write `--html …`' },
  output: { '--tail': 'write `statedsl output | tail -n …`', '-n': 'write `statedsl output | tail -n …`' },
  rollback: {
    '--record': 'leave it out: a cassette holds a run from its beginning, which no rollback is part of',
  },
  cancel: { '--all': 'name one run after the other: `statedsl runs` lists them' },
  mcp: {
    '--port': 'write `--http 127.0.0.1:…`',
    '--stdio': 'leave it out: without `--http` it uses standard input and output',
  },
  ui: { '--port': 'leave it out: `ui` takes a free port; `statedsl serve --listen 127.0.0.1:…` takes this one' },
  init: {
    '--template': 'write `statedsl init …`',
    '-t': 'write `statedsl init …`',
    '--example': 'write `statedsl init …`',
  },
  list: { '--all': 'leave it out: `list` shows all programs below the folder' },
  gc: { '--older-than': 'write `--keep-last N`: the newest N runs are kept', '--days': 'write `--keep-last N`' },
  doctor: { '--fix': 'leave it out: `doctor` only shows what is installed' },
  worker: {
    ...{ '--on': 'write `--engine …`, with the address of its admin API', '--url': 'write `--engine …`' },
    ...{ '--port': 'write `--listen 127.0.0.1:…`', '--concurrency': 'write `--jobs …`' },
  },
  schedules: { '--next': 'leave it out: the column NEXT shows the next time of each' },
};
/** They change nothing here. */
const IDLE = new Set(
  '--ci --runInBand --run-in-band --no-cache --forceExit --verbose -v -vv --timeout --color --colors --strict-mode --silent -q --pretty'.split(
    ' ',
  ),
);

const FILE = /\.(?:dsl|statedsl|md|ya?ml|json)$/i;
const isProgram = (name: string): boolean => /^[^.].*(?<!\.test)\.(?:dsl|statedsl)$/.test(name);

/** A program of this directory, to be named in an example. */
function programHere(): string {
  try {
    return readdirSync('.').sort().find(isProgram) ?? 'FILE';
  } catch {
    return 'FILE';
  }
}

/** Whether the program declares this input: a next step that it refuses would help nobody. */
function declares(file: string | undefined, input: string): boolean {
  try {
    const text = readFileSync(file ?? '', 'utf8').slice(0, 100_000);
    return new RegExp(
      `^[ \\t]*(?:INPUT:[^#\\n]*\\b${input}\\b|inputs:[^#\\n]*\\b${input}\\b|  ?(?:- )?${input}\\b)`,
      'm',
    ).test(text);
  } catch {
    return false;
  }
}

/** What to write instead of these words, which the parser refuses with `error`; null if nothing is known. */
export function hintFor(error: string, program: Command, words: readonly string[]): string | null {
  const command = program.commands.find((one) => one.name() === words[0]);
  const unknown = /^error: unknown command '(.+)'$/.exec(error)?.[1];
  if (unknown !== undefined) return commandHint(unknown, program, command, words);
  const option = /^error: unknown option '(.+)'$/.exec(error)?.[1];
  if (command === undefined) return option === undefined ? null : leadingOption(option, program, words);
  if (option !== undefined) return optionHint(command, option, program, words);
  const valued = /^error: option '(.+?)' argument (?:missing|'(.*)' is invalid)/s.exec(error);
  if (valued !== null) return valueHint(valued[1] as string, valued[2]);
  const required = /^error: required option '(.+?)' not specified/.exec(error)?.[1];
  if (required !== undefined) return `write \`statedsl ${command.name()} ${exampleOf(required)}\``;
  if (/^error: missing required argument/.test(error)) return missingHint(command, words);
  return /^error: too many arguments/.test(error) ? wordHint(command, words.slice(1)) : null;
}

function commandHint(
  written: string,
  program: Command,
  parent: Command | undefined,
  words: readonly string[],
): string | null {
  const file = words.slice(1).find((word) => FILE.test(word));
  if (parent !== undefined) {
    const names = parent.commands.map((one) => one.name()).filter((name) => name !== 'help');
    const meant = nearest(written, names) ?? names.find((name) => !/^(?:audit|otel)$/.test(name));
    if (parent.name() === 'plan' && /^(?:run|start|exec)$/.test(written))
      return `write \`statedsl run ${file ?? 'FILE'}\``;
    const rest = file === undefined ? (parent.name() === 'skill' ? '' : ' FILE') : ` ${file}`;
    return `write \`statedsl ${parent.name()} ${meant}${rest}\`; there are ${names.map((name) => `\`${name}\``).join(', ')}`;
  }
  const names = program.commands.map((one) => one.name());
  const lower = written.toLowerCase();
  if (names.includes(lower))
    return `write \`statedsl ${[lower, ...words.slice(1)].filter((word) => /^[\w./:@=-]+$/.test(word)).join(' ')}\``;
  const meant = Object.hasOwn(COMMANDS, lower) ? COMMANDS[lower] : undefined;
  if (meant !== undefined) return `write \`statedsl ${file === undefined ? meant : meant.replace(/\bFILE\b/, file)}\``;
  return nearest(written, names) === undefined ? 'list the commands: `statedsl help`' : null;
}

/** An option before the command. */
function leadingOption(option: string, program: Command, words: readonly string[]): string | null {
  const commands = new Set(program.commands.map((one) => one.name()));
  const at = words.findIndex((word) => commands.has(word));
  if (at < 0) return /^-v$/i.test(option) ? 'write `statedsl --version`' : 'list the commands: `statedsl help`';
  const plain = [...words.slice(at), ...words.slice(0, at)].filter((word) => /^[\w./:@=-]+$/.test(word));
  return `write it after the command: \`statedsl ${plain.join(' ')}\``;
}

const quoteWord = (word: string): string => (/^[\w./:@=+-]+$/.test(word) ? word : `'${word.replaceAll("'", '')}'`);

function optionHint(command: Command, written: string, program: Command, words: readonly string[]): string | null {
  const known = command.options.flatMap(({ long }) => long ?? []);
  const [name = '', value] = written.split('=', 2) as [string, string?];
  const same = command.options.find(({ long, short }) => long === name || short === name);
  if (same !== undefined)
    return /^(?:no|false|0|off)$/i.test(value ?? '') ? `leave \`${name}\` out` : `write \`${name}\` without a value`;
  const rest = words.slice(words.indexOf(written) + 1);
  const next = value ?? (rest[0]?.startsWith('-') ? undefined : rest[0]);
  const own = OF_COMMANDS[command.name()];
  if (own !== undefined && Object.hasOwn(own, name)) return (own[name] as string).replace('…', quoteWord(next ?? 'N'));
  // A misspelt option is the better guess.
  const near = nearest(name, known);
  if (near !== undefined && isMisspelling(name, near, [near])) return null;
  const file = words.slice(1).find((word) => FILE.test(word));
  if (name === '--no-color' || name === '--color')
    return `set an environment variable: \`${name === '--color' ? 'FORCE_COLOR=1' : 'NO_COLOR=1'}\``;
  if (name === '--config' || (name === '-c' && next?.includes('.')))
    return 'leave it out: statedsl finds `statedsl.config.yaml` here and above';
  if (name === '--model') return 'set the model of an agent in `statedsl.config.yaml`';
  if (name === '-y' || name === '--yes') return 'leave it out: answer with `statedsl answer RUN NAME=yes`';
  const positive = name.startsWith('--no-') ? `--${name.slice(5)}` : null;
  if (positive !== null && known.includes(positive))
    return /\[on\|off\]/.test(command.options.find(({ long }) => long === positive)?.flags ?? '')
      ? `write \`${positive}=off\``
      : `leave it out: only \`${positive}\` turns it on`;
  const meant = Object.hasOwn(OPTIONS, name) ? (OPTIONS[name] as string) : null;
  if (meant !== null && known.includes(meant.split(' ')[0] as string))
    return `write \`${/^\d+$/.test(next ?? '') ? meant.replace('PORT', next ?? '') : meant}\``;
  if (command.name() === 'answer' && /^--\w/.test(name) && next !== undefined)
    return name === '--run'
      ? `write \`statedsl answer ${quoteWord(next)} ${words.find((word) => /^\w+=/.test(word)) ?? 'NAME=VALUE'}\``
      : `write \`statedsl answer ${name.slice(2)}=${quoteWord(next)}\``;
  if (command.name() === 'run') {
    const given = INPUT.includes(name) ? next : undefined;
    if (given?.includes('=')) return `write \`-i ${given}\``;
    if (/^(?:-f|--file|--flow|--program|--workflow)$/.test(name) && next !== undefined)
      return `write \`statedsl run ${quoteWord(next)}\``;
    if (/^(?:--with|--input-value|--data|--values?)$/.test(name) && next?.includes('='))
      return `write \`-i ${given ?? next}\``;
    if (/^--?(?:env|e)$/.test(name) && next?.includes('='))
      return `write it before the command: \`${quoteWord(next)} statedsl run ${file ?? 'FILE'}\``;
    if (/^(?:--output|--out|-o)$/.test(name))
      return next === 'json'
        ? 'write `--json`'
        : `write the result to a file: \`statedsl run ${file ?? 'FILE'} > ${quoteWord(next ?? 'FILE')}\``;
    if (name === '--format' || name === '--log-format') return 'write `--json`';
    const input = /^--?([A-Za-z_][\w-]*)$/.exec(name)?.[1]?.replaceAll('-', '_');
    const isInput = (one: string): boolean => declares(file, one);
    if (input !== undefined && isInput(input)) return `write \`-i ${input}=${quoteWord(next ?? '…')}\` to set an input`;
    const [first] = rest;
    if (first !== undefined && isInput(first) && rest[1] !== undefined)
      return `write \`-i ${first}=${quoteWord(rest[1])}\` to set an input`;
    if (/^--(?:max-turns|temperature|system|tools|allow|agent-timeout)/.test(name))
      return 'write it in the program or in `agents:` of `statedsl.config.yaml`';
    if (/^--retr/.test(name)) return 'write it in the program: `DO [retry=3]: …`';
  }
  if (IDLE.has(name)) return 'leave it out: it has no counterpart here';
  const owner = program.commands.find(
    (one) => one.name() !== 'engine' && one.options.some(({ long }) => long === name),
  );
  if (owner !== undefined)
    return `it is an option of \`${owner.name()}\`: write \`statedsl ${owner.name()} ${command.name() === 'run' ? '' : (file ?? '')}\`, or leave it out`.replace(
      ' `,',
      '`,',
    );
  return near === undefined ? `leave it out: \`statedsl help ${command.name()}\` lists the options` : null;
}

/** Values of options by what their help calls them. */
const EXAMPLES: Readonly<Record<string, string>> = {
  ...{
    duration: '30s',
    usd: '5.00',
    n: '10',
    file: 'FILE',
    size: '500MiB',
    directory: 'DIR',
    percent: '80',
    seq: '12',
  },
  ...{ 'name=value': 'NAME=text', 'name=agent': 'NAME=codex', name: 'NAME', text: 'TEXT', state: 'STATE', age: '7d' },
  ...{ address: '127.0.0.1:7700', 'on|off': 'on', point: '12', token: 'FILE', time: '30s', filter: 'TEXT' },
};

/** `--keep-last 10` for `--keep-last <n>`. */
function exampleOf(flags: string): string {
  const name = /--[\w-]+/.exec(flags)?.[0] ?? flags;
  const what = /[<[](.+?)[>\]]/.exec(flags)?.[1];
  if (what === undefined) return name;
  const value = EXAMPLES[what] ?? what.toUpperCase();
  return flags.includes('[') ? `${name}=${value}` : `${name} ${value}`;
}

function valueHint(flags: string, value: string | undefined): string | null {
  const example = exampleOf(flags);
  if (value === undefined || value === '') return `write \`${example}\``;
  const what = /[<[](.+?)[>\]]/.exec(flags)?.[1] ?? '';
  const meant = valueMeant(what, value);
  // Only a suspension may begin after no time.
  if (/^0/.test(meant ?? '') && Number.parseFloat(meant ?? '') === 0 && !flags.includes('--suspend-after')) return null;
  return meant === null || meant === value ? null : `write \`${example.slice(0, example.search(/[ =]/) + 1)}${meant}\``;
}

/** The value in the form that it has here; null if that is not clear. */
function valueMeant(what: string, value: string): string | null {
  if (/^(?:duration|time|age)/.test(what)) {
    const found = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(value);
    const unit = { '': 's', ms: 'ms', s: 's', m: 'm', h: 'h', d: 'd' }[
      /^ms|milli/i.test(found?.[2] ?? '') ? 'ms' : (found?.[2]?.[0] ?? '').toLowerCase()
    ];
    return found === null || unit === undefined ? null : `${found[1]}${unit}`;
  }
  if (/^(?:usd|n|percent|seq)$/.test(what))
    return /^\D{0,4}?(\d+(?:\.\d+)?)\D{0,4}$/.exec(value.replace(/^-/, '!!!!!'))?.[1] ?? null;
  if (what === 'size') {
    const found = /^(\d+)\s*([kmg])/i.exec(value);
    return found === null ? null : `${found[1]}${(found[2] as string).toUpperCase()}iB`;
  }
  if (what === 'on|off')
    return /^(?:true|yes|1|y|t)$/i.test(value) ? 'on' : /^(?:false|no|0|n|f)$/i.test(value) ? 'off' : null;
  return null;
}

/** The command with what it needs. */
function missingHint(command: Command, words: readonly string[]): string {
  const name = command.name();
  const typed = words.slice(1);
  if (name === 'answer') {
    const answer = typed.find((word) => word.includes('='));
    return `write \`statedsl answer ${answer === undefined ? 'NAME=VALUE' : quoteWord(answer)}\``;
  }
  const forms: Readonly<Record<string, string>> = {
    signal: 'statedsl signal NAME',
    diff: 'statedsl diff RUN RUN',
    completion: 'statedsl completion bash',
    explain: 'statedsl explain CODE',
  };
  if (forms[name] !== undefined) return `write \`${forms[name]}\``;
  if (name === 'cancel' || name === 'rollback')
    return `name the run: \`statedsl ${name} RUN\`; \`statedsl runs\` lists them`;
  const inner = command.commands.find((one) => one.name() === typed[0]);
  const flags = typed.filter((word) => word.startsWith('--') && /^[\w=-]+$/.test(word));
  return `write \`${['statedsl', name, inner?.name() ?? '', programHere(), ...flags].filter((word) => word !== '').join(' ')}\``;
}

/** A word too many of `command`. `words`: all that follow it. */
function wordHint(command: Command, words: readonly string[]): string {
  const name = command.name();
  const file = words.find((word) => FILE.test(word));
  for (const [at, word] of words.entries()) {
    const option = command.options.find(({ long, short }) => long === word || short === word);
    const next = words[at + 1];
    if (option === undefined || next === undefined || next.startsWith('-')) continue;
    if (option.optional && !FILE.test(next)) return optionalHint(option, next);
    const after = words[at + 2];
    if (option.long === '--max-output' && after !== undefined && /^[kmg]i?b?$/i.test(after))
      return `write \`${option.long} ${valueMeant('size', `${next}${after}`)}\``;
    if (
      option.long === '--input' &&
      !next.includes('=') &&
      after !== undefined &&
      !after.startsWith('-') &&
      !FILE.test(after)
    )
      return `write \`-i ${next.replace(/[:=]$/, '')}=${quoteWord(after)}\``;
  }
  if (name === 'run') {
    const assigned = words.filter(
      (word, at) => /^[A-Za-z_]\w*:?=/.test(word) && !/^-\w|^--\w/.test(words[at - 1] ?? ''),
    );
    if (assigned.length > 0)
      return `write \`${assigned.map((word) => `-i ${/^[\w./:@=-]+$/.test(word) ? word : `'${word}'`}`).join(' ')}\` to set inputs`;
    if (words.filter((word) => FILE.test(word)).length > 1)
      return 'run one program at a time; `statedsl test` and `statedsl check` take several';
    return 'write `-i name=value` to set an input';
  }
  if (name === 'runs') return `write \`statedsl show ${quoteWord(words[0] ?? 'RUN')}\` for one run`;
  const [first] = words;
  const takes = command.registeredArguments.length;
  return takes === 0
    ? `leave out \`${words.join(' ')}\`: write \`statedsl ${name}\``
    : `write one at a time: \`statedsl ${name} ${quoteWord(file ?? first ?? '')}\``;
}

function optionalHint({ long, flags }: Option, next: string): string {
  const what = /\[(.+?)\]/.exec(flags)?.[1] ?? '';
  return `write \`${long}=${valueMeant(what, next) ?? next}\``;
}
