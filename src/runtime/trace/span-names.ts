/**
 * The names of attributes in spans. Those of models and agents are the ones of the semantic conventions for generative AI,
 * version 0.1.0; they change between versions, so no other file writes them.
 */

export const GEN_AI = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  agent: 'gen_ai.agent.name',
  tool: 'gen_ai.tool.name',
  conversation: 'gen_ai.conversation.id',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
} as const;

/** Values of the operation, which also begin the names of such spans. */
export const OPERATION = { agent: 'invoke_agent', tool: 'execute_tool' } as const;

/** Providers by the adapter of an agent, or by the first word of its name. Others have their own name. */
export const PROVIDERS: Readonly<Record<string, string>> = {
  claude: 'anthropic',
  codex: 'openai',
  gpt: 'openai',
  gemini: 'gcp.gemini',
  qwen: 'alibaba_cloud',
};
