/** What a run changed in files: all of it against the commit where its worktree started, or one step of it. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { RunFiles } from '../../app/runs.js';
import { countOf } from '../../views/drawing/amounts.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { DataError, toDataError } from '../data/page-data.js';
import type { RecordLines } from '../data/record-lines.js';
import { usePage } from '../page-parts.js';
import type { ScreenModel } from '../run/screen-model.js';
import { Problem } from '../shell/problem.jsx';
import { Prose } from '../shell/prose.jsx';
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
      {all !== null && all.files.length > 0 && chosen === undefined && <MergeWords files={all} />}
      {files.length === 0 && (problem === null || chosen !== undefined) && <p class="faint pad">No file differs.</p>}
      <FileTree
        label="Changed files"
        of={treeOf(files)}
        shown={shown}
        onChoose={(path) => router.change({ file: path === shown ? undefined : path })}
      />
      {diff !== '' && (
        <DiffView diff={shown === null ? diff : partOf(diff, shown)} isEnd={false} artifact={null} heading="h3" />
      )}
      {all?.truncated === true && <p class="faint pad">Only the first part of the difference is shown.</p>}
    </div>
  );
}

type ChangedFile = RunFiles['files'][number];

/** A folder with changes, or the whole tree; its name has the names of folders with nothing else in them. */
export interface ChangedFolder {
  readonly name: string;
  readonly folders: readonly ChangedFolder[];
  /** With the last parts of their paths. */
  readonly files: readonly (readonly [string, ChangedFile])[];
}

/** Files by their folders, both in the order of their names. */
export function treeOf(files: readonly ChangedFile[]): ChangedFolder {
  return folderOf(
    '',
    files.map((file) => [file.path.split('/'), file] as const),
  );
}

function folderOf(name: string, all: readonly (readonly [readonly string[], ChangedFile])[]): ChangedFolder {
  const files: [string, ChangedFile][] = [];
  const inside = new Map<string, [readonly string[], ChangedFile][]>();
  for (const [[first = '', ...rest], file] of all) {
    if (rest.length === 0) files.push([first, file]);
    else inside.set(first, [...(inside.get(first) ?? []), [rest, file]]);
  }
  const folders = [...inside].sort(([one], [other]) => (one < other ? -1 : 1)).map(([one, its]) => folderOf(one, its));
  const only = folders[0];
  if (name !== '' && files.length === 0 && folders.length === 1 && only !== undefined)
    return { ...only, name: `${name}/${only.name}` };
  return { name, folders, files: files.sort(([one], [other]) => (one < other ? -1 : 1)) };
}

interface FileTreeProps {
  readonly label?: string;
  readonly of: ChangedFolder;
  readonly shown: string | null;
  readonly onChoose: (path: string) => void;
}

function FileTree({ label, of: { folders, files }, shown, onChoose }: FileTreeProps) {
  return (
    <ul class="file-list" aria-label={label}>
      {folders.map((folder) => (
        <li key={`${folder.name}/`}>
          <p class="mono faint">{visibleLine(folder.name)}/</p>
          <FileTree of={folder} shown={shown} onChoose={onChoose} />
        </li>
      ))}
      {files.map(([name, { path, status, added, removed }]) => (
        <li key={path} class="file">
          <button
            type="button"
            class="quiet mono"
            aria-label={visibleLine(path)}
            aria-pressed={path === shown}
            onClick={() => onChoose(path)}
          >
            {visibleLine(name)}
          </button>
          <span class="faint small">{status === 'changed' ? '' : status}</span>
          <span class="plus">+{added ?? '?'}</span>
          <span class="minus">−{removed ?? '?'}</span>
        </li>
      ))}
    </ul>
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

const NAME = /^diff --git (?:a\/.* b\/(.*)|"?a\/.* "b\/(.*)")$/m;

/** Names with quotes, tabs or line ends are in quotes, with escapes. */
function nameOf(part: string): string {
  const [, name, quoted = ''] = NAME.exec(part) ?? [];
  const escapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r' };
  return (
    name ??
    quoted.replace(/\\([0-7]{3}|.)/g, (_, code: string) =>
      code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (escapes[code] ?? code),
    )
  );
}

function partOf(diff: string, path: string): string {
  return partsOf(diff)
    .filter((part) => nameOf(part) === path)
    .join('');
}

function filesIn(diff: string): RunFiles['files'] {
  return partsOf(diff).map((part) => {
    // Before the first hunk, these signs mean something else.
    const rows = part.split(/^@@/m).slice(1).join('').split('\n');
    const count = (sign: string): number => rows.filter((row) => row.startsWith(sign)).length;
    const status = /^new file/m.test(part) ? 'added' : /^deleted file/m.test(part) ? 'removed' : 'changed';
    return { path: nameOf(part), status, added: count('+'), removed: count('-') };
  });
}
