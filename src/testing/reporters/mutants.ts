/** What tests notice of mistakes in a program, for people. */
import type { JudgedMutant } from '../mutation/mutate-program.js';

/** `release.dsl:31:7  `<` → `<=``. */
export function survivorLine({ file, line, column, change }: JudgedMutant): string {
  return `  ${file}:${line}:${column}  ${change}\n`;
}

export function percentNoticed(mutants: readonly JudgedMutant[]): number {
  const noticed = mutants.filter(({ killed_by }) => killed_by !== null).length;
  return mutants.length === 0 ? 100 : (noticed / mutants.length) * 100;
}

/** `least`: what `--min` asks for. */
export function mutantsSummary(mutants: readonly JudgedMutant[], least = 0): string {
  if (mutants.length === 0) return 'the programs have nothing to change\n';
  const noticed = mutants.filter(({ killed_by }) => killed_by !== null).length;
  const percent = percentNoticed(mutants);
  const few = percent < least ? `, and \`--min\` asks for ${least} %` : '';
  return `the tests notice ${noticed} of ${mutants.length} mistakes (${percent.toFixed(1)} %)${few}\n`;
}
