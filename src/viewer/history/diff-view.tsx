/** A unified diff with its added and removed lines in colors. */
import { escapeControls } from '../../views/drawing/visible-text.js';

/** More lines would make the page slow; the run has the whole diff. */
const MOST_LINES = 2000;

export function DiffView({ diff }: { readonly diff: string }) {
  const lines = escapeControls(diff.replace(/\n$/, '')).split('\n');
  return (
    <pre class="diff" tabIndex={0} role="region" aria-label="Changes">
      {lines.slice(0, MOST_LINES).map((line, at) => (
        <span key={at} class={kindOf(line)}>
          {line}
          {'\n'}
        </span>
      ))}
      {lines.length > MOST_LINES && <span class="faint">… {lines.length - MOST_LINES} more lines</span>}
    </pre>
  );
}

function kindOf(line: string): string {
  if (/^(diff |index |--- |\+\+\+ |new file|deleted file|@@)/.test(line)) return 'head';
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : '';
}
