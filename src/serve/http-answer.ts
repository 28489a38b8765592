/** Answers over HTTP: values as JSON, and every refusal as `code`, `message` and `help`, never as a stack. */
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { diagnosticsToJson } from '../app/library/diagnostics.js';
import type { Refusal, RefusalCode, Result } from '../app/result.js';
import { readJson } from '../interpreter/values/json.js';
import { isObject, member, type Value } from '../interpreter/values/value.js';
import { unreachable } from '../prelude/unreachable.js';

export interface ServiceError {
  readonly code: string;
  readonly message: string;
  readonly help: string | null;
}

export function answerWith<Status extends ContentfulStatusCode>(c: Context, status: Status, error: ServiceError) {
  return c.json({ code: error.code, message: error.message, help: error.help }, status);
}

/** When a client should try again what cannot be done now. */
const RETRY_SECONDS = 5;

export function statusOf(code: RefusalCode): 403 | 404 | 409 | 422 | 500 | 503 {
  switch (code) {
    case 'unknown':
      return 404;
    case 'held':
    case 'over':
    case 'conflict':
    case 'unfinished':
    case 'not-applied':
      return 409;
    case 'wrong-use':
    case 'invalid-program':
    // The service is well, and so was the request: this run cannot be used for any request.
    case 'unusable':
    case 'damaged':
      return 422;
    case 'foreign':
    case 'not-allowed':
      return 403;
    case 'unreachable':
    case 'store':
      return 500;
    case 'unavailable':
      return 503;
    default:
      return unreachable(code);
  }
}

/**
 * A refusal with what is known about it: the position of damage, and what is wrong with a program. `isEarly`: the same request
 * may be possible later.
 */
export function answerRefusal(c: Context, { code, message, help, damage, findings, facts }: Refusal, isEarly = false) {
  const more = {
    ...(damage === undefined ? {} : { damage }),
    ...(findings === undefined ? {} : { diagnostics: diagnosticsToJson(findings) }),
  };
  const run = c.req.param('id') ?? idIn(message);
  if (code === 'unavailable' || isEarly) c.header('Retry-After', String(RETRY_SECONDS));
  const next = damage === undefined ? help : (help ?? readableBefore(damage.seq, run));
  return c.json({ code, message, help: httpHelp(next, run), ...facts, ...more }, statusOf(code));
}

/** What can be read of a run whose record is damaged from an event on. */
function readableBefore(seq: number, run = '{id}'): string {
  return seq > 1
    ? `look at the run as it was before: \`GET /api/v1/runs/${run}?at=${seq - 1}\``
    : `look at what can be read: \`GET /api/v1/runs/${run}/events?follow=false\``;
}

/** The value of an operation, or its refusal. */
export async function answer<T>(c: Context, result: Promise<Result<T>>, status: ContentfulStatusCode = 200) {
  const done = await result;
  return done.ok ? c.json(done.value as object, status) : answerRefusal(c, done.refusal);
}

/** A value of the body with its numbers as they were written: `1.10`. */
export async function writtenMember(c: Context, ...path: readonly string[]): Promise<Value | undefined> {
  const read = readJson(await c.req.text());
  let at = read.ok ? read.value : undefined;
  for (const name of path) at = isObject(at) ? member(at, name) : undefined;
  return at;
}

/** Routes by the names of commands; `{id}` is the run. */
const ROUTES: Readonly<Record<string, string>> = {
  runs: 'GET /api/v1/runs',
  list: 'GET /api/v1/programs',
  show: 'GET /api/v1/runs/{id}',
  report: 'GET /api/v1/report?run={id}',
  answer: 'POST /api/v1/runs/{id}/answers',
  signal: 'POST /api/v1/runs/{id}/signals',
  cancel: 'POST /api/v1/runs/{id}/cancel',
  resume: 'POST /api/v1/runs/{id}/resume',
  replay: 'POST /api/v1/runs/{id}/replay',
  apply: 'POST /api/v1/runs/{id}/apply',
};

/** What a command recommends if its store has no runs. A service has one store. */
const OTHER_STORE = 'name the store of the run';
const COMMAND = /`statedsl ([a-z]+)((?: [^`]*)?)`/g;
const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
const FROM_STATE = '`--from STATE`';
/** Where a replay begins is a member of its request. */
const FROM = / --from \S+/;
const FLAG = /(?:^|[ `])--[a-z]/;

/** The first id of a run in a text. */
function idIn(text: string): string | undefined {
  return ID.exec(text)?.[0];
}

/** `run`: the one of the request. */
export function httpHelp(help: string | null, run: string | undefined): string | null {
  if (help === null) return null;
  if (help.startsWith(OTHER_STORE)) return 'start a run: `POST /api/v1/runs`';
  const translated = help
    .replace(FROM_STATE, '`{"from": {"state": STATE}}`')
    .replace(COMMAND, (all, name: string, words: string) => {
      const route = ROUTES[name];
      if (route === undefined || FLAG.test(words.replace(FROM, ''))) return all;
      return `\`${route.replace('{id}', idIn(words) ?? run ?? '{id}')}\``;
    });
  return FLAG.test(translated) || translated.includes('`statedsl ') ? `in a terminal: ${translated}` : translated;
}
