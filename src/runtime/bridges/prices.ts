/**
 * What models cost, in US dollars for a million tokens, as their services listed it on 2026-10-10. The configuration wins.
 * Models with a price of their own for long prompts are left out: a cost that is too low is worse than none.
 */

export interface Price {
  readonly in: number;
  readonly out: number;
  readonly cache_read?: number;
  readonly cache_write?: number;
}

/** By the beginnings of names; the longest one counts. A model that is not here has an unknown cost. */
const PRICES: Readonly<Record<string, Price>> = {
  'gpt-5': { in: 1.25, out: 10, cache_read: 0.125 },
  'gpt-5-codex': { in: 1.25, out: 10, cache_read: 0.125 },
  'gpt-5-mini': { in: 0.25, out: 2, cache_read: 0.025 },
  'gpt-5-nano': { in: 0.05, out: 0.4, cache_read: 0.005 },
  'gpt-5.1': { in: 1.25, out: 10, cache_read: 0.125 },
  'gpt-5.1-codex': { in: 1.25, out: 10, cache_read: 0.125 },
  'gpt-5.1-codex-mini': { in: 0.25, out: 2, cache_read: 0.025 },
  'gpt-5.2': { in: 1.75, out: 14, cache_read: 0.175 },
  'gpt-5.2-codex': { in: 1.75, out: 14, cache_read: 0.175 },
  'gpt-5.3-codex': { in: 1.75, out: 14, cache_read: 0.175 },
  'gpt-5.4-mini': { in: 0.75, out: 4.5, cache_read: 0.075 },
  'gpt-5.4-nano': { in: 0.2, out: 1.25, cache_read: 0.02 },
  'gpt-4.1': { in: 2, out: 8, cache_read: 0.5 },
  'gpt-4.1-mini': { in: 0.4, out: 1.6, cache_read: 0.1 },
  'gpt-4.1-nano': { in: 0.1, out: 0.4, cache_read: 0.025 },
  'gpt-4o': { in: 2.5, out: 10, cache_read: 1.25 },
  'gpt-4o-mini': { in: 0.15, out: 0.6, cache_read: 0.075 },
  o3: { in: 2, out: 8, cache_read: 0.5 },
  'o4-mini': { in: 1.1, out: 4.4, cache_read: 0.275 },
  'claude-fable-5': { in: 10, out: 50, cache_read: 1, cache_write: 12.5 },
  'claude-opus-5-5': { in: 4, out: 20, cache_read: 0.2, cache_write: 5 },
  'claude-opus-5': { in: 5, out: 25, cache_read: 0.5, cache_write: 6.25 },
  'claude-opus-4-8': { in: 5, out: 25, cache_read: 0.5, cache_write: 6.25 },
  'claude-opus-4-7': { in: 5, out: 25, cache_read: 0.5, cache_write: 6.25 },
  'claude-opus-4-6': { in: 5, out: 25, cache_read: 0.5, cache_write: 6.25 },
  'claude-opus-4-5': { in: 5, out: 25, cache_read: 0.5, cache_write: 6.25 },
  'claude-sonnet-5': { in: 2, out: 10, cache_read: 0.2, cache_write: 2.5 },
  'claude-sonnet-4-6': { in: 3, out: 15, cache_read: 0.3, cache_write: 3.75 },
  'claude-sonnet-4-5': { in: 3, out: 15, cache_read: 0.3, cache_write: 3.75 },
  'claude-haiku-4-5': { in: 1, out: 5, cache_read: 0.1, cache_write: 1.25 },
  'gemini-2.5-flash': { in: 0.3, out: 2.5, cache_read: 0.03 },
  'gemini-2.5-flash-lite': { in: 0.1, out: 0.4, cache_read: 0.01 },
};

/** After the name: a date, or `latest`. Another word is another model, whose price is not known. */
const VERSION = /^(?:[-@](?:\d{8}|\d{4}-\d\d-\d\d|latest))?$/;

export function priceOf(model: string): Price | null {
  const name = Object.keys(PRICES)
    .sort((a, b) => b.length - a.length)
    .find((one) => model.startsWith(one) && VERSION.test(model.slice(one.length)));
  return name === undefined ? null : (PRICES[name] as Price);
}

const MILLION = 1_000_000;

/** US dollars. Where a service does not list a price for its cache, that of other input counts. */
export function costOf(
  price: Price | null,
  tokens: { readonly in: number; readonly out: number; readonly cache_read: number; readonly cache_write: number },
): number | null {
  if (price === null) return null;
  const { cache_read = price.in, cache_write = price.in } = price;
  const sum =
    tokens.in * price.in + tokens.out * price.out + tokens.cache_read * cache_read + tokens.cache_write * cache_write;
  return sum / MILLION;
}
