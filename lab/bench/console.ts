/** The last part of `make bench`: what the console's pages take, measured in Chromium with an empty cache. */

import { join } from "node:path";
import type { BrowserContext } from "playwright-core";
import { budgets, consoleSizes } from "../../scripts/build-console.ts";
import { startAgentProcess } from "../agents/running-agent.ts";
import { median } from "../basics/quantile.ts";
import { markdownOf } from "../basics/table.ts";
import { addUsers, signIn, startBrowser } from "../console/browser.ts";
import { type FirstView, firstView } from "../console/first-view.ts";

const rounds = 5;
const slowdown = 4;

/** Seconds until the first view can be used, on such a processor and Chromium's Slow 3G (400 kbit/s, 400 ms). */
const slowBoundSeconds = 3;

type View = ReturnType<typeof viewOf>;

/** A page, when it is ready, and what is measured of it. */
function viewOf(name: string, context: BrowserContext, path: string, ready: string) {
  const [measured, onSlow3g]: [FirstView[], FirstView[]] = [[], []];
  return { name, context, path, ready, measured, onSlow3g };
}

const cleanings: (() => Promise<void>)[] = [];
const ending = { after: (clean: () => Promise<void>) => void cleanings.push(clean) };

try {
  const agent = await startAgentProcess();
  ending.after(() => agent.dispose());
  await addUsers(agent);
  const { open } = await startBrowser(ending, true);
  const { context: stranger } = await open(agent);
  const { context: administrator, page } = await open(agent);
  await signIn(page, "admin");
  const others = ["Users", "System", "Updates"];
  const views = [
    viewOf("signed out", stranger, "/", "form"),
    viewOf("Home", administrator, "/", ".verdict"),
    ...others.map((name) => viewOf(name, administrator, `/${name.toLowerCase()}`, "main h1")),
  ];
  for (let round = 0; round < rounds; round += 1)
    for (const { context, path, ready, measured, onSlow3g } of views) {
      measured.push(await firstView(context, path, { ready, slowdown }));
      if (path === "/") onSlow3g.push(await firstView(context, path, { ready, slowdown, isSlow3g: true }));
    }
  print(views);
} finally {
  for (const clean of cleanings.reverse()) await clean();
}

function print(views: readonly View[]): void {
  const sizes = consoleSizes(join(import.meta.dirname, "../../dist/console"));
  const lines = views.map(({ name, measured, onSlow3g }) => {
    const [one] = measured;
    const slow = onSlow3g.length === 0 ? "" : `${seconds(onSlow3g)} s (≤ ${slowBoundSeconds} s)`;
    const sums = [`${one?.files} + ${one?.calls}`, kib(one?.scriptBytes), kib(one?.styleBytes)];
    return [name, ...sums, `${seconds(measured)} s`, slow];
  });
  const bound = (of: keyof typeof budgets): string => `${kib(sizes[of])} (≤ ${kib(budgets[of])})`;
  const slower = `interactive, on a processor ${slowdown} times slower`;
  const table = markdownOf(
    ["page", "files + calls", "JavaScript", "CSS", slower, "and on Slow 3G"],
    [
      ...lines,
      ["signed out, longest language", "", bound("signedOut"), bound("css"), "", ""],
      ["Home, longest language", "", bound("home"), bound("css"), "", ""],
      ["largest page, longest language", "", bound("page"), "", "", ""],
    ],
  );
  process.stdout.write(table);
}

function seconds(views: readonly FirstView[]): string {
  return (median(views.map((view) => view.interactiveMilliseconds)) / 1_000).toFixed(2);
}

function kib(bytes = 0): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}
