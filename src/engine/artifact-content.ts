/** The content of artifacts as JSON, which is how an engine stores it. */
import { Buffer, isUtf8 } from 'node:buffer';
import type { ArtifactContent } from './messages.js';
import { bytesOf } from './most-stored.js';

export function artifactContent(bytes: Buffer): ArtifactContent {
  const text = isUtf8(bytes) ? { text: bytes.toString('utf8') } : null;
  // A control character takes six characters of JSON.
  if (text !== null && bytesOf(text) <= bytes.length * 1.5) return text;
  return { base64: bytes.toString('base64') };
}

export function bytesOfArtifact(content: ArtifactContent): Buffer {
  return 'text' in content ? Buffer.from(content.text) : Buffer.from(content.base64, 'base64');
}
