/** `statedsl ui`: the page with the runs of a folder, in the browser. */
import { execa } from 'execa';
import { unwrap } from '../../app/result.js';
import { RunRefused } from '../../runtime/store/store-error.js';
import { NO_ENGINE } from '../running/configured-engine.js';
import { refusalsAsErrors, runsOf } from '../running/stored-runs.js';
import type { ExitCode } from '../terminal/exit-code.js';
import { stderr } from '../terminal/streams.js';
import { type ServeFlags, serveUntilStopped } from './serve.js';

interface UiFlags extends Pick<ServeFlags, 'dir' | 'programs' | 'readOnly' | 'quiet' | 'json' | 'on' | 'namespace'> {
  readonly open: boolean;
}

/** How long the runs that the page has started may take to end when the page is stopped. */
const GRACE_MS = 5000;

export async function uiCommand(run: string | undefined, flags: UiFlags): Promise<ExitCode> {
  return refusalsAsErrors(async () => {
    const path = run === undefined ? '/' : `/runs/${await findShown(run, flags)}`;
    const show = (address: string): void => {
      if (flags.open) openBrowser(address);
    };
    const listen = { host: '127.0.0.1', port: 0 };
    const serve = (readOnly: boolean): Promise<ExitCode> =>
      serveUntilStopped({ ...flags, on: flags.on ?? NO_ENGINE, listen, grace: GRACE_MS, readOnly }, { path, show });
    try {
      return await serve(flags.readOnly === true);
    } catch (cause) {
      if (!(cause instanceof RunRefused) || cause.kind !== 'held') throw cause;
      if (!flags.quiet) stderr.write(`${cause.message}: this page only shows them\n`);
      return serve(true);
    }
  });
}

async function findShown(run: string, flags: UiFlags): Promise<string> {
  const { on, ...local } = flags;
  const where = on === undefined || on === NO_ENGINE ? local : flags;
  return unwrap(await (await runsOf(where)).find(run)).run_id;
}

/** Where that is not possible, the printed address has to do. */
function openBrowser(address: string): void {
  const [program, ...args] = openCommand(address);
  if (program === undefined) return;
  const child = execa(program, args, { stdio: 'ignore', detached: true, reject: false });
  child.unref();
}

function openCommand(address: string): string[] {
  const { BROWSER } = process.env;
  if (BROWSER !== undefined && BROWSER !== '') return [BROWSER, address];
  switch (process.platform) {
    case 'darwin':
      return ['open', address];
    case 'win32':
      return ['rundll32', 'url.dll,FileProtocolHandler', address];
    default:
      return ['xdg-open', address];
  }
}
