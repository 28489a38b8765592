/** The memo of an engine: what all runs of a namespace remember, and the steps of a run that have begun. */
import type { Json } from '../machine/expression.js';
import type { AgentSettings } from '../runtime/agents/resolve.js';
import type { EffectContext, PerformedRequest } from '../runtime/effect-context.js';
import type { MemoOptions, MemoStorage } from '../runtime/memo.js';
import type { Redactor } from '../runtime/redact.js';
import type { BegunSteps, StepMemoHost } from '../runtime/step-memo.js';
import type { EngineClient, SharedName } from './client.js';
import type { KeptText, SharedEntry } from './shared-object.js';
import type { EndedStep, TurnHost } from './turn-host.js';
import { MOST_VALUE } from './turn-record.js';

type Client = Pick<EngineClient, 'askShared'>;

const textOf = (client: Client, name: SharedName): Promise<string | null> => client.askShared(name, 'look', null);

/** `text`: null forgets it. */
async function keep(client: Client, { kind, name }: SharedName, text: string | null, run: string): Promise<void> {
  await client.askShared({ kind, name }, 'keepText', { kind, text, run } as KeptText);
}

/** Null: the request is not remembered. */
type MemoOfRun = (
  context: Pick<EffectContext, 'runId' | 'notice'>,
  request: PerformedRequest,
  options: MemoOptions & Pick<StepMemoHost, 'redactor'>,
) => StepMemoHost | null;

/** The memo as the requests of runs use it, with the agents of this worker. */
export function memoOfRuns(
  client: Client,
  agents: AgentSettings = { agents: {}, folder: null, instead: {} },
): MemoOfRun & Required<Pick<TurnHost, 'rememberEnd'>> {
  const storage = memoOfEngine(client);
  const of: MemoOfRun = ({ runId, notice }, request, options) => {
    const { redactor } = options;
    // The engine has its name, from which the secret could be guessed.
    if (redactor !== null && hasSecret(request as unknown as Json, redactor)) {
      notice?.('the request contains a secret, so an engine does not remember its outcome');
      return null;
    }
    return { ...options, storage, agents, begun: begunOnEngine(client, runId) };
  };
  const rememberEnd = async (runId: string, ended: EndedStep): Promise<void> => {
    const { rememberEnd: end } = await import('../runtime/step-memo.js');
    await end(ended, { storage, begun: begunOnEngine(client, runId), runId });
  };
  return Object.assign(of, { rememberEnd });
}

const hasSecret = (value: Json, redactor: Redactor): boolean =>
  JSON.stringify(redactor.value(value)) !== JSON.stringify(value);

function memoOfEngine(client: Client): MemoStorage {
  const entry = (name: string) => ({ kind: 'memo', name }) as const;
  return {
    read: (name) => textOf(client, entry(name)),
    write: (name, text, run) => keep(client, entry(name), text, run),
    titleOf: () => 'an entry of the memo',
    most: MOST_VALUE,
  };
}

function begunOnEngine(client: Client, run: string): BegunSteps {
  const entry = (step: string) => ({ kind: 'begun', name: `${run} ${step}` }) as const;
  // What an agent has answered must not get lost because it cannot be remembered.
  return {
    read: (step) => textOf(client, entry(step)).catch(() => null),
    write: (step, text) => keep(client, entry(step), text, run).catch(() => undefined),
  };
}

/** Forgets what runs remember that are removed. */
export async function forgetRuns(client: Client, removed: ReadonlySet<string>): Promise<void> {
  if (removed.size === 0) return;
  for (const kind of ['memo', 'begun'] as const)
    for (const { key, name } of await client.askShared<readonly SharedEntry[]>(kind, 'entries', null))
      if (removed.has(name))
        await client.askShared(key, 'keepText', { kind, text: null, run: name } satisfies KeptText);
}
