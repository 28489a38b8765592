/** What agents can read besides the tools: runs, the guide in small sections, the skill, and prompts to begin with. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { memorySkillFiles, SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import * as z from 'zod';
import type { Door } from './door.js';
import { partOfRun } from './run-parts.js';
import { describeRun } from './run-view.js';
import { lookAt } from './until-it-stands.js';
import { withDigits } from './written-numbers.js';

/** Before the server is connected. */
export async function addResources(door: Door, mcp: McpServer): Promise<void> {
  addRuns(door, mcp);
  addReference(door, mcp);
  addPrompts(mcp);
  const { skill } = door;
  if (skill !== null) (await skillCatalog(skill)).attach(mcp);
}

function addRuns(door: Door, mcp: McpServer): void {
  const listRuns = async () => {
    const found = await door.runs.list({ limit: 20 });
    if (!found.ok) return { resources: [] };
    return {
      resources: found.value.runs.map(({ run_id, machine, status }) => ({
        uri: `statedsl://run/${run_id}`,
        name: `${machine ?? 'run'} ${run_id}`,
        description: status,
        mimeType: 'application/json',
      })),
    };
  };
  const about = { title: 'A run', description: 'where a run stands', mimeType: 'application/json' };
  mcp.registerResource(
    'run',
    new ResourceTemplate('statedsl://run/{id}', { list: listRuns }),
    about,
    async (uri, { id }) => {
      const found = await lookAt(door, String(id));
      if (!found.ok) throw new ResourceNotFoundError(uri.href);
      const { structuredContent } = await describeRun(door, found, { isDetailed: true });
      return {
        contents: [
          { uri: uri.href, mimeType: 'application/json', text: withDigits(JSON.stringify(structuredContent)) },
        ],
      };
    },
  );
  const events = {
    title: 'The events of a run',
    description: 'the beginning of its record',
    mimeType: 'application/x-ndjson',
  };
  const template = new ResourceTemplate('statedsl://run/{id}/events', { list: undefined });
  mcp.registerResource('events', template, events, async (uri, { id }) => {
    const found = await door.runs.find(String(id));
    if (!found.ok) throw new ResourceNotFoundError(uri.href);
    const { content } = await partOfRun(door, found.value.run_id, 'events', 0);
    return { contents: [{ uri: uri.href, mimeType: 'application/x-ndjson', text: content[0]?.text ?? '' }] };
  });
}

/** The sections of the guide by their names: the page itself, and one for each subject. */
function sectionsOf(skill: string): ReadonlyMap<string, string> {
  const references = join(skill, 'references');
  const names = existsSync(references) ? readdirSync(references).filter((name) => name.endsWith('.md')) : [];
  return new Map(names.map((name) => [name.replace(/\.md$/, ''), join(references, name)]));
}

function addReference(door: Door, mcp: McpServer): void {
  const { skill } = door;
  if (skill === null) return;
  const sections = sectionsOf(skill);
  for (const [section, path] of sections) {
    const uri = `statedsl://reference/${section}`;
    const about = { title: `statedsl: ${section}`, description: titleOf(path), mimeType: 'text/markdown' };
    mcp.registerResource(`reference ${section}`, uri, about, () => ({
      contents: [{ uri, mimeType: 'text/markdown', text: readFileSync(path, 'utf8') }],
    }));
  }
}

function titleOf(path: string): string {
  return /^# (.+)$/m.exec(readFileSync(path, 'utf8'))?.[1] ?? 'a section of the reference';
}

let catalog: { readonly folder: string; readonly loaded: ReturnType<typeof SkillsExtension.load> } | null = null;

/** Read once: the skill is a part of the installation. */
function skillCatalog(folder: string): ReturnType<typeof SkillsExtension.load> {
  if (catalog?.folder !== folder) {
    const files: Record<string, string> = { 'statedsl/SKILL.md': readFileSync(join(folder, 'SKILL.md'), 'utf8') };
    for (const [section, path] of sectionsOf(folder))
      files[`statedsl/references/${section}.md`] = readFileSync(path, 'utf8');
    const loaded = SkillsExtension.load(memorySkillFiles(files), { onWarning: () => undefined });
    catalog = { folder, loaded };
  }
  return catalog.loaded;
}

const user = (text: string) => ({ messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] });

const LOOP =
  'Read the skill `statedsl` first. Write the file, call `check`, and mend every finding until it is valid. Do not run it before I have seen it.';

function addPrompts(mcp: McpServer): void {
  mcp.registerPrompt(
    'write_flow',
    {
      title: 'Write a flow',
      description: 'a statedsl program for a task of several steps',
      argsSchema: z.object({ task: z.string().describe('what the flow has to do') }),
    },
    ({ task }) => user(`Write a statedsl flow that does this:\n\n${task}\n\n${LOOP}`),
  );
  mcp.registerPrompt(
    'port_script',
    {
      title: 'Port a script',
      description: 'a script, a workflow of a CI or a document as a statedsl program',
      argsSchema: z.object({ file: z.string().describe('the path of the script') }),
    },
    ({ file }) =>
      user(
        `Port \`${file}\` to a statedsl flow that does the same: keep its commands, make states of its phases, and give what may fail retries, time limits or an ERROR state. ${LOOP}`,
      ),
  );
}
