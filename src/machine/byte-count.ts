/** Amounts of bytes as people write them: `1GiB`, `256MiB`, `64k`, `1000`. Units of 1024 have an `i`. */

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  k: 1e3,
  kb: 1e3,
  kib: 1024,
  m: 1e6,
  mb: 1e6,
  mib: 1024 ** 2,
  g: 1e9,
  gb: 1e9,
  gib: 1024 ** 3,
  t: 1e12,
  tb: 1e12,
  tib: 1024 ** 4,
};

/** Null if the text is not an amount of at least one byte. */
export function parseByteCount(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?) ?([A-Za-z]*)$/.exec(text);
  const unit = UNITS[match?.[2]?.toLowerCase() ?? ''];
  if (match === null || unit === undefined) return null;
  const bytes = Math.round(Number(match[1]) * unit);
  return Number.isSafeInteger(bytes) && bytes >= 1 ? bytes : null;
}

/** The same amount in the largest unit that needs no fraction. */
export function byteCount(bytes: number): string {
  for (const unit of ['TiB', 'GiB', 'MiB', 'KiB', 'TB', 'GB', 'MB', 'kB']) {
    const size = UNITS[unit.toLowerCase()] as number;
    if (bytes >= size && bytes % size === 0) return `${bytes / size} ${unit}`;
  }
  return `${bytes} bytes`;
}
