/** Lines of this language with a mistake, each in a program that is right without it. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are programs
import { expect, test } from 'vitest';
import { GATES, HANDLERS, INSTRUCTIONS, MARGIN, RETRIES, STEP, said } from './said.js';

test('conditions', () => {
  const lines = [
    'IF: → GOTO: B',
    'IF: () → GOTO: B',
    'IF: (n > 1 → GOTO: B',
    'IF: n > 1) → GOTO: B',
    'IF: n > → GOTO: B',
    'IF: > 1 → GOTO: B',
    'IF: n == 1 == 2 → GOTO: B',
    'IF: n < 1 < 2 → GOTO: B',
    'IF: n = 1 → GOTO: B',
    'IF: n => 1 → GOTO: B',
    'IF: n =< 1 → GOTO: B',
    'IF: n <> 1 → GOTO: B',
    'IF: n === 1 → GOTO: B',
    'IF: n is 1 → GOTO: B',
    'IF: n is not 1 → GOTO: B',
    'IF: text valid → GOTO: B',
    'IF: text like "a" → GOTO: B',
    'IF: text "a" → GOTO: B',
    'IF: n x=1 → GOTO: B',
    'IF: text contain "a" → GOTO: B',
    'IF: text contains → GOTO: B',
    'IF: text NOT "a" → GOTO: B',
    'IF: NOT → GOTO: B',
    'IF: n AND → GOTO: B',
    'IF: n == 1 AND text → GOTO: B',
    'IF: AND n == 1 → GOTO: B',
    'IF: n == 1 OR OR n == 2 → GOTO: B',
    'IF: text == a → GOTO: B',
    'IF: text == "a → GOTO: B',
    'IF: text == “a” → GOTO: B',
    'IF: text == a b → GOTO: B',
    'IF: text == ready-now → GOTO: B',
    'IF: text == {r → GOTO: B',
    'IF: text == "{len(items}" → GOTO: B',
    'IF: $n > 1 → GOTO: B',
    'IF: n > 1, GOTO: B',
    'IF: n > 1 GOTO: B',
    'IF: n > 1',
    'IF: n > 1:',
    'IF n > 1 → GOTO: B',
    'IF: n > 1 →',
    'IF: n > 1 → → GOTO: B',
    'IF: items[ == 1 → GOTO: B',
    'IF: items[0 == 1 → GOTO: B',
    'IF: items[] == 1 → GOTO: B',
    'IF: items[1,2] == 1 → GOTO: B',
    'IF: items.0 == 1 → GOTO: B',
    'IF: items. == 1 → GOTO: B',
    'IF: items.len > 1 → GOTO: B',
    'IF: items.length() > 1 → GOTO: B',
    'IF: text[0] == "a" → GOTO: B',
    'IF: n.x == 1 → GOTO: B',
    'IF: len() > 1 → GOTO: B',
    'IF: len(items, 1) > 1 → GOTO: B',
    'IF: len(items > 1 → GOTO: B',
    'IF: lenn(items) > 1 → GOTO: B',
    'IF: replace(text, "a") == "b" → GOTO: B',
    'IF: slice(items) == [] → GOTO: B',
    'IF: range(1, 2, 3, 4) == [] → GOTO: B',
    'IF: exit_code(n) == 0 → GOTO: B',
    'IF: exit_code(r) == "0" → GOTO: B',
    'IF: exit_code == 0 → GOTO: B',
    'IF: r.exit_code == 0 → GOTO: B',
    'IF: unknown == 1 → GOTO: B',
    'IF: itemz == [] → GOTO: B',
    'IF: n == true → GOTO: B',
    'IF: n == "1" → GOTO: B',
    'IF: text > 1 → GOTO: B',
    'IF: items == "a" → GOTO: B',
    'IF: n in text → GOTO: B',
    'IF: text matches "[" → GOTO: B',
    'IF: text matches n → GOTO: B',
    'IF: n → GOTO: B',
    'IF: text → GOTO: B',
    'IF: n + 1 → GOTO: B',
    'IF: -n → GOTO: B',
    'IF: 1 → GOTO: B',
    'IF: "a" → GOTO: B',
    'IF: n == 1.2.3 → GOTO: B',
    'IF: n == 1_000 → GOTO: B',
    'IF: n == 0x10 → GOTO: B',
    'IF: n == .5 → GOTO: B',
    'IF: n == 5m → GOTO: B',
    'IF: n == ∞ → GOTO: B',
    'IF: n ≥ 1 → GOTO: B',
    'IF: n ≠ 1 → GOTO: B',
    'IF: n ! 1 → GOTO: B',
    'IF: n @ 1 → GOTO: B',
    'IF: n ? 1 : 2 → GOTO: B',
    'IF: n ?? 1 → GOTO: B',
    'IF: unknown exists → GOTO: B',
    'IF: [1, 2 == items → GOTO: B',
    'IF: [1 2] == items → GOTO: B',
    'IF: {"a": 1} == text → GOTO: B',
    'IF: n == 1 → GOTO: C',
    'IF: n == 1 → GOTO',
    'IF: n == 1 → GOTO: b',
    'IF: n == 1 → GOTO: B with',
    'IF: n == 1 → GOTO: B with q=1, q=2',
    'IF: n == 1 → GOTO: B with 1',
    'IF: n == 1 → GOTO: B with x=',
    'IF: n == 1 → GOTO: B, RETURN',
    'IF: n == 1 → FOO: x',
    'IF: n == 1 → "text"',
    'ELSE → GOTO: B',
    'ELSE: GOTO: B',
    'DEFAULT: GOTO B',
    'DEFAULT',
  ];
  expect(lines.map((line) => said(INSTRUCTIONS, line)).join('\n')).toMatchInlineSnapshot(`
    "IF: → GOTO: B
      missing-part: a condition is missing after \`IF\` · write for example \`IF: count > 3 → PROCEED\`
    IF: () → GOTO: B
      missing-part: a value is missing after \`(\` · write a value there, or remove \`(\`
    IF: (n > 1 → GOTO: B
      unclosed-bracket: \`(\` is never closed · close it with \`)\`
      → IF: (n > 1) → GOTO: B
    IF: n > 1) → GOTO: B
      unexpected-text: \`)\` is unexpected here · remove it, or open the bracket it closes
    IF: n > → GOTO: B
      missing-part: a value is missing after \`>\` · write a value there, or remove \`>\`
    IF: > 1 → GOTO: B
      unexpected-text: \`>\` is unexpected here · a comparison needs a value on both sides
    IF: n == 1 == 2 → GOTO: B
      compares-unlike: \`==\` compares \`n == 1\`, which is a boolean, with a number · compare values of one type: \`int(x)\` is a number, and \`string(x)\` a text
      chained-comparison: comparisons cannot be chained · compare twice and join the two with \`AND\`
    IF: n < 1 < 2 → GOTO: B
      chained-comparison: comparisons cannot be chained · write \`IF: n < 1 AND 1 < 2 → GOTO: B\`
      → IF: n < 1 AND 1 < 2 → GOTO: B
    IF: n = 1 → GOTO: B
      operator-spelling: \`=\` is not an operator here · write \`==\`
      → IF: n == 1 → GOTO: B
    IF: n => 1 → GOTO: B
      operator-spelling: \`=>\` is not an operator here · write \`>=\`
      → IF: n >= 1 → GOTO: B
    IF: n =< 1 → GOTO: B
      operator-spelling: \`=<\` is not an operator here · write \`<=\`
      → IF: n <= 1 → GOTO: B
    IF: n <> 1 → GOTO: B
      operator-spelling: \`<>\` is not an operator here · write \`!=\`
      → IF: n != 1 → GOTO: B
    IF: n === 1 → GOTO: B
      operator-spelling: \`===\` is not an operator here · write \`==\`
      → IF: n == 1 → GOTO: B
    IF: n is 1 → GOTO: B
      unexpected-text: \`is\` is unexpected here · write \`IF: n == 1 → GOTO: B\`
      → IF: n == 1 → GOTO: B
    IF: n is not 1 → GOTO: B
      unexpected-text: \`is\` is unexpected here · write \`IF: n != 1 → GOTO: B\`
      → IF: n != 1 → GOTO: B
    IF: text valid → GOTO: B
      unexpected-text: \`valid\` is unexpected here · write \`is valid JSON\`
    IF: text like "a" → GOTO: B
      unexpected-text: \`like\` is unexpected here · write \`IF: text contains "a" → GOTO: B\`
      → IF: text contains "a" → GOTO: B
    IF: text "a" → GOTO: B
      unexpected-text: \`"a"\` is unexpected here · put an operator such as \`==\` before the text
    IF: n x=1 → GOTO: B
      unexpected-text: \`x\` is unexpected here · separate the values with commas: write one before \`x\`
    IF: text contain "a" → GOTO: B
      unexpected-text: \`contain\` is unexpected here · join conditions with \`AND\` or \`OR\`, or quote the words if they are a text
    IF: text contains → GOTO: B
      missing-part: a value is missing after \`contains\` · write a value there, or remove \`contains\`
    IF: text NOT "a" → GOTO: B
      unexpected-text: \`NOT\` is unexpected here · remove it, or quote it if it belongs to a text
    IF: NOT → GOTO: B
      missing-part: a value is missing after \`NOT\` · write a value there, or remove \`NOT\`
    IF: n AND → GOTO: B
      missing-part: a value is missing after \`AND\` · write a value there, or remove \`AND\`
    IF: n == 1 AND text → GOTO: B
      wrong-type: a condition is true or false, and \`text\` is text · write a comparison, such as \`text is not empty\`
    IF: AND n == 1 → GOTO: B
      unexpected-text: \`AND\` is unexpected here · remove it, or quote it if it belongs to a text
    IF: n == 1 OR OR n == 2 → GOTO: B
      missing-part: a value is missing after \`OR\` · write a value there, or remove \`OR\`
    IF: text == a → GOTO: B
      unknown-name: nothing binds \`a\` in state \`A\` · write \`"a"\` for the text
      → IF: text == "a" → GOTO: B
    IF: text == "a → GOTO: B
      unclosed-quote: the quoted text does not end on this line · close it with \`"\`
      → IF: text == "a" → GOTO: B
    IF: text == “a” → GOTO: B
      bad-character: this line has curly quotes instead of straight ones · write \`"\` and \`'\`
      → IF: text == "a" → GOTO: B
    IF: text == a b → GOTO: B
      unknown-name: nothing binds \`a\` in state \`A\` · write \`"a"\` for the text
      → IF: text == "a" b → GOTO: B
    IF: text == ready-now → GOTO: B
      unknown-name: nothing binds \`ready\` in state \`A\`: \`-\` subtracts, and is not part of a name · write \`"ready-now"\` for the text
      → IF: text == "ready-now" → GOTO: B
    IF: text == {r → GOTO: B
      compares-unlike: \`==\` compares \`text\`, which is text, with an object · compare one of its fields, as in \`x.name\`
      unclosed-bracket: \`{\` is never closed · close it with \`}\`
      missing-part: a value is missing after \`r\` · write for example \`r: 1\`
      → IF: text == {r} → GOTO: B
    IF: text == "{len(items}" → GOTO: B
      ambiguous-braces: a bracket in \`{len(items}\` is not closed · write \`{len(items)}\` for the value
    IF: $n > 1 → GOTO: B
      bad-character: names have no \`$\` here: \`n\` · write \`IF: n > 1 → GOTO: B\`
      → IF: n > 1 → GOTO: B
    IF: n > 1, GOTO: B
      unexpected-text: there is no arrow between the condition and its action · write \`IF: n > 1 → GOTO: B\`
      → IF: n > 1 → GOTO: B
    IF: n > 1 GOTO: B
      missing-arrow: there is no arrow between the condition and its action · write \`IF: n > 1 → GOTO: B\`
      → IF: n > 1 → GOTO: B
    IF: n > 1
      missing-arrow: the condition of \`IF\` is not followed by an arrow · write \`→\` (or \`->\`) between the condition and its actions
      → IF: n > 1 →
    IF: n > 1:
      missing-arrow: the condition of \`IF\` is not followed by an arrow · write \`→\` (or \`->\`) between the condition and its actions
      → IF: n > 1 →
    IF n > 1 → GOTO: B
      missing-colon: \`IF\` is not followed by a colon · write \`IF:\`
      → IF: n > 1 → GOTO: B
    IF: n > 1 →
      missing-part: an action is missing after \`→\` · write for example \`IF: … → GOTO NEXT\`
    IF: n > 1 → → GOTO: B
      unknown-verb: an arrow stands only behind a condition · write \`GOTO: B\`
      → IF: n > 1 → GOTO: B
    IF: items[ == 1 → GOTO: B
      unclosed-bracket: \`[\` is never closed · close it with \`]\`
      missing-part: an index is missing after \`[\` · write an index there, or remove \`[\`
      → IF: items[ == 1] → GOTO: B
    IF: items[0 == 1 → GOTO: B
      unclosed-bracket: \`[\` is never closed · close it with \`]\`
      wrong-type: a list has elements by their numbers, and this is a boolean · take an element, as in \`items[0]\`, or go through them with FOR EACH
      → IF: items[0 == 1] → GOTO: B
    IF: items[] == 1 → GOTO: B
      missing-part: an index is missing after \`[\` · write an index there, or remove \`[\`
    IF: items[1,2] == 1 → GOTO: B
      unexpected-text: \`,\` is unexpected here · remove it, or quote it if it belongs to a text
    IF: items.0 == 1 → GOTO: B
      bad-character: the character \`.\` has no meaning here · remove it, or put the text in quotes
    IF: items. == 1 → GOTO: B
      compares-unlike: \`==\` compares \`items\`, which is a list, with a number · compare an element, as in \`x[0]\`, or \`len(x)\`, or use \`contains\`
      bad-character: the character \`.\` has no meaning here · remove it, or put the text in quotes
    IF: items.len > 1 → GOTO: B
      no-fields: \`items\` is a list, which has no field \`len\` · write \`len(items)\`
    IF: items.length() > 1 → GOTO: B
      unexpected-text: \`(\` is unexpected here · write \`IF: len(items) > 1 → GOTO: B\`
      → IF: len(items) > 1 → GOTO: B
    IF: text[0] == "a" → GOTO: B
      wrong-type: only a list and an object have elements, and \`text\` is text · write \`slice(text, 0, 1)\` for its first character
    IF: n.x == 1 → GOTO: B
      no-fields: \`n\` is a number, which has no field \`x\` · read fields of an object, such as JSON that a CHECK or a DO printed
    IF: len() > 1 → GOTO: B
      wrong-number-of-arguments: \`len\` takes 1 argument, but gets 0 here · write \`len(…)\`
    IF: len(items, 1) > 1 → GOTO: B
      wrong-number-of-arguments: \`len\` takes 1 argument, but gets 2 here · write \`len(…)\`
    IF: len(items > 1 → GOTO: B
      wrong-type: a condition is true or false, and this is a number · write a comparison, such as \`x > 0\`
      unclosed-bracket: \`(\` is never closed · close it with \`)\`
      compares-unlike: \`>\` compares \`items\`, which is a list, with a number · compare values of one type: \`int(x)\` is a number, and \`string(x)\` a text
      wrong-type: \`len\` needs text, a list or an object, and this is a boolean · write \`string(…)\` for its text
      → IF: len(items > 1) → GOTO: B
    IF: lenn(items) > 1 → GOTO: B
      unknown-function: there is no function \`lenn\` · did you mean \`len\`?
      → IF: len(items) > 1 → GOTO: B
    IF: replace(text, "a") == "b" → GOTO: B
      wrong-number-of-arguments: \`replace\` takes 3 arguments, but gets 2 here · write \`replace(…, …, …)\`
    IF: slice(items) == [] → GOTO: B
      wrong-number-of-arguments: \`slice\` takes 2 or 3 arguments, but gets 1 here · write \`slice(…, …)\`
    IF: range(1, 2, 3, 4) == [] → GOTO: B
      wrong-number-of-arguments: \`range\` takes 1 or 2 arguments, but gets 4 here · write \`range(…)\`
    IF: exit_code(n) == 0 → GOTO: B
      exit-code-of: \`exit_code\` needs a variable that a CHECK or DO of this state binds · pass the number on where the command runs, \`GOTO: A with code={exit_code(n)}\`, and read \`code\` here
    IF: exit_code(r) == "0" → GOTO: B
      compares-unlike: \`==\` compares \`exit_code(r)\`, which is a number, with text · write \`exit_code(r) == 0\`
      → IF: exit_code(r) == 0 → GOTO: B
    IF: exit_code == 0 → GOTO: B
      unknown-name: nothing binds \`exit_code\` in state \`A\` · write \`IF: exit_code(r) == 0 → GOTO: B\`
      → IF: exit_code(r) == 0 → GOTO: B
    IF: r.exit_code == 0 → GOTO: B
      exit-code-of: \`r.exit_code\` is a field of what the command printed · write \`exit_code(r)\` for the exit code
      → IF: exit_code(r) == 0 → GOTO: B
    IF: unknown == 1 → GOTO: B
      unknown-name: nothing binds \`unknown\` in state \`A\` · bind it with CHECK, DO or TRACK, declare it with \`INPUT:\`, or pass it with \`GOTO … with\`
    IF: itemz == [] → GOTO: B
      unknown-name: nothing binds \`itemz\` in state \`A\` · did you mean \`items\`?
      → IF: items == [] → GOTO: B
    IF: n == true → GOTO: B
      compares-unlike: \`==\` compares \`n\`, which is a number, with a boolean · convert one of the two, as in \`string(n)\`
    IF: n == "1" → GOTO: B
      compares-unlike: \`==\` compares \`n\`, which is a number, with text · write \`n == 1\`
      → IF: n == 1 → GOTO: B
    IF: text > 1 → GOTO: B
      compares-unlike: \`>\` compares \`text\`, which is text, with a number · write \`int(text) > 1\`
      → IF: int(text) > 1 → GOTO: B
    IF: items == "a" → GOTO: B
      compares-unlike: \`==\` compares \`items\`, which is a list, with text · compare an element, as in \`x[0]\`, or \`len(x)\`, or use \`contains\`
    IF: n in text → GOTO: B
      wrong-type: \`in\` looks for a text in a text, and \`n\` is a number · write \`string(n)\` for its text
    IF: text matches "[" → GOTO: B
      bad-regex: this is not a regular expression: /[/u: Unterminated character class · patterns are JavaScript regular expressions with the \`u\` flag
    IF: text matches n → GOTO: B
      wrong-type: \`matches\` compares two texts, and \`n\` is a number · write \`string(n)\` for its text
    IF: n → GOTO: B
      wrong-type: a condition is true or false, and \`n\` is a number · write a comparison, such as \`n > 0\`
    IF: text → GOTO: B
      wrong-type: a condition is true or false, and \`text\` is text · write a comparison, such as \`text is not empty\`
    IF: n + 1 → GOTO: B
      wrong-type: a condition is true or false, and this is a number · write a comparison, such as \`x > 0\`
    IF: -n → GOTO: B
      wrong-type: a condition is true or false, and this is a number · write a comparison, such as \`x > 0\`
    IF: 1 → GOTO: B
      not-a-condition: this is a value, not a condition · compare it with something, as in \`x == …\`
    IF: "a" → GOTO: B
      not-a-condition: this is a value, not a condition · compare it with something, as in \`x == …\`
    IF: n == 1.2.3 → GOTO: B
      unexpected-text: \`1.2.3\` is unexpected here · put it in quotes: \`"1.2.3"\` is a text
    IF: n == 1_000 → GOTO: B
      unexpected-text: \`1_000\` is unexpected here · put it in quotes: \`"1_000"\` is a text
    IF: n == 0x10 → GOTO: B
      unexpected-text: \`0x10\` is unexpected here · put it in quotes: \`"0x10"\` is a text
    IF: n == .5 → GOTO: B
      bad-character: the character \`.\` has no meaning here · remove it, or put the text in quotes
    IF: n == 5m → GOTO: B
      unexpected-text: \`5m\` is unexpected here · put it in quotes, as in \`"5m"\`, for a text that \`WAIT: {x}\` and \`timeout={x}\` take, or remove the unit for a number
    IF: n == ∞ → GOTO: B
      bad-character: the character \`∞\` has no meaning here · remove it, or put the text in quotes
    IF: n ≥ 1 → GOTO: B
      bad-character: the character \`≥\` has no meaning here · write \`>=\`
      → IF: n >= 1 → GOTO: B
    IF: n ≠ 1 → GOTO: B
      bad-character: the character \`≠\` has no meaning here · write \`!=\`
      → IF: n != 1 → GOTO: B
    IF: n ! 1 → GOTO: B
      unexpected-text: \`!\` is unexpected here · remove it, or quote it if it belongs to a text
    IF: n @ 1 → GOTO: B
      bad-character: the character \`@\` has no meaning here · remove it, or put the text in quotes
    IF: n ? 1 : 2 → GOTO: B
      unexpected-text: \`1\` is unexpected here · remove it, or quote it if it belongs to a text
    IF: n ?? 1 → GOTO: B
      unexpected-text: \`1\` is unexpected here · remove it, or quote it if it belongs to a text
    IF: unknown exists → GOTO: B
      unknown-name: nothing binds \`unknown\` in state \`A\` · bind it with CHECK, DO or TRACK, declare it with \`INPUT:\`, or pass it with \`GOTO … with\`
    IF: [1, 2 == items → GOTO: B
      unclosed-bracket: \`[\` is never closed · close it with \`]\`
      not-a-condition: this is a value, not a condition · compare it with something, as in \`x == …\`
      wrong-type: a condition is true or false, and this is a list · write a comparison, such as \`x is not empty\`
      compares-unlike: \`==\` compares a number with \`items\`, which is a list · compare an element, as in \`x[0]\`, or \`len(x)\`, or use \`contains\`
      → IF: [1, 2 == items] → GOTO: B
    IF: [1 2] == items → GOTO: B
      not-a-condition: this is a value, not a condition · compare it with something, as in \`x == …\`
      unexpected-text: \`2\` is unexpected here · remove it, or quote it if it belongs to a text
    IF: {"a": 1} == text → GOTO: B
      compares-unlike: \`==\` compares an object with \`text\`, which is text · compare one of its fields, as in \`x.name\`
    IF: n == 1 → GOTO: C
      unknown-state: the machine has no state \`C\` · declare it with \`STATE: C\`
    IF: n == 1 → GOTO
      missing-part: the name of a state is missing after \`GOTO\` · write for example \`GOTO: BUILD\`
    IF: n == 1 → GOTO: b
      unknown-state: the machine has no state \`b\` · did you mean \`B\`?
      → IF: n == 1 → GOTO: B
    IF: n == 1 → GOTO: B with
      missing-part: the name of an argument is missing after \`with\` · write for example \`with name=value\`
    IF: n == 1 → GOTO: B with q=1, q=2
      duplicate-argument: \`q\` is given twice · remove one of the two
      → IF: n == 1 → GOTO: B with q=1
    IF: n == 1 → GOTO: B with 1
      unexpected-text: \`1\` is unexpected here · write names after \`with\`, as in \`with a, b=1\`
    IF: n == 1 → GOTO: B with x=
      missing-part: a value is missing after \`x=\` · write a value there, or remove \`x=\`
    IF: n == 1 → GOTO: B, RETURN
      unreachable-instruction: this never runs, because the instruction above it always leaves the state · remove it, or move it up
      → (nothing)
    IF: n == 1 → FOO: x
      unknown-verb: \`FOO\` is not a verb · begin the action with a verb such as \`GOTO\` or \`EMIT\`, or write \`DO: Task(AGENT) "…"\` to give it to an agent
    IF: n == 1 → "text"
      unknown-verb: \`"text"\` is not a verb · begin the action with a verb such as \`GOTO\` or \`EMIT\`, or write \`DO: Task(AGENT) "…"\` to give it to an agent
    ELSE → GOTO: B
      else-without-if: \`ELSE\` has no \`IF\` directly above it · move it below the \`IF\` it belongs to
    ELSE: GOTO: B
      else-without-if: \`ELSE\` has no \`IF\` directly above it · move it below the \`IF\` it belongs to
    DEFAULT: GOTO B
      default-without-if: \`DEFAULT\` has no \`IF\` above it · put it directly below the last IF, at the same indentation
    DEFAULT
      missing-part: an action is missing after \`DEFAULT:\` · write for example \`DEFAULT: GOTO NEXT\`
      default-without-if: \`DEFAULT\` has no \`IF\` above it · put it directly below the last IF, at the same indentation"
  `);
});

test('values and texts', () => {
  const lines = [
    'SET: n',
    'SET: n =',
    'SET: n = 1 2',
    'SET: n == 1',
    'SET: 1 = n',
    'SET: n.x = 1',
    'SET: n[0] = 1',
    'SET: unknown = 1',
    'SET: n = "a',
    'SET: n = "a" + 1',
    'SET: n = items + 1',
    'SET: n = 1 + "a"',
    'SET: n = -"a"',
    'SET: n = [1, , 2]',
    'SET: n = {"a": 1, "a": 2}',
    'SET: n = {"a" 1}',
    'SET: n = {{n}}',
    'SET: n = n++',
    'SET: n = 5m',
    'SET: n = a-b',
    'SET: n = None',
    'SET: n = True',
    'SET: n += ',
    'SET: n -= 1',
    'SET n = 1',
    'TRACK:',
    'TRACK: 1',
    'TRACK: line',
    'TRACK: x = [',
    'INCREMENT',
    'INCREMENT: text',
    'INCREMENT: unknown',
    'INCREMENT: r',
    'INCREMENT: n by',
    'INCREMENT: n by "a"',
    'INCREMENT: n by text',
    'EMIT:',
    'EMIT: DONE n',
    'EMIT: DONE n=1 n=2',
    'EMIT: "{unknown}"',
    'EMIT: "{n"',
    'EMIT: "{n:int} {n:foo} {text:json}"',
    'EMIT: "{n + }"',
    'EMIT: "{{n}} ${n} $n {n.x?}"',
    'EMIT: "{items*}"',
    'EMIT: "{n} of {m}"',
    'EMIT: "{exit_code(r)} {exit_code(q)}"',
    'EMIT: "{upper(text} {text.upper()}"',
    'EMIT: "a" b',
    'EMIT: {n}',
    'RETURN: {unknown}',
    'RETURN: n',
    'FAIL',
    'FAIL:',
    'FAIL: reason={n}',
    'GOTO: A with n',
    'GOTO: B with q',
    'GOTO: "A"',
    'GOTO {n}',
    'GOTO',
    'GOTO: A B',
    'ROLLBACK: x',
  ];
  expect(lines.map((line) => said(INSTRUCTIONS, line)).join('\n')).toMatchInlineSnapshot(`
    "SET: n
      missing-part: \`=\` and a value is missing after \`n\` · write for example \`SET: n = 1\`
    SET: n =
      missing-part: a value is missing after \`=\` · write a value there, or remove \`=\`
    SET: n = 1 2
      unexpected-text: \`2\` is unexpected here · remove it, or quote it if it belongs to a text
    SET: n == 1
      unexpected-text: \`==\` is unexpected here · write \`SET: n = 1\`
      → SET: n = 1
    SET: 1 = n
      bad-name: \`1\` cannot be the name of a variable · write \`_1\`
      → SET: _1 = n
    SET: n.x = 1
      path-assignment: \`n.x\` is a part of \`n\`, and only a whole variable can be set · build the new value and set \`n\`: a list grows by \`n + [x]\`, and pairs are a list of \`{"key": …, "value": …}\`
    SET: n[0] = 1
      path-assignment: \`n[…]\` is a part of \`n\`, and only a whole variable can be set · build the new value and set \`n\`: a list grows by \`n + [x]\`, and pairs are a list of \`{"key": …, "value": …}\`
    SET: unknown = 1
      not-tracked: \`SET\` needs a tracked variable, but \`unknown\` is not bound · add \`TRACK: unknown\` before it
      → TRACK: unknown
    SET: n = "a
      unclosed-quote: the quoted text does not end on this line · close it with \`"\`
      → SET: n = "a"
    SET: n = "a" + 1
      wrong-type: \`+\` adds two numbers, two texts or two lists, and this is text · put both into one text, as in \`"{a}{b}"\`
    SET: n = items + 1
      wrong-type: \`+\` adds two numbers, two texts or two lists, and this is a number · write \`[1]\` to add it to the list
    SET: n = 1 + "a"
      wrong-type: \`+\` adds two numbers, two texts or two lists, and this is text · put both into one text, as in \`"{a}{b}"\`
    SET: n = -"a"
      wrong-type: \`-\` needs numbers, and this is text · write a number without quotes
    SET: n = [1, , 2]
      missing-part: a value is missing after \`,\` · write a value there, or remove \`,\`
    SET: n = {"a": 1, "a": 2}
      duplicate-argument: \`a\` is given twice · remove one of the two
      → SET: n = {"a": 1}
    SET: n = {"a" 1}
      missing-part: a value is missing after \`a\` · write for example \`a: 1\`
    SET: n = {{n}}
      unexpected-text: an expression has no braces around it · write \`SET: n = n\`
      → SET: n = n
    SET: n = n++
      misplaced-operator: \`+\` cannot come before a value here · write \`INCREMENT: n\`
      → INCREMENT: n
    SET: n = 5m
      unexpected-text: \`5m\` is unexpected here · put it in quotes, as in \`"5m"\`, for a text that \`WAIT: {x}\` and \`timeout={x}\` take, or remove the unit for a number
    SET: n = a-b
      unknown-name: nothing binds \`a\` in state \`A\`: \`-\` subtracts, and is not part of a name · write \`"a-b"\` for the text
      → SET: n = "a-b"
    SET: n = None
      unknown-name: nothing binds \`None\` in state \`A\` · write \`null\`
      → SET: n = null
    SET: n = True
      unknown-name: nothing binds \`True\` in state \`A\` · write \`true\`
      → SET: n = true
    SET: n += 
      missing-part: a value is missing after \`+=\` · write a value there, or remove \`+=\`
    SET: n -= 1
      unexpected-text: \`-\` is unexpected here · write \`SET: n = n - 1\`
      → SET: n = n - 1
    SET n = 1
      missing-colon: \`SET\` is not followed by a colon · write \`SET:\`
      → SET: n = 1
    TRACK:
      missing-part: the name of a variable is missing after \`TRACK\` · write for example \`TRACK: count\`
    TRACK: 1
      bad-name: \`1\` cannot be the name of a variable · write \`_1\`
      → TRACK: _1
    TRACK: line
      reserved-name: \`line\` is a word of the language and cannot name a variable · choose another name, such as \`line_value\`
      → TRACK: line_value
    TRACK: x = [
      unclosed-bracket: a value ends at the end of its line · write all of it on one line: \`TRACK: x = [ … ]\`
    INCREMENT
      missing-part: the name of a variable is missing after \`INCREMENT\` · write for example \`INCREMENT: count\`
    INCREMENT: text
      wrong-type: \`INCREMENT\` needs a number, and \`text\` is text · track a number: \`TRACK: text = 0\`
    INCREMENT: unknown
      not-tracked: \`INCREMENT\` needs a tracked variable, but \`unknown\` is not bound · add \`TRACK: unknown\` before it
      → TRACK: unknown
    INCREMENT: r
      not-tracked: \`INCREMENT\` needs a tracked variable, but \`r\` is a local · add \`TRACK: r\` before it
    INCREMENT: n by
      missing-part: a value is missing after \`by\` · write a value there, or remove \`by\`
    INCREMENT: n by "a"
      wrong-type: \`INCREMENT by\` needs a number, and this is text · write a number without quotes
    INCREMENT: n by text
      wrong-type: \`INCREMENT by\` needs a number, and \`text\` is text · write \`int(text)\` for its number
    EMIT:
      missing-part: an event or a quoted text is missing after \`EMIT:\` · write for example \`EMIT: STARTED mode=fast\`
    EMIT: DONE n
      unexpected-text: \`n\` is unexpected here · write \`EMIT: DONE n={n}\`
      → EMIT: DONE n={n}
    EMIT: DONE n=1 n=2
      duplicate-argument: \`n\` is given twice · remove one of the two
      → EMIT: DONE n=1
    EMIT: "{unknown}"
      unknown-name-in-text: nothing binds \`unknown\` in state \`A\`, so the text keeps the braces · bind it, or double the braces if they are meant as text
    EMIT: "{n"
      ambiguous-braces: \`{n\` has no closing brace · write \`{n}\` for the value
    EMIT: "{n:int} {n:foo} {text:json}"
      bad-filter-place: the filter \`:foo\` does not exist · \`:json\` and \`:int\` work everywhere, \`:path\` and \`:file\` in shell text
    EMIT: "{n + }"
      ambiguous-braces: \`{n + }\` is not how the value of \`n\` is written here · compute it first, as in \`DO: result = …\`, and write \`{result}\`
    EMIT: "{{n}} \${n} $n {n.x?}"
      shell-variable: \`\${n}\` is written as in a shell, but \`n\` is a value of the program · write \`{n}\` for the value
      shell-variable: \`$n\` is written as in a shell, but \`n\` is a value of the program · write \`{n}\` for the value
      no-fields: \`n\` is a number, which has no field \`x\` · read fields of an object, such as JSON that a CHECK or a DO printed
      → EMIT: "{{n}} {n} {n} {n.x?}"
    EMIT: "{items*}"
      ambiguous-braces: \`{items*}\` is not how the value of \`items\` is written here · write \`{join(items, " ")}\`
      → EMIT: "{join(items, " ")}"
    EMIT: "{n} of {m}"
      unknown-name-in-text: nothing binds \`m\` in state \`A\`, so the text keeps the braces · bind it, or double the braces if they are meant as text
    EMIT: "{exit_code(r)} {exit_code(q)}"
      exit-code-of: \`exit_code\` needs a variable that a CHECK or DO of this state binds · bind the command in this state: \`DO [ok=any]: q = …\`
    EMIT: "{upper(text} {text.upper()}"
      ambiguous-braces: a bracket in \`{upper(text}\` is not closed · write \`{upper(text)}\` for the value
      ambiguous-braces: \`{text.upper()}\` is not how the value of \`text\` is written here · write \`{upper(text)}\`
      → EMIT: "{upper(text} {upper(text)}"
    EMIT: "a" b
      unexpected-text: \`b\` is unexpected here · remove it, or quote it if it belongs to a text
    EMIT: {n}
      bad-name: \`{n}\` cannot be the name of an event · write the text in quotes: \`EMIT: "{n}"\`
    RETURN: {unknown}
      unknown-name: nothing binds \`unknown\` in state \`A\` · bind it with CHECK, DO or TRACK, declare it with \`INPUT:\`, or pass it with \`GOTO … with\`
    RETURN: n
      ambiguous-word: \`n\` could be the text or the variable of that name · write \`{n}\` for its value or \`"n"\` for the text
      → RETURN: {n}
    FAIL
      missing-colon: a failure has a reason · write \`FAIL: why\`
    FAIL:
      missing-part: a text with the reason is missing after \`FAIL\` · write for example \`FAIL: no free port\`
    FAIL: reason={n}
      taken-as-text: this is all the text of the failure, which has no fields · write \`FAIL: {n}\`, or quote it if you mean the text
    GOTO: A with n
      unbounded-cycle: nothing bounds the cycle \`A\` → \`A\` · add \`TRACK: rounds\`, \`INCREMENT: rounds\` and \`IF: rounds > 20 → RETURN: gave up\` on lines that every round runs
      → TRACK: rounds ⏎ INCREMENT: rounds ⏎ IF: rounds > 20 → RETURN: gave up
    GOTO: B with q
      local-out-of-scope: \`q\` does not exist in state \`A\` · pass it on with \`GOTO: A with q\`, or keep the value with \`TRACK:\` and \`SET:\`
    GOTO: "A"
      unexpected-text: the name of a state has no quotes · write \`GOTO: A\`
      → GOTO: A
    GOTO {n}
      goto-parameter: the state after GOTO is known before the run · write one line for each state that it may be: \`IF: n == "A" → GOTO: A\`, \`IF: n == "B" → GOTO: B\`
    GOTO
      missing-part: the name of a state is missing after \`GOTO\` · write for example \`GOTO: BUILD\`
    GOTO: A B
      unbounded-cycle: nothing bounds the cycle \`A\` → \`A\` · add \`TRACK: rounds\`, \`INCREMENT: rounds\` and \`IF: rounds > 20 → RETURN: gave up\` on lines that every round runs
      unexpected-text: \`B\` is unexpected here · write \`with\` before the values, and notes in parentheses
      → TRACK: rounds ⏎ INCREMENT: rounds ⏎ IF: rounds > 20 → RETURN: gave up
    ROLLBACK: x
      unexpected-text: \`ROLLBACK\` has no target: it undoes everything with an UNDO that is not yet undone, the latest first · write \`ROLLBACK\`
      → ROLLBACK"
  `);
});

test('commands', () => {
  const lines = [
    'DO:',
    'DO',
    'DO ls',
    'DO: ',
    'DO: =',
    'DO: m =',
    'DO: m = = ls',
    'DO: m n = ls',
    'DO: m, k = ls',
    'DO: [m, k] = ls',
    'DO: [m k] = ls',
    'DO: [] = ls',
    'DO: line = ls',
    'DO: n = ls',
    'DO: m = ls | k',
    'DO: ls |',
    'DO: ls &&',
    'DO: echo "a',
    "DO: echo 'a",
    'DO: echo $(ls',
    'DO: echo `ls',
    'DO: cat <<EOF',
    'DO: echo {unknown}',
    'DO: echo {items*} x{items*}',
    'DO: echo "{items*}"',
    'DO: eval {text}',
    'DO: rm {text}',
    'DO: rm -rf {text}/x',
    'DO: echo raw({text})',
    'DO: echo ${text}',
    'DO: echo $text',
    'DO: echo {n',
    'DO: Missing program',
    'DO: /no/such/program',
    'DO: Please do it.',
    'DO: n > 1',
    'DO: Task(claude)',
    'DO: Task() "x"',
    'DO: Task(claude "x"',
    'DO: Task(claude) x',
    'DO: Task("claude") "x"',
    'DO: Task(claude, codex) "x"',
    'DO: m = Task(claude) "x" → k',
    'DO [timeout]: ls',
    'DO [timeout=]: ls',
    'DO [timeout=5]: ls',
    'DO [timeout=x]: ls',
    'DO [timeout=5s timeout=6s]: ls',
    'DO [retry=x]: ls',
    'DO [retry=2/5]: ls',
    'DO [retry=2/5s..1s]: ls',
    'DO [retry=2 retry_on=foo]: ls',
    'DO [ok=x]: ls',
    'DO [ok=256]: ls',
    'DO [cwd=]: ls',
    'DO [cwd=src env.A=1 env.A=2]: ls',
    'DO [env.=1]: ls',
    'DO [shell=zsh]: ls',
    'DO [strict=maybe]: ls',
    'DO [once=1]: ls',
    'DO [once, once]: ls',
    'DO [foo=1]: ls',
    'DO [timout=5s]: ls',
    'DO [timeout=5s: ls',
    'DO timeout=5s]: ls',
    'DO [timeout={n}]: ls',
    'DO (timeout=5s): ls',
    'DO [max_cost=x]: Task(claude) "x"',
    'DO [max_turns=0]: Task(claude) "x"',
    'DO [key=x]: ls',
    'CHECK: ls',
    'CHECK: m = ls',
    'CHECK: ',
    'CHECK: n > 1',
    'CHECK: m = {n}',
    'CHECK: m = Task(claude) "x"',
    'CHECK [ok=1]: m = ls',
    'CHECK [timeout=1s]: m = ls',
    'DO: in PARALLEL',
    'DO: in PARALLEL:',
    'DO: in PARALLEL [max=0]:\n    - ls\n    - pwd',
    'DO: in PARALLEL [max=x quorum=5]:\n    - ls\n    - pwd',
    'DO: in PARALLEL [on_failure=foo]:\n    - ls\n    - pwd',
    'DO: m = in PARALLEL:\n    - a = ls\n    - a = pwd',
    'DO: in PARALLEL:\n    - GOTO: B\n    - RETURN',
    'DO: in PARALLEL:\n    - SET: n = 1\n    - ls',
    'DO: in PARALLEL:\n    - IF: n > 1 → GOTO: B\n    - ls',
    'DO: in PARALLEL:\n    - m = ls\n      UNDO: pwd\n    - ls',
    'FOR EACH: x in',
    'FOR EACH: in items',
    'FOR EACH: x items:',
    'FOR EACH: x in n:\n    ls {x:path}',
    'FOR EACH: x in "a":\n    ls',
    'FOR EACH: n in items:\n    ls',
    'FOR EACH: x in items:',
    'FOR EACH: x in items [max=2]:\n    ls',
    'FOR EACH: x in items in PARALLEL [max=x]:\n    ls',
    'FOR EACH: x in items in PARALLEL [quorum=2]:\n    SET: n = 1',
    'FOR EACH: x, y in items:\n    ls',
    'UNDO: ls',
    'UNDO:',
    'USE:',
    'USE: Q',
    'USE: P',
    'USE: P with',
    'USE: P with b=1',
    'USE: P with a=1, a=2',
    'USE: P with a=1, b=2',
    'USE: p with a=1',
    'USE: P with a={unknown}',
    'CALL:',
    'CALL: nothing',
    'CALL: m = nothing x=1',
    'CALL: †x = nothing',
  ];
  expect(lines.map((line) => said(INSTRUCTIONS, line)).join('\n')).toMatchInlineSnapshot(`
    "DO:
      missing-part: a command is missing after \`DO:\` · write the command after it, or the script on the lines below it, indented deeper
    DO
      missing-colon: \`DO\` is not followed by a colon · write \`DO:\`
      missing-part: a command is missing after \`DO:\` · write for example \`DO: npm test\`
      → DO:
    DO ls
      missing-colon: \`DO\` is not followed by a colon · write \`DO:\`
      → DO: ls
    DO: 
      missing-part: a command is missing after \`DO:\` · write the command after it, or the script on the lines below it, indented deeper
    DO: =
      not-a-command: \`=\` is not a command · remove \`=\`: the command begins directly after the colon
    DO: m =
      missing-part: a command is missing after \`m =\` · write a command there, or remove \`m =\`
    DO: m = = ls
      not-a-command: \`=\` is not a command · remove \`=\`: the command begins directly after the colon
    DO: m n = ls
      command-not-found: the program \`m\` is not on PATH · install it, or check the spelling
    DO: m, k = ls
      command-not-found: a command has one result · write \`DO: m = ls\`, and read its fields or \`lines(m)\`
      → DO: m = ls
    DO: [m, k] = ls
      not-a-command: a command has one result · write \`DO: m = ls\`, and read its fields, as in \`m.k\`
      → DO: m = ls
    DO: [m k] = ls
      unknown-option: DO has no option \`m\` · it has \`ok\`, \`timeout\`, \`idle\`, \`retry\`, \`retry_on\`, \`once\`, \`memo\`, \`cwd\`, \`env.*\`, \`shell\`, \`strict\`
      unknown-option: DO has no option \`k\` · it has \`ok\`, \`timeout\`, \`idle\`, \`retry\`, \`retry_on\`, \`once\`, \`memo\`, \`cwd\`, \`env.*\`, \`shell\`, \`strict\`
      not-a-command: \`=\` is not a command · remove \`=\`: the command begins directly after the colon
    DO: [] = ls
      not-a-command: \`=\` is not a command · remove \`=\`: the command begins directly after the colon
    DO: line = ls
      reserved-name: \`line\` is a word of the language and cannot name a variable · choose another name, such as \`line_value\`
      → DO: line_value = ls
    DO: n = ls
      shadows-tracked: the local \`n\` hides the tracked variable of that name · give the local another name; \`SET: n = …\` with that name changes the tracked variable
    DO: m = ls | k
      command-not-found: the program \`k\` is not on PATH · install it, or check the spelling
    DO: ls |
      missing-part: a command is missing after \`|\` · write a command there, or remove \`|\`
    DO: ls &&
      missing-part: a command is missing after \`&&\` · write a command there, or remove \`&&\`
    DO: echo "a
      unclosed-quote: this double quote is never closed · close it with \`"\`, or write \`\\"\` for the character
      → DO: echo "a"
    DO: echo 'a
      unclosed-quote: this single quote is never closed · close it with \`'\`, or write \`"'"\` for an apostrophe
      → DO: echo 'a'
    DO: echo $(ls
      unclosed-substitution: the \`)\` that ends this is missing · close it with \`)\`
      → DO: echo $(ls)
    DO: echo \`ls
      unclosed-substitution: the \`\`\` that ends this is missing · close it with \`\`\`
      → DO: echo \`ls\`
    DO: cat <<EOF
      unclosed-heredoc: this here-document has no closing line \`EOF\` · write \`DO:\` alone, and below it, indented deeper, the command, the text and a line \`EOF\`
    DO: echo {unknown}
      unknown-name: nothing binds \`unknown\` in state \`A\` · bind it with CHECK, DO or TRACK, declare it with \`INPUT:\`, or pass it with \`GOTO … with\`; for the text itself, write \`\\{unknown}\`
    DO: echo {items*} x{items*}
      list-not-a-word: \`{items*}\` becomes one word for each element, so it cannot be part of a word or be in quotes · put spaces around \`{items*}\`, or leave out the \`*\` for the list as JSON
    DO: echo "{items*}"
      list-not-a-word: \`{items*}\` becomes one word for each element, so it cannot be part of a word or be in quotes · put spaces around \`{items*}\`, or leave out the \`*\` for the list as JSON
    DO: eval {text}
      unsafe-position: \`eval\` runs the text of \`{text}\` as a command · leave out \`eval\` and pass the value as an argument: \`command {text}\`
      → DO: eval {text:int}
    DO: rm {text}
      command-not-found: the program \`rm\` is not on PATH · install it, or check the spelling
      may-be-read-as-option: \`rm\` reads \`{text}\` as an option when it begins with \`-\` · write \`-- {text}\`, or \`{text:path}\` for a path
      → DO: rm -- {text}
    DO: rm -rf {text}/x
      command-not-found: the program \`rm\` is not on PATH · install it, or check the spelling
      may-be-read-as-option: \`rm\` reads \`{text}\` as an option when it begins with \`-\` · write \`-- {text}\`, or \`{text:path}\` for a path
      → DO: rm -rf -- {text}/x
    DO: echo raw({text})
      raw-splice: \`raw({text})\` puts the value into the command as code · write \`{text}\` unless the value is meant to be part of a command
      → DO: echo {text}
    DO: echo \${text}
      shell-variable: \`\${text}\` is a shell variable, but \`text\` is a value of the program · write \`{text}\` for the value
      → DO: echo {text}
    DO: echo $text
      shell-variable: \`$text\` is a shell variable, but \`text\` is a value of the program · write \`{text}\` for the value
      → DO: echo {text}
    DO: echo {n
      ambiguous-braces: \`{n\` can be a value or text of the shell · write \`{n}\` for the value, or \`\\{n\` for the text
    DO: Missing program
      not-a-command: \`Missing\` is not a command · write \`DO: Task(AGENT) "…"\` to give it to an agent
    DO: /no/such/program
      command-not-found: the file \`/no/such/program\` does not exist yet · make sure that an earlier instruction creates it
    DO: Please do it.
      not-a-command: \`Please\` is not a command · write \`DO: Task(AGENT) "…"\` to give it to an agent
    DO: n > 1
      command-not-found: the program \`n\` is not on PATH · install it, or check the spelling
    DO: Task(claude)
      prompt-missing: there is nothing to send to the agent \`claude\`: no prompt and no value · write \`Task(claude) "what to do"\`, unless the agent has its own instructions
    DO: Task() "x"
      missing-part: the name of an agent is missing after \`Task(\` · write \`Task(claude) "…"\`, or name an agent for all of them in statedsl.config.yaml, under \`defaults:\`: \`agent: claude\`
    DO: Task(claude "x"
      not-a-command: \`Task\` is not a command · write \`DO: Task(AGENT) "…"\` to give it to an agent
      unclosed-substitution: the \`)\` that ends this is missing · close it with \`)\`
      → DO: Task(claude "x")
    DO: Task(claude) x
      unexpected-text: \`x\` is unexpected here · write \`DO: Task(claude) "x"\`
      → DO: Task(claude) "x"
    DO: Task("claude") "x"
      bad-name: \`"claude"\` cannot be the name of an agent · write \`claude\`
      → DO: Task(claude) "x"
    DO: Task(claude, codex) "x"
      not-a-command: a Task has one agent · write \`DO: in PARALLEL:\`, and below it, indented deeper, \`- answer_claude = Task(claude) "x"\` and \`- answer_codex = Task(codex) "x"\`
    DO: m = Task(claude) "x" → k
      unexpected-text: \`→\` is unexpected here · write \`DO: m = Task(claude) "x"\`
      → DO: m = Task(claude) "x"
    DO [timeout]: ls
      bad-option: option \`timeout\` needs a value · write \`timeout=…\`
    DO [timeout=]: ls
      missing-part: a value is missing after \`timeout=\` · write a value there, or remove \`timeout=\`
    DO [timeout=5]: ls
      bad-duration: \`5\` is not a duration · write \`5s\` for seconds
      → DO [timeout=5s]: ls
    DO [timeout=x]: ls
      bad-duration: \`x\` is not a duration · write for example \`30s\` or \`1.5h\`
    DO [timeout=5s timeout=6s]: ls
      bad-option: option \`timeout\` is given twice · remove one of the two
    DO [retry=x]: ls
      bad-option: option \`retry\` must be a number of retries, with an optional pause · write \`retry=2\`, \`retry=2/5s\`, or \`retry=5/1s..60s\` for pauses that double
    DO [retry=2/5]: ls
      bad-option: option \`retry\` must be a number of retries, with an optional pause · write \`retry=2\`, \`retry=2/5s\`, or \`retry=5/1s..60s\` for pauses that double
    DO [retry=2/5s..1s]: ls
      bad-option: option \`retry\` must be a number of retries, with an optional pause · write \`retry=2\`, \`retry=2/5s\`, or \`retry=5/1s..60s\` for pauses that double
    DO [retry=2 retry_on=foo]: ls
      bad-option: option \`retry_on\` names \`foo\`, which is not a failure that can be retried · write \`tool_failure\`, \`timeout\`, \`not_json\`, \`bad_value\`, \`value_too_large\`, \`limit\` or an exit code, as in \`exit:75\`
    DO [ok=x]: ls
      bad-option: option \`ok\` must be a list of exit codes from 0 to 255 · write \`ok=0,2\`, or \`ok=any\` for every exit code
    DO [ok=256]: ls
      bad-option: option \`ok\` must be a list of exit codes from 0 to 255 · write \`ok=0,2\`, or \`ok=any\` for every exit code
    DO [cwd=]: ls
      missing-part: a value is missing after \`cwd=\` · write a value there, or remove \`cwd=\`
    DO [cwd=src env.A=1 env.A=2]: ls
      bad-option: option \`env.A\` is given twice · remove one of the two
    DO [env.=1]: ls
      bad-option: option \`env.\` does not name a variable: use letters, digits and \`_\`, and do not begin with a digit · write \`env.NAME=…\`
    DO [shell=zsh]: ls
      bad-option: option \`shell\` must be \`bash\` or \`sh\` · write \`shell=sh\`
    DO [strict=maybe]: ls
      bad-option: option \`strict\` must be \`on\` or \`off\` · write \`strict=off\`
    DO [once=1]: ls
      bad-option: option \`once\` takes no value · write \`DO [once]: ls\`
      → DO [once]: ls
    DO [once, once]: ls
      bad-option: option \`once\` is given twice · remove one of the two
    DO [foo=1]: ls
      unknown-option: DO has no option \`foo\` · it has \`ok\`, \`timeout\`, \`idle\`, \`retry\`, \`retry_on\`, \`once\`, \`memo\`, \`cwd\`, \`env.*\`, \`shell\`, \`strict\`
    DO [timout=5s]: ls
      unknown-option: DO has no option \`timout\` · did you mean \`timeout\`?
      → DO [timeout=5s]: ls
    DO [timeout=5s: ls
      unclosed-bracket: \`[\` is never closed · close it with \`]\`
      → DO [timeout=5s]: ls
    DO timeout=5s]: ls
      missing-colon: \`DO\` is not followed by a colon · write \`DO:\`
      → DO: timeout=5s]: ls
    DO [timeout={n}]: ls
      wrong-type: a duration needs a unit, and \`{n}\` is a number · write \`{n}s\` for seconds, or use a text, such as \`"10s"\`
    DO (timeout=5s): ls
      missing-colon: \`DO\` is not followed by a colon · write \`DO [timeout=5s]: ls\`
      → DO [timeout=5s]: ls
    DO [max_cost=x]: Task(claude) "x"
      unknown-option: what an agent may use is a limit of the run, or a guard of a step · write \`LIMIT: cost=5.00\` at the margin, or a STEP with \`AGENT: claude with max_cost=2.5\`
    DO [max_turns=0]: Task(claude) "x"
      unknown-option: what an agent may use is a limit of the run, or a guard of a step · write \`LIMIT: cost=5.00\` at the margin, or a STEP with \`AGENT: claude with max_cost=2.5\`
    DO [key=x]: ls
      unknown-option: DO has no option \`key\` · it has \`ok\`, \`timeout\`, \`idle\`, \`retry\`, \`retry_on\`, \`once\`, \`memo\`, \`cwd\`, \`env.*\`, \`shell\`, \`strict\`
    CHECK: ls
      check-never-read: the result \`ls_result\` of this CHECK is never read · read it in an IF, or use \`DO:\` when only the effect matters
    CHECK: m = ls
      check-never-read: the result \`m\` of this CHECK is never read · read it in an IF, or use \`DO:\` when only the effect matters
    CHECK: 
      missing-part: a command is missing after \`CHECK:\` · write for example \`CHECK: git status --porcelain=v2\`
    CHECK: n > 1
      not-a-command: CHECK runs a command, and this is a condition · write \`IF: NOT (n > 1) → FAIL: "not n > 1"\`
      → IF: NOT (n > 1) → FAIL: "not n > 1"
    CHECK: m = {n}
      check-never-read: the result \`m\` of this CHECK is never read · read it in an IF, or use \`DO:\` when only the effect matters
      unsafe-position: \`{n}\` is the command word: it chooses the program that runs · write the name of the program, or choose between commands with \`IF:\`
    CHECK: m = Task(claude) "x"
      check-never-read: the result \`m\` of this CHECK is never read · read it in an IF, or use \`DO:\` when only the effect matters
    CHECK [ok=1]: m = ls
      unknown-option: CHECK accepts every exit code · write \`CHECK: m = ls\`
      → CHECK: m = ls
    CHECK [timeout=1s]: m = ls
      check-never-read: the result \`m\` of this CHECK is never read · read it in an IF, or use \`DO:\` when only the effect matters
    DO: in PARALLEL
      empty-block: \`PARALLEL\` has no members · write what runs at the same time as bullets below it:
    DO: in PARALLEL
      - ./one.sh
      - ./another.sh
    DO: in PARALLEL:
      empty-block: \`PARALLEL\` has no members · write what runs at the same time as bullets below it:
    DO: in PARALLEL
      - ./one.sh
      - ./another.sh
    DO: in PARALLEL [max=0]:
        - ls
        - pwd
      bad-option: option \`max\` must be a whole number of at least 1, not \`0\` · write \`max=4\`
    DO: in PARALLEL [max=x quorum=5]:
        - ls
        - pwd
      quorum-too-large: 2 members can never reach a quorum of 5 · write \`quorum=2\` or fewer
      bad-option: option \`max\` must be a whole number of at least 1, not \`x\` · write \`max=4\`
      → DO: in PARALLEL [max=x quorum=2]:
    DO: in PARALLEL [on_failure=foo]:
        - ls
        - pwd
      bad-option: option \`on_failure\` can only be \`keep\` · write \`on_failure=keep\`, or leave it out to let a failed member fail the whole
    DO: m = in PARALLEL:
        - a = ls
        - a = pwd
      duplicate: the result \`a\` is declared twice · rename one of the two, or remove it
    DO: in PARALLEL:
        - GOTO: B
        - RETURN
      not-in-parallel: \`GOTO\` cannot be used inside PARALLEL · do it after the join, with the results of the branches
      not-in-parallel: \`RETURN\` cannot be used inside PARALLEL · do it after the join, with the results of the branches
    DO: in PARALLEL:
        - SET: n = 1
        - ls
      not-in-parallel: \`SET\` of a tracked variable cannot be used inside PARALLEL · do it after the join, with the results of the branches
    DO: in PARALLEL:
        - IF: n > 1 → GOTO: B
        - ls
      not-in-parallel: \`GOTO\` cannot be used inside PARALLEL · do it after the join, with the results of the branches
    DO: in PARALLEL:
        - m = ls
          UNDO: pwd
        - ls
      undo-unreachable: no ROLLBACK can be reached after this UNDO · add \`ROLLBACK\` to \`STATE: ERROR\`, or to an \`ON ERROR\` of this state
    FOR EACH: x in
      empty-block: \`FOR EACH\` has no body · write the body below it, indented deeper
      missing-part: a list is missing after \`in\` · write for example \`FOR EACH: task in tasks\`
    FOR EACH: in items
      empty-block: \`FOR EACH\` has no body · write the body below it, indented deeper
      missing-part: a variable is missing after \`FOR EACH\` · write for example \`FOR EACH: task in tasks\`
    FOR EACH: x items:
      empty-block: \`FOR EACH\` has no body · write the body below it, indented deeper
      missing-part: \`in\` is missing after \`x\` · write for example \`FOR EACH: task in tasks\`
    FOR EACH: x in n:
        ls {x:path}
      wrong-type: FOR EACH goes through a list, and \`n\` is a number · write \`range(n)\` for a number of turns
    FOR EACH: x in "a":
        ls
      wrong-type: FOR EACH goes through a list, and \`"a"\` is text · write \`lines("a")\` for its lines, or \`split("a", ",")\` for its parts
    FOR EACH: n in items:
        ls
      shadows-tracked: the local \`n\` hides the tracked variable of that name · give one of the two another name
    FOR EACH: x in items:
      empty-block: \`FOR EACH\` has no body · write the body below it, indented deeper
    FOR EACH: x in items [max=2]:
        ls
      unknown-option: only turns in PARALLEL have this option · write \`FOR EACH: x in items in PARALLEL [max=2]:\`
      → FOR EACH: x in items in PARALLEL [max=2]:
    FOR EACH: x in items in PARALLEL [max=x]:
        ls
      bad-option: option \`max\` must be a whole number of at least 1, not \`x\` · write \`max=4\`
    FOR EACH: x in items in PARALLEL [quorum=2]:
        SET: n = 1
      not-in-parallel: \`SET\` of a tracked variable cannot be used inside PARALLEL · do it after the join, with the results of the branches
    FOR EACH: x, y in items:
        ls
      unexpected-text: FOR EACH binds one name · write \`FOR EACH: x in range(len(items)):\` for a list, \`FOR EACH: x in keys(items):\` for an object, and \`{items[x]}\` for \`y\`
    UNDO: ls
      undo-without-effect: no DO, CALL or Task is directly above this UNDO · write it directly below the DO, CALL or Task that it undoes, in the same block
      undo-unreachable: no ROLLBACK can be reached after this UNDO · add \`ROLLBACK\` to \`STATE: ERROR\`, or to an \`ON ERROR\` of this state
    UNDO:
      missing-part: a command is missing after \`UNDO:\` · write for example \`UNDO: git tag -d -- {tag}\`
    USE:
      missing-part: the name of a pattern is missing after \`USE\` · write for example \`USE: RETRY with times=3\`
    USE: Q
      unknown-pattern: there is no pattern \`Q\` · declare it with \`PATTERN: Q\`, or import the file that has it
    USE: P
      missing-argument: pattern \`P\` needs \`a\` · write \`USE: P with a=…\`
    USE: P with
      missing-argument: pattern \`P\` needs \`a\` · write \`USE: P with a=with\`
      → USE: P with a=with
    USE: P with b=1
      missing-argument: pattern \`P\` needs \`a\` · write \`USE: P with a=…\`
      unknown-argument: pattern \`P\` has no parameter \`b\` · it has \`a\`
    USE: P with a=1, a=2
      duplicate-argument: \`a\` is given twice · remove one of the two
      → USE: P with a=1
    USE: P with a=1, b=2
      unknown-argument: pattern \`P\` has no parameter \`b\` · it has \`a\`
    USE: p with a=1
      unknown-pattern: there is no pattern \`p\` · did you mean \`P\`?
      → USE: P with a=1
    USE: P with a={unknown}
      unknown-name: nothing binds \`unknown\` in state \`A\` · bind it with CHECK, DO or TRACK, declare it with \`INPUT:\`, or pass it with \`GOTO … with\`
    CALL:
      missing-part: the name of a tool is missing after \`CALL:\` · write for example \`CALL: build with target="web" → †state.build\`
    CALL: nothing
      call-unreadable: the tools of this program cannot be read: their locations are unknown · name a tools file with \`--tools\`, or put a \`tools.yaml\` next to the program
    CALL: m = nothing x=1
      unexpected-text: a tool is called by its name, and its values follow \`with\` · write \`CALL: m = nothing with x=1\`
      → CALL: m = nothing with x=1
    CALL: †x = nothing
      unexpected-text: \`†x\` is unexpected here · remove it, or quote it if it belongs to a text"
  `);
});

test('waits and questions', () => {
  const lines = [
    'WAIT:',
    'WAIT',
    'WAIT: 5',
    'WAIT: 5x',
    'WAIT: -5s',
    'WAIT: 5s 6s',
    'WAIT: {n}',
    'WAIT: n',
    'WAIT: n == 1 OR timeout=x every=1s',
    'WAIT: n == 1 every=1s OR timeout=5s:\n    CHECK: m = ls',
    'WAIT: m == "x" every=1s OR timeout=5s:\n    CHECK: m = ls',
    'WAIT: signal',
    'WAIT: signal "go"',
    'WAIT: signal go → m',
    'WAIT: signal go → n',
    'WAIT: signal go OR timeout=5s → m',
    'WAIT: signal go-now',
    'WAIT: all',
    'WAIT: all OR timeout=5s',
    'WAIT: all quorum=1 OR timeout=5s',
    'WAIT: 10001d',
    'WAIT: 5 s',
    'WAIT: 5sec',
    'ASK',
    'ASK user',
    'ASK user:',
    'ASK user: Go?',
    'ASK user: "Go? {unknown}" → m',
    'ASK user: "Go?" → n',
    'ASK user: "Go?" → m, k',
    'ASK user: "Go?" → m choices=',
    'ASK user: "Go?" → m choices=a,b default=c',
    'ASK user: "Go?" → m deadline=5s',
    'ASK user: "Go?" → m deadline=x default=a',
    'ASK user: "Go?" → m show=n,unknown',
    'ASK user: "Go?" → m show=',
    'ASK user: "Go?" → m approvers=ann',
    'ASK user: "Go?" → m foo=1',
    'ASK: "Go?" → m',
  ];
  expect(lines.map((line) => said(INSTRUCTIONS, line)).join('\n')).toMatchInlineSnapshot(`
    "WAIT:
      missing-part: a condition or a duration is missing after \`WAIT:\` · write for example \`WAIT: result.done OR timeout=30s\`
    WAIT
      missing-colon: \`WAIT\` is not followed by a colon · write \`WAIT:\`
      missing-part: a condition or a duration is missing after \`WAIT:\` · write for example \`WAIT: result.done OR timeout=30s\`
      → WAIT:
    WAIT: 5
      bad-duration: \`5\` is not a duration · write \`WAIT: 5s\`
      → WAIT: 5s
    WAIT: 5x
      bad-duration: \`5x\` is not a duration · write for example \`30s\` or \`1.5h\`
    WAIT: -5s
      unexpected-text: \`5s\` is unexpected here · put it in quotes, as in \`"5s"\`, for a text that \`WAIT: {x}\` and \`timeout={x}\` take, or remove the unit for a number
    WAIT: 5s 6s
      unexpected-text: \`5s\` is unexpected here · put it in quotes, as in \`"5s"\`, for a text that \`WAIT: {x}\` and \`timeout={x}\` take, or remove the unit for a number
    WAIT: {n}
      wrong-type: a duration needs a unit, and \`{n}\` is a number · write \`{n}s\` for seconds, or use a text, such as \`"10s"\`
    WAIT: n
      wrong-type: a condition is true or false, and \`n\` is a number · write a comparison, such as \`n > 0\`
    WAIT: n == 1 OR timeout=x every=1s
      bad-duration: \`x\` is not a duration · write for example \`30s\` or \`1.5h\`
    WAIT: n == 1 every=1s OR timeout=5s:
        CHECK: m = ls
      bad-duration: \`5s:\` is not a duration · write for example \`30s\` or \`1.5h\`
      check-never-read: the result \`m\` of this CHECK is never read · read it in an IF, or use \`DO:\` when only the effect matters
    WAIT: m == "x" every=1s OR timeout=5s:
        CHECK: m = ls
      check-of-failure: \`ls\` prints a line for each thing it finds: if these are several, reading \`m\` fails · write \`DO [ok=any]: m = ls\` to keep what it prints as a text
      bad-duration: \`5s:\` is not a duration · write for example \`30s\` or \`1.5h\`
    WAIT: signal
      unknown-name: nothing binds \`signal\` in state \`A\` · write \`WAIT: signal signal\` to wait for a signal, or bind \`signal\` above or in the block below
      → WAIT: signal signal
    WAIT: signal "go"
      unknown-name: the name of a signal has no quotes · write \`WAIT: signal go\`
      → WAIT: signal go
    WAIT: signal go → m
      unexpected-text: the payload of a signal has its name: \`go\` · write \`WAIT: signal go\`, and read \`go\`
      → WAIT: signal go
    WAIT: signal go → n
      unexpected-text: the payload of a signal has its name: \`go\` · write \`WAIT: signal go\`, and read \`go\`
      → WAIT: signal go
    WAIT: signal go OR timeout=5s → m
      unexpected-text: \`→\` is unexpected here · remove it, or quote it if it belongs to a text
    WAIT: signal go-now
      unexpected-text: the name of a signal is one word of letters, digits and \`_\` · write \`WAIT: signal go_now\`, and send it as \`go_now\`
      → WAIT: signal go_now
    WAIT: all
      unknown-name: nothing binds \`all\` in state \`A\` · write \`WAIT: signal all\` to wait for a signal, or bind \`all\` above or in the block below
      → WAIT: signal all
    WAIT: all OR timeout=5s
      unknown-name: nothing binds \`all\` in state \`A\` · write \`WAIT: signal all OR timeout=5s\` to wait for a signal, or bind \`all\` above or in the block below
      → WAIT: signal all OR timeout=5s
    WAIT: all quorum=1 OR timeout=5s
      unexpected-text: \`quorum\` is unexpected here · separate the values with commas: write one before \`quorum\`
    WAIT: 10001d
      bad-duration: \`10001d\` is longer than 10,000 days · write at most \`10000d\`
    WAIT: 5 s
      unexpected-text: \`s\` is unexpected here · write \`WAIT: 5s\`
      → WAIT: 5s
    WAIT: 5sec
      bad-duration: \`5sec\` is not a duration · write \`WAIT: 5s\`
      → WAIT: 5s
    ASK
      missing-part: \`user\` is missing after \`ASK\` · write for example \`ASK user: "Ship it?" → answer\`
    ASK user
      missing-part: a quoted question is missing after \`ASK user\` · write for example \`ASK user: "Ship it?" → answer\`
    ASK user:
      missing-part: a quoted question is missing after \`ASK user:\` · write for example \`ASK user: "Ship it?" → answer\`
    ASK user: Go?
      bad-character: the character \`?\` has no meaning here · write \`ASK user: "Go?"\`
      → ASK user: "Go?"
    ASK user: "Go? {unknown}" → m
      unknown-name: nothing binds \`unknown\` in state \`A\` · bind it with CHECK, DO or TRACK, declare it with \`INPUT:\`, or pass it with \`GOTO … with\`
    ASK user: "Go?" → n
      shadows-tracked: the local \`n\` hides the tracked variable of that name · give the local another name; \`SET: n = …\` with that name changes the tracked variable
    ASK user: "Go?" → m, k
      unexpected-text: an ASK has one answer · write \`ASK user: "Go?" → m\`, then \`ASK user: "…" → k\`
    ASK user: "Go?" → m choices=
      missing-part: a value is missing after \`choices=\` · write a value there, or remove \`choices=\`
    ASK user: "Go?" → m choices=a,b default=c
      input-choice: the default \`c\` is not one of the choices · choose one of \`a\`, \`b\`
    ASK user: "Go?" → m deadline=5s
      ask-deadline: an ASK with a deadline needs a default · add \`default="…"\`
      → ASK user: "Go?" → m deadline=5s default="…"
    ASK user: "Go?" → m deadline=x default=a
      bad-duration: \`x\` is not a duration · write for example \`30s\` or \`1.5h\`
    ASK user: "Go?" → m show=n,unknown
      unknown-name: nothing binds \`unknown\` in state \`A\` · bind it with CHECK, DO or TRACK, declare it with \`INPUT:\`, or pass it with \`GOTO … with\`
    ASK user: "Go?" → m show=
      missing-part: a value is missing after \`show=\` · write a value there, or remove \`show=\`
    ASK user: "Go?" → m approvers=ann
      unknown-option: ASK has no option \`approvers\` · who may answer is \`approvers:\` of the configuration: write \`ASK user: "Go?" → m\`
      → ASK user: "Go?" → m
    ASK user: "Go?" → m foo=1
      unknown-option: ASK has no option \`foo\` · it has \`choices\`, \`default\`, \`deadline\`, \`show\`
    ASK: "Go?" → m
      missing-part: \`user\` is missing after \`ASK\` · write \`ASK user: "Go?" → m\`
      → ASK user: "Go?" → m"
  `);
});

test('failures', () => {
  const lines = [
    'ON ERROR',
    'ON ERROR:',
    'ON ERROR: →',
    'ON ERROR: → GOTO: C',
    'ON ERROR timeout: → RETURN: {error.message}',
    'ON ERROR timeot: → RETURN',
    'ON ERROR timeout, denied: → RETURN',
    'ON ERROR: → EMIT: "{error} {error_type} {exit_code} {tool} {line}"',
    'ON ERROR: → RETURN: {error.kind}',
    'ON ERROR: → DO: ls',
    'ON ERROR [x=1]: → RETURN',
    'ON ERROR: → RETURN\n  DO: ls',
    'ON ERROR: → PROCEED',
  ];
  expect(lines.map((line) => said(HANDLERS, line)).join('\n')).toMatchInlineSnapshot(`
    "ON ERROR
      missing-colon: \`ON ERROR\` is not followed by a colon · write \`ON ERROR:\`
      missing-part: an action is missing after \`→\` · write for example \`ON ERROR: → GOTO NEXT\`
      → ON ERROR:
    ON ERROR:
      missing-part: an action is missing after \`→\` · write for example \`ON ERROR: → GOTO NEXT\`
    ON ERROR: →
      missing-part: an action is missing after \`→\` · write for example \`ON ERROR: → GOTO NEXT\`
    ON ERROR: → GOTO: C
      unknown-state: the machine has no state \`C\` · declare it with \`STATE: C\`
    ON ERROR timeout: → RETURN: {error.message}
      no-fields: \`error\` is text, which has no field \`message\` · write \`error\`
    ON ERROR timeot: → RETURN
      unknown-error-kind: \`timeot\` is not a kind of failure · did you mean \`timeout\`?
      → ON ERROR timeout: → RETURN
    ON ERROR timeout, denied: → RETURN
      missing-colon: \`ON ERROR\` handles one kind of failure, or each of them · write \`ON ERROR timeout: → RETURN\`, then \`ON ERROR denied: → RETURN\`
      → ON ERROR timeout: → RETURN ⏎ ON ERROR denied: → RETURN
    ON ERROR: → EMIT: "{error} {error_type} {exit_code} {tool} {line}"
      handler-falls-off: a path through this \`ON ERROR\` ends without GOTO or RETURN · end it with \`GOTO: …\` or \`RETURN\`
    ON ERROR: → RETURN: {error.kind}
      no-fields: \`error\` is text, which has no field \`kind\` · write \`error_type\`
    ON ERROR: → DO: ls
      handler-falls-off: a path through this \`ON ERROR\` ends without GOTO or RETURN · end it with \`GOTO: …\` or \`RETURN\`
    ON ERROR [x=1]: → RETURN
      unknown-error-kind: \`x\` is not a kind of failure · the kinds are \`tool_failure\`, \`timeout\`, \`not_json\`, \`bad_value\`, \`value_too_large\`, \`in_doubt\`, \`fell_off\`, \`limit\`, \`gate_failed\`, \`cancelled\`, \`failed\`, \`worktree\`, \`merge_conflict\`, \`plan_failed\`, \`unresolved\`, \`denied\`
    ON ERROR: → RETURN
      DO: ls
      on-error-place: \`ON ERROR\` is not at the end of a state or pattern · move it to the end of the body, at the indentation of the body
      unreachable-instruction: this never runs, because the instruction above it always leaves the state · remove it, or move it up
      → (nothing)
    ON ERROR: → PROCEED
      handler-falls-off: a path through this \`ON ERROR\` ends without GOTO or RETURN · end it with \`GOTO: …\` or \`RETURN\`"
  `);
});

test('heads', () => {
  const lines = [
    'STATE:',
    'STATE',
    'STATE: a b\n  RETURN',
    'STATE: ERROR\n  RETURN',
    'STATE: ERROR\n  GOTO: A',
    'STATE: 1\n  RETURN',
    'STATE: C',
    'STATE C\n  RETURN',
    'STATE: C:\n  RETURN',
    'STATE: C with x\n  RETURN: {x}',
    'STATE: C # note\n  RETURN',
    'MACHINE:',
    'MACHINE: m\n  STATE: C\n    RETURN',
    'PATTERN:',
    'PATTERN: Q with',
    'PATTERN: Q with a, a\n  DO: ls {a:path}',
    'PATTERN: Q with a=1\n  DO: ls {a}',
    'PATTERN: Q with line\n  DO: ls',
    'PATTERN: Q\n  USE: Q',
    'INPUT:',
    'INPUT: a =',
    'INPUT: a = "x" (number)',
    'INPUT: a = z (one of: x, y)',
    'INPUT: a = x (one of: x)',
    'INPUT: a (string',
    'INPUT: a (text)',
    'INPUT: a (secret) = "x"',
    'INPUT: a = b',
    'INPUT: a = {b}',
    'INPUT: a\nINPUT: a',
    'INPUT: line',
    'INPUT: 1a',
    'LIMIT:',
    'LIMIT: cost',
    'LIMIT: cost=x',
    'LIMIT: cost=-1',
    'LIMIT: time=5',
    'LIMIT: transitions=1.5',
    'LIMIT: transitions=10\nLIMIT: transitions=20',
    'LIMIT: foo=1',
    'TITLE:',
    'TITLE: {a}',
    'TITLE: Fix {n}',
    'KEY:',
    'KEY: {a}',
    'IMPORT:',
    'IMPORT: x',
    'IMPORT: ./x.dsl',
    'IMPORT: "./x.dsl"',
    'IMPORT: std/git',
    'IMPORT: "std/nothing"',
    'IMPORT: "std/git"',
    'EVENTS: none',
    'SHELL: zsh',
    'DO: ls',
    '   STATE: C',
  ];
  expect(lines.map((line) => said(MARGIN, line)).join('\n')).toMatchInlineSnapshot(`
    "STATE:
      missing-part: a name is missing after \`STATE:\` · write for example \`STATE: BUILD\`
    STATE
      missing-colon: \`STATE\` is not followed by a colon · write \`STATE:\`
      missing-part: a name is missing after \`STATE:\` · write for example \`STATE: BUILD\`
      → STATE:
    STATE: a b
      RETURN
      bad-name: \`a b\` cannot be the name of a state · write \`a_b\`
      → STATE: a_b
    STATE: ERROR
      RETURN
      first-state-error: the first state is \`ERROR\` · move another state above it
    STATE: ERROR
      GOTO: A
      first-state-error: the first state is \`ERROR\` · move another state above it
    STATE: 1
      RETURN
      bad-name: \`1\` cannot be the name of a state · write \`_1\`
      → STATE: _1
    STATE: C
      falls-off: a path through state \`C\` ends without GOTO or RETURN · end the state with \`GOTO: …\` or \`RETURN\`
    STATE C
      RETURN
      missing-colon: a state begins with \`STATE:\` and its name · write \`STATE: C\`
      → STATE: C
    STATE: C:
      RETURN
      unexpected-text: \`:\` is unexpected here · write \`STATE: C\`
      → STATE: C
    STATE: C with x
      RETURN: {x}
      unexpected-text: a state takes the values that \`GOTO … with\` passes without declaring them · write \`STATE: C\`
      → STATE: C
    STATE: C # note
      RETURN
      bad-character: \`#\` is in the middle of an instruction · begin a comment with two spaces and \`# \`
      → STATE: C   #  note
    MACHINE:
      missing-part: a name is missing after \`MACHINE:\` · write for example \`MACHINE: release\`
    MACHINE: m
      STATE: C
        RETURN
      unexpected-indentation: \`MACHINE\` cannot have an indented block · remove the extra indentation
      indented-declaration: \`STATE\` is inside another block · remove the indentation of this line
      → STATE: C ⏎ RETURN
    PATTERN:
      missing-part: a name is missing after \`PATTERN:\` · write for example \`PATTERN: RETRY with times=3\`
    PATTERN: Q with
      missing-part: the name of a parameter is missing after \`with\` · write for example \`with name=value\`
    PATTERN: Q with a, a
      DO: ls {a:path}
      duplicate-argument: \`a\` is given twice · remove one of the two
      → PATTERN: Q with a
    PATTERN: Q with a=1
      DO: ls {a}
      may-be-read-as-option: \`ls\` reads \`{a}\` as an option when it begins with \`-\` · write \`-- {a}\`, or \`{a:path}\` for a path
      → DO: ls -- {a}
    PATTERN: Q with line
      DO: ls
      reserved-name: \`line\` is a word of the language and cannot name a variable · choose another name, such as \`line_value\`
      → PATTERN: Q with line_value
    PATTERN: Q
      USE: Q
      recursive-pattern: pattern \`Q\` uses itself: \`Q\` → \`Q\` · use a state and \`GOTO\` for the loop
    INPUT:
      missing-part: each input has a line of its own · write \`INPUT: name\` for each of them, at the margin
    INPUT: a =
      missing-part: a default value is missing after \`=\` · write a default value there, or remove \`=\`
    INPUT: a = "x" (number)
      input-default: the default is a string, and the input is a number · write a number as the default, or \`(string)\`
    INPUT: a = z (one of: x, y)
      input-default: the default of an input must be a plain value · write \`"z"\` for the text
      → INPUT: a = "z" (one of: x, y)
    INPUT: a = x (one of: x)
      input-default: the default of an input must be a plain value · write \`"x"\` for the text
      → INPUT: a = "x" (one of: x)
    INPUT: a (string
      unexpected-text: \`(\` is unexpected here · write \`with\` and then the names, as in \`with a, b=1\`
    INPUT: a (text)
      bad-input-note: \`text\` is not a property of an input · write \`string\`
      → INPUT: a (string)
    INPUT: a (secret) = "x"
      unexpected-text: \`(\` is unexpected here · write \`INPUT: a = "x" (secret)\`
      → INPUT: a = "x" (secret)
    INPUT: a = b
      input-default: the default of an input must be a plain value · write \`"b"\` for the text
      → INPUT: a = "b"
    INPUT: a = {b}
      input-default: the default of an input must be a plain value · write \`"b"\` for the text
      → INPUT: a = {"b"}
    INPUT: a
    INPUT: a
      duplicate: input \`a\` is declared twice · rename one of the two, or remove it
    INPUT: line
      reserved-name: \`line\` is a word of the language and cannot name a variable · choose another name, such as \`line_value\`
      → INPUT: line_value
    INPUT: 1a
      bad-name: \`1a\` cannot be the name of an input · write \`_1a\`
      → INPUT: _1a
    LIMIT:
      missing-part: a limit is missing after \`LIMIT:\` · write for example \`LIMIT: transitions=100 time=2h\`
    LIMIT: cost
      bad-option: option \`cost\` must be a number above 0 · write US dollars, such as \`cost=5.00\`
    LIMIT: cost=x
      bad-option: option \`cost\` must be a number above 0 · write US dollars, such as \`cost=5.00\`
    LIMIT: cost=-1
      bad-option: option \`cost\` must be a number above 0 · write US dollars, such as \`cost=5.00\`
    LIMIT: time=5
      bad-duration: \`5\` is not a duration · write \`5s\` for seconds
      → LIMIT: time=5s
    LIMIT: transitions=1.5
      bad-option: option \`transitions\` must be a whole number above 0 · write \`transitions=2000\` or \`transitions=2M\`
    LIMIT: transitions=10
    LIMIT: transitions=20
      bad-option: option \`transitions\` is given twice · remove one of the two
    LIMIT: foo=1
      unknown-option: LIMIT has no option \`foo\` · it has \`transitions\`, \`time\`, \`cost\`, \`tokens\`, \`journal\`, \`output\`
    TITLE:
      missing-part: a text is missing after \`TITLE:\` · write for example \`TITLE: Release {version}\`
    TITLE: {a}
      title-part: the title reads \`a\`, which is not an input · declare \`INPUT: a\`
    TITLE: Fix {n}
      title-part: the title reads \`n\`, which is not an input · declare \`INPUT: n\`
    KEY:
      missing-part: a text is missing after \`KEY:\` · write for example \`KEY: deploy {target}\`
    KEY: {a}
      bad-key: the key of the runs uses \`a\`, which is not an input · a KEY has texts and inputs, such as \`deploy {target}\`, because it is known before the run begins
    IMPORT:
      missing-part: each import has a line of its own · write \`IMPORT: "./STATE"\` at the margin
    IMPORT: x
      unquoted-path: the path of an import is not in quotes · write \`IMPORT: "x"\`
      import-failed: cannot import \`x\`: no such file · paths are relative to the importing file; shipped patterns are \`std/NAME\`
      → IMPORT: "x"
    IMPORT: ./x.dsl
      unquoted-path: the path of an import is not in quotes · write \`IMPORT: "./x.dsl"\`
      import-failed: cannot import \`./x.dsl\`: no such file · paths are relative to the importing file; shipped patterns are \`std/NAME\`
      → IMPORT: "./x.dsl"
    IMPORT: "./x.dsl"
      import-failed: cannot import \`./x.dsl\`: no such file · paths are relative to the importing file; shipped patterns are \`std/NAME\`
    IMPORT: std/git
      unquoted-path: the path of an import is not in quotes · write \`IMPORT: "std/git"\`
      import-failed: cannot import \`std/git\`: no such file · paths are relative to the importing file; shipped patterns are \`std/NAME\`
      → IMPORT: "std/git"
    IMPORT: "std/nothing"
      import-failed: cannot import \`std/nothing\`: no such file · paths are relative to the importing file; shipped patterns are \`std/NAME\`
    IMPORT: "std/git"
      import-failed: cannot import \`std/git\`: no such file · paths are relative to the importing file; shipped patterns are \`std/NAME\`
    EVENTS: none
      unknown-verb: \`EVENTS\` is not a verb · begin the line with a verb such as \`DO:\`, \`EMIT:\` or \`GOTO:\`, or make it a comment with \`# \`
    SHELL: zsh
      unknown-verb: \`SHELL\` is not a verb · write \`DO: zsh\`
      → DO: zsh
    DO: ls
      instruction-outside-state: this instruction is outside every state · write \`STATE: BEGIN\` above it, indent it, and end with \`GOTO: A\`
       STATE: C
      unexpected-indentation: the first line is indented · remove the extra indentation"
  `);
});

test('sections of a step', () => {
  const lines = [
    'PROMPT:',
    'PROMPT: Do it.',
    'PROMPT: "Do {unknown}."',
    'PROMPT: "Again."',
    'AGENT:',
    'AGENT: codex',
    'AGENT: claude with',
    'AGENT: claude with max_time=5m',
    'AGENT: claude with max_time=5',
    'AGENT: claude with max_cost=x',
    'AGENT: claude with no_write=maybe',
    'AGENT: claude with foo=1',
    'AGENT: claude with max_turns=0',
    'CONTEXT:',
    'CONTEXT: file=',
    'CONTEXT: file="{unknown}.md"',
    'CONTEXT: bash=ls -l',
    'CONTEXT: foo="x"',
    'CONTEXT: file="a.md",',
    'SESSION:',
    'SESSION: from=later',
    'SESSION: from=main',
    'SESSION: from=',
    'SESSION: foo',
    'GATE:',
    'RETRY: 3',
    'WORKFLOW: flow',
    'WORKFLOW:',
    'EACH: x in items',
    'EACH: x in [1, 2]',
    'DO: ls',
    'RUN: ls',
    'STEP: inner\n    PROMPT: "x"\n    AGENT: claude',
  ];
  expect(lines.map((line) => said(STEP, line)).join('\n')).toMatchInlineSnapshot(`
    "PROMPT:
      missing-part: a text is missing after \`PROMPT\` · write for example \`PROMPT: "Implement {task.description}"\`
      repeated-section: the step has a second \`PROMPT\` · keep one of the two
    PROMPT: Do it.
      repeated-section: the step has a second \`PROMPT\` · keep one of the two
      unquoted-prompt: the prompt is not in quotes · put it in quotes, or on the lines below, indented deeper
      → PROMPT: "Do it."
    PROMPT: "Do {unknown}."
      repeated-section: the step has a second \`PROMPT\` · keep one of the two
    PROMPT: "Again."
      repeated-section: the step has a second \`PROMPT\` · keep one of the two
    AGENT:
      missing-part: the name of an agent is missing after \`AGENT\` · write for example \`AGENT: claude-sonnet with max_turns=60\`
      repeated-section: the step has a second \`AGENT\` · keep one of the two
    AGENT: codex
      repeated-section: the step has a second \`AGENT\` · keep one of the two
    AGENT: claude with
      repeated-section: the step has a second \`AGENT\` · keep one of the two
      missing-part: a guard is missing after \`with\` · write for example \`AGENT: claude-sonnet with max_turns=60\`
    AGENT: claude with max_time=5m
      repeated-section: the step has a second \`AGENT\` · keep one of the two
    AGENT: claude with max_time=5
      repeated-section: the step has a second \`AGENT\` · keep one of the two
    AGENT: claude with max_cost=x
      repeated-section: the step has a second \`AGENT\` · keep one of the two
    AGENT: claude with no_write=maybe
      repeated-section: the step has a second \`AGENT\` · keep one of the two
    AGENT: claude with foo=1
      repeated-section: the step has a second \`AGENT\` · keep one of the two
    AGENT: claude with max_turns=0
      repeated-section: the step has a second \`AGENT\` · keep one of the two
    CONTEXT:
      missing-part: an entry is missing after \`CONTEXT\` · write for example \`CONTEXT: file=docs/design.md\`
    CONTEXT: file=
      missing-part: a path is missing after \`file=\` · write for example \`file=docs/design.md\`
    CONTEXT: file="{unknown}.md"
      unknown-name: nothing binds \`unknown\` · bind it with CHECK, DO or TRACK, declare it with \`INPUT:\`, or pass it with \`GOTO … with\`
    CONTEXT: bash=ls -l
      unexpected-text: \`-l\` is unexpected here · write \`CONTEXT: bash="ls -l"\`
      → CONTEXT: bash="ls -l"
    CONTEXT: foo="x"
      unknown-entry: \`foo\` is not an entry of \`CONTEXT\` · remove it
    CONTEXT: file="a.md",
      missing-part: an entry is missing after \`,\` · write an entry there, or remove \`,\`
    SESSION:
      missing-part: a session is missing after \`SESSION\` · write for example \`SESSION: from=plan\`
    SESSION: from=later
      no-session: \`later\` has no session to continue here: no step of that name is visible here · name a step above this one that has an agent
    SESSION: from=main
      no-session: \`main\` has no session to continue here: it is this step itself · name a step above this one that has an agent
    SESSION: from=
      missing-part: a value is missing after \`from=\` · write a value there, or remove \`from=\`
      bad-session: \`from\` does not say in which session the step starts · write \`SESSION: from=STEP\` to continue the session of a step, or \`SESSION: new\`
    SESSION: foo
      bad-session: \`foo\` does not say in which session the step starts · write \`SESSION: from=STEP\` to continue the session of a step, or \`SESSION: new\`
    GATE:
      missing-part: a gate is missing after \`GATE\` · write for example \`GATE: compile, test\`
    RETRY: 3
      retry-without-exit: a RETRY says after how many attempts it ends · write \`RETRY: EXIT 3\`
      → RETRY: EXIT 3
    WORKFLOW: flow
      two-runs: \`WORKFLOW\` and \`AGENT\` cannot both do the work of one step · split it into two steps, or remove one of the two
    WORKFLOW:
      missing-part: the name of a workflow is missing after \`WORKFLOW\` · write for example \`WORKFLOW: validators/review with diff={diff}\`
      two-runs: \`WORKFLOW\` and \`AGENT\` cannot both do the work of one step · split it into two steps, or remove one of the two
    EACH: x in items
      empty-block: \`EACH\` has no steps · write the steps below it, indented deeper
      each-without-split: \`EACH\` needs tasks, but the step \`main\` does not create any · write \`type=split\` on the step that creates them
      unknown-option: EACH has no option \`x\` · leave it out: it has none
      unknown-option: EACH has no option \`in\` · leave it out: it has none
      unknown-option: EACH has no option \`items\` · leave it out: it has none
    EACH: x in [1, 2]
      unexpected-text: \`1\` is unexpected here · write \`FOR EACH: x in [1, 2]:\`
      → FOR EACH: x in [1, 2]:
    DO: ls
      two-runs: \`DO\` and \`AGENT\` cannot both do the work of one step · split it into two steps, or remove one of the two
    RUN: ls
      unknown-verb: \`RUN\` is not a verb · write \`DO\`
      two-runs: \`RUN\` and \`AGENT\` cannot both do the work of one step · split it into two steps, or remove one of the two
      → DO: ls
    STEP: inner
        PROMPT: "x"
        AGENT: claude
      two-runs: \`STEP\` and \`AGENT\` cannot both do the work of one step · split it into two steps, or remove one of the two"
  `);
});

test('retries', () => {
  const lines = [
    'ATTEMPT',
    'ATTEMPT 2',
    'ATTEMPT x → AGENT: codex',
    'ATTEMPT 1 → AGENT: codex',
    'ATTEMPT 2 → AGENT: codex, AGENT: claude',
    'ATTEMPT 2 → AGENT',
    'ATTEMPT 2 → PROMPT "x {unknown}"',
    'ATTEMPT 2 → PROMPT x',
    'ATTEMPT 2 → PROMPT """x"""',
    'ATTEMPT 2 → SESSION old',
    'ATTEMPT 2 → WORKTREE reset',
    'ATTEMPT 2 → WORKTREE keep',
    'ATTEMPT 2 → RESTART_FROM main',
    'ATTEMPT 2 → RESTART_FROM later',
    'ATTEMPT 2 → REPLAN',
    'ATTEMPT 2 → FOO x',
    'ATTEMPT 2,',
    'NOT gate.tests → SESSION new',
    'NOT gate. → SESSION new',
    'NOT → SESSION new',
    'VALIDATE "n > 1" → SESSION new',
    'VALIDATE n > 1 → SESSION new',
    'EXIT',
    'EXIT x',
    'EXIT 0',
    'EXIT 2, EXIT 3',
    'ATTEMPT 5 → SESSION new',
  ];
  expect(lines.map((line) => said(RETRIES, line)).join('\n')).toMatchInlineSnapshot(`
    "ATTEMPT
      missing-part: a number is missing after \`ATTEMPT\` · write for example \`ATTEMPT 3\`
      retry-changes-nothing: this entry of RETRY changes nothing · add \`AGENT\`, \`PROMPT\`, \`SESSION new\`, \`WORKTREE reset\`, \`RESTART_FROM\` or \`REPLAN\`, or remove it
      → (nothing)
    ATTEMPT 2
      retry-changes-nothing: this entry of RETRY changes nothing · add \`AGENT\`, \`PROMPT\`, \`SESSION new\`, \`WORKTREE reset\`, \`RESTART_FROM\` or \`REPLAN\`, or remove it
      → (nothing)
    ATTEMPT x → AGENT: codex
      retry-number: ATTEMPT needs a whole number of at least 1 · write \`ATTEMPT 3\`
      agent-forces-session: \`codex\` cannot continue the session of another agent, so it starts a new one · make this explicit: add \`SESSION new\`
    ATTEMPT 1 → AGENT: codex
      agent-forces-session: \`codex\` cannot continue the session of another agent, so it starts a new one · make this explicit: add \`SESSION new\`
    ATTEMPT 2 → AGENT: codex, AGENT: claude
      agent-forces-session: \`codex\` cannot continue the session of another agent, so it starts a new one · make this explicit: add \`SESSION new\`
      retry-override: \`AGENT\` is given twice · a retry can change \`AGENT\`, \`PROMPT\`, \`SESSION new\`, \`WORKTREE reset\`, \`RESTART_FROM\` and \`REPLAN\`, each once
    ATTEMPT 2 → AGENT
      missing-part: a value is missing after \`AGENT\` · write for example \`AGENT claude-opus\`
    ATTEMPT 2 → PROMPT "x {unknown}"
      unknown-name: nothing binds \`unknown\` · bind it with CHECK, DO or TRACK, declare it with \`INPUT:\`, or pass it with \`GOTO … with\`; for the text itself, double the braces: \`{{unknown}}\`
    ATTEMPT 2 → PROMPT x
      unquoted-prompt: the prompt is not in quotes · put it in quotes, or on the lines below, indented deeper
      → ATTEMPT 2 → PROMPT "x"
    ATTEMPT 2 → PROMPT """x"""
      triple-quotes: three quotes do not begin a text · write one quote on each side: \`"…"\`
      → ATTEMPT 2 → PROMPT "x"
    ATTEMPT 2 → SESSION old
      retry-override: \`SESSION\` can only be \`new\` in a retry · a retry can change \`AGENT\`, \`PROMPT\`, \`SESSION new\`, \`WORKTREE reset\`, \`RESTART_FROM\` and \`REPLAN\`, each once
    ATTEMPT 2 → WORKTREE reset
      reset-keeps-session: the files are reset but the session is not, so the agent remembers edits that are gone · add \`SESSION new\`
    ATTEMPT 2 → WORKTREE keep
      retry-override: \`WORKTREE\` can only be \`reset\` in a retry · a retry can change \`AGENT\`, \`PROMPT\`, \`SESSION new\`, \`WORKTREE reset\`, \`RESTART_FROM\` and \`REPLAN\`, each once
    ATTEMPT 2 → RESTART_FROM main
      retry-override: a retry cannot begin with \`main\`: it is not a step above in the same list · name one of \`early\`
    ATTEMPT 2 → RESTART_FROM later
      retry-override: a retry cannot begin with \`later\`: it is not a step above in the same list · name one of \`early\`
    ATTEMPT 2 → REPLAN
      missing-part: a value is missing after \`REPLAN\` · write for example \`REPLAN claude-opus\`
    ATTEMPT 2 → FOO x
      unknown-entry: \`FOO\` is not an entry of \`RETRY\` · remove it
      retry-override: \`FOO\` cannot be changed by a retry · a retry can change \`AGENT\`, \`PROMPT\`, \`SESSION new\`, \`WORKTREE reset\`, \`RESTART_FROM\` and \`REPLAN\`, each once
    ATTEMPT 2,
      retry-changes-nothing: this entry of RETRY changes nothing · add \`AGENT\`, \`PROMPT\`, \`SESSION new\`, \`WORKTREE reset\`, \`RESTART_FROM\` or \`REPLAN\`, or remove it
      missing-part: a change, such as \`AGENT claude-opus\` is missing after \`,\` · write for example \`ATTEMPT 2 → AGENT claude-opus\`
      → (nothing)
    NOT gate.tests → SESSION new
      unknown-gate: the step \`main\` has no gate \`tests\` · did you mean \`gate.test\`?
      → NOT gate.test → SESSION new
    NOT gate. → SESSION new
      unknown-gate: the step \`main\` has no gate \`\` · its gates are \`gate.test\`
    NOT → SESSION new
      missing-part: a gate is missing after \`NOT\` · write for example \`NOT gate.test → AGENT claude-opus\`
    VALIDATE "n > 1" → SESSION new
      retry-changes-nothing: this entry of RETRY changes nothing · add \`AGENT\`, \`PROMPT\`, \`SESSION new\`, \`WORKTREE reset\`, \`RESTART_FROM\` or \`REPLAN\`, or remove it
      unexpected-text: \`"n > 1"\` is unexpected here · put an operator such as \`==\` before the text
      → (nothing)
    VALIDATE n > 1 → SESSION new
      retry-changes-nothing: this entry of RETRY changes nothing · add \`AGENT\`, \`PROMPT\`, \`SESSION new\`, \`WORKTREE reset\`, \`RESTART_FROM\` or \`REPLAN\`, or remove it
      unknown-workflow: there is no workflow \`n\` · write it to \`workflows/n.yaml\`
      unexpected-text: \`>\` is unexpected here · a comparison needs a value on both sides
      → (nothing)
    EXIT
      missing-part: a number is missing after \`EXIT\` · write for example \`EXIT 3\`
    EXIT x
      retry-number: EXIT needs a whole number of at least 1 · write \`EXIT 3\`
    EXIT 0
      retry-number: EXIT needs a whole number of at least 1 · write \`EXIT 3\`
    EXIT 2, EXIT 3
      retry-condition: this entry of RETRY has more than one condition · every entry has one of ATTEMPT, NOT, VALIDATE and EXIT; write two entries
    ATTEMPT 5 → SESSION new
      retry-never-reached: there is no attempt 5: EXIT allows only 3 · raise EXIT, or remove this entry"
  `);
});

test('gates', () => {
  const lines = [
    '-',
    '- bash',
    '- bash "',
    '- bash "x" as test',
    '- bash "x" as',
    '- bash "x" as a b',
    '- bash ls',
    '- bash "ls {unknown}"',
    '- coverage',
    '- coverage x',
    '- coverage 101',
    '- coverage -1',
    '- coverage {80}',
    '- touched',
    '- expr',
    '- expr n > 1',
    '- validate',
    '- validate flow',
    '- validate flow with x=1',
    '- test as test',
    '- not bash "x"',
  ];
  expect(lines.map((line) => said(GATES, line)).join('\n')).toMatchInlineSnapshot(`
    "-
      not-an-instruction: this line is not an instruction: it does not begin with a verb · write \`DO: \` before a command, or make the line a comment with \`# \`
    - bash
      missing-part: a command in quotes is missing after \`bash\` · write for example \`bash "npm test"\`
    - bash "
      unclosed-quote: the quoted text does not end on this line · close it with \`"\`
      → - bash ""
    - bash "x" as test
      duplicate-gate: two gates of this step have the name \`gate.test\` · give one of them another name, as in \`as test2\`
      → - bash "x" as test2
    - bash "x" as
      missing-part: a name is missing after \`as\` · write for example \`bash as quick\`
    - bash "x" as a b
      unexpected-text: \`b\` is unexpected here · separate the entries with commas, and put texts of several words in quotes
    - bash ls
      missing-part: the command of a gate is in quotes, after \`bash\` · write \`- bash "ls" as ls\`
      → - bash "ls" as ls
    - bash "ls {unknown}"
      unknown-name: nothing binds \`unknown\` · bind it with CHECK, DO or TRACK, declare it with \`INPUT:\`, or pass it with \`GOTO … with\`; for the text itself, write \`\\{unknown}\`
    - coverage
      missing-part: a percentage is missing after \`coverage\` · write for example \`coverage 80\`
      bad-coverage: \`coverage\` needs a number from 0 to 100 · write \`coverage 80\`
      → - coverage80
    - coverage x
      bad-coverage: \`coverage\` needs a number from 0 to 100 · write \`coverage 80\`
      → - coverage 80
    - coverage 101
      bad-coverage: \`coverage\` needs a number from 0 to 100 · write \`coverage 80\`
      → - coverage 80
    - coverage -1
      bad-coverage: the command of a gate is in quotes, after \`bash\` · write \`- bash "coverage -1" as coverage\`
      → - bash "coverage -1" as coverage
    - coverage {80}
      bad-coverage: \`coverage\` needs a number from 0 to 100 · write \`coverage 80\`
      unexpected-text: \`80\` is unexpected here · remove it, or quote it if it belongs to a text
      → - coverage 8080}
    - touched
      missing-part: a pattern of file names is missing after \`touched\` · write for example \`touched "src/**"\`
    - expr
      missing-part: a condition is missing after \`expr\` · write for example \`expr a > 1\`
    - expr n > 1
      unknown-name: nothing binds \`n\` · bind it with CHECK, DO or TRACK, declare it with \`INPUT:\`, or pass it with \`GOTO … with\`
    - validate
      missing-part: the name of a workflow is missing after \`validate\` · write for example \`validate validators/review with diff={diff}\`
    - validate flow
      unknown-workflow: there is no workflow \`flow\` · write it to \`workflows/flow.yaml\`
    - validate flow with x=1
      unknown-workflow: there is no workflow \`flow\` · write it to \`workflows/flow.yaml\`
    - test as test
      duplicate-gate: two gates of this step have the name \`gate.test\` · give one of them another name, as in \`as test2\`
      → - test as test2
    - not bash "x"
      unexpected-text: \`bash\` is unexpected here · separate the entries with commas, and put texts of several words in quotes"
  `);
});
