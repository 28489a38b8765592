/**
 * `statedsl output`: prints the output of the commands and agents of a run. A terminal gets control sequences as
 * visible text unless `--raw` is set; a file or a pipe gets the exact bytes.
 */
import type { PrintedOutput } from '../../app/runs.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { cut, escapeControls, oneLine } from '../../views/drawing/visible-text.js';
import { refusalsAsErrors, reportRefusal, runsOf, type StoreFlags } from '../running/stored-runs.js';
import { isLikeRun } from '../running/which-run.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr, stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';

interface OutputFlags extends StoreFlags {
  readonly stderr?: boolean;
  readonly follow?: boolean;
  readonly raw?: boolean;
}

/** One word that cannot be a run says what is printed of the latest one. */
export async function outputCommand(
  first: string | undefined,
  second: string | undefined,
  flags: OutputFlags,
): Promise<ExitCode> {
  const isWhat = first !== undefined && second === undefined && !isLikeRun(first);
  const [name, selector] = isWhat ? [undefined, first] : [first, second];
  const { follow = false, raw = false } = flags;
  if (follow && flags.on !== undefined)
    return usageError('outputs of runs on an engine cannot be followed', 'follow the run: `statedsl show --follow`');
  const broken = new AbortController();
  stdout.onBroken(() => broken.abort());
  const printed = await (await runsOf(flags)).outputs(
    name ?? null,
    omitUndefined({
      select: selector,
      stream: flags.stderr ? ('stderr' as const) : undefined,
      raw,
      follow,
      signal: broken.signal,
    }),
  );
  if (!printed.ok) return reportRefusal(printed.refusal);
  const show = await createPrinter(raw, selector);
  return refusalsAsErrors(async () => {
    for await (const one of printed.value) await show(one);
    return printed.value.refusal === null ? EXIT.returned : reportRefusal(printed.value.refusal);
  });
}

/** Prints outputs one after the other. With several of them, each gets a title for people. */
async function createPrinter(
  raw: boolean,
  selector: string | undefined,
): Promise<(printed: PrintedOutput) => Promise<void>> {
  const paint = await stderr.paint();
  const titled = stdout.terminal && stderr.terminal && !/^effect:/.test(selector ?? '');
  return async ({ effect, line, text, bytes }) => {
    if (titled) {
      const title = cut(oneLine(escapeControls(text)), 100);
      stderr.write(`${paint.faint(`── ${title} (line ${line}, effect:${effect})`)}\n`);
    }
    const decoder = new TextDecoder();
    for (const piece of bytes()) {
      const isPlain = raw || !stdout.terminal;
      stdout.write(isPlain ? piece : escapeControls(decoder.decode(piece, { stream: true })));
      await stdout.flush();
    }
  };
}
