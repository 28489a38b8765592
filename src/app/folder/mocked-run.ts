/** Runs whose answers come from the file of a mock, in virtual time unless they take real time. */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { MockWorld } from '../../runtime/mock.js';
import type { Mock } from '../../runtime/mock-file.js';
import type { RunOptions } from '../../runtime/run/run-options.js';

interface MockedRun {
  readonly options: Pick<RunOptions, 'effects' | 'time' | 'suspendAfterMs' | 'ask'>;
  readonly world: MockWorld;
}

/** `given`: the options of the run without the mock. `isBounded`: somebody said how long a wait may be. */
export async function mockedRun(
  mock: Mock,
  given: RunOptions,
  { realTime, isBounded }: { readonly realTime: boolean; readonly isBounded: boolean },
): Promise<MockedRun> {
  const [{ createMockWorld }, { hostEffects }, { VirtualTime }] = await Promise.all([
    import('../../runtime/mock.js'),
    import('../../runtime/effects.js'),
    import('../../runtime/virtual-time.js'),
  ]);
  const { agents, mcp, readable } = given;
  const time = realTime ? undefined : new VirtualTime();
  const whole = { agents: {}, folder: null, instead: {}, ...agents };
  const world = createMockWorld(mock, hostEffects(omitUndefined({ agents: whole, mcp, readable })), time ?? null);
  const suspendAfterMs = realTime || isBounded ? undefined : null;
  const ask = world.ask(given.ask ?? null);
  return { world, options: omitUndefined({ effects: world.effects, time, suspendAfterMs, ask }) };
}
