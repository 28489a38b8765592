/**
 * The grammar of statedsl for editors that highlight with tree-sitter. It reads lines and their indentation, and in a line
 * verbs, names, values and texts. What a line may hold is the business of `statedsl check`, so it accepts more than that.
 * `src/scanner.c` finds what depends on more than the next characters: layout, verbs, texts of a shell and their ends.
 */
module.exports = grammar({
  name: 'statedsl',

  externals: ($) => [
    $._newline,
    $._indent,
    $._dedent,
    $.comment,
    // Verbs, by what follows them.
    $._head_verb,
    $._named_verb,
    $._transfer_verb,
    $._loop_verb,
    $._condition_verb,
    $._branch_verb,
    $._failure_verb,
    $._do_verb,
    $._call_verb,
    $._text_verb,
    $._fail_verb,
    $._wait_verb,
    $._emit_verb,
    $._limit_verb,
    $._ask_verb,
    $._import_verb,
    $._bare_verb,
    $._step_verb,
    // Sections of a STEP.
    $._context_section,
    $._prompt_section,
    $._options_section,
    $._agent_section,
    $._workflow_section,
    $._gate_section,
    $._retry_section,
    // Behind a verb: a text may begin with a colon, too.
    $._colon,
    $._timeout,
    // Separators in lists of actions.
    $._arrow,
    $._next_action,
    // What a DO performs.
    $._pipe,
    $._options_open,
    $._argv_open,
    $._binding,
    $._capture,
    $._task,
    $._parallel_head,
    // Texts, in pieces between interpolations.
    $._shell_piece,
    $._block_piece,
    $._text_piece,
    $._value_piece,
    $._double_piece,
    $._single_piece,
    $._interpolation_open,
    $.note,
    $._blank,
    $._error,
  ],

  extras: ($) => [/[ \t\r\uFEFF]/, /\\[ \t]*\r?\n/, $.comment, $._blank],
  word: ($) => $.name,

  rules: {
    program: ($) => repeat($._line),

    _line: ($) => choice($.instruction, $.step),
    instruction: ($) => seq(optional('-'), $._statement, $._newline, optional($.block)),
    block: ($) => seq($._indent, repeat1($._line), $._dedent),

    _statement: ($) => choice($._action, $._limit, $._import, $._head, $._performed),
    _action: ($) =>
      choice(
        $._named,
        $._transfer,
        $._loop,
        $._condition,
        $._branch,
        $._failure,
        $._do,
        $._call,
        $._text,
        $._fail,
        $._wait,
        $._emit,
        $._ask,
        seq(alias($._bare_verb, $.verb), optional(':')),
      ),
    actions: ($) =>
      prec.right(seq(choice($._action, $.text), repeat(seq(alias($._next_action, ','), choice($._action, $.text))))),

    _head: ($) =>
      prec.right(
        seq(
          alias($._head_verb, $.verb),
          optional(alias($._colon, ':')),
          field('declares', $._named_thing),
          repeat(choice($.arguments, $.parenthesized, $.note, $.list, ':')),
        ),
      ),
    _named_thing: ($) => choice($.name, alias($.word, $.name), $.braces, $.reference),
    _named: ($) =>
      prec.right(
        seq(
          alias($._named_verb, $.verb),
          optional(alias($._colon, ':')),
          field('binds', $._named_thing),
          repeat($._postfix),
          repeat($.note),
          optional(seq(choice('=', '+=', 'by', 'BY', 'By'), $._expression)),
        ),
      ),
    _transfer: ($) =>
      prec.right(
        seq(
          alias($._transfer_verb, $.verb),
          optional(alias($._colon, ':')),
          field('target', $._named_thing),
          repeat(choice($.arguments, $.parenthesized, $.note)),
        ),
      ),
    _loop: ($) => prec.right(seq(alias($._loop_verb, $.verb), optional(alias($._colon, ':')), $._loop_rest)),
    _loop_rest: ($) =>
      prec.right(
        seq(
          field('binds', $.name),
          alias(choice('in', 'IN', 'In'), $.operator),
          $._expression,
          choice(optional(':'), seq($.parallel, repeat($._option))),
        ),
      ),
    parallel: () => token(prec(2, /[iI][nN][ \t]+[pP][aA][rR][aA][lL][lL][eE][lL]/)),

    _condition: ($) =>
      prec.right(
        seq(
          alias($._condition_verb, $.verb),
          optional(alias($._colon, ':')),
          $._expression,
          alias($._arrow, $.arrow),
          optional($.actions),
        ),
      ),
    _branch: ($) =>
      prec.right(
        seq(
          alias($._branch_verb, $.verb),
          optional(alias($._colon, ':')),
          optional(alias($._arrow, $.arrow)),
          optional($.actions),
        ),
      ),
    _failure: ($) =>
      prec.right(
        seq(
          alias($._failure_verb, $.verb),
          optional(choice($.name, $.list)),
          optional(alias($._colon, ':')),
          optional(alias($._arrow, $.arrow)),
          optional($.actions),
        ),
      ),

    _do: ($) =>
      prec.right(
        seq(
          alias($._do_verb, $.verb),
          optional(alias($._colon, ':')),
          optional(seq(alias($._options_open, '['), repeat($._inner_option), ']', optional(alias($._colon, ':')))),
          choice($._performed, $._loop, $._call),
        ),
      ),
    _performed: ($) =>
      prec.right(
        choice(
          seq(optional(alias($._pipe, '|')), optional($._bound), optional(alias($._pipe, '|')), $._task_or_shell),
          seq(optional($._bound), $._parallel_head, alias($._parallel_head, $.parallel), repeat($._option)),
          seq($._bound, $._loop),
        ),
      ),
    _bound: ($) => seq(field('binds', alias(choice($._binding, $._capture), $.name)), '='),
    _task_or_shell: ($) => choice($.shell, $.agent_call, $.argv, alias($.shell_block, $.shell)),
    shell: ($) => prec.right(repeat1(choice($._shell_piece, $.interpolation))),
    shell_block: ($) => prec.right(seq($._block_piece, repeat(choice($._block_piece, $.interpolation)))),
    text_block: ($) => prec.right(seq($._block_piece, repeat(choice($._block_piece, $.interpolation)))),
    argv: ($) => seq(alias($._argv_open, '['), repeat(choice($._item, ',')), ']'),
    agent_call: ($) =>
      prec.right(
        seq(
          alias($._task, $.verb),
          '(',
          alias(choice($.name, $.word), $.agent),
          ')',
          repeat(choice($.string, $.arguments, seq(alias(token(/>[ \t]*/), $.operator), optional($.value)))),
          optional(seq(':', optional($.text_block))),
        ),
      ),

    _call: ($) =>
      prec.right(
        seq(
          alias($._call_verb, $.verb),
          optional(alias($._colon, ':')),
          optional(seq($.options, optional(alias($._colon, ':')))),
          optional(seq($.name, '=')),
          choice(alias($.name, $.tool), alias($.word, $.tool), $.string),
          repeat($.arguments),
          optional(seq($.arrow, repeat1(choice($.reference, $.name, $.operator, '(', ')')))),
        ),
      ),

    _text: ($) => prec.right(seq(alias($._text_verb, $.verb), optional(alias($._colon, ':')), optional($.text))),
    text: ($) => prec.right(repeat1(choice($._text_piece, $.interpolation))),
    _fail: ($) =>
      prec.right(
        seq(
          alias($._fail_verb, $.verb),
          optional(alias($._colon, ':')),
          optional(choice($.string, $.text)),
          optional($.arguments),
        ),
      ),

    _wait: ($) =>
      prec.right(
        seq(
          alias($._wait_verb, $.verb),
          optional(alias($._colon, ':')),
          repeat(choice($.operator, $._awaited, $.members, $.wait_signal, seq('every', '=', optional($.value)))),
        ),
      ),
    _awaited: ($) =>
      choice($._operand, prec.right(seq(alias($._timeout, $.operator), optional($.value), optional($.list)))),
    wait_signal: ($) => seq(token(prec(1, 'signal')), $.name),
    members: () => token(prec(2, /[Aa]ll([ \t]+[0-9]+)?([ \t]+[A-Za-z][A-Za-z0-9_]*){0,3}[ \t]+complete/)),

    _emit: ($) => prec.right(seq(alias($._emit_verb, $.verb), repeat($._option))),
    _limit: ($) => prec.right(seq(alias($._limit_verb, $.verb), repeat($._option))),
    _ask: ($) =>
      prec.right(
        seq(
          alias($._ask_verb, $.verb),
          repeat(choice($.options, $.name)),
          optional(':'),
          $.string,
          repeat(choice($.arrow, $._option)),
        ),
      ),
    _import: ($) =>
      seq(alias($._import_verb, $.verb), optional(alias($._colon, ':')), choice($.string, alias($.word, $.path))),

    // ---- steps ------------------------------------------------------------------------------------------

    step: ($) =>
      seq(
        optional('-'),
        alias($._step_verb, $.verb),
        optional(alias($._colon, ':')),
        choice($.name, alias($.word, $.name)),
        repeat($._option),
        $._newline,
        optional(alias($.step_block, $.block)),
      ),
    step_block: ($) => seq($._indent, repeat1(choice($.section, $._line)), $._dedent),
    section: ($) =>
      choice(
        seq(alias($._context_section, $.verb), optional($._entries), $._newline, optional($.entries)),
        seq(alias($._prompt_section, $.verb), optional(alias($._colon, ':')), optional($._prompt), $._newline),
        seq(alias($._options_section, $.verb), repeat($._option), $._newline, optional($.block)),
        seq(alias($._agent_section, $.verb), repeat(choice(alias('with', $.operator), $._option, $._word)), $._newline),
        seq(alias($._workflow_section, $.verb), optional($._entries), $._newline),
        seq(alias($._gate_section, $.verb), optional($._entries), $._newline, optional($.entries)),
        seq(alias($._retry_section, $.verb), optional($._entries), $._newline, optional($.entries)),
      ),
    _prompt: ($) => prec.right(choice($.string, seq(optional(alias($._pipe, '|')), $.text_block), $.text)),
    entries: ($) => seq($._indent, repeat1(seq(optional('-'), $._entries, $._newline, optional($.entries))), $._dedent),
    _entries: ($) =>
      prec.right(
        repeat1(
          choice(
            $._item,
            $._word,
            seq(alias(choice('expr', 'coverage', 'ATTEMPT', 'EXIT'), $.name), $._expression),
            seq(alias($._prompt_section, $.verb), optional(alias($._colon, ':')), optional($._prompt)),
            ',',
            ':',
            $.arrow,
          ),
        ),
      ),
    _word: ($) => $.word,

    // ---- options and arguments --------------------------------------------------------------------------

    options: ($) => seq('[', repeat($._inner_option), ']'),
    _inner_option: ($) => choice($.option, $.string, $.number, $.note, $.braces, ',', ':', '(', ')'),
    _option: ($) => choice($._inner_option, $.options),
    option: ($) => prec.right(seq(alias($.key, $.key), optional(seq('=', optional($.value))))),
    value: ($) => prec.right(choice($.string, repeat1(choice($._value_piece, $.interpolation)))),
    arguments: ($) =>
      prec.right(
        seq(alias(choice('with', 'WITH', 'With'), $.operator), $._argument, repeat(seq(optional(','), $._argument))),
      ),
    parenthesized: ($) => seq('(', optional(seq($._argument, repeat(seq(',', $._argument)))), ')'),
    _argument: ($) =>
      prec.right(seq(choice($.name, $.string), optional(seq('=', choice($._expression, alias($.dashed, $.string)))))),
    dashed: () => token(prec(1, /[A-Za-z_][A-Za-z0-9_]*-[A-Za-z][A-Za-z0-9_.:-]*/)),

    // ---- expressions ------------------------------------------------------------------------------------

    _expression: ($) => prec.right(seq(repeat($.operator), $._operand, repeat(seq(repeat1($.operator), $._operand)))),
    _operand: ($) =>
      prec.right(
        seq(
          choice($.name, $.number, $.string, $.reference, $.braces, $.list, $.group),
          repeat(choice($._postfix, $.note)),
        ),
      ),
    _postfix: ($) => choice($.field, '?', $.group, $.list, alias($.test, $.operator)),
    group: ($) => seq('(', repeat(choice($._item, ',')), ')'),
    list: ($) => seq('[', repeat(choice($._item, ',', ':')), ']'),
    braces: ($) => seq('{', repeat(choice($._item, ',', ':')), '}'),
    _item: ($) =>
      choice(
        $.name,
        $.number,
        $.string,
        $.reference,
        $.braces,
        $.list,
        $.group,
        $.field,
        '?',
        $.operator,
        alias($.test, $.operator),
        '=',
      ),
    operator: () =>
      token(
        choice(
          'AND',
          'OR',
          'NOT',
          'and',
          'or',
          'not',
          'contains',
          'in',
          'matches',
          /(not[ \t]+)(contains|in)/,
          /(starts|ends)[ \t]+with/,
          /[!=]==?/,
          /[<>]=?/,
          '<>',
          '=>',
          '=<',
          '&&',
          '||',
          '!',
          '+',
          '-',
          '*',
          '/',
          '%',
          '<|>',
          '*>',
        ),
      ),
    test: () => token(prec(1, choice(/is[ \t]+(not[ \t]+)?(empty|null|valid[ \t]+JSON)/, 'exists'))),
    field: () => /\.[ \t]*[A-Za-z_][A-Za-z0-9_]*/,
    number: () => token(prec(1, /[0-9][A-Za-z0-9_.]*([eE][+-]?[0-9]+)?/)),
    name: () => /[A-Za-z_][A-Za-z0-9_]*/,
    key: () => token(prec(1, /[A-Za-z_][A-Za-z0-9_.-]*/)),
    word: () => /[^\s(){}\[\],=+#"'→:†]+/,
    reference: () =>
      /†([A-Za-z0-9_$\u00AA-\uFFFF]+(-+[A-Za-z_$][A-Za-z0-9_$]*)*(\.([A-Za-z0-9_$\u00AA-\uFFFF]+(-+[A-Za-z_$][A-Za-z0-9_$]*)*)?|\[[0-9]+\]|\["([^"\\\r\n]|\\.)*"\])*)?/,
    string: ($) =>
      choice(
        seq('"', repeat(choice($._double_piece, $.interpolation)), token.immediate('"')),
        seq("'", repeat(choice($._single_piece, $.interpolation)), token.immediate("'")),
      ),
    interpolation: ($) => seq(alias($._interpolation_open, '{'), repeat(choice($._item, ',', ':')), '}'),
    arrow: () => choice('→', '->'),
  },
});
