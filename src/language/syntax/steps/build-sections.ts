/** Builds the sections of a STEP one by one. Contradictions between sections are reported when the step is built. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { badSession, notAStep, unknownEntry } from '../../source/catalogue/steps.js';
import { emptyBlock, missingPart, unexpectedText } from '../../source/catalogue/syntax.js';
import type { Block, Instruction, Option } from '../ast.js';
import type { Name } from '../expression-nodes.js';
import type { SyntaxNode } from '../grammar/cst.js';
import { child, isNode, type ParseContext, report, reportMissing, spanOf, token, tokenSpan } from '../grammar/cst.js';
import { verbName } from '../names.js';
import type { ContextEntry, GateEntry, RetryEntry, SessionSource } from '../step-nodes.js';
import type { Token } from '../tokens/token.js';
import { buildOptions, textTemplate } from '../tree/build-options.js';
import type { Bodies, StepContent } from '../tree/statement-context.js';
import { buildCall, buildContexts, buildGates, gateOfCommand } from './build-entries.js';
import { buildPrompt } from './build-prompt.js';
import { buildRetryEntry } from './build-retry.js';
import { type StepPart, strayPart } from './step-part.js';

/** The part for a `section` node. */
export function buildSection(context: ParseContext, section: SyntaxNode, bodies: Bodies): StepPart {
  const node = section.elements[0] as SyntaxNode;
  const first = node.elements.find((element): element is Token => !isNode(element)) as Token;
  const verb = verbName(context, first);
  const at = { verb, span: spanOf(context, node) };
  switch (node.name) {
    case 'contextSection':
      return { kind: 'context-part', ...at, entries: contextEntries(context, node, verb, bodies) };
    case 'promptSection': {
      const prompt = buildPrompt(context, child(node, 'promptText'), verb);
      return { kind: 'prompt-part', ...at, ...omitUndefined({ prompt }) };
    }
    case 'sessionSection':
      return sessionPart(context, node, at);
    case 'agentSection':
      return agentPart(context, node, at);
    case 'workflowSection': {
      const call = buildCall(
        context,
        node,
        token(node, 'CallName'),
        verb,
        'WORKFLOW: validators/review with diff={diff}',
      );
      return { kind: 'run-part', ...at, run: { kind: 'workflow', call } };
    }
    case 'gateSection':
      return { kind: 'gate-part', ...at, gates: gateEntries(context, node, verb, bodies) };
    case 'retrySection':
      return { kind: 'retry-part', ...at, entries: retryEntries(context, node, verb, bodies) };
    default:
      return eachPart(context, node, at, bodies);
  }
}

interface SectionStart {
  readonly verb: Name;
  readonly span: Instruction['span'];
}

// ---- lists ------------------------------------------------------------------------------------------

function contextEntries(context: ParseContext, node: SyntaxNode, verb: Name, bodies: Bodies): ContextEntry[] {
  const list = child(node, 'contexts');
  if (list !== undefined) return buildContexts(context, list);
  const below = bodies.stepLines();
  if (below === undefined) {
    reportMissing(
      context,
      missingPart(verb.span, { what: 'an entry', after: verb.text, example: 'CONTEXT: file=docs/design.md' }),
    );
    return [];
  }
  for (const i of below.body.instructions) reportStray(context, i, 'CONTEXT', ['file', 'bash', 'workflow']);
  return below.parts.flatMap((part) => {
    if (part.kind === 'context-entries') return part.entries;
    report(context, strayPart(part));
    return [];
  });
}

function reportStray(context: ParseContext, { kind, verb }: Instruction, list: string, known: readonly string[]): void {
  if (kind !== 'broken') report(context, unknownEntry(verb.span, { written: verb.text, list, known }));
}

function gateEntries(context: ParseContext, node: SyntaxNode, verb: Name, bodies: Bodies): GateEntry[] {
  const list = child(node, 'gates');
  if (list !== undefined) return buildGates(context, list);
  const below = bodies.stepLines();
  if (below === undefined) {
    reportMissing(
      context,
      missingPart(verb.span, { what: 'a gate', after: verb.text, example: 'GATE: compile, test' }),
    );
    return [];
  }
  return inOrder(context, below);
}

/** Commands and other gates are in separate lists of the block. Their locations give the order of execution. */
function inOrder(context: ParseContext, { body, parts }: StepContent): GateEntry[] {
  const gates = parts.flatMap((part) => {
    if (part.kind === 'gate-entries') return part.gates;
    report(context, strayPart(part));
    return [];
  });
  const commands = body.instructions.flatMap((instruction) => gateOfCommand(context, instruction));
  return [...gates, ...commands].sort((a, b) => a.span.start - b.span.start);
}

function retryEntries(context: ParseContext, node: SyntaxNode, verb: Name, bodies: Bodies): RetryEntry[] {
  const inline = child(node, 'retryEntry');
  const entries = inline === undefined ? [] : [buildRetryEntry(context, inline, bodies)];
  const below = bodies.stepLines();
  if (below === undefined && inline === undefined)
    reportMissing(context, emptyBlock(verb.span, { verb: 'RETRY', what: 'entries' }));
  for (const i of below?.body.instructions ?? [])
    reportStray(context, i, 'RETRY', ['ATTEMPT', 'NOT', 'VALIDATE', 'EXIT']);
  for (const part of below?.parts ?? []) {
    if (part.kind === 'retry-entry') entries.push(part.entry);
    else report(context, strayPart(part));
  }
  return entries;
}

// ---- what agents get and do -------------------------------------------------------------------------

function sessionPart(context: ParseContext, node: SyntaxNode, at: SectionStart): StepPart {
  const options = buildOptions(context, child(node, 'options'));
  const [first, second] = options;
  if (first === undefined) {
    reportMissing(
      context,
      missingPart(at.verb.span, { what: 'a session', after: at.verb.text, example: 'SESSION: from=plan' }),
    );
    return { kind: 'session-part', ...at };
  }
  const session = sessionOf(first);
  if (session === undefined) report(context, badSession(first.span, { written: first.key.text }));
  else if (second !== undefined) reportMissing(context, unexpectedText(second.span, { text: second.key.text }));
  return { kind: 'session-part', ...at, ...omitUndefined({ session }) };
}

function sessionOf({ key, value, span }: Option): SessionSource | undefined {
  if (key.text === 'new' && value === undefined) return { kind: 'new', span };
  if (key.text !== 'from' || value === undefined || value.raw === '') return undefined;
  return { kind: 'from', step: { text: plainText(value.raw), span: value.span }, span };
}

function plainText(raw: string): string {
  return raw.replace(/^(["'])(.*)\1$/, '$2');
}

const agentExample = 'AGENT: claude-sonnet with max_turns=60';

function agentPart(context: ParseContext, node: SyntaxNode, at: SectionStart): StepPart {
  const name = token(node, 'AgentName') ?? token(node, 'Quoted');
  if (name === undefined || name.image === 'with') {
    reportMissing(
      context,
      missingPart(at.verb.span, { what: 'the name of an agent', after: at.verb.text, example: agentExample }),
    );
    context.blamed = true;
    return { kind: 'run-part', ...at };
  }
  const guards = buildOptions(context, child(node, 'options'));
  const passes = token(node, 'With');
  if (passes !== undefined && guards.length === 0)
    reportMissing(
      context,
      missingPart(tokenSpan(context, passes), { what: 'a guard', after: 'with', example: agentExample }),
    );
  const agent = textTemplate(context, name.image, name.startOffset);
  return { kind: 'run-part', ...at, run: { kind: 'agent', agent, guards, span: at.span } };
}

// ---- steps for every task ---------------------------------------------------------------------------

function eachPart(context: ParseContext, node: SyntaxNode, at: SectionStart, bodies: Bodies): StepPart {
  const given = buildOptions(context, child(node, 'options'));
  const parallel = given.find(({ key, value }) => key.text === 'parallel' && value === undefined);
  const of = given.find(({ key, value }) => key.text === 'of' && value !== undefined);
  const steps = bodies.below(false) ?? nothingBelow(at.verb);
  if (steps.instructions.length === 0)
    reportMissing(context, emptyBlock(at.verb.span, { verb: 'EACH', what: 'steps' }));
  for (const { kind, verb } of steps.instructions)
    if (kind !== 'step' && kind !== 'broken') report(context, notAStep(verb.span, { verb: verb.text }));
  const split = of?.value === undefined ? {} : { of: { text: plainText(of.value.raw), span: of.value.span } };
  const each = {
    parallel: parallel !== undefined,
    options: given.filter((option) => option !== parallel && option !== of),
    ...split,
    steps,
    span: at.span,
  };
  return { kind: 'each-part', ...at, each };
}

function nothingBelow(verb: Name): Block {
  return { instructions: [], inline: false, span: { ...verb.span, start: verb.span.end } };
}
