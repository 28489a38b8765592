/** Ends a switch over a union: a member without a case is an error when compiling, and a bug of ours when running. */
export function unreachable(value: never): never {
  throw new Error(`unexpected ${JSON.stringify(value)}`);
}
