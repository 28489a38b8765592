/** What a run changed in files: all of it against the commit where its worktree started, or one step of it. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { RunFiles } from '../../app/runs.js';
import { countOf } from '../../views/drawing/amounts.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { DataError, toDataError } from '../data/page-data.js';
import type { RecordLines } from '../data/record-lines.js';
import { usePage } from '../page-parts.js';
import type { ScreenModel } from '../run/screen-model.js';
import { Problem, Prose } from '../shell/problem.jsx';
import { DiffView } from './steps-panel.jsx';

export function FilesPanel({ model }: { readonly model: ScreenModel }) {
  const { router } = usePage();
  const { lines } = model.record.value;
  const found = useFiles(model);
  const snapshots = useMemo(() => snapshotsIn(lines), [lines.length]);
  const { part, file } = router.address.value.query;
  const chosen = snapshots.find(({ seq }) => String(seq) === part);
  const run = model.latest.value;
  if (run !== null && run.worktree === undefined)
    return <p class="faint pad">The run worked in no worktree of its own, so nobody knows which files it changed.</p>;
  if (found === null) return <p class="faint pad">…</p>;
  const problem = found instanceof DataError ? found : null;
  const all = found instanceof DataError ? null : found;
  const diff = chosen?.diff ?? all?.diff ?? '';
  const files = chosen === undefined ? (all?.files ?? []) : filesIn(chosen.diff);
  const shown = file !== undefined && files.some(({ path }) => path === file) ? file : null;
  return (
    <div class="files scroll" tabIndex={0} role="region" aria-label="Files">
      <div class="panel-tools">
        <select
          aria-label="Changes of"
          value={chosen === undefined ? '' : part}
          onChange={({ currentTarget }) => router.change({ part: currentTarget.value || undefined })}
        >
          <option value="">The whole run</option>
          {snapshots.map(({ seq, name, count }) => (
            <option key={seq} value={String(seq)}>
              {visibleLine(name)}: {countOf(count, 'file')}
            </option>
          ))}
        </select>
        {all !== null && chosen === undefined && <span class="faint">{totals(all)}</span>}
      </div>
      {problem !== null && chosen === undefined && <Problem of={problem} />}
      {all !== null && chosen === undefined && <MergeWords files={all} />}
      {files.length === 0 && (problem === null || chosen !== undefined) && <p class="faint pad">No file differs.</p>}
      <ul class="file-list" aria-label="Changed files">
        {files.map(({ path, status, added, removed }) => (
          <li key={path}>
            <button
              type="button"
              class="quiet mono"
              aria-pressed={path === shown}
              onClick={() => router.change({ file: path === shown ? undefined : path })}
            >
              {visibleLine(path)}
            </button>
            <span class="faint small">{status === 'changed' ? '' : status}</span>
            <span class="plus">+{added ?? '?'}</span>
            <span class="minus">−{removed ?? '?'}</span>
          </li>
        ))}
      </ul>
      {diff !== '' && (
        <DiffView diff={shown === null ? diff : partOf(diff, shown)} isEnd={false} artifact={null} heading="h3" />
      )}
      {all?.truncated === true && <p class="faint pad">Only the first part of the difference is shown.</p>}
    </div>
  );
}

/** What merging the changes would do. */
export function MergeWords({ files: { merge, branch } }: { readonly files: RunFiles }) {
  if ('contained' in merge)
    return (
      <p class="pad merge">
        <Prose text={`\`${merge.into}\` has these changes already.`} />
      </p>
    );
  const { conflicts, into } = merge;
  return (
    <p class={`pad merge ${conflicts.length > 0 ? 'conflict' : ''}`}>
      <Prose
        text={
          conflicts.length === 0
            ? `Apply merges \`${branch.slice(0, 17)}…\` into \`${into}\` without a conflict.`
            : `Apply would conflict with \`${into}\` in ${conflicts.map((one) => `\`${one}\``).join(', ')}, and change nothing.`
        }
      />
    </p>
  );
}

export function totals({ files }: RunFiles): string {
  const sum = (of: 'added' | 'removed'): number => files.reduce((all, one) => all + (one[of] ?? 0), 0);
  return `${countOf(files.length, 'file')}, +${sum('added')} −${sum('removed')}`;
}

/** Null until they are known. They are read again when the run has changed. */
export function useFiles({ data, run, latest }: ScreenModel): RunFiles | DataError | null {
  const [found, setFound] = useState<RunFiles | DataError | null>(null);
  const { seq, worktree } = latest.value ?? {};
  const isWanted = seq !== undefined && worktree !== undefined;
  useEffect(() => {
    if (data.files === null) setFound(NOT_HERE);
    if (data.files === null || !isWanted) return;
    const controller = new AbortController();
    data.files(run, controller.signal).then(setFound, (cause) => {
      if (!controller.signal.aborted) setFound(toDataError(cause));
    });
    return () => controller.abort();
  }, [data, run, seq, isWanted]);
  return found;
}

const NOT_HERE = new DataError('unknown', 'a file has only the changes of each step', 'choose a step');

interface FileSnapshot {
  readonly seq: number;
  readonly name: string;
  readonly count: number;
  readonly diff: string;
}

/** The changes that steps recorded, in their order. */
function snapshotsIn(lines: RecordLines): FileSnapshot[] {
  const found: FileSnapshot[] = [];
  let step = 'the run';
  for (let at = 0; at < Math.min(lines.length, MOST_LINES); at++) {
    const line = lines.at(at);
    if (line === null) continue;
    if (line.type === 'step_started') step = `${line.step}, attempt ${line.attempt}`;
    if (line.type !== 'effect_settled' || line.outcome.kind !== 'changed' || line.outcome.files.length === 0) continue;
    const { files, stdout } = line.outcome;
    found.push({ seq: line.seq, name: step, count: files.length, diff: stdout.text ?? '' });
  }
  return found;
}

/** In a longer record only the whole change is offered. */
const MOST_LINES = 20_000;

function partsOf(diff: string): string[] {
  return diff.split(/^(?=diff --git )/m).filter((part) => part.startsWith('diff --git '));
}

const NAME = /^diff --git a\/.* b\/(.*)$/m;

function partOf(diff: string, path: string): string {
  return partsOf(diff)
    .filter((part) => NAME.exec(part)?.[1] === path)
    .join('');
}

function filesIn(diff: string): RunFiles['files'] {
  return partsOf(diff).map((part) => {
    const rows = part.split('\n');
    const count = (sign: string): number =>
      rows.filter((row) => row.startsWith(sign) && !row.startsWith(sign.repeat(3))).length;
    const status = /^new file/m.test(part) ? 'added' : /^deleted file/m.test(part) ? 'removed' : 'changed';
    return { path: NAME.exec(part)?.[1] ?? '', status, added: count('+'), removed: count('-') };
  });
}
