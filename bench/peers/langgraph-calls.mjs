/** As many nodes in a row, each of which reads what the one before wrote: node langgraph-calls.mjs COUNT; prints milliseconds. */
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const count = Number(process.argv[2]);
const names = Array.from({ length: count }, (_, index) => `r${index}`);
const fields = names.map((name) => [name, Annotation({ reducer: (_, next) => next, default: () => null })]);
let graph = new StateGraph(Annotation.Root(Object.fromEntries(fields)));
names.forEach((name, index) => {
  graph = graph.addNode(`call-${name}`, (state) => ({ [name]: index === 0 ? 1 : state[names[index - 1]] }));
});
graph = graph.addEdge(START, `call-${names[0]}`);
names.slice(1).forEach((name, index) => {
  graph = graph.addEdge(`call-${names[index]}`, `call-${name}`);
});
const app = graph.addEdge(`call-${names.at(-1)}`, END).compile();

const turn = async () => {
  const begun = performance.now();
  const state = await app.invoke({}, { recursionLimit: count + 10 });
  if (state[names.at(-1)] !== 1) throw new Error('the last node did not run');
  return performance.now() - begun;
};
await turn();
const taken = [];
for (let round = 0; round < 5; round++) taken.push(await turn());
console.log(taken.sort((a, b) => a - b)[2]);
