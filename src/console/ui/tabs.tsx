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
  return (
    <nav class="tabs" aria-label={label}>
      {items.map(({ to, text }) => (
        <Link key={to} to={to} isCurrent={to === current}>
          {text}
        </Link>
      ))}
    </nav>
  );
}
