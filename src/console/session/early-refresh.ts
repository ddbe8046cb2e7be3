import type { Session } from "../../contract/types.ts";
import { inBrowser } from "../kept.ts";

/**
 * The browser keeps under this name a secret that has to come with its cookie: this storage is separate for each port, as
 * cookies are not. Without it no session of this page can be left, and there is no need to ask.
 */
const bindingName = "steward-refresh-binding";
const storedLength = 26;

/** The secret's rest, stored nowhere: other programs' pages on this port would read it. It came with this document. */
let unstored: string | undefined;

function readUnstored(): string | undefined {
  const [own] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  unstored ??= own?.serverTiming?.find(({ name }) => name === "document")?.description;
  return unstored;
}

/** null: no session can be left. */
export function readBinding(): string | null {
  const [stored, rest] = [inBrowser.get(bindingName), readUnstored()];
  return stored && rest ? stored + rest : null;
}

export function keepBinding({ refresh_binding: binding }: Pick<Session, "refresh_binding">): void {
  if (!binding) return;
  inBrowser.set(bindingName, binding.slice(0, storedLength));
  unstored = binding.slice(storedLength);
}

export function dropBinding(): void {
  inBrowser.remove(bindingName);
}

/** Sent with each call that the cookie authenticates. */
export function bindingHeaders(): Readonly<Record<string, string>> {
  return { "x-refresh-binding": readBinding() ?? "" };
}

/** Runs `work` while no other tab of this browser is in such a turn. */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  // Absent outside secure contexts (plain HTTP beyond this machine); there the agent gives two that come at once the same.
  if (!("locks" in navigator)) return work();
  return navigator.locks.request("steward-refresh", work) as Promise<T>;
}

/** Milliseconds for it: the other tabs wait as well. */
const patienceMilliseconds = 20_000;

/** Here the script in the page itself leaves its answer for the console's script, which comes later. */
const page = globalThis as { stewardRefresh?: Promise<Response> };

/** Renews a session that may be left, while the console is still on its way. */
export function beginRefresh(path: string): void {
  if (readBinding() === null) return;
  page.stewardRefresh = inTurn(async () => {
    const headers = { ...bindingHeaders(), "content-type": "application/json" };
    const signal = AbortSignal.timeout(patienceMilliseconds);
    const response = await fetch(path, { method: "POST", headers, body: "{}", cache: "no-store", signal });
    // With the cookie that came with it: another tab may need both before the console is here.
    if (response.ok) keepBinding(await response.clone().json());
    return response;
  });
  // The caller of earlyRefresh handles the failure.
  page.stewardRefresh.catch(() => undefined);
}

/** The answer that was asked for early, once. */
export function earlyRefresh(): Promise<Response> | undefined {
  const early = page.stewardRefresh;
  delete page.stewardRefresh;
  return early;
}
