/**
 * A line of a pattern is in each state that uses the pattern, and counts once for each of them. For people it is one line,
 * so its calls are counted together.
 */
import type { CountedSite, Edge } from './graph.js';
import type { Graph } from './longest-ways.js';

const keyOf = ({ kind, name, line }: CountedSite): string => `${kind} ${line} ${name}`;

export function withMergedSites<Whole extends Graph>(graph: Whole): Whole {
  const sites: CountedSite[] = [];
  const known = new Map<string, number>();
  const merged = graph.sites.map((site) => {
    const to = known.get(keyOf(site));
    if (to === undefined) {
      known.set(keyOf(site), sites.length);
      return sites.push(site) - 1;
    }
    const first = sites[to] as CountedSite;
    sites[to] = { ...first, alsoIn: [...(first.alsoIn ?? []), site.state] };
    return to;
  });
  if (sites.length === graph.sites.length) return graph;
  const mergedEdge = (edge: Edge): Edge => ({ ...edge, counts: edge.counts.map((site) => merged[site] as number) });
  return {
    ...graph,
    sites,
    nodes: graph.nodes.map((node) => ({ ...node, out: node.out.map(mergedEdge) })),
    begins: graph.begins.map(mergedEdge),
  };
}
