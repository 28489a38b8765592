/** The steps of a state as a picture: in order, those inside of others in their boxes, with the entries of RETRY as rows. */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { Picture, PictureEdge, PictureKind, PictureNode, PictureRow, ReachedPart } from '../picture/picture.js';
import type { DrawnStep } from '../steps/step-tree.js';

/** How much of a state or step was reached, as a color and in words. */
export interface ReachNote {
  readonly reach: ReachedPart;
  readonly text: string;
}

export type StepReach = (path: string) => ReachNote | undefined;

/** `reachOf` colors steps by what was reached of them. */
export function stepPicture(
  steps: readonly DrawnStep[],
  lead: string,
  parallel: boolean,
  reachOf?: StepReach,
): Picture {
  const nodes = steps.map((step, at) => stepNode(step, `${lead}/${at}`, reachOf));
  if (parallel) return { nodes, edges: [], arrange: 'row' };
  const edges = nodes.slice(1).map((node, at): PictureEdge => {
    const from = nodes[at]?.id ?? '';
    return { id: `${from} > ${node.id}`, from, to: node.id, kind: 'main', labels: [] };
  });
  return { nodes, edges, arrange: 'flow' };
}

/** A color alone says nothing to some readers. */
export function reachRow({ text }: ReachNote): PictureRow {
  return { kind: null, text, depth: 0 };
}

function stepNode(step: DrawnStep, id: string, reachOf: StepReach | undefined): PictureNode {
  const [title = '', ...about] = step.lines;
  const rows = [...about.map((text): PictureRow => ({ kind: null, text, depth: 0 })), ...retryRows(step.retry)];
  const inside =
    step.inside.length === 0 ? undefined : stepPicture(step.inside, id, step.parallel && step.kind !== 'each', reachOf);
  const reached = step.kind === 'step' ? reachOf?.(step.path) : undefined;
  if (reached !== undefined) rows.push(reachRow(reached));
  const path = step.kind === 'step' ? step.path : undefined;
  return {
    ...{ id, kind: kindOf(step), shape: 'card', title, rows },
    ...omitUndefined({ step: path, inside, reach: reached?.reach }),
  };
}

function kindOf({ kind, path, parallel, inside }: DrawnStep): PictureKind {
  if (kind === 'step' && parallel && inside.length > 0) return 'parallel';
  if (kind === 'step') return path.startsWith('call ') ? 'call' : 'step';
  return parallel ? 'parallel' : kind === 'each' ? 'loop' : 'machine';
}

/** `exit: 4`, which is always the last entry, says how many attempts there are. */
function retryRows(entries: readonly string[]): PictureRow[] {
  const most = /^exit: (\d+)$/.exec(entries.at(-1) ?? '')?.[1];
  if (most === undefined) return [];
  const head = `retry: ${most} ${most === '1' ? 'attempt' : 'attempts'} at most`;
  const changes = entries.slice(0, -1).map((text): PictureRow => ({ kind: null, text, depth: 1 }));
  return [{ kind: 'loop', text: head, depth: 0 }, ...changes];
}
