import type { ComponentChildren } from "preact";
import { addressOf, navigate } from "./navigation.ts";

/** A link within the console; with Ctrl and the like it is the browser's. */
export function Link({
  to,
  query,
  isCurrent = false,
  className,
  children,
}: {
  readonly to: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly isCurrent?: boolean;
  readonly className?: string;
  readonly children: ComponentChildren;
}) {
  return (
    <a
      href={addressOf(to, query)}
      class={className}
      aria-current={isCurrent ? "page" : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        void navigate(to, query);
      }}
    >
      {children}
    </a>
  );
}
