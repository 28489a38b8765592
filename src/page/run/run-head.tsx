/** The facts of a run: how it is, where it is, what it took. */
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { dollars, duration } from '../../views/drawing/amounts.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { ActionDialog } from '../acting/action-dialog.jsx';
import { type ActionName, REASONS_IF_DAMAGED, type Reason, reasonsAgainst } from '../acting/allowed-actions.js';
import type { PageRun, RunActions, RunRow } from '../data/page-data.js';
import { effectRetryReason } from '../history/step-history.js';
import { commandWords, waitingWords } from '../record/event-words.js';
import { Link } from '../shell/link.jsx';
import { Prose } from '../shell/prose.jsx';
import { ShortId, shortId } from '../shell/short-id.jsx';
import { Elapsed, StatusMark } from '../shell/status-mark.jsx';
import { Time } from '../shell/time.jsx';
import type { ScreenModel } from './screen-model.js';
import { WhyFailed } from './why-failed.jsx';

export function RunHead({ model }: { readonly model: ScreenModel }) {
  const run = model.shown.value ?? model.latest.value;
  if (run === null) return <UnreadHead model={model} />;
  const isPast = model.at.value !== null;
  const isDamaged = model.problem.value?.code === 'damaged';
  return (
    <header class="run-head">
      <h1 tabIndex={-1}>
        <span>{visibleLine(run.title ?? run.machine ?? '')}</span>{' '}
        <StatusMark status={isDamaged ? 'damaged' : run.status} />
        {isPast && <span class="tag past">as it was after event {run.seq}</span>}
      </h1>
      <dl class="facts">
        {run.title !== run.machine && <NameFact name="Program" of={run.machine ?? ''} />}
        {run.state !== null && <NameFact name="State" of={run.state} />}
        <Fact name="Started">
          <Time at={run.started_at} />
        </Fact>
        <Fact name="Time">
          <RunTime model={model} run={run} />
        </Fact>
        <Fact name="Cost" about={costWords(run)}>
          {run.cost === null ? 'unknown' : `${run.cost_unknown ? '≥ ' : ''}${dollars(run.cost)}`}
        </Fact>
        <Fact name="Effects" about="Commands, agents, calls and waits that the run has carried out">
          {run.effects}
        </Fact>
        <Retries model={model} />
        <CopyOf model={model} />
        <Copies model={model} />
        <Fact name="Id">
          <ShortId id={run.run_id} />
        </Fact>
      </dl>
      <Actions model={model} />
      {isPast && run.waiting.length > 0 && (
        <p class="waits">
          <strong>Waits for</strong> <Prose text={run.waiting.map(waitingWords).join('; ')} />
        </p>
      )}
      {run.error !== null && <WhyFailed model={model} error={run.error} />}
      <LastRetry model={model} />
    </header>
  );
}

/** The time until the last event, and of a run that is executed now the time since then. */
function RunTime({ model, run }: { readonly model: ScreenModel; readonly run: PageRun }) {
  const { lines } = model.record.value;
  const last = lines.at(lines.length - 1);
  const isLive = model.data.kind === 'service' && run.status === 'running' && model.at.value === null;
  if (!isLive || last === null || !('ts' in last) || last.seq !== run.seq) return <>{duration(run.duration_ms)}</>;
  return <Elapsed sinceMs={Date.parse(last.ts) - run.duration_ms} />;
}

/** A run that cannot be read as a whole has at least its name. */
function UnreadHead({ model }: { readonly model: ScreenModel }) {
  const first = model.record.value.lines.at(0);
  const listed = useListedRun(model);
  const isDamaged = model.problem.value?.code === 'damaged';
  if (first?.type !== 'run_started')
    return (
      <header class="run-head" aria-busy={model.problem.value === null}>
        <h1 class="hidden">A run</h1>
      </header>
    );
  return (
    <header class="run-head">
      <h1 tabIndex={-1}>
        <span>{visibleLine(listed?.title ?? first.machine)}</span>{' '}
        {isDamaged ? <StatusMark status="damaged" /> : listed !== null && <StatusMark status={listed.status} />}
      </h1>
      {listed !== null && <ListedFacts run={listed} />}
      {isDamaged && <Actions model={model} />}
    </header>
  );
}

/** What the list of runs has of a run. */
function ListedFacts({ run }: { readonly run: RunRow }) {
  return (
    <dl class="facts">
      {run.state !== null && <NameFact name="State" of={run.state} />}
      <Fact name="Started">
        <Time at={run.started_at} />
      </Fact>
      {run.duration_ms !== null && <Fact name="Time">{duration(run.duration_ms)}</Fact>}
      <Fact name="Cost">{run.cost === null ? 'unknown' : dollars(run.cost)}</Fact>
      {run.effects !== null && <Fact name="Effects">{run.effects}</Fact>}
    </dl>
  );
}

/** The row of a run in the list; null until it is known. */
function useListedRun({ data, run, problem }: ScreenModel): RunRow | null {
  const [listed, setListed] = useState<RunRow | null>(null);
  const isUnread = problem.value !== null;
  useEffect(() => {
    if (!isUnread) return;
    const controller = new AbortController();
    data.list({ q: run, limit: 1 }, controller.signal).then(
      ({ runs }) => setListed(runs.find(({ run_id }) => run_id.startsWith(run)) ?? null),
      () => undefined,
    );
    return () => controller.abort();
  }, [isUnread]);
  return listed;
}

function costWords({ cost, cost_unknown: isPartly }: PageRun): string | undefined {
  if (cost === null) return 'Its agents report no cost';
  return isPartly ? 'The cost of some of its calls is unknown' : undefined;
}

/** How often something was tried again. The number leads to the last time, where the record says why. */
function Retries({ model }: { readonly model: ScreenModel }) {
  // More lines may come while the shown event stays the same.
  void model.record.value;
  const count = model.history.retriesUntil(model.shownSeq.value);
  const last = model.history.retries[count - 1];
  if (last === undefined) return null;
  return (
    <Fact name="Retries">
      <button type="button" class="quiet more" onClick={() => model.select(last)}>
        {count}, why?
      </button>
    </Fact>
  );
}

/** The run that this one was copied from, with a link to the event where its own execution began. */
function CopyOf({ model }: { readonly model: ScreenModel }) {
  // What the timeline knows grows with the record.
  void model.record.value;
  const { copy } = model.history.timeline.run;
  if (copy === null) return null;
  const { of, seq } = copy;
  return (
    <Fact name="Replay of">
      <Link to={{ run: of, query: { event: String(Math.max(1, seq - 1)) } }}>
        run {shortId(of)}, event {Math.max(1, seq - 1)}
      </Link>
    </Fact>
  );
}

const MOST_COPIES = 3;

/** The runs that were copied from this one, newest first. */
function Copies({ model: { data, latest } }: { readonly model: ScreenModel }) {
  const [copies, setCopies] = useState<readonly RunRow[]>([]);
  const run = latest.value?.run_id;
  useEffect(() => {
    if (run === undefined) return;
    const controller = new AbortController();
    data.list({ q: run, limit: 50 }, controller.signal).then(
      ({ runs }) => setCopies(runs.filter(({ replay_of: of }) => of === run)),
      // A fact that cannot be read is missing.
      () => undefined,
    );
    return () => controller.abort();
  }, [data, run]);
  if (copies.length === 0) return null;
  return (
    <Fact name="Replayed as">
      {copies.slice(0, MOST_COPIES).map(({ run_id }, at) => (
        <span key={run_id}>
          {at > 0 && ', '}
          <Link to={{ run: run_id, query: {} }}>run {shortId(run_id)}</Link>
        </span>
      ))}
      {copies.length > MOST_COPIES && ` and ${copies.length - MOST_COPIES} more`}
    </Fact>
  );
}

/** Why something was tried again for the last time, on one line. */
function LastRetry({ model }: { readonly model: ScreenModel }) {
  // More lines may come while the shown event stays the same.
  void model.record.value;
  const count = model.history.retriesUntil(model.shownSeq.value);
  const last = model.history.retries[count - 1];
  // The next event may complete the reason.
  const hasNext = last !== undefined && model.record.value.lines.last > last;
  const words = useMemo(() => (last === undefined ? null : retryWords(model, last)), [last, hasNext]);
  if (words === null) return null;
  const line = visibleLine(words);
  return (
    <p class="retried" title={line}>
      <strong>{count === 1 ? 'Tried again.' : `Tried again ${count} times. Last reason:`}</strong> <Prose text={line} />
    </p>
  );
}

interface FactProps {
  readonly name: string;
  /** What a pointer shows. */
  readonly about?: string | undefined;
  readonly children: ComponentChildren;
}

function Fact({ name, about, children }: FactProps) {
  return (
    <div class="fact" title={about}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A name, of which a pointer shows all. */
function NameFact({ name, of }: { readonly name: string; readonly of: string }) {
  return (
    <Fact name={name} about={visibleLine(of)}>
      {visibleLine(of)}
    </Fact>
  );
}

/** `seq`: the event of the retry. Null if its reason is not known yet. */
function retryWords({ record, history, run }: ScreenModel, seq: number): string | null {
  const { lines } = record.value;
  const line = lines.find(seq);
  if (line?.type === 'effect_retried') {
    for (const request of lines.before('effect_requested', lines.indexOf(seq)))
      if (request.effect === line.effect) return effectRetryReason(line, commandWords(request));
    return effectRetryReason(line, null);
  }
  if (line?.type !== 'retry_triggered') return null;
  const begun = history.steps.find(line.step, run)?.attempts.find((one) => one.seq > seq);
  return begun?.why == null ? null : `Step \`${line.step}\`: ${begun.why}`;
}

const NAMES: Readonly<Record<ActionName, string>> = {
  resume: 'Resume…',
  signal: 'Signal…',
  replay: 'Replay from here…',
  apply: 'Apply…',
  cancel: 'Cancel…',
};

/** What a person can do with a run: buttons that open a dialog, which says what will happen before it does. */
function Actions({ model }: { readonly model: ScreenModel }) {
  const actions = model.data.actions.value;
  if (actions === null) return null;
  const latest = model.latest.value;
  if (latest !== null)
    return <ActionButtons model={model} actions={actions} run={latest} reasons={reasonsAgainst(latest)} />;
  if (model.problem.value?.code !== 'damaged') return null;
  const past = model.at.value === null ? null : model.shown.value;
  const reasons = past === null ? { ...REASONS_IF_DAMAGED, replay: CHOOSE_EVENT } : REASONS_IF_DAMAGED;
  return <ActionButtons model={model} actions={actions} run={past} reasons={reasons} />;
}

const CHOOSE_EVENT = 'The record of this run is damaged. Choose an event before the damage first.';

interface ActionButtonsProps {
  readonly model: ScreenModel;
  readonly actions: RunActions;
  /** Null: nothing is possible. */
  readonly run: PageRun | null;
  readonly reasons: Readonly<Record<ActionName, Reason>>;
}

function ActionButtons({ model, actions, run, reasons }: ActionButtonsProps) {
  const [open, setOpen] = useState<ActionName | null>(null);
  return (
    <div class="actions" role="group" aria-label="Actions">
      {(Object.keys(NAMES) as ActionName[]).map((name) => {
        const reason = reasons[name];
        return (
          <button
            key={name}
            type="button"
            // A button that is only marked as disabled can have the focus, so that its reason can be read.
            aria-disabled={reason !== null}
            aria-describedby={reason === null ? undefined : `reason-${name}`}
            title={reason ?? undefined}
            onClick={() => reason === null && setOpen(name)}
          >
            {NAMES[name]}
            {reason !== null && (
              <span id={`reason-${name}`} class="hidden">
                {reason}
              </span>
            )}
          </button>
        );
      })}
      {open !== null && run !== null && (
        <ActionDialog name={open} model={model} actions={actions} run={run} onClose={() => setOpen(null)} />
      )}
    </div>
  );
}
