/**
 * The agent on a host whose clock is simulated: all of it is real but its knowledge of the clock, which is read
 * from a JSON file that the test writes (STEWARD_TEST_CLOCK); without one that is the real thing too. libfaketime moves
 * the wall clock itself.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createLog } from "../../src/journal/logs/log.ts";
import { createOwnLines } from "../../src/journal/logs/own-lines.ts";
import { startAgent } from "../../src/programs/agent/agent.ts";
import { noDecisions } from "../../src/programs/host-file/host-file.ts";
import { processUsage } from "../../src/programs/process-usage.ts";
import { makeDirectory } from "../../src/store/files/durable-file.ts";
import { takeLock } from "../../src/store/files/lock.ts";
import { toldClock } from "../simulated/told-clock.ts";
import { testProxy } from "./running-agent.ts";

const { values } = parseArgs({
  options: { state: { type: "string" }, run: { type: "string" }, listen: { type: "string" } },
  allowPositionals: true,
});
const { state = "", run = "" } = values;
const clockFile = process.env.STEWARD_TEST_CLOCK ?? "";
const ownLines = createOwnLines();
const log = createLog(
  (line, severity) => {
    process.stderr.write(line);
    ownLines.add(line, severity);
  },
  () => new Date(),
);

const readClock = (): object => JSON.parse(readFileSync(clockFile, "utf8"));
const openClock = toldClock(readClock, () => log("notice", "a background sync was asked for"));

await makeDirectory(state);
const root = join(import.meta.dirname, "../..");
const agent = await startAgent(
  {
    stateDirectory: state,
    runDirectory: run,
    assetsDirectory: join(root, "dist"),
    factsWorker: join(root, "src/system/facts-worker.ts"),
    initialSettings: JSON.parse(readFileSync(process.env.STEWARD_INITIAL_SETTINGS ?? "", "utf8")),
    build: { version: "0.0.0-test", commit: null, date: "2026-11-01T00:00:00.000Z" },
    nodeVersion: process.version,
    log,
    credentialsDirectory: undefined,
    https: noDecisions().https,
    sealKeyFile: "/nonexistent/seal.key",
    maySteerClock: false,
    mayAskRoot: false,
    clockAddon: "/nonexistent/clock-steering.node",
    selfCheck: { node: process.execPath, script: join(root, "dist/self-check.js") },
    ...(clockFile !== "" && { openClock }),
    ownLines,
    isLogInJournal: true,
    logUnits: [],
    supportUntil: null,
    processUsage,
    oidc: null,
    adoptTimeZone: () => undefined,
    product: "demo",
    installer: null,
    update: {
      caFile: null,
      proxy: null,
      allowLocalServers: true,
      redirectOrigins: [],
      channels: null,
      apply: { rules: null, binary: null },
      rootFile: "/nonexistent/update-root.json",
    },
    hostNames: [],
    trustedProxies: [testProxy],
    listen: { host: "127.0.0.1", port: 0 },
  },
  takeLock(state),
);
log("notice", "listening", { addresses: agent.addresses() });
process.on("SIGTERM", () => void agent.stop().then(() => process.exit(0)));
