/** What JavaScript functions return, as JSON: commands of a program and modules of tools alike. */
import { randomUUID } from 'node:crypto';

export interface FunctionResult {
  readonly text: string;
  /** It has a BigInt, which is a whole number with all its digits. */
  readonly hasBigInt: boolean;
}

/** Null: JSON cannot represent the value, for example because it contains itself, a NaN or an infinity. */
export function functionResult(result: unknown): FunctionResult | null {
  try {
    const text = JSON.stringify(result) as string | undefined;
    if (text === undefined || (text.includes('null') && isNotFinite(result))) return null;
    return { text, hasBigInt: false };
  } catch {
    return withBigInts(result);
  }
}

/** JSON would turn a number that is not finite into null. */
function isNotFinite(result: unknown): boolean {
  let found = false;
  JSON.stringify(result, (_, one: unknown) => {
    if (typeof one === 'number' && !Number.isFinite(one)) found = true;
    return one;
  });
  return found;
}

function withBigInts(result: unknown): FunctionResult | null {
  // No text of the value begins with it.
  const mark = randomUUID();
  let isWrong = false;
  try {
    const text = JSON.stringify(result, (_, one: unknown) => {
      if (typeof one === 'number' && !Number.isFinite(one)) isWrong = true;
      return typeof one === 'bigint' ? `${mark}${one}` : one;
    });
    return isWrong ? null : { text: text.replace(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1'), hasBigInt: true };
  } catch {
    return null;
  }
}
