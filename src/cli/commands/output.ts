/**
 * `statedsl output`: prints the output of the commands and agents of a run. A terminal gets control sequences as
 * visible text unless `--raw` is set; a file or a pipe gets the exact bytes.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { nearest } from '../../prelude/nearest.js';
import { bytesOf, OutputRecord, type Printed, type Printer, type Wanted } from '../../runtime/store/run-output.js';
import { RunRefused } from '../../runtime/store/run-refused.js';
import { openStoredRun, runStatus } from '../../runtime/store/stored-run.js';
import { cut, escapeControls, oneLine } from '../../views/drawing/visible-text.js';
import { findRunOrLatest, refusalsAsErrors, type StoreFlags, storeOf } from '../running/stored-runs.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr, stdout } from '../terminal/streams.js';

interface OutputFlags extends StoreFlags {
  readonly stderr?: boolean;
  readonly follow?: boolean;
  readonly raw?: boolean;
}

const POLL_MS = 100;
/** The maximum number of listed names of each kind. */
const LISTED = 20;

export async function outputCommand(
  name: string | undefined,
  selector: string | undefined,
  flags: OutputFlags,
): Promise<ExitCode> {
  return refusalsAsErrors(async () => {
    const directory = storeOf(flags);
    const id = findRunOrLatest(name, directory);
    const { path } = openStoredRun(directory, id);
    const record = new OutputRecord(path);
    const matches = selector === undefined ? () => true : parseSelector(selector, record);
    let broken = false;
    stdout.onBroken(() => {
      broken = true;
    });
    const show = await createPrinter(path, { stderr: flags.stderr === true, raw: flags.raw === true }, selector);
    let found = false;
    for (let live = true; live && !broken; ) {
      // Read the status first, so that output before the end of the run is read after its end.
      live = flags.follow === true && runStatus(directory, id, undefined) === 'running';
      for (let batch = record.next(); batch.length > 0 && !broken; batch = record.next())
        for (const printed of batch)
          if (matches(printed.printer)) {
            found = true;
            await show(printed);
          }
      if (live) await pause(POLL_MS);
    }
    if (!found && !broken && selector !== undefined && !isKnownSelector(record, selector))
      throw unknownSelector(selector, record, id);
    return EXIT.returned;
  });
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

/** Prints outcomes one after the other. With several outcomes, each gets a title for people. */
async function createPrinter(
  folder: string,
  wanted: Wanted,
  selector: string | undefined,
): Promise<(printed: Printed) => Promise<void>> {
  const paint = await stderr.paint();
  const titled = stdout.terminal && stderr.terminal && !/^effect:/.test(selector ?? '');
  return async ({ printer, outcome }) => {
    if (titled) {
      const { effect, line, text } = printer;
      const title = cut(oneLine(escapeControls(text)), 100);
      stderr.write(`${paint.faint(`── ${title} (line ${line}, effect:${effect})`)}\n`);
    }
    const decoder = new TextDecoder();
    for (const bytes of bytesOf(folder, outcome, wanted)) {
      const isPlain = wanted.raw || !stdout.terminal;
      stdout.write(isPlain ? bytes : escapeControls(decoder.decode(bytes, { stream: true })));
      await stdout.flush();
    }
  };
}
