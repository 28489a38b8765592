/** What a request asks for, and its fingerprint. Two runs of one program that ask for the same have the same fingerprint. */
import { resolve } from 'node:path';
import type { Output } from '../../interpreter/events/event.js';
import type { AskRequest } from '../../interpreter/request.js';
import type { Json } from '../../machine/expression.js';
import { unreachable } from '../../prelude/unreachable.js';
import type { EffectContext, PerformedRequest } from '../effect-context.js';
import type { OutputStore } from '../process/scratch.js';
import { sha256Hex } from '../sha256.js';
import type { Asked } from './cassette.js';

/** `clean` replaces secrets. */
export function askedOf(
  request: PerformedRequest,
  { resources, ...context }: AskingContext,
  clean: (text: string) => string,
): Asked {
  const run = hiddenRun({ ...context, artifacts: resources.outputs.artifacts }, request.effect);
  return cleanAsked(rawAsked(request), (text) => run.hide(clean(text)));
}

/** A question needs no directory: people do not see any. */
export function askedPerson(
  { name, question, choices }: Pick<AskRequest, 'name' | 'question' | 'choices'>,
  clean: (text: string) => string,
): Asked {
  return cleanAsked({ kind: 'ask', text: name, args: [question, choices as Json], prompt: null }, clean);
}

function cleanAsked({ kind, text, args, prompt }: Asked, clean: (text: string) => string): Asked {
  return {
    kind,
    text: clean(text),
    args: args.map((arg) => mapTexts(arg, clean)),
    prompt: prompt === null ? null : clean(prompt),
  };
}

export function fingerprintOf({ kind, text, args, prompt }: Asked): string {
  return sha256Hex(JSON.stringify([kind, text, args, prompt]));
}

function rawAsked(request: PerformedRequest): Asked {
  const { kind } = request;
  switch (request.kind) {
    case 'shell': {
      const values = request.values.map((value) => ('list' in value ? [...value.list] : (value.json ?? value.text)));
      return { kind, text: request.text, args: [...values, ...inputOf(request.stdin)], prompt: null };
    }
    case 'argv':
      return { kind, text: request.text, args: [...request.argv, ...inputOf(request.stdin)], prompt: null };
    case 'function':
      return {
        kind,
        text: request.text,
        args: [request.name, ...request.args, ...inputOf(request.stdin)],
        prompt: null,
      };
    case 'agent':
      return { kind, text: request.text, args: [request.agent], prompt: request.prompt };
    case 'tool':
      return { kind, text: request.text, args: [request.call.name, request.call.parameters], prompt: null };
    case 'worktree': {
      const { action, task } = request;
      return {
        kind,
        text: `worktree ${action.do}`,
        args: [task, 'label' in action ? action.label : null],
        prompt: null,
      };
    }
    case 'schema':
      return { kind, text: request.path, args: [], prompt: null };
    case 'timer':
    case 'clock':
    case 'uuid':
    case 'random':
      return { kind, text: '', args: [], prompt: null };
    default:
      return unreachable(request);
  }
}

/** The standard input of a command. */
function inputOf(stdin: Output | null): Json[] {
  return stdin === null ? [] : [stdin.text ?? stdin.base64 ?? stdin.tail ?? stdin.bytes];
}

const DIRECTORY = '‹dir›';
const STORE = '‹store›';
const RUN = '‹run›';
const EFFECT = '‹effect›';

export interface HiddenRun {
  hide(text: string): string;
  restore(text: string): string;
}

/** What records need of the run of an effect. */
export interface AskingContext extends Pick<EffectContext, 'runId' | 'cwd' | 'programDir'> {
  readonly resources: { readonly outputs: Pick<OutputStore, 'artifacts' | 'redactor' | 'originals'> };
}

type AskingRun = Pick<EffectContext, 'runId' | 'cwd' | 'programDir'> & { readonly artifacts: string | null };

/**
 * Replaces in texts what differs between two runs of one program: the id of the run, the ids of its effects, and its
 * directories. `restore` puts them back where a recorded outcome becomes a value again. `effect`: the id of the effect;
 * null: it is not replaced.
 */
export function hiddenRun({ runId, cwd, programDir, artifacts }: AskingRun, effect: string | null): HiddenRun {
  // Artifacts are in the folder of the run, two levels below the store.
  const store = artifacts === null ? resolve(cwd, '.statedsl') : resolve(artifacts, '../../..');
  const folders: [string, string][] = [
    [store, STORE],
    ...[cwd, programDir ?? cwd].map((folder): [string, string] => [folder, DIRECTORY]),
  ];
  const patterns = folders
    // The root would be found everywhere.
    .filter(([folder]) => folder.length > 1)
    .sort(([one], [other]) => other.length - one.length)
    .map(([folder, word]) => [new RegExp(`${literal(folder)}(?![\\w.-])`, 'g'), word] as const);
  return {
    hide(text) {
      let hidden = effect === null ? text : text.replaceAll(`${runId}:${effect}`, EFFECT);
      hidden = hidden.replaceAll(runId, RUN);
      for (const [pattern, word] of patterns) hidden = hidden.replace(pattern, word);
      return hidden;
    },
    restore: (text) =>
      text.includes('‹')
        ? text
            .replaceAll(EFFECT, `${runId}:${effect ?? ''}`)
            .replaceAll(RUN, runId)
            .replaceAll(STORE, store)
            .replaceAll(DIRECTORY, cwd)
        : text,
  };
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Changes all texts in a value, but not the names of its members. */
export function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]));
}
