import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, uptime } from "node:os";
import { join, relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Updates } from "../../src/contract/types.ts";
import { runSteward, startAgentInProcess } from "../agents/agent-in-process.ts";
import type { RunningAgent } from "../agents/running-agent.ts";
import type { Ending } from "../basics/ending.ts";
import { until } from "../basics/until.ts";
import { type HostileServer, startHostileServer } from "../publisher/hostile-server.ts";
import { useOpenSsl } from "../publisher/quick-ed25519.ts";
import { runPublisher } from "../publisher/run-publisher.ts";
import { installDemoProduct } from "../run/demo-product/install.ts";
import { restBetweenChecks } from "../simulated/rest-between-checks.ts";
import { passingTime } from "../simulated/test-time.ts";

// Each of the publisher's commands verifies the whole repository again.
useOpenSsl();

/** A device with the demonstration's product, the installer without systemd, and a publisher with a web server. */
export interface UpdatesWorld {
  /** The present one; another after a restart. */
  agent: () => RunningAgent;
  server: HostileServer;
  /** The publisher's first root, as `steward-publisher` has made it. */
  rootFile: string;
  /** The server's files, which a person can carry to the device. */
  directory: string;
  /** The fingerprint of that root, as the publisher gives it out. */
  fingerprint: string;
  status: () => Promise<Updates>;
  /** The command line of root on the device. Throws unless it ends with 0. */
  steward: (...words: string[]) => Promise<string>;
  /** Publishes rules; a line that makes no sense makes the engine stop. `words`: of `steward-publisher add`. */
  publishRules: (version: string, lines: string[], ...words: string[]) => Promise<void>;
  /** Publishes a program of the product that says its version. */
  publishBinary: (version: string) => Promise<void>;
  /** Stops the agent, does what it is given, and starts it again at the same address. */
  restart: (meanwhile: () => Promise<void>) => Promise<void>;
  /** Downloads trickle until the result is called: a page can be asked about them for as long as that takes. */
  holdDownloads: () => () => void;
  /** Stops the installer after its next check of this version's health, until the result is called. */
  holdTrial: (version: string) => () => Promise<void>;
  /** Lets the ten seconds pass that lie between two looks. */
  restFromChecks: () => Promise<void>;
  /** Sets the time that a release may take to be healthy from now on, such as `5s`; half an hour by default. */
  allowTrial: (within: string) => void;
}

export interface WorldOptions {
  /** Rules are so long that a download which is held lasts for minutes. */
  readonly isLong?: boolean;
}

/** Called in a suite's hook; `ending` takes everything away. */
export async function startUpdatesWorld(
  ending: Ending,
  { isLong = false }: WorldOptions = {},
): Promise<UpdatesWorld> {
  const home = mkdtempSync(join(tmpdir(), "steward-console-"));
  ending.after(async () => rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
  const at = (path: string) => join(home, path);
  const hostFile = at("etc/steward.json");
  installDemoProduct({ product: at("product"), hostFile });
  const allowTrial = (within: string) => changeTrials(hostFile, { within, interval: "200ms" });
  allowTrial("30m");
  const holdTrial = createTrialHolding(ending, { hostFile, product: at("product") });
  const places = ["--host-file", hostFile, "--releases", at("releases"), "--trust", at("trust")];
  // The installer goes by this machine's own uptime.
  const time = passingTime(uptime());
  const start = (...more: string[]) =>
    startAgentInProcess({ stateDirectory: at("state"), arguments: [...places, ...more], time });
  let agent = await start();
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
  const publisher = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runPublisher(words);
    assert.equal(code, 0, `steward-publisher ${words.join(" ")}: ${stderr}${stdout}`);
    return stdout;
  };
  // The agent only observes: nothing of this machine is set by it.
  await steward("time", "set", new Date().toISOString(), "--yes");
  await publisher("init", at("site"), "--product", "demo");
  const server = await startHostileServer(ending);
  const holdDownloads = createDownloadHolding(server);
  const publish = async (file: string, ...words: string[]): Promise<void> => {
    execFileSync("tar", ["czf", at("payload.tar.gz"), "-C", at("payload"), file]);
    await publisher("add", at("site"), at("payload.tar.gz"), ...words);
    await publisher("publish", at("site"));
    server.files = filesBelow(at("site/public"));
  };
  mkdirSync(at("payload"));
  await publisher("publish", at("site"));
  server.files = filesBelow(at("site/public"));
  const rootFile = at("site/public/metadata/1.root.json");
  const status = async () => (await agent.call("GET", "/api/updates", { local: true })).json as Updates;
  return {
    agent: () => agent,
    server,
    ...{ rootFile, holdDownloads, holdTrial, allowTrial },
    restFromChecks: () => restBetweenChecks(time, status),
    directory: at("site/public"),
    fingerprint: /[0-9a-f]{64}/.exec(await publisher("inspect", at("site")))?.[0] ?? "",
    status,
    steward,
    publishRules: async (version, lines, ...words) => {
      writeFileSync(at("payload/base.rules"), [...comments(isLong ? 12_000 : 100), ...lines, ""].join("\n"));
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
      const next = await start("--listen", `127.0.0.1:${agent.port}`);
      ending.after(() => next.dispose());
      agent = next;
    },
  };
}

/** In the host file, which the installer reads at each start. */
function changeTrials(hostFile: string, change: Readonly<Record<string, unknown>>): void {
  const host = JSON.parse(readFileSync(hostFile, "utf8")) as {
    update: Record<"rules" | "binary", { health: Record<string, unknown> }>;
  };
  for (const kind of ["rules", "binary"] as const) Object.assign(host.update[kind].health, change);
  writeFileSync(hostFile, JSON.stringify(host), { mode: 0o600 });
}

/**
 * The engine's word about its health as it is. When the installer has read it and `hold` names this version, the
 * installer is stopped, and its process named in `held`.
 */
const holdingEngine = `#!/bin/sh
own=$(dirname "$0")
if [ "$(cat "$own/hold" 2>/dev/null)" = "$STEWARD_VERSION" ]; then
  setsid sh -c 'while [ -d "/proc/$1" ]; do sleep 0.02; done; kill -STOP "$2"; echo "$2" > "$3.new"; mv "$3.new" "$3"' \
    hold $$ $PPID "$own/held" >/dev/null 2>&1 </dev/null &
fi
exec "$own/engine" "$@"
`;

function createTrialHolding(
  ending: Ending,
  { hostFile, product }: { hostFile: string; product: string },
): UpdatesWorld["holdTrial"] {
  const engine = join(product, "holding-engine");
  const [hold, held] = [join(product, "hold"), join(product, "held")];
  writeFileSync(engine, holdingEngine, { mode: 0o700 });
  const host = JSON.parse(readFileSync(hostFile, "utf8"));
  host.update.rules.health.command = [engine, "healthy"];
  host.update.binary.health.command = [engine, "running"];
  writeFileSync(hostFile, JSON.stringify(host), { mode: 0o600 });
  const goOn = (): void => {
    if (existsSync(held)) process.kill(Number(readFileSync(held, "utf8")), "SIGCONT");
    rmSync(held, { force: true });
  };
  ending.after(async () => {
    rmSync(hold, { force: true });
    goOn();
  });
  return (version) => {
    writeFileSync(hold, version);
    return async () => {
      await until(`the installer has checked ${version}`, () => existsSync(held));
      if (readFileSync(hold, "utf8") === version) rmSync(hold);
      goOn();
    };
  };
}

/** Lines that mean nothing to the engine and cannot be compressed much. */
function comments(length: number): string[] {
  return Array.from({ length }, () => `# ${randomBytes(60).toString("base64")}`);
}

/** Held, in pieces, a little faster than what the agent takes for a line that is dead. */
function createDownloadHolding(server: HostileServer): UpdatesWorld["holdDownloads"] {
  let isHeld = false;
  server.behave(/^targets\//, async ({ response, file }) => {
    if (file === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { "content-length": file.length, "content-type": "application/octet-stream" });
    let sent = 0;
    for (; isHeld && sent < file.length; sent += 640) {
      response.write(file.subarray(sent, sent + 640));
      await delay(100);
    }
    response.end(file.subarray(sent));
  });
  return () => {
    isHeld = true;
    return () => {
      isHeld = false;
    };
  };
}

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
