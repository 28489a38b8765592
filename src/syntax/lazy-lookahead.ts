/**
 * Lookahead that is worked out when a production is first reached. A program uses few of the grammar's productions,
 * and working all of them out would be most of what the smallest run takes.
 */
import { type ILookaheadStrategy, LLkLookaheadStrategy } from 'chevrotain';

type Alternation = Parameters<ILookaheadStrategy['buildLookaheadForAlternation']>[0];
type Optional = Parameters<ILookaheadStrategy['buildLookaheadForOptional']>[0];
type ChooseAlternative = ReturnType<ILookaheadStrategy['buildLookaheadForAlternation']>;
type Enter = ReturnType<ILookaheadStrategy['buildLookaheadForOptional']>;

/** The usual strategy with that many tokens of lookahead, asked late. The functions it makes read the parser from `this`. */
export function lazyLookahead(maxLookahead: number): ILookaheadStrategy {
  const usual = new LLkLookaheadStrategy({ maxLookahead });
  return {
    validate: (options) => usual.validate(options),
    buildLookaheadForAlternation(options: Alternation): ChooseAlternative {
      let choose: ChooseAlternative | undefined;
      return function (this: unknown, ...alternatives) {
        choose ??= usual.buildLookaheadForAlternation({ ...options, maxLookahead });
        return choose.apply(this, alternatives);
      };
    },
    buildLookaheadForOptional(options: Optional): Enter {
      let enter: Enter | undefined;
      return function (this: unknown) {
        enter ??= usual.buildLookaheadForOptional({ ...options, maxLookahead });
        return enter.apply(this as never);
      };
    },
  };
}
