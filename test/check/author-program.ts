/** A program with values, a pattern and another state, around a line as an author might write it. */
export const inState = (line: string): string => `INPUT: name = "x"
INPUT: n = 3
INPUT: items = ["a", "b"]
INPUT: dry = false
PATTERN: NOTIFY with who, text="hi"
  DO: ./notify.sh {who} {text}
STATE: A
  TRACK: tries
  TRACK: done = []
  DO: job = ./job.sh
  CHECK: st = ./status.sh
${indented(line)}
  IF: st == "z" → GOTO: B with job, n
  RETURN: ok
STATE: B
  RETURN: {job} {n}
`;

export const indented = (line: string): string => line.replace(/^/gm, '  ');
