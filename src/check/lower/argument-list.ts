/**
 * Checks the words of a command without a shell. Nothing quotes them, and nothing splits them, but the program that they
 * start may take one as code, as in `["sh", "-c", {x}]` and `["git", "-c", "core.pager={x}"]`.
 */
import type { Expr, Hole } from '../../machine/expression.js';
import type { Expression } from '../../syntax/expression.js';
import type { ShellFinding } from '../shell/lexing.js';
import { checkPositions, shellChecks } from '../shell/positions.js';
import { BUILTINS, programName } from '../shell/programs.js';
import { type Command, HOLE, type LexedHole, type Word } from '../shell/tree.js';
import type { StateLowering } from './state-lowering.js';

/** `list`: the words as written; `lowered`: the same as expressions of the machine. */
export function checkArgumentList(l: StateLowering, list: Expression, lowered: Expr): void {
  if (list.kind !== 'list' || lowered.op !== 'list' || list.items.length !== lowered.items.length) return;
  const { file } = list.span;
  const text = l.shared.sources[file]?.text ?? '';
  const words = list.items.map((item, at) => wordOf(item, lowered.items[at] as Expr, text));
  const holes = words.flatMap((word) => word.holes);
  const name = programName(words[0]);
  // The name of the program may come from the program's own lists, and builtins are those of a shell.
  if (holes.length === 0 || name === null || BUILTINS.has(name)) return;
  const command: Command = {
    role: 'command',
    words,
    assignments: [],
    redirects: [],
    pipedInto: false,
    depth: 0,
    owner: null,
    resolved: null,
  };
  const findings: ShellFinding[] = [];
  const none = { pieces: [], arithmetic: [], indirect: [], variables: [], made: new Set<string>() };
  const lexed = { ...none, holes, commands: [command], functions: new Set<string>(), wrapped: false, compound: false };
  checkPositions(shellChecks(lexed, false, findings));
  for (const { start, end, make } of findings) l.diagnostics.push(make({ file, start, end }));
}

function wordOf(item: Expression, lowered: Expr, source: string): Word {
  const { start, end } = item.span;
  const word: Word = { start, end, text: '', plain: 0, quoted: true, expands: false, holes: [], reads: [], parts: [] };
  const add = (from: number, to: number, hole: Hole): void => {
    word.holes.push({ ...PLAIN, start: from, end: to, hole, offset: word.text.length });
    word.text += HOLE;
  };
  if (lowered.op === 'const') word.text = typeof lowered.value === 'string' ? lowered.value : String(lowered.value);
  else if (item.kind !== 'text' || lowered.op !== 'template')
    add(start, end, { value: lowered, source: source.slice(start, end) });
  else
    lowered.template.forEach((part, at) => {
      const written = item.template.parts[at];
      if (typeof part === 'string') word.text += part;
      else if (typeof written === 'object') add(written.span.start, written.span.end, part);
    });
  return word;
}

const PLAIN: Pick<LexedHole, 'list' | 'raw' | 'context' | 'zone'> = {
  list: false,
  raw: false,
  context: 'word',
  zone: null,
};
