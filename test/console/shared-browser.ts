import { after } from "node:test";
import type { Browser } from "playwright-core";

const launched = new Map<string, Promise<Browser>>();

/** `make bench` is no run of tests, and ends them itself. */
if (process.env.STEWARD_TEST_RUN !== undefined) after(endBrowsers);

/**
 * The browser of this key, launched for the first file of a process that asks. It stays until the process has run all of
 * its files: to start one takes as much processor time as the tests of many a file.
 */
export function sharedBrowser(key: string, launch: () => Promise<Browser>): Promise<Browser> {
  const browser = launched.get(key) ?? launch();
  launched.set(key, browser);
  return browser;
}

export async function endBrowsers(): Promise<void> {
  for (const browser of launched.values()) await (await browser).close();
  launched.clear();
}
