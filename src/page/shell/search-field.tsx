/** A field to search or filter with. */
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface SearchFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onEnter?: () => void;
  /** Searches when the person has stopped typing for so long; at once if it is left out. */
  readonly pauseMs?: number;
  readonly element?: RefObject<HTMLInputElement | null>;
}

export function SearchField({ label, placeholder, value, onChange, onEnter, pauseMs = 0, element }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <input
      ref={element}
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={text}
      onInput={({ currentTarget }) => {
        const next = currentTarget.value;
        setText(next);
        clearTimeout(timer.current);
        if (pauseMs === 0) onChange(next);
        else timer.current = setTimeout(() => onChange(next), pauseMs);
      }}
      onKeyDown={({ key }) => key === 'Enter' && onEnter?.()}
    />
  );
}

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A dialog: the browser keeps the focus inside and closes it with Escape. Then what had the focus before has it again. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={element} aria-labelledby="dialog-title" onClose={onClose}>
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
}
