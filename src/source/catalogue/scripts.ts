/** The words about scripts: what is lost when one ends, and what sh does not see. */
import { message } from './message.js';

const plain = (value: string | null): string => (value !== null && /^[\w./:@%+,-]+$/.test(value) ? value : '…');

export const scriptMessages = {
  lostInShell: message<{
    what: string;
    kind: 'directory' | 'variable' | 'settings';
    value: string | null;
    name: string;
  }>('lost-in-shell', 'warning', (f) => ({
    message: `\`${f.what}\` changes a shell that ends with this instruction`,
    label: 'the next instruction has a shell of its own',
    help:
      f.kind === 'directory'
        ? `write \`DO [cwd=${plain(f.value)}]: …\` for the command that should run there`
        : f.kind === 'variable'
          ? `write \`DO [env.${f.name}=${plain(f.value)}]: …\` for the command that needs it`
          : 'write it above the commands that need it, as one block below `DO:`',
  })),
  pipeInSh: message('pipe-in-sh', 'warning', () => ({
    message: 'sh does not see that a command before a `|` failed',
    label: 'only the end of the pipe decides',
    notes: ['sh has no `pipefail`, which scripts run with in bash'],
    help: 'leave out `shell=sh`, or say that it is meant with `strict=off`',
  })),
} as const;
