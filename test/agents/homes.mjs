/** What each program needs to talk to the model of a test and to nothing else: a home of its own, and its environment. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const MODEL = 'stub-model';

function keep(home, path, content) {
  const file = join(home, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
}

/** Our server of tools, as each program is told of one. */
const SERVER = { command: 'statedsl', args: ['mcp'] };

const CODEX = (url, server) => `model = "gpt-5.5"
model_provider = "stub"
check_for_update_on_startup = false

[model_providers.stub]
name = "stub"
base_url = "${url}/v1"
env_key = "STUB_KEY"
wire_api = "responses"
request_max_retries = 2
stream_max_retries = 2

[analytics]
enabled = false

[otel]
exporter = "none"
${
  server
    ? `
[mcp_servers.statedsl]
command = "${SERVER.command}"
args = ["${SERVER.args[0]}"]
default_tools_approval_mode = "approve"
`
    : ''
}`;

const WAYS = {
  claude: (home, url, server) => {
    keep(home, '.claude.json', {
      hasCompletedOnboarding: true,
      ...(server ? { mcpServers: { statedsl: { type: 'stdio', ...SERVER } } } : {}),
    });
    return {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'key-of-a-test',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
    };
  },
  codex: (home, url, server) => {
    keep(home, '.codex/config.toml', CODEX(url, server));
    return { CODEX_HOME: join(home, '.codex'), STUB_KEY: 'key-of-a-test' };
  },
  gemini: (home, url, server) => {
    keep(home, '.gemini/settings.json', {
      ...(server ? { mcpServers: { statedsl: { ...SERVER, trust: true } } } : {}),
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { disableAutoUpdate: true, enableAutoUpdate: false, disableUpdateNag: true },
    });
    return { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'key-of-a-test', GEMINI_MODEL: 'gemini-2.5-pro' };
  },
  qwen: (home, url, server) => {
    keep(home, '.qwen/settings.json', {
      ...(server ? { mcpServers: { statedsl: { ...SERVER, trust: true } } } : {}),
      security: { auth: { selectedType: 'openai' } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false },
      // Without this it waits for a minute before it asks again.
      model: { generationConfig: { retryInitialDelayMs: 1000, retryMaxDelayMs: 3000 } },
      // It would ask the model for things to remember after each answer.
      memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
    });
    return { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'key-of-a-test', OPENAI_MODEL: MODEL };
  },
  opencode: (home, url, server) => {
    const model = { name: MODEL, tool_call: true, limit: { context: 200_000, output: 8000 }, cost: COST };
    keep(home, '.config/opencode/opencode.json', {
      $schema: 'https://opencode.ai/config.json',
      autoupdate: false,
      share: 'disabled',
      model: `stub/${MODEL}`,
      small_model: `stub/${MODEL}`,
      enabled_providers: ['stub'],
      ...(server ? { mcp: { statedsl: { type: 'local', command: [SERVER.command, ...SERVER.args] } } } : {}),
      provider: {
        stub: {
          npm: '@ai-sdk/openai-compatible',
          name: 'stub',
          options: { baseURL: `${url}/v1`, apiKey: 'key-of-a-test' },
          models: { [MODEL]: model },
        },
      },
    });
    return {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    };
  },
};

/** US dollars a million tokens, as OpenCode is told them. */
const COST = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 };

/**
 * Programs that start themselves once more, to have more memory: half of their time. Cases that end processes let them.
 */
const ONCE = { gemini: { GEMINI_CLI_NO_RELAUNCH: 'true' }, qwen: { QWEN_CODE_NO_RELAUNCH: 'true' } };

/** The environment of `program` whose model is at `url`. Nothing of the user's own is in it. `server`: it has our tools. */
export function homeFor(program, home, url, { endsProcesses = false, server = false } = {}) {
  mkdirSync(home, { recursive: true });
  const xdg = {
    XDG_CONFIG_HOME: '.config',
    XDG_DATA_HOME: '.local/share',
    XDG_CACHE_HOME: '.cache',
    XDG_STATE_HOME: '.state',
  };
  return {
    HOME: home,
    ...Object.fromEntries(Object.entries(xdg).map(([name, path]) => [name, join(home, path)])),
    NO_COLOR: '1',
    // A program that wants to reach anything else finds nothing there.
    HTTP_PROXY: 'http://127.0.0.1:9',
    HTTPS_PROXY: 'http://127.0.0.1:9',
    NO_PROXY: '127.0.0.1,localhost',
    http_proxy: 'http://127.0.0.1:9',
    https_proxy: 'http://127.0.0.1:9',
    no_proxy: '127.0.0.1,localhost',
    ...WAYS[program](home, url, server),
    ...(endsProcesses ? {} : ONCE[program]),
  };
}
