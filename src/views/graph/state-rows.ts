/**
 * What a state does as rows of its card: agents, questions, waits, calls, loops and parallel members. Commands are left
 * out, because almost every state has some.
 */
import type { Template } from '../../machine/expression.js';
import type { Instruction, Machine, State } from '../../machine/machine.js';
import type { PictureRow } from '../picture/picture.js';
import { callLines } from '../steps/call-tree.js';

type Loop = Extract<Instruction, { op: 'each' }>;
type Fork = Extract<Instruction, { op: 'fork' | 'fork-each' }>;

export function stateRows(state: State, machine: Machine): PictureRow[] {
  return foldEqual(rowsIn({ state, machine }, 0, state.code.length, 0));
}

interface Site {
  readonly state: State;
  readonly machine: Machine;
}

function rowsIn(site: Site, from: number, to: number, depth: number): PictureRow[] {
  const { code } = site.state;
  const rows: PictureRow[] = [];
  for (let pc = from; pc < to; pc++) {
    const instruction = code[pc] as Instruction;
    if (instruction.op === 'each') {
      const body = loopBody(instruction, code, pc, to);
      if (actsIn(code, body.from, body.to)) {
        rows.push({ kind: 'loop', text: `for each ${nameOf(body.variable, site.state)}`, depth });
        rows.push(...rowsIn(site, body.from, body.to, depth + 1));
      }
      pc = body.to - 1;
    } else if (instruction.op === 'fork' || instruction.op === 'fork-each') {
      rows.push(
        { kind: 'parallel', text: forkText(instruction, site.state), depth },
        ...memberRows(site, instruction, depth),
      );
      pc = instruction.join - 1;
    } else rows.push(...ownRows(instruction, pc, site, depth));
  }
  return rows;
}

const ACTS = new Set<Instruction['op']>([
  'shell',
  'argv',
  'function',
  'agent',
  'plan',
  'ask',
  'sleep',
  'signal',
  'fork',
  'fork-each',
]);

/** A loop that only computes is a detail. */
function actsIn(code: readonly Instruction[], from: number, to: number): boolean {
  return code.slice(from, to).some(({ op }) => ACTS.has(op));
}

/** The code of a loop, from its head to where it ends. */
function loopBody(
  { items }: Loop,
  code: readonly Instruction[],
  pc: number,
  end: number,
): { readonly from: number; readonly to: number; readonly variable: number } {
  const head = code.findIndex((one, at) => at > pc && one.op === 'next' && one.items === items);
  const next = code[head];
  if (next?.op !== 'next') return { from: pc + 1, to: pc + 1, variable: -1 };
  return { from: head + 1, to: Math.max(head + 1, Math.min(next.exit, end)), variable: next.variable };
}

function memberRows(site: Site, fork: Fork, depth: number): PictureRow[] {
  if (fork.op === 'fork-each') return rowsIn(site, fork.body, fork.join, depth + 1);
  return fork.branches.flatMap(({ pc }, at) => rowsIn(site, pc, fork.branches[at + 1]?.pc ?? fork.join, depth + 1));
}

function forkText(fork: Fork, state: State): string {
  const most = fork.max?.op === 'const' ? `, at most ${fork.max.value} at once` : '';
  if (fork.op === 'fork') {
    const names = fork.names?.length === fork.branches.length ? `: ${fork.names.join(', ')}` : '';
    return `${fork.branches.length} in parallel${most}${names}`;
  }
  return `each ${nameOf(fork.variable, state)} in parallel${most}`;
}

function ownRows(instruction: Instruction, pc: number, { state, machine }: Site, depth: number): PictureRow[] {
  const row = (kind: PictureRow['kind'], text: string): PictureRow => ({ kind, text, depth });
  switch (instruction.op) {
    case 'agent': {
      const prompt = instruction.prompt === null ? '' : templateText(instruction.prompt);
      return [row('agent', prompt === '' ? instruction.agent : `${instruction.agent}: ${prompt}`)];
    }
    case 'ask': {
      const choices = instruction.choices.map(templateText).join(' / ');
      return [row('question', `asks for ${instruction.name}${choices === '' ? '' : `: ${choices}`}`)];
    }
    case 'sleep':
      return [row('wait', `waits ${templateText(instruction.duration)}`)];
    case 'signal':
      return [row('wait', `waits for signal ${instruction.name}`)];
    case 'wait-start':
      return [row('wait', waitText(instruction, pc, state))];
    case 'plan':
      return instruction.main === true ? [] : callRows(callLines(instruction, state, machine), depth);
    default:
      return [];
  }
}

function callRows([title = '', ...results]: readonly string[], depth: number): PictureRow[] {
  return [
    { kind: 'call', text: title, depth },
    ...results.map((text): PictureRow => ({ kind: null, text, depth: depth + 1 })),
  ];
}

/** The test of the condition is the last one before the pause. */
function waitText(start: Extract<Instruction, { op: 'wait-start' }>, pc: number, { code }: State): string {
  const turn = code.findIndex((one, at) => at > pc && one.op === 'wait-turn' && one.deadline === start.deadline);
  const test = code.slice(pc, Math.max(pc, turn)).findLast((one) => one.op === 'unless' && one.text !== '');
  const until = test?.op === 'unless' ? ` until ${test.text},` : '';
  return `waits${until} at most ${templateText(start.timeout)}`;
}

/** A template as it was written, with the values that the program fixes. */
function templateText(template: Template): string {
  const parts = template.map((part) => {
    if (typeof part === 'string') return part;
    return part.value.op === 'const' && typeof part.value.value !== 'object' ? String(part.value.value) : part.source;
  });
  return parts.join('').trim().replace(/\s+/g, ' ');
}

function nameOf(slot: number, state: State): string {
  return state.locals[slot]?.replace(/^\$(each:)?/, '') ?? 'element';
}

/** Equal rows next to each other become one with their number. */
function foldEqual(rows: readonly PictureRow[]): PictureRow[] {
  const out: { row: PictureRow; times: number }[] = [];
  for (const row of rows) {
    const last = out.at(-1);
    if (last !== undefined && JSON.stringify(last.row) === JSON.stringify(row)) last.times++;
    else out.push({ row, times: 1 });
  }
  return out.map(({ row, times }) => (times === 1 ? row : { ...row, text: `${row.text} (${times} times)` }));
}
