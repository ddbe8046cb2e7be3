import type { Page } from "playwright-core";

/**
 * Lets a test have frames come late, as on a busy computer: from `holdFrames()` in the page on, the next one comes when a
 * dialog is removed.
 */
export async function letFramesBeHeld(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const { requestAnimationFrame: request, cancelAnimationFrame: cancel } = window;
    const held = new Map<number, FrameRequestCallback>();
    let isHeld = false;
    const observer = new MutationObserver((records) => {
      const removed = records.flatMap(({ removedNodes }) => [...removedNodes]);
      if (!removed.some((node) => node instanceof HTMLDialogElement)) return;
      isHeld = false;
      for (const act of held.values()) act(performance.now());
      held.clear();
    });
    observer.observe(document, { childList: true, subtree: true });
    Object.assign(window, {
      holdFrames: () => {
        isHeld = true;
      },
      requestAnimationFrame: (act: FrameRequestCallback) => {
        if (!isHeld) return request(act);
        // Only for its id, which no other request has.
        const id = request(() => undefined);
        held.set(id, act);
        return id;
      },
      cancelAnimationFrame: (id: number) => held.delete(id) || cancel(id),
    });
  });
}
