/** The artifacts in the object of a run. */
import { artifactName } from '../runtime/store/artifacts.js';
import { bytesOfArtifact } from './artifact-content.js';
import { EngineRefusal, type ObjectContext } from './engine-context.js';
import type { StoredArtifact } from './messages.js';
import { headOf } from './run-head.js';
import type { ServiceNames } from './services.js';

/** How long artifacts wait for the submission of their run: its client may have died. Milliseconds. */
const EARLY_MS = 24 * 3_600_000;

/** Stores an artifact of the run. Lines that refer to it come later. */
export async function storeArtifact(
  context: ObjectContext,
  services: ServiceNames,
  { name, content, isEarly }: StoredArtifact,
): Promise<void> {
  if (isEarly !== true) await headOf(context);
  if (artifactName(bytesOfArtifact(content)) !== name)
    throw new EngineRefusal(400, `the content of the artifact \`${name}\` does not match its name`);
  context.set(`a${name}`, content);
  if (isEarly !== true || (await context.get('early')) !== null) return;
  context.set('early', true);
  context.send(services.run(context.key, 'drop'), { seq: 0 }, EARLY_MS);
}
