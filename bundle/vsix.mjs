/**
 * Makes the extension for VS Code: `npm run vsix`, or with `-- --to FOLDER` in another folder than this one. A .vsix is a
 * zip with a manifest, so nothing but this script is needed. The same sources give the same bytes.
 *
 * The extension holds statedsl itself, in one module from which the language server, the debugger and the command line
 * start: VS Code has a Node, so that no other one has to be installed. What an editor has no use for is left out.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { zipSync } from 'fflate';
import { bundledPackages, printLicences } from './bundled-packages.mjs';
import { lookahead, withoutAnalysis, withoutValidators } from './slimming.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const own = join(root, 'editors/vscode');

const settings = {
  absWorkingDir: root,
  write: false,
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20.20',
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
};

/** Commands that an editor has no use for: what they need would be larger than all the rest. */
const withoutCommands = {
  name: 'without-commands',
  setup({ onLoad }) {
    const names = '(?:serve|ui|mcp|engine|worker|report-html)';
    onLoad({ filter: new RegExp(`[\\\\/]cli[\\\\/]commands[\\\\/]${names}\\.ts$`) }, ({ path }) => {
      const exported = [...readFileSync(path, 'utf8').matchAll(/^export (?:async )?function (\w+)/gm)];
      const message = 'the statedsl in this extension has no pages, servers and workers';
      const help = 'install statedsl in the project, and the extension uses that';
      const error = `Object.assign(new Error('${message}'), { code: 'STATEDSL_PART_MISSING', help: '${help}' })`;
      return {
        contents: exported.map(([, name]) => `export const ${name} = async () => { throw ${error}; };`).join('\n'),
      };
    });
    onLoad({ filter: /[\\/]cli[\\/]terminal[\\/]graph-svg\.ts$/ }, () => ({
      contents:
        "export const layOutSvg = async () => ({ problem: 'the statedsl in this extension draws no SVG: use another --format' });",
    }));
  },
};

/** ES modules have no `require`, which bundled scripts call. */
const banner = {
  js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
};

const only = (made) => [made.outputFiles[0].contents, Object.keys(made.metafile.inputs)];

async function buildProgram() {
  const contents = "export * from './src/index.js';\nexport const startCommand = () => import('./src/cli/main.js');";
  return only(
    await build({
      ...settings,
      stdin: { contents, resolveDir: root, loader: 'ts' },
      outfile: 'index.mjs',
      format: 'esm',
      banner,
      define: { LOOKAHEAD: await lookahead(root) },
      plugins: [withoutAnalysis, withoutValidators, withoutCommands],
    }),
  );
}

async function buildExtension() {
  return only(
    await build({
      ...settings,
      entryPoints: [join(own, 'src/extension.ts')],
      outfile: 'extension.cjs',
      format: 'cjs',
      external: ['vscode'],
      mainFields: ['module', 'main'],
    }),
  );
}

const bytes = (text) => Buffer.from(text);
const read = (path) => readFileSync(join(root, path));

function folder(path) {
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text) => text.replace(/[&<>"]/g, (letter) => ESCAPES[letter]);

/** What stores of extensions read. */
function packageManifest({ name, publisher, displayName, description, version, engines, categories, keywords }) {
  const property = (id, value) => `      <Property Id="Microsoft.VisualStudio.${id}" Value="${escaped(value)}" />`;
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${name}" Version="${version}" Publisher="${publisher}" />
    <DisplayName>${escaped(displayName)}</DisplayName>
    <Description xml:space="preserve">${escaped(description)}</Description>
    <Tags>${escaped([...keywords, '__ext_dsl', '__ext_statedsl'].join(','))}</Tags>
    <Categories>${escaped(categories.join(','))}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <Properties>
${property('Code.Engine', engines.vscode)}
${property('Code.ExtensionDependencies', '')}
${property('Code.ExtensionPack', '')}
${property('Code.ExtensionKind', 'workspace')}
${property('Services.GitHubFlavoredMarkdown', 'true')}
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code" />
  </Installation>
  <Dependencies />
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true" />
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true" />
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true" />
  </Assets>
</PackageManifest>
`;
}

const CONTENT_TYPES = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${Object.entries({
  json: 'application/json',
  md: 'text/markdown',
  txt: 'text/plain',
  svg: 'image/svg+xml',
  js: 'application/javascript',
  cjs: 'application/javascript',
  mjs: 'application/javascript',
  css: 'text/css',
  dsl: 'text/plain',
  yaml: 'text/yaml',
  vsixmanifest: 'text/xml',
})
  .map(([extension, type]) => `<Default Extension=".${extension}" ContentType="${type}"/>`)
  .join('')}</Types>
`;

/** The files of the extension by their paths in it. */
export async function extensionFiles() {
  const [program, programInputs] = await buildProgram();
  const [extension, extensionInputs] = await buildExtension();
  const { version } = JSON.parse(read('package.json'));
  const manifest = { ...JSON.parse(read('editors/vscode/package.json')), version };
  const packages = bundledPackages(root, [...programInputs, ...extensionInputs]);
  const files = {
    'package.json': bytes(`${JSON.stringify(manifest, null, 2)}\n`),
    'LICENSE.txt': read('LICENSE'),
    'licences.txt': bytes(printLicences(packages)),
    'extension.cjs': extension,
    'statedsl/package.json': bytes(`${JSON.stringify({ name: 'statedsl', version, type: 'module' })}\n`),
    'statedsl/dist/index.mjs': program,
    'statedsl/dist/cli.js': bytes("import { startCommand } from './index.mjs';\nawait startCommand();\n"),
    'statedsl/docs/messages.md': read('docs/messages.md'),
  };
  const kept = folder('editors/vscode').filter(
    (path) => !/\/(?:src|node_modules)\/|\/(?:package|tsconfig)\.json$/.test(path),
  );
  for (const path of kept) files[path.slice('editors/vscode/'.length)] = read(path);
  for (const path of folder('grammar').filter((one) => one.endsWith('.json'))) files[path] = read(path);
  for (const name of ['patterns', 'workflows']) for (const path of folder(name)) files[`statedsl/${path}`] = read(path);
  return { manifest, files };
}

/** Members have no time of their own, so that equal files make equal archives. */
function packExtension({ manifest, files }) {
  const members = {
    '[Content_Types].xml': bytes(CONTENT_TYPES),
    'extension.vsixmanifest': bytes(packageManifest(manifest)),
  };
  for (const path of Object.keys(files).sort()) members[`extension/${path}`] = files[path];
  return zipSync(members, { level: 9, mtime: '1980-01-01T00:00:00' });
}

const { values } = parseArgs({ options: { to: { type: 'string', default: root } } });
const made = await extensionFiles();
const archive = packExtension(made);
const path = join(resolve(values.to), `${made.manifest.publisher}-${made.manifest.name}-${made.manifest.version}.vsix`);
mkdirSync(dirname(path), { recursive: true });
writeFileSync(path, archive);
console.log(`${path} (${Math.ceil(archive.length / 1024)} KiB)`);
