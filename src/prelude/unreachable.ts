/** Ends every `switch` over a union: the compiler accepts the call only when no member of the union is left. */

/** @throws {Error} always, naming the value: it is reached only when data disagrees with its type. */
export function unreachable(value: never): never {
  throw new Error(`unexpected ${JSON.stringify(value)}`);
}
