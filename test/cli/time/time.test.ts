import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { runSteward, startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { type RunningAgent, runSteward as runStewardProcess } from "../../../lab/agents/running-agent.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { exampleClock, exampleSource, exampleSummary } from "../../../lab/command-line/example-clock.ts";
import { typeInto } from "../../../lab/command-line/terminal.ts";
import { type Chronyd, startChronyd } from "../../../lab/host/chronyd.ts";
import { probeReport } from "../../../src/cli/time/time-view.ts";
import { ended, ends, temporaryDirectory } from "../fixture.ts";

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

  it("does not set by hand what the servers keep right, and ends with 5", async () => {
    const { code, stderr } = await watched.run("time", "set", "2027-01-01T00:00:00Z", "--yes");
    assert.equal(code, 5);
    assert.match(stderr, /kept right by the time servers, and was not set by hand/);
  });
});

describe("steward time, without a server that answers", () => {
  let watched: Watched;
  before(async () => {
    watched = await watch({ servers: [] });
  });
  after(() => watched.dispose());

  const rows: readonly (readonly [line: string, code: number, said: readonly RegExp[]])[] = [
    ["time status", 9, [/^time\.servers +none are set$/m, /^(?![\s\S]*SOURCE)/]],
    ["time sync", 9, [/No time servers are set.*steward time set TIME/]],
    ["time reselect", 9, [/No time servers are set.*steward time set TIME/]],
    ["time set 2027-01-01T00:00:00Z", 2, [/--yes/]],
    ["time set 2020-01-01T00:00:00Z --yes", 6, [/steward time floor reset/]],
  ];
  for (const [line, code, said] of rows)
    it(`ends with ${code} for ${line}, and says what to do`, async () => {
      const { stdout, stderr, ...ended } = await watched.run(...line.split(" "));
      assert.deepEqual([ended.code, (stdout === "") !== (stderr === "")], [code, true], stdout + stderr);
      for (const words of said) assert.match(stdout + stderr, words);
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
    const question =
      /Set the clock to 2027-02-01T00:00:00\.000Z\? It shows 20\d\d-\S+Z: [\d.]+ \w+ forward\./;
    assert.match(screen, question);
  });

  it("shows the floor and resets it with consent", async () => {
    const shown = await watched.run("time", "floor", "show");
    assert.match(shown.stdout, /^202\d-\d\d-\d\dT\S+Z\n$/);
    assert.equal((await watched.run("time", "floor", "reset")).code, 2);
    const reset = await watched.run("time", "floor", "reset", "--yes");
    assert.deepEqual([reset.code, reset.stdout], [0, ""]);
    assert.match(reset.stderr, new RegExp(`^The floor was ${shown.stdout.trim()} and is 20\\S+Z now\\.\n$`));
  });
});

describe("steward time set", { concurrency: true }, () => {
  for (const text of ["tomorrow", "2026-11-20", "2026-11-20T14:03:00", "2026-02-30T00:00:00Z", "\u001b[2J"])
    it(`refuses ${JSON.stringify(text)} with 6 before the user is asked, and shows the right form`, async (test) => {
      const end = { code: 6, stderr: /2026-11-20T14:03:00Z/, asked: [] };
      const { stderr } = await ended(test, ["time", "set", text, "--yes"], {}, end);
      assert.ok(!stderr.includes("\u001b"), "a control character reached the terminal");
    });
});

describe("steward time status", { concurrency: true }, () => {
  const standing = (clock: Parameters<typeof exampleClock>[0]) => ({
    "GET /api/system/time-sync": { body: exampleClock(clock) },
  });
  for (const [state, trust, code] of [
    ["synchronised", "trusted", 0],
    ["holdover", "accepted", 0],
    ["delegated", "accepted", 0],
    ["delegated", "none", 9],
    ["manual", "accepted", 9],
    ["freerun", "none", 9],
    ["faulty", "none", 9],
  ] as const)
    it(`ends with ${code} for ${state}, trust ${trust}`, (test) =>
      ends(test, "time status", standing({ state, trust }), { code }));

  const facts = { code: "clock_stepped", daemon: null, step_seconds: 2, frequency_ppm: null } as const;
  const conflict = { ...facts, detail: "Another program set the clock." };
  const nts = { nts: true, authenticated: true };
  const shown: readonly (readonly [
    what: string,
    code: number,
    clock: Parameters<typeof exampleClock>[0],
    stdout: readonly RegExp[],
  ])[] = [
    [
      "a conflict, a coming leap second and a daemon's own servers",
      9,
      {
        mode: "delegate",
        state: "delegated",
        leap: "insert",
        discipliner: { name: "chronyd", active: true, conflict },
        servers: { in_effect: false, configured: ["ntp1.example"], offered: [] },
      },
      [
        /^conflict +Another program set the clock\.$/m,
        /^leap second +insert$/m,
        /^time\.servers +1 is set, not in effect: the time daemon uses its own list$/m,
      ],
    ],
    [
      "whose time is authenticated, and that the trust rests on it",
      9,
      {
        trust: "trusted",
        authenticated: true,
        sources: [
          exampleSource({ host: "a.example", address: "192.0.2.1", ...nts }),
          exampleSource({ host: "192.0.2.2", address: "192.0.2.2", ...nts }),
          exampleSource({ host: "c.example", address: "192.0.2.3" }),
        ],
      },
      [
        /^trust +trusted, authenticated: a majority of the sources agrees$/m,
        /^ {4}192\.0\.2\.1, authenticated\n/m,
        /^\. 192\.0\.2\.2 .*\n {4}authenticated$/m,
        /^ {4}192\.0\.2\.3$/m,
      ],
    ],
    ["the trust in a simple daemon", 9, { trust: "accepted" }, [/^trust +accepted: from a simple daemon/m]],
    [
      "control characters of the sentence and of a name harmlessly",
      9,
      {
        summary: exampleSummary({ detail: "Right.\u001b[2J\nFake line" }),
        source: { id: "a", type: "daemon", host: "a\u001b[31m", stratum: null, refid: null },
      },
      [/^Right\.\\x1b\[2J\\x0aFake line$/m, /^source +a\\x1b\[31m$/m],
    ],
  ];
  for (const [what, code, clock, stdout] of shown)
    it(`shows ${what}`, (test) => ends(test, "time status", standing(clock), { code, stdout }));

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
    for (const [index, word] of ["offered", "not offered", "-"].entries())
      assert.match(known, new RegExp(`^ntp${index}\\.example .* 2 +${word} +-$`, "m"));
    assert.doesNotMatch(reportOf(null, null), /NTS/i);
  });
});

describe("steward time probe --network", () => {
  const offering = (...offered: string[]) => ({
    "GET /api/system/time-sync": {
      body: exampleClock({ servers: { in_effect: true, configured: ["ntp9.example"], offered } }),
    },
    "POST /api/system/time-sync/probe": { body: { servers: [], answering: 0, agreeing: 2 } },
  });

  it("asks those that the network offers, beside those that are named", (test) => {
    const servers = ["ntp1.example", "192.0.2.1", "192.0.2.2"];
    const line = "time probe --network ntp1.example 192.0.2.1";
    const sent = [["POST /api/system/time-sync/probe", { servers }]] as const;
    return ends(test, line, offering("192.0.2.1", "192.0.2.2"), { sent });
  });

  it("asks none where it offers none, and says so", (test) => {
    const stderr = /has no time servers from the network\. Name the servers to ask/;
    return ends(test, "time probe --network", offering(), { code: 9, stderr, sent: [] });
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
