/** Pictures of every program of the repository, and of names and graphs that are made to break them. */
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { describe, expect, test } from 'vitest';
import { listPrograms } from '../../src/app/project/list-programs.js';
import { loadSoundPlan } from '../../src/cli/commands/plan/plan-graph.js';
import { readMachines } from '../../src/cli/preparation/read-machines.js';
import type { Machine } from '../../src/machine/machine.js';
import { machinesPicture } from '../../src/views/graph/machine-picture.js';
import { planPicture } from '../../src/views/graph/plan-picture.js';
import { elkEngine } from '../../src/views/picture/elk.js';
import type { Picture, PictureEdge, PictureNode } from '../../src/views/picture/picture.js';
import { textWidth, wrap } from '../../src/views/picture/picture.js';
import { layOut } from '../../src/views/picture/picture-layout.js';
import { drawSvg, svgOf } from '../../src/views/picture/svg.js';
import { some, tries } from '../amount.js';
import { code, goto, machine, unless } from './machine-fixture.js';
import { pictureProblems } from './picture-problems.js';

const engine = elkEngine();

async function pictureOf(file: string, failures: boolean): Promise<Picture> {
  if (file.endsWith('.json')) {
    const loaded = await loadSoundPlan(file, {});
    if (loaded === null) throw new Error(`${file} has errors`);
    return planPicture(loaded.plan);
  }
  const machines = await readMachines(file, {});
  if (typeof machines === 'number') throw new Error(`${file} has errors`);
  return machinesPicture(machines, { failures });
}

/** Fails if the text is not well-formed; gives its elements. */
function elementsOf(svg: string): { readonly name: string; readonly attributes: Readonly<Record<string, string>> }[] {
  const parser = new SaxesParser();
  const found: { name: string; attributes: Record<string, string> }[] = [];
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    found.push({ name, attributes });
  });
  parser.write(svg).close();
  return found;
}

const files = ['examples', 'workflows'].flatMap((folder) => {
  const { programs, workflows, plans } = listPrograms(folder);
  return [...programs, ...workflows, ...plans].map(({ path }) => `${folder}/${path}`);
});

test('the repository has programs, workflows and plans to draw', () => {
  expect(files).toContain('examples/campaign/campaign.dsl');
  expect(files).toContain('workflows/tdd.yaml');
  expect(files).toContain('examples/plans/release/release.json');
});

/** With what they have in common, a third of them find most mistakes. */
describe.each(some(files, 8))('%s', (file) => {
  const options = file.endsWith('.dsl') ? [false, true] : [false];
  test.each(options)('has nothing on top of something else (with all failures: %s)', async (failures) => {
    const picture = await pictureOf(file, failures);
    const drawing = await layOut(picture, engine);
    expect(pictureProblems(picture, drawing)).toEqual([]);
    const svg = drawSvg(drawing, file);
    expect(elementsOf(svg)[0]?.attributes).toMatchObject({ viewBox: `0 0 ${drawing.width} ${drawing.height}` });
  });
});

test('the same program gives the same bytes', async () => {
  const draw = async (): Promise<string> => svgOf('campaign', await pictureOf('examples/campaign/campaign.dsl', false));
  expect(await draw()).toBe(await draw());
});

function card(id: string, title: string, more: Partial<PictureNode> = {}): PictureNode {
  return { id, kind: 'state', shape: 'card', title, rows: [], ...more };
}

function way(from: string, to: string, labels: readonly string[] = []): PictureEdge {
  return { id: `${from} > ${to} ${labels.join()}`, from, to, kind: 'main', labels };
}

const HOSTILE = [
  '</text></g></svg><script>alert(1)</script>',
  '"><image href="https://example.com/x.png" onload="alert(1)"/>',
  "' style='position:fixed' onclick='alert(1)",
  ']]><!ENTITY x SYSTEM "file:///etc/passwd"><?xml-stylesheet href="x"?>&x;&#x0;',
  '</title></style><style>@import url(//example.com)</style>',
  'a\u202eb\u2066c\u200b\ufeff\u061c\u2028d',
  '\u0000\u0007\u001b[31mred\u009b\ud800 lonely \udc00 \ufffe\uffff',
  `e${'\u0301'.repeat(500)}`,
  'W'.repeat(3000),
  '\u{1f469}\u200d\u{1f469}\u200d\u{1f467} \ufdfd \u6f22\u5b57 \u05e9\u05dc\u05d5\u05dd',
  'line\nbreak\r\nand\ttab',
];

test('hostile names do nothing but look odd', async () => {
  const nodes = HOSTILE.map((text, at) =>
    card(text, text, { rows: [{ kind: 'agent', text, depth: at % 3 }], shape: at % 4 === 3 ? 'pill' : 'card' }),
  );
  const edges = HOSTILE.map((text, at) => way(text, HOSTILE[(at + 1) % HOSTILE.length] as string, [text, text]));
  const picture: Picture = { nodes, edges, arrange: 'flow' };
  expect(pictureProblems(picture, await layOut(picture, engine))).toEqual([]);
  const svg = await svgOf(HOSTILE.join(' '), picture);
  const elements = elementsOf(svg);
  expect([...new Set(elements.map(({ name }) => name))].sort()).toEqual([
    'g',
    'path',
    'rect',
    'style',
    'svg',
    'text',
    'title',
  ]);
  const attributes = new Set(elements.flatMap((element) => Object.keys(element.attributes)));
  expect([...attributes].filter((name) => /^on|href|style|src/i.test(name))).toEqual([]);
  expect(elements.filter(({ name }) => name === 'style')).toHaveLength(1);
  expect(svg.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u200b\u202a-\u202e\u2028\u2066-\u2069\ufeff\ufffe]/u);
  expect(Buffer.from(svg).toString()).toBe(svg);
  expect(svg).not.toMatch(/\u0301{4}/);
});

test('an id of any text is only an id', async () => {
  const ids = ['__proto__', 'constructor', 'n n', 'picture', ''];
  const picture: Picture = {
    ...{ nodes: ids.map((id) => card(id, id)), arrange: 'flow' },
    edges: ids.slice(1).map((id, at) => way(ids[at] as string, id, ['x'])),
  };
  expect(pictureProblems(picture, await layOut(picture, engine))).toEqual([]);
});

const words = fc.stringMatching(/^[A-Za-z_ .()=]{0,60}$/);

const graphs = fc.integer({ min: 1, max: 9 }).chain((size) =>
  fc.record({
    titles: fc.array(words, { minLength: size, maxLength: size }),
    ways: fc.uniqueArray(
      fc.record({
        from: fc.nat({ max: size - 1 }),
        to: fc.nat({ max: size - 1 }),
        labels: fc.array(words, { maxLength: 6 }),
      }),
      { maxLength: 2 * size, selector: ({ from, to }) => `${from} ${to}` },
    ),
  }),
);

test('any graph has a drawing without overlaps', async () => {
  await fc.assert(
    fc.asyncProperty(graphs, async ({ titles, ways }) => {
      const picture: Picture = {
        nodes: titles.map((title, at) => card(`${at}`, title)),
        edges: ways.map(({ from, to, labels }) => way(`${from}`, `${to}`, labels)),
        arrange: 'flow',
      };
      expect(pictureProblems(picture, await layOut(picture, engine))).toEqual([]);
    }),
    { numRuns: tries(2, 2000) },
  );
});

test('boxes next to each other wrap into rows, and boxes inside of boxes stay inside', async () => {
  const many = Array.from({ length: 20 }, (_, at) => card(`inner ${at}`, `member ${at}`));
  const box = card('box', 'in parallel', { kind: 'parallel', inside: { nodes: many, edges: [], arrange: 'row' } });
  const picture: Picture = { nodes: [box, card('next', 'NEXT')], edges: [way('box', 'next')], arrange: 'flow' };
  const drawing = await layOut(picture, engine);
  expect(pictureProblems(picture, drawing)).toEqual([]);
  expect(drawing.width).toBeLessThan(900);
});

test('a large graph gets a quicker layout, which overlaps nothing either', async () => {
  const ids = Array.from({ length: 90 }, (_, at) => `${at}`);
  const ways = ids.flatMap((id, at) => [
    ...(at + 1 < ids.length ? [way(id, `${at + 1}`)] : []),
    ...(at % 6 === 0 && at > 12 ? [way(id, `${at - 11}`, [`again ${at}`])] : []),
  ]);
  const picture: Picture = { nodes: ids.map((id) => card(id, `STATE_${id}`)), edges: ways, arrange: 'flow' };
  expect(pictureProblems(picture, await layOut(picture, engine))).toEqual([]);
});

test('text has room in the widest common fonts, and where all characters are equally wide', () => {
  const sans = { size: 10, face: 'sans' } as const;
  expect(textWidth('WWWW', sans)).toBeGreaterThanOrEqual(4 * 9.9);
  expect(textWidth('illi', sans)).toBeGreaterThanOrEqual(4 * 6.02);
  expect(textWidth('\u6f22\u5b57', sans)).toBeGreaterThanOrEqual(20);
  expect(textWidth('e\u0301', sans)).toBe(textWidth('e', sans));
  const { lines, isShortened } = wrap('one two three four five six seven eight nine', sans, 90, 2);
  expect(lines.every((line) => textWidth(line, sans) <= 90)).toBe(true);
  expect([lines.length, isShortened]).toEqual([2, true]);
  expect(wrap('', sans, 90, 2)).toEqual({ lines: [''], isShortened: false });
});

describe('a picture of a machine', () => {
  const drawn = (failures: boolean, one: Machine = machine): Picture => machinesPicture([one], { failures });
  const titles = (picture: Picture): string[] => picture.nodes.map(({ title }) => title);

  test('has one mark for all failures', () => {
    const picture = drawn(false);
    expect(titles(picture)).toEqual(['', 'failure in WORK', 'PLAN', 'WORK', 'ERROR', 'returned', 'failed']);
    const failures = picture.edges.filter(({ kind }) => kind === 'failure');
    expect(failures.map(({ from, to, labels }) => ({ from, to, labels }))).toEqual([
      { from: 'm0 state 1', to: 'm0 state 0', labels: ['on error timeout'] },
      { from: 'm0 failures', to: 'm0 state 2', labels: [] },
    ]);
  });

  test('has every failure if they are asked for', () => {
    const picture = drawn(true);
    expect(titles(picture)).toEqual(['', 'PLAN', 'WORK', 'ERROR', 'returned', 'failed']);
    expect(picture.edges.filter(({ to, kind }) => to === 'm0 state 2' && kind === 'failure')).toMatchObject([
      { from: 'm0 state 1', labels: [] },
    ]);
  });

  test('has one edge for all transitions between two states', () => {
    const states = [
      {
        ...{ name: 'A', locals: [], entry: [], handlers: [] },
        code: code(
          1,
          unless('a', 2),
          goto(1),
          unless('b', 4),
          goto(1),
          unless('c', 6),
          { op: 'return', value: null, failed: true },
          goto(1),
        ),
      },
      { name: 'B', locals: [], entry: [], handlers: [], code: code(1, { op: 'return', value: null, failed: false }) },
    ];
    const picture = drawn(false, { ...machine, states, error: null } as Machine);
    expect(picture.edges.map(({ labels }) => labels)).toEqual([[], ['a', 'b', 'otherwise'], ['c'], []]);
    expect(picture.nodes.map(({ kind }) => kind)).toEqual(['start', 'state', 'state', 'end', 'failure']);
  });

  test('of several machines has a box for each', async () => {
    const picture = machinesPicture([machine, { ...machine, name: 'second' }], { failures: false });
    expect(picture.nodes.map(({ title, kind }) => [title, kind])).toEqual([
      ['plan', 'machine'],
      ['second', 'machine'],
    ]);
    expect(pictureProblems(picture, await layOut(picture, engine))).toEqual([]);
  });

  test('of patterns alone says that there is nothing to draw', () => {
    expect(titles(drawn(false, { ...machine, states: [] }))).toEqual(['no states']);
    expect(titles(machinesPicture([], { failures: false }))).toEqual(['this file has no states to draw']);
  });
});

test('a long condition is shortened, and a pointer shows all of it', async () => {
  const condition = Array.from({ length: 30 }, (_, at) => `condition_${at} > ${at}`).join(' AND ');
  const picture: Picture = {
    ...{ nodes: [card('a', 'A'), card('b', 'B')], arrange: 'flow' },
    edges: [way('a', 'b', [condition])],
  };
  const drawing = await layOut(picture, engine);
  expect(drawing.edges[0]?.label?.texts).toHaveLength(3);
  expect(drawing.edges[0]?.label?.texts.at(-1)?.text).toMatch(/…$/);
  expect(drawSvg(drawing, 'x')).toContain(`<title>${condition.replaceAll('>', '&gt;')}</title>`);
});
