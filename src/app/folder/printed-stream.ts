/**
 * What the commands and agents of a run printed, in the order in which they ended. Who asks may select some of them by the
 * state, the step or the line that they belong to.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { nearest } from '../../prelude/nearest.js';
import { bytesOf, OutputRecord, type Printer } from '../../runtime/store/run-output.js';
import { RunRefused } from '../../runtime/store/store-error.js';
import { runStatus, type StoredRun } from '../../runtime/store/stored-run.js';
import { type Refusal, refusalOf } from '../result.js';
import type { PrintedOptions, PrintedOutput, PrintedStream } from '../runs.js';

const POLL_MS = 100;
/** The maximum number of listed names of each kind. */
const LISTED = 20;

/** `store`: the folder of all runs. */
export function printedStream(store: string, { path, about }: StoredRun, options: PrintedOptions): PrintedStream {
  let refusal: Refusal | null = null;
  const found = readOutputs(store, { path, id: about.run_id }, options);
  return {
    get refusal() {
      return refusal;
    },
    async *[Symbol.asyncIterator]() {
      try {
        yield* found;
      } catch (cause) {
        refusal = refusalOf(cause);
      }
    },
  };
}

async function* readOutputs(
  store: string,
  { path, id }: { readonly path: string; readonly id: string },
  { select, stream = 'stdout', raw = false, follow = false, signal }: PrintedOptions,
): AsyncGenerator<PrintedOutput> {
  const record = new OutputRecord(path);
  const matches = select === undefined ? () => true : parseSelector(select, record);
  const isWanted = (): boolean => signal?.aborted !== true;
  let found = false;
  for (let live = true; live && isWanted(); ) {
    // Read the status first, so that output before the end of the run is read after its end.
    live = follow && runStatus(store, id, undefined) === 'running';
    for (let batch = record.next(); batch.length > 0 && isWanted(); batch = record.next())
      for (const { printer, outcome } of batch) {
        if (!matches(printer)) continue;
        found = true;
        const { effect, state, line, step, text } = printer;
        const bytes = () => bytesOf(path, outcome, { stderr: stream === 'stderr', raw });
        yield { effect, state, line, step, text, bytes };
      }
    if (live) await pause(POLL_MS);
  }
  if (!found && isWanted() && select !== undefined && !isKnownSelector(record, select))
    throw unknownSelector(select, record, id);
}

/**
 * A number is a line, or an effect if no line matches; `line:3` and `effect:3` are explicit. A step is named by its
 * path or the end of its path.
 */
function parseSelector(selector: string, record: OutputRecord): (printer: Printer) => boolean {
  const [, kind, value = ''] = /^(line|effect|state|step):(.+)$/.exec(selector) ?? [undefined, undefined, selector];
  const ofLine = ({ line }: Printer): boolean => String(line) === value;
  const ofEffect = ({ effect }: Printer): boolean => effect === value;
  const ofState = ({ state }: Printer): boolean => state === value;
  const ofStep = ({ step }: Printer): boolean =>
    step !== null && (step === value || step.startsWith(`${value}/`) || `/${step}/`.includes(`/${value}/`));
  switch (kind) {
    case 'line':
      return ofLine;
    case 'effect':
      return ofEffect;
    case 'state':
      return ofState;
    case 'step':
      return ofStep;
    default:
      if (/^\d+$/.test(value))
        return (printer) => ofLine(printer) || (ofEffect(printer) && ![...record.printers.values()].some(ofLine));
      return (printer) => ofState(printer) || ofStep(printer) || ofEffect(printer);
  }
}

/** Whether something of that name ran, even if it printed nothing. */
function isKnownSelector({ printers, states }: OutputRecord, selector: string): boolean {
  const name = selector.replace(/^(?:line|effect|state|step):/, '');
  if (states.has(name)) return true;
  return [...printers.values()].some(
    ({ effect, line, step }) => effect === name || String(line) === name || step === name,
  );
}

function unknownSelector(selector: string, { printers, states }: OutputRecord, id: string): RunRefused {
  const all = [...printers.values()];
  const steps = [...new Set(all.flatMap(({ step }) => (step === null ? [] : [step])))];
  const lines = [...new Set(all.map(({ line }) => String(line)))].sort((a, b) => Number(a) - Number(b));
  const effects = all.map(({ effect }) => effect);
  const near = nearest(selector, [...states, ...steps]);
  const listed = [
    ['states', [...states]],
    ['steps', steps],
    ['lines', lines],
    ['effects', effects],
  ] as const;
  const there = listed.flatMap(([what, names]) => (names.length === 0 ? [] : [`${what} ${list(names)}`])).join('; ');
  const help = near === undefined ? `it has ${there}` : `did you mean \`${near}\`? It has ${there}`;
  return new RunRefused('wrong-use', `run \`${id}\` has run nothing called \`${selector}\``, help);
}

function list(names: readonly string[]): string {
  const more = names.length > LISTED ? ` and ${names.length - LISTED} more` : '';
  return `${names
    .slice(0, LISTED)
    .map((name) => `\`${name}\``)
    .join(', ')}${more}`;
}
