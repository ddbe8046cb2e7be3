import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { createSelfMade } from "../../src/certificates/self-made.ts";
import type { LanNames } from "../../src/host/lan-names.ts";
import { createSignOwn } from "../../src/host/linux/certificates/self-signed.ts";
import { createRunCommand } from "../../src/host/linux/commands.ts";
import { createTimers } from "../../src/host/linux/timers.ts";
import { namesOfHost } from "../../src/http/hosts.ts";
import { createHttps } from "../../src/programs/agent/listeners/https.ts";

/** HTTPS without an agent, as `steward tls show` sees it, on a host whose daemons give it these names. */
async function shown(lan: LanNames, hostname = "edge-7") {
  const stateDirectory = scratchDirectory();
  const names = () => namesOfHost(hostname, lan);
  const run = createRunCommand();
  const now = () => new Date("2026-11-20T08:00:00Z");
  const readOwn = createSelfMade({
    ...{ directory: join(stateDirectory, "tls"), mayMake: () => true, now, floor: now, uptime: () => 100 },
    signOwn: createSignOwn(run, stateDirectory),
    wanted: () => ({
      names: ["edge-7", "edge-7.local", "localhost"],
      lanNames: lan.own,
      addresses: ["fd00:db8::7"],
    }),
    log: () => undefined,
  });
  await readOwn();
  const time = { uptime: () => 100, wall: () => now().getTime(), timers: createTimers() };
  const https = createHttps(
    {
      ...{ stateDirectory, runDirectory: stateDirectory, run },
      ...{
        log: () => undefined,
        helper: { mayBeAsked: false, absence: () => null },
        boundBuffers: () => undefined,
      },
      time: time as never,
      lanNames: { present: () => lan, look: async () => undefined, seek: async () => undefined },
    },
    {
      ...{
        enabled: true,
        isDecided: true,
        port: 8443,
        redirectPort: null,
        address: "fd00:db8::7",
        hsts: false,
      },
      ...{ directory: join(stateDirectory, "installed"), names },
    },
  );
  const { urls } = await https.status();
  return { urls, trouble: https.trouble() };
}

const none = { own: [], taken: null };
const address = "https://[fd00:db8::7]:8443";

describe("HTTPS by the names of the LAN", () => {
  it("prints the usual one where no daemon says another", async () => {
    const { urls, trouble } = await shown(none);
    assert.deepEqual([urls, trouble], [["https://edge-7:8443", "https://edge-7.local:8443", address], null]);
  });

  it("prints the one that the LAN gave, not that of the other device, and says how to keep it", async () => {
    const { urls, trouble } = await shown({ own: ["edge-8.local"], taken: "edge-7.local" });
    assert.deepEqual(urls, ["https://edge-7:8443", "https://edge-8.local:8443", address]);
    assert.deepEqual([trouble?.code, trouble?.facts], ["https_name_taken", { address: "edge-7.local" }]);
    assert.equal(trouble?.remedy?.line, "steward system host-name edge-8");
  });

  it("finds no fault once the host has that name, before the next look", async () => {
    const { trouble } = await shown({ own: ["edge-8.local"], taken: "edge-7.local" }, "edge-8");
    assert.equal(trouble, null);
  });

  it("begins while a daemon hangs, and reloads while another device is sought", async () => {
    const time = { uptime: () => 100, wall: () => 0, timers: createTimers() };
    const never = new Promise<void>(() => undefined);
    let look = never;
    const lanNames = { present: () => none, look: () => look, seek: () => never };
    const decisions = { enabled: false, names: () => ["edge-7"] } as never;
    const https = createHttps({ time, lanNames } as never, decisions);
    await https.open({} as never);
    look = Promise.resolve();
    await https.reload(decisions);
    await https.stop(0);
  });
});
