/** Recognizes YAML files of other tools by their keys. Naming the tool helps more than listing missing keys. */
import { workflowMessages as words } from '../../source/catalogue/workflow.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { YamlMap, YamlMember } from './yaml/yaml-nodes.js';

const OWN = 'a workflow of statedsl has `steps:`, each with a `name`, an `agent` and a `prompt` or a `bash` command';

/** The kind of the file, with the key that shows it; null if it could be a workflow. */
export function foreignFile(root: YamlMap): Diagnostic | null {
  const at = (name: string): YamlMember | undefined => root.members.find(({ key }) => key.text === name);
  const refuse = (member: YamlMember, what: string, help = OWN) => words.foreignFile(member.key.span, { what, help });
  const jobs = at('jobs');
  if (jobs !== undefined && (at('on') !== undefined || at('true') !== undefined || hasBelow(jobs, 'runs-on')))
    return refuse(jobs, 'a GitHub Actions workflow', `write its \`run:\` lines as \`bash:\` of steps: ${OWN}`);
  const runs = at('runs');
  if (runs !== undefined) return refuse(runs, 'an action of GitHub Actions');
  const stages = at('stages') ?? root.members.find((member) => hasKey(member, 'script'));
  if (stages !== undefined)
    return refuse(stages, 'a GitLab CI file', `write its \`script:\` lines as \`bash:\` of steps: ${OWN}`);
  const services = at('services');
  if (services !== undefined) return refuse(services, 'a Compose file');
  const kind = at('apiVersion');
  if (kind !== undefined) return refuse(kind, 'a Kubernetes manifest');
  const agents = at('agents') ?? at('gates');
  if (agents !== undefined)
    return refuse(agents, 'a configuration', 'name it `statedsl.config.yaml`; commands find it there by themselves');
  return null;
}

function hasKey({ value }: YamlMember, name: string): boolean {
  return value.kind === 'map' && value.members.some(({ key }) => key.text === name);
}

function hasBelow({ value }: YamlMember, name: string): boolean {
  return value.kind === 'map' && value.members.some((member) => hasKey(member, name));
}
