/** The parts built from the lines below a STEP, before they are added to it: sections and their entries. */
import { sectionOutside } from '../../source/catalogue/steps.js';
import type { Diagnostic, Span } from '../../source/diagnostic.js';
import type { Name, Template } from '../expression-nodes.js';
import type { ContextEntry, EachTask, GateEntry, RetryEntry, SessionSource, StepRun } from '../step-nodes.js';

interface PartStart {
  readonly span: Span;
  /** The word of the section as written; for an entry, its first word. */
  readonly verb: Name;
}

export type StepPart =
  | (PartStart & { readonly kind: 'context-part'; readonly entries: readonly ContextEntry[] })
  | (PartStart & { readonly kind: 'prompt-part'; readonly prompt?: Template })
  | (PartStart & { readonly kind: 'session-part'; readonly session?: SessionSource })
  | (PartStart & { readonly kind: 'run-part'; readonly run?: Extract<StepRun, { kind: 'agent' | 'workflow' }> })
  | (PartStart & { readonly kind: 'gate-part'; readonly gates: readonly GateEntry[] })
  | (PartStart & { readonly kind: 'retry-part'; readonly entries: readonly RetryEntry[] })
  | (PartStart & { readonly kind: 'each-part'; readonly each: EachTask })
  /** Lines below CONTEXT, GATE and RETRY. */
  | (PartStart & { readonly kind: 'context-entries'; readonly entries: readonly ContextEntry[] })
  | (PartStart & { readonly kind: 'gate-entries'; readonly gates: readonly GateEntry[] })
  | (PartStart & { readonly kind: 'retry-entry'; readonly entry: RetryEntry });

const kinds: ReadonlySet<string> = new Set<StepPart['kind']>([
  ...(['context-part', 'prompt-part', 'session-part', 'run-part', 'gate-part', 'retry-part', 'each-part'] as const),
  ...(['context-entries', 'gate-entries', 'retry-entry'] as const),
]);

export function isStepPart(built: { readonly kind: string }): built is StepPart {
  return kinds.has(built.kind);
}

/** The message about a part outside of a STEP. */
export function strayPart(part: StepPart): Diagnostic {
  return sectionOutside(part.verb.span, { section: part.verb.text });
}
