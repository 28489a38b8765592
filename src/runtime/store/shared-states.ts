/**
 * Small states that several processes change, such as the limits of accounts: one for each name, in a folder that they share.
 * Each change is a file with the next number, which only one process can create. So no process ever holds a lock that it could
 * leave behind, and a process that is killed leaves the state before or after its change.
 */
import { createHash } from 'node:crypto';
import { linkSync, readdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, readOwn } from './own-file.js';
import { errorCode, reasonOf } from './store-error.js';

/** The form of the files. A process that does not know it leaves them alone. */
const VERSION = 1;
const NAME = /^([0-9a-f]{24})\.([1-9]\d{0,14})$/;
/** How often a change is tried again because another process was faster. */
const MOST_TRIES = 1000;

interface StoredState<T> {
  readonly state: T | null;
  /** Why the file cannot be used; null if it can. It then counts as no state. */
  readonly problem: string | null;
  /** Whether another version has written it, which needs it. */
  readonly isForeign?: true;
}

interface Numbered<T> extends StoredState<T> {
  /** 0: there is no file. */
  readonly number: number;
}

const keyOf = (account: string): string => createHash('sha256').update(account).digest('hex').slice(0, 24);

export class SharedStates<T extends { readonly account: string }> {
  /** `kind`: what the states are, as in `breaker`. `decode`: null if a stored value is not one. */
  constructor(
    readonly folder: string,
    private readonly kind: string,
    private readonly decode: (value: unknown) => T | null,
  ) {}

  read(account: string): StoredState<T> {
    const { state, problem } = this.newest(keyOf(account));
    const isOther = state !== null && state.account !== account;
    return isOther ? { state: null, problem: `it belongs to the account \`${state.account}\`` } : { state, problem };
  }

  /** All that are stored, and the names of files that cannot be used. */
  list(): { readonly states: readonly T[]; readonly problems: readonly string[] } {
    const keys = new Set(this.names().flatMap((name) => NAME.exec(name)?.[1] ?? []));
    const stored = [...keys].map((key) => ({ key, ...this.newest(key) }));
    return {
      states: stored.flatMap(({ state }) => state ?? []).sort((a, b) => (a.account < b.account ? -1 : 1)),
      problems: stored.flatMap(({ key, problem }) =>
        problem === null ? [] : [`the file of a ${this.kind}, \`${join(this.folder, key)}.*\`, is ignored: ${problem}`],
      ),
    };
  }

  /**
   * Replaces the state by what `change` makes of it; null removes it. Returns the new state. Throws the system's error if
   * nothing can be written.
   */
  change(account: string, change: (state: T | null) => T | null): T | null {
    const key = keyOf(account);
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const before = this.newest(key);
      if (before.isForeign) throw new Error(before.problem ?? '');
      const state = before.state?.account === account ? before.state : null;
      const next = change(state);
      if (next === state && before.problem === null) return next;
      if (next === null) {
        this.remove(key, Number.POSITIVE_INFINITY);
        return null;
      }
      if (!this.write(key, before.number + 1, next)) continue;
      // A slow process may create a number whose file was already removed: the highest number counts.
      if (this.numbers(key)[0] !== before.number + 1) continue;
      this.remove(key, before.number);
      return next;
    }
    throw new Error('other processes change it all the time');
  }

  /** Removes a state, whatever its files contain. */
  clear(account: string): void {
    this.remove(keyOf(account), Number.POSITIVE_INFINITY);
  }

  /** Removes the files that cannot be used. */
  clearUnusable(): void {
    for (const name of this.names()) {
      const key = NAME.exec(name)?.[1];
      if (key !== undefined && this.newest(key).problem !== null) this.remove(key, Number.POSITIVE_INFINITY);
    }
  }

  private newest(key: string): Numbered<T> {
    for (const number of this.numbers(key)) {
      const found = this.readNumber(key, number);
      if (found !== null) return { ...found, number };
    }
    return { state: null, problem: null, number: 0 };
  }

  /** Null: another process has replaced it meanwhile. */
  private readNumber(key: string, number: number): StoredState<T> | null {
    let text: string;
    try {
      text = readOwn(join(this.folder, `${key}.${number}`)).toString('utf8');
    } catch (cause) {
      return errorCode(cause) === 'ENOENT' ? null : { state: null, problem: reasonOf(cause) };
    }
    try {
      const value = JSON.parse(text) as Readonly<Record<string, unknown>> | null;
      const version = value?.[`statedsl_${this.kind}`];
      if (typeof version === 'number' && version !== VERSION)
        return { state: null, problem: `another version of statedsl wrote it (form ${version})`, isForeign: true };
      const state = version === VERSION ? this.decode(value) : null;
      return { state, problem: state === null ? `its content is not that of a ${this.kind}` : null };
    } catch {
      return { state: null, problem: 'its content is not JSON' };
    }
  }

  /** False: another process has created the file. */
  private write(key: string, number: number, state: T): boolean {
    makeFolder(this.folder, 0o700);
    const path = join(this.folder, `${key}.${number}`);
    const draft = join(this.folder, `.${key}.${process.pid}.${process.hrtime.bigint()}`);
    try {
      writeFileSync(draft, `${JSON.stringify({ [`statedsl_${this.kind}`]: VERSION, ...state })}\n`, {
        mode: 0o600,
        flag: 'wx',
      });
      linkSync(draft, path);
      return true;
    } catch (cause) {
      if (errorCode(cause) === 'EEXIST') return false;
      throw cause;
    } finally {
      rmSync(draft, { force: true });
    }
  }

  /** Removes the files up to a number. */
  private remove(key: string, upTo: number): void {
    for (const number of this.numbers(key)) {
      if (number > upTo) continue;
      try {
        unlinkSync(join(this.folder, `${key}.${number}`));
      } catch (cause) {
        if (errorCode(cause) !== 'ENOENT') throw cause;
      }
    }
  }

  /** The numbers of the files of a state, the newest first. */
  private numbers(key: string): number[] {
    const own = this.names().flatMap((name) => {
      const [, of, number] = NAME.exec(name) ?? [];
      return of === key ? Number(number) : [];
    });
    return own.sort((a, b) => b - a);
  }

  private names(): string[] {
    try {
      return readdirSync(this.folder);
    } catch {
      return [];
    }
  }
}
