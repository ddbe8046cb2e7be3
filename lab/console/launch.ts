import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { until } from "../basics/until.ts";

/** Milliseconds for anything in a page: for what hangs, not for machines that are slow. */
export const patienceMilliseconds = 120_000;

export type Scheme = "light" | "dark";

/** `make test-firefox` runs some files in Debian's Firefox, all else runs in Chromium. */
export const isFirefox = process.env.STEWARD_BROWSER === "firefox";

/** Debian's. The shell is Chromium without what draws windows, and takes half of its processor time. */
const chromiumPrograms = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

/** Chromium reaches only the agent: nothing may leave this machine. */
const chromiumFlags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
  // One a person: the next page then finds the scripts compiled, and no process is started in case it is needed.
  "--renderer-process-limit=1",
];

/**
 * A page of a test lives for seconds: to compile its scripts a second time so that they run faster, to collect garbage in
 * other threads and early, and to draw in a process of its own costs more than it gives.
 */
const briefPages = [
  "--js-flags=--no-opt --no-maglev --min-semi-space-size=16 --single-threaded-gc",
  "--in-process-gpu",
];

export async function launchChromium(isWhole: boolean, moreFlags: readonly string[]): Promise<Browser> {
  const { chromium } = await import("./playwright.ts");
  const programs = isWhole ? chromiumPrograms.slice(1) : chromiumPrograms;
  const executablePath = programs.find((path) => existsSync(path));
  assert.ok(executablePath, "Debian's chromium is not installed, or its chromium-headless-shell");
  const args = [...chromiumFlags, ...(isWhole ? [] : briefPages), ...moreFlags];
  return chromium.launch({ executablePath, args, timeout: patienceMilliseconds });
}

/** The directory of Firefox's downloads; it is removed with the run's temporary files. */
const downloads = isFirefox ? mkdtempSync(join(tmpdir(), "steward-downloads-")) : "";

/** Its settings change while it runs (`firefox.ts`), which takes the argument. */
export async function launchFirefox(): Promise<Browser> {
  const { firefox } = await import("./playwright.ts");
  const executablePath = "/usr/bin/firefox-esr";
  assert.ok(existsSync(executablePath), "Debian's firefox-esr is not installed");
  return firefox.launch({
    channel: "moz-firefox",
    executablePath,
    args: ["--remote-allow-system-access"],
    downloadsPath: downloads,
    timeout: patienceMilliseconds,
  });
}

export interface Download {
  readonly name: string;
  readonly text: string;
}

/** Begins a download, and reads the file that the page gives. */
export async function downloaded(page: Page, begin: () => Promise<void>): Promise<Download> {
  if (isFirefox) return downloadedByFirefox(begin);
  const [download] = await Promise.all([page.waitForEvent("download"), begin()]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
}

/** Playwright hears of no file that a page has made itself (of a blob) from Firefox. */
async function downloadedByFirefox(begin: () => Promise<void>): Promise<Download> {
  assert.deepEqual(readdirSync(downloads), [], "a download that no test has taken");
  await begin();
  let name = "";
  // An empty file has its name first, beside the one that is being written.
  await until("a download", () => {
    const names = readdirSync(downloads);
    [name = ""] = names;
    return names.length === 1 && statSync(join(downloads, name)).size > 0;
  });
  const text = readFileSync(join(downloads, name), "utf8");
  rmSync(join(downloads, name));
  return { name, text };
}
