import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './process.js';

test('only the harness starts processes', () => {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const starting = files.filter((name) =>
    /from '(?:node:child_process|execa)'/.test(readFileSync(join(root, 'test', name), 'utf8')),
  );
  expect(starting.sort()).toEqual(['harness/process.ts', 'no-processes.ts']);
});
