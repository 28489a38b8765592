/** The tokens that occur only below a STEP. Its expressions, options and commands use the general tokens. */
import type { TokenType } from '../tokens/token.js';
import { fast, matchOnly } from '../tokens/token.js';
import { Assign, boundary, inline, wordUnless } from '../tokens/tokens.js';
import type { SectionVerb } from '../tokens/verbs.js';
import * as step from './step-patterns.js';

function section(name: string, verb: SectionVerb, mode: string): TokenType {
  return boundary(name, step.sectionPattern(verb), mode);
}

export const Context = section('Context', 'CONTEXT', 'context');
export const Prompt = section('Prompt', 'PROMPT', 'prompt');
export const Session = section('Session', 'SESSION', 'options');
export const Agent = section('Agent', 'AGENT', 'agent');
export const Workflow = section('Workflow', 'WORKFLOW', 'call');
export const Gate = section('Gate', 'GATE', 'gate');
export const Retry = section('Retry', 'RETRY', 'retry');
export const Each = section('Each', 'EACH', 'options');

/** The name of a step: a text without spaces that cannot be an option. */
export const StepName = inline('StepName', wordUnless(/[^\s()[\]{},="'#:→]+(?![^\s:]*=)/), 'options');

// ---- entries ----------------------------------------------------------------------------------------

export const GateExpression = inline('GateExpression', step.gateExpression, 'stepValue');
export const GateCall = inline('GateCall', step.gateCall, 'call');
export const GateText = inline('GateText', step.gateText, 'stepText');
export const GateName = inline('GateName', step.gateName, 'stepText');
export const ContextCall = inline('ContextCall', step.contextCall, 'stepValue');
export const ContextKey = inline('ContextKey', step.contextKey, 'contextValue');
export const RetryNumber = inline('RetryNumber', step.retryNumber, 'stepValue');
export const RetryGate = inline('RetryGate', step.retryGate, 'stepText');
export const RetryCall = inline('RetryCall', step.retryCall, 'call');
export const RetryPrompt = inline('RetryPrompt', step.retryPrompt, 'prompt');
export const RetryValue = inline('RetryValue', step.retryValue, 'stepText');

export const NextGate = inline('NextGate', step.nextGate, 'gate');
export const NextContext = inline('NextContext', step.nextContext, 'context');
export const NextRetry = inline('NextRetry', step.nextRetry, 'retry');
export const RetryArrow = inline('RetryArrow', step.retryArrow, 'retry');

// ---- values -----------------------------------------------------------------------------------------

export const As = inline('As', step.as, 'label');
export const Label = inline('Label', step.plainWord, 'stepText');
export const AgentName = inline(
  'AgentName',
  matchOnly((last) => last?.tokenType === Agent, step.plainWord),
);
export const CallName = inline('CallName', wordUnless(/[^\s,()[\]{}="'→]+/), 'stepValue');
export const PlainWord = inline('PlainWord', step.plainWord);
export const DashedWord = inline(
  'DashedWord',
  matchOnly((last) => last?.tokenType === Assign, step.dashedWord),
);

const startsText: ReadonlySet<TokenType> = new Set([Prompt, RetryPrompt]);
/** `PROMPT: |`, as YAML writes it. */
export const Bar = inline(
  'Bar',
  matchOnly(
    (last) => last !== undefined && startsText.has(last.tokenType),
    fast('|', /\|-?(?=[ \t]*(?:\r?\n|$|[ \t]#))/),
  ),
);
export const TextBlock = inline(
  'TextBlock',
  matchOnly((last) => last !== undefined && (startsText.has(last.tokenType) || last.tokenType === Bar), step.textBlock),
);
export const UnquotedText = inline(
  'UnquotedText',
  matchOnly((last) => last !== undefined && startsText.has(last.tokenType), step.unquotedText),
);
