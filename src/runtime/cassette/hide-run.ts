/**
 * Replaces what differs between two runs of one program in texts: the id of the run, the ids of its effects, and its
 * directories. The same words are put back where a recorded outcome becomes a value again.
 */
import { resolve } from 'node:path';
import type { Json } from '../../machine/expression.js';
import type { EffectContext } from '../effect-context.js';

const DIRECTORY = '‹dir›';
const STORE = '‹store›';
const RUN = '‹run›';
const EFFECT = '‹effect›';

export interface HiddenRun {
  hide(text: string): string;
  restore(text: string): string;
}

type RunFacts = Pick<EffectContext, 'runId' | 'cwd' | 'programDir'> & { readonly artifacts: string | null };

/** `effect`: the id of the effect; null: it is not replaced. */
export function hiddenRun({ runId, cwd, programDir, artifacts }: RunFacts, effect: string | null): HiddenRun {
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
