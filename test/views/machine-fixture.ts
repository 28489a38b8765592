/** A small machine by hand: what views draw must not depend on how text is compiled. */
import type { Expr } from '../../src/machine/expression.js';
import type { Instruction, Machine } from '../../src/machine/machine.js';

const yes: Expr = { op: 'const', value: true };
type Bare = Instruction extends infer I ? (I extends Instruction ? Omit<I, 'origin'> : never) : never;

/** Instructions on lines from `first` on. */
export function code(first: number, ...list: Bare[]): Instruction[] {
  return list.map((one, index) => ({ ...one, origin: { file: 0, line: first + index } }) as Instruction);
}

export function unless(text: string, to: number): Bare {
  return { op: 'unless', condition: yes, to, text };
}

export function goto(state: number): Bare {
  return { op: 'goto', state, args: [] };
}

export function shell(text: string): Bare {
  return {
    op: 'shell',
    template: { parts: [text], source: text },
    shell: 'default',
    tool: text.split(' ')[0] as string,
    ok: [0],
    reading: 'none',
    text,
  };
}

/** PLAN loops on itself five times, else goes to WORK; WORK returns, or fails into ERROR. */
export const machine: Machine = {
  version: 1,
  name: 'plan',
  files: ['plan.dsl'],
  inputs: [
    { name: 'objective' },
    { name: 'limit', value: 20 },
    { name: 'token', type: 'string', secret: true },
    { name: 'mode', value: 'fast', type: 'string', choices: ['fast', 'slow'] },
  ],
  tracked: ['count'],
  states: [
    {
      name: 'PLAN',
      locals: [],
      entry: ['why'],
      handlers: [],
      code: code(
        10,
        { op: 'track', slot: 0, value: { op: 'const', value: 0 } },
        { op: 'increment', to: { in: 'tracked', slot: 0 }, name: 'count', by: { op: 'const', value: 1 } },
        {
          op: 'unless',
          text: 'count < 5',
          to: 5,
          condition: {
            op: 'compare',
            operator: '<',
            left: { op: 'read', name: 'count', places: [{ in: 'tracked', slot: 0 }] },
            right: { op: 'const', value: 5 },
          },
        },
        goto(0),
        { op: 'jump', to: 6 },
        goto(1),
        { op: 'fell-off' },
      ),
    },
    {
      name: 'WORK',
      locals: [],
      entry: [],
      handlers: [{ from: 0, to: 1, kind: 'timeout', pc: 2, names: {} }],
      code: code(
        20,
        { ...shell('make {x}'), timeout: ['30s'], retry: { times: 2, pauseMs: 0 }, once: true } as Bare,
        { op: 'return', value: null, failed: false },
        goto(0),
        { op: 'fell-off' },
      ),
    },
    {
      name: 'ERROR',
      locals: [],
      entry: ['error_type'],
      handlers: [],
      code: code(30, { op: 'return', value: null, failed: true }),
    },
  ],
  initial: 0,
  error: 2,
  limits: { transitions: 50, timeMs: 7_200_000 },
};
