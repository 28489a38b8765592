/**
 * Chooses the name that an unnamed CHECK binds. People omit the name if the next IF contains it, so that IF decides.
 * Otherwise the words of the command do: `wait-explorers` gives `wait_result`.
 */
import type { Block, Instruction, ShellText } from '../syntax/ast.js';
import { type FreeName, freeNames } from './free-names.js';

type Check = Extract<Instruction, { kind: 'check' }>;

/** Interpreters: their first plain argument is the script that runs. */
const INTERPRETERS = /^(?:python[\d.]*|node|deno|bun|ruby|perl|php|bash|sh|dash|zsh|env|npx|uv|uvx|poetry|pipenv|run)$/;

/** The names that all arms of the next IF of the block read. */
export function nextIfNames(block: Block, at: number): FreeName[] {
  for (let k = at + 1; k < block.instructions.length; k++) {
    const next = block.instructions[k] as Instruction;
    if (next.kind === 'if') return next.arms.flatMap((arm) => freeNames(arm.condition));
  }
  return [];
}

/** The base name of a path without its extension: `poll` for `lib/poll.py`. */
function stem(word: string): string {
  const base = word.split('/').pop() as string;
  return base.replace(/\.[A-Za-z0-9]+$/, '');
}

/** Commands that only prepare the actual command of a line. */
const PREPARED = /^\s*(?:cd|pushd|export|set|source|\.|umask|shopt|mkdir)[ \t][^|;&\n<>]*(?:&&|;|\n)/;

/** The words of the first actual command, without quotes; enough to name a result. */
function firstWords(shell: ShellText): string[] {
  let text = shell.text.slice(0, 2000);
  for (let prepared = PREPARED.exec(text); prepared !== null; prepared = PREPARED.exec(text))
    text = text.slice(prepared[0].length);
  const head = text.trimStart().split(/[|;&\n<>]/)[0] as string;
  return (head.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? [])
    .map((w) => w.replace(/["']/g, ''))
    .filter((w, i, all) => !(/^[A-Za-z_]\w*=/.test(w) && all.slice(0, i).every((b) => /^[A-Za-z_]\w*=/.test(b))));
}

/** `<first word of the sub-command>_result`, converted to a valid name. */
export function nameFromCommand(check: Check): string {
  let words: string[] = [];
  if (check.performed.kind === 'shell') words = firstWords(check.performed.shell);
  else if (check.performed.kind === 'agent') words = [check.performed.agent.text.split(/[:/]/).pop() as string];
  else
    words =
      check.performed.list.kind === 'list'
        ? check.performed.list.items.map((i) =>
            i.kind === 'text' ? i.template.parts.filter((p) => typeof p === 'string').join('') : '',
          )
        : [];
  let program = 0;
  while (
    program < words.length - 1 &&
    INTERPRETERS.test(stem(words[program] as string)) &&
    !(words[program + 1] as string).startsWith('-')
  )
    program++;
  const isPlain = (w: string) => /^[A-Za-z][\w-]*$/.test(w);
  const sub = words
    .slice(program + 1)
    .find((w, i, all) => isPlain(w) && all.slice(0, i).every((b) => !b.startsWith('-') || b.includes('=')));
  const chosen = sub ?? stem(words[program] ?? 'check');
  const first = chosen.split(/[^A-Za-z0-9]+/).find((part) => part !== '') ?? 'check';
  return `${/^\d/.test(first) ? `_${first}` : first.toLowerCase()}_result`;
}
