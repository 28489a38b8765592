/** Makes the record of an effect that has ended, with everything replaced that must not be in a file. */
import { Buffer } from 'node:buffer';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import yaml from 'yaml';
import type { Outcome, Output, RunEvent } from '../../interpreter/events/event.js';
import { withText } from '../../interpreter/values/json.js';
import type { Json } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { PerformedRequest } from '../effect-context.js';
import { artifactPath } from '../process/scratch.js';
import type { Boundary } from '../readable-file.js';
import type { Redactor } from '../redact.js';
import { entryAt, isOwnFolder, readOwn } from '../store/own-file.js';
import { whyUnwritable, writeWhole } from '../written-file.js';
import {
  type AskingContext,
  askedOf,
  askedPerson,
  fingerprintOf,
  type HiddenRun,
  hiddenRun,
  mapTexts,
} from './asked.js';
import type { Asked, CassetteHeader, CassetteRecord, RecordedOutcome } from './cassette.js';
import { CassetteText, largeFolderOf } from './cassette-text.js';

/** Null: the run stopped it. */
export function makeRecord(
  request: PerformedRequest,
  context: AskingContext,
  outcome: Outcome | null,
  endedMs: number,
  redactor: Redactor | null = context.resources.outputs.redactor,
): CassetteRecord {
  const clean = (text: string): string => redactor?.text(text) ?? text;
  const asked = askedOf(request, context, clean);
  const located = 'line' in request ? { state: request.state, line: request.line } : { state: null, line: null };
  const { artifacts } = context.resources.outputs;
  const run = hiddenRun({ ...context, artifacts }, request.effect);
  return {
    ...asked,
    ...located,
    at: request.effect,
    attempt: request.attempt,
    waits: request.kind === 'agent' ? (request.waits ?? 0) : 0,
    outcome: outcome === null ? { kind: 'stopped' } : hideOutcome(outcome, context, redactor, run),
    endedMs,
    fingerprint: fingerprintOf(asked),
    fileLine: 0,
  };
}

/** Makes records of what people and other programs send to a run, from its events. */
export class SentRecords {
  private readonly questions = new Map<string, Extract<RunEvent, { type: 'asked' }>>();

  /** Null: nothing was sent with this event. */
  take(event: RunEvent, now: () => number): CassetteRecord | null {
    switch (event.type) {
      case 'asked':
        this.questions.set(event.effect, event);
        return null;
      case 'answered': {
        const { effect, name, value, printed, by } = event;
        const question = this.questions.get(effect);
        // Only the path of an approval has a dot. Its answer comes by itself, as a signal does.
        const asked =
          question === undefined || name.includes('.')
            ? ({ kind: 'approval', text: name, args: [], prompt: null } as const)
            : askedPerson(question, (text) => text);
        return sentRecord(asked, effect, { kind: 'answered', value, ...omitUndefined({ printed }), by }, now());
      }
      case 'signal_received': {
        const { name, payload: value, printed, by } = event;
        const asked = { kind: 'signal', text: name, args: [], prompt: null } as const;
        return sentRecord(asked, null, { kind: 'answered', value, ...omitUndefined({ printed }), by }, now());
      }
      default:
        return null;
    }
  }
}

function sentRecord(asked: Asked, at: string | null, outcome: RecordedOutcome, endedMs: number): CassetteRecord {
  const nowhere = { attempt: 1, waits: 0, state: null, line: null, fileLine: 0 };
  return { ...asked, ...nowhere, at, outcome, endedMs, fingerprint: fingerprintOf(asked) };
}

function hideOutcome(
  outcome: Outcome,
  { resources }: AskingContext,
  redactor: Redactor | null,
  run: HiddenRun,
): RecordedOutcome {
  const whole =
    'stdout' in outcome
      ? { ...outcome, stdout: wholeOutput(outcome.stdout, resources) }
      : outcome.kind === 'value'
        ? { ...outcome, ...withText(outcome.value) }
        : outcome;
  const event = { type: 'effect_settled', effect: '', attempt: 1, outcome: whole } as const;
  const clean = redactor === null ? event : redactor.event(event);
  const hidden = mapTexts((clean as typeof event).outcome as unknown as Json, (text) => run.hide(text));
  return hidden as unknown as RecordedOutcome;
}

/** The content of an output, also of one that is in a file. */
function wholeOutput(output: Output, { outputs }: AskingContext['resources']): Output {
  const { text, base64, artifact, bytes, lossy } = output;
  if (artifact === undefined || (text !== undefined && lossy === undefined)) {
    const content = text === undefined ? { base64 } : { text };
    return { ...output, ...content };
  }
  const content = readOwn(artifactPath(outputs, artifact));
  return lossy === true
    ? { base64: content.toString('base64'), bytes, lossy }
    : { ...contentOf(content), bytes, ...omitUndefined({ text }) };
}

function contentOf(content: Buffer): Pick<Output, 'text' | 'base64'> {
  const text = content.toString('utf8');
  return Buffer.from(text).equals(content) ? { text } : { base64: content.toString('base64') };
}

/** Why it cannot be written, as a clause; null: it is. */
export function writeCassette(
  file: string,
  header: CassetteHeader,
  records: readonly CassetteRecord[],
  boundary: Boundary,
): string | null {
  const text = new CassetteText(yaml.stringify);
  const whole = text.header(header) + records.map((record) => text.record(record)).join('') + CassetteText.end;
  const folder = largeFolderOf(file);
  const why =
    whyUnwritable(file, boundary) ?? keepLarge(folder, text.large, boundary) ?? writeWhole(file, whole, boundary);
  if (why !== null || !isOwnFolder(folder)) return why;
  for (const name of readdirSync(folder)) if (!text.large.has(name)) rmSync(join(folder, name));
  return null;
}

/** Writes new files of the folder next to a cassette. Why that is not possible, as a clause; null: they are there. */
export function keepLarge(
  folder: string,
  large: ReadonlyMap<string, Buffer | null>,
  boundary: Boundary,
): string | null {
  for (const [name, content] of large) {
    if (content === null) continue;
    if (entryAt(folder) === null) mkdirSync(folder);
    if (!isOwnFolder(folder)) return `\`${basename(folder)}\` is a link or a file`;
    const why = writeWhole(join(folder, name), content, boundary);
    if (why !== null) return why;
  }
  return null;
}
