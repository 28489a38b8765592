/** The content of artifacts as JSON, which is how an engine stores it. */
import { Buffer, isUtf8 } from 'node:buffer';
import type { ArtifactContent } from './messages.js';

export function artifactContent(bytes: Buffer): ArtifactContent {
  return isUtf8(bytes) ? { text: bytes.toString('utf8') } : { base64: bytes.toString('base64') };
}

export function bytesOfArtifact(content: ArtifactContent): Buffer {
  return 'text' in content ? Buffer.from(content.text) : Buffer.from(content.base64, 'base64');
}
