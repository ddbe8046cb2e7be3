import type { Browser } from "playwright-core";
import type { Ending } from "../basics/ending.ts";

const launched = new Map<string, Promise<Browser>>();

/** Suites and others that have not ended. */
let users = 0;

/**
 * Keeps what is launched until this has ended, and all else that asked for the same. No hook of the process does it: those
 * run as soon as all tests that are known have ended, which may be before the next file is loaded.
 */
export function keepBrowsers(ending: Ending): void {
  users += 1;
  ending.after(async () => {
    users -= 1;
    if (users > 0) return;
    const unused = [...launched.values()];
    launched.clear();
    for (const browser of unused) await (await browser).close();
  });
}

/**
 * The browser of this key, launched for the first that asks. To start one takes as much processor time as the tests of many
 * a file: those of a process share it.
 */
export function sharedBrowser(ending: Ending, key: string, launch: () => Promise<Browser>): Promise<Browser> {
  keepBrowsers(ending);
  const browser = launched.get(key) ?? launch();
  launched.set(key, browser);
  return browser;
}
