import { useEffect, useRef } from "preact/hooks";
import { Link } from "../navigation/link.tsx";

/** Pages of one section; each is a place of its own, so these are links. */
export function Tabs({
  label,
  items,
  current,
}: {
  readonly label: string;
  readonly items: readonly { readonly to: string; readonly text: string }[];
  readonly current: string;
}) {
  const bar = useRef<HTMLElement>(null);
  // On a phone the bar is wider than the page.
  useEffect(() => {
    bar.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [current]);
  return (
    <nav class="tabs" aria-label={label} ref={bar}>
      {items.map(({ to, text }) => (
        <Link key={to} to={to} isCurrent={to === current}>
          {text}
        </Link>
      ))}
    </nav>
  );
}
