/** The grammar of instructions with effects: DO and CHECK with their options and bindings, PARALLEL and FOR EACH. */
import { DashedWord } from '../steps/step-tokens.js';
import * as t from '../tokens/tokens.js';
import { alternatives, ExpressionParser } from './expression-parser.js';
import { part } from './rule-parser.js';

export class CommandParser extends ExpressionParser {
  private readonly commands = alternatives(
    () => this.CONSUME(t.Do),
    () => this.CONSUME(t.Check),
  );

  private readonly commanded = alternatives(
    () => this.SUBRULE(this.parallel),
    () => this.SUBRULE(this.forEach),
    () => this.SUBRULE(this.performed),
  );

  readonly command = this.RULE('command', () => {
    this.OR(this.commands);
    this.OPTION(() => {
      this.CONSUME(t.OptionsOpen);
      this.OPTION1(() => this.SUBRULE(this.options));
      this.may(0, () => this.CONSUME(t.OptionsClose));
      this.may(1, () => this.CONSUME(t.HeaderColon));
    });
    this.may(2, () => this.OR1(this.commanded));
  });

  readonly parallel = this.RULE('parallel', () => {
    this.CONSUME(t.ParallelHead);
    this.OPTION(() => this.SUBRULE(this.options));
  });

  private readonly performances = alternatives(
    () => {
      this.CONSUME(t.Pipe);
      this.OPTION(() => this.SUBRULE(this.binding));
      this.may(0, () => this.SUBRULE(this.task));
    },
    () => {
      this.SUBRULE1(this.binding);
      this.OPTION1(() => this.CONSUME1(t.Pipe));
      this.may(1, () => this.OR2(this.boundWork));
    },
    () => this.SUBRULE2(this.task),
  );

  /** What a name can be bound to. */
  private readonly boundWork = alternatives(
    () => this.SUBRULE1(this.task),
    () => this.SUBRULE1(this.parallel),
    () => this.SUBRULE1(this.forEach),
  );

  readonly performed = this.RULE('performed', () => {
    this.OR(this.performances);
  });

  private readonly bindings = alternatives(
    () => this.CONSUME(t.Bind),
    () => this.CONSUME(t.Capture),
  );

  readonly binding = this.RULE('binding', () => {
    this.OR(this.bindings);
  });

  private readonly tasks = alternatives(
    () => this.CONSUME(t.Shell),
    () => this.CONSUME(t.ShellBlock),
    () => this.SUBRULE(this.agent),
    () => this.SUBRULE(this.argv),
  );

  readonly task = this.RULE('task', () => {
    this.OR(this.tasks);
  });

  private readonly prompts = alternatives(
    () => this.CONSUME(t.Quoted),
    () => this.CONSUME(t.TripleQuoted),
  );

  private readonly promptsBelow = alternatives(
    () => this.CONSUME(t.PromptBlock),
    () => this.CONSUME1(t.TripleQuoted),
  );

  readonly agent = this.RULE('agent', () => {
    this.CONSUME(t.AgentCall);
    this.OPTION(() => this.OR(this.prompts));
    this.OPTION1(() => this.SUBRULE(this.args));
    this.OPTION2(() => {
      this.CONSUME(t.Redirect);
      this.may(0, () => this.CONSUME(t.Target));
    });
    this.OPTION3(() => {
      this.CONSUME(t.PromptColon);
      this.OR1(this.promptsBelow);
    });
  });

  readonly argv = this.RULE('argv', () => {
    this.CONSUME(t.ArgvOpen);
    this.OPTION(() => this.SUBRULE(this.items));
    this.may(0, () => this.CONSUME(t.RBracket));
  });

  private readonly loops = alternatives(
    () => this.CONSUME(t.ForEach),
    () => this.CONSUME(t.DoForEach),
  );

  readonly forEach = this.RULE('forEach', () => {
    this.OR(this.loops);
    this.may(0, () => this.CONSUME(t.Word));
    this.may(1, () => this.CONSUME(t.Relation));
    this.may(2, () => this.SUBRULE(this.expression));
    this.OPTION(() => {
      this.CONSUME(t.InParallel);
      this.OPTION1(() => this.SUBRULE(this.options));
    });
    this.OPTION2(() => {
      this.CONSUME(t.LoopOptions);
      this.SUBRULE1(this.options);
    });
    this.MANY(() => this.CONSUME(t.Note));
    this.OPTION3(() => this.CONSUME(t.Colon));
  });

  private readonly optionParts = alternatives(
    () => this.CONSUME(t.OptionKey, part),
    () => this.CONSUME(t.Assigned, part),
    () => this.CONSUME(t.LBracket, part),
    () => this.CONSUME(t.RBracket, part),
    () => this.CONSUME(t.Note, part),
    () => this.CONSUME(t.Comma, part),
    () => this.CONSUME(t.Colon, part),
  );

  /** `key=value` and bare keys, with the brackets, notes and colons that may be around them. */
  readonly options = this.RULE('options', () => {
    this.AT_LEAST_ONE(() => this.OR(this.optionParts));
  });

  /** `with a, b=value`: arguments and parameters. */
  readonly args = this.RULE('args', () => {
    this.CONSUME(t.With);
    this.may(0, this.oneArgument);
    this.MANY(this.furtherArgument);
  });

  /** `(a, b=value)` after the name of a pattern, as other languages write it; the formatter writes `with`. */
  readonly parenthesized = this.RULE('parenthesized', () => {
    this.CONSUME(t.PassOpen);
    this.OPTION(this.oneArgument);
    this.MANY(this.furtherArgument);
    this.may(2, () => this.CONSUME(t.RParen));
  });

  protected readonly passed = alternatives(
    () => this.SUBRULE(this.args),
    () => this.SUBRULE(this.parenthesized),
  );

  private readonly oneArgument = () => this.SUBRULE(this.arg);
  private readonly commas = alternatives(
    () => this.CONSUME(t.Comma),
    () => this.CONSUME(t.MissingComma),
  );
  private readonly furtherArgument = () => {
    this.OR(this.commas);
    this.may(1, this.laterArgument);
  };
  private readonly laterArgument = () => this.SUBRULE1(this.arg);

  protected readonly argValues = alternatives(
    () => this.SUBRULE(this.expression),
    () => this.CONSUME(DashedWord),
  );

  readonly arg = this.RULE('arg', () => {
    this.CONSUME(t.Name);
    this.OPTION(() => {
      this.CONSUME(t.Assign);
      this.may(0, () => this.OR(this.argValues));
    });
  });
}
