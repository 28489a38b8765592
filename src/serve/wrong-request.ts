/** What is wrong with a request, in words: its address, its method, its body, and the members of it. */
import type { Context, MiddlewareHandler } from 'hono';
import type { HTTPException } from 'hono/http-exception';
import { MAX_DEPTH } from '../interpreter/values/value.js';
import { ambiguityIn } from '../prelude/ambiguous-json.js';
import { nearest } from '../prelude/nearest.js';
import { answerWith, type ServiceError } from './http-answer.js';

const SEE = 'see `GET /api/v1/openapi.json` for what requests may hold';

/** The parts of a validation issue that say what is wrong. */
interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly expected?: unknown;
  readonly keys?: unknown;
  readonly values?: unknown;
  readonly origin?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly inclusive?: unknown;
}

/** The first thing that is wrong with the members of a request. `known`: the members of the object at a path of it. */
export function wrongMember(
  issue: Issue | undefined,
  knownMembers: (path: Issue['path']) => readonly string[],
): ServiceError {
  const name = issue === undefined || issue.path.length === 0 ? 'the request' : `\`${issue.path.join('.')}\``;
  return {
    code: 'wrong-request',
    message: issue === undefined ? `${name} is not valid` : wordsOf(issue, name),
    help: issue?.code === 'unrecognized_keys' ? membersHelp(issue, knownMembers(issue.path)) : exampleFor(issue),
  };
}

const EXAMPLES: Readonly<Record<string, string>> = {
  answers: '{"answers": {"NAME": "value"}}',
  inputs: '{"program": "flow.dsl", "inputs": {"NAME": "value"}}',
  limits: '{"limits": {"cost": 5}}',
  program: '{"program": "flow.dsl"}',
};

function exampleFor(issue: Issue | undefined): string {
  const name = issue?.code === 'invalid_type' && issue.path.length === 1 ? String(issue.path[0]) : '';
  return Object.hasOwn(EXAMPLES, name) ? `write \`${EXAMPLES[name]}\`` : SEE;
}

function membersHelp({ keys }: Issue, known: readonly string[]): string {
  const near = nearest(String((keys as readonly string[])[0]), known);
  if (near !== undefined) return `did you mean \`${near}\`?`;
  return known.length === 0 ? SEE : `its members are ${known.map((name) => `\`${name}\``).join(', ')}`;
}

/** A zod schema, as far as its members go. */
interface MemberSchema {
  readonly shape?: Readonly<Record<string, MemberSchema>>;
  readonly unwrap?: () => MemberSchema;
}

/** The members of the object at `path` of what a schema describes. */
export function membersOf(schema: unknown, path: readonly PropertyKey[]): readonly string[] {
  const bare = (one: MemberSchema | undefined): MemberSchema | undefined =>
    one?.shape === undefined && one?.unwrap !== undefined ? bare(one.unwrap()) : one;
  const found = path.reduce((one, key) => bare(one?.shape?.[String(key)]), bare(schema as MemberSchema));
  return Object.keys(found?.shape ?? {});
}

function wordsOf(issue: Issue, name: string): string {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `${name} has no member ${(issue.keys as readonly string[]).map((key) => `\`${key}\``).join(', ')}`;
    case 'invalid_type':
      return `${name} must be ${typeName(String(issue.expected))}`;
    case 'invalid_value':
      return `${name} must be one of ${(issue.values as readonly unknown[]).map((one) => `\`${String(one)}\``).join(', ')}`;
    case 'too_small':
      return `${name} must ${sizeOf(issue, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)}`;
    case 'too_big':
      return `${name} must ${sizeOf(issue, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)}`;
    case 'custom':
    case 'invalid_union':
    case 'invalid_format':
      return `${name} ${issue.message}`;
    default:
      return `${name} is not valid`;
  }
}

function sizeOf({ origin }: Issue, bound: string, amount: unknown): string {
  return origin === 'string' ? `have ${bound} ${String(amount)} characters` : `be ${bound} ${String(amount)}`;
}

function typeName(expected: string): string {
  const names: Readonly<Record<string, string>> = {
    int: 'a whole number',
    number: 'a number',
    string: 'a text',
    object: 'an object',
    record: 'an object',
  };
  return names[expected] ?? expected;
}

/** What the framework refused. */
export function wrongBody({ status }: HTTPException): ServiceError {
  if (status === 415)
    return {
      code: 'wrong-request',
      message: 'the body of the request must be JSON',
      help: 'send it with `Content-Type: application/json`',
    };
  return { code: 'wrong-request', message: 'the body of the request is not JSON', help: SEE };
}

/** A body that is compressed would be read as if it were not. */
export function refuseEncodings(): MiddlewareHandler {
  return (c, next) => {
    const encoding = c.req.header('content-encoding')?.toLowerCase() ?? 'identity';
    if (encoding === 'identity') return next();
    return Promise.resolve(
      answerWith(c, 415, {
        code: 'wrong-request',
        message: 'the body of the request is encoded',
        help: 'send it without `Content-Encoding`',
      }),
    );
  };
}

/** For `POST`: requests that need no body may have none, and a body that is called a form is JSON, whatever the headers say. */
export function completeEmptyBodies(): MiddlewareHandler {
  return async (c, next) => {
    const { raw } = c.req;
    const isEmpty = (c.req.header('content-length') ?? '0') === '0' && c.req.header('transfer-encoding') === undefined;
    // `curl -d` calls every body a form. A page of another site can do that too, but cannot send this header unasked.
    const type = c.req.header('content-type') ?? '';
    const isUntyped = type === '' || type.startsWith('application/x-www-form-urlencoded');
    if (isUntyped && !isEmpty && c.req.header('authorization') !== undefined) {
      const headers = new Headers(raw.headers);
      headers.set('content-type', 'application/json');
      c.req.raw = new Request(raw, { headers });
    }
    if (isEmpty) {
      const headers = new Headers(raw.headers);
      headers.set('content-type', 'application/json');
      headers.set('content-length', '2');
      c.req.raw = new Request(raw.url, { method: 'POST', headers, body: '{}', signal: raw.signal });
    }
    await next();
  };
}

/**
 * For `POST`: refuses a JSON body that two readers could understand differently, or that is nested too deeply. A body that
 * is not JSON is left to the validation of its route.
 */
export function refuseAmbiguous(): MiddlewareHandler {
  return async (c, next) => {
    const problem = bodyProblem(await c.req.arrayBuffer());
    if (problem === null) return next();
    return answerWith(c, 400, { code: 'wrong-request', message: `the body of the request ${problem}`, help: SEE });
  };
}

function bodyProblem(bytes: ArrayBuffer): string | null {
  try {
    return ambiguityIn(new TextDecoder('utf-8', { fatal: true }).decode(bytes), MOST_LEVELS);
  } catch {
    return 'is not UTF-8';
  }
}

/** A route as a path with parameters in braces. */
interface Route {
  readonly method: string;
  readonly path: string;
}

/** The address that is probably meant, or those that differ from it in the last part. */
function addressHelp(method: string, address: string, known: readonly Route[]): string | null {
  const parts = address.split('/');
  const filled = known.map((route) => ({
    method: route.method,
    path: route.path
      .split('/')
      .map((part, at) => (/^\{\w+\}$/.test(part) && parts[at] !== undefined ? parts[at] : part))
      .join('/'),
  }));
  const whole = filled.find(({ path }) => path.endsWith(address) || `${path}/` === address);
  if (whole !== undefined) return `did you mean \`${whole.path}\`?`;
  const cut = address.lastIndexOf('/') + 1;
  const [folder, last] = [address.slice(0, cut), address.slice(cut)];
  const siblings = filled.filter(({ path }) => path.startsWith(folder) && !path.slice(cut).includes('/'));
  const near = nearest(
    last,
    siblings.map(({ path }) => path.slice(cut)),
  );
  if (near !== undefined) return `did you mean \`${folder}${near}\`?`;
  const same = siblings.filter((one) => one.method === method || (method === 'HEAD' && one.method === 'GET'));
  return same.length === 0 ? null : `there is ${same.map(({ path }) => `\`${method} ${path}\``).join(', ')}`;
}

/** Says which methods an address has, if there is one but not with this method. */
export function refuseAddress(routes: readonly Route[]): (c: Context) => Response {
  const known = routes.map(({ method, path }) => ({
    method: method.toUpperCase(),
    path,
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.')}$`),
  }));
  return (c) => {
    const methods = known.filter(({ pattern }) => pattern.test(c.req.path)).map(({ method }) => method);
    if (methods.length === 0)
      return answerWith(c, 404, {
        code: 'unknown',
        message: 'there is nothing at this address',
        help: addressHelp(c.req.method, c.req.path, known) ?? 'see `GET /api/v1/openapi.json`',
      });
    const allowed = [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
    c.header('Allow', allowed.join(', '));
    return answerWith(c, 405, {
      code: 'wrong-request',
      message: `\`${c.req.method}\` is not possible here`,
      help: `use ${allowed.join(' or ')}`,
    });
  };
}

/** Values are members of the body, or members of a member. */
const MOST_LEVELS = MAX_DEPTH + 2;
