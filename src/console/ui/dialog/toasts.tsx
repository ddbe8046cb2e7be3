import { createStore, useStore } from "../../store.ts";

interface Toast {
  readonly id: number;
  readonly text: string;
}

/** Milliseconds that a message stays: long enough to read two lines. */
const stayMilliseconds = 6_000;

const toasts = createStore<readonly Toast[]>([]);
let count = 0;

/** Says that something was done; what went wrong stands where it was asked for instead. */
export function toast(text: string): void {
  count += 1;
  const id = count;
  toasts.set([...toasts.read(), { id, text }]);
  setTimeout(() => toasts.set(toasts.read().filter((one) => one.id !== id)), stayMilliseconds);
}

/** Where they appear, at the foot of the page. */
export function Toasts() {
  const shown = useStore(toasts);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text }) => (
        <p key={id} class="toast" dir="auto">
          {text}
        </p>
      ))}
    </div>
  );
}
