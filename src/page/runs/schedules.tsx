/** The schedules of the configuration above the list of runs: when each comes next, and what became of its last time. */
import { useEffect, useState } from 'preact/hooks';
import type { ListedSchedule, ScheduleList } from '../../app/runs.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { usePage } from '../page-parts.js';
import { Link } from '../shell/link.jsx';
import { Time } from '../shell/time.jsx';

const REFRESH_MS = 10_000;

/** Nothing as long as there are none. */
export function Schedules() {
  const { data } = usePage();
  const [list, setList] = useState<ScheduleList | null>(null);
  useEffect(() => {
    const { schedules } = data;
    if (schedules === null) return;
    const controller = new AbortController();
    const look = () => void schedules(controller.signal).then(setList, () => undefined);
    look();
    const timer = setInterval(look, REFRESH_MS);
    return () => {
      controller.abort();
      clearInterval(timer);
    };
  }, [data]);
  if (list === null || list.schedules.length === 0) return null;
  return (
    <details class="schedules">
      <summary>Schedules{list.active ? '' : ': no service starts them'}</summary>
      <ul>
        {list.schedules.map((one) => (
          <li key={one.name}>
            <span class="program">{visibleLine(one.name)}</span> {visibleLine(one.program)}, next{' '}
            {one.next[0] === undefined ? 'never' : <Time at={one.next[0]} />}
            <Last last={one.last} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function Last({ last }: Pick<ListedSchedule, 'last'>) {
  if (last === null) return null;
  const { due, outcome, run_id, status, message } = last;
  const words = visibleLine(`${status ?? outcome}${message === undefined ? '' : `: ${message}`}`);
  return (
    <>
      , last <Time at={due} /> {run_id === undefined ? words : <Link to={{ run: run_id, query: {} }}>{words}</Link>}
    </>
  );
}
