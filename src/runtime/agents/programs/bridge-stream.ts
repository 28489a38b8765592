/**
 * What the programs of `runtime/bridges/` print, line by line, and where they are. They speak to a service or to another program in
 * its language, and say here what came of it; the rest of an agent call is as for any program.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentTally } from '../tally.js';
import type { JsonLine } from './adapter.js';

/** A line of a bridge. Members that a program cannot tell are absent. */
export type BridgeLine =
  | { readonly type: 'session'; readonly id: string }
  | { readonly type: 'turn' }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool'; readonly id: string; readonly name: string; readonly input: string }
  /** The end of a call that the bridge itself performed. */
  | { readonly type: 'tool_end'; readonly id: string; readonly ms: number; readonly error?: string }
  | {
      readonly type: 'denied';
      readonly id: string;
      readonly name: string;
      readonly input: string;
      readonly reason: string;
    }
  | {
      readonly type: 'usage';
      readonly tokens?: {
        readonly in: number;
        readonly out: number;
        readonly cache_read: number;
        readonly cache_write: number;
      };
      /** US dollars; null is unknown. */
      readonly cost: number | null;
    }
  /** The conversation so far, which a later call of the session continues, also if this one is cut off. */
  | { readonly type: 'conversation'; readonly messages: readonly unknown[] }
  | {
      readonly type: 'error';
      readonly message: string;
      readonly status?: number;
      readonly retryable?: boolean;
      readonly reset_ms?: number;
    }
  | { readonly type: 'end'; readonly text: string };

/** The command of a bridge, next to the bundle or where the bundler has left it for the sources; null: it was not built. */
export function bridgeCommand(name: 'model' | 'acp' | 'hosts'): readonly string[] | null {
  const here = fileURLToPath(new URL('.', import.meta.url));
  const folders = [join(here, '../bridges'), join(here, '../../../../dist/bridges')];
  const folder = folders.find((one) => existsSync(join(one, `${name}.cjs`)));
  return folder === undefined ? null : [process.execPath, join(folder, `${name}.cjs`)];
}

export function readBridgeLine(line: JsonLine, tally: AgentTally): void {
  const event = line as unknown as BridgeLine;
  switch (event.type) {
    case 'session':
      return tally.worksIn(event.id);
    case 'turn':
      tally.countsTurns();
      tally.endTurn();
      return tally.beginTurn();
    case 'text':
      tally.beginTurn();
      return tally.adds(event.text);
    case 'tool':
      tally.callsTool(event.id, { tool: event.name, input: event.input });
      return tally.recordsCall(event.id);
    case 'tool_end':
      return tally.endsCall(event.id, { ms: event.ms, error: event.error });
    case 'denied':
      return tally.denies(event.id, { tool: event.name, input: event.input, reason: event.reason });
    case 'usage':
      if (event.tokens !== undefined) tally.uses(event.tokens);
      if (event.cost !== null) tally.spends(event.cost);
      return;
    case 'conversation':
      tally.conversation = event.messages;
      return;
    case 'error': {
      const { message, status, retryable, reset_ms: resetMs } = event;
      if (resetMs !== undefined) tally.resetMs = resetMs;
      return tally.fails(message, {
        ...(status === undefined ? {} : { status }),
        ...(retryable === undefined ? {} : { retryable }),
      });
    }
    case 'end':
      tally.answers(event.text);
      return tally.ends();
    default:
  }
}
