/** The files for Docker Compose and Kubernetes that the documentation shows fit together, and their commands exist. */
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { createProgram } from '../../src/cli/arguments/create-program.js';
import { fences } from '../fences.js';

type Labels = Readonly<Record<string, never>>;
interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly ports: readonly { readonly containerPort: number }[];
  readonly volumeMounts?: readonly { readonly name: string }[];
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly selector: Readonly<Record<string, unknown>>;
    readonly ports?: readonly { readonly port: number }[];
    readonly template?: {
      readonly metadata: { readonly labels: Labels };
      readonly spec: {
        readonly containers: readonly Container[];
        readonly volumes?: readonly { readonly name: string }[];
      };
    };
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
  };
}

const files = fences('docs/engine-deployment.md')
  .filter(({ language }) => language === 'yaml')
  .map(({ text }) => {
    const documents = parseAllDocuments(text, { uniqueKeys: true, strict: true });
    expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
    return documents.map((one) => one.toJS() as unknown);
  });
const [compose] = files.find(([one]) => Object.hasOwn(one as object, 'services')) as [
  { services: Record<string, { command: string[]; volumes: string[] }>; volumes: Labels },
];
const manifests = files.find(([one]) => Object.hasOwn(one as object, 'kind')) as readonly Manifest[];

/** The flags of a worker in a file, with their values. */
function flagsOf(words: readonly string[]): Map<string, string> {
  expect(words.slice(0, 2)).toEqual(['statedsl', 'worker']);
  const rest = words.slice(2).flatMap((word) => word.split(/=(.*)/s).filter((part) => part !== ''));
  return new Map(rest.flatMap((word, at) => (at % 2 === 0 ? [[word, rest[at + 1] ?? '']] : [])));
}

test('the workers in the files have flags that the command has, and listen where the server reaches them', () => {
  const worker = createProgram(() => undefined).commands.find((one) => one.name() === 'worker');
  const known = new Set(worker?.options.map(({ long }) => long));
  const container = manifests.find(({ kind }) => kind === 'Deployment')?.spec.template?.spec.containers[0] as Container;
  for (const words of [compose.services.worker?.command ?? [], container.args]) {
    const flags = flagsOf(words);
    for (const flag of flags.keys()) expect([...known]).toContain(flag);
    const port = Number(flags.get('--listen')?.split(':')[1]);
    expect(new URL(flags.get('--advertise') ?? '').port).toBe(String(port));
    expect(new URL(flags.get('--engine') ?? '').hostname).toBe('restate');
    expect(flags.get('--identity-key')).toMatch(/^publickeyv1_/);
  }
  expect(container.ports.map(({ containerPort }) => containerPort)).toEqual([9180, 9181]);
  expect(
    [compose.services.worker?.command, container.args].flatMap((words = []) => [flagsOf(words).get('--status')]),
  ).toEqual(['0.0.0.0:9181', '0.0.0.0:9181']);
});

test('services select the workloads that the files have, volumes exist, and names agree', () => {
  const workloads = manifests.filter(({ spec }) => spec.template !== undefined);
  const services = manifests.filter(({ kind }) => kind === 'Service');
  for (const { metadata, spec } of services) {
    const workload = workloads.find((one) => one.metadata.name === metadata.name);
    expect(workload?.spec.selector).toEqual({ matchLabels: spec.selector });
    expect(workload?.spec.template?.metadata.labels).toEqual(spec.selector);
    const open = workload?.spec.template?.spec.containers.flatMap((one) => one.ports.map((port) => port.containerPort));
    for (const { port } of spec.ports ?? []) expect(open).toContain(port);
  }
  for (const { spec } of workloads) {
    const pod = spec.template?.spec;
    const volumes = [
      ...(pod?.volumes ?? []).map(({ name }) => name),
      ...(spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name),
    ];
    for (const { volumeMounts = [] } of pod?.containers ?? [])
      for (const { name } of volumeMounts) expect(volumes).toContain(name);
  }
  const named = Object.values(compose.services).flatMap(({ volumes }) => volumes.map((one) => one.split(':')[0] ?? ''));
  expect(named.filter((one) => !one.startsWith('.')).sort()).toEqual(Object.keys(compose.volumes).sort());
});
