/** What requests and their handlers share. */

export interface Reply {
  readonly body?: unknown;
  /** What is done once the answer was sent. */
  readonly after?: () => void | Promise<void>;
}

export type RequestArguments = Readonly<Record<string, unknown>>;
export type Handlers = Readonly<Record<string, (given: RequestArguments) => Reply | Promise<Reply>>>;

/** A request that is not done, for a reason that a person understands. */
export class AdapterRefusal extends Error {
  constructor(
    message: string,
    /** Whether the client shows it although nobody looks at the answer. */
    readonly isShown = false,
  ) {
    super(message);
  }
}

export function textIn(given: RequestArguments, name: string): string | undefined {
  const value = given[name];
  return typeof value === 'string' ? value : undefined;
}

export function numberIn(given: RequestArguments, name: string): number | undefined {
  const value = given[name];
  return typeof value === 'number' ? value : undefined;
}

export function listIn<T>(given: RequestArguments, name: string): readonly T[] {
  const value = given[name];
  return Array.isArray(value) ? (value as T[]).filter((one) => one != null) : [];
}

/** What the members of each element of a list must be. */
const ELEMENTS: Readonly<
  Record<string, readonly [list: string, member: string, type: 'string' | 'number', what: string]>
> = {
  setBreakpoints: ['breakpoints', 'line', 'number', 'a number'],
  setFunctionBreakpoints: ['breakpoints', 'name', 'string', 'a text'],
  setDataBreakpoints: ['breakpoints', 'dataId', 'string', 'a text'],
};

/** The arguments of a request, or a refusal that says which member has another form than in the protocol. */
export function argumentsOf(command: string, given: unknown): RequestArguments {
  const known = (typeof given === 'object' && given !== null ? given : {}) as RequestArguments;
  const { source } = known;
  if (source !== undefined && (typeof source !== 'object' || source === null))
    throw new AdapterRefusal(`the \`source\` of \`${command}\` is not an object`);
  const [list, member, type, what] = (Object.hasOwn(ELEMENTS, command) ? ELEMENTS[command] : undefined) ?? [];
  if (list === undefined || member === undefined) return known;
  for (const one of listIn<RequestArguments>(known, list))
    if (typeof one[member] !== type)
      throw new AdapterRefusal(`each element of \`${list}\` needs \`${member}\`, ${what}`);
  return known;
}
