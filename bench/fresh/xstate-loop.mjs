/** The same loop in xstate: transitions per millisecond. */
import { assign, createActor, createMachine } from 'xstate';

const TURNS = 100_000;
const machine = createMachine({
  context: { n: 0 },
  initial: 'count',
  states: {
    count: {
      always: [
        { guard: ({ context }) => context.n >= TURNS, target: 'done' },
        { target: 'count', reenter: true, actions: assign({ n: ({ context }) => context.n + 1 }) },
      ],
    },
    done: { type: 'final' },
  },
});
const begun = performance.now();
const { status } = createActor(machine).start().getSnapshot();
const ms = performance.now() - begun;
if (status !== 'done') throw new Error(`xstate ended ${status}`);
console.log(TURNS / ms);
