/** Copies a text, and says that it did. */
import { useEffect, useState } from 'preact/hooks';

const SAID_MS = 1500;

interface CopyButtonProps {
  readonly text: () => string;
  /** What is copied, for those who cannot see it. */
  readonly label?: string;
}

export function CopyButton({ text, label = 'Copy' }: CopyButtonProps) {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setDone(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [isDone]);
  // A page from a file or from another computer may not have a clipboard.
  if (navigator.clipboard === undefined) return null;
  return (
    <button
      type="button"
      class="quiet copy"
      aria-label={label}
      onClick={() =>
        void navigator.clipboard.writeText(text()).then(
          () => setDone(true),
          () => undefined,
        )
      }
    >
      {isDone ? 'Copied' : 'Copy'}
    </button>
  );
}
