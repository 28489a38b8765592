/**
 * Lowers USE: expands the body of a pattern in place, with its arguments bound as values first. There is no call at run
 * time, because control flow in the body belongs to the caller: a GOTO leaves the caller too.
 */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { Span } from '../../source/source-file.js';
import type { Argument, Instruction } from '../../syntax/ast.js';
import type { PatternDeclaration } from '../collect.js';
import { namesBoundIn, namesReadIn } from '../pattern-names.js';
import type { Constant } from '../scope.js';
import { suggestName } from '../suggest-name.js';
import { lowerArgument } from './arguments.js';
import type { StateLowering } from './state-lowering.js';

type Use = Extract<Instruction, { kind: 'use' }>;
type Bound = readonly [string, { slot: number } | Constant];

/** Lowers a USE. Returns true if execution can continue after it. */
export function lowerUse(l: StateLowering, i: Use): boolean {
  const name = i.pattern.text;
  const pattern = l.shared.unit.patterns.get(name);
  if (pattern === undefined) {
    // A lower-case `use` is usually prose, and it is already reported as an unknown verb.
    if (i.verb.text !== 'USE') return true;
    l.diagnostics.push(
      say.unknownPattern(i.pattern.span, {
        name,
        near: suggestName(l.diagnostics, name, () => l.shared.unit.patterns.keys()),
      }),
    );
    return true;
  }
  if (l.patterns.includes(name)) {
    const path = [...l.patterns.slice(l.patterns.indexOf(name)), name];
    l.diagnostics.push(say.recursion(i.pattern.span, { path }));
    return true;
  }
  const readByDefaults = new Set<string>();
  const bound = bindArguments(l, i, pattern, readByDefaults);
  l.patterns.push(name);
  const missing = pattern.inferred ? new Map<string, Span>() : undefined;
  const scope = l.scope.push('parameters', bound, missing);
  const over: number[] = [];
  const completes = l.lowerGuarded(pattern.body, (bodyCompletes) => {
    if (bodyCompletes && pattern.body.instructions.some((b) => b.kind === 'on-error'))
      over.push(l.emitter.add({ op: 'jump', to: -1 }, i.span));
  });
  for (const jump of over) l.emitter.patch(jump);
  l.scope.pop();
  l.patterns.pop();
  if (missing !== undefined) reportMissing(l, i, missing);
  else reportUnused(l, i, pattern, new Set([...scope.read, ...readByDefaults]));
  return completes;
}

function bindArguments(l: StateLowering, i: Use, pattern: PatternDeclaration, readByDefaults: Set<string>): Bound[] {
  const given = new Map<string, Argument>();
  const known = parametersOf(l, pattern);
  for (const argument of i.args) {
    const name = argument.name.text;
    if (given.has(name)) l.diagnostics.push(say.duplicateArgument(argument.name.span, { name }));
    else if (!known.has(name)) {
      const names = [...known];
      l.diagnostics.push(
        say.unknownArgument(argument.name.span, {
          pattern: i.pattern.text,
          name,
          known: names,
          near: suggestName(l.diagnostics, name, () => names),
        }),
      );
    } else given.set(name, argument);
  }
  const bound: Bound[] = [];
  for (const argument of given.values())
    bound.push(bindOne(l, argument, { span: argument.value?.span ?? argument.span, isDefault: false }));
  const missing: string[] = [];
  // A default that names another parameter means that one, and not a value of the caller.
  const own = l.scope.push('parameters', bound);
  for (const parameter of pattern.parameters) {
    if (given.has(parameter.name.text)) continue;
    if (parameter.value === undefined) {
      missing.push(parameter.name.text);
      bound.push([parameter.name.text, { constant: null }]);
    } else bound.push(bindOne(l, { ...parameter, span: i.span }, { span: i.pattern.span, isDefault: true }));
    own.names.set(...(bound.at(-1) as Bound));
  }
  l.scope.pop();
  for (const name of own.read) readByDefaults.add(name);
  if (missing.length > 0)
    l.diagnostics.push(say.missingArgument(i.pattern.span, { pattern: i.pattern.text, names: missing }));
  return bound;
}

/** Constants need no slot: each use of the parameter becomes the constant. */
function bindOne(l: StateLowering, { name, value, span }: Argument, given: Constant['given']): Bound {
  const expr = lowerArgument(l, name, value);
  if (expr.op === 'const')
    return [name.text, { constant: expr.value, ...omitUndefined({ printed: expr.printed }), given }];
  const slot = l.scope.hiddenSlot(`$${name.text}`);
  l.emitter.add({ op: 'set', to: { in: 'local', slot }, name: name.text, value: expr }, span);
  return [name.text, { slot }];
}

/**
 * The declared parameters. A pattern that declares none takes what its body reads and does not bind itself, even if an
 * input or a tracked variable has the same name: an argument is nearer than those.
 */
function parametersOf(l: StateLowering, pattern: PatternDeclaration): ReadonlySet<string> {
  if (pattern.parameters.length > 0) return new Set(pattern.parameters.map((p) => p.name.text));
  const { symbols, sources } = l.shared;
  const read = namesReadIn(pattern.body, sources[pattern.span.file]?.text ?? '');
  const bound = namesBoundIn(pattern.body, symbols.resultNames);
  return new Set([...read].filter((name) => !bound.has(name)));
}

/**
 * A pattern of a Markdown heading has the names that its body reads as parameters, so an unbound name there is a
 * missing argument.
 */
function reportMissing(l: StateLowering, i: Use, missing: ReadonlyMap<string, Span>): void {
  if (missing.size === 0) return;
  const labels = [...missing].map(([name, span]) => ({ span, text: `\`${name}\` is read here` }));
  l.diagnostics.push(
    say.missingArgument(i.pattern.span, { pattern: i.pattern.text, names: [...missing.keys()], labels }),
  );
}

function reportUnused(l: StateLowering, i: Use, pattern: PatternDeclaration, read: ReadonlySet<string>): void {
  for (const parameter of pattern.parameters) {
    const name = parameter.name.text;
    if (read.has(name)) continue;
    const argument = i.args.find((a) => a.name.text === name);
    l.diagnostics.push(say.unusedArgument((argument ?? parameter).name.span, { pattern: i.pattern.text, name }));
  }
}
