/**
 * What is inside the bundles besides our own code: each package with its licence, for people and, as a CycloneDX list of
 * parts, for tools. Installed packages have no dependencies, so `npm audit` and `npm sbom` do not see these.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** The packages that the files of a bundle come from, by their folders below `root`. */
export function bundledPackages(root, inputs) {
  const folders = new Set(inputs.map((path) => PACKAGE.exec(path)?.[0]).filter(Boolean));
  const { packages: locked } = readJson(join(root, 'package-lock.json'));
  return [...folders].sort().map((folder) => {
    const { name, version, license, repository } = readJson(join(root, folder, 'package.json'));
    const file = readdirSync(join(root, folder)).find((one) => /^licen[cs]e/i.test(one));
    const text = file === undefined ? null : readFileSync(join(root, folder, file), 'utf8').trim();
    const source = typeof repository === 'string' ? repository : (repository?.url ?? null);
    return { name, version, license, source, text, integrity: locked[folder]?.integrity ?? null };
  });
}

/** The licences of the packages, which ask to be passed on with them, and where their sources are. */
export function printLicences(packages) {
  const texts = packages.map(({ name, version, license, source, text }) => {
    const head = `${name} ${version}: ${license}${source === null ? '' : `\nSource: ${source}`}`;
    return `${head}${text === null ? '' : `\n\n${text}`}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

/** A CycloneDX document. It holds no time and no random number, so the same sources give the same file. */
export function printSbom({ name, version, license }, packages) {
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: component({ type: 'application', name, version, license }) },
    components: packages.map((one) => component({ type: 'library', ...one })),
    dependencies: [
      { ref: purl(name, version), dependsOn: packages.map((one) => purl(one.name, one.version)) },
      ...packages.map((one) => ({ ref: purl(one.name, one.version) })),
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function component({ type, name, version, license, integrity = null }) {
  const reference = purl(name, version);
  const [algorithm, digest] = integrity?.split('-') ?? [];
  const hashes =
    digest === undefined
      ? []
      : [{ alg: `SHA-${algorithm.slice(3)}`, content: Buffer.from(digest, 'base64').toString('hex') }];
  return {
    type,
    'bom-ref': reference,
    name,
    version,
    purl: reference,
    licenses: [/^[\w.-]+$/.test(license) ? { license: { id: license } } : { expression: license }],
    ...(hashes.length === 0 ? {} : { hashes }),
  };
}

const purl = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`;
