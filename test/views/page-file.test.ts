/** A page with its data as one file: its policy fits its content, and no data can leave the element that contains them. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { pageFile, scriptData } from '../../src/views/report/page-file.js';

const hash = (text: string): string => createHash('sha256').update(text).digest('base64');

const hostile = [
  '</script><script>alert(1)</script>',
  '<!-- <script>',
  ']]>&lt;\u2028\u2029\u0000',
  '\ud800 \u202e "quoted" \\u003c',
];

const page = pageFile({
  title: '</title><b>',
  script: 'run("<");',
  style: 'a > b {}',
  licences: 'MIT </template><script>',
  data: { hostile },
  hash,
});

test('data come back as they were, and begin and end no element', () => {
  expect(page.match(/<\/?script/g)).toEqual(['<script', '</script', '<script', '</script']);
  const text = /<script type="application\/json" id="statedsl-run">(.*?)<\/script>/s.exec(page)?.[1] ?? '';
  expect(text).not.toContain('<');
  expect(JSON.parse(text)).toEqual({ hostile });
  expect(scriptData('<')).toBe('"\\u003c"');
});

test('the policy permits exactly the script and the style in the file', () => {
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
  const script = /<script>(.*?)<\/script>/s.exec(page)?.[1] ?? '';
  const style = /<style>(.*?)<\/style>/s.exec(page)?.[1] ?? '';
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    `script-src 'sha256-${hash(script)}'`,
    `style-src 'sha256-${hash(style)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ]);
});

test('a name cannot end the title', () => {
  expect(page).toContain('<title>&lt;/title>&lt;b></title>');
});

test('licences go along with the code, and end no element', () => {
  expect(page).toContain('<template id="licences"><pre>MIT &lt;/template>&lt;script></pre></template>');
});
