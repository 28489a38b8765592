/** A value: text as it is, all others as JSON. What is long is folded, and what could deceive is made visible. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Json } from '../../machine/expression.js';
import { size } from '../../views/drawing/amounts.js';
import { cut, escapeControls } from '../../views/drawing/visible-text.js';

const SHORT = 300;
/** More text would make the page slow. */
const LONGEST = 100_000;

interface ValueProps {
  readonly value: Json;
  /** Its JSON text, if a number in it was written differently, such as `1.10`. */
  readonly printed?: string | undefined;
}

export function ValueView({ value, printed }: ValueProps) {
  const [isOpen, setOpen] = useState(false);
  const element = useRef<HTMLSpanElement>(null);
  const [isCut, setCut] = useState(false);
  useLayoutEffect(() => {
    const { current } = element;
    if (current !== null && !isOpen) setCut(current.scrollHeight > current.clientHeight + 1);
  }, [value, isOpen]);
  if (value === null || value === '') return <span class="faint">{value === null ? 'null' : 'empty'}</span>;
  const whole = typeof value === 'string' ? value : (printed ?? JSON.stringify(value, null, isOpen ? 2 : undefined));
  const isLong = whole.length > SHORT || isCut;
  const shown = escapeControls(cut(whole, isOpen ? LONGEST : SHORT));
  return (
    <>
      <span
        ref={element}
        class={`value mono ${isOpen ? 'open' : ''} ${typeof value === 'string' ? '' : 'json'}`}
        dir="ltr"
      >
        {shown}
      </span>
      {isOpen && whole.length > LONGEST && (
        <p class="faint small">
          The first {size(LONGEST)} of {size(whole.length)}
        </p>
      )}
      {(isLong || isOpen) && (
        <button type="button" class="quiet more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show less' : `Show all (${size(whole.length)})`}
        </button>
      )}
    </>
  );
}
