import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Shape, type ShapeName } from "./shape.tsx";

export interface MenuItem {
  readonly text: string;
  readonly isDangerous?: boolean;
  /** True: of several items this one is in force. */
  readonly isChosen?: boolean;
  /** The reason that it cannot be done; the item is shown all the same. */
  readonly why?: string | null;
  readonly onChoose: () => void;
}

/** CSS pixels kept between the menu and the edge of the window. */
const edge = 8;

/** The rare actions behind one button (WAI-ARIA's menu button pattern). Without a text it is three dots. */
export function Menu({
  label,
  text,
  shape,
  items,
}: {
  readonly label: string;
  readonly text?: string;
  /** Before the text. */
  readonly shape?: ShapeName;
  readonly items: readonly MenuItem[];
}) {
  /** The item that is stepped to first; null: closed. */
  const [opened, setOpened] = useState<0 | -1 | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const close = (): void => {
    setOpened(null);
    button.current?.focus();
  };
  useLayoutEffect(() => {
    if (opened === null || list.current === null || button.current === null) return;
    // Safari before 17 has none; there it is a part of the page, above the others.
    list.current.showPopover?.();
    const stopKeeping = keepBeside(list.current, button.current, () => setOpened(null));
    entriesOf(list.current).at(opened)?.focus({ preventScroll: true });
    return stopKeeping;
  }, [opened]);
  return (
    <div class="menu">
      <button
        ref={button}
        type="button"
        class={`button quiet${text === undefined ? " icon" : ""}`}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={opened !== null}
        aria-controls={opened === null ? undefined : id}
        onClick={() => setOpened(opened === null ? 0 : null)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
          event.preventDefault();
          setOpened(event.key === "ArrowDown" ? 0 : -1);
        }}
      >
        {shape && <Shape name={shape} />}
        {text !== undefined && <span>{text}</span>}
        <Shape name={text === undefined ? "more" : "open"} />
      </button>
      {opened !== null && (
        <div
          ref={list}
          id={id}
          class="menu-items"
          popover="manual"
          role="menu"
          aria-label={label}
          onKeyDown={(event) => onKey(event, entriesOf(event.currentTarget), close, () => setOpened(null))}
        >
          {items.map((item) => (
            <MenuEntry key={item.text} item={item} onDone={close} />
          ))}
        </div>
      )}
    </div>
  );
}

function MenuEntry({ item, onDone }: { readonly item: MenuItem; readonly onDone: () => void }) {
  const why = item.why ?? null;
  return (
    <button
      type="button"
      {...roleOf(item)}
      tabIndex={-1}
      class={item.isDangerous ? "dangerous" : ""}
      aria-disabled={why !== null || undefined}
      onClick={() => {
        if (why !== null) return;
        onDone();
        item.onChoose();
      }}
    >
      {item.text}
      {why !== null && <span class="hint">{why}</span>}
    </button>
  );
}

function roleOf({ isChosen }: MenuItem) {
  return isChosen === undefined
    ? ({ role: "menuitem" } as const)
    : ({ role: "menuitemradio", "aria-checked": isChosen } as const);
}

function entriesOf(list: HTMLElement): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>("[role^=menuitem]")];
}

function onKey(event: KeyboardEvent, all: HTMLElement[], close: () => void, leave: () => void): void {
  const at = all.indexOf(document.activeElement as HTMLElement);
  const steps: Readonly<Record<string, number>> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 };
  const to = steps[event.key] ?? (event.key.length === 1 ? nextBy(event.key, all, at) : null);
  if (event.key === "Tab") leave();
  else if (event.key === "Escape") close();
  else if (to !== null) all.at(to % all.length)?.focus();
  if (to !== null || event.key === "Escape") event.preventDefault();
}

/** The next item that begins with this letter; null: none does. */
function nextBy(letter: string, all: HTMLElement[], at: number): number | null {
  const order = all.map((_, step) => (at + 1 + step) % all.length);
  const starts = (to: number) => all[to]?.textContent?.toLowerCase().startsWith(letter.toLowerCase());
  return order.find(starts) ?? null;
}

/** Puts the list below the button, or above it if there is no room, and always within the window. */
function placeBeside(list: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  list.style.cssText = "";
  // At 0, but where it is a part of the page, in a size container.
  const { left, top, width, height } = list.getBoundingClientRect();
  const below = at.bottom + 4;
  const y = below + height + edge <= innerHeight ? below : at.top - 4 - height;
  list.style.top = `${Math.max(edge, Math.min(y, innerHeight - edge - height)) - top}px`;
  const { clientWidth } = document.documentElement;
  list.style.left = `${Math.max(edge, Math.min(at.right - width, clientWidth - edge - width)) - left}px`;
}

/** Keeps it there while the page moves, and calls `leave` at a touch elsewhere. The result takes it back. */
function keepBeside(list: HTMLElement, button: HTMLElement, leave: () => void): () => void {
  const ending = new AbortController();
  const options = { capture: true, signal: ending.signal };
  const place = (): void => placeBeside(list, button);
  place();
  for (const kind of ["scroll", "resize"]) addEventListener(kind, place, options);
  const onPointer = ({ target }: Event): void => {
    if (target instanceof Node && !list.contains(target) && !button.contains(target)) leave();
  };
  addEventListener("pointerdown", onPointer, options);
  return () => ending.abort();
}
