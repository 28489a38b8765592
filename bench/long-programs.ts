/** Long programs of several kinds, because each has other slow parts. */

export interface LongProgram {
  readonly kind: string;
  /** A program of about so many lines. */
  readonly text: (lines: number) => string;
}

/** States one after the other, `lines` each; `state` gets its number and the name of the next one. */
function inStates(
  head: string,
  linesOfState: number,
  state: (index: number, next: string) => string,
): LongProgram['text'] {
  return (lines) => {
    const states = Math.max(1, Math.round(lines / linesOfState));
    const parts = [head];
    for (let index = 0; index < states; index++)
      parts.push(state(index, index + 1 < states ? `S${index + 1}` : 'ERROR'));
    return `${parts.join('')}\nSTATE: ERROR\n  RETURN: {error}\n`;
  };
}

/** The usual instructions, names that must be resolved, a command or two a state. */
export const usual: LongProgram = {
  kind: 'usual',
  text: inStates(
    'INPUT: objective = "x"\nINPUT: limit = 20\n',
    11,
    (index, next) => `
STATE: S${index}
  # what this state is about, in some words
  TRACK: count_${index % 50}
  CHECK: ready = python3 lib/orchestration.py ready-tasks --state={objective} -- {count_${index % 50}}
  IF: ready.tasks is empty AND count_${index % 50} < limit → EMIT: NOTHING_READY state=S${index}, GOTO ${next}
  IF: len(ready.tasks) > 3 → EMIT: "many tasks: {ready.tasks}"
  INCREMENT: count_${index % 50}
  DO: git commit -m "step {count_${index % 50}} of {objective}" -- lib/{objective}.py
  IF: count_${index % 50} > limit → GOTO ${next}
  GOTO: ${next}
`,
  ),
};

const small: LongProgram = {
  kind: 'small states',
  text: inStates(
    'INPUT: limit = 20\n',
    7,
    (index, next) => `
STATE: S${index}
  TRACK: n_${index % 50} = ${index}
  INCREMENT: n_${index % 50}
  IF: n_${index % 50} > limit → GOTO ERROR with error="n_${index % 50} is {n_${index % 50}}"
  GOTO: ${next}
`,
  ),
};

/** Shell text as people write it: some of it is in a program many times, and most of it once. */
const COMMANDS: readonly ((index: number) => string)[] = [
  (index) =>
    `find {dir} -name '*.ts' -not -path "*/modules/*" | xargs grep -l "item ${index}" | sort -u > out/${index}.txt`,
  () => `for f in src/*.js; do echo "$f: $(wc -l < "$f")"; done >> report.log 2>&1`,
  (index) =>
    `if [ -f build/${index}.ok ] && ! grep -q done build/${index}.ok; then make -C {dir} all; else echo skip; fi`,
  () =>
    `curl -sS --fail -H "Authorization: Bearer $TOKEN" "https://example.org/api?q={dir}" | jq -r '.items[] | .name'`,
  (index) => `git log --since="2 days ago" --format='%h %s' -- {dir}/part${index} | head -n 20`,
];

const shell: LongProgram = {
  kind: 'shell text',
  text: inStates('INPUT: dir = "x"\nINPUT: limit = 20\n', 9, (index, next) => {
    const command = (shift: number) => COMMANDS[(index + shift) % COMMANDS.length]?.(index);
    return `
STATE: S${index}
  CHECK: found = ${command(0)}
  IF: found contains "item" → EMIT: FOUND number=${index}
  TRACK: n_${index % 50}
  DO: ${command(1)}
  IF: n_${index % 50} > limit → GOTO ERROR with error="too many"
  CHECK: more = ${command(3)}
  GOTO: ${next} with last={more}
`;
  }),
};

const nested: LongProgram = {
  kind: 'nested',
  text: inStates(
    'INPUT: a = 1\nINPUT: b = 2\nINPUT: items = ["x"]\n',
    19,
    (index, next) => `
STATE: S${index}
  TRACK: x_${index % 50}
  SET: x_${index % 50} = a + (b * ${index} - (a * (b + ${index % 7})) / 3) + len(items) + max(a, min(b, ${index}, 5), a + 1)
  IF: (a > 3 AND b < ${index}) OR (a + b > 10 AND NOT (items is empty)) OR (items contains "y" AND a == ${index}) →
    FOR EACH: item in items:
      IF: item == "x" AND a > ${index % 9} →
        IF: x_${index % 50} > 2 →
          EMIT: DEEP n=${index} text="{item} and {len(items)}"
          IF: item in ["a", "b", "c{b}", {name: "d{a}", list: [a, [b, ${index}]]}.name] →
            INCREMENT: x_${index % 50} by a + ${index}
          ELSE:
            SET: x_${index % 50} = x_${index % 50} - 1
        ELSE IF: item is not empty →
          PROCEED
        ELSE:
          EMIT: OTHER value={a} text="{x_${index % 50}}"
  GOTO: ${next} with left=(a - 1), right=[b, {a: b}]
`,
  ),
};

const steps: LongProgram = {
  kind: 'steps',
  text: inStates(
    'INPUT: goal = "x"\n',
    20,
    (index, next) => `
STATE: S${index}
  STEP: part${index} type=code
    CONTEXT:
      bash="git log -${index + 1}"
      bash="cat src/*.ts | head -n ${index + 1}"
    PROMPT:
      Implement part ${index} of {goal}.
      Read what is there first; do not touch anything else.
    AGENT: junior with max_turns=40, max_cost=0.50
    GATE:
      compile
      bash "npm test -- part${index}" as test
      untouched "tests/**"
      expr len(part${index}.output) <= ${index + 80} as short
    RETRY:
      NOT gate.test → PROMPT "Fix this: {goal}"
      ATTEMPT 3 → AGENT senior, SESSION new, WORKTREE reset
      EXIT 4
  GOTO: ${next}
`,
  ),
};

/** The tools of `calls`, as described in the file next to the program. */
export const TOOLS = `find_stock: { run: [./find], idempotent: true }
reserve: { run: [./reserve], idempotent: true }
release: { run: [./release], idempotent: true }
`;

const calls: LongProgram = {
  kind: 'calls of tools',
  text: inStates(
    'INPUT: order = {sku: "x", n: 1}\n',
    9,
    (index, next) => `
STATE: S${index}
  CALL: stock = find_stock with sku={order.sku}, "max items"=${index}
  IF: stock.count == 0 → GOTO ERROR with error="no {order.sku}"
  CALL [timeout=5s]: reserve with sku={order.sku}, n={order.n} → †state.reserved${index % 40}
  UNDO: CALL release with sku={order.sku}
  EMIT: RESERVED order={order} id={†state.reserved${index % 40}.id}
  GOTO: ${next}
`,
  ),
};

export const longPrograms: readonly LongProgram[] = [usual, small, shell, nested, steps, calls];

/** A workflow file of at least so many lines. */
export function workflowOf(lines: number): string {
  const found = ['name: long', 'max_budget: 40', 'inputs: [objective]', 'steps:'];
  for (let n = 1; found.length < lines; n++)
    found.push(
      ...`  - name: plan${n}
    type: split
    get:
      prompt: |
        Divide the specification below into tasks. Each task builds on the earlier ones.

        {objective}
    run:
      agent: claude-opus
      guard: { max_turns: 30, no_write: true }
    gate: [schema]
    retry:
      - exit: 2
    each:
      - name: make${n}
        type: code
        get:
          prompt: |
            {task.description}
            Change only: {task.files}
        run: { agent: claude-sonnet }
        gate: [compile, test]
        retry:
          - attempt: 2
            prompt: "{task.description} {error}"
          - exit: 5

  # What comes after plan ${n}.
  - name: build${n}
    bash: |
      ./build.sh --part ${n} {objective}
    gate:
      - bash: ./test.sh part${n}`.split('\n'),
    );
  return found.join('\n');
}
