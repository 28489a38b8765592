/** What the record has to say of calls in which the model gave a number of answers, by program. */
import assert from 'node:assert/strict';

/** US dollars of one answer, of those programs that know what their models cost. */
const COST = { claude: 0.000831, opencode: 0.000609 };

/** Tokens of one answer as the model of the tests counts them. Anthropic alone counts what is written to the cache. */
export const tokens = (program, answers) => ({
  in: 100 * answers,
  out: 20 * answers,
  cache_read: 30 * answers,
  cache_write: program === 'claude' ? 5 * answers : 0,
});

const near = (actual, expected, what) =>
  assert.ok(typeof actual === 'number' && Math.abs(actual - expected) < 1e-9, `${what}: ${actual}, not ${expected}`);

/** Cost, tokens and turns of one call of an agent. */
export function assertCall(program, call, answers) {
  assert.equal(call.kind, 'exited');
  assert.deepEqual(call.tokens, tokens(program, answers), 'tokens of the call');
  assert.equal(call.turns, answers, 'turns of the call');
  if (COST[program] === undefined) assert.equal(call.cost, null, 'cost of the call');
  else near(call.cost, COST[program] * answers, 'cost of the call');
  assert.ok(call.session_id, 'the session is known');
}

/** The sums of a whole run. */
export function assertRun(program, summary, answers) {
  assert.deepEqual(summary.tokens, tokens(program, answers), 'tokens of the run');
  if (COST[program] !== undefined) near(summary.cost, COST[program] * answers, 'cost of the run');
}

export function assertReturned(result, value) {
  assert.equal(result.summary?.status, 'returned', result.log);
  if (value !== undefined) assert.equal(result.summary.returned, value);
}

/** Everything that a request of the model says, as one text. */
export const conversation = ({ said }) => said.map(({ text }) => text).join('\n');

/** What users said in a request, without what the program says in their name. */
export const asked = ({ said }) =>
  said
    .filter(({ role }) => role === 'user')
    .map(({ text }) => text)
    .join('\n');

/** A flow with one step of one agent. */
export const flow = (prompt, { type = 'artifact', guards = '', more = '' } = {}) => `STEP: one type=${type}
  PROMPT: ${JSON.stringify(prompt)}
  AGENT: it${guards === '' ? '' : ` with ${guards}`}
${more}RETURN: {one.output}
`;
