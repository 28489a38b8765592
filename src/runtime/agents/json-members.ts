/** Looks into what programs print. Nothing about it is certain, so every access asks what it has before it. */
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

/** A number that can count or be paid. */
export function amountOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

export function countOf(value: unknown): number {
  return Math.trunc(amountOf(value) ?? 0);
}
