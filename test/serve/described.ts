/** Holds answers against the OpenAPI document of the service: each one must be described there. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'vitest';

interface Given {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly status: number;
  /** The content type, without parameters. */
  readonly type: string;
  readonly json: unknown;
}

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, object>> }>>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const pointerPart = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

/** A check for the answers of a service with this document. */
export function describedBy(document: Readonly<Record<string, unknown>>): (given: Given) => void {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addSchema(document, 'api');
  const validators = new Map<string, ValidateFunction>();
  const paths = Object.entries(document.paths as Paths).map(([path, operations]) => ({
    path,
    operations,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }));
  return ({ method, path, status, type, json }) => {
    const pathname = path.replace(/\?.*$/, '');
    const found = paths.find(({ pattern }) => pattern.test(pathname));
    const operation = found?.operations[method === 'HEAD' ? 'get' : method.toLowerCase()];
    // What is refused before it comes to a route, and what is no part of the API.
    if (found === undefined || operation === undefined) return;
    const answer = String(status);
    expect(Object.keys(operation.responses), `${method} ${found.path}`).toContain(answer);
    const { content = {} } = operation.responses[answer] ?? {};
    const place = `${method} ${found.path} ${status}`;
    if (status === 304 || status === 204) return;
    expect(Object.keys(content), `the type of ${place}`).toContain(type);
    if (type !== 'application/json') return;
    const pointer = ['paths', found.path, method.toLowerCase(), 'responses', answer, 'content', type, 'schema'];
    const reference = `api#/${pointer.map(pointerPart).join('/')}`;
    const validate = validators.get(reference) ?? ajv.compile({ $ref: reference });
    validators.set(reference, validate);
    expect(validate(json), `${place} is not as described: ${ajv.errorsText(validate.errors)}`).toBe(true);
  };
}
