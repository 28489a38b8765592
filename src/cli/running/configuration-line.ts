/** The first line of the log: the configuration that defines what the run can start. */
import { shortName } from '../../app/project/project-host.js';
import type { Configuration } from '../../runtime/configuration/load-configuration.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { commandLineHost } from '../files/command-line-host.js';
import { stderr } from '../terminal/streams.js';

export function reportConfiguration(configuration: Configuration, flags: { readonly quiet?: boolean }): void {
  const line = flags.quiet ? null : configurationLine(configuration);
  if (line !== null) stderr.write(`${visibleLine(line)}\n`);
}

/** Null if the configuration defines nothing that can be started. */
function configurationLine({ file, agents, gates, mcp }: Configuration): string | null {
  const parts = [
    ['agents', agents],
    ['gates', gates],
    ['tool servers', mcp],
  ].flatMap(([what, given]) => {
    const names = Object.keys(given as object);
    return names.length === 0 ? [] : [`${what} ${names.join(', ')}`];
  });
  return file === null || parts.length === 0
    ? null
    : `configuration ${shortName(commandLineHost(), file)}: ${parts.join('; ')}`;
}

/** Resolves at the first signal; each later one calls the function. */
export function firstSignal(onLater: () => void): Promise<void> {
  return new Promise((resolve) => {
    let isFirst = true;
    const onSignal = (): void => {
      if (!isFirst) onLater();
      isFirst = false;
      resolve();
    };
    // They stay: a signal without a handler would end the process in the middle of stopping.
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  });
}
