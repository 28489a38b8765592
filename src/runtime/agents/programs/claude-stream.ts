/**
 * The events of Claude Code and of programs that imitate it: `system`, `assistant`, `user`, and at the end `result`
 * with the answer, the turns, the tokens and the cost.
 */
import type { TokenCounts } from '../../../interpreter/events/event.js';
import { isJsonObject } from '../../../prelude/json-object.js';
import { amountOf, countOf, listOf, objectOf, textOf } from '../json-lines.js';
import type { AgentTally, ErrorFlags } from '../tally.js';
import type { JsonLine } from './adapter.js';

/** The model that Claude Code names for its own messages: errors, and output of its commands. */
const NO_MODEL = '<synthetic>';

export function readClaudeEvent(line: JsonLine, tally: AgentTally): void {
  tally.worksIn(textOf(line.session_id));
  switch (line.type) {
    case 'assistant':
      readToolCalls(line, tally);
      return readMessage(line, tally);
    case 'user':
      readRefusals(line, tally);
      return readCost(line, tally);
    case 'rate_limit_event':
      return readRateLimit(objectOf(line.rate_limit_info), tally);
    case 'result':
      readDenials(line, tally);
      return readResult(line, tally);
    case 'system':
      readNotice(line, tally);
      return readCost(line, tally);
    default:
      readCost(line, tally);
  }
}

function readMessage(line: JsonLine, tally: AgentTally): void {
  readCost(line, tally);
  tally.works();
  // Actions of a sub-agent are part of the turn that called it.
  if (textOf(line.parent_tool_use_id) !== null) return;
  const message = objectOf(line.message);
  tally.countsTurns();
  if (message.model === NO_MODEL) return;
  tally.turnOf(textOf(message.id));
  sayMessage(message, tally);
}

/** Shows the text of a message, and records it as the last text. */
export function sayMessage(message: JsonLine, tally: AgentTally): void {
  const texts = listOf(message.content).flatMap((part) => {
    const text = isJsonObject(part) && part.type === 'text' ? textOf(part.text) : null;
    return text === null ? [] : [text];
  });
  const text = textOf(message.content) ?? texts.join('');
  if (text !== '') tally.setText(text);
}

/** Reports other than the conversation: a retry of its service, or a denied tool. */
function readNotice(line: JsonLine, tally: AgentTally): void {
  if (line.subtype === 'api_retry') {
    const status = amountOf(line.error_status);
    const words = [status, textOf(line.error)].filter((word) => word !== null && word !== 'unknown');
    tally.retries(words.length === 0 ? 'it does not answer' : words.join(' '));
  }
  if (line.subtype === 'permission_denied')
    tally.denies(textOf(line.tool_use_id) ?? '', {
      tool: textOf(line.tool_name) ?? 'a tool',
      reason: textOf(line.decision_reason) ?? textOf(line.message) ?? '',
    });
}

function partsOf({ message }: JsonLine, type: string): JsonLine[] {
  return listOf(objectOf(message).content)
    .filter(isJsonObject)
    .filter((part) => part.type === type);
}

export function readToolCalls(line: JsonLine, tally: AgentTally): void {
  for (const { id, name, input } of partsOf(line, 'tool_use'))
    tally.callsTool(textOf(id) ?? '', { tool: textOf(name) ?? 'a tool', input: inputText(input) });
}

/** The wording of results for a tool that was not allowed or does not exist in this session. */
const REFUSED =
  /^(?:<tool_use_error>)?(?:Error: )?(?:No such tool available|File is in a directory that is denied|Permission to use \S+ .*has been denied|Tool "[^"]*" not found in registry)/;

/** Denials that the program reports only to the model. */
export function readRefusals(line: JsonLine, tally: AgentTally): void {
  for (const { tool_use_id: named, content, is_error: isError } of partsOf(line, 'tool_result')) {
    const [id, text] = [textOf(named) ?? '', textOf(content)];
    if (isError !== true || text === null || !REFUSED.test(text)) continue;
    tally.denies(id, { ...tally.toolCall(id), reason: text.replace(/<\/?tool_use_error>/g, '') });
  }
}

export function readDenials(line: JsonLine, tally: AgentTally): void {
  for (const denial of listOf(line.permission_denials)) {
    if (!isJsonObject(denial)) continue;
    const { tool_name: tool, tool_use_id: id, tool_input: input } = denial;
    const what = input === undefined ? {} : { input: inputText(input) };
    tally.denies(textOf(id) ?? '', { tool: textOf(tool) ?? 'a tool', ...what });
  }
}

/** The command, the file or the address of a tool call, or else its whole input. */
export function inputText(input: unknown): string {
  const { command, file_path: file, filePath, path, url } = objectOf(input);
  const main = [command, file, filePath, path, url].find((value) => typeof value === 'string');
  return textOf(main) ?? textOf(input) ?? JSON.stringify(input ?? '');
}

/** The cost is reported as a sum, so each report replaces the previous one. */
function readCost(line: JsonLine, tally: AgentTally): void {
  tally.cost = amountOf(line.total_cost_usd) ?? tally.cost;
}

function readRateLimit({ status, resetsAt }: JsonLine, tally: AgentTally): void {
  const seconds = amountOf(resetsAt);
  if (status === 'rejected' && seconds !== null) tally.resetMs = seconds * 1000;
}

function readResult(line: JsonLine, tally: AgentTally): void {
  const own = ownUsage(line.model_usage_since_last_result);
  if (own === null) {
    readCost(line, tally);
    if (isJsonObject(line.usage)) tally.tokens = claudeTokens(line.usage);
  } else {
    // `total_cost_usd` then counts the whole session, and a result is only one of several.
    tally.spends(own.cost);
    tally.uses(own.tokens ?? claudeTokens(objectOf(line.usage)));
  }
  const turns = amountOf(line.num_turns);
  if (turns === 0) tally.countsTurns();
  else if (tally.turns === null) tally.reportedTurns = turns;
  readEnd(line, tally);
}

/** Reads the end of the call: an answer, or an error with the program's message. */
export function readEnd(line: JsonLine, tally: AgentTally): void {
  const { result, subtype } = line;
  const structured = line.structured_output ?? result;
  const text =
    typeof structured === 'string'
      ? structured
      : structured === undefined || structured === null
        ? ''
        : JSON.stringify(structured);
  const failed = line.is_error === true || (typeof subtype === 'string' && subtype.startsWith('error'));
  if (subtype === 'error_max_turns') tally.ownGuard = 'max_turns';
  if (subtype === 'error_max_budget_usd') tally.ownGuard = 'max_cost';
  if (!failed) {
    tally.error = null;
    tally.answers(text);
    return;
  }
  const errors = listOf(line.errors).filter((error) => typeof error === 'string');
  const said = text || errors.join('\n') || textOf(objectOf(line.error).message) || textOf(line.error);
  tally.fails(said || textOf(subtype) || 'the agent reported an error', flagsOf(line));
}

function flagsOf({ api_error_status: status, api_error: kind }: JsonLine): ErrorFlags {
  const code = amountOf(status);
  if (code !== null) return { status: code };
  return kind === 'connection_failed' ? { retryable: true } : {};
}

/** The usage of each model in this call; null if the program does not report it. */
function ownUsage(models: unknown): { readonly cost: number; readonly tokens: TokenCounts | null } | null {
  if (!isJsonObject(models)) return null;
  const all = Object.values(models).filter(isJsonObject);
  const sum = (name: string): number => all.reduce((total, model) => total + (amountOf(model[name]) ?? 0), 0);
  const tokens = {
    in: countOf(sum('inputTokens')),
    out: countOf(sum('outputTokens')),
    cache_read: countOf(sum('cacheReadInputTokens')),
    cache_write: countOf(sum('cacheCreationInputTokens')),
  };
  return { cost: sum('costUSD'), tokens: all.length === 0 ? null : tokens };
}

/** Programs use both spellings: `input_tokens` and `inputTokens`. */
export function claudeTokens(usage: JsonLine): TokenCounts {
  return {
    in: countOf(usage.input_tokens ?? usage.inputTokens),
    out: countOf(usage.output_tokens ?? usage.outputTokens),
    cache_read: countOf(usage.cache_read_input_tokens ?? usage.cacheReadTokens),
    cache_write: countOf(usage.cache_creation_input_tokens ?? usage.cacheWriteTokens),
  };
}
