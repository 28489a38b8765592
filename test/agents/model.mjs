/**
 * A model that follows a script: it answers agent programs on 127.0.0.1 in the language of the service that each
 * expects, so that programs and adapters are tried as they are, without a network, a key or a price.
 *
 * A script is `{ turns, afterwards }`: the answers to the requests of the conversation in order, and the answer to all
 * requests after them. A function that takes the request stands for an answer where it depends on what was asked. An answer is
 *   { text, say, shell, write: { path, content }, tool: { name, input }, usage }   what the model says and has done
 *   { status, headers, body }   an error of the service
 *   { drop: true }   the connection ends in the middle of the answer
 *   { hang: true }   nothing comes
 * `all`: every request is one of the conversation, also without tools.
 * Programs also ask small things besides the conversation (a title, a classification): those requests offer no tools, are
 * answered with `aux`, and are not counted.
 */
import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { callsOf } from './tool-calls.mjs';
import * as anthropic from './wire/anthropic.mjs';
import * as chat from './wire/chat.mjs';
import * as gemini from './wire/gemini.mjs';
import * as responses from './wire/responses.mjs';

const PROTOCOLS = [anthropic, responses, chat, gemini];

/** What each answer tells of its tokens. */
export const USAGE = { fresh: 100, cached: 30, written: 5, out: 20 };

/** Between two events of an answer, as a service would need it. */
const PAUSE_MS = 1;

async function bodyOf(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const text = Buffer.concat(pieces).toString('utf8');
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    return {};
  }
}

function fail(response, { status, headers = {}, body = {} }) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

async function answerWith(response, answer, asked, protocol) {
  if (answer.hang) return;
  if (answer.status !== undefined) return fail(response, answer);
  const { text = answer.say ?? '', usage = {} } = answer;
  const full = { text, calls: callsOf(answer, asked), usage: { ...USAGE, ...usage } };
  const { type, pieces } = protocol.reply(full, asked);
  response.writeHead(200, { 'content-type': type });
  // Of an answer that drops the first events arrive, and then the connection is gone.
  const sent = answer.drop ? pieces.slice(0, Math.ceil(pieces.length / 2)) : pieces;
  for (const piece of sent) {
    response.write(piece);
    await setTimeout(PAUSE_MS);
  }
  if (answer.drop) response.destroy();
  else response.end();
}

/** Starts the model; `requests` are those of the conversation, as the programs sent them. */
export async function startModel(
  { turns = [], afterwards = { text: 'Nothing is left in the script.' }, aux = { text: 'ok' }, all = false },
  port = 0,
) {
  const left = [...turns];
  const requests = [];
  const others = [];
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://model').pathname;
    const body = await bodyOf(request);
    const protocol = PROTOCOLS.find((one) => one.matches(path));
    if (request.method !== 'POST' || protocol === undefined) {
      others.push(`${request.method} ${path}`);
      return fail(response, { status: 404, body: { error: { message: 'not here' } } });
    }
    const asked = { path, body, at: Date.now(), ...protocol.read(body, path) };
    const isMain = all || asked.tools.length > 0;
    if (isMain) requests.push(asked);
    else others.push(`${request.method} ${path} ${asked.said.at(-1)?.text.slice(0, 80)}`);
    const next = isMain ? (left.shift() ?? afterwards) : aux;
    await answerWith(response, typeof next === 'function' ? next(asked) : next, asked, protocol);
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    others,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
