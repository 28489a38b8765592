/** A diff of git: for each file its name, how much changed, and its lines with their numbers. */

import { useMemo } from 'preact/hooks';
import { countOf } from '../../views/drawing/amounts.js';
import { escapeControls, visibleLine } from '../../views/drawing/visible-text.js';
import { type DiffRow, diffFiles } from './diff-files.js';

interface DiffViewProps {
  readonly diff: string;
  /** Whether it is only the end of the diff. */
  readonly isEnd: boolean;
  /** The file below `artifacts/` with all of it. */
  readonly artifact: string | null;
}

export function DiffView({ diff, isEnd, artifact }: DiffViewProps) {
  const { files, lines, rest } = useMemo(() => diffFiles(diff), [diff]);
  return (
    <div class="diff">
      {isEnd && (
        <p class="faint">
          Only the end of the diff is shown.
          {artifact !== null && (
            <>
              {' '}
              The file <code>artifacts/{artifact}</code> of the run has all of it.
            </>
          )}
        </p>
      )}
      {files?.map(({ name, added, removed, rows }) => (
        <div key={name} class="file" role="group" tabIndex={0} aria-label={`Changes of ${visibleLine(name)}`}>
          <h5>
            <span class="mono">{visibleLine(name)}</span> <span class="added">+{added}</span>{' '}
            <span class="removed">−{removed}</span>
          </h5>
          <Rows rows={rows} />
        </div>
      ))}
      {lines.length > 0 && (
        <div class="file" role="group" tabIndex={0} aria-label="Changes">
          <Rows rows={lines} />
        </div>
      )}
      {rest > 0 && <p class="faint">… {countOf(rest, 'more line')}</p>}
    </div>
  );
}

function Rows({ rows }: { readonly rows: readonly DiffRow[] }) {
  return (
    <table>
      <tbody>
        {rows.map((row, at) => (
          <tr key={at} class={row.name}>
            <td class="number">{row.old ?? ''}</td>
            <td class="number">{row.now ?? ''}</td>
            <td class="text">{escapeControls(row.text)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
