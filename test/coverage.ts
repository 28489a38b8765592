/**
 * Which sources the tests execute: `@vitest/coverage-v8`, but of the compiled sources, which Node executes without vitest, and
 * once for each worker; after each of its test files it would take as long as many tests do.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import v8 from '@vitest/coverage-v8';
import { V8CoverageProvider } from '@vitest/coverage-v8/dist/provider.js';
import type { CoverageProviderModule, ReportContext } from 'vitest/node';
import { COMPILED, compiledPath } from './compiled-sources.js';

const folder = join(import.meta.dirname, '../node_modules/.cache/coverage/workers');
const MAP = '//# sourceMappingURL=data:application/json;base64,';

/** What vitest keeps of itself, in each worker and outside of them: nothing else says when the workers end. */
interface Worker {
  readonly __vitest_worker__: { onCleanup(action: () => Promise<void>): void };
}
interface WithPool {
  readonly ctx: { readonly pool?: { close(): Promise<void> } };
}

let isStarted = false;

async function startCoverage(): Promise<void> {
  if (isStarted) return;
  isStarted = true;
  await v8.startCoverage?.({ isolate: false });
  (globalThis as unknown as Worker).__vitest_worker__.onCleanup(async () => {
    const { result = [] } = ((await v8.takeCoverage?.()) ?? {}) as { result?: { url: string }[] };
    // Some tests load another copy of a module, which a query distinguishes.
    const ofSources = result.filter(({ url }) => COMPILED.test(url) && !url.includes('?'));
    writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify({ result: ofSources }));
  });
}

class CompiledCoverage extends V8CoverageProvider {
  /** Otherwise workers take it for the provider that it extends. */
  override resolveOptions(): ReturnType<V8CoverageProvider['resolveOptions']> {
    const { reporter, ...options } = super.resolveOptions();
    return { ...options, reporter, provider: 'custom', customProviderModule: fileURLToPath(import.meta.url) };
  }

  override async clean(isAll?: boolean): Promise<void> {
    await super.clean(isAll);
    mkdirSync(folder, { recursive: true });
  }

  override async generateCoverage(context: ReportContext): ReturnType<V8CoverageProvider['generateCoverage']> {
    await (this as unknown as WithPool).ctx.pool?.close();
    for (const name of readdirSync(folder))
      this.onAfterSuiteRun({
        coverage: JSON.parse(readFileSync(join(folder, name), 'utf8')),
        environment: 'ssr',
        projectName: '',
        testFiles: [name],
      });
    return super.generateCoverage(context);
  }

  override isIncluded(path: string, root?: string): boolean {
    return COMPILED.test(path) || super.isIncluded(path, root);
  }

  /** Sources that no test loads count, too. */
  override async transformFile(path: string): ReturnType<V8CoverageProvider['transformFile']> {
    const [code = '', map = ''] = readFileSync(COMPILED.test(path) ? path : compiledPath(path), 'utf8').split(MAP);
    return { code, map: JSON.parse(Buffer.from(map, 'base64').toString()) };
  }
}

export default {
  startCoverage,
  getProvider: () => new CompiledCoverage(),
} satisfies CoverageProviderModule;
