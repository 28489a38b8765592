/** Builds the entries of RETRY: their conditions and changes. */
import { unknownEntry } from '../../source/catalogue/steps.js';
import { missingPart, unexpectedText } from '../../source/catalogue/syntax.js';
import type { Expression, Name, Template } from '../expression-nodes.js';
import type { SyntaxElement, SyntaxNode } from '../grammar/cst.js';
import {
  child,
  emptySpanAt,
  endOf,
  isNode,
  type ParseContext,
  parts,
  report,
  reportMissing,
  span,
  spanOf,
  startOf,
  token,
  tokenSpan,
} from '../grammar/cst.js';
import type { Override, RetryCondition, RetryEntry } from '../step-nodes.js';
import type { Token } from '../tokens/token.js';
import { buildExpression } from '../tree/build-expression.js';
import { textTemplate } from '../tree/build-options.js';
import type { Bodies, StepContent } from '../tree/statement-context.js';
import { buildCall, entryName, reportUnknown } from './build-entries.js';
import { buildPrompt } from './build-prompt.js';
import { conditionWords, meantRetry, overrideWords } from './section-words.js';
import { strayPart } from './step-part.js';

const example = 'ATTEMPT 2 → AGENT claude-opus';

/** The entry of a `retryEntry` node. After an arrow at the end of the line, the changes are on the lines below. */
export function buildRetryEntry(context: ParseContext, node: SyntaxNode, bodies: Bodies): RetryEntry {
  const conditions: RetryCondition[] = [];
  const overrides: Override[] = [];
  const pieces = parts(node);
  for (const piece of pieces) {
    if (!isNode(piece)) continue;
    const built = buildRetryPart(context, piece);
    if (built === undefined) continue;
    if (built.is === 'condition') conditions.push(built.condition);
    else overrides.push(built.override);
  }
  const last = pieces[pieces.length - 1] as SyntaxElement;
  if (!isNode(last)) {
    const below = last.tokenType.name === 'RetryArrow' ? bodies.stepLines() : undefined;
    if (below !== undefined) overrides.push(...overridesBelow(context, below));
    else
      reportMissing(
        context,
        missingPart(tokenSpan(context, last), {
          what: 'a change, such as `AGENT claude-opus`',
          after: last.image,
          example,
        }),
      );
  }
  reportShape(context, pieces, conditions);
  return { conditions, overrides, span: span(context, startOf(node), endOf(node)) };
}

/** Reports superfluous and missing arrows. */
function reportShape(
  context: ParseContext,
  pieces: readonly SyntaxElement[],
  conditions: readonly RetryCondition[],
): void {
  const arrows = pieces.filter((piece): piece is Token => !isNode(piece) && piece.tokenType.name === 'RetryArrow');
  const second = arrows[1];
  if (second !== undefined) {
    const help = 'write the changes of the retry with commas, or on lines below the arrow';
    reportMissing(context, unexpectedText(tokenSpan(context, second), { text: second.image, help }));
  }
  const first = pieces[0];
  if (arrows[0] !== undefined && first === arrows[0] && conditions.length === 0)
    reportMissing(
      context,
      missingPart(tokenSpan(context, arrows[0]), { what: 'a condition', after: 'RETRY', example }),
    );
}

/** Overrides on their own lines. Each is parsed as an entry without a condition. */
function overridesBelow(context: ParseContext, { body, parts: lines }: StepContent): Override[] {
  for (const { verb, kind } of body.instructions) {
    if (kind !== 'broken')
      report(context, unknownEntry(verb.span, { written: verb.text, list: 'RETRY', known: overrideWords }));
  }
  return lines.flatMap((line) => {
    if (line.kind === 'retry-entry' && line.entry.conditions.length === 0) return line.entry.overrides;
    report(context, strayPart(line));
    return [];
  });
}

type RetryPart =
  | { readonly is: 'condition'; readonly condition: RetryCondition }
  | { readonly is: 'override'; readonly override: Override };

function buildRetryPart(context: ParseContext, node: SyntaxNode): RetryPart | undefined {
  const first = (token(node, 'RetryNumber') ??
    token(node, 'RetryGate') ??
    token(node, 'RetryCall') ??
    token(node, 'RetryPrompt') ??
    token(node, 'RetryValue')) as Token;
  const word = entryName(context, first);
  const meant = meantRetry(word.text);
  if (meant !== word.text) reportWord(context, word, meant);
  const where = spanOf(context, node);
  switch (first.tokenType.name) {
    case 'RetryNumber': {
      const number = numberOf(context, node, word);
      return { is: 'condition', condition: { kind: meant === 'EXIT' ? 'exit' : 'attempt', number, span: where } };
    }
    case 'RetryGate':
      return { is: 'condition', condition: { kind: 'not', gate: gateOf(context, node, word), span: where } };
    case 'RetryCall': {
      const call = buildCall(
        context,
        node,
        token(node, 'CallName'),
        word,
        'VALIDATE validators/assess with d={diff} → …',
      );
      return { is: 'condition', condition: { kind: 'validate', call, span: where } };
    }
    case 'RetryPrompt': {
      const value = buildPrompt(context, child(node, 'promptText'), word);
      return value === undefined
        ? undefined
        : { is: 'override', override: { word, name: 'prompt', value, span: where } };
    }
    default:
      return { is: 'override', override: overrideOf(context, node, word, meant) };
  }
}

function reportWord(context: ParseContext, word: Name, meant: string | undefined): void {
  reportUnknown(context, word, 'RETRY', [...conditionWords, ...overrideWords], meant);
}

function numberOf(context: ParseContext, node: SyntaxNode, word: Name): Expression {
  const expression = child(node, 'expression');
  if (expression !== undefined) return buildExpression(context, expression);
  reportMissing(context, missingPart(word.span, { what: 'a number', after: word.text, example: `${word.text} 3` }));
  return { kind: 'broken', span: emptySpanAt(word.span) };
}

function gateOf(context: ParseContext, node: SyntaxNode, word: Name): Name {
  const gate = token(node, 'PlainWord');
  // The name of the gate alone can mean nothing else; the formatter writes `gate.` before it.
  if (gate !== undefined)
    return {
      text: /^[\w-]+$/.test(gate.image) ? `gate.${gate.image}` : gate.image,
      span: tokenSpan(context, gate),
    };
  reportMissing(
    context,
    missingPart(word.span, { what: 'a gate', after: word.text, example: 'NOT gate.test → AGENT claude-opus' }),
  );
  return { text: '', span: emptySpanAt(word.span) };
}

const names: Readonly<Record<string, Override['name']>> = {
  AGENT: 'agent',
  SESSION: 'session',
  WORKTREE: 'worktree',
  RESTART_FROM: 'restart_from',
  REPLAN: 'replan',
};
const values: Readonly<Record<string, string>> = {
  AGENT: 'AGENT claude-opus',
  SESSION: 'SESSION new',
  WORKTREE: 'WORKTREE reset',
  RESTART_FROM: 'RESTART_FROM tests',
  REPLAN: 'REPLAN claude-opus',
};

function overrideOf(context: ParseContext, node: SyntaxNode, word: Name, meant: string | undefined): Override {
  const value = token(node, 'PlainWord') ?? token(node, 'Quoted');
  const name = meant === undefined ? null : (names[meant] ?? null);
  if (value === undefined && meant !== undefined)
    reportMissing(
      context,
      missingPart(word.span, { what: 'a value', after: word.text, example: values[meant] ?? example }),
    );
  return { word, name, value: overrideValue(context, value, word), span: spanOf(context, node) };
}

function overrideValue(context: ParseContext, value: Token | undefined, word: Name): Template {
  if (value !== undefined) return textTemplate(context, value.image, value.startOffset);
  return { parts: [], quote: 'none', raw: '', span: emptySpanAt(word.span) };
}
