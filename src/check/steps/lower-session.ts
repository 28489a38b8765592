/** Lowers SESSION of a step: which step's session it continues, and whether the program of its agent can do that. */
import type { SessionLayout } from '../../machine/step.js';
import { stepMessages as say } from '../../source/catalogue/steps.js';
import { constantText } from '../lower/expression.js';
import type { StateLowering } from '../lower/state-lowering.js';
import { atPath, type FoundStep, nearByName } from './step-keys.js';
import { findEverywhere, isApart, lookUp, type NamedStep, rootOf, type StepNode } from './step-names.js';

type FromSession = Extract<NonNullable<StepNode['session']>, { kind: 'from' }>;

export function sessionOf(l: StateLowering, i: StepNode, own: NamedStep): SessionLayout | null {
  const { session } = i;
  if (session === undefined) return null;
  if (session.kind === 'new') return { kind: 'new' };
  const name = session.step.text;
  const fail = (why: string): SessionLayout => {
    l.diagnostics.push(say.sessionStep(session.step.span, { name, why }));
    return { kind: 'new' };
  };
  const near = name.includes('/') ? null : lookUp(l.steps.context.scope, name);
  const found = near === null ? atPath(l, name) : { ...near, key: { level: near.scope.level, path: name } };
  if (found === null) return sessionByProximity(l, i, session, { own, fail });
  return sessionFrom(l, i, found, { own, fail });
}

/** The program of an agent may not be able to use the session, so that a new one begins with what was said in it. */
function reportNewSession(l: StateLowering, { name: { text: step }, run, session }: StepNode, source: NamedStep): void {
  if (session?.kind !== 'from') return;
  const { text: from, span } = session.step;
  const agent = run.kind === 'agent' ? constantText(run.agent) : null;
  const traitsOf = (name: string | null) =>
    name === null ? null : (l.settings.lookups.agents?.traits?.(name.trim()) ?? null);
  const traits = traitsOf(agent);
  if (traits === null) return;
  const { adapter, sessions } = traits;
  const made = traitsOf(source.agent)?.adapter ?? adapter;
  if (made !== adapter) l.diagnostics.push(say.sessionOfAnother(span, { step, from, adapter, made }));
  else if (!sessions.fork) l.diagnostics.push(say.sessionWithoutFork(span, { step, from, adapter }));
  else if (!sessions.elsewhere && l.settings.lookups.worktree !== false && isApart(l.steps.context.scope, source))
    l.diagnostics.push(say.sessionElsewhere(span, { step, from, adapter }));
}

interface Refusal {
  readonly own: NamedStep;
  readonly fail: (why: string) => SessionLayout;
}

function sessionFrom(l: StateLowering, i: StepNode, { step, key }: FoundStep, { own, fail }: Refusal): SessionLayout {
  if (step === own) return fail('it is this step itself');
  if (step.progress === 'ahead') return fail('it has not run yet');
  if (step.progress === 'parallel') return fail('it runs at the same time');
  if (!step.hasSession) return fail('it has no agent');
  reportNewSession(l, i, step);
  return { kind: 'from', key: { ...key, field: 'session_id' } };
}

/** A step that is not visible. The older dialect also looks inside other steps, if only one has the name. */
function sessionByProximity(
  l: StateLowering,
  i: StepNode,
  { step: { text: name, span } }: FromSession,
  refusal: Refusal,
): SessionLayout {
  const { scope, older } = l.steps.context;
  const { found, paths } = nearByName(scope, name);
  if (found !== null && older) return sessionFrom(l, i, found, refusal);
  const known = found === null ? paths : findEverywhere(rootOf(scope), name);
  if (known.length === 0) return refusal.fail('no step of that name is visible here');
  l.diagnostics.push(say.ambiguousSession(span, { name, paths: known }));
  return { kind: 'new' };
}
