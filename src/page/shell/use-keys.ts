/** Keys of the page. They do nothing while a person writes, or together with Ctrl, Alt or Cmd. */
import { useEffect, useRef } from 'preact/hooks';

type Handlers = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** `handlers`: by the name of the key, as events of the keyboard name it. */
export function useKeys(handlers: Handlers): void {
  const current = useRef(handlers);
  current.current = handlers;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || isWriting(event.target)) return;
      if (document.querySelector('dialog[open]') !== null) return;
      const handler = current.current[event.key];
      if (handler === undefined) return;
      event.preventDefault();
      handler(event);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLInputElement && target.type !== 'range' && target.type !== 'checkbox')
  );
}
