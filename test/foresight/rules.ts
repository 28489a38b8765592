/** Compiles rules of a test and judges them. */

import type { VerifyOptions } from '../../src/lab/foresight/explore-options.js';
import type { Property } from '../../src/lab/foresight/properties.js';
import { verify } from '../../src/lab/foresight/verify-machine.js';
import { checkProperties } from '../../src/lab/testing/check-suite.js';
import { compileProperties } from '../../src/lab/testing/compile-properties.js';
import { factsOf } from '../../src/lab/testing/machine-facts.js';
import { sourceFile } from '../../src/language/source/diagnostic.js';
import { parseTests } from '../../src/language/syntax/tests/parse-tests.js';
import type { Machine } from '../../src/machine/machine.js';
import { OPTIONS } from './programs.js';

/** Each rule in a property of its own, with these assumptions. */
export function propertiesOf(
  machine: Machine,
  rules: readonly string[],
  assumptions: readonly string[] = [],
): readonly Property[] {
  const text = rules.map((rule, at) =>
    [`PROPERTY: ${at}`, ...assumptions.map((one) => `ASSUME: ${one}`), rule].join('\n  '),
  );
  const source = sourceFile('p.test.dsl', `${text.join('\n')}\n`);
  const { tree, diagnostics } = parseTests(source, 0);
  const { properties, diagnostics: wrong } = compileProperties(tree.properties, machine, 0);
  const checked = checkProperties(tree.properties, { machine, facts: factsOf(machine), sources: [source] });
  const problems = [...diagnostics, ...wrong, ...checked].map(({ message }) => message);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return properties;
}

export function verdictsOf(
  machine: Machine,
  rules: readonly string[],
  options: Partial<VerifyOptions> = {},
  assumptions: readonly string[] = [],
): string[] {
  const properties = propertiesOf(machine, rules, assumptions);
  return verify(machine, { ...OPTIONS, ...options, properties }).properties.map(({ verdict }) => verdict);
}
