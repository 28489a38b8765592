/** Who calls a tool and what its program can do. All of it is what the client says. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  type Server,
  type ServerContext,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server';
import type { Json } from '../machine/expression.js';
import { isJsonObject } from '../prelude/json-object.js';
import { visibleLine } from '../views/drawing/visible-text.js';
import { cutText } from './short-answer.js';
import { takeWritten } from './written-numbers.js';

export type Era = 'modern' | 'legacy';

/** A form with the open questions of a run. */
export interface ShownForm {
  readonly run_id: string;
  readonly names: readonly string[];
  readonly ids: readonly string[];
  /** How many forms the call has shown with this one. */
  readonly round: number;
}

/** What the server seals into a form, so that the second call of a tool knows what the first one did. */
export type FormState =
  | ({ readonly kind: 'questions' } & ShownForm)
  /** `key`: sending the same form twice starts one run. `digest`: of what is started. */
  | { readonly kind: 'confirm'; readonly digest: string; readonly key: string };

export interface Caller {
  /** The name of the client, for the record. */
  readonly name: string;
  /** A person can fill a form there. */
  readonly canAsk: boolean;
  readonly hasTasks: boolean;
  /** Aborted when the call is cancelled or its connection is gone. */
  readonly signal: AbortSignal;
  /** Null: the client did not ask for progress. */
  readonly progress: ((done: number, message: string) => Promise<void>) | null;
  /** The arguments with their numbers as they were written; null: they lose nothing. */
  readonly written: Readonly<Record<string, Json>> | null;
  /** What a form brings back; null: this is a first call. */
  readonly state: FormState | null;
  readonly responses: Readonly<Record<string, unknown>>;
}

export const TASKS = 'io.modelcontextprotocol/tasks';
const NEWEST = '2026-07-28';
const LONGEST_NAME = 80;

type CallerMembers = Readonly<Record<string, unknown>>;

/** What each request says about its client since the newer revision. */
const envelopeOf = ({ mcpReq }: ServerContext): CallerMembers => (mcpReq.envelope ?? {}) as CallerMembers;

/** A connection over standard input is of one revision, and the library does not look at those of later requests. */
export function requireRevision(context: ServerContext, era: Era): void {
  const requested = envelopeOf(context)[PROTOCOL_VERSION_META_KEY];
  if (era === 'modern' && requested !== undefined && requested !== NEWEST)
    throw new UnsupportedProtocolVersionError({ supported: [NEWEST], requested: String(requested) });
}

export function callerOf(context: ServerContext, server: Server, era: Era): Caller {
  const { mcpReq } = context;
  const declared: unknown =
    era === 'modern' ? envelopeOf(context)[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities();
  const capabilities = isJsonObject(declared) ? declared : {};
  const info: unknown = era === 'modern' ? envelopeOf(context)[CLIENT_INFO_META_KEY] : server.getClientVersion();
  const name = isJsonObject(info) && typeof info.name === 'string' ? visibleLine(info.name).trim() : '';
  const { elicitation, extensions } = capabilities;
  const token = mcpReq._meta?.progressToken;
  return {
    name: cutText(name === '' ? 'unnamed' : name, LONGEST_NAME),
    // An empty capability means forms.
    canAsk: isJsonObject(elicitation) && (elicitation.form !== undefined || Object.keys(elicitation).length === 0),
    hasTasks: era === 'modern' && isJsonObject(extensions) && extensions[TASKS] !== undefined,
    signal: mcpReq.signal,
    progress:
      token === undefined
        ? null
        : (progress, message) =>
            mcpReq.notify({
              method: 'notifications/progress',
              params: { progressToken: token, progress, message },
            }),
    written: takeWritten(mcpReq._meta),
    state: (mcpReq.requestState<FormState>() as FormState | undefined) ?? null,
    responses: (mcpReq.inputResponses ?? {}) as Readonly<Record<string, Json>>,
  };
}
