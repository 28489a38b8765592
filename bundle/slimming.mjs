/** What keeps bundles small: parts of packages that are not used, and work that is done once, for the build. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** What the parser would find out about its grammar at every start. */
export async function lookahead(root) {
  const contents = `
    import { writtenDecisions } from './src/language/syntax/grammar/parser.js';
    export const written = writtenDecisions();`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    absWorkingDir: root,
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.20',
    logLevel: 'warning',
  });
  const { written } = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`
  );
  return JSON.stringify(written);
}

/**
 * The decisions of the grammar are in the bundle, so what analyzes it is not, nor the library that it uses. A build that
 * meets no such file fails, because it would load that library at every start.
 */
export const withoutAnalysis = {
  name: 'without-analysis',
  setup({ onStart, onLoad, onEnd }) {
    let met = false;
    onStart(() => {
      met = false;
    });
    onLoad({ filter: /[\\/]syntax[\\/]grammar[\\/]rule-recorder\.ts$/ }, () => {
      met = true;
      return { contents: 'export const analysedDecisions = null;' };
    });
    onEnd(() => (met ? {} : { errors: [{ text: 'the analysis of the grammar has another file: name it here' }] }));
  },
};

/**
 * The packages of the Model Context Protocol have a copy of Ajv each, 300 kB, with which they would check values that this
 * program checks itself or not at all.
 */
export const withoutValidators = {
  name: 'without-validators',
  setup({ onLoad }) {
    const contents =
      "export class n { getValidator() { throw new Error('this build checks no schemas for the protocol'); } }";
    onLoad({ filter: /[\\/]@modelcontextprotocol[\\/].*ajvProvider-[^\\/]*\.mjs$/ }, () => ({ contents }));
  },
};

/** The messages of zod in other languages than English are more than half of it. */
export const oneLanguage = {
  name: 'one-language',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.c?js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
      loader: 'js',
    }));
  },
};

/**
 * The layout of graphs is one script of 1.6 MB, which few commands load. It is packed, at `path`; `from` is the location as
 * scripts of `code/` see it.
 */
export const packedLayout = ({ path, from, place }) => ({
  name: 'packed-layout',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]elkjs[\\/]lib[\\/]elk\.bundled\.js$/ }, ({ path: script }) => {
      place(path, gzipSync(readFileSync(script), { level: 9 }));
      const contents = `
        import { readFileSync } from 'node:fs';
        import { gunzipSync } from 'node:zlib';
        const packed = readFileSync(new URL(${JSON.stringify(from)}, import.meta.url));
        const layout = { exports: {} };
        new Function('module', 'exports', gunzipSync(packed).toString())(layout, layout.exports);
        export default layout.exports;`;
      return { contents, loader: 'js' };
    });
  },
});
