/** The page: its head, the screen that the address names, and what is said about the service. */
import { useSignalEffect } from '@preact/signals';
import { useState } from 'preact/hooks';
import { PageContext, type PageParts } from './page-parts.js';
import { RunScreen } from './run/run-screen.jsx';
import { RunsScreen } from './runs/runs-screen.jsx';
import { ConnectionNotice } from './shell/connection-notice.jsx';
import { KeyHelp } from './shell/key-help.jsx';
import { PageHead } from './shell/page-head.jsx';
import { useKeys } from './shell/use-keys.js';

export function Page(parts: PageParts) {
  const { run } = parts.router.address.value;
  const [isHelpOpen, setHelpOpen] = useState(false);
  useKeys({ '?': () => setHelpOpen(true) });
  useSignalEffect(() => {
    const shown = parts.router.address.value.run;
    document.title = shown === null ? 'Runs · statedsl' : `Run ${shown.slice(-12)} · statedsl`;
  });
  return (
    <PageContext.Provider value={parts}>
      <PageHead onHelp={() => setHelpOpen(true)} />
      <ConnectionNotice />
      <main id="main">{run === null ? <RunsScreen /> : <RunScreen key={run} run={run} />}</main>
      {isHelpOpen && <KeyHelp onClose={() => setHelpOpen(false)} />}
    </PageContext.Provider>
  );
}
