/** What a program printed, as events hold it. */

/** stdout of an effect. Up to 64 KiB inline, else in an artifact of the run. */
export interface Output {
  /** All of it, when it is valid UTF-8 (or had to be decoded to be bound). */
  readonly text?: string;
  /** All of it, when it is not valid UTF-8. */
  readonly base64?: string;
  /** File name below `artifacts/`. */
  readonly artifact?: string;
  /** The last 4 KiB of an artifact. */
  readonly tail?: string;
  readonly bytes: number;
  /** `text` was decoded from bytes that are not valid UTF-8. */
  readonly lossy?: true;
  /** The artifact has only the first 16 MiB, because an engine stores no more. */
  readonly cut?: true;
  /** It is too large for a value of a run on an engine. */
  readonly unbound?: true;
}
