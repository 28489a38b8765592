/**
 * Lookahead by one token, computed when a production is first reached. One token is enough for this grammar, so the
 * first tokens of a production decide. The parser's own strategy would list all paths through the grammar, which takes
 * longer for the rules of expressions than everything else that a small program needs.
 */
import {
  Alternation,
  type ILookaheadStrategy,
  type IProduction,
  type IToken,
  LLkLookaheadStrategy,
  NonTerminal,
  Option,
  Repetition,
  RepetitionMandatory,
  RepetitionMandatoryWithSeparator,
  RepetitionWithSeparator,
  type Rule,
  Terminal,
} from 'chevrotain';

type AlternationOptions = Parameters<ILookaheadStrategy['buildLookaheadForAlternation']>[0];
type OptionalOptions = Parameters<ILookaheadStrategy['buildLookaheadForOptional']>[0];
type TokenSource = { LA(howMuch: number): IToken };

/** The first set of a production: indexes of token types, and whether it can be empty. */
interface First {
  readonly tokens: ReadonlySet<number>;
  readonly empty: boolean;
}

/** Decides by the next token which alternative of a choice applies, or whether an optional part is present. */
export interface Lookahead {
  (this: TokenSource): number | boolean | undefined;
  readonly kind: 'choice' | 'option';
  /** The alternative for each token type, by its number; -1 for none. An optional part is alternative 0. */
  readonly table: () => Int16Array;
}

export function lookahead(kind: Lookahead['kind'], make: () => Int16Array): Lookahead {
  let made: Int16Array | undefined;
  const table = (): Int16Array => {
    made ??= make();
    return made;
  };
  const choice = function (this: TokenSource): number | undefined {
    const chosen = (made ?? table())[this.LA(1).tokenTypeIdx] ?? -1;
    return chosen < 0 ? undefined : chosen;
  };
  const option = function (this: TokenSource): boolean {
    return (made ?? table())[this.LA(1).tokenTypeIdx] === 0;
  };
  return Object.assign(kind === 'choice' ? choice : option, { kind, table });
}

/** The first-token strategy. Its functions read the parser from `this`. */
export function lazyLookahead(): ILookaheadStrategy {
  const firstOf = firstSets();
  const validator = new LLkLookaheadStrategy({ maxLookahead: 1 });
  return {
    validate: (options) => validator.validate(options),
    buildLookaheadForAlternation: ({ rule, prodOccurrence }: AlternationOptions) =>
      lookahead('choice', () =>
        tableOf(find(rule, 'Alternation', prodOccurrence).definition.map(firstOf)),
      ) as ReturnType<ILookaheadStrategy['buildLookaheadForAlternation']>,
    buildLookaheadForOptional: ({ rule, prodOccurrence, prodType }: OptionalOptions) =>
      lookahead('option', () => {
        const { tokens } = sequence(find(rule, prodType, prodOccurrence).definition, firstOf);
        return tableOf([{ tokens, empty: false }]);
      }) as ReturnType<ILookaheadStrategy['buildLookaheadForOptional']>,
  };
}

/** For every token type, the first alternative that can begin with it or can be empty. */
function tableOf(firsts: readonly First[]): Int16Array {
  const size = Math.max(0, ...firsts.flatMap((f) => [...f.tokens])) + 1;
  const table = new Int16Array(size).fill(firsts.findIndex((f) => f.empty));
  firsts.forEach((first, at) => {
    for (const token of first.tokens) {
      const known = table[token] as number;
      if (known < 0 || known > at) table[token] = at;
    }
  });
  return table;
}

type WithDefinition = IProduction & { readonly definition: IProduction[]; readonly idx: number };

/** The production of a rule with that kind and occurrence number. */
function find(rule: Rule, kind: string, occurrence: number): WithDefinition {
  const search = (list: readonly IProduction[]): WithDefinition | undefined => {
    for (const production of list) {
      if (production instanceof Terminal || production instanceof NonTerminal) continue;
      const inner = production as WithDefinition;
      if (KINDS.get(kind)?.(inner) && inner.idx === occurrence) return inner;
      const found = search(inner.definition);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const found = search(rule.definition);
  if (found === undefined) throw new Error(`no ${kind} ${occurrence} in rule ${rule.name}`);
  return found;
}

const KINDS: ReadonlyMap<string, (p: IProduction) => boolean> = new Map([
  ['Alternation', (p) => p instanceof Alternation],
  ['Option', (p) => p instanceof Option],
  ['Repetition', (p) => p instanceof Repetition],
  ['RepetitionWithSeparator', (p) => p instanceof RepetitionWithSeparator],
  ['RepetitionMandatory', (p) => p instanceof RepetitionMandatory],
  ['RepetitionMandatoryWithSeparator', (p) => p instanceof RepetitionMandatoryWithSeparator],
]);

function sequence(list: readonly IProduction[], firstOf: (p: IProduction) => First): First {
  const tokens = new Set<number>();
  for (const production of list) {
    const first = firstOf(production);
    for (const token of first.tokens) tokens.add(token);
    if (!first.empty) return { tokens, empty: false };
  }
  return { tokens, empty: true };
}

/** First sets, computed once for each rule. The grammar is not left-recursive, so the walk ends. */
function firstSets(): (production: IProduction) => First {
  const rules = new Map<Rule, First>();
  const firstOf = (production: IProduction): First => {
    if (production instanceof Terminal) {
      const { tokenTypeIdx, categoryMatches } = production.terminalType;
      return { tokens: new Set([tokenTypeIdx as number, ...(categoryMatches ?? [])]), empty: false };
    }
    if (production instanceof NonTerminal) {
      const rule = production.referencedRule;
      let first = rules.get(rule);
      if (first === undefined) {
        first = sequence(rule.definition, firstOf);
        rules.set(rule, first);
      }
      return first;
    }
    const { definition } = production as WithDefinition;
    if (production instanceof Alternation) {
      const firsts = definition.map(firstOf);
      return { tokens: new Set(firsts.flatMap((f) => [...f.tokens])), empty: firsts.some((f) => f.empty) };
    }
    const inner = sequence(definition, firstOf);
    const optional =
      production instanceof Option || production instanceof Repetition || production instanceof RepetitionWithSeparator;
    return optional ? { tokens: inner.tokens, empty: true } : inner;
  };
  return firstOf;
}
