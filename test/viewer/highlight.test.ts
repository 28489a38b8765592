/** Colors of sources: every text stays as it is, and its parts have the colors of what they are. */
import { describe, expect, test } from 'vitest';
import { languageOf } from '../../src/page/source/data-grammars.js';
import { highlightProgram } from '../../src/page/source/highlight.js';

const TEXTS = {
  statedsl: 'STATE: A\n  DO: echo {name} # why\n  RETURN',
  json: '{\n  "calls": [{ "_tool": "x", "to": "†state.user.name", "n": -1.5e3, "ok": true }]\n}',
  yaml: '# why\nname: words\nsteps:\n  - name: plan\n    prompt: |\n      Divide {spec}\n    run: { agent: "a b", max: 20 }',
  markdown: '# Title\n\n- one `code` and **two**\n\n```sh\nls\n```\n[link](x.md) †input.id',
} as const;

describe.each(Object.entries(TEXTS))('%s', (language, text) => {
  const lines = highlightProgram(text, language as keyof typeof TEXTS, 0);

  test('keeps its text', () => {
    expect(lines.map((line) => line.map((part) => part.text).join('')).join('\n')).toBe(text);
  });

  test('has more than one color', () => {
    const colors = new Set(lines.flat().flatMap(({ color }) => (color === null ? [] : [color])));
    expect(colors.size).toBeGreaterThan(1);
  });
});

test('names of members differ from texts', () => {
  const colorOf = (text: string, language: keyof typeof TEXTS) =>
    highlightProgram(TEXTS[language], language)
      .flat()
      .find((part) => part.text.includes(text))?.color;
  expect(colorOf('_tool', 'json')).not.toBe(colorOf('x"', 'json'));
  expect(colorOf('†state', 'json')).not.toBe(colorOf('"_tool"', 'json'));
  expect(colorOf('name', 'yaml')).not.toBe(colorOf('why', 'yaml'));
});

test('the name of a file says in which language it is', () => {
  const names = ['a.dsl', 'plan.json', 'w.yaml', 'w.YML', 'page.md', 'stdin'];
  expect(names.map(languageOf)).toEqual(['statedsl', 'json', 'yaml', 'yaml', 'markdown', 'statedsl']);
});
