/** Looks into what programs print. Nothing about it is certain, so every access asks what it has before it. */
import type { Told } from './programs/adapter.js';

export function isTold(value: unknown): value is Told {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

export function toldObject(value: unknown): Told {
  return isTold(value) ? value : {};
}

export function toldText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function toldList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A number that can count or be paid. */
export function toldAmount(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

export function toldCount(value: unknown): number {
  return Math.trunc(toldAmount(value) ?? 0);
}
