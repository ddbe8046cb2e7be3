/** The last part of `make bench`: what the console's pages take, measured in Chromium with an empty cache. */

import { join } from "node:path";
import { addUsers, signIn, startBrowser } from "../../test/console/browser.ts";
import { type FirstView, firstView } from "../../test/console/first-view.ts";
import { startAgentProcess } from "../../test/running-agent.ts";
import { budgets, consoleSizes } from "../build-console.ts";
import { median } from "./row.ts";

const rounds = 5;
const slowdown = 4;

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
  const views: [name: string, views: FirstView[]][] = [
    ["sign-in", []],
    ["Users", []],
    ["System", []],
    ["Updates", []],
  ];
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, measured] of views) {
      const [of, path, ready] =
        name === "sign-in" ? [stranger, "/", "form"] : [administrator, `/${name.toLowerCase()}`, "main h1"];
      measured.push(await firstView(of, path, { ready, slowdown }));
    }
  }
  print(views);
} finally {
  for (const clean of cleanings.reverse()) await clean();
}

function print(views: readonly [string, readonly FirstView[]][]): void {
  const sizes = consoleSizes(join(import.meta.dirname, "../../dist/console"));
  const lines = views.map(([name, measured]) => {
    const [one] = measured;
    const milliseconds = median(measured.map((view) => view.interactiveMilliseconds));
    return `| ${name} | ${one?.files} + ${one?.calls} | ${kib(one?.scriptBytes)} | ${kib(one?.styleBytes)} | ${milliseconds.toFixed(0)} ms |`;
  });
  process.stdout.write(
    [
      `| page | files + calls | JavaScript | CSS | interactive, on a processor ${slowdown} times slower |`,
      "|---|---|---|---|---|",
      ...lines,
      `| signed out, longest language | | ${kib(sizes.signedOut)} (≤ ${kib(budgets.signedOut)}) | ${kib(sizes.css)} (≤ ${kib(budgets.css)}) | |`,
      `| largest page, longest language | | ${kib(sizes.page)} (≤ ${kib(budgets.page)}) | ${kib(sizes.css)} (≤ ${kib(budgets.css)}) | |`,
      "",
    ].join("\n"),
  );
}

function kib(bytes = 0): string {
  return `${(bytes / 1024).toFixed(1)} KiB`;
}
