/** The grammar of CALL and PLAN: the tool or plan, its values, and the path of its result. */
class CallParser extends CommandParser {
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

/** The grammar of a STEP: its head, its sections, and the entries of those that are lists. */

import { CommandParser } from '../grammar/command-parser.js';
import { alternatives } from '../grammar/expression-parser.js';
import { part } from '../grammar/rule-parser.js';
import * as t from '../tokens/tokens.js';
import * as st from './step-tokens.js';

export class StepParser extends CallParser {
  readonly step = this.RULE('step', () => {
    this.CONSUME(t.Step);
    this.may(0, () => this.CONSUME(st.StepName));
    this.OPTION(() => this.SUBRULE(this.options));
  });

  private readonly sections = alternatives(
    () => this.SUBRULE(this.contextSection),
    () => this.SUBRULE(this.promptSection),
    () => this.SUBRULE(this.sessionSection),
    () => this.SUBRULE(this.agentSection),
    () => this.SUBRULE(this.workflowSection),
    () => this.SUBRULE(this.gateSection),
    () => this.SUBRULE(this.retrySection),
    () => this.SUBRULE(this.eachSection),
  );

  /** One of the sections. The builder of the tree reports misplaced ones. */
  readonly section = this.RULE('section', () => {
    this.OR(this.sections);
  });

  // ---- what an agent is given -----------------------------------------------------------------------

  readonly contextSection = this.RULE('contextSection', () => {
    this.CONSUME(st.Context);
    this.OPTION(() => this.SUBRULE(this.contexts));
  });

  private readonly contextEntries = alternatives(
    () => {
      this.CONSUME(st.ContextCall);
      this.OPTION(() => this.SUBRULE(this.args));
    },
    () => {
      this.CONSUME(st.ContextKey);
      this.may(0, () => this.CONSUME(t.Assigned));
    },
  );

  readonly contextEntry = this.RULE('contextEntry', () => {
    this.OR(this.contextEntries);
  });

  readonly contexts = this.RULE('contexts', () => {
    this.SUBRULE(this.contextEntry);
    this.MANY(() => {
      this.CONSUME(st.NextContext);
      this.may(0, () => this.SUBRULE1(this.contextEntry));
    });
  });

  readonly promptSection = this.RULE('promptSection', () => {
    this.CONSUME(st.Prompt);
    this.may(0, () => this.SUBRULE(this.promptText));
  });

  private readonly promptTexts = alternatives(
    () => this.CONSUME(t.Quoted),
    () => {
      this.CONSUME(st.Bar);
      this.may(0, () => this.CONSUME(st.TextBlock));
    },
    () => this.CONSUME1(st.TextBlock),
    () => this.CONSUME(t.TripleQuoted),
    () => this.CONSUME(st.UnquotedText),
  );

  readonly promptText = this.RULE('promptText', () => {
    this.OR(this.promptTexts);
  });

  readonly sessionSection = this.RULE('sessionSection', () => {
    this.CONSUME(st.Session);
    this.may(0, () => this.SUBRULE(this.options));
  });

  // ---- who works ------------------------------------------------------------------------------------

  private readonly agentNames = alternatives(
    () => this.CONSUME(st.AgentName),
    () => this.CONSUME(t.Quoted),
  );

  readonly agentSection = this.RULE('agentSection', () => {
    this.CONSUME(st.Agent);
    this.may(0, () => this.OR(this.agentNames));
    this.OPTION(() => {
      this.CONSUME(t.With);
      this.may(1, () => this.SUBRULE(this.options));
    });
  });

  readonly workflowSection = this.RULE('workflowSection', () => {
    this.CONSUME(st.Workflow);
    this.may(0, () => this.CONSUME(st.CallName));
    this.OPTION(() => this.SUBRULE(this.args));
  });

  readonly eachSection = this.RULE('eachSection', () => {
    this.CONSUME(st.Each);
    this.OPTION(() => this.SUBRULE(this.options));
  });

  // ---- gates ----------------------------------------------------------------------------------------

  readonly gateSection = this.RULE('gateSection', () => {
    this.CONSUME(st.Gate);
    this.OPTION(() => this.SUBRULE(this.gates));
  });

  readonly gates = this.RULE('gates', () => {
    this.SUBRULE(this.gate);
    this.MANY(() => {
      this.CONSUME(st.NextGate);
      this.may(0, () => this.SUBRULE1(this.gate));
    });
  });

  private readonly gateTexts = alternatives(
    () => this.CONSUME(t.Quoted, part),
    () => this.CONSUME(st.PlainWord, part),
  );

  private readonly laterTexts = alternatives(
    () => this.CONSUME1(t.Quoted, part),
    () => this.CONSUME1(st.PlainWord, part),
  );

  private readonly gateKinds = alternatives(
    () => {
      this.CONSUME(st.GateExpression);
      this.may(0, () => this.SUBRULE(this.expression));
    },
    () => {
      this.CONSUME(st.GateCall);
      this.may(1, () => this.CONSUME(st.CallName));
      this.OPTION1(() => this.SUBRULE(this.args));
    },
    () => {
      this.CONSUME(st.GateText);
      this.OPTION2(() => {
        this.OR1(this.gateTexts);
        this.MANY(() => {
          this.CONSUME(t.Comma);
          this.may(2, () => this.OR2(this.laterTexts));
        });
      });
    },
    () => this.CONSUME(st.GateName),
  );

  readonly gate = this.RULE('gate', () => {
    this.OR(this.gateKinds);
    this.OPTION(() => {
      this.CONSUME(st.As);
      this.may(3, () => this.CONSUME(st.Label));
    });
  });

  // ---- retries --------------------------------------------------------------------------------------

  readonly retrySection = this.RULE('retrySection', () => {
    this.CONSUME(st.Retry);
    this.OPTION(() => this.SUBRULE(this.retryEntry));
  });

  private readonly separators = alternatives(
    () => this.CONSUME(st.NextRetry, part),
    () => this.CONSUME(st.RetryArrow, part),
  );

  /** A condition, an arrow and changes. The arrow is accepted at any position, so that nothing is lost. */
  readonly retryEntry = this.RULE('retryEntry', () => {
    this.SUBRULE(this.retryPart, part);
    this.MANY(() => {
      this.OR(this.separators);
      this.OPTION(() => this.SUBRULE1(this.retryPart, part));
    });
  });

  private readonly retryValues = alternatives(
    () => this.CONSUME1(st.PlainWord),
    () => this.CONSUME(t.Quoted),
  );

  private readonly retryParts = alternatives(
    () => {
      this.CONSUME(st.RetryNumber);
      this.may(0, () => this.SUBRULE(this.expression));
    },
    () => {
      this.CONSUME(st.RetryGate);
      this.may(1, () => this.CONSUME(st.PlainWord));
    },
    () => {
      this.CONSUME(st.RetryCall);
      this.may(2, () => this.CONSUME(st.CallName));
      this.OPTION(() => this.SUBRULE(this.args));
    },
    () => {
      this.CONSUME(st.RetryPrompt);
      this.may(3, () => this.SUBRULE(this.promptText));
    },
    () => {
      this.CONSUME(st.RetryValue);
      this.may(4, () => this.OR1(this.retryValues));
    },
  );

  readonly retryPart = this.RULE('retryPart', () => {
    this.OR(this.retryParts);
  });
}
