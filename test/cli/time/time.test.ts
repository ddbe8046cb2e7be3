import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { runSteward, startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import {
  adminPassword,
  type RunningAgent,
  runSteward as runStewardProcess,
} from "../../../lab/agents/running-agent.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { exampleClock, exampleSource, exampleSummary } from "../../../lab/command-line/example-clock.ts";
import { runSteward as runFromSource, temporaryDirectory } from "../../../lab/command-line/run-steward.ts";
import { runAgainst, startAgent } from "../../../lab/command-line/scripted-agent.ts";
import { typeInto } from "../../../lab/command-line/terminal.ts";
import { type Chronyd, startChronyd } from "../../../lab/host/chronyd.ts";
import { probeReport } from "../../../src/cli/time/time-view.ts";

const program = join(import.meta.dirname, "../../../dist/main.js");

/** A host that is measured only: none of these agents is started with --steer-clock. */
interface Watched {
  agent: RunningAgent;
  settings: string;
  run: (...args: string[]) => ReturnType<typeof runSteward>;
  dispose: () => Promise<void>;
}

async function watch(time: object): Promise<Watched> {
  const directory = scratchDirectory();
  const settings = join(directory, "settings.json");
  writeFileSync(settings, JSON.stringify({ time: { mode: "observe", ...time } }));
  const environment = { STEWARD_INITIAL_SETTINGS: settings };
  const agent = await startAgentInProcess({ environment });
  const places = ["--socket", agent.socket, "--state", agent.stateDirectory];
  return {
    agent,
    settings,
    run: (...args) => runSteward([...args, ...places], { environment }),
    dispose: async () => {
      await agent.dispose();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

describe("steward time, with three good servers and a false one", () => {
  let servers: Chronyd[];
  let watched: Watched;
  let synced: Awaited<ReturnType<typeof runSteward>>;

  before(async () => {
    servers = await Promise.all([
      startChronyd(),
      startChronyd(),
      startChronyd({ stratum: 3 }),
      startChronyd({ fakeTime: "+3s" }),
    ]);
    watched = await watch({ servers: servers.map(({ port }) => `127.0.0.1:${port}`) });
    synced = await watched.run("time", "sync");
  });
  after(async () => {
    await watched.dispose();
    await Promise.all(servers.map((server) => server.stop()));
  });

  it("says in one line what a synchronisation measured", () => {
    assert.deepEqual([synced.code, synced.stdout], [0, ""]);
    assert.match(
      synced.stderr,
      /^Measured: this clock is [\d.]+ u?m?s (ahead|behind), to within [\d.]+ u?m?s\. /,
    );
    assert.match(synced.stderr, /clock is measured and not set: time\.mode is observe\.\n$/);
  });

  it("lists the sources, the false one by its mark", async () => {
    const { code, stdout } = await watched.run("time", "status");
    assert.equal(code, 0, stdout);
    const [first, second] = stdout.split("\n");
    assert.match(first ?? "", /^The clock is right\./);
    assert.equal(second, "");
    assert.match(stdout, /^state +synchronised$/m);
    assert.match(stdout, /^trust +trusted: a majority of the sources agrees$/m);
    assert.match(stdout, /^set by +no program$/m);
    assert.match(stdout, /^time\.servers +4 are set, in effect$/m);
    const port = servers[3]?.port;
    assert.match(stdout, new RegExp(`^x 127\\.0\\.0\\.1:${port} +2 +\\d+ +\\+3\\.00 s .* falseticker$`, "m"));
    assert.equal(stdout.match(/^\* .*selected$/gm)?.length, 1);
  });

  it("asks servers that are not set yet, and those that are where none is named", async () => {
    const named = servers.slice(0, 2).map(({ port }) => `127.0.0.1:${port}`);
    const before = (await watched.run("-o", "json", "system", "get")).stdout;
    const { code, stdout, stderr } = await watched.run("time", "probe", ...named);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^2 of 2 answer, 2 agree\.\n\nSERVER +OFFSET/i);
    const again = await watched.run("time", "probe");
    assert.deepEqual([again.code, /were asked a moment ago/.test(again.stderr)], [7, true], again.stderr);
    assert.equal((await watched.run("-o", "json", "system", "get")).stdout, before, "nothing was changed");
  });

  it("asks no server twice, in whatever form it is named", async () => {
    const [port] = servers.map((one) => one.port);
    const body = { servers: [`127.0.0.1:${port}`, { host: `127.0.0.1:${port}`, nts: true }] };
    const { status, json } = await watched.agent.call("POST", "/api/system/time-sync/probe", {
      local: true,
      body,
    });
    assert.deepEqual([status, json.errors?.[0]?.pointer], [400, "/servers/1"], json.detail);
  });

  it("prints the API's own shape with -o json", async () => {
    const { stdout } = await watched.run("-o", "json", "time", "status");
    const { json } = await watched.agent.call("GET", "/api/system/time-sync", { local: true });
    assert.deepEqual(Object.keys(JSON.parse(stdout)), Object.keys(json));
    assert.equal(JSON.parse(stdout).sources.length, 4);
  });

  it("does not set by hand what the servers keep right, and ends with 5", async () => {
    const { code, stderr } = await watched.run("time", "set", "2027-01-01T00:00:00Z", "--yes");
    assert.equal(code, 5);
    assert.match(stderr, /kept right by the time servers, and was not set by hand/);
  });

  describe("over the network with a token", () => {
    let remote: (...args: string[]) => string[];

    before(async () => {
      const { agent } = watched;
      await agent.signedInAdmin();
      const policy = (require_2fa: string) =>
        agent.call("PUT", "/api/system", { local: true, body: { security: { require_2fa } } });
      // Signed in without the factor that was asked for then, which is no step-up.
      await policy("all");
      const { json } = await agent.call("POST", "/api/auth/login", {
        body: { username: "root-admin", password: adminPassword },
      });
      await policy("none");
      const file = `${watched.settings}.token`;
      writeFileSync(file, json.access_token);
      remote = (...args) => [...args, "--url", watched.agent.url, "--token-file", file];
    });

    it("shows the status", async () => {
      const { code, stdout } = await runSteward(remote("time", "status"));
      assert.equal(code, 0);
      assert.match(stdout, /^The clock is right\./);
    });

    it("ends with 4 where --force takes the password and there is no terminal", async () => {
      const { code, stderr } = await runSteward(remote("time", "sync", "--force"));
      assert.equal(code, 4);
      assert.match(stderr, /password/i);
    });
  });
});

describe("steward time, without a server that answers", () => {
  let watched: Watched;
  before(async () => {
    watched = await watch({ servers: [] });
  });
  after(() => watched.dispose());

  it("ends with 9 and says on standard output alone what to do", async () => {
    const { code, stdout, stderr } = await watched.run("time", "status");
    assert.deepEqual([code, stderr], [9, ""]);
    assert.match(stdout, /^time\.servers +none are set$/m);
    assert.doesNotMatch(stdout, /SOURCE/);
  });

  for (const verb of ["sync", "reselect"]) {
    it(`ends with 9 when asked to ${verb}`, async () => {
      const { code, stderr } = await watched.run("time", verb);
      assert.equal(code, 9);
      assert.match(stderr, /No time servers are set.*steward time set TIME/);
    });
  }

  it("does not set the clock by hand without consent", async () => {
    const { code, stderr } = await watched.run("time", "set", "2027-01-01T00:00:00Z");
    assert.equal(code, 2);
    assert.match(stderr, /--yes/);
  });

  it("shows before and after of a clock that is set by hand, and that the host's own is left alone", async () => {
    const hostBefore = Date.now();
    const { code, stderr } = await watched.run("time", "set", "2027-01-01T01:00:00+01:00", "--yes");
    assert.equal(code, 0);
    assert.match(
      stderr,
      /^The clock showed 20\d\d-\S+Z and shows 202[67]-(12-31T23:59:59|01-01T00:00:0)\S+Z now \([\d.]+ \w+ forward\)\./,
    );
    assert.match(stderr, /host's own clock is measured and not set/);
    assert.ok(Math.abs(Date.now() - hostBefore) < 60_000, "the machine's clock was set");
  });

  it("asks on a terminal, with what the clock shows now", async () => {
    const words = ["time", "set", "2027-02-01T00:00:00Z", "--socket", watched.agent.socket];
    const { code, screen } = await typeInto([process.execPath, program, ...words], [["?", "no\n"]]);
    assert.equal(code, 1, screen);
    assert.match(
      screen,
      /Set the clock to 2027-02-01T00:00:00\.000Z\? It shows 20\d\d-\S+Z: [\d.]+ \w+ forward\./,
    );
  });

  it("refuses a time below the floor with 6 and names the way out", async () => {
    const { code, stderr } = await watched.run("time", "set", "2020-01-01T00:00:00Z", "--yes");
    assert.equal(code, 6);
    assert.match(stderr, /steward time floor reset/);
  });

  it("shows the floor and resets it with consent", async () => {
    const shown = await watched.run("time", "floor", "show");
    assert.match(shown.stdout, /^202\d-\d\d-\d\dT\S+Z\n$/);
    const refused = await watched.run("time", "floor", "reset");
    assert.equal(refused.code, 2);
    const reset = await watched.run("time", "floor", "reset", "--yes");
    assert.deepEqual([reset.code, reset.stdout], [0, ""]);
    assert.match(reset.stderr, new RegExp(`^The floor was ${shown.stdout.trim()} and is 20\\S+Z now\\.\n$`));
  });
});

describe("steward time set", { concurrency: true }, () => {
  for (const text of ["tomorrow", "2026-11-20", "2026-11-20T14:03:00", "2026-02-30T00:00:00Z", "\u001b[2J"]) {
    it(`refuses ${JSON.stringify(text)} with 6 before the user is asked, and shows the right form`, async (test) => {
      const { code, stderr, received } = await runAgainst(test, ["time", "set", text, "--yes"], {});
      assert.deepEqual([code, received], [6, []]);
      assert.match(stderr, /2026-11-20T14:03:00Z/);
      assert.ok(!stderr.includes("\u001b"), "a control character reached the terminal");
    });
  }
});

describe("steward time status", { concurrency: true }, () => {
  const standings: [state: Parameters<typeof exampleClock>[0], exit: number][] = [
    [{ state: "synchronised", trust: "trusted" }, 0],
    [{ state: "holdover", trust: "accepted" }, 0],
    [{ state: "delegated", trust: "accepted" }, 0],
    [{ state: "delegated", trust: "none" }, 9],
    [{ state: "manual", trust: "accepted" }, 9],
    [{ state: "freerun", trust: "none" }, 9],
    [{ state: "faulty", trust: "none" }, 9],
  ];
  for (const [standing, exit] of standings) {
    it(`ends with ${exit} for ${standing?.state}, trust ${standing?.trust}`, async (test) => {
      assert.equal((await statusOf(test, standing)).code, exit);
    });
  }

  it("shows a conflict, a coming leap second and a daemon's own servers", async (test) => {
    const facts = { code: "clock_stepped", daemon: null, step_seconds: 2, frequency_ppm: null } as const;
    const conflict = { ...facts, detail: "Another program set the clock." };
    const { stdout } = await statusOf(test, {
      mode: "delegate",
      state: "delegated",
      leap: "insert",
      discipliner: { name: "chronyd", active: true, conflict },
      servers: { in_effect: false, configured: ["ntp1.example"], offered: [] },
    });
    assert.match(stdout, /^conflict +Another program set the clock\.$/m);
    assert.match(stdout, /^leap second +insert$/m);
    assert.match(stdout, /^time\.servers +1 is set, not in effect: the time daemon uses its own list$/m);
  });

  it("says whose time is authenticated, and that the trust rests on it", async (test) => {
    const sources = [
      exampleSource({ host: "a.example", address: "192.0.2.1", nts: true, authenticated: true }),
      exampleSource({ host: "192.0.2.2", address: "192.0.2.2", nts: true, authenticated: true }),
      exampleSource({ host: "c.example", address: "192.0.2.3" }),
    ];
    const { stdout } = await statusOf(test, { trust: "trusted", authenticated: true, sources });
    assert.match(stdout, /^trust +trusted, authenticated: a majority of the sources agrees$/m);
    assert.match(stdout, /^ {4}192\.0\.2\.1, authenticated\n/m);
    assert.match(stdout, /^\. 192\.0\.2\.2 .*\n {4}authenticated$/m);
    assert.match(stdout, /^ {4}192\.0\.2\.3$/m);
    const plain = await statusOf(test, { trust: "accepted" });
    assert.match(plain.stdout, /^trust +accepted: from a simple daemon/m);
  });

  it("shows which of the probed servers offer NTS, once that is known of one", () => {
    const probed = {
      ...{ address: null, answers: true, reason: null, offset_seconds: null, uncertainty_seconds: null },
      ...{ delay_seconds: null, stratum: 2 },
    };
    const reportOf = (...all: ("offered" | "not_offered" | null)[]): string =>
      probeReport({
        servers: all.map((nts, index) => ({ ...probed, host: `ntp${index}.example`, nts })),
        ...{ answering: all.length, agreeing: all.length },
      });
    const known = reportOf("offered", "not_offered", null);
    assert.match(known, /^SERVER .* STRATUM +NTS +REMARK$/im);
    assert.match(known, /^ntp0\.example .* 2 +offered +-$/m);
    assert.match(known, /^ntp1\.example .* 2 +not offered +-$/m);
    assert.match(known, /^ntp2\.example .* 2 +- +-$/m);
    assert.doesNotMatch(reportOf(null, null), /NTS/i);
  });

  it("shows control characters of the sentence and of a name harmlessly", async (test) => {
    const source = { id: "a", type: "daemon", host: "a\u001b[31m", stratum: null, refid: null } as const;
    const summary = exampleSummary({ detail: "Right.\u001b[2J\nFake line" });
    const { stdout } = await statusOf(test, { summary, source });
    assert.match(stdout, /^Right\.\\x1b\[2J\\x0aFake line$/m);
    assert.match(stdout, /^source +a\\x1b\[31m$/m);
  });
});

async function statusOf(test: TestContext, clock: Parameters<typeof exampleClock>[0]) {
  const { socketPath } = await startAgent(test, {
    "GET /api/system/time-sync": { body: exampleClock(clock) },
  });
  return runFromSource(`time status --socket ${socketPath}`);
}

describe("steward time probe --network", () => {
  const asked = async (test: TestContext, offered: string[], ...servers: string[]) => {
    const { socketPath, received } = await startAgent(test, {
      "GET /api/system/time-sync": {
        body: exampleClock({ servers: { in_effect: true, configured: ["ntp9.example"], offered } }),
      },
      "POST /api/system/time-sync/probe": { body: { servers: [], answering: 0, agreeing: 2 } },
    });
    const ended = await runFromSource(["time", "probe", "--network", ...servers, "--socket", socketPath]);
    return { ...ended, bodies: received.flatMap(({ body }) => body || []) };
  };

  it("asks those that the network offers, beside those that are named", async (test) => {
    const { code, bodies } = await asked(test, ["192.0.2.1", "192.0.2.2"], "ntp1.example", "192.0.2.1");
    assert.deepEqual([code, bodies], [0, [{ servers: ["ntp1.example", "192.0.2.1", "192.0.2.2"] }]]);
  });

  it("asks none where it offers none, and says so", async (test) => {
    const { code, stderr, bodies } = await asked(test, []);
    assert.deepEqual([code, bodies], [9, []]);
    assert.match(stderr, /has no time servers from the network\. Name the servers to ask/);
  });
});

describe("steward time, with the agent down", () => {
  it("measures in process, and sets nothing", async () => {
    const server = await startChronyd({ fakeTime: "+3s" });
    const watched = await watch({ servers: [`127.0.0.1:${server.port}`] });
    try {
      await watched.agent.stop();
      const status = await watched.run("time", "status");
      assert.equal(status.code, 9);
      assert.match(
        status.stdout,
        /^The clock has not been measured yet\. `steward time reselect` measures it/,
      );
      const hostBefore = Date.now();
      const measured = await watched.run("time", "sync");
      assert.equal(measured.code, 0, measured.stderr);
      assert.match(measured.stderr, /^The agent is not running; /);
      assert.match(measured.stderr, /^Measured: this clock is 3\.00 s behind/m);
      assert.ok(Math.abs(Date.now() - hostBefore) < 60_000, "the machine's clock was set");
    } finally {
      await watched.dispose();
      await server.stop();
    }
  });

  it("says where there is no state to work on", async (test) => {
    const directory = temporaryDirectory(test);
    const places = ["--socket", join(directory, "none"), "--state", join(directory, "none")];
    assert.equal((await runStewardProcess(["time", "status", ...places])).code, 3);
  });
});
