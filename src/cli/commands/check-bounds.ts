/** `statedsl check --bounds`: how often each state, agent, command, tool and person is reached at most. */
import { isPlan, isTestFile } from '../../app/project/preparation.js';
import { loadSettings } from '../../app/project/settings.js';
import type { Json } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { commandLineHost } from '../files/command-line-host.js';
import { readMachines } from '../preparation/read-machines.js';
import { stderr, stdout } from '../terminal/streams.js';

/** The rows as JSON, after printing them as text unless `json` is true. Files without programs have none. */
export async function boundsOfFiles(
  files: readonly string[],
  { tools, json }: { readonly tools?: string; readonly json?: boolean },
): Promise<Json[]> {
  const [{ verify }, { DEFAULTS }, { boundsJson, boundsText, firstLine, isWhole }, { costsOf }] = await Promise.all([
    import('../../lab/foresight/verify-machine.js'),
    import('../../lab/foresight/explore-options.js'),
    import('../../lab/foresight/foresight-report.js'),
    import('./verify.js'),
  ]);
  const all: Json[] = [];
  for (const file of files) {
    if (file === '-' || isPlan(file) || isTestFile(file)) continue;
    const machines = await readMachines(file, omitUndefined({ tools, withGates: true }));
    if (typeof machines === 'number') continue;
    const { configuration } = await loadSettings(commandLineHost(), file);
    for (const machine of machines) {
      const verification = verify(machine, { ...DEFAULTS, maxCost: costsOf(configuration) });
      all.push(boundsJson(verification));
      if (json === true) continue;
      const name = machines.length > 1 ? `${file}, ${machine.name}` : file;
      const title = files.length + machines.length > 2 ? `${name}\n` : '';
      stdout.write(`${all.length > 1 ? '\n' : ''}${title}${boundsText(verification)}`);
      // Standard output is the table alone.
      if (!isWhole(verification)) stderr.write(`${name}: ${firstLine(verification)}\n`);
    }
  }
  return all;
}
