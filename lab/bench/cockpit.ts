/** Cockpit's page of accounts, measured beside the console's pages. */

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import type { BrowserContext, Response } from "playwright-core";
import { until } from "../basics/until.ts";

const port = 18_399;

/** The requests of a first view of a page, with an empty cache. */
export interface CockpitView {
  readonly requests: number;
  /** Bytes as they came, compressed. */
  readonly scriptBytes: number;
  readonly styleBytes: number;
}

/** `undefined`: it does not run here, and standard error has said why. */
export async function cockpitView(
  open: (server: { url: string }) => Promise<{ context: BrowserContext }>,
): Promise<CockpitView | undefined> {
  const server = spawn(join(import.meta.dirname, "start-cockpit.sh"), [String(port)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let complaints = "";
  server.stderr.on("data", (bytes: Buffer) => {
    complaints += bytes.toString();
  });
  const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  try {
    const url = `http://127.0.0.1:${port}`;
    await until("Cockpit answers, or ends", async () => hasEnded(server) || (await answers(url)));
    if (hasEnded(server)) {
      process.stderr.write(complaints);
      return undefined;
    }
    const { context } = await open({ url });
    return await viewOf(context);
  } finally {
    server.kill("SIGTERM");
    await ended;
  }
}

async function viewOf(context: BrowserContext): Promise<CockpitView> {
  const page = await context.newPage();
  const responses: Response[] = [];
  page.on("response", (response) => responses.push(response));
  await page.goto("/users");
  await page.frameLocator("iframe[name$='/users']").getByText("root", { exact: true }).first().waitFor();
  // Playwright's networkidle never came once, with all of the page there.
  let before = -1;
  await until("nothing more of the page comes", async () => {
    await page.waitForTimeout(1_000);
    const isQuiet = responses.length === before;
    before = responses.length;
    return isQuiet;
  });
  const bytesOf = async (kind: string): Promise<number> => {
    const ofKind = responses.filter((response) => response.request().resourceType() === kind);
    const sizes = await Promise.all(ofKind.map((response) => response.request().sizes()));
    return sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
  };
  return {
    requests: responses.length,
    scriptBytes: await bytesOf("script"),
    styleBytes: await bytesOf("stylesheet"),
  };
}

function hasEnded(server: ChildProcess): boolean {
  return server.exitCode !== null || server.signalCode !== null;
}

async function answers(url: string): Promise<boolean> {
  return await fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}
