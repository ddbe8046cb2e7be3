import type { ComponentChildren } from "preact";
import { Link } from "../navigation/link.tsx";
import { Banner } from "../ui/page.tsx";

/** A banner that leads to where something can be done; not shown on that page, which says it itself. */
export function Lead({
  state = "attention",
  to,
  from,
  text,
  children,
}: {
  readonly state?: "attention" | "wrong" | "unknown";
  readonly to: string;
  /** The path of the page that is shown. */
  readonly from: string;
  readonly text: string;
  readonly children: ComponentChildren;
}) {
  if (to === from) return null;
  return (
    <Banner state={state} action={<Link to={to}>{text}</Link>}>
      {children}
    </Banner>
  );
}
