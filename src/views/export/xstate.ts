/**
 * A machine as the JSON that XState reads. A state invokes the work of its instructions and leaves when that has ended.
 * Conditions become guards with their text as the type: the host that executes it supplies them and the work.
 */
import type { Instruction, Machine } from '../../machine/machine.js';
import { type GraphEdge, graphOf } from '../graph/machine-graph.js';

/** Something of a program that another form cannot say. */
export interface Unsayable {
  readonly message: string;
  readonly help: string;
  /** The name of the file and the line; null: the program as a whole. */
  readonly location: { readonly file: string; readonly line: number } | null;
}

export type Exported = { readonly text: string } | { readonly problems: readonly Unsayable[] };

interface Transition {
  readonly target: string;
  readonly guard?: { readonly type: string };
}

const RETURNED = 'returned';
const FAILED = 'failed';

export function xstateOf(machine: Machine): Exported {
  const problems = unsayableIn(machine);
  if (problems.length > 0) return { problems };
  const { states, edges, name } = graphOf(machine);
  // Names with a dot or a hash are paths there, and the two ends must not be states of the program.
  const ids = uniqueNames(states.map((state) => state.name));
  const ends = uniqueNames([...ids, RETURNED, FAILED]).slice(-2);
  const [returned, failed] = ends as [string, string];
  const targetOf = ({ to, failed: isFailed }: GraphEdge): string =>
    `#${to === null ? (isFailed === true ? failed : returned) : ids[to]}`;
  const made = states.map((state, at) => {
    const own = edges.filter(({ from, kind }) => from === at && kind !== 'rollback');
    const transitions = (wanted: readonly GraphEdge[], guardOf: (label: string) => string): Transition[] =>
      wanted.map((edge) => {
        const guard = guardOf(edge.label);
        return { target: targetOf(edge), ...(guard === '' ? {} : { guard: { type: guard } }) };
      });
    const handled = own.filter(({ kind, label }) => kind === 'goto' && onError(label) !== null);
    const onErrors = transitions(handled, (label) => onError(label) ?? '');
    const unhandled = own.filter(({ kind }) => kind === 'failure').map((edge) => ({ target: targetOf(edge) }));
    const invoke = {
      src: state.name,
      onDone: transitions(
        own.filter(({ kind, label }) => kind === 'goto' && onError(label) === null),
        (label) => label,
      ),
      onError: [...onErrors, ...(unhandled.length > 0 ? unhandled : [{ target: `#${failed}` }])],
    };
    const line = machine.states[at]?.code[0]?.origin.line;
    return [ids[at], { id: ids[at], ...(line === undefined ? {} : { meta: { line } }), invoke }];
  });
  const final = ends.map((id) => [id, { id, type: 'final' }]);
  const config = {
    id: plainName(name),
    initial: ids[states.findIndex(({ initial }) => initial)],
    states: Object.fromEntries([...made, ...final]),
  };
  return { text: `${JSON.stringify(config, null, 2)}\n` };
}

/** The condition of a transition of a handler, without the words that say so; null: it is none. */
function onError(label: string): string | null {
  const parts = label.split(' AND ');
  const at = parts.findIndex((part) => /^on error\b/.test(part));
  if (at < 0) return null;
  const kind = (parts[at] as string).replace(/^on error ?/, '');
  return [...(kind === '' ? [] : [`error_type == "${kind}"`]), ...parts.slice(at + 1)].join(' AND ');
}

function unsayableIn(machine: Machine): Unsayable[] {
  if (machine.workflow !== undefined)
    return [
      {
        message: 'a workflow file has steps and no states',
        help: 'draw it with `statedsl graph`',
        location: null,
      },
    ];
  return instructionsOf(machine).flatMap(({ instruction, location }) => {
    if (instruction.op === 'goto-dynamic' && instruction.target.op !== 'const')
      return [
        {
          message: 'a value names the target of this GOTO, which XState cannot say',
          help: 'write an IF with a GOTO for each target',
          location,
        },
      ];
    if (instruction.op === 'rollback')
      return [{ message: 'XState has no ROLLBACK', help: 'draw the program with `statedsl graph`', location }];
    return [];
  });
}

/** Every instruction of a machine with where it is written. */
export function instructionsOf({ states, files }: Machine) {
  return states.flatMap(({ code, name }) =>
    code.map((instruction: Instruction, pc) => ({
      instruction,
      state: name,
      pc,
      location: { file: files[instruction.origin.file] ?? '', line: instruction.origin.line },
    })),
  );
}

const plainName = (name: string): string => name.replace(/[.#\s]+/g, '_') || 'machine';

function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let own = plainName(name);
    while (taken.has(own)) own += '_';
    taken.add(own);
    return own;
  });
}
