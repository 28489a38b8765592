/** The step scopes of the states of a machine, created once when the first state is lowered. */
import type { StateDeclaration } from '../collect.js';
import type { MachineScope } from '../scope.js';
import type { StepLowering } from './step-keys.js';
import { type StepScope, scopeOf } from './step-names.js';

/** The unnamed state of a script. Paths of its steps do not begin with a state. */
const UNNAMED_STATE = 'MAIN';

const made = new WeakMap<MachineScope, ReadonlyMap<string, StepScope>>();

function scopesOf(shared: MachineScope): ReadonlyMap<string, StepScope> {
  const before = made.get(shared);
  if (before !== undefined) return before;
  const scopes = new Map<string, StepScope>();
  for (const { name, body } of shared.symbols.statesWithSteps) scopes.set(name.text, emptyOrFull(name.text, body));
  made.set(shared, scopes);
  return scopes;
}

function emptyOrFull(state: string, body: StateDeclaration['body'] | null): StepScope {
  const path = state === UNNAMED_STATE ? '' : `${state}/`;
  return scopeOf(body === null ? [] : [body], { level: 0, kind: 'machine', parent: null, path });
}

/** The initial context for lowering a state. */
export function stepLowering(shared: MachineScope, { name }: StateDeclaration): StepLowering {
  const scopes = scopesOf(shared);
  const scope = scopes.get(name.text) ?? emptyOrFull(name.text, null);
  return {
    context: { scope, own: null, judging: false, older: shared.unit.workflow === 'older', task: null },
    machine: [...scopes.values()],
    verdict: null,
  };
}
