/** What is wrong in a configuration, in words: each mistake once, with what to write instead. */
import type { ErrorObject } from 'ajv';
import { render } from '../../interpreter/values/json.js';
import { isList, isObject, member, type Value } from '../../interpreter/values/value.js';
import type { Json } from '../../machine/expression.js';
import { nearest } from '../../prelude/nearest.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { HOST, label } from './configuration-schema.js';
import type { FileProblem, ReadFile } from './yaml-file.js';

export function problemsOf(errors: readonly ErrorObject[], read: ReadFile, file: string): FileProblem[] {
  const found = causes(errors);
  const isUnknown = ({ keyword }: ErrorObject): boolean => keyword === 'additionalProperties';
  // A key under another name is not missing as well.
  const shown = found.filter(
    (error) =>
      error.keyword !== 'required' ||
      !found.some(
        (other) =>
          isUnknown(other) &&
          other.instancePath === error.instancePath &&
          keyMeant(pathOf(other.instancePath), String(other.params.additionalProperty)) ===
            error.params.missingProperty,
      ),
  );
  return shown.map((error) => describe(error, read, file));
}

function pathOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * One error for each mistake. If a value may have several shapes, each shape that does not fit reports its own errors:
 * those of the shape whose type fits are used, and if no type fits, one error names all types.
 */
function causes(errors: readonly ErrorObject[]): ErrorObject[] {
  const shown = errors.filter(({ keyword }) => keyword !== 'anyOf');
  return shown.flatMap((error, at) => {
    if (error.keyword !== 'type' || !error.schemaPath.includes('/anyOf/')) return [error];
    const same = shown.filter(({ keyword, instancePath }) => keyword === 'type' && instancePath === error.instancePath);
    const better = shown.some(
      (other) =>
        !same.includes(other) && (other.instancePath === error.instancePath || isBelow(other, error.instancePath)),
    );
    if (better || shown.indexOf(same[0] as ErrorObject) !== at) return [];
    return [{ ...error, params: { type: same.map(({ params }) => String(params.type)) } }];
  });
}

function isBelow({ instancePath }: ErrorObject, path: string): boolean {
  return instancePath.startsWith(`${path}/`);
}

function describe(error: ErrorObject, read: ReadFile, file: string): FileProblem {
  const path = pathOf(error.instancePath);
  const unknown = error.keyword === 'additionalProperties' ? String(error.params.additionalProperty) : null;
  const location = unknown === null ? read.locationOf(path) : read.locationOf([...path, unknown], true);
  const at = { file, line: location?.line ?? null, column: location?.column ?? null };
  const name = path.length === 0 ? 'the configuration' : `\`${path.join('.')}\``;
  if (unknown !== null) {
    const known = Object.keys((error.parentSchema as { properties?: object } | undefined)?.properties ?? {});
    const near = nearest(unknown, known);
    const value = (error.data as Readonly<Record<string, Json>>)[unknown] ?? null;
    const other = keyHint(path, unknown, value, adaptersIn(error));
    const help = other ?? (near === undefined ? `the keys are ${known.join(', ')}` : `did you mean \`${near}\`?`);
    return { ...at, message: `there is no key \`${unknown}\` in ${name}`, help };
  }
  return { ...at, ...wordsOf(error, name, typeof error.data === 'number' ? digitsOf(error.data, read, path) : null) };
}

/** A number as it is written: `1.10`. */
function digitsOf(number: number, read: ReadFile, path: readonly string[]): string {
  let at: Value | undefined = read.inWrittenForm() as Value;
  for (const key of path) at = isList(at ?? null) ? (at as readonly Value[])[Number(key)] : memberOf(at, key);
  return render(at ?? number);
}

const memberOf = (value: Value | undefined, key: string): Value | undefined =>
  value !== undefined && isObject(value) ? member(value, key) : undefined;

/** `digits`: a number as it is written. */
function wordsOf(error: ErrorObject, name: string, digits: string | null): { message: string; help?: string } {
  switch (error.keyword) {
    case 'type':
      return {
        message: `${name} must be ${[error.params.type].flat().map(typeName).join(' or ')}`,
        ...omitUndefined({ help: exampleOf(name, error.data as Json, digits, [error.params.type].flat().map(String)) }),
      };
    case 'minimum':
      return { message: `${name} must be at least ${String(error.params.limit)}`, help: 'write a larger number' };
    case 'exclusiveMinimum':
      return { message: `${name} must be above ${String(error.params.limit)}`, help: 'write a larger number' };
    case 'required':
    case 'dependentRequired': {
      const missing = String(error.params.missingProperty);
      const startsProgram = missing === 'adapter' && Object.keys(error.data as object).some(isProgramKey);
      const example = startsProgram ? 'command' : (EXAMPLES[missing] ?? '…');
      return { message: `${name} needs the key \`${missing}\``, help: `write \`${missing}: ${example}\`` };
    }
    case 'enum': {
      const allowed = (error.params.allowedValues as readonly string[]).map(String);
      const near = nearest(String(error.data), allowed);
      const message = `${name} cannot be \`${String(error.data)}\``;
      const adapter = /\.adapter`$/.test(name) ? PROVIDERS[String(error.data).toLowerCase()] : undefined;
      if (adapter !== undefined) return { message, help: `write \`adapter: model, provider: ${adapter}\`` };
      const sandbox = /\.sandbox`$/.test(name) ? SANDBOXES[String(error.data).toLowerCase()] : undefined;
      if (sandbox !== undefined) return { message, help: `write \`sandbox: ${sandbox}\`` };
      const tool = /\.allow\.\d+`$/.test(name) ? TOOLS[String(error.data).toLowerCase()] : undefined;
      if (tool !== undefined) return { message, help: `write \`${tool}\`` };
      return { message, help: near === undefined ? `it is one of ${allowed.join(', ')}` : `did you mean \`${near}\`?` };
    }
    case 'minItems':
      return { message: `${name} must not be empty` };
    case 'minProperties':
    case 'maxProperties':
      return { message: `${name} needs exactly one of the keys \`run\` and \`url\`` };
    case 'pattern':
      if (error.params.pattern === label.pattern)
        return { message: `${name} must begin with a letter and have only letters, digits, \`_\` and \`-\`` };
      if (error.params.pattern === HOST)
        return {
          message: `${name} must be the name of a host`,
          help: 'write it without `https://` and without a path: `api.example.com`, `*.example.com`, `localhost:8080`',
        };
      if (/(?:\.secret|signing_key)_env`$/.test(name))
        return { message: `${name} must be the name of an environment variable` };
      return /\.(?:url|endpoint|base_url)`$/.test(name)
        ? { message: `${name} must be an address without a password`, help: 'begin it with `http://` or `https://`' }
        : {
            message: `${name} must be a duration`,
            help: 'write a number and a unit: `500ms`, `30s`, `10m`, `2h`, `1d`',
          };
    default:
      return { message: `${name} ${error.message ?? 'is not allowed here'}` };
  }
}

/** Values of keys, as examples. */
const EXAMPLES: Readonly<Record<string, string>> = {
  ...{ adapter: 'claude', cron: '"30 6 * * 1-5"', program: 'report.dsl', name: 'nightly', run: '["./program"]' },
  ...{ cost_per_day: '20', cost: '5.00', url: 'https://chat.example/hook', endpoint: 'http://localhost:4318' },
};
/** Providers of models that people write as adapters. */
const PROVIDERS: Readonly<Record<string, string>> = {
  ...{ openai: 'openai', gpt: 'openai', anthropic: 'anthropic', google: 'google', vertex: 'google' },
  ...{ ollama: 'openai-compatible', 'openai-compatible': 'openai-compatible', openrouter: 'openai-compatible' },
};
/** Sandboxes as other programs call them. */
const SANDBOXES: Readonly<Record<string, string>> = {
  ...{ 'workspace-write': 'worktree', workspace: 'worktree', on: 'worktree', true: 'worktree', bwrap: 'worktree' },
  ...{ none: 'off', no: 'off', false: 'off', 'danger-full-access': 'off', full: 'strict', locked: 'strict' },
  ...{ bubblewrap: 'worktree', 'sandbox-exec': 'worktree', seatbelt: 'worktree' },
};
const TOOLS: Readonly<Record<string, string>> = {
  ...{ write: 'edit', edits: 'edit', bash: 'shell', run: 'shell', exec: 'shell', web: 'network', fetch: 'network' },
  ...{ websearch: 'network', webfetch: 'network', multiedit: 'edit', notebookedit: 'edit', commands: 'shell' },
};

/** Keys as other tools call them: first those of a place, by the names above them. */
const KEYS: readonly (readonly [RegExp, Readonly<Record<string, string>>])[] = [
  [
    /^$/,
    {
      ...{
        mcpServers: 'mcp',
        mcp_servers: 'mcp',
        servers: 'mcp',
        cron: 'schedules',
        crons: 'schedules',
        jobs: 'schedules',
      },
      ...{
        webhooks: 'notify',
        hooks: 'notify',
        notifications: 'notify',
        alerts: 'notify',
        models: 'agents',
        llm: 'agents',
      },
      ...{ providers: 'agents', limits: 'budget', cost: 'budget', reviewers: 'approvers', approvals: 'approvers' },
      ...{ checks: 'gates', telemetry: 'otel', tracing: 'otel', opentelemetry: 'otel', worker: 'engine' },
    },
  ],
  [
    /^agents\.[^.]+$/,
    {
      ...{
        type: 'adapter',
        kind: 'adapter',
        program: 'adapter',
        cli: 'adapter',
        cmd: 'run',
        command: 'run',
        exec: 'run',
      },
      ...{ api_key_env: 'key_env', permissions: 'allow', allowed_tools: 'allow', budget: 'max_cost', cost: 'max_cost' },
      ...{
        concurrency: 'max_concurrent',
        environment: 'env',
        arguments: 'args',
        endpoint: 'base_url',
        reasoning: 'effort',
      },
      ...{ max_budget: 'max_cost', max_tokens: 'max_output', url: 'base_url' },
      ...sameKey('allowed_hosts allowed_domains domains allow_hosts', 'hosts'),
      ...sameKey('sandbox_mode isolation confine jail', 'sandbox', { writable: 'writes', writable_roots: 'writes' }),
    },
  ],
  [
    /^schedules\.\d+$/,
    {
      ...{ timezone: 'zone', tz: 'zone', time_zone: 'zone', flow: 'program', file: 'program', workflow: 'program' },
      ...{
        path: 'program',
        run: 'program',
        every: 'cron',
        schedule: 'cron',
        at: 'cron',
        interval: 'cron',
        when: 'cron',
      },
      ...{
        input: 'inputs',
        with: 'inputs',
        args: 'inputs',
        params: 'inputs',
        id: 'name',
        title: 'name',
        catchup: 'missed',
      },
    },
  ],
  [
    /^notify(?:\.\d+)?$/,
    {
      ...{ webhook: 'url', slack: 'url', discord: 'url', teams: 'url', address: 'url', endpoint: 'url', http: 'url' },
      ...{ command: 'run', cmd: 'run', exec: 'run', script: 'run', secret: 'secret_env' },
    },
  ],
  [
    /^budget$/,
    sameKey('per_day daily day cost limit usd max_cost daily_cost', 'cost_per_day', { timezone: 'zone', tz: 'zone' }),
  ],
  [
    /^confirm_above$/,
    sameKey('usd price dollars budget max_cost', 'cost', { agents: 'calls', count: 'calls', tasks: 'calls' }),
  ],
  [/^gates\.[^.]+$/, sameKey('command cmd exec bash shell script', 'run')],
  [/^defaults$/, sameKey('concurrency parallel', 'jobs', { model: 'agent' })],
  [/^otel$/, sameKey('url address exporter', 'endpoint')],
  [/^engine$/, sameKey('url address server', 'on')],
];

/** Keys that nothing here replaces. */
const ADVICE: readonly (readonly [RegExp, RegExp, string])[] = [
  [/^agents\./, /^(?:max_turns|turns)$/, 'write it in the program: `AGENT: NAME with max_turns=60` of a STEP'],
  [
    /^agents\./,
    /^(?:prompt|system|system_prompt|instructions|description|role)$/,
    'leave it out: the program has the prompts',
  ],
  [/^agents\./, /^(?:api_?key|key|token)$/i, 'write `key_env: NAME`, with the environment variable that has the key'],
  [/^notify/, /^(?:on|events?|when|only|status)$/, 'leave it out: a receiver gets every end of a run'],
  [/^notify/, /^(?:email|mail|sms)$/, 'write `run: ["./send-mail.sh"]`: the notice is its standard input'],
  [/^mcp\./, /^args$/, 'write the program and its arguments in one list: `run: ["npx", "server"]`'],
  [/^mcp\./, /^(?:url|type|transport)$/, 'write a server that is a program: `run: ["npx", "server"]`'],
  [/^defaults$/, /^(?:timeout|max_time)$/, 'write `gate_timeout: 10m` for gates, or `LIMIT: time=10m` in the program'],
  [
    /^$/,
    /^(?:log|log_level|logging|verbose|debug)$/,
    'leave it out: `--verbose` and `--quiet` choose what a run prints',
  ],
  [/^$/, /^(?:version|name|description)$/, 'leave it out'],
  [
    /^$/,
    /^(?:env|environment|vars)$/,
    'leave it out: set environment variables before the command, or `env:` of an agent',
  ],
  [/^$/, /^(?:max_budget|max_cost|max_usd)$/, 'give it to the run: `statedsl run FILE --max-cost 5`'],
  [/^$/, /^max_tokens$/, 'give it to the run: `statedsl run FILE --max-tokens 2M`'],
  [
    /^$/,
    /^(?:dir|store|directory|data|state|runs)$/,
    'leave it out: `--dir DIR` or `STATEDSL_DIR` names the store of runs',
  ],
  [/^$/, /^tools?$/, 'leave it out: a plan reads the `tools.yaml` next to it'],
  [
    /^$/,
    /^(?:inputs|flow|flows|program|programs|steps)$/,
    'leave it out: `statedsl run FILE -i name=value` names the program and its inputs',
  ],
];

function sameKey(names: string, key: string, others: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { ...Object.fromEntries(names.split(' ').map((name) => [name, key])), ...others };
}

/** The key that is meant below `path`; null if none is known. */
function keyMeant(path: readonly string[], written: string): string | null {
  const owner = path.join('.');
  const keys = KEYS.find(([where]) => where.test(owner))?.[1] ?? {};
  return Object.hasOwn(keys, written) ? (keys[written] as string) : null;
}

function keyHint(path: readonly string[], written: string, value: Json, adapters: readonly Json[]): string | undefined {
  const owner = path.join('.');
  const advice = ADVICE.find(([where, key]) => where.test(owner) && key.test(written))?.[2];
  const meant = keyMeant(path, written);
  if (advice !== undefined || meant === null) return advice;
  const example =
    (meant === 'adapter' && adapters.includes(value) ? String(value) : valueMeant(owner, meant, value)) ??
    EXAMPLES[meant];
  return `write \`${meant}${example === undefined ? '' : `: ${example}`}\``;
}

const isProgramKey = (key: string): boolean => key === 'run' || keyMeant(['agents', ''], key) === 'run';

/** What was written under another name, as this key has it; undefined: it cannot be taken over. */
function valueMeant(owner: string, meant: string, value: Json): string | undefined {
  if (meant === 'run' && /^gates\./.test(owner)) return typeof value === 'string' ? value : 'make test';
  return meant === 'run' && value !== null ? argvOf(value) : undefined;
}

/** The adapters that an agent may have. */
function adaptersIn({ parentSchema }: ErrorObject): readonly Json[] {
  const properties = (parentSchema as { properties?: { adapter?: { enum?: readonly Json[] } } } | undefined)
    ?.properties;
  return properties?.adapter?.enum ?? [];
}

/** How a value of the wrong type is written. */
function exampleOf(name: string, written: Json, digits: string | null, types: readonly string[]): string | undefined {
  // The whole configuration has no name that could be written.
  if (!name.startsWith('`')) return 'begin with a key, such as `agents:`';
  const path = name.slice(1, -1);
  const key = path.split('.').at(-1) ?? path;
  const text = typeof written === 'string' ? written : digits;
  const agent = /^agents\.([^.]+)$/.exec(path)?.[1];
  if (agent !== undefined && /^\.{0,2}\//.test(text ?? ''))
    return `write \`${agent}: { adapter: command, run: ["${text}"] }\``;
  if (agent !== undefined) return `write \`${agent}: { adapter: ${text || 'claude'} }\``;
  if (PROGRAM.test(path)) return `write \`${key}: ${argvOf(written)}\``;
  if (/^mcp\.[^.]+$/.test(path)) return `write \`${key}: { run: ${argvOf(written)} }\``;
  const whole = WHOLE.find(([where]) => where.test(path))?.[1];
  if (whole !== undefined) {
    // What was written is part of it only if it may be meant: an address, a name, a number where a number is due.
    const isMeant = text !== null && (!whole.includes('"…"') || /[./:]/.test(text));
    const example = whole.includes('"…"') ? 'https://chat.example/hook' : /: … /.test(whole) ? '20' : 'NAME';
    return `write \`${whole.replace('NAME', key).replace('…', isMeant ? text : example)}\``;
  }
  // An item of a list has no key.
  const lead = /^\d+$/.test(key) ? '' : `${key}: `;
  const [type] = types;
  if (types.includes('array')) {
    const item = text === null ? '…' : text.includes('"') ? `'${text}'` : /^[\w-]+$/.test(text) ? text : `"${text}"`;
    return `write \`${lead}[${item}]\``;
  }
  if (type === 'boolean') return `write \`${lead}${/^(?:no|off|false|0)$/i.test(text ?? '') ? 'false' : 'true'}\``;
  if (type === 'number' || type === 'integer')
    return `write \`${lead}${/\d+(?:\.\d+)?/.exec(text ?? '')?.[0] ?? (type === 'number' ? '2.50' : '4')}\``;
  if (type === 'string' && text !== null)
    return `write \`${lead}${/timeout|idle|time$/.test(key) ? `${text}s` : `"${text}"`}\``;
  if (type === 'object') return `write \`${lead}{ NAME: VALUE }\``;
  return undefined;
}

/** Keys with a program and its arguments. */
const PROGRAM = /^(?:agents\.[^.]+|notify(?:\.\d+)?|mcp\.[^.]+)\.(?:run|command)$/;

/** A command line as the list that it has to be; something else as an example. */
function argvOf(written: Json): string {
  if (Array.isArray(written) && written.every((word) => typeof word === 'string')) return listOf(written);
  const text = typeof written === 'string' ? written.trim() : '';
  if (text === '' || /^\w+:\/\//.test(text)) return listOf(['program', 'argument']);
  return listOf(/["'|&;<>$*`(){}\\]/.test(text) ? ['bash', '-c', text] : text.split(/\s+/));
}

const listOf = (words: readonly string[]): string => `[${words.map((word) => JSON.stringify(word)).join(', ')}]`;

/** Keys with several members, each with all that it needs. `…`: what was written. */
const WHOLE: readonly (readonly [RegExp, string])[] = [
  [/^agents$/, 'agents: { writer: { adapter: claude } }'],
  [/^budget$/, 'budget: { cost_per_day: … }'],
  [/^confirm_above$/, 'confirm_above: { cost: … }'],
  [/^notify$/, 'notify: { url: "…" }'],
  [/^notify\.\d+$/, '- url: "…"'],
  [/^otel$/, 'otel: { endpoint: "…" }'],
  [/^engine$/, 'engine: { on: "…" }'],
  [/^gates$/, 'gates: { test: make test }'],
  [/^gates\.[^.]+$/, 'NAME: make test'],
  [/^schedules$/, 'schedules: [{ name: nightly, program: report.dsl, cron: "30 6 * * 1-5" }]'],
  [/^approvers$/, 'approvers: […]'],
  [/^secrets$/, 'secrets: […]'],
  [/^defaults$/, 'defaults: { jobs: 4 }'],
];

function typeName(type: string): string {
  const names: Readonly<Record<string, string>> = {
    object: 'a mapping of keys to values',
    array: 'a list',
    string: 'a text',
    integer: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
  };
  return names[type] ?? type;
}
