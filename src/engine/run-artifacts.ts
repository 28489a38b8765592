/** The artifacts in the object of a run. */
import { artifactName } from '../runtime/store/artifacts.js';
import { bytesOfArtifact } from './artifact-content.js';
import { EngineRefusal, type ObjectContext } from './engine-context.js';
import type { StoredArtifact } from './messages.js';
import { headOf } from './run-head.js';
import type { ServiceNames } from './services.js';

/** Stores an artifact of the run. Lines that refer to it come later. */
export async function storeArtifact(
  context: ObjectContext,
  _: ServiceNames,
  { name, content, isEarly }: StoredArtifact,
): Promise<void> {
  if (isEarly !== true) await headOf(context);
  if (artifactName(bytesOfArtifact(content)) !== name)
    throw new EngineRefusal(400, `the content of the artifact \`${name}\` does not match its name`);
  context.set(`a${name}`, content);
}
