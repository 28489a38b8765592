/** Parsers for the values of flags. Each returns a value or says what the value must be. */
import { InvalidArgumentError } from 'commander';
import { parseByteCount } from '../../machine/byte-count.js';
import { parseDuration } from '../../machine/duration.js';
import { NO_ENGINE } from '../running/configured-engine.js';

export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/** `a,b`: names that are parts of the names of services. */
export function collectNames(value: string, before: string[] = []): string[] {
  return [...new Set([...before, ...value.split(',').map(oneName)])];
}

export function oneName(value: string): string {
  if (/^[A-Za-z][\w-]*$/.test(value)) return value;
  throw new InvalidArgumentError('It must begin with a letter and have letters, digits, `_` and `-`.');
}

export function collectPairs(value: string, before: Record<string, string> = {}): Record<string, string> {
  const equals = value.indexOf('=');
  if (equals < 1 || equals === value.length - 1) throw new InvalidArgumentError('Write it as name=agent.');
  const name = value.slice(0, equals);
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError(`${name} is given twice.`);
  return { ...before, [name]: value.slice(equals + 1) };
}

export function wholeNumber(value: string): number {
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= 1 && number <= Number.MAX_SAFE_INTEGER))
    throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return number;
}

export function wholeOrNone(value: string): number {
  if (!/^\d+$/.test(value)) throw new InvalidArgumentError('It must be a whole number of at least 0.');
  return /^0+$/.test(value) ? 0 : wholeNumber(value);
}

export function duration(value: string): number {
  const ms = parseDuration(value);
  if (ms === null) throw new InvalidArgumentError('A duration is a number with a unit: 500ms, 30s, 10m, 2h or 1d.');
  if (ms <= 0) throw new InvalidArgumentError('It must be longer than 0.');
  return ms;
}

export function durationOrNever(value: string): number | 'never' {
  if (value === 'never') return 'never';
  // 0s is allowed here: it suspends the run at once.
  return /^0+(ms|s|m|h|d)$/.test(value) ? 0 : duration(value);
}

export function onOff(value: string): boolean {
  if (value !== 'on' && value !== 'off') throw new InvalidArgumentError('It must be on or off.');
  return value === 'on';
}

export function dollars(value: string): number {
  const number = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
  if (!(number > 0)) throw new InvalidArgumentError('It must be an amount above 0, such as 5.00.');
  return number;
}

export function tokens(value: string): number {
  const match = /^(\d+(?:\.\d+)?)([kM]?)$/.exec(value);
  const number = match === null ? Number.NaN : Number(match[1]) * ({ k: 1e3, M: 1e6 }[match[2] as string] ?? 1);
  if (!(Number.isSafeInteger(number) && number >= 1))
    throw new InvalidArgumentError('It must be a whole number of at least 1, such as 500k or 2M.');
  return number;
}

export function bytes(value: string): number {
  const number = parseByteCount(value);
  if (number === null) throw new InvalidArgumentError('It must be a number of bytes, such as 500MiB or 2GiB.');
  return number;
}

/** `7700`, `127.0.0.1:7700`, `[::1]:0`; port 0 is any free one. */
export function listenAddress(value: string): { readonly host: string; readonly port: number } {
  const [, bracketed, name, digits = ''] = /^(?:(?:\[([0-9a-f:.]+)\]|([\w.-]+)):)?(\d{1,5})$/i.exec(value) ?? [];
  const port = Number(digits);
  if (digits === '' || port > 65_535)
    throw new InvalidArgumentError('It must be a port, or an address and a port such as 127.0.0.1:7700.');
  return { host: bracketed ?? name ?? '127.0.0.1', port };
}

export function portNumber(value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN;
  if (!(port <= 65_535)) throw new InvalidArgumentError('It must be a port: a number from 0 to 65535.');
  return port;
}

/** The address of an engine, or `none` instead of the one that the configuration names. */
export function engineUrl(value: string): string {
  return value === NO_ENGINE ? NO_ENGINE : serverUrl(value);
}

/** The address of a server, without a slash at its end. */
export function serverUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new InvalidArgumentError('It must be an address such as http://127.0.0.1:8080.');
  return value.replace(/\/+$/, '');
}
