import { StewardError } from "../../src/contract/errors.ts";
import { createTransfers } from "../../src/host/linux/transfers/transfers.ts";
import type { ResolveHost } from "../../src/host/ports.ts";
import { openRepository } from "../../src/releases/download/repository-files.ts";
import type { Caps } from "../../src/tuf/caps.ts";

/** The device reaches its server with these. */
interface ServedOptions {
  url: string;
  caps: Caps;
  allowLocalServers?: boolean;
  resolveHost?: ResolveHost;
}

/** The product's own reader of a repository, put together as the agent does it; `close` ends what it still does. */
export function openServed({ url, caps, allowLocalServers = true, resolveHost }: ServedOptions) {
  const ending = new AbortController();
  const late = new StewardError("update_too_slow", `The refresh took longer than ${caps.refreshSeconds} s.`);
  const timer = setTimeout(() => ending.abort(late), caps.refreshSeconds * 1_000);
  const { redirects } = caps;
  const transfers = createTransfers({ redirects, allowLocalServers, ...(resolveHost && { resolveHost }) });
  return {
    repository: openRepository({ transfers, url, caps, signal: ending.signal }),
    close: () => clearTimeout(timer),
  };
}
