/** What a person can do with a run: buttons that open a dialog, which says what will happen before it does. */
import { useState } from 'preact/hooks';
import type { RunActions, ShownRun } from '../data/run-data.js';
import type { RunModel } from '../run/run-model.js';
import { ActionDialog } from './action-dialog.jsx';
import { type ActionName, REASONS_IF_DAMAGED, type Reason, reasonsAgainst } from './permissions.js';

const NAMES: Readonly<Record<ActionName, string>> = {
  resume: 'Resume…',
  signal: 'Signal…',
  replay: 'Replay from here…',
  apply: 'Apply…',
  cancel: 'Cancel…',
};

export function Actions({ model }: { readonly model: RunModel }) {
  const actions = model.data.actions.value;
  if (actions === null) return null;
  const latest = model.latest.value;
  if (latest !== null)
    return <ActionButtons model={model} actions={actions} run={latest} reasons={reasonsAgainst(latest)} />;
  const past = model.at.value === null || model.problem.value?.code !== 'damaged' ? null : model.shown.value;
  if (past === null) return null;
  return <ActionButtons model={model} actions={actions} run={past} reasons={REASONS_IF_DAMAGED} />;
}

interface ActionButtonsProps {
  readonly model: RunModel;
  readonly actions: RunActions;
  readonly run: ShownRun;
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
      {open !== null && (
        <ActionDialog name={open} model={model} actions={actions} run={run} onClose={() => setOpen(null)} />
      )}
    </div>
  );
}
