/**
 * The grammar. It accepts more than the language: every part that a person may forget is optional (`may`), and `rest`
 * takes the tokens that an instruction does not expect. So every text can be parsed, mistakes never spread beyond one
 * instruction, and the builders of the tree choose the messages.
 */
import { StepParser } from '../steps/step-parser.js';
import type { Token } from '../tokens/token.js';
import * as t from '../tokens/tokens.js';
import { alternatives } from './expression-parser.js';
import { type ParsedTokens, part } from './rule-parser.js';

export class StatedslParser extends StepParser {
  parseProgram(tokens: readonly Token[]): ParsedTokens {
    return this.parse(this.program, tokens);
  }

  parseExpression(tokens: readonly Token[]): ParsedTokens {
    return this.parse(this.expression, tokens);
  }

  readonly program = this.RULE('program', () => {
    this.MANY(() => this.SUBRULE(this.line));
  });

  readonly line = this.RULE('line', () => {
    this.OPTION(this.bullet);
    this.may(0, this.oneStatement);
    this.CONSUME(t.Newline);
    this.OPTION1(this.below);
  });

  private readonly bullet = () => this.CONSUME(t.Bullet);
  private readonly oneStatement = () => this.SUBRULE(this.statement);
  private readonly below = () => this.SUBRULE(this.block);

  readonly block = this.RULE('block', () => {
    this.CONSUME(t.Indent);
    this.MANY(this.oneLine);
    this.CONSUME(t.Dedent);
  });

  private readonly oneLine = () => this.SUBRULE(this.line);

  private readonly statements = alternatives(
    () => this.SUBRULE(this.emit),
    () => this.SUBRULE(this.conditional),
    () => this.SUBRULE(this.command),
    () => this.SUBRULE(this.jump),
    () => this.SUBRULE(this.branch),
    () => this.SUBRULE(this.assignment),
    () => this.SUBRULE(this.ret),
    () => this.SUBRULE(this.said),
    () => this.SUBRULE(this.undo),
    () => this.SUBRULE(this.wait),
    ...t.bareTokens.map((type) => () => this.CONSUME(type)),
    () => this.SUBRULE(this.forEach),
    () => this.SUBRULE(this.ask),
    () => this.SUBRULE(this.toolCall),
    () => this.SUBRULE(this.heading),
    () => this.SUBRULE(this.inputLine),
    () => this.SUBRULE(this.limit),
    () => this.SUBRULE(this.toolLine),
    () => this.SUBRULE(this.keyLine),
    () => this.SUBRULE(this.titleLine),
    () => this.SUBRULE(this.imported),
    () => this.CONSUME(t.Prose),
    () => this.SUBRULE(this.performed),
    () => this.SUBRULE(this.step),
    () => this.SUBRULE(this.section),
    () => this.SUBRULE(this.contexts),
    () => this.SUBRULE(this.gates),
    () => this.SUBRULE(this.retryEntry),
  );

  readonly statement = this.RULE('statement', () => {
    this.OR(this.statements);
    this.may(0, this.remaining);
  });

  private readonly remaining = () => this.SUBRULE(this.rest);

  /** Actions after an arrow. */
  readonly actions = this.RULE('actions', () => {
    this.may(0, this.oneStatement);
    this.MANY(this.furtherAction);
  });

  private readonly furtherAction = () => {
    this.CONSUME(t.NextAction);
    this.may(1, this.laterStatement);
  };
  private readonly laterStatement = () => this.SUBRULE1(this.statement);

  private readonly unexpected = alternatives(
    () => this.CONSUME(t.Inline, part),
    () => this.CONSUME(t.UndoCall, part),
  );

  readonly rest = this.RULE('rest', () => {
    this.AT_LEAST_ONE(() => this.OR(this.unexpected));
  });

  // ---- declarations ---------------------------------------------------------------------------------

  private readonly headings = alternatives(
    () => this.CONSUME(t.Machine),
    () => this.CONSUME(t.State),
    () => this.CONSUME(t.Pattern),
  );

  private readonly headingNotes = alternatives(
    () => this.CONSUME(t.Note),
    () => this.CONSUME(t.BracketNote),
  );

  /** MACHINE, STATE and PATTERN: a name and what may follow it. */
  readonly heading = this.RULE('heading', () => {
    this.OR(this.headings);
    this.may(0, () => this.CONSUME(t.Word));
    this.OPTION(() => this.OR1(this.passed));
    this.MANY(() => this.OR2(this.headingNotes));
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

  readonly toolLine = this.RULE('toolLine', () => {
    this.CONSUME(t.Tool);
    this.may(0, () => this.CONSUME(t.Word));
  });

  readonly keyLine = this.RULE('keyLine', () => {
    this.CONSUME(t.Key);
    this.may(0, () => this.CONSUME(t.Text));
  });

  readonly titleLine = this.RULE('titleLine', () => {
    this.CONSUME(t.Title);
    this.may(0, () => this.CONSUME(t.Text));
  });

  private readonly paths = alternatives(
    () => this.CONSUME(t.Quoted),
    () => this.CONSUME(t.UnquotedPath),
  );

  readonly imported = this.RULE('imported', () => {
    this.CONSUME(t.Import);
    this.may(0, () => this.OR(this.paths));
  });

  // ---- the other instructions -----------------------------------------------------------------------

  private readonly eventParts = alternatives(
    () => this.CONSUME(t.EventWord, part),
    () => this.CONSUME(t.Assigned, part),
    () => this.CONSUME(t.Quoted, part),
    () => this.CONSUME(t.LBracket, part),
    () => this.CONSUME(t.RBracket, part),
    () => this.CONSUME(t.Comma, part),
  );

  readonly emit = this.RULE('emit', () => {
    this.CONSUME(t.Emit);
    this.MANY(this.eventPart);
  });

  private readonly eventPart = () => this.OR(this.eventParts);

  private readonly conditionals = alternatives(
    () => this.CONSUME(t.If),
    () => this.CONSUME(t.ElseIf),
  );

  private readonly arrows = alternatives(
    () => this.CONSUME(t.Arrow),
    () => this.CONSUME(t.MissingArrow),
  );

  readonly conditional = this.RULE('conditional', () => {
    this.OR(this.conditionals);
    this.may(0, this.whole);
    this.may(1, this.remaining);
    this.may(2, this.arrow);
    this.OPTION(this.actionList);
  });

  private readonly arrow = () => this.OR1(this.arrows);
  private readonly actionList = () => this.SUBRULE(this.actions);

  private readonly branches = alternatives(
    () => this.CONSUME(t.Else),
    () => this.CONSUME(t.Default),
    () => this.CONSUME(t.OnError),
  );

  readonly branch = this.RULE('branch', () => {
    this.OR(this.branches);
    this.OPTION(() => this.CONSUME(t.BranchArrow));
    this.OPTION1(() => this.SUBRULE(this.actions));
  });

  private readonly jumps = alternatives(
    () => this.CONSUME(t.Goto),
    () => this.CONSUME(t.Use),
  );

  private readonly targets = alternatives(
    () => this.CONSUME(t.Word),
    () => this.CONSUME(t.BracedTarget),
  );

  readonly jump = this.RULE('jump', () => {
    this.OR(this.jumps);
    this.may(0, () => this.OR1(this.targets));
    this.OPTION(() => this.OR2(this.passed));
    this.MANY(() => this.CONSUME(t.Note));
  });

  readonly ret = this.RULE('ret', () => {
    this.CONSUME(t.Return);
    this.OPTION(() => this.CONSUME(t.ReturnWith));
    this.OPTION1(() => this.CONSUME(t.Text));
  });

  private readonly textVerbs = alternatives(...t.textTokens.map((type) => () => this.CONSUME(type)));

  readonly said = this.RULE('said', () => {
    this.OR(this.textVerbs);
    this.may(0, () => this.CONSUME(t.SaidText));
    this.OPTION(() => this.SUBRULE(this.args));
  });

  private readonly awaited = alternatives(
    () => this.CONSUME(t.WaitDuration),
    () => this.CONSUME(t.Members),
    () => {
      this.CONSUME(t.Signal);
      this.may(1, () => this.CONSUME(t.Name));
    },
    () => this.SUBRULE(this.expression),
  );

  private readonly waitTails = alternatives(
    () => this.CONSUME(t.Timeout),
    () => this.CONSUME(t.Every),
    () => this.CONSUME(t.Note),
  );

  readonly wait = this.RULE('wait', () => {
    this.CONSUME(t.Wait);
    this.may(0, () => this.OR(this.awaited));
    this.MANY(() => this.OR1(this.waitTails));
  });

  private readonly assignments = alternatives(
    () => this.CONSUME(t.Track),
    () => this.CONSUME(t.SetVerb),
    () => this.CONSUME(t.Increment),
  );

  private readonly assigners = alternatives(
    () => this.CONSUME(t.Assign),
    () => this.CONSUME(t.PlusAssign),
    () => this.CONSUME(t.By),
  );

  /** TRACK, SET and INCREMENT. */
  readonly assignment = this.RULE('assignment', () => {
    this.OR(this.assignments);
    this.may(0, () => this.CONSUME(t.Word));
    this.OPTION(() => {
      this.OR1(this.assigners);
      this.may(1, () => this.SUBRULE(this.expression));
    });
    this.MANY(() => this.CONSUME(t.Note));
  });

  private readonly askParts = alternatives(
    () => this.CONSUME(t.Colon, part),
    () => this.CONSUME1(t.Quoted, part),
    () => this.CONSUME(t.PlainArrow, part),
    () => this.CONSUME(t.OptionKey, part),
    () => this.CONSUME(t.Assigned, part),
    () => this.CONSUME(t.LBracket, part),
    () => this.CONSUME(t.RBracket, part),
  );

  readonly ask = this.RULE('ask', () => {
    this.CONSUME(t.Ask);
    this.may(0, () => this.CONSUME(t.Quoted));
    this.MANY(() => this.OR(this.askParts));
  });
}
