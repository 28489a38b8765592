/** The shape of `statedsl.config.yaml`, as JSON Schema. `grammar/config.schema.json` is this object, for editors. */

const texts = { type: 'array', items: { type: 'string' } } as const;
const environment = { type: 'object', additionalProperties: { type: 'string' } } as const;
const duration = { type: 'string', pattern: '^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)$' } as const;

export const configurationSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'statedsl.config.yaml',
  type: 'object',
  additionalProperties: false,
  properties: {
    agents: {
      description: 'Agents by the name that programs use.',
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['adapter'],
        properties: {
          adapter: { enum: ['claude', 'codex', 'gemini', 'qwen', 'opencode', 'cursor', 'command', 'fake'] },
          model: { type: 'string', description: 'For the adapter `fake` the file with its answers.' },
          args: { ...texts, description: 'Further arguments of the program.' },
          run: { ...texts, minItems: 1, description: 'Program and arguments, for the adapter `command`.' },
          env: environment,
          max_cost: { type: 'number', exclusiveMinimum: 0, description: 'US dollars a call.' },
          max_concurrent: { type: 'integer', minimum: 1, description: 'Calls at once.' },
        },
      },
    },
    gates: {
      description: 'Commands of gates by name.',
      type: 'object',
      additionalProperties: {
        anyOf: [
          { type: 'string' },
          {
            type: 'object',
            additionalProperties: false,
            required: ['run'],
            properties: { run: { type: 'string' }, timeout: duration },
          },
        ],
      },
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
    workflows: { ...texts, description: 'Further folders that workflows are looked up in.' },
    mcp: {
      description: 'Tool servers by name.',
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['command'],
        properties: { command: { ...texts, minItems: 1 }, env: environment },
      },
    },
  },
} as const;
