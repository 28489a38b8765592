/**
 * How cassettes are brought up to date: a test runs twice. The first time the calls are listed that are not as recorded, the
 * second time these are performed, and the cassette is written again.
 */
import { resolveAgent } from '../../runtime/agents/resolve.js';
import type { Cassette, CassetteRecord } from '../../runtime/cassette/cassette.js';
import type { CassetteWorld } from '../../runtime/cassette/cassette-world.js';
import { makeRecord, writeCassette } from '../../runtime/cassette/make-record.js';
import type { Effects, PerformedRequest } from '../../runtime/effect-context.js';
import type { Boundary } from '../../runtime/readable-file.js';
import { createRedactor } from '../../runtime/redact.js';
import { agentCosts, secretsOf } from '../../runtime/run/run-options.js';
import type { CassetteRenewal, Suite } from './suite.js';

/** A call that a cassette does not have, and the most that it may cost: US dollars, or null if nothing limits it. */
export interface NeededCall {
  readonly test: string;
  readonly text: string;
  readonly state: string;
  readonly line: number;
  readonly maxCost: number | null;
}

/** Lists the calls of one test into `needed`. Each gets the outcome that the cassette has at its place. */
export function listingRenewal(suite: Suite, test: string, needed: NeededCall[]): CassetteRenewal {
  return {
    begin: (_, world) => ({
      others: {
        perform(request, context) {
          const outcome = world().outcomeAt(request, context);
          if ('text' in request && 'line' in request) {
            const { text, state, line } = request;
            needed.push({ test, text, state, line, maxCost: maxCostOf(request, suite) });
          }
          return outcome ?? { kind: 'not-started', reason: 'nothing is called yet' };
        },
      },
    }),
    end: () => null,
  };
}

/** What the agents of a whole run reserve: US dollars, or null if nothing limits it. */
export async function runCostOf({ machine, configuration }: Suite): Promise<number | null> {
  const [{ verify }, { DEFAULTS }] = await Promise.all([
    import('../foresight/verify-machine.js'),
    import('../foresight/explore-options.js'),
  ]);
  const { agents, folder } = configuration;
  const maxCost = agentCosts({ agents, folder, instead: {} });
  const { bounds } = verify(machine, { ...DEFAULTS, maxCost });
  const cost = bounds.find(({ kind }) => kind === 'cost');
  return cost === undefined ? 0 : (cost.reserved ?? null);
}

function maxCostOf(request: PerformedRequest, { configuration }: Suite): number | null {
  if (request.kind !== 'agent') return 0;
  const { agents, folder } = configuration;
  const configured = resolveAgent(request.agent, { agents, folder, instead: {} })?.configuration.max_cost;
  return request.guards?.maxCost ?? configured ?? null;
}

interface Cassettes {
  readonly fileOf: (path: string) => string;
  readonly boundary: Boundary;
}

/** Performs these calls with `real`, and writes the cassette to its file. */
export function performingRenewal(suite: Suite, real: Effects, { fileOf, boundary }: Cassettes): CassetteRenewal {
  let records: CassetteRecord[] = [];
  let played: Cassette | null = null;
  let current: (() => CassetteWorld) | null = null;
  return {
    begin(cassette, world) {
      records = [];
      played = cassette;
      current = world;
      return {
        others: real,
        onUse(record, request, context, outcome) {
          if (record !== null) {
            // The program may ask for the time more often than before, which moves the numbers of its effects.
            records.push({ ...record, at: request.effect });
            return;
          }
          const spent = outcome !== null && 'duration_ms' in outcome ? (outcome.duration_ms ?? 0) : 0;
          const ended = world().elapsedMs + spent;
          records.push(makeRecord(request, context, outcome, ended, createRedactor(secretsOf(suite.machine, {}))));
        },
      };
    },
    end(line, events, isSound) {
      if (played === null || current === null || !isSound) return null;
      // Answers and signals are kept, because no person is asked again.
      const kept = [...played.records].filter(({ kind }) => ['ask', 'approval', 'signal'].includes(kind));
      const started = events.find((event) => event.type === 'run_started');
      const isSuspended = events.at(-1)?.type === 'run_suspended';
      const header = {
        ...played,
        run: undefined,
        inputs: started?.inputs ?? played.inputs,
        isComplete: true,
        isSuspended,
      };
      const sorted = inOrder([...records, ...kept]);
      const why = writeCassette(fileOf(line.path), header, sorted, boundary);
      suite.cassettes.set(line.path, { ...header, records: sorted });
      return why;
    },
  };
}

/** By their ends, of which no two are equal. */
function inOrder(records: readonly CassetteRecord[]): CassetteRecord[] {
  let last = 0;
  return [...records]
    .sort((one, other) => one.endedMs - other.endedMs)
    .map((record) => {
      last = Math.round(Math.max(record.endedMs, last + 0.001) * 1000) / 1000;
      return { ...record, endedMs: last };
    });
}
