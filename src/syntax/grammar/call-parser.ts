/** The grammar of CALL and PLAN: the tool or plan, its values, and the path of its result. */

import * as t from '../tokens/tokens.js';
import { CommandParser } from './command-parser.js';
import { alternatives } from './expression-parser.js';

export class CallParser extends CommandParser {
  private readonly callVerbs = alternatives(
    () => this.CONSUME(t.Call),
    () => this.CONSUME(t.Plan),
  );

  private readonly called = alternatives(
    () => this.CONSUME(t.ToolName),
    () => this.CONSUME(t.CalledText),
  );

  private readonly parameters = alternatives(
    () => this.CONSUME(t.Name),
    () => this.CONSUME(t.Quoted),
  );

  /** `with a, "first name"=value`: parameters of tools are JSON names, which may be any text. */
  readonly callArgs = this.RULE('callArgs', () => {
    this.CONSUME(t.With);
    this.may(0, () => this.SUBRULE(this.callArg));
    this.MANY(() => {
      this.CONSUME(t.Comma);
      this.may(1, () => this.SUBRULE1(this.callArg));
    });
  });

  readonly callArg = this.RULE('callArg', () => {
    this.OR(this.parameters);
    this.OPTION(() => {
      this.CONSUME(t.Assign);
      this.may(0, () => this.OR1(this.argValues));
    });
  });

  private readonly results = alternatives(
    () => this.CONSUME(t.OutputPath),
    () => this.CONSUME(t.Name),
  );

  readonly toolCall = this.RULE('toolCall', () => {
    this.OR(this.callVerbs);
    this.OPTION(() => {
      this.CONSUME(t.OptionsOpen);
      this.OPTION1(() => this.SUBRULE(this.options));
      this.may(0, () => this.CONSUME(t.CallOptionsClose));
      this.may(1, () => this.CONSUME(t.HeaderColon));
    });
    this.OPTION2(() => this.CONSUME(t.CallBind));
    this.may(2, () => this.OR1(this.called));
    this.OPTION3(() => this.SUBRULE(this.callArgs));
    this.OPTION4(() => {
      this.CONSUME(t.PlainArrow);
      this.may(3, () => this.OR2(this.results));
    });
  });

  private readonly undone = alternatives(
    () => this.SUBRULE(this.toolCall),
    () => this.SUBRULE(this.performed),
  );

  /** UNDO: the work of a DO, or a CALL. */
  readonly undo = this.RULE('undo', () => {
    this.CONSUME(t.Undo);
    this.OPTION(() => {
      this.CONSUME(t.OptionsOpen);
      this.OPTION1(() => this.SUBRULE(this.options));
      this.may(0, () => this.CONSUME(t.OptionsClose));
      this.may(1, () => this.CONSUME(t.HeaderColon));
    });
    this.may(2, () => this.OR(this.undone));
  });
}
