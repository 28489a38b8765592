/** The same members, which can be set: for an object under construction. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };
