/** Builds a STEP from its sections and instructions, and reports contradictions between them. */
import type { Mutable } from '../../../prelude/mutable.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { repeatedSection, secondRun } from '../../source/catalogue/steps.js';
import { emptyBlock, missingPart } from '../../source/catalogue/syntax.js';
import type { Block, Instruction, Option } from '../ast.js';
import type { Name } from '../expression-nodes.js';
import type { SyntaxNode } from '../grammar/cst.js';
import { child, nameOf, type ParseContext, report, reportMissing, spanOf, token } from '../grammar/cst.js';
import { verbName } from '../names.js';
import type { StepParts, StepRun } from '../step-nodes.js';
import type { Token } from '../tokens/token.js';
import { buildOptions } from '../tree/build-options.js';
import type { Bodies } from '../tree/statement-context.js';
import { buildContexts, buildGates } from './build-entries.js';
import { buildRetryEntry } from './build-retry.js';
import { isNoGate } from './section-words.js';
import { type StepPart, strayPart } from './step-part.js';

/** Entries of CONTEXT, GATE or RETRY on their own lines. */
export function buildEntryLine(context: ParseContext, node: SyntaxNode, bodies: Bodies): StepPart {
  const where = spanOf(context, node);
  const verb = firstWord(context, where);
  const at = { verb, span: where };
  if (node.name === 'contexts') return { kind: 'context-entries', ...at, entries: buildContexts(context, node) };
  if (node.name === 'gates') return { kind: 'gate-entries', ...at, gates: buildGates(context, node) };
  return { kind: 'retry-entry', ...at, entry: buildRetryEntry(context, node, bodies) };
}

/** Whether an instruction is in the position of a gate. */
export function beginsWithVerb(gates: SyntaxNode): boolean {
  const gate = child(gates, 'gate');
  const word = gate === undefined ? undefined : token(gate, 'GateName');
  return word !== undefined && isNoGate(word.image.replace(/[ \t]*:$/, ''));
}

function firstWord(context: ParseContext, where: Instruction['span']): Name {
  const start = where.start - context.base;
  const text = /^[\w.-]+/.exec(context.text.slice(start, start + 100))?.[0] ?? '';
  return { text, span: { ...where, end: where.start + text.length } };
}

export function buildStep(context: ParseContext, node: SyntaxNode, bodies: Bodies): Instruction {
  const verb = verbName(context, token(node, 'Step') as Token);
  const name = stepName(context, node, verb);
  const given = buildOptions(context, child(node, 'options'));
  const below = bodies.stepLines();
  if (below === undefined) reportMissing(context, emptyBlock(verb.span, { verb: 'STEP', what: 'sections' }));
  const type = given.find(({ key, value }) => key.text === 'type' && value !== undefined && value.raw !== '');
  const joined = joinParts(context, below?.parts ?? []);
  const body = below?.body.instructions.length ? below.body : undefined;
  const { run, options } = runOf(
    context,
    joined.run,
    body,
    given.filter((option) => option !== type),
  );
  return {
    kind: 'step',
    verb,
    name,
    ...omitUndefined({ type: type?.value === undefined ? undefined : { text: type.value.raw, span: type.value.span } }),
    options,
    ...joined.parts,
    run,
    span: spanOf(context, node),
  };
}

function stepName(context: ParseContext, node: SyntaxNode, verb: Name): Name {
  const word = token(node, 'StepName');
  if (word !== undefined) return nameOf(context, word);
  reportMissing(
    context,
    missingPart(verb.span, { what: 'a name', after: `${verb.text}:`, example: 'STEP: build type=code' }),
  );
  context.blamed = true;
  return { text: '', span: verb.span };
}

// ---- sections together ------------------------------------------------------------------------------

type RunPart = Extract<StepPart, { kind: 'run-part' }>;
type Sections = Pick<StepParts, 'context' | 'gates'> &
  Partial<Pick<StepParts, 'prompt' | 'session' | 'retry' | 'each'>>;
/** Assigns the sections. If two exclude each other, the first one counts. */
function joinParts(context: ParseContext, parts: readonly StepPart[]): { parts: Sections; run: RunPart | undefined } {
  const joined: Mutable<Sections> = { context: [], gates: [] };
  const seen = new Map<StepPart['kind'], StepPart>();
  for (const part of parts) {
    const first = seen.get(part.kind);
    if (first !== undefined && part.kind !== 'gate-part') {
      reportSecond(context, first, part);
      continue;
    }
    seen.set(part.kind, part);
    switch (part.kind) {
      case 'context-part':
        joined.context = part.entries;
        break;
      case 'prompt-part':
        if (part.prompt !== undefined) joined.prompt = part.prompt;
        break;
      case 'session-part':
        if (part.session !== undefined) joined.session = part.session;
        break;
      case 'gate-part':
        joined.gates = [...joined.gates, ...part.gates];
        break;
      case 'retry-part':
        joined.retry = { entries: part.entries, span: part.span };
        break;
      case 'each-part':
        joined.each = part.each;
        break;
      case 'run-part':
        break;
      default:
        report(context, strayPart(part));
    }
  }
  return { parts: joined, run: seen.get('run-part') as RunPart | undefined };
}

function reportSecond(context: ParseContext, first: StepPart, { verb }: StepPart): void {
  if (first.verb.text === verb.text) report(context, repeatedSection(verb.span, { section: verb.text }));
  else report(context, secondRun(verb.span, { first: first.verb.text, second: verb.text }));
}

/**
 * The work of the step. If all instructions are steps, they form a group; its options do not count as options of the
 * step.
 */
function runOf(
  context: ParseContext,
  part: RunPart | undefined,
  body: Block | undefined,
  options: readonly Option[],
): { run: StepRun; options: readonly Option[] } {
  const first = body?.instructions.find(({ kind }) => kind !== 'broken');
  if (part !== undefined) {
    if (first !== undefined)
      report(context, secondRun(first.verb.span, { first: part.verb.text, second: first.verb.text }));
    return { run: part.run ?? { kind: 'none' }, options };
  }
  if (body === undefined) return { run: { kind: 'none' }, options };
  if (body.instructions.some(({ kind }) => kind !== 'step')) return { run: { kind: 'body', body }, options };
  const parallel = options.find(({ key, value }) => key.text === 'parallel' && value === undefined);
  const run: StepRun = { kind: 'group', parallel: parallel !== undefined, steps: body };
  return { run, options: options.filter((option) => option !== parallel) };
}
