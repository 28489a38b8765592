/**
 * Draws the states in rows: each one row below the first that leads to it. Ways to the next rows go straight, all others
 * around the right side.
 */
(() => {
  const editor = acquireVsCodeApi();
  const picture = document.getElementById('graph');
  const NAMESPACE = 'http://www.w3.org/2000/svg';
  const [ROW, GAP, HEIGHT, LETTER] = [64, 24, 28, 7.2];

  function element(name, attributes, ...children) {
    const made = document.createElementNS(NAMESPACE, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    made.append(...children);
    return made;
  }

  /** The row of each state. */
  function rowsOf({ nodes, edges }) {
    const rows = new Map();
    for (const { id } of nodes) {
      if (rows.has(id)) continue;
      // What nothing leads to stands below all that was placed before.
      rows.set(id, rows.size === 0 ? 0 : Math.max(...rows.values()) + 1);
      const waiting = [id];
      for (const from of waiting)
        for (const { to } of edges.filter((edge) => edge.from === from))
          if (!rows.has(to) && nodes.some((node) => node.id === to)) {
            rows.set(to, rows.get(from) + 1);
            waiting.push(to);
          }
    }
    return rows;
  }

  function draw({ graph, state }) {
    const { nodes, edges } = graph;
    document.getElementById('nothing').hidden = nodes.length > 0;
    const rows = rowsOf(graph);
    const places = new Map();
    let width = 0;
    for (let row = 0; row <= Math.max(0, ...rows.values()); row++) {
      let left = 8;
      for (const node of nodes.filter(({ id }) => rows.get(id) === row)) {
        const size = Math.max(56, node.label.length * LETTER + 20);
        places.set(node.id, { x: left, y: 8 + row * ROW, width: size });
        left += size + GAP;
      }
      width = Math.max(width, left);
    }
    const arrow = element('marker', { id: 'arrow', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' }, element('path', { d: 'M0 0 8 4 0 8z' }));
    let around = 0;
    const ways = edges.flatMap(({ from, to, label, range }) => {
      const [start, end] = [places.get(from), places.get(to)];
      if (start === undefined || end === undefined) return [];
      const [x1, x2] = [start.x + start.width / 2, end.x + end.width / 2];
      const isDown = rows.get(to) === rows.get(from) + 1;
      const side = width + 10 * (around % 6);
      if (!isDown) around++;
      const [right1, right2] = [start.x + start.width, end.x + end.width];
      const [middle1, middle2] = [start.y + HEIGHT / 2 + 4, end.y + HEIGHT / 2 - 4];
      const d = isDown
        ? `M${x1} ${start.y + HEIGHT}C${x1} ${start.y + HEIGHT + 18} ${x2} ${end.y - 18} ${x2} ${end.y}`
        : `M${right1} ${middle1}C${side} ${middle1} ${side} ${middle2} ${right2} ${middle2}`;
      const [x, y] = isDown ? [(x1 + x2) / 2 + 4, (start.y + HEIGHT + end.y) / 2 + 3] : [(right1 + side) / 2, (middle1 + middle2) / 2];
      const words = label.length > 24 ? `${label.slice(0, 23)}…` : label;
      const way = element('g', { class: 'way' }, element('title', {}, label), element('path', { d, 'marker-end': 'url(#arrow)' }), element('text', { x, y }, words));
      way.addEventListener('click', () => editor.postMessage({ go: range }));
      return [way];
    });
    const boxes = nodes.map(({ id, label, range }) => {
      const place = places.get(id);
      const box = element('g', { class: id === state || label === state ? 'node now' : 'node', 'data-id': id, tabindex: 0, role: 'button' },
        element('rect', { x: place.x, y: place.y, width: place.width, height: HEIGHT, rx: 5 }),
        element('text', { x: place.x + place.width / 2, y: place.y + HEIGHT / 2 }, label));
      const go = () => editor.postMessage({ go: range });
      box.addEventListener('click', go);
      box.addEventListener('keydown', ({ key }) => (key === 'Enter' ? go() : undefined));
      return box;
    });
    picture.replaceChildren(element('defs', {}, arrow), ...ways, ...boxes);
    picture.setAttribute('width', String(width + 80));
    picture.setAttribute('height', String(16 + ROW * (Math.max(0, ...rows.values()) + 1)));
    picture.querySelector('.now')?.scrollIntoView({ block: 'nearest' });
  }

  window.addEventListener('message', ({ data }) => {
    if (data.graph !== undefined) draw(data);
  });
  editor.postMessage({ ready: true });
})();
