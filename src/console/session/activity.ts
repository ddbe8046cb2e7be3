/**
 * Milliseconds for which a page that nobody touches still renews its session. What it reads by itself would otherwise
 * keep the session of somebody who has left alive for ever.
 */
const inUseMilliseconds = 15 * 60_000;

const kinds = ["pointerdown", "pointermove", "keydown", "wheel", "touchstart", "focus"] as const;

let lastUse = 0;
let waiting: (() => void)[] = [];

/** From now on it is known when somebody last touched the page. */
export function watchUse(): void {
  const onUse = (): void => {
    lastUse = performance.now();
    goOn();
  };
  onUse();
  for (const kind of kinds) addEventListener(kind, onUse, { passive: true, capture: true });
}

/** Whoever waits need not wait any more: another tab that is in use has renewed the session. */
export function goOn(): void {
  const resumed = waiting;
  waiting = [];
  for (const resume of resumed) resume();
}

/** Settles when the page is in use, at once or when somebody touches it again, or at `goOn`. */
export function used(): Promise<void> {
  if (performance.now() - lastUse < inUseMilliseconds) return Promise.resolve();
  return new Promise((resolve) => {
    waiting.push(resolve);
  });
}
