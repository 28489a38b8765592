/**
 * The events that Claude Code prints, and others after its model: `system`, `assistant`, `user`, and at the end
 * `result` with the answer, the turns, the tokens and the cost.
 */
import type { TokenCounts } from '../../../interpreter/events/event.js';
import { amountOf, countOf, isJsonObject, listOf, objectOf, textOf } from '../json-members.js';
import type { AgentTally } from '../tally.js';
import type { JsonLine } from './adapter.js';

export function readClaudeEvent(line: JsonLine, tally: AgentTally): void {
  tally.worksIn(textOf(line.session_id));
  switch (line.type) {
    case 'assistant':
      return readMessage(line, tally);
    case 'rate_limit_event':
      return readRateLimit(objectOf(line.rate_limit_info), tally);
    case 'result':
      return readResult(line, tally);
    default:
      readCost(line, tally);
  }
}

function readMessage(line: JsonLine, tally: AgentTally): void {
  readCost(line, tally);
  // What a sub-agent does is part of the turn that called it.
  if (textOf(line.parent_tool_use_id) !== null) return;
  const message = objectOf(line.message);
  tally.turnOf(textOf(message.id));
  const texts = listOf(message.content).flatMap((part) => {
    const text = isJsonObject(part) && part.type === 'text' ? textOf(part.text) : null;
    return text === null ? [] : [text];
  });
  const text = textOf(message.content) ?? texts.join('');
  if (text !== '') tally.says(text);
}

/** The cost is told as a sum, so each one replaces the one before. */
function readCost(line: JsonLine, tally: AgentTally): void {
  tally.cost = amountOf(line.total_cost_usd) ?? tally.cost;
}

function readRateLimit({ status, resetsAt }: JsonLine, tally: AgentTally): void {
  const seconds = amountOf(resetsAt);
  if (status === 'rejected' && seconds !== null) tally.resetMs = seconds * 1000;
}

function readResult(line: JsonLine, tally: AgentTally): void {
  readCost(line, tally);
  tally.reportedTurns = amountOf(line.num_turns) ?? tally.reportedTurns;
  if (isJsonObject(line.usage)) tally.tokens = claudeTokens(line.usage);
  const { result, subtype } = line;
  const text =
    typeof result === 'string' ? result : result === undefined || result === null ? '' : JSON.stringify(result);
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
  tally.fails(said || textOf(subtype) || 'the agent reported an error');
}

/** Both spellings are in use: `input_tokens`, and `inputTokens` of programs that follow another style. */
function claudeTokens(usage: JsonLine): TokenCounts {
  return {
    in: countOf(usage.input_tokens ?? usage.inputTokens),
    out: countOf(usage.output_tokens ?? usage.outputTokens),
    cache_read: countOf(usage.cache_read_input_tokens ?? usage.cacheReadTokens),
    cache_write: countOf(usage.cache_creation_input_tokens ?? usage.cacheWriteTokens),
  };
}
