/**
 * How many colors a stream gets, decided once per stream from the environment. NO_COLOR wins over FORCE_COLOR, which
 * wins over the abilities that the terminal reports.
 */

/** 0: no colors, 1: 16 colors, 2: 256 colors, 3: 24-bit colors. */
export type ColorLevel = 0 | 1 | 2 | 3;

export function colorLevel(terminal: boolean, env: Readonly<Record<string, string | undefined>>): ColorLevel {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return 0;
  const forced = env.FORCE_COLOR;
  if (forced !== undefined) {
    if (forced === '0' || forced === 'false') return 0;
    if (forced === '2') return 2;
    if (forced === '3') return 3;
    return 1;
  }
  if (!terminal || env.TERM === 'dumb') return 0;
  if (env.COLORTERM === 'truecolor' || env.COLORTERM === '24bit') return 3;
  return env.TERM?.includes('256') ? 2 : 1;
}
