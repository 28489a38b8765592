/** The data of a page that is a file: one run, which does not change and cannot be acted on. */
import { signal } from '@preact/signals';
import type { FileRun } from '../../app/file-run.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { CountedEvents } from '../../runtime/record/counted-events.js';
import type { Recorded } from '../../runtime/record/record-facts.js';
import { momentAt, type RunMoment } from '../history/run-moment.js';
import type { PageParts } from '../page-parts.js';
import {
  DataError,
  type OutputPart,
  type OutputQuery,
  type PageData,
  type PageRun,
  type RecordLine,
} from './page-data.js';
import { recordOf } from './record-lines.js';

/** Lines of a long record are passed on in portions, so that the page stays responsive. */
const PORTION = 5000;

export function fileData(file: FileRun): PageData {
  const { run, shown, program, version } = file;
  const lines = file.lines as readonly RecordLine[];
  const records = lines.flatMap((line) => recordOf(line) ?? []);
  const find = (id: string): void => {
    if (id !== run.run_id) throw new DataError('unknown', `this file has no run \`${id}\``, 'it shows one run only');
  };
  return {
    kind: 'file',
    connection: signal('connected'),
    about: signal({ version, where: 'a file with one run' }),
    actions: signal(null),
    list: async () => ({ runs: [run] }),
    days: null,
    schedules: null,
    files: null,
    waiting: null,
    programs: null,
    async inspect(id, at) {
      find(id);
      const moment = at === null || at >= shown.seq ? null : momentAt(records, at);
      return moment === null ? shown : asShown(shown, moment, valuesAt(records, at ?? 0));
    },
    follow(id, after, reader) {
      if (id !== run.run_id) {
        reader.end(new DataError('unknown', `this file does not have the run \`${id}\``));
        return () => undefined;
      }
      let isStopped = false;
      void (async () => {
        const wanted = lines.filter(({ seq }) => seq > after);
        for (let at = 0; at < wanted.length && !isStopped; at += PORTION) {
          if (at > 0) await new Promise((resolve) => setTimeout(resolve));
          reader.take(wanted.slice(at, at + PORTION));
        }
        if (isStopped) return;
        reader.caughtUp();
        reader.end({ reason: 'over' });
      })();
      return () => {
        isStopped = true;
      };
    },
    async linesAfter(id, after, count) {
      find(id);
      return lines.filter(({ seq }) => seq > after).slice(0, count);
    },
    async program(id, digest) {
      find(id);
      if (program === null || digest !== null) throw new DataError('unknown', 'this file does not have the program');
      return program;
    },
    async output(id, effect, query) {
      find(id);
      return outputOf(records, effect, query);
    },
    async artifact(id, hash) {
      find(id);
      throw new DataError(
        'unknown',
        `this file does not have the artifact \`${hash}\``,
        'it is in the folder of the run',
      );
    },
  };
}

type KnownValues = PageRun['values'];

/** What plans had read and written after an event. */
function valuesAt(records: readonly Recorded[], at: number): KnownValues {
  const values: Record<string, KnownValues[string]> = {};
  const written = new CountedEvents('run_started', 'state_set');
  for (const record of records) if (record.seq <= at) written.take(record);
  for (const { event } of written.all)
    if (event.type === 'state_set') values[event.path] = event.value;
    else for (const [name, value] of Object.entries(event.inputs)) values[`input.${name}`] = value;
  return values;
}

/** What the record does not say of an earlier event is left out. */
function asShown(shown: PageRun, { steps, ...moment }: RunMoment, values: KnownValues): PageRun {
  const { undo: _, rollback: __, calls: ___, cost_unknown: ____, ...others } = shown;
  const names = Object.keys(others).filter((name) => !name.startsWith('printed_') || name === 'printed_inputs');
  const rest = Object.fromEntries(names.map((name) => [name, others[name as keyof typeof others]])) as typeof others;
  return { ...rest, ...moment, values, ...omitUndefined({ steps: steps.length === 0 ? undefined : steps }) };
}

/** As much of an output as the record has. */
function outputOf(records: readonly Recorded[], effect: string, query: OutputQuery): OutputPart {
  const settled = records.findLast(({ event }) => event.type === 'effect_settled' && event.effect === effect)?.event;
  if (settled?.type !== 'effect_settled')
    throw new DataError('unknown', `this file has no output of effect \`${effect}\``);
  const whole = new TextEncoder().encode(textOf(settled.outcome, query.stream));
  return { bytes: whole.length, pieces: once(whole.slice(query.from, query.to ?? undefined)) };
}

type SettledEvent = Extract<Recorded['event'], { type: 'effect_settled' }>;

function textOf(outcome: SettledEvent['outcome'], stream: OutputQuery['stream']): string {
  if (outcome.kind === 'value') return stream === 'stdout' ? JSON.stringify(outcome.value, null, 2) : '';
  if (!('stdout' in outcome)) return '';
  if (stream === 'stderr') return 'stderr' in outcome ? outcome.stderr : '';
  const { text, tail, bytes } = outcome.stdout;
  return text ?? (tail === undefined ? '' : `[the end of ${bytes} bytes]\n${tail}`);
}

async function* once(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}

/** Finds the positions that were computed when the file was made. */
export function storedLayout({ drawings }: FileRun): PageParts['layOut'] {
  return async (picture) => {
    const key = JSON.stringify(picture);
    const known = drawings.find((one) => one.picture === key);
    if (known === undefined) throw new Error('this file does not have this picture');
    return known.drawing;
  };
}
