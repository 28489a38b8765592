/** What people and other programs have to tell a run, told to it: live from its inbox, or before it goes on. */
import { answer, cancelRun, openQuestions, type Run, receiveSignal } from '../interpreter/run.js';
import type { Delivery } from './inbox.js';

/** Gives the effect id of the question that was answered, null otherwise. */
export function receive(run: Run, delivery: Delivery, through: { readonly inbox?: number } = {}): string | null {
  switch (delivery.kind) {
    case 'signal':
      receiveSignal(run, delivery.name, delivery.payload, delivery.by, through);
      return null;
    case 'answer': {
      const question = openQuestions(run).find(({ name }) => name === delivery.name);
      if (question === undefined) {
        const message = `the answer to \`${delivery.name}\` came when nobody asked for it any more`;
        run.recordNow({ type: 'warned', message, state: run.currentState, line: 0, by: 'runner' });
        return null;
      }
      answer(run, question.effect, delivery.value, delivery.by, through);
      return question.effect;
    }
    case 'cancel':
      cancelRun(run, delivery.by, through);
      return null;
    default:
      return unreachable(delivery);
  }
}

function unreachable(never: never): never {
  throw new Error(`unknown delivery: ${JSON.stringify(never)}`);
}
