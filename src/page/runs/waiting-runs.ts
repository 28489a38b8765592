/** Runs that wait for a person, which the list shows first: what they ask. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Waiting } from '../../interpreter/events/event.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import type { RunRow, WaitingRun } from '../data/page-data.js';
import { usePage } from '../page-parts.js';
import { waitingWords } from '../record/event-words.js';

/** More of them are found with a filter. */
const MOST = 50;

const REFRESH_MS = 10_000;
/** While the service has not looked at all suspended runs. */
const CONTINUE_MS = 300;
/** The list does not wait longer for what is above it. */
const LONGEST_WAIT_MS = 400;

/** What a person is asked; the run itself has the rest. */
export function questionOf(waiting: Waiting): string {
  const { question } = waiting;
  const choices = waiting.choices ?? [];
  if (question === undefined) return waitingWords(waiting);
  const id = waiting.id === undefined ? '' : ` [${waiting.id}]`;
  return visibleLine(`${question}${choices.length === 0 ? '' : ` (${choices.join(', ')})`}${id}`);
}

/**
 * Null until it is known: then the list appears together with what is above it, and nothing moves. `runs`: the newest ones.
 * Whenever they change, all are looked through again, since an old one may wait, too.
 */
export function useWaitingRuns(runs: readonly RunRow[]): readonly WaitingRun[] | null {
  const { data } = usePage();
  const [known, setKnown] = useState<readonly WaitingRun[] | null>(data.waiting === null ? [] : null);
  const lookAgain = useRef<() => void>(() => undefined);
  useEffect(() => {
    const { waiting } = data;
    if (waiting === null) return;
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let asked = 0;
    const look = async (): Promise<void> => {
      const mine = ++asked;
      clearTimeout(timer);
      const page = await waiting(MOST, controller.signal).catch(() => null);
      if (mine !== asked || controller.signal.aborted) return;
      if (page !== null) setKnown(page.runs);
      timer = setTimeout(() => void look(), page?.complete === false ? CONTINUE_MS : REFRESH_MS);
    };
    lookAgain.current = () => void look();
    void look();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [data]);
  const key = runs
    .slice(0, 60)
    .map(({ run_id, status, ended_at }) => `${run_id} ${status} ${ended_at}`)
    .join();
  const before = useRef(key);
  useEffect(() => {
    // What was asked for together with the first runs is as new as these.
    if (before.current !== '' && before.current !== key) lookAgain.current();
    before.current = key;
  }, [key]);
  useEffect(() => {
    const timer = setTimeout(() => setKnown((found) => found ?? []), LONGEST_WAIT_MS);
    return () => clearTimeout(timer);
  }, []);
  return known;
}
