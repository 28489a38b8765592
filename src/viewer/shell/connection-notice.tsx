/** Says that the service does not answer. It goes away when the service is back. */
import { usePage } from '../page-parts.js';

export function ConnectionNotice() {
  const { data } = usePage();
  const state = data.connection.value;
  return (
    <div role="status" aria-live="polite" class={`connection ${state}`}>
      {state === 'lost' && (
        <p>
          <strong>The service does not answer.</strong> What you see is what it sent last. The page tries again by
          itself.
        </p>
      )}
      {state === 'signed-out' && (
        <p>
          <strong>This page needs the token of the service.</strong> Open the address that <code>statedsl serve</code>{' '}
          or <code>statedsl ui</code> printed when it started: each start has its own token.
        </p>
      )}
    </div>
  );
}
