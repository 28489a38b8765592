/** The steps of a run, and the attempts of one of them side by side: what was asked, answered, judged and changed. */
import { parse } from 'diff2html/lib/diff-parser.js';
import { type DiffFile, type DiffLine, LineType } from 'diff2html/lib/types.js';
import type { ComponentChildren } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { isOver } from '../../interpreter/events/status-after.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { countOf, dollars, duration } from '../../views/drawing/amounts.js';
import { escapeControls, visibleLine } from '../../views/drawing/visible-text.js';
import { usePage } from '../page-parts.js';
import type { ScreenModel } from '../run/screen-model.js';
import { ValueView } from '../run/value-view.jsx';
import { Prose } from '../shell/prose.jsx';
import type { ComparedAttempt } from './step-history.js';

export function StepsPanel({ model }: { readonly model: ScreenModel }) {
  const { router } = usePage();
  // The steps are those of the lines so far.
  void model.record.value;
  const { steps } = model.history.steps;
  // While the run continues, the panel stays with the step that it showed first.
  const first = useRef<string | null>(null);
  if (steps.length === 0) {
    const status = model.latest.value?.status;
    return (
      <p class="faint pad">
        {isOver({ status }) ? 'This run has no steps.' : 'This run has no steps so far.'} Prompts and answers of other
        agents are in the record and in <em>Output</em>.
      </p>
    );
  }
  const wanted = router.address.value.query.step;
  const stepAt = (name: string | null | undefined) => steps.find(({ path }) => path === name);
  const shown = stepAt(wanted) ?? stepAt(first.current) ?? mostTried(steps);
  first.current ??= shown?.path ?? null;
  return (
    <div class="steps scroll">
      <label class="step-choice">
        Step{' '}
        <select
          value={shown?.path ?? ''}
          onChange={({ currentTarget }) => router.change({ step: currentTarget.value })}
        >
          {steps.map(({ path, status, attempts }) => (
            <option key={path} value={path}>
              {visibleLine(path)} · {STATUS_WORDS[status]} · {countOf(attempts, 'attempt')}
            </option>
          ))}
        </select>
      </label>
      {shown !== undefined && <Attempts model={model} path={shown.path} />}
    </div>
  );
}

/** The step that explains most: the one with the most attempts, and the first of them. */
function mostTried<S extends { readonly attempts: number }>(steps: readonly S[]): S | undefined {
  return steps.reduce<S | undefined>(
    (most, step) => (most !== undefined && most.attempts >= step.attempts ? most : step),
    undefined,
  );
}

const STATUS_WORDS: Readonly<Record<ComparedAttempt['status'], string>> = {
  pass: 'passed',
  fail: 'failed',
  fatal: 'failed for good',
  running: 'running',
  undone: 'undone',
};

function Attempts({ model, path }: { readonly model: ScreenModel; readonly path: string }) {
  const step = model.history.steps.find(path, model.run);
  if (step === null) return null;
  const at = model.shownSeq.value;
  const attempts = step.attempts.filter(({ seq }) => model.at.value === null || seq <= at);
  if (attempts.length === 0) return <p class="faint pad">At event {at} the step had not begun.</p>;
  return (
    <ol class="attempts" aria-label={`Attempts of ${visibleLine(path)}`}>
      {attempts.map((one) => (
        <li key={one.seq} class={`attempt ${one.status}`}>
          <AttemptView attempt={one} onSelect={() => model.select(one.seq)} />
        </li>
      ))}
    </ol>
  );
}

interface AttemptProps {
  readonly attempt: ComparedAttempt;
  readonly onSelect: () => void;
}

function AttemptView({ attempt: one, onSelect }: AttemptProps) {
  const facts = [
    one.agent === null ? null : visibleLine(one.agent),
    one.duration_ms === null ? null : duration(one.duration_ms),
    one.cost === null ? 'unknown cost' : one.cost > 0 ? dollars(one.cost) : null,
    one.turns === null ? null : countOf(one.turns, 'turn'),
  ].filter((fact) => fact !== null);
  return (
    <>
      <h3>
        <button type="button" class="quiet" onClick={onSelect}>
          Attempt {one.attempt}
        </button>{' '}
        <span class={`tag ${one.status}`}>{STATUS_WORDS[one.status]}</span>
      </h3>
      <p class="faint">{facts.join(' · ')}</p>
      {one.why !== null && (
        <p class="why">
          <Prose text={visibleLine(one.why)} />
        </p>
      )}
      <Section title="Prompt">{one.prompt === null ? null : <ValueView value={one.prompt} />}</Section>
      <Section title="Answer">{one.answer === null ? null : <ValueView value={one.answer} />}</Section>
      <Section title="Gates">{one.gates.length === 0 ? null : <Gates gates={one.gates} />}</Section>
      <Section title="Changed files">
        {one.change === null || one.change.files.length === 0 ? null : (
          <>
            <p class="mono">{one.change.files.map(visibleLine).join(', ')}</p>
            {one.change.diff !== null && (
              <DiffView diff={one.change.diff} isEnd={one.change.isEnd} artifact={one.change.artifact} />
            )}
          </>
        )}
      </Section>
      <Section title="Commands and calls">{one.calls.length === 0 ? null : <Calls calls={one.calls} />}</Section>
    </>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  if (children === null) return null;
  return (
    <section>
      <h4>{title}</h4>
      {children}
    </section>
  );
}

function Gates({ gates }: Pick<ComparedAttempt, 'gates'>) {
  return (
    <ul>
      {gates.map(({ seq, gate, pass, message, output }) => (
        <li key={seq}>
          <span class={`tag ${pass ? 'pass' : 'fail'}`}>{pass ? 'passed' : 'failed'}</span> {visibleLine(gate)}
          {message === null ? '' : `: ${visibleLine(message)}`}
          {output !== undefined && output !== '' && (
            <pre class="printed" role="group" tabIndex={0} aria-label={`Printed by ${visibleLine(gate)}`}>
              {escapeControls(output.slice(-4000))}
            </pre>
          )}
        </li>
      ))}
    </ul>
  );
}

function Calls({ calls }: Pick<ComparedAttempt, 'calls'>) {
  return (
    <ul>
      {calls.map(({ seq, tool, outcome, retried }) => (
        <li key={seq}>
          <span class="mono">{visibleLine(tool)}</span> <Prose text={visibleLine(outcome ?? 'open')} />
          {retried === null ? '' : `, tried again: ${visibleLine(retried)}`}
        </li>
      ))}
    </ul>
  );
}

interface DiffViewProps {
  readonly diff: string;
  /** Whether it is only the end of the diff. */
  readonly isEnd: boolean;
  /** The file below `artifacts/` with all of it. */
  readonly artifact: string | null;
  /** The heading of each file; its level follows from where the diff is. */
  readonly heading?: 'h3' | 'h5';
}

/** A diff of git: for each file its name, how much changed, and its lines with their numbers. */
export function DiffView({ diff, isEnd, artifact, heading: Heading = 'h5' }: DiffViewProps) {
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
          <Heading class="file-name">
            <span class="mono">{visibleLine(name)}</span> <span class="added">+{added}</span>{' '}
            <span class="removed">−{removed}</span>
          </Heading>
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

/** More lines would make the page slow; the run has the whole diff. */
const MOST_LINES = 2000;

const NAMES: Readonly<Record<LineType, string>> = {
  [LineType.INSERT]: 'added',
  [LineType.DELETE]: 'removed',
  [LineType.CONTEXT]: '',
};

interface DiffRow {
  /** `added`, `removed`, `head`, or empty. */
  readonly name: string;
  readonly old?: number;
  readonly now?: number;
  readonly text: string;
}

interface DrawnFile {
  readonly name: string;
  readonly added: number;
  readonly removed: number;
  readonly rows: readonly DiffRow[];
}

interface DiffFiles {
  /** Null: the text is not a whole diff, and has only `lines`. */
  readonly files: readonly DrawnFile[] | null;
  readonly lines: readonly DiffRow[];
  /** How many lines are left out. */
  readonly rest: number;
}

const BINARY: DiffRow = { name: 'head', text: 'a binary file' };

/** The files of a diff of git, each with its lines. What cannot be read as such a diff is shown as plain lines. */
export function diffFiles(diff: string): DiffFiles {
  // The parser would take a single carriage return for the end of a line, and the text after it for a line of the diff.
  const text = diff.replace(/\r(?!\n)/g, escapeControls('\r'));
  const parsed = parsedFiles(text);
  return parsed === null ? plainLines(text) : changedFiles(parsed);
}

/** Null if the text is not a diff from its beginning: the parser drops what comes before the first file, or throws. */
function parsedFiles(text: string): readonly DiffFile[] | null {
  if (!text.startsWith('diff --git ')) return null;
  try {
    const files = parse(text);
    return files.length === 0 ? null : files;
  } catch {
    return null;
  }
}

function changedFiles(parsed: readonly DiffFile[]): DiffFiles {
  let room = MOST_LINES;
  let rest = 0;
  const files = parsed.map(({ newName, oldName, isDeleted, isBinary, addedLines, deletedLines, blocks }) => {
    const all = blocks.flatMap(({ header, lines }): DiffRow[] => [{ name: 'head', text: header }, ...lines.map(rowOf)]);
    const rows = isBinary === true ? [BINARY] : all.slice(0, Math.max(0, room));
    room -= rows.length;
    rest += all.length - Math.min(all.length, rows.length);
    return { name: isDeleted === true ? oldName : newName, added: addedLines, removed: deletedLines, rows };
  });
  return { files, lines: [], rest };
}

function rowOf({ type, oldNumber, newNumber, content }: DiffLine): DiffRow {
  return { name: NAMES[type], text: content, ...omitUndefined({ old: oldNumber, now: newNumber }) };
}

function plainLines(text: string): DiffFiles {
  const all = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
  const lines = all.slice(0, MOST_LINES).map((line) => ({ name: nameOf(line), text: line }));
  return { files: null, lines, rest: all.length - lines.length };
}

function nameOf(line: string): string {
  if (/^(diff |index |--- |\+\+\+ |new file|deleted file|@@)/.test(line)) return 'head';
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : '';
}
