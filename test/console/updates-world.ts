import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "playwright-core";
import { installDemoProduct } from "../../scripts/demo-product/install.ts";
import type { Updates } from "../../src/contract/types.ts";
import { type RunningAgent, runSteward, startAgentProcess } from "../running-agent.ts";
import type { Ending } from "../store/state-directory.ts";
import { until } from "../until.ts";
import { type HostileServer, startHostileServer } from "../updates/lab/hostile-server.ts";

/** A device with the demonstration's product, root's side without systemd, and a publisher with a web server. */
export interface UpdatesWorld {
  /** The present one; another after a restart. */
  agent: () => RunningAgent;
  server: HostileServer;
  /** The publisher's first root, as `steward repo` has made it. */
  rootFile: string;
  /** What the server gives out, to be carried to the device. */
  directory: string;
  /** Of that root, as the publisher gives it out. */
  fingerprint: string;
  status: () => Promise<Updates>;
  /** The command line of root on the device. Throws unless it ends with 0. */
  steward: (...words: string[]) => Promise<string>;
  /** Publishes rules; a line that makes no sense makes the engine stop. `words`: of `steward repo add`. */
  publishRules: (version: string, lines: string[], ...words: string[]) => Promise<void>;
  /** Publishes a program of the product that says its version. */
  publishBinary: (version: string) => Promise<void>;
  /** Stops the agent, does what it is given, and starts it again at the same address. */
  restart: (meanwhile: () => Promise<void>) => Promise<void>;
}

export interface WorldOptions {
  /** Between two looks at the health of what is on trial. */
  readonly interval?: string;
}

/** Called in a suite's hook; `ending` takes everything away. */
export async function startUpdatesWorld(
  ending: Ending,
  { interval = "400ms" }: WorldOptions = {},
): Promise<UpdatesWorld> {
  const home = mkdtempSync(join(tmpdir(), "steward-console-"));
  ending.after(async () => rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
  const at = (path: string) => join(home, path);
  const hostFile = at("etc/steward.json");
  installDemoProduct({ product: at("product"), hostFile });
  slowDown(hostFile, interval);
  const places = ["--host-file", hostFile, "--releases", at("releases"), "--trust", at("trust")];
  let agent = await startAgentProcess({ stateDirectory: at("state"), arguments: places });
  ending.after(() => agent.dispose());
  const steward = async (...words: string[]): Promise<string> => {
    const environment = {
      ...{ STEWARD_SOCKET: agent.socket, STEWARD_STATE: at("state"), STEWARD_HOST_FILE: hostFile },
      ...{ STEWARD_RELEASES: at("releases"), STEWARD_TRUST: at("trust") },
    };
    const { code, stdout, stderr } = await runSteward(words, { environment });
    assert.equal(code, 0, `steward ${words.join(" ")}: ${stderr}${stdout}`);
    return stdout;
  };
  // The agent only observes: nothing of this machine is set by it.
  await steward("time", "set", new Date().toISOString(), "--yes");
  await steward("repo", "init", at("site"), "--product", "demo");
  const server = await startHostileServer(ending);
  server.behave(/^targets\//, slowly);
  const publish = async (file: string, ...words: string[]): Promise<void> => {
    execFileSync("tar", ["czf", at("payload.tar.gz"), "-C", at("payload"), file]);
    await steward("repo", "add", at("site"), at("payload.tar.gz"), ...words);
    await steward("repo", "publish", at("site"));
    server.files = filesBelow(at("site/public"));
  };
  mkdirSync(at("payload"));
  await steward("repo", "publish", at("site"));
  server.files = filesBelow(at("site/public"));
  const rootFile = at("site/public/metadata/1.root.json");
  return {
    agent: () => agent,
    server,
    rootFile,
    directory: at("site/public"),
    fingerprint: /[0-9a-f]{64}/.exec(await steward("repo", "inspect", at("site")))?.[0] ?? "",
    status: async () => (await agent.call("GET", "/api/updates", { local: true })).json as Updates,
    steward,
    publishRules: async (version, lines, ...words) => {
      writeFileSync(at("payload/base.rules"), [...comments(), ...lines, ""].join("\n"));
      await publish("base.rules", "--kind", "rules", "--name", "base", "--release", version, ...words);
    },
    publishBinary: async (version) => {
      writeFileSync(at("payload/demo"), `#!/bin/sh\necho ${version}\n`);
      chmodSync(at("payload/demo"), 0o755);
      await publish("demo", "--kind", "binary", "--release", version, "--arch", "any");
    },
    restart: async (meanwhile) => {
      await agent.stop();
      await meanwhile();
      const listen = ["--listen", `127.0.0.1:${agent.port}`];
      const next = await startAgentProcess({
        stateDirectory: at("state"),
        arguments: [...places, ...listen],
      });
      ending.after(() => next.dispose());
      agent = next;
    },
  };
}

/** The demonstration is quick; a person has to be able to look on. */
function slowDown(hostFile: string, interval: string): void {
  const host = JSON.parse(readFileSync(hostFile, "utf8")) as {
    update: Record<"rules" | "binary", { health: Record<string, unknown> }>;
  };
  for (const kind of ["rules", "binary"] as const)
    Object.assign(host.update[kind].health, { interval, within: kind === "rules" ? "3s" : "20s" });
  writeFileSync(hostFile, JSON.stringify(host), { mode: 0o600 });
}

/** Lines that mean nothing to the engine and cannot be compressed much, so that a download takes a while. */
function comments(): string[] {
  return Array.from({ length: 1_000 }, () => `# ${randomBytes(60).toString("base64")}`);
}

/** As a slow line hands it over: in pieces, about 100 kB a second. */
const slowly: Parameters<HostileServer["behave"]>[1] = async ({ response, file }) => {
  if (file === undefined) return void response.writeHead(404).end();
  response.writeHead(200, { "content-length": file.length, "content-type": "application/octet-stream" });
  for (let from = 0; from < file.length; from += 8_192) {
    response.write(file.subarray(from, from + 8_192));
    await delay(80);
  }
  response.end();
};

function filesBelow(directory: string): Map<string, Buffer> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [relative(directory, path), readFileSync(path)];
    }),
  );
}

/** From now on every step that the page shows as being under way is noted; the result tells which were, in order. */
export async function watchSteps(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const seen: string[] = [];
    // Named functions do not survive the way into the page.
    new MutationObserver(() => {
      const text = document.querySelector('.steps [aria-current="step"]')?.textContent ?? "";
      if (text !== "" && seen.at(-1) !== text) seen.push(text);
    }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
    Object.assign(globalThis, { seenSteps: seen });
  });
  return () => page.evaluate(() => (globalThis as unknown as { seenSteps: string[] }).seenSteps);
}

/** Waits until it may be looked again: ten seconds lie between two looks. */
export async function untilCheckMayBegin({ status }: UpdatesWorld): Promise<void> {
  const { last_check } = (await status()).schedule;
  const next = last_check === null ? 0 : Date.parse(last_check.at) + 10_000;
  await until("ten seconds have passed", () => Date.now() >= next);
}
