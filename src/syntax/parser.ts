/**
 * The grammar, and nothing else. It accepts more than the language: every part that a person may forget is
 * optional here (`may`), and `rest` takes what an instruction does not understand. So no text fails to parse,
 * mistakes never spread beyond one instruction, and what is said about them is decided where the tree is built.
 */
import type { CstNode, CstParser, IToken } from 'chevrotain';
import { ExpressionParser, part } from './expression-parser.js';
import * as t from './tokens.js';

class StatedslParser extends ExpressionParser {
  constructor(validate: boolean) {
    super(validate);
    this.performSelfAnalysis();
  }

  readonly program = this.RULE('program', () => {
    this.MANY(() => this.SUBRULE(this.line));
  });

  readonly line = this.RULE('line', () => {
    this.OPTION(() => this.CONSUME(t.Bullet));
    this.may(0, () => this.SUBRULE(this.statement));
    this.CONSUME(t.Newline);
    this.OPTION1(() => this.SUBRULE(this.block));
  });

  readonly block = this.RULE('block', () => {
    this.CONSUME(t.Indent);
    this.MANY(() => this.SUBRULE(this.line));
    this.CONSUME(t.Dedent);
  });

  readonly statement = this.RULE('statement', () => {
    this.OR([
      { ALT: () => this.SUBRULE(this.emit) },
      { ALT: () => this.SUBRULE(this.conditional) },
      { ALT: () => this.SUBRULE(this.command) },
      { ALT: () => this.SUBRULE(this.jump) },
      { ALT: () => this.SUBRULE(this.branch) },
      { ALT: () => this.SUBRULE(this.assignment) },
      { ALT: () => this.SUBRULE(this.ret) },
      { ALT: () => this.SUBRULE(this.wait) },
      { ALT: () => this.CONSUME(t.Proceed) },
      { ALT: () => this.SUBRULE(this.forEach) },
      { ALT: () => this.SUBRULE(this.ask) },
      { ALT: () => this.SUBRULE(this.heading) },
      { ALT: () => this.SUBRULE(this.inputLine) },
      { ALT: () => this.SUBRULE(this.limit) },
      { ALT: () => this.SUBRULE(this.imported) },
      { ALT: () => this.CONSUME(t.Prose) },
      { ALT: () => this.SUBRULE(this.performed) },
    ]);
    this.may(0, () => this.SUBRULE(this.rest));
  });

  /** Actions after an arrow. */
  readonly actions = this.RULE('actions', () => {
    this.may(0, () => this.SUBRULE(this.statement));
    this.MANY(() => {
      this.CONSUME(t.NextAction);
      this.may(1, () => this.SUBRULE1(this.statement));
    });
  });

  readonly rest = this.RULE('rest', () => {
    this.AT_LEAST_ONE(() => this.CONSUME(t.Inline, part));
  });

  // ---- declarations ---------------------------------------------------------------------------------

  /** MACHINE, STATE and PATTERN: a name and what may follow it. */
  readonly heading = this.RULE('heading', () => {
    this.OR([
      { ALT: () => this.CONSUME(t.Machine) },
      { ALT: () => this.CONSUME(t.State) },
      { ALT: () => this.CONSUME(t.Pattern) },
    ]);
    this.may(0, () => this.CONSUME(t.Word));
    this.OPTION(() => this.SUBRULE(this.args));
    this.MANY(() => this.OR1([{ ALT: () => this.CONSUME(t.Note) }, { ALT: () => this.CONSUME(t.BracketNote) }]));
  });

  readonly inputLine = this.RULE('inputLine', () => {
    this.CONSUME(t.Input);
    this.may(0, () => this.CONSUME(t.Word));
    this.OPTION(() => {
      this.CONSUME(t.Assign);
      this.may(1, () => this.SUBRULE(this.expression));
    });
    this.MANY(() => this.CONSUME(t.Note));
  });

  readonly limit = this.RULE('limit', () => {
    this.CONSUME(t.Limit);
    this.may(0, () => this.SUBRULE(this.options));
  });

  readonly imported = this.RULE('imported', () => {
    this.CONSUME(t.Import);
    this.may(0, () => this.OR([{ ALT: () => this.CONSUME(t.Quoted) }, { ALT: () => this.CONSUME(t.UnquotedPath) }]));
  });

  // ---- commands -------------------------------------------------------------------------------------

  readonly command = this.RULE('command', () => {
    this.OR([{ ALT: () => this.CONSUME(t.Do) }, { ALT: () => this.CONSUME(t.Check) }]);
    this.OPTION(() => {
      this.CONSUME(t.OptionsOpen);
      this.OPTION1(() => this.SUBRULE(this.options));
      this.may(0, () => this.CONSUME(t.OptionsClose));
      this.may(1, () => this.CONSUME(t.HeaderColon));
    });
    this.may(2, () =>
      this.OR1([
        { ALT: () => this.SUBRULE(this.parallel) },
        { ALT: () => this.SUBRULE(this.forEach) },
        { ALT: () => this.SUBRULE(this.performed) },
      ]),
    );
  });

  readonly parallel = this.RULE('parallel', () => {
    this.CONSUME(t.ParallelHead);
    this.OPTION(() => this.SUBRULE(this.options));
  });

  readonly performed = this.RULE('performed', () => {
    this.OR([
      {
        ALT: () => {
          this.CONSUME(t.Pipe);
          this.OPTION(() => this.SUBRULE(this.binding));
          this.may(0, () => this.SUBRULE(this.task));
        },
      },
      {
        ALT: () => {
          this.SUBRULE1(this.binding);
          this.OPTION1(() => this.CONSUME1(t.Pipe));
          this.may(1, () => this.SUBRULE1(this.task));
        },
      },
      { ALT: () => this.SUBRULE2(this.task) },
    ]);
  });

  readonly binding = this.RULE('binding', () => {
    this.OR([{ ALT: () => this.CONSUME(t.Bind) }, { ALT: () => this.CONSUME(t.Capture) }]);
  });

  readonly task = this.RULE('task', () => {
    this.OR([
      { ALT: () => this.CONSUME(t.Shell) },
      { ALT: () => this.CONSUME(t.ShellBlock) },
      { ALT: () => this.SUBRULE(this.agent) },
      { ALT: () => this.SUBRULE(this.argv) },
    ]);
  });

  readonly agent = this.RULE('agent', () => {
    this.CONSUME(t.AgentCall);
    this.OPTION(() => this.CONSUME(t.Quoted));
    this.OPTION1(() => this.SUBRULE(this.args));
    this.OPTION2(() => {
      this.CONSUME(t.Redirect);
      this.may(0, () => this.CONSUME(t.Target));
    });
  });

  readonly argv = this.RULE('argv', () => {
    this.CONSUME(t.ArgvOpen);
    this.OPTION(() => this.SUBRULE(this.items));
    this.may(0, () => this.CONSUME(t.RBracket));
  });

  readonly forEach = this.RULE('forEach', () => {
    this.OR([{ ALT: () => this.CONSUME(t.ForEach) }, { ALT: () => this.CONSUME(t.DoForEach) }]);
    this.may(0, () => this.CONSUME(t.Word));
    this.may(1, () => this.CONSUME(t.Relation));
    this.may(2, () => this.SUBRULE(this.expression));
    this.OPTION(() => {
      this.CONSUME(t.InParallel);
      this.OPTION1(() => this.SUBRULE(this.options));
    });
    this.MANY(() => this.CONSUME(t.Note));
    this.OPTION2(() => this.CONSUME(t.Colon));
  });

  /** `key=value` and bare keys, with the brackets, notes and colons that may stand around them. */
  readonly options = this.RULE('options', () => {
    this.AT_LEAST_ONE(() =>
      this.OR([
        { ALT: () => this.CONSUME(t.OptionKey, part) },
        { ALT: () => this.CONSUME(t.Assigned, part) },
        { ALT: () => this.CONSUME(t.LBracket, part) },
        { ALT: () => this.CONSUME(t.RBracket, part) },
        { ALT: () => this.CONSUME(t.Note, part) },
        { ALT: () => this.CONSUME(t.Comma, part) },
        { ALT: () => this.CONSUME(t.Colon, part) },
      ]),
    );
  });

  // ---- the other instructions -----------------------------------------------------------------------

  readonly emit = this.RULE('emit', () => {
    this.CONSUME(t.Emit);
    this.MANY(() =>
      this.OR([
        { ALT: () => this.CONSUME(t.EventWord, part) },
        { ALT: () => this.CONSUME(t.Assigned, part) },
        { ALT: () => this.CONSUME(t.Quoted, part) },
        { ALT: () => this.CONSUME(t.LBracket, part) },
        { ALT: () => this.CONSUME(t.RBracket, part) },
        { ALT: () => this.CONSUME(t.Comma, part) },
      ]),
    );
  });

  readonly conditional = this.RULE('conditional', () => {
    this.OR([{ ALT: () => this.CONSUME(t.If) }, { ALT: () => this.CONSUME(t.ElseIf) }]);
    this.may(0, () => this.SUBRULE(this.expression));
    this.may(1, () => this.SUBRULE(this.rest));
    this.may(2, () => this.OR1([{ ALT: () => this.CONSUME(t.Arrow) }, { ALT: () => this.CONSUME(t.MissingArrow) }]));
    this.OPTION(() => this.SUBRULE(this.actions));
  });

  readonly branch = this.RULE('branch', () => {
    this.OR([
      { ALT: () => this.CONSUME(t.Else) },
      { ALT: () => this.CONSUME(t.Default) },
      { ALT: () => this.CONSUME(t.OnError) },
    ]);
    this.OPTION(() => this.CONSUME(t.BranchArrow));
    this.OPTION1(() => this.SUBRULE(this.actions));
  });

  readonly jump = this.RULE('jump', () => {
    this.OR([{ ALT: () => this.CONSUME(t.Goto) }, { ALT: () => this.CONSUME(t.Use) }]);
    this.may(0, () => this.OR1([{ ALT: () => this.CONSUME(t.Word) }, { ALT: () => this.CONSUME(t.BracedTarget) }]));
    this.OPTION(() => this.SUBRULE(this.args));
    this.MANY(() => this.CONSUME(t.Note));
  });

  readonly ret = this.RULE('ret', () => {
    this.CONSUME(t.Return);
    this.OPTION(() => this.CONSUME(t.ReturnWith));
    this.OPTION1(() => this.CONSUME(t.Text));
  });

  readonly wait = this.RULE('wait', () => {
    this.CONSUME(t.Wait);
    this.may(0, () =>
      this.OR([
        { ALT: () => this.CONSUME(t.WaitDuration) },
        { ALT: () => this.CONSUME(t.Members) },
        {
          ALT: () => {
            this.CONSUME(t.Signal);
            this.may(1, () => this.CONSUME(t.Name));
          },
        },
        { ALT: () => this.SUBRULE(this.expression) },
      ]),
    );
    this.MANY(() =>
      this.OR1([
        { ALT: () => this.CONSUME(t.Timeout) },
        { ALT: () => this.CONSUME(t.Every) },
        { ALT: () => this.CONSUME(t.Note) },
      ]),
    );
  });

  /** TRACK, SET and INCREMENT. */
  readonly assignment = this.RULE('assignment', () => {
    this.OR([
      { ALT: () => this.CONSUME(t.Track) },
      { ALT: () => this.CONSUME(t.SetVerb) },
      { ALT: () => this.CONSUME(t.Increment) },
    ]);
    this.may(0, () => this.CONSUME(t.Word));
    this.OPTION(() => {
      this.OR1([
        { ALT: () => this.CONSUME(t.Assign) },
        { ALT: () => this.CONSUME(t.PlusAssign) },
        { ALT: () => this.CONSUME(t.By) },
      ]);
      this.may(1, () => this.SUBRULE(this.expression));
    });
    this.MANY(() => this.CONSUME(t.Note));
  });

  readonly ask = this.RULE('ask', () => {
    this.CONSUME(t.Ask);
    this.may(0, () => this.CONSUME(t.Quoted));
    this.MANY(() =>
      this.OR([
        { ALT: () => this.CONSUME(t.PlainArrow, part) },
        { ALT: () => this.CONSUME(t.OptionKey, part) },
        { ALT: () => this.CONSUME(t.Assigned, part) },
        { ALT: () => this.CONSUME(t.LBracket, part) },
        { ALT: () => this.CONSUME(t.RBracket, part) },
      ]),
    );
  });

  /** `with a, b=value`: arguments and parameters. */
  readonly args = this.RULE('args', () => {
    this.CONSUME(t.With);
    this.may(0, () => this.SUBRULE(this.arg));
    this.MANY(() => {
      this.CONSUME(t.Comma);
      this.may(1, () => this.SUBRULE1(this.arg));
    });
  });

  readonly arg = this.RULE('arg', () => {
    this.CONSUME(t.Name);
    this.OPTION(() => {
      this.CONSUME(t.Assign);
      this.may(0, () => this.SUBRULE(this.expression));
    });
  });
}

let shared: StatedslParser | undefined;

/** The parser. Made once, since making it costs more than parsing a program. */
function parser(): StatedslParser {
  shared ??= new StatedslParser(false);
  return shared;
}

/** A parser whose grammar has been validated, for tests and for printing the grammar. */
export function validatedParser(): CstParser {
  return new StatedslParser(true);
}

/** A concrete tree; `stuck` is the token the grammar had no place for, which never is where it is complete. */
export interface ParsedTokens {
  readonly tree: CstNode | undefined;
  readonly stuck?: IToken;
}

/** The concrete tree of a whole program. */
export function parseTokens(tokens: IToken[]): ParsedTokens {
  const p = parser();
  p.input = tokens;
  const tree = p.program();
  const stuck = p.errors[0]?.token;
  p.input = [];
  return { tree, ...(stuck === undefined ? {} : { stuck }) };
}

/** The concrete tree of one expression, and how many tokens it took. */
export function parseExpressionTokens(tokens: IToken[]): { tree: CstNode | undefined; complete: boolean } {
  const p = parser();
  p.input = tokens;
  const tree = p.expression();
  const complete = p.errors.length === 0;
  p.input = [];
  return { tree, complete };
}
