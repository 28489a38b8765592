/**
 * The events that Claude Code prints, and others after its model: `system`, `assistant`, `user`, and at the end
 * `result` with the answer, the turns, the tokens and the cost.
 */
import type { TokenCounts } from '../../../interpreter/events/event.js';
import type { AgentTally } from '../tally.js';
import { isTold, toldAmount, toldCount, toldList, toldObject, toldText } from '../told.js';
import type { Told } from './adapter.js';

export function readClaudeEvent(told: Told, tally: AgentTally): void {
  tally.worksIn(toldText(told.session_id));
  switch (told.type) {
    case 'assistant':
      return readMessage(told, tally);
    case 'rate_limit_event':
      return readRateLimit(toldObject(told.rate_limit_info), tally);
    case 'result':
      return readResult(told, tally);
    default:
      readCost(told, tally);
  }
}

function readMessage(told: Told, tally: AgentTally): void {
  readCost(told, tally);
  // What a sub-agent does is part of the turn that called it.
  if (toldText(told.parent_tool_use_id) !== null) return;
  const message = toldObject(told.message);
  tally.turnOf(toldText(message.id));
  const texts = toldList(message.content).flatMap((part) => {
    const text = isTold(part) && part.type === 'text' ? toldText(part.text) : null;
    return text === null ? [] : [text];
  });
  const text = toldText(message.content) ?? texts.join('');
  if (text !== '') tally.says(text);
}

/** The cost is told as a sum, so each one replaces the one before. */
function readCost(told: Told, tally: AgentTally): void {
  tally.cost = toldAmount(told.total_cost_usd) ?? tally.cost;
}

function readRateLimit({ status, resetsAt }: Told, tally: AgentTally): void {
  const seconds = toldAmount(resetsAt);
  if (status === 'rejected' && seconds !== null) tally.resetMs = seconds * 1000;
}

function readResult(told: Told, tally: AgentTally): void {
  readCost(told, tally);
  tally.toldTurns = toldAmount(told.num_turns) ?? tally.toldTurns;
  if (isTold(told.usage)) tally.tokens = claudeTokens(told.usage);
  const { result, subtype } = told;
  const text =
    typeof result === 'string' ? result : result === undefined || result === null ? '' : JSON.stringify(result);
  const failed = told.is_error === true || (typeof subtype === 'string' && subtype.startsWith('error'));
  if (subtype === 'error_max_turns') tally.ownGuard = 'max_turns';
  if (subtype === 'error_max_budget_usd') tally.ownGuard = 'max_cost';
  if (!failed) {
    tally.error = null;
    tally.answers(text);
    return;
  }
  const errors = toldList(told.errors).filter((error) => typeof error === 'string');
  const said = text || errors.join('\n') || toldText(toldObject(told.error).message) || toldText(told.error);
  tally.fails(said || toldText(subtype) || 'the agent reported an error');
}

/** Both spellings are in use: `input_tokens`, and `inputTokens` of programs that follow another style. */
function claudeTokens(usage: Told): TokenCounts {
  return {
    in: toldCount(usage.input_tokens ?? usage.inputTokens),
    out: toldCount(usage.output_tokens ?? usage.outputTokens),
    cache_read: toldCount(usage.cache_read_input_tokens ?? usage.cacheReadTokens),
    cache_write: toldCount(usage.cache_creation_input_tokens ?? usage.cacheWriteTokens),
  };
}
