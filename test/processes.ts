/**
 * Which tests start processes; some need the built program. All others are unit tests, but for one that reads all sources
 * with the compiler, which takes longer than any of them.
 */
import { readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));

/** The names of such test files in each folder, without `.test.ts`. */
const NAMES: Readonly<Record<string, RegExp>> = {
  '.': /^(authoring|corpus-(plan-)?runs.*|corpus-sessions|examples|implement-spec|library|names|nightly|patterns|readme|recipes|skill)$/,
  agents: /./,
  cli: /./,
  control: /^other-process$/,
  editor: /^debug-adapter$/,
  engine: /^(left-processes|tools-of-workers|worktree)$/,
  runtime:
    /^(?!(arrival-order|cancel|checkpoint|clock|configuration|deliveries|discarded-ranges|drive|drive-turns|drive-waits|files-at|fits-schema|flights|in-process|inbox|journal-lines|journal-sync|kept-runs|large-values|later-deliveries|loop-parts|make-folder|mock|only-part|record-scan|redact|redacted-events|refusals|resume-point|run-id|run-lock|simultaneous-outcomes|state-file|state-written|store-files|stop-signal|surely-fits|temporary-folder)$)/,
  'runtime/agents': /^(?!(recorded|resolve|breaker|daily-budget)$)/,
  mcp: /./,
  serve: /./,
  shell: /^(coming-from-bash|binding|pipes|random|values)$/,
};

/**
 * Files of the long tests alone, relative to this folder: many processes, real time, every source through the compiler, or
 * many random inputs. What `npm test` takes in all is limited, so that it passes anywhere in a few minutes.
 */
const LONG = [
  'cli/debugger-kills',
  'cli/full-disk',
  'cli/killed-trial',
  'cli/left-worktree',
  'cli/limits-on-disk',
  'cli/our-processes',
  'cli/one-process',
  'cli/replaced-files',
  'cli/start-cache',
  'cli/stopping',
  'cli/verify-time',
  'cli/worktree',
  'control/other-process',
  'engine/worktree',
  'foresight/independent-members',
  'foresight/random-flows',
  'foresight/reductions',
  'implement-spec',
  'interpreter/plan/random-plans',
  'names',
  'recipes',
  'runtime/agents/account-limits',
  'runtime/agents/hostile',
  'runtime/crash',
  'runtime/run-worktree',
  'runtime/worktree-apply',
  'runtime/worktree-crash',
  'runtime/worktree-snapshot',
  'runtime/worktree-tasks',
  'serve/process',
  'syntax/chevrotain',
  'testing/shipped',
];

/** Those of them that depend on the version of Node: they are tried on each, with the other tests that start processes. */
const ON_EACH_NODE = ['cli/one-process', 'cli/stopping', 'runtime/crash', 'serve/process'];

/** They start processes, but what they show is the same with each. */
const ON_ONE_NODE = [
  'authoring',
  'cli/flag-pairs',
  'library',
  'patterns',
  'runtime/damage',
  'runtime/random-edits',
  'runtime/verify-record',
  'skill',
];

/** `isProcesses`: only tests that start processes are wanted. */
export function longTests(isProcesses: boolean): string[] {
  const left = isProcesses ? [...LONG.filter((name) => !ON_EACH_NODE.includes(name)), ...ON_ONE_NODE] : LONG;
  return left.map((name) => `test/${name}.test.ts`);
}

export function startsProcesses(testFile: string): boolean {
  const path = relative(folder, testFile);
  const [name = ''] = path.slice(path.lastIndexOf('/') + 1).split('.test.ts');
  return NAMES[dirname(path)]?.test(name) ?? false;
}

/** Relative to the folder above. */
export function testsWithProcesses(): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return paths
    .filter((path) => path.endsWith('.test.ts') && startsProcesses(path))
    .map((path) => relative(dirname(folder), path));
}
