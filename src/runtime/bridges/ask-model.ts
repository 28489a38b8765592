/**
 * The program behind the adapter `model`: reads a prompt from standard input, asks the service of a model, and prints what
 * comes as lines of JSON. It ends without an `end` line unless the model has finished its answer, because half a text is no
 * answer.
 */
import { readFileSync } from 'node:fs';
import { text as readAll } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  JSONParseError,
  type LanguageModel,
  type LanguageModelUsage,
  type ModelMessage,
  stepCountIs,
  streamText,
  type Tool,
  TypeValidationError,
} from 'ai';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parseDuration } from '../../machine/duration.js';
import type { BridgeLine } from '../agents/programs/bridge-stream.js';
import type { ModelTask } from '../agents/programs/model.js';
import { modelTools } from './model-tools.js';
import { costOf, priceOf } from './prices.js';

const MOST_STEPS = 200;
const PARTIAL = new Set(['length', 'content-filter', 'error', 'other', 'unknown']);

function print(line: BridgeLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

class CallFailed extends Error {
  constructor(readonly line: Extract<BridgeLine, { type: 'error' }>) {
    super(line.message);
  }
}

function modelOf({ provider, model, base_url: baseURL, headers, keys, name }: ModelTask): LanguageModel {
  const key = keys.map((variable) => process.env[variable]).find((one) => one !== undefined && one !== '');
  if (key === undefined && keys.length > 0)
    throw new CallFailed({
      type: 'error',
      message: `the agent \`${name}\` needs a key: set ${keys.join(' or ')}`,
      retryable: false,
    });
  const settings = { apiKey: key ?? 'none', ...(baseURL ? { baseURL } : {}), ...(headers ? { headers } : {}) };
  switch (provider) {
    case 'openai':
      return createOpenAI(settings)(model);
    case 'anthropic':
      return createAnthropic(settings)(model);
    case 'google':
      return createGoogleGenerativeAI(settings)(model);
    default:
      return createOpenAICompatible({
        name: 'service',
        baseURL: baseURL ?? '',
        includeUsage: true,
        ...(key === undefined ? {} : { apiKey: key }),
        ...(headers ? { headers } : {}),
      })(model);
  }
}

function providerOptions({ effort }: ModelTask) {
  return {
    // Conversations are ours: nothing of them is kept by the service.
    openai: { store: false, ...(effort ? { reasoningEffort: effort } : {}) },
    ...(effort
      ? {
          anthropic: { effort },
          google: { thinkingConfig: { thinkingLevel: effort } },
          service: { reasoningEffort: effort },
        }
      : {}),
  };
}

function usageLine(task: ModelTask, usage: LanguageModelUsage): BridgeLine {
  const { inputTokens, outputTokens, inputTokenDetails: details } = usage;
  if (inputTokens === undefined && outputTokens === undefined) return { type: 'usage', cost: null };
  const read = details?.cacheReadTokens ?? 0;
  const written = details?.cacheWriteTokens ?? 0;
  const tokens = {
    in: details?.noCacheTokens ?? Math.max(0, (inputTokens ?? 0) - read - written),
    out: outputTokens ?? 0,
    cache_read: read,
    cache_write: written,
  };
  return { type: 'usage', tokens, cost: costOf(task.prices ?? priceOf(task.model), tokens) };
}

function errorLine(cause: unknown): Extract<BridgeLine, { type: 'error' }> {
  if (cause instanceof CallFailed) return cause.line;
  if (APICallError.isInstance(cause)) {
    const { statusCode: status, responseHeaders: headers = {}, message, responseBody = '', isRetryable } = cause;
    const reset = resetOf(headers);
    // The connection ended after the service had begun to answer.
    if (status !== undefined && status >= 200 && status < 300) return { ...CUT };
    // An event of the stream that cannot be read is passed off as an answer of the service.
    if (JSONParseError.isInstance(cause.cause) || TypeValidationError.isInstance(cause.cause))
      return errorLine(cause.cause);
    const said = messageIn(responseBody) ?? (message || 'no answer');
    return {
      type: 'error',
      message: status === undefined ? `cannot connect: ${said}` : `${status} ${said}`,
      ...(status === undefined ? { retryable: true } : { status }),
      ...(status !== undefined && !isRetryable && status < 500 && status !== 429 ? { retryable: false } : {}),
      ...(reset === null ? {} : { reset_ms: reset }),
    };
  }
  if (JSONParseError.isInstance(cause))
    return { type: 'error', message: `the service answered with what is no JSON: ${beginning(cause.text)}` };
  if (TypeValidationError.isInstance(cause)) {
    const shown = beginning(JSON.stringify(cause.value) ?? '');
    return { type: 'error', message: `the service answered with what has not the form of its answers: ${shown}` };
  }
  const error = cause instanceof Error ? cause : new Error(String(cause));
  if (WITHOUT_END.test(error.message)) return { ...CUT };
  const inner = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return { type: 'error', message: `${error.message}${inner}` };
}

/** What the libraries of the services say if a stream ends too early. */
const WITHOUT_END = /ended without a finish/;

const beginning = (text: string): string => (text.length <= 200 ? text : `${text.slice(0, 200)}…`);

const CUT = {
  type: 'error',
  message: 'connection closed: the answer of the model ends in the middle',
  retryable: true,
} as const;

/** What the body of an error says, in any of the forms that services use. */
function messageIn(body: string): string | null {
  try {
    const { error, message } = JSON.parse(body) as { error?: { message?: unknown } | string; message?: unknown };
    const said = typeof error === 'object' ? error.message : (error ?? message);
    return typeof said === 'string' && said !== '' ? said.slice(0, 500) : null;
  } catch {
    return null;
  }
}

/** When the service can be asked again, from the headers of its answer. */
function resetOf(headers: Readonly<Record<string, string>>): number | null {
  const ms = Number(headers['retry-after-ms']);
  if (ms > 0) return Date.now() + ms;
  const after = headers['retry-after'];
  if (after === undefined) return null;
  const seconds = Number(after);
  if (seconds >= 0) return Date.now() + seconds * 1000;
  const date = Date.parse(after);
  return Number.isNaN(date) ? null : date;
}

/**
 * Tells the conversation up to here: a call that is cut off later continues from here, and nothing before it is paid again. A
 * session is reported with it, since one without a conversation cannot be continued.
 */
function keep({ session, stored }: ModelTask, messages: readonly ModelMessage[]): void {
  if (stored === null) return;
  print({ type: 'session', id: session });
  print({ type: 'conversation', messages });
  printed++;
}

let printed = 0;

/** Waits until what it has told is stored: if all is killed while the model thinks, nothing before is done again. */
async function storedAll({ stored }: ModelTask): Promise<void> {
  // The file is empty for a moment while it is written.
  while (stored !== null && Number(readFileSync(stored, 'utf8')) < printed) await setTimeout(1);
}

/** One question and its answer, with the calls of tools in between. Returns the text and the messages that were added. */
async function ask(
  task: ModelTask,
  model: LanguageModel,
  tools: Readonly<Record<string, Tool>>,
  messages: readonly ModelMessage[],
  system?: string,
) {
  const { temperature, max_output, max_turns, timeout } = task;
  const limit = timeout === undefined ? null : parseDuration(timeout);
  const signal = limit === null ? undefined : AbortSignal.timeout(limit);
  const result = streamText({
    model,
    messages: [...messages],
    maxRetries: 0,
    ...(system === undefined ? {} : { system }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(max_output === undefined ? {} : { maxOutputTokens: max_output }),
    ...(signal === undefined ? {} : { abortSignal: signal }),
    ...(Object.keys(tools).length === 0 ? {} : { tools }),
    stopWhen: stepCountIs(Math.min(MOST_STEPS, (max_turns ?? MOST_STEPS) + 1)),
    providerOptions: providerOptions(task),
    onStepFinish: async ({ finishReason, response }) => {
      if (finishReason !== 'tool-calls') return;
      keep(task, [...messages, ...response.messages]);
      await storedAll(task);
    },
    onError: () => undefined,
  });
  let text = '';
  let reason = 'unknown';
  let failure: unknown = null;
  for await (const part of result.fullStream) {
    switch (part.type) {
      case 'start-step':
        print({ type: 'turn' });
        text = '';
        break;
      case 'text-delta':
        text += part.text;
        print({ type: 'text', text: part.text });
        break;
      case 'tool-call':
        print({ type: 'tool', id: part.toolCallId, name: part.toolName, input: JSON.stringify(part.input) });
        break;
      // A tool that does not exist, or with arguments that do not fit: nothing was called.
      case 'tool-error':
        print({ type: 'tool_end', id: part.toolCallId, ms: 0, error: errorLine(part.error).message });
        break;
      case 'finish-step':
        reason = part.finishReason;
        print(usageLine(task, part.usage));
        break;
      case 'error':
        failure ??= part.error;
        break;
      default:
    }
  }
  // The loop ends without an exception when it was aborted.
  if (signal?.aborted === true)
    throw new CallFailed({ type: 'error', message: `the model did not answer within ${timeout}`, retryable: true });
  if (failure !== null) throw failure;
  if (reason === 'tool-calls')
    throw new CallFailed({ type: 'error', message: 'the model used up its turns', retryable: false });
  if (PARTIAL.has(reason)) {
    const why = reason === 'length' ? 'its answer is longer than `max_output` allows' : `it stopped early (${reason})`;
    if (reason === 'other' || reason === 'unknown') throw new CallFailed({ ...CUT });
    throw new CallFailed({ type: 'error', message: `the model did not finish: ${why}`, retryable: false });
  }
  return { text, added: (await result.response).messages };
}

const SCHEMA_HINT = 'Answer with one JSON value and nothing else. It must fit this JSON Schema:';

/** The answer as JSON that fits; null, or why it does not. */
function fitting(text: string, validate: ValidateFunction): { json: string } | { problem: string } {
  const plain = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text)?.[1] ?? text;
  let value: unknown;
  try {
    value = JSON.parse(plain);
  } catch (cause) {
    return { problem: `it is not JSON: ${(cause as Error).message}` };
  }
  if (validate(value)) return { json: JSON.stringify(value) };
  const [error] = validate.errors ?? [];
  return { problem: `it does not fit: \`${error?.instancePath || '/'}\` ${error?.message ?? ''}` };
}

/** The answer, which fits the schema if the model manages it in a second try. `messages` gets what was said. */
async function answer(
  task: ModelTask,
  model: LanguageModel,
  tools: Readonly<Record<string, Tool>>,
  messages: ModelMessage[],
  system: string | undefined,
  schema: string | null,
): Promise<string> {
  let { text, added } = await ask(task, model, tools, messages, system);
  messages.push(...added);
  if (schema !== null) {
    const validate = new Ajv2020({ strict: false, allErrors: false }).compile(JSON.parse(schema));
    let found = fitting(text, validate);
    if ('problem' in found) {
      messages.push({
        role: 'user',
        content: `Your answer cannot be used: ${found.problem}. ${SCHEMA_HINT}\n${schema}`,
      });
      ({ text, added } = await ask(task, model, tools, messages, system));
      messages.push(...added);
      found = fitting(text, validate);
    }
    if ('json' in found) text = found.json;
  }
  return text;
}

async function main(): Promise<void> {
  // They are about its own settings, and nobody reads them here.
  (globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;
  const task = JSON.parse(process.env.STATEDSL_MODEL_TASK ?? '{}') as ModelTask;
  delete process.env.STATEDSL_MODEL_TASK;
  const prompt = await readAll(process.stdin);
  const model = modelOf(task);
  // The key is for the service only, not for what the tools start.
  for (const name of task.keys) delete process.env[name];
  const earlier =
    task.conversation === null ? [] : (JSON.parse(readFileSync(task.conversation, 'utf8')) as ModelMessage[]);
  const schema = task.schema === null ? null : readFileSync(task.schema, 'utf8');
  const system = schema === null ? undefined : `${SCHEMA_HINT}\n${schema}`;
  const messages: ModelMessage[] = [...earlier, { role: 'user', content: prompt }];
  if (earlier.length > 0) keep(task, earlier);
  const { tools, close } = await modelTools(task.tools, print);
  let text = '';
  try {
    text = await answer(task, model, tools, messages, system, schema);
  } finally {
    await close();
  }
  keep(task, messages);
  print({ type: 'end', text });
}

main().catch((cause) => {
  print(errorLine(cause));
  process.exitCode = 1;
});
