/** What is wrong with the geometry of a drawing, as sentences; a good drawing has no problems. */
import type {
  Drawing,
  DrawnEdge,
  DrawnNode,
  DrawnText,
  Picture,
  Point,
  Rectangle,
} from '../../src/views/picture/picture.js';

export function pictureProblems(picture: Picture, drawing: Drawing): string[] {
  return [...missingIn(picture, drawing), ...outside(drawing), ...overlaps(drawing), ...badEdges(drawing)];
}

/** All nodes and edges of a picture, those inside of nodes included. */
export function contentsOf(picture: Picture): { readonly nodes: string[]; readonly edges: string[] } {
  const inside = picture.nodes.flatMap((node) => (node.inside === undefined ? [] : [contentsOf(node.inside)]));
  return {
    nodes: [...picture.nodes.map(({ id }) => id), ...inside.flatMap(({ nodes }) => nodes)],
    edges: [...picture.edges.map(({ id }) => id), ...inside.flatMap(({ edges }) => edges)],
  };
}

function missingIn(picture: Picture, drawing: Drawing): string[] {
  const { nodes, edges } = contentsOf(picture);
  const compare = (what: string, wanted: readonly string[], drawn: readonly string[]): string[] =>
    JSON.stringify([...wanted].sort()) === JSON.stringify([...drawn].sort()) ? [] : [`${what} differ: ${drawn}`];
  return [
    ...compare(
      'nodes',
      nodes,
      drawing.nodes.map(({ node }) => node.id),
    ),
    ...compare(
      'edges',
      edges,
      drawing.edges.map(({ edge }) => edge.id),
    ),
  ];
}

interface Named extends Rectangle {
  readonly name: string;
}

const textBox = ({ text, x, y, width, font, centered }: DrawnText): Named => ({
  ...{ name: `text ${text}`, x: centered ? x - width / 2 : x, y: y - font.size * 0.8 },
  ...{ width, height: font.size },
});

const labelBoxes = (edges: readonly DrawnEdge[]): Named[] =>
  edges.flatMap(({ edge, label }) => (label === null ? [] : [{ ...label, name: `label of ${edge.id}` }]));

const nodeBox = ({ node, x, y, width, height }: DrawnNode): Named => ({ name: node.id, x, y, width, height });

function holds(outer: Rectangle, inner: Rectangle, slack = 0.5): boolean {
  return (
    inner.x >= outer.x - slack &&
    inner.y >= outer.y - slack &&
    inner.x + inner.width <= outer.x + outer.width + slack &&
    inner.y + inner.height <= outer.y + outer.height + slack
  );
}

function overlap(a: Rectangle, b: Rectangle): boolean {
  const slack = 0.5;
  return (
    a.x + slack < b.x + b.width &&
    b.x + slack < a.x + a.width &&
    a.y + slack < b.y + b.height &&
    b.y + slack < a.y + a.height
  );
}

function outside({ width, height, nodes, edges }: Drawing): string[] {
  const picture = { x: 0, y: 0, width, height };
  const points = edges.flatMap(({ edge, points: all }) =>
    all.map(({ x, y }): Named => ({ name: `a point of ${edge.id}`, x, y, width: 0, height: 0 })),
  );
  const cut = [...nodes.map(nodeBox), ...labelBoxes(edges), ...points].filter((one) => !holds(picture, one));
  const spilled = [
    ...nodes.flatMap((node) => node.texts.map(textBox).filter((text) => !holds(node, text))),
    ...edges.flatMap(({ label }) =>
      label === null ? [] : label.texts.map(textBox).filter((text) => !holds(label, text)),
    ),
  ];
  return [
    ...cut.map(({ name }) => `${name} is outside of the picture`),
    ...spilled.map(({ name }) => `${name} is outside of its box`),
  ];
}

function overlaps({ nodes, edges }: Drawing): string[] {
  const labels = labelBoxes(edges);
  const boxes = nodes.map(nodeBox);
  const texts = nodes.flatMap((node) => node.texts.map(textBox));
  const between = (list: readonly Named[], others: readonly Named[], mayHold: boolean): string[] =>
    list.flatMap((a, at) =>
      others
        .filter((b, index) => (list !== others || index > at) && overlap(a, b))
        .filter((b) => !mayHold || !(holds(a, b) || holds(b, a)))
        .map((b) => `${a.name} overlaps ${b.name}`),
    );
  return [
    ...between(labels, labels, false),
    ...between(boxes, boxes, true),
    ...between(labels, boxes, true),
    ...between(labels, texts, false),
    ...between(texts, texts, false),
  ];
}

function badEdges({ nodes, edges }: Drawing): string[] {
  const byId = new Map(nodes.map((node) => [node.node.id, node]));
  const labels = labelBoxes(edges);
  return edges.flatMap(({ edge, points }) => {
    const [from, to] = [byId.get(edge.from), byId.get(edge.to)];
    const [start, end] = [points[0], points.at(-1)];
    if (from === undefined || to === undefined || start === undefined || end === undefined || points.length < 2)
      return [`${edge.id} is not drawn`];
    const ends = touches(from, start) && touches(to, end) ? [] : [`${edge.id} does not connect its nodes`];
    const segments = points.slice(1).map((point, at) => segmentBox(points[at] as Point, point));
    const around = (node: DrawnNode): boolean => holds(node, from) && holds(node, to) && node !== from && node !== to;
    const crossed = nodes.filter((node) => !around(node) && segments.some((segment) => enters(segment, node)));
    const hidden = labels.filter(
      (label) => label.name !== `label of ${edge.id}` && segments.some((segment) => enters(segment, label)),
    );
    return [
      ...ends,
      ...crossed.map(({ node }) => `${edge.id} crosses ${node.id}`),
      ...hidden.map(({ name }) => `${edge.id} crosses the ${name}`),
    ];
  });
}

function touches(node: DrawnNode, { x, y }: Point): boolean {
  const slack = 1;
  const near = (a: number, b: number): boolean => Math.abs(a - b) <= slack;
  const inX = x >= node.x - slack && x <= node.x + node.width + slack;
  const inY = y >= node.y - slack && y <= node.y + node.height + slack;
  const onSide = near(x, node.x) || near(x, node.x + node.width);
  const onEnd = near(y, node.y) || near(y, node.y + node.height);
  return (inX && onEnd) || (inY && onSide);
}

function segmentBox(a: Point, b: Point): Rectangle {
  return { x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), width: Math.abs(a.x - b.x), height: Math.abs(a.y - b.y) };
}

/** Segments are horizontal or vertical, so their box is the segment itself. */
function enters(segment: Rectangle, box: Rectangle): boolean {
  const slack = 1;
  return (
    segment.x < box.x + box.width - slack &&
    segment.x + segment.width > box.x + slack &&
    segment.y < box.y + box.height - slack &&
    segment.y + segment.height > box.y + slack
  );
}
