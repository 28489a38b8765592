import { type Compilation, type CompileOptions, compile } from '../../src/language/check/compile.js';

/** A compiler that compiles each text once, although a test asks for its messages, its fixes and its errors. */
export function rememberingCompiler(options: CompileOptions): (text: string) => Compilation {
  const known = new Map<string, Compilation>();
  return (text) => {
    const compilation = known.get(text) ?? compile(text, options);
    // The texts of one test.
    if (known.size > 8) known.clear();
    known.set(text, compilation);
    return compilation;
  };
}

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
