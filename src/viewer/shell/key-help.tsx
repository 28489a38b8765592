/** The keys of the page. */
import { Dialog } from './dialog.jsx';

const KEYS: readonly (readonly [string, string])[] = [
  ['/', 'search'],
  ['j  k', 'next and previous run or event'],
  ['Enter', 'open the run'],
  ['← →', 'previous and next event, on the slider'],
  ['l', 'the latest event, and follow the run'],
  ['u', 'back to the list of runs'],
  ['?', 'this list'],
];

export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {KEYS.map(([key, what]) => (
          <div key={key}>
            <dt>
              {key.split('  ').map((one) => (
                <kbd key={one}>{one}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </Dialog>
  );
}
