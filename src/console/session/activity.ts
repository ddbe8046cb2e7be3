/** Milliseconds for which an unused page renews its session: a user who left must not stay signed in for ever. */
const inUseMilliseconds = 15 * 60_000;

const kinds = ["pointerdown", "pointermove", "keydown", "wheel", "touchstart", "focus"] as const;

let lastUse = 0;
let waiting: (() => void)[] = [];

/** From now on it is known when the page was last used. */
export function watchUse(): void {
  const onUse = (): void => {
    lastUse = performance.now();
    goOn();
  };
  onUse();
  for (const kind of kinds) addEventListener(kind, onUse, { passive: true, capture: true });
}

/** Ends the waiting of `used`: another tab that is in use has renewed the session. */
export function goOn(): void {
  const resumed = waiting;
  waiting = [];
  for (const resume of resumed) resume();
}

/** Settles when the page is in use, at once or when it is touched again, or at `goOn`. */
export function used(): Promise<void> {
  if (performance.now() - lastUse < inUseMilliseconds) return Promise.resolve();
  return new Promise((resolve) => {
    waiting.push(resolve);
  });
}
