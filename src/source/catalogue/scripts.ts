/** Messages about scripts: changes that are lost at their end, and failures that sh ignores. */
import { message } from './message.js';

const toPlain = (value: string | null): string => (value !== null && /^[\w./:@%+,-]+$/.test(value) ? value : '…');

export const scriptMessages = {
  lostInShell: message<{
    what: string;
    kind: 'directory' | 'variable' | 'settings';
    value: string | null;
    name: string;
  }>('lost-in-shell', 'warning', (f) => ({
    message: `\`${f.what}\` changes a shell that ends with this instruction`,
    label: 'the next instruction has its own shell',
    help:
      f.kind === 'directory'
        ? `write \`DO [cwd=${toPlain(f.value)}]: …\` for the command that should run there`
        : f.kind === 'variable'
          ? `write \`DO [env.${f.name}=${toPlain(f.value)}]: …\` for the command that needs it`
          : 'write it above the commands that need it, as one block below `DO:`',
  })),
  pipeInSh: message('pipe-in-sh', 'warning', () => ({
    message: 'sh ignores the failure of a command before a `|`',
    label: 'only the exit code of the last command counts',
    notes: ['bash runs scripts with `pipefail`, which sh does not have'],
    help: 'leave out `shell=sh`, or write `strict=off` to allow it',
  })),
} as const;
