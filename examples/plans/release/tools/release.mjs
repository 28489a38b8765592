/** Stand-ins for the preparations of a release. */
export const listPackages = () => ['core', 'cli', 'docs'];

export const build = ({ name }) => ({ name, file: `${name}.tgz` });

export const writeNotes = ({ packages, version }) =>
  `${version}: ${packages.map(({ name, tests }) => `${name} (${tests} tests)`).join(', ')}`;

export const report = ({ reason }) => `no release: ${reason}`;

export const announce = ({ text }) => text;
