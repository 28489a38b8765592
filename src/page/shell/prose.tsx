/** A sentence in which names and commands are set in backticks, as messages have them. What could deceive is made visible. */
import { visibleLine } from '../../views/drawing/visible-text.js';

export function Prose({ text }: { readonly text: string }) {
  const parts = visibleLine(text).split(/`([^`]+)`/);
  return <>{parts.map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}</>;
}
