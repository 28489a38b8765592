/** One attempt of a command or call with all recorded facts. */
import type { DeniedCall } from '../../interpreter/events/event.js';
import type { Json } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { Attempt, Ending, Tokens } from '../../runtime/record/record-facts.js';
import { outcomeWords } from '../log/outcome-words.js';

/** One attempt of a command, function, tool or agent call, with its outcome in words. */
export interface DetailedAttempt {
  readonly run_id: string;
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  readonly tool: string;
  readonly kind: string;
  readonly text: string;
  readonly state: string;
  readonly line: number;
  readonly attempt: number;
  /** Whether it is an UNDO. */
  readonly undo?: true;
  readonly args?: readonly Json[];
  readonly prompt?: string;
  readonly ending: Ending;
  /** How the attempt ended, in words; null while it has no outcome. */
  readonly outcome: string | null;
  /** The reason of the retry. */
  readonly retried: string | null;
  readonly duration_ms: number | null;
  readonly cost?: number | null;
  readonly tokens?: Tokens;
  readonly turns?: number;
  readonly session_id?: string;
  readonly denied?: readonly DeniedCall[];
}

/** The name under which an attempt is listed. */
export function toolName({ tool, text }: Attempt['request']): string {
  return tool ?? text;
}

export function detailedAttempt(run_id: string, attempt: Attempt): DetailedAttempt {
  const { seq, time, request, ending, outcome, retried, durationMs, cost, tokens, turns, sessionId, denied } = attempt;
  const { kind, text, state, line, undo, args, prompt } = request;
  return {
    run_id,
    seq,
    at: time,
    tool: toolName(request),
    kind,
    text,
    state,
    line,
    attempt: request.attempt,
    ...omitUndefined({ undo, args, prompt }),
    ending,
    outcome: outcome === null ? null : outcomeWords(outcome),
    retried,
    duration_ms: durationMs,
    ...omitUndefined({ cost, tokens, turns, session_id: sessionId, denied }),
  };
}
