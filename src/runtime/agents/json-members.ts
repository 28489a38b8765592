/** Reads members of JSON that programs print. Its form is not certain, so every access checks the type. */
import type { JsonLine } from './programs/adapter.js';

export function isJsonObject(value: unknown): value is JsonLine {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

export function objectOf(value: unknown): JsonLine {
  return isJsonObject(value) ? value : {};
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A finite number of at least 0. */
export function amountOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

export function countOf(value: unknown): number {
  return Math.trunc(amountOf(value) ?? 0);
}
