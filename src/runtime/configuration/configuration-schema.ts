/** The shape of `statedsl.config.yaml`, as JSON Schema. `grammar/config.schema.json` is this object, for editors. */

const texts = { type: 'array', items: { type: 'string' } } as const;
const environment = { type: 'object', additionalProperties: { type: 'string' } } as const;
const duration = { type: 'string', pattern: '^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)$' } as const;

const price = { type: 'number', minimum: 0 } as const;

/** A host, or all hosts below it, with an optional port. */
export const HOST = '^(?:\\*\\.)?(?:[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]+)*|\\[[0-9A-Fa-f:.]+\\])(?::[0-9]{1,5})?$';

/** A part of the name of a service on an engine. */
export const label = { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_-]*$' } as const;
const labels = { type: 'object', additionalProperties: label } as const;

const variable = { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$' } as const;

const receiver = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  dependentSchemas: { run: { maxProperties: 1 } },
  dependentRequired: { secret_env: ['url'] },
  properties: {
    run: { ...texts, minItems: 1, description: 'A command that reads JSON from its standard input.' },
    url: {
      type: 'string',
      pattern: '^https?://[^/@\\s]+(/\\S*)?$',
      description: 'An address that takes JSON by POST.',
    },
    secret_env: {
      ...variable,
      description: 'The environment variable with the secret that signs what is sent, by Standard Webhooks.',
    },
  },
} as const;

export const configurationSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'statedsl.config.yaml',
  type: 'object',
  additionalProperties: false,
  properties: {
    agents: {
      description: 'Agents, by the names that programs use.',
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['adapter'],
        properties: {
          adapter: {
            enum: ['claude', 'codex', 'gemini', 'qwen', 'opencode', 'cursor', 'model', 'acp', 'command', 'fake'],
          },
          model: {
            type: 'string',
            description: 'The name of the model. For the adapter `fake`: the file with its answers.',
          },
          provider: {
            enum: ['openai', 'anthropic', 'google', 'openai-compatible'],
            description: 'For the adapter `model`: the service of the model. Its name tells it for known models.',
          },
          base_url: {
            type: 'string',
            pattern: '^https?://[^/@\\s]+(/\\S*)?$',
            description: 'For the adapter `model`: the address of the service, if it is another one than usual.',
          },
          key_env: {
            type: 'string',
            minLength: 1,
            description: 'For the adapter `model`: the environment variable with the key.',
          },
          headers: { ...environment, description: 'For the adapter `model`: headers of each request.' },
          temperature: { type: 'number', minimum: 0, description: 'For the adapter `model`.' },
          max_output: { type: 'integer', minimum: 1, description: 'For the adapter `model`: tokens of one answer.' },
          effort: {
            enum: ['minimal', 'low', 'medium', 'high'],
            description: 'For the adapter `model`: how much it thinks, if it can.',
          },
          timeout: { ...duration, description: 'For the adapter `model`: how long one answer may take.' },
          tools: {
            type: 'array',
            items: { type: 'string', minLength: 1 },
            description:
              'For the adapter `model`: the tools that it has, `read_file`, `write_file`, `run`, `SERVER/TOOL`, `SERVER/*`, or names in the `tools.yaml` next to this file; without this key it has none.',
          },
          prices: {
            type: 'object',
            additionalProperties: false,
            required: ['in', 'out'],
            properties: { in: price, out: price, cache_read: price, cache_write: price },
            description: 'For the adapter `model`: US dollars for a million tokens.',
          },
          args: { ...texts, description: 'Additional arguments of the program.' },
          run: {
            ...texts,
            minItems: 1,
            description: 'For the adapters `command` and `acp`: the program and its arguments.',
          },
          env: environment,
          allow: {
            type: 'array',
            items: { enum: ['edit', 'shell', 'network'] },
            description:
              'What the agent may do besides reading files. Without this key its program decides what it does without asking.',
          },
          max_cost: {
            type: 'number',
            exclusiveMinimum: 0,
            description: 'The maximum cost of one call, in US dollars.',
          },
          sandbox: {
            enum: ['off', 'worktree', 'strict'],
            description:
              'What the system keeps its program from: `worktree` lets it write only where it works, `strict` also reach only `hosts`.',
          },
          hosts: {
            type: 'array',
            items: { type: 'string', pattern: HOST },
            description:
              'For `sandbox: strict`: what it reaches, such as `api.example.com`, `*.example.com`, `localhost:8080`.',
          },
          writes: {
            type: 'array',
            items: { type: 'string', minLength: 1 },
            description: 'With a sandbox: more folders in which it may write, from the folder of this file, or `~/…`.',
          },
          idle: { ...duration, description: 'How long a call may be silent: no output, no tool.' },
          max_concurrent: { type: 'integer', minimum: 1, description: 'The maximum number of calls at the same time.' },
        },
      },
    },
    gates: {
      description: 'The commands of gates, by name.',
      type: 'object',
      additionalProperties: {
        anyOf: [
          { type: 'string' },
          {
            type: 'object',
            additionalProperties: false,
            required: ['run'],
            properties: {
              run: { type: 'string' },
              timeout: duration,
              idle: { ...duration, description: 'How long it may print nothing.' },
            },
          },
        ],
      },
    },
    approvers: {
      description:
        'Who may answer over HTTP, in the page and through agents: names for all questions, or names for each question, where `*` is for all others.',
      anyOf: [texts, { type: 'object', additionalProperties: texts }],
    },
    signing_key_env: {
      ...variable,
      description:
        'The environment variable with the key that signs the ends of runs and the answers of people: a private key of Ed25519 in PEM, or the path of its file.',
    },
    secrets: { ...texts, description: 'Environment variables whose values are never recorded or shown.' },
    defaults: {
      type: 'object',
      additionalProperties: false,
      properties: {
        agent: { type: 'string' },
        jobs: { type: 'integer', minimum: 1 },
        suspend_after: duration,
        worktree: { type: 'boolean' },
        gate_timeout: duration,
      },
    },
    confirm_above: {
      description: 'A run that may call agents more often, or cost more, than this has to be confirmed.',
      type: 'object',
      additionalProperties: false,
      properties: {
        calls: { type: 'integer', minimum: 0, description: 'Calls of agents.' },
        cost: { type: 'number', minimum: 0, description: 'US dollars.' },
      },
    },
    budget: {
      description: 'What each program may spend in a day, in all its runs of a store.',
      type: 'object',
      additionalProperties: false,
      required: ['cost_per_day'],
      properties: {
        cost_per_day: { type: 'number', exclusiveMinimum: 0, description: 'US dollars.' },
        zone: { type: 'string', minLength: 1, description: 'The time zone in which a day begins (default: UTC).' },
      },
    },
    notify: {
      description: 'The receivers of a notice when a run suspends, fails or returns.',
      anyOf: [receiver, { type: 'array', items: receiver }],
    },
    schedules: {
      description: 'Programs that the service starts at certain times.',
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'program', 'cron'],
        properties: {
          name: label,
          program: { type: 'string', minLength: 1, description: 'Its path, from the folder of this file.' },
          cron: {
            type: 'string',
            minLength: 1,
            description: 'Minute, hour, day, month and weekday; seconds may come first.',
          },
          zone: { type: 'string', minLength: 1, description: 'The time zone, such as Europe/Berlin (default: UTC).' },
          inputs: { type: 'object', additionalProperties: {} },
          key: { type: 'string', minLength: 1, description: 'Runs with the same key are executed one at a time.' },
          on_busy: {
            enum: ['wait', 'skip', 'cancel'],
            description: 'What happens if another run has the key (default: skip).',
          },
          missed: {
            enum: ['skip', 'last'],
            description: 'Whether the last start is made up for that no service was there for (default: skip).',
          },
          jitter: { ...duration, description: 'Each start comes up to so much later.' },
        },
      },
    },
    engine: {
      description: 'The workers that runs on an engine need.',
      type: 'object',
      additionalProperties: false,
      properties: {
        on: {
          type: 'string',
          pattern: '^https?://[^/@\\s]+/?$',
          description: 'The address of the engine, for commands without `--on`.',
        },
        commands: {
          type: 'string',
          minLength: 1,
          description: 'A module with functions that programs use as commands.',
        },
        submitters: { ...texts, description: 'The names of those whose programs the workers execute.' },
        home: { ...label, description: 'Only workers with this name execute the runs.' },
        patience: { ...duration, description: 'How long an effect waits for a worker with its label (default: 1h).' },
        routes: {
          description:
            'Labels of workers that effects need, by the names of agents or commands, or by kinds of effects.',
          type: 'object',
          additionalProperties: false,
          properties: {
            agents: labels,
            commands: labels,
            kinds: { ...labels, propertyNames: { enum: ['shell', 'argv', 'function', 'agent', 'tool'] } },
          },
        },
      },
    },
    otel: {
      description: 'The receiver of spans of runs, by OTLP over HTTP. The variables of OpenTelemetry come first.',
      type: 'object',
      additionalProperties: false,
      properties: {
        endpoint: {
          type: 'string',
          pattern: '^https?://[^/@\\s]+(/\\S*)?$',
          description: 'The base address of the receiver; `/v1/traces` is added.',
        },
        headers: { ...environment, description: 'Headers of each request. Keys belong in OTEL_EXPORTER_OTLP_HEADERS.' },
        prompts: { type: 'boolean', description: 'Whether spans of agents have their prompts and answers.' },
      },
    },
    workflows: { ...texts, description: 'Additional directories to look for workflows in.' },
    mcp: {
      description: 'Tool servers, by name.',
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        properties: {
          run: { ...texts, minItems: 1, description: 'The program of the server and its arguments.' },
          command: { ...texts, minItems: 1, description: 'Another word for `run`.' },
          env: environment,
        },
      },
    },
  },
} as const;
