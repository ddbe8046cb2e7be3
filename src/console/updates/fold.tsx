import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { navigate, place } from "../navigation/navigation.ts";
import { useStore } from "../store.ts";

/** The parts of the page that are folded, by the names that the page's address has for them. */
type FoldName = "trust" | "history" | "file" | "settings";

/** The value of `open` in the address while all parts are closed. */
const noneOpen = "none";

/**
 * A part of the page under a line that sums it up. The page's address names the open parts: so a link leads to an open
 * part, and going back or loading the page again opens the same ones. The content is made at the first opening.
 */
export function Fold({
  name,
  title,
  summary,
  isOpenAtFirst = false,
  children,
}: {
  readonly name: FoldName;
  readonly title: string;
  readonly summary: ComponentChildren;
  /** It needs a person. */
  readonly isOpenAtFirst?: boolean;
  readonly children: ComponentChildren;
}) {
  const { path, query } = useStore(place);
  const asked = query.open?.split(",") ?? null;
  // It is not closed under a person's hands when what they did was all that was needed.
  const wasNeeded = useRef(false);
  wasNeeded.current ||= isOpenAtFirst;
  const isOpen = asked?.includes(name) ?? wasNeeded.current;
  const element = useRef<HTMLDetailsElement>(null);
  const isOwn = useRef(false);
  const [wasOpen, setWasOpen] = useState(isOpen);
  useEffect(() => {
    if (isOpen) setWasOpen(true);
    // A link has led here; who opens it by hand is here already.
    if (isOpen && asked?.length === 1 && !isOwn.current) element.current?.scrollIntoView({ block: "start" });
    isOwn.current = false;
  }, [isOpen]);
  const toggled = (): void => {
    const now = element.current?.open;
    // A browser tells of it in a task of its own: the page may have been left before.
    if (now === undefined || now === isOpen) return;
    isOwn.current = true;
    const others = openFolds().filter((one) => one !== name);
    const open = [...others, ...(now ? [name] : [])].join(",") || noneOpen;
    void navigate(path, { ...query, open }, { replace: true });
  };
  return (
    <section class="fold" aria-label={title}>
      <details ref={element} data-fold={name} open={isOpen} onToggle={toggled}>
        <summary>
          <h2>{title}</h2>
          <span class="fold-summary">{summary}</span>
        </summary>
        {(wasOpen || isOpen) && <div class="fold-body">{children}</div>}
      </details>
    </section>
  );
}

function openFolds(): string[] {
  return [...document.querySelectorAll<HTMLElement>("[data-fold]")]
    .filter((one) => (one as HTMLDetailsElement).open)
    .map((one) => one.dataset.fold ?? "");
}
