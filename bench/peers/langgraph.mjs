/** A graph of one node that goes round, each turn durable in SQLite: node langgraph.mjs COUNT FILE; prints milliseconds. */
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';

const count = Number(process.argv[2]);
const State = Annotation.Root({ turns: Annotation({ reducer: (_, next) => next, default: () => 0 }) });
const app = new StateGraph(State)
  .addNode('step', ({ turns }) => ({ turns: turns + 1 }))
  .addEdge(START, 'step')
  .addConditionalEdges('step', ({ turns }) => (turns < count ? 'step' : END))
  .compile({ checkpointer: SqliteSaver.fromConnString(process.argv[3]) });

const begun = performance.now();
const { turns } = await app.invoke(
  { turns: 0 },
  { configurable: { thread_id: '1' }, recursionLimit: count + 10, durability: 'sync' },
);
if (turns !== count) throw new Error(`${turns} turns instead of ${count}`);
console.log(performance.now() - begun);
