/**
 * The tree of a program: plain data, with the spans that messages need. It represents what is written and not what it
 * means: names are unresolved, shell text is raw, and mistakes that the grammar accepts (a misspelt verb, `=` for `==`)
 * are reported but still have a node.
 */
import type { Span } from '../source/diagnostic.js';
import type {
  DataReference,
  Expression,
  Name,
  ReferenceGroup,
  ReferenceMistake,
  Template,
} from './expression-nodes.js';
import type { StepParts } from './step-nodes.js';
import type { bareVerbs, TextVerb } from './tokens/verbs.js';

// ---- instructions -----------------------------------------------------------------------------------

/** Raw shell text, which still contains continuation lines and the indentation of a block. */
export interface ShellText {
  /**
   * The text for the shell before interpolation: for a block, with LF line ends and without the indentation of its
   * first line; for one line, the text as written, trimmed at both ends.
   */
  readonly text: string;
  /**
   * Maps offsets of `text` to the file, one entry per line of `text`: `at` is the offset in `text` at which the line
   * starts, `source` the offset of its first character in the file.
   */
  readonly lines: readonly { readonly at: number; readonly source: number }[];
  readonly block: boolean;
  readonly span: Span;
}

/** One `key=value` of `DO [ok=0,2 timeout=30s once]:`; a bare word has no value. */
export interface Option {
  readonly key: Name;
  /** The value's text; interpolation is allowed (`env.K={v}`). */
  readonly value?: Template;
  readonly span: Span;
}

/** `a=expr`, or `a` alone, after `with`. */
export interface Argument {
  readonly name: Name;
  /** The name of a parameter that is not a word and is therefore in quotes. */
  readonly quoted?: true;
  readonly value?: ArgumentValue;
  readonly span: Span;
}

/** A bare word is text unless a variable has its name, so it differs from an expression. */
export type ArgumentValue =
  | { readonly kind: 'word'; readonly word: Name; readonly span: Span }
  | { readonly kind: 'expression'; readonly expression: Expression; readonly span: Span };

/** Instructions of a block. An action list after an arrow is a block with `inline` set. */
export interface Block {
  readonly instructions: readonly Instruction[];
  readonly inline: boolean;
  readonly span: Span;
}

interface NodeStart {
  readonly span: Span;
  /** The verb as written, for messages. */
  readonly verb: Name;
}

/** The work of a DO or CHECK. */
export type Performed =
  | { readonly kind: 'shell'; readonly shell: ShellText }
  /** `DO: ["git", "commit", {msg}]`. */
  | { readonly kind: 'argv'; readonly list: Expression; readonly span: Span }
  | {
      readonly kind: 'agent';
      readonly agent: Name;
      readonly prompt?: Template;
      readonly args: readonly Argument[];
      /** It has a `with`, but the values after it could not be parsed. */
      readonly unread?: boolean;
      /** The word after `>`: shell text of one word. */
      readonly output?: Template;
      readonly span: Span;
    };

export type Instruction =
  | (NodeStart & {
      readonly kind: 'do';
      readonly options: readonly Option[];
      readonly bind?: Name;
      /** `DO: | command`. */
      readonly piped: boolean;
      readonly performed: Performed;
      /**
       * With `bind`: the right side as an expression, if all of it can be parsed as one. Bound names decide between the
       * expression and the command, so the checker chooses.
       */
      readonly expression?: Expression;
      /** Written as a bullet (`- command`) or bare line inside PARALLEL or FOR EACH. */
      readonly style: 'verb' | 'bullet' | 'bare';
    })
  | (NodeStart & {
      readonly kind: 'check';
      readonly options: readonly Option[];
      readonly bind?: Name;
      /** Written `x=$(command)`: any text is accepted. */
      readonly capture: boolean;
      readonly piped: boolean;
      readonly performed: Performed;
    })
  | (NodeStart & {
      readonly kind: 'parallel';
      /** The name of the object that has the results of the members. */
      readonly bind?: Name;
      /** The words before `in PARALLEL`: a note. */
      readonly note?: Name;
      readonly options: readonly Option[];
      readonly members: Block;
    })
  | (NodeStart & {
      readonly kind: 'for-each';
      /** The name of the list that has the result of each turn. */
      readonly bind?: Name;
      readonly variable: Name;
      readonly list: Expression;
      readonly parallel: boolean;
      readonly options: readonly Option[];
      readonly body: Block;
      /** Written as `DO: FOR EACH …`. */
      readonly afterDo: boolean;
    })
  | (NodeStart & {
      readonly kind: 'emit';
      readonly event?: Name;
      readonly fields: readonly Field[];
      readonly message?: Template;
    })
  | (NodeStart & { readonly kind: 'if'; readonly arms: readonly Arm[]; readonly otherwise?: Otherwise })
  | (NodeStart & { readonly kind: 'default'; readonly body: Block })
  | (NodeStart & { readonly kind: 'goto'; readonly target: GotoTarget; readonly args: readonly Argument[] })
  | (NodeStart & { readonly kind: 'use'; readonly pattern: Name; readonly args: readonly Argument[] })
  /**
   * `RETURN: text`, `RETURN with x` (`value`), `RETURN with a, b=1` (`args`). `expression` is the text as an expression: it
   * is the value if its names are bound.
   */
  | (NodeStart & {
      readonly kind: 'return';
      readonly text?: Template;
      readonly expression?: Expression;
      readonly value?: Expression;
      readonly args?: readonly Argument[];
    })
  /** The instruction that undoes the DO or CALL above it. */
  | (NodeStart & { readonly kind: 'undo'; readonly by: Extract<Instruction, { kind: 'do' | 'call' }> })
  | (NodeStart & {
      readonly kind: 'wait';
      readonly for: WaitFor;
      readonly timeout?: Template;
      readonly options: readonly Option[];
      readonly body?: Block;
    })
  | (NodeStart & { readonly kind: 'track'; readonly name: Name; readonly value?: Expression })
  | (NodeStart & { readonly kind: 'increment'; readonly name: Name; readonly by?: Expression })
  | (NodeStart & {
      readonly kind: 'set';
      readonly name: Name;
      readonly operator: '=' | '+=';
      readonly value: Expression;
    })
  | (NodeStart & {
      readonly kind: 'ask';
      readonly question?: Template;
      readonly bind?: Name;
      readonly options: readonly Option[];
    })
  /** CALL of a tool, or PLAN of a file. */
  | (NodeStart & {
      readonly kind: 'call';
      readonly options: readonly Option[];
      /** The name that the result is bound to, and its side of the called tool. */
      readonly bind?: Name;
      readonly bindAfter: boolean;
      readonly called: Called;
      readonly args: readonly Argument[];
      readonly output?: OutputPath;
    })
  | (NodeStart & { readonly kind: 'on-error'; readonly errorKind?: Name; readonly body: Block })
  | (NodeStart & { readonly kind: 'step' } & StepParts)
  | TextActionNode
  | BareNode;

/** `FAIL: text with k=v`. A missing text is already reported. */
export type TextActionNode = {
  [Kind in Lowercase<TextVerb>]: NodeStart & {
    readonly kind: Kind;
    readonly text?: Template;
    readonly args: readonly Argument[];
  };
}[Lowercase<TextVerb>];

/** `broken`: a line that could not be parsed; already reported. */
type BareKind = Lowercase<(typeof bareVerbs)[number]> | 'broken';
/** An instruction that is a word alone. */
export type BareNode = { [Kind in BareKind]: NodeStart & { readonly kind: Kind } }[BareKind];

type NodeOf<Kind extends Instruction['kind']> = Extract<Instruction, { kind: Kind }>;
export type StepNode = NodeOf<'step'>;
export type CommandNode = NodeOf<'do' | 'check'>;
export type CheckNode = NodeOf<'check'>;
export type WaitNode = NodeOf<'wait'>;
export type UseNode = NodeOf<'use'>;
export type UndoNode = NodeOf<'undo'>;
export type ToolCallNode = NodeOf<'call'>;

export interface Field {
  readonly name: Name;
  readonly value: Template;
  /** Written as `[k={v}]`: left out if a value is unbound. */
  readonly optional: boolean;
  readonly span: Span;
}

export interface Arm {
  readonly condition: Expression;
  readonly body: Block;
  /** `IF` or `ELSE IF`. */
  readonly verb: Name;
  readonly span: Span;
}

export interface Otherwise {
  readonly body: Block;
  readonly verb: Name;
  readonly span: Span;
}

export type Called =
  | { readonly kind: 'tool'; readonly name: Name; readonly quoted: boolean; readonly span: Span }
  | { readonly kind: 'plan'; readonly file: Template; readonly span: Span };

/** `†state.ok || †state.failed` after the arrow of a CALL; null if it cannot be parsed. */
export interface OutputPath {
  readonly paths: DataReference | ReferenceGroup | null;
  readonly problem?: ReferenceMistake;
  /** The text as written, on one line: its offsets correspond to those of the span. */
  readonly raw: string;
  readonly span: Span;
}

export type GotoTarget =
  | { readonly kind: 'state'; readonly name: Name }
  /** `GOTO {param}`. */
  | { readonly kind: 'parameter'; readonly name: Name };

export type WaitFor =
  /** `WAIT: 5s`; the text is a duration, possibly interpolated. */
  | { readonly kind: 'duration'; readonly duration: Template; readonly span: Span }
  | { readonly kind: 'condition'; readonly condition: Expression; readonly span: Span }
  | { readonly kind: 'signal'; readonly name: Name; readonly span: Span }
  /** `WAIT: All 4 complete`; `quorum` from the note `(quorum=3)` or an option. */
  | { readonly kind: 'members'; readonly count?: number; readonly quorum?: number; readonly span: Span };

// ---- declarations -----------------------------------------------------------------------------------

export type Declaration =
  /** `joined`: the headings of a document that continue the machine of another heading. */
  | { readonly kind: 'machine'; readonly name: Name; readonly joined?: readonly Span[]; readonly span: Span }
  | {
      readonly kind: 'input';
      readonly name: Name;
      readonly value?: Expression;
      /** `(string)`, or the type that `one of` implies. */
      readonly type?: 'string' | 'number' | 'boolean' | 'list' | 'object';
      readonly choices?: readonly string[];
      readonly secret: boolean;
      readonly span: Span;
    }
  | { readonly kind: 'limit'; readonly options: readonly Option[]; readonly span: Span }
  /** Whether agents get the program as a tool of its own: `yes` or `no`. */
  | { readonly kind: 'tool'; readonly value: Name; readonly span: Span }
  /** What is the same for runs that must not be executed at the same time. */
  | { readonly kind: 'key'; readonly text: Template; readonly span: Span }
  /** What a person calls a run of the program: a text with inputs. */
  | { readonly kind: 'title'; readonly text: Template; readonly span: Span }
  | { readonly kind: 'import'; readonly path: Template; readonly span: Span }
  | {
      readonly kind: 'pattern';
      readonly name: Name;
      readonly parameters: readonly Parameter[];
      /** Set for a Markdown `*_PATTERN` heading: parameters are the unbound names of the body. */
      readonly inferred: boolean;
      readonly body: Block;
      readonly span: Span;
    }
  | { readonly kind: 'state'; readonly name: Name; readonly body: Block; readonly span: Span };

export type InputDeclaration = Extract<Declaration, { kind: 'input' }>;
export type StateDeclaration = Extract<Declaration, { kind: 'state' }>;

/** What a program consists of. */
export type ProgramItem = Declaration | Instruction;

export interface Parameter {
  readonly name: Name;
  readonly value?: ArgumentValue;
  readonly span: Span;
}

export interface Comment {
  /** The comment, including its `#`. */
  readonly text: string;
  readonly span: Span;
  /** Alone on its line, or after an instruction. */
  readonly position: 'line' | 'end';
}

/** One file. Items are in source order; instructions among them make the file a script. */
export interface Program {
  readonly file: number;
  readonly items: readonly (Declaration | Instruction)[];
  readonly comments: readonly Comment[];
  /**
   * Set for a workflow file. In the dialect `older`, keys have another form (`{steps.x.output}`), names are looked up
   * by proximity, and `state-bag.json` is written too.
   */
  readonly workflow?: 'current' | 'older';
  /** A workflow file without `inputs:`: a value that it does not read is passed in vain, and harms nothing. */
  readonly takesAny?: true;
  /** The `description` of a workflow file, and its keys without a meaning. */
  readonly documentation?: readonly { readonly key: Name; readonly text: string }[];
}
