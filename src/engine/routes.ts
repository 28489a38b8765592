/** Which effects of a run need a worker with a label, such as the machine that has a license or a graphics card. */
import type { PerformedRequest } from '../runtime/effect-context.js';

/** Labels of workers: by the name of an agent or a command, or by the kind of an effect. */
export interface Routes {
  readonly agents?: Readonly<Record<string, string>>;
  readonly commands?: Readonly<Record<string, string>>;
  readonly kinds?: Readonly<Record<string, string>>;
}

/** What a submission says about the workers that may execute the run. */
export interface Placement {
  readonly routes: Routes;
  /** How long an effect waits for a worker with its label, in milliseconds. */
  readonly patienceMs: number;
}

/** How long an effect waits by default: an hour. */
export const LABEL_PATIENCE_MS = 3_600_000;

export const NO_ROUTES: Placement = { routes: {}, patienceMs: LABEL_PATIENCE_MS };

/** The label that a worker must have; null: the effect is performed where the turn is. A name wins over a kind. */
export function routeOf(request: PerformedRequest, { agents = {}, commands = {}, kinds = {} }: Routes): string | null {
  if (!('tool' in request)) return null;
  const names = request.kind === 'agent' ? agents : commands;
  return own(names, request.tool ?? '') ?? own(kinds, request.kind) ?? null;
}

function own(labels: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(labels, name) ? labels[name] : undefined;
}
