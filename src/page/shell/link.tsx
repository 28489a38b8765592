/** A link inside of the page. With Ctrl, Shift or another button the browser opens it as it opens every link. */
import type { ComponentChildren } from 'preact';
import { type Address, usePage } from '../page-parts.js';

interface LinkProps {
  readonly to: Address;
  readonly class?: string;
  readonly title?: string;
  readonly label?: string;
  readonly children: ComponentChildren;
}

export function Link({ to, class: className, title, label, children }: LinkProps) {
  const { router } = usePage();
  return (
    <a
      href={router.href(to)}
      class={className}
      title={title}
      aria-label={label}
      onClick={(event) => {
        if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        router.go(to);
      }}
    >
      {children}
    </a>
  );
}
