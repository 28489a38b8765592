/** `statedsl report --html`: a run as one page in a file, which opens from a disk and needs no network. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { collectFileRun } from '../../app/file-run.js';
import type { Runs } from '../../app/runs.js';
import { viewerFolder } from '../../app/viewer-folder.js';
import { VERSION } from '../../runtime/version.js';
import { type PageFileParts, pageFile } from '../../views/report/page-file.js';
import { writeNamed } from '../files/command-line-host.js';
import { reportRefusal } from '../running/stored-runs.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';

/** `file`: where to write the page; `-` is the output. */
export async function reportPage(runs: Runs, run: string | null, file: string): Promise<ExitCode> {
  const assets = readAssets();
  if (assets === null) return usageError('the page is not built', 'build it with `npm run build`');
  const collected = await collectFileRun(runs, run, VERSION);
  if (!collected.ok) return reportRefusal(collected.refusal);
  const { run_id, machine } = collected.value.shown;
  const hash = (text: string): string => createHash('sha256').update(text).digest('base64');
  const page = pageFile({ title: `${machine} ${run_id}`, ...assets, data: collected.value, hash });
  if (file === '-') {
    stdout.write(page);
    return EXIT.returned;
  }
  const problem = writeNamed(file, page);
  return problem === null ? EXIT.returned : usageError(`cannot write \`${file}\`: ${problem}`);
}

function readAssets(): Pick<PageFileParts, 'script' | 'style' | 'licences'> | null {
  const folder = viewerFolder();
  if (folder === null) return null;
  const names = readdirSync(folder);
  const read = (pattern: RegExp): string | null => {
    const name = names.find((one) => pattern.test(one));
    return name === undefined ? null : gunzipSync(readFileSync(join(folder, name))).toString('utf8');
  };
  const [script, style] = [read(/^file-.*\.js\.gz$/), read(/^page-.*\.css\.gz$/)];
  const licences = read(/^file-licences-.*\.txt\.gz$/);
  return script === null || style === null || licences === null ? null : { script, style, licences };
}
