import { useEffect, useState } from "preact/hooks";
import { createStore, useStore } from "../../store.ts";

/** Milliseconds that a message stays: long enough to read two lines. */
const stayMilliseconds = 6_000;

const toasts = createStore<readonly { readonly id: number; readonly text: string }[]>([]);
let count = 0;

/** Says that something was done. A failure is shown beside the button that began it instead. */
export function toast(text: string): void {
  count += 1;
  const id = count;
  // A text that is said twice is shown once.
  toasts.set([...toasts.read().filter((one) => one.text !== text), { id, text }]);
  setTimeout(() => toasts.set(toasts.read().filter((one) => one.id !== id)), stayMilliseconds);
}

/** Places where they can appear, the page's and those of open dialogs, the uppermost last. */
const places = createStore<readonly object[]>([]);

/** Shows them at the foot of the page or uppermost dialog: all beneath that is dim, and no screen reader reads it. */
export function Toasts() {
  const [place] = useState(() => ({}));
  useEffect(() => {
    places.set([...places.read(), place]);
    return () => places.set(places.read().filter((one) => one !== place));
  }, []);
  const isUppermost = useStore(places).at(-1) === place;
  const shown = useStore(toasts);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {isUppermost &&
        shown.map(({ id, text }) => (
          <p key={id} class="toast" dir="auto">
            {text}
          </p>
        ))}
    </div>
  );
}
