import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { runSteward, startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { exampleClock, exampleSource, exampleSummary } from "../../../lab/command-line/example-clock.ts";
import { typeInto } from "../../../lab/command-line/terminal.ts";
import { startChronyd } from "../../../lab/host/chronyd.ts";
import { probeReport } from "../../../src/cli/time/time-view.ts";
import { ended, ends } from "../fixture.ts";

const program = join(import.meta.dirname, "../../../dist/main.js");

/** A host that is measured only, by these servers: no agent here is started with --steer-clock. */
async function watch(servers: readonly string[]) {
  const settings = join(scratchDirectory(), "settings.json");
  writeFileSync(settings, JSON.stringify({ time: { mode: "observe", servers } }));
  const environment = { STEWARD_INITIAL_SETTINGS: settings };
  const agent = await startAgentInProcess({ environment });
  const places = ["--socket", agent.socket, "--state", agent.stateDirectory];
  const run = (line: string) => runSteward([...line.split(" "), ...places], { environment });
  /** Ends so, and says this on one of its outputs. */
  const says = async (line: string, code: number, ...said: readonly RegExp[]) => {
    const { stdout, stderr, ...ended } = await run(line);
    assert.deepEqual([ended.code, (stdout === "") !== (stderr === "")], [code, true], stdout + stderr);
    for (const words of said) assert.match(stdout + stderr, words);
  };
  return { agent, run, says, dispose: () => agent.dispose() };
}

/** Throws if the machine's own clock was set meanwhile. */
async function withClockUntouched(act: () => Promise<void>): Promise<void> {
  const before = Date.now();
  await act();
  assert.ok(Math.abs(Date.now() - before) < 60_000, "the machine's clock was set");
}

describe("steward time, with three good servers and a false one", () => {
  const watched = ofSuite(async () => {
    const kinds = [{}, {}, { stratum: 3 }, { fakeTime: "+3s" }];
    const servers = await Promise.all(kinds.map((kind) => startChronyd(kind)));
    const ports = servers.map(({ port }) => port);
    const device = await watch(ports.map((port) => `127.0.0.1:${port}`));
    const dispose = async () => {
      await device.dispose();
      await Promise.all(servers.map((server) => server.stop()));
    };
    return { ...device, ports, synced: await device.run("time sync"), dispose };
  });

  it("says in one line what a synchronisation measured", () => {
    const { code, stdout, stderr } = watched.synced;
    assert.deepEqual([code, stdout], [0, ""]);
    assert.match(
      stderr,
      /^Measured: this clock is [\d.]+ u?m?s (ahead|behind), to within [\d.]+ u?m?s\. .*clock is measured and not set: time\.mode is observe\.\n$/,
    );
  });

  it("lists the sources, the false one by its mark", () =>
    watched.says(
      "time status",
      0,
      /^The clock is right\..*\n\n/,
      /^state +synchronised$/m,
      /^trust +trusted: a majority of the sources agrees$/m,
      /^set by +no program$/m,
      /^time\.servers +4 are set, in effect$/m,
      new RegExp(`^x 127\\.0\\.0\\.1:${watched.ports[3]} +2 +\\d+ +\\+3\\.00 s .* falseticker$`, "m"),
      /^\* .*selected$(?![\s\S]*^\* .*selected$)/m,
    ));

  it("asks servers that are not set yet, and those that are where none is named", async () => {
    const named = watched.ports.slice(0, 2).map((port) => `127.0.0.1:${port}`);
    const before = (await watched.run("-o json system get")).stdout;
    await watched.says(`time probe ${named.join(" ")}`, 0, /^2 of 2 answer, 2 agree\.\n\nSERVER +OFFSET/i);
    await watched.says("time probe", 7, /were asked a moment ago/);
    assert.equal((await watched.run("-o json system get")).stdout, before, "nothing was changed");
  });

  it("asks no server twice, in whatever form it is named", async () => {
    const server = `127.0.0.1:${watched.ports[0]}`;
    const body = { servers: [server, { host: server, nts: true }] };
    const request = { local: true, body };
    const { status, json } = await watched.agent.call("POST", "/api/system/time-sync/probe", request);
    assert.deepEqual([status, json.errors?.[0]?.pointer], [400, "/servers/1"], json.detail);
  });
});

describe("steward time, without a server that answers", () => {
  const watched = ofSuite(() => watch([]));

  const rows: readonly (readonly [line: string, code: number, ...said: RegExp[]])[] = [
    ["time status", 9, /^time\.servers +none are set$/m, /^(?![\s\S]*SOURCE)/],
    ["time sync", 9, /No time servers are set.*steward time set TIME/],
    ["time reselect", 9, /No time servers are set.*steward time set TIME/],
    ["time set 2027-01-01T00:00:00Z", 2, /--yes/],
    ["time set 2020-01-01T00:00:00Z --yes", 6, /steward time floor reset/],
    ["time floor reset", 2, /--yes/],
  ];
  for (const [line, code, ...said] of rows)
    it(`ends with ${code} for ${line}, and says what to do`, () => watched.says(line, code, ...said));

  it("shows before and after of a clock that is set by hand, and that the host's own is left alone", () =>
    withClockUntouched(() =>
      watched.says(
        "time set 2027-01-01T01:00:00+01:00 --yes",
        0,
        /^The clock showed 20\d\d-\S+Z and shows 202[67]-(12-31T23:59:59|01-01T00:00:0)\S+Z now \([\d.]+ \w+ forward\)\./,
        /host's own clock is measured and not set/,
      ),
    ));

  it("asks on a terminal, with what the clock shows now", async () => {
    const words = ["time", "set", "2027-02-01T00:00:00Z", "--socket", watched.agent.socket];
    const { code, screen } = await typeInto([process.execPath, program, ...words], [["?", "no\n"]]);
    assert.equal(code, 1, screen);
    assert.match(screen, /to 2027-02-01T00:00:00\.000Z\? It shows 20\d\d-\S+Z: [\d.]+ \w+ forward\./);
  });

  it("shows the floor and resets it with consent", async () => {
    const { stdout } = await watched.run("time floor show");
    assert.match(stdout, /^202\d-\d\d-\d\dT\S+Z\n$/);
    const said = new RegExp(`^The floor was ${stdout.trim()} and is 20\\S+Z now\\.\n$`);
    await watched.says("time floor reset --yes", 0, said);
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
    clock: Parameters<typeof exampleClock>[0],
    ...stdout: RegExp[],
  ])[] = [
    [
      "a conflict, a coming leap second and a daemon's own servers",
      {
        mode: "delegate",
        state: "delegated",
        leap: "insert",
        discipliner: { name: "chronyd", active: true, conflict },
        servers: { in_effect: false, configured: ["ntp1.example"], offered: [] },
      },
      /^conflict +Another program set the clock\.$/m,
      /^leap second +insert$/m,
      /^time\.servers +1 is set, not in effect: the time daemon uses its own list$/m,
    ],
    [
      "whose time is authenticated, and that the trust rests on it",
      {
        trust: "trusted",
        authenticated: true,
        sources: [
          exampleSource({ host: "a.example", address: "192.0.2.1", ...nts }),
          exampleSource({ host: "192.0.2.2", address: "192.0.2.2", ...nts }),
          exampleSource({ host: "c.example", address: "192.0.2.3" }),
        ],
      },
      /^trust +trusted, authenticated: a majority of the sources agrees$/m,
      /^ {4}192\.0\.2\.1, authenticated\n/m,
      /^\. 192\.0\.2\.2 .*\n {4}authenticated$/m,
      /^ {4}192\.0\.2\.3$/m,
    ],
    ["the trust in a simple daemon", { trust: "accepted" }, /^trust +accepted: from a simple daemon/m],
    [
      "control characters of the sentence and of a name harmlessly",
      {
        summary: exampleSummary({ detail: "Right.\u001b[2J\nFake line" }),
        source: { id: "a", type: "daemon", host: "a\u001b[31m", stratum: null, refid: null },
      },
      /^Right\.\\x1b\[2J\\x0aFake line$/m,
      /^source +a\\x1b\[31m$/m,
    ],
  ];
  for (const [what, clock, ...stdout] of shown)
    it(`shows ${what}`, (test) => ends(test, "time status", standing(clock), { code: 9, stdout }));

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
  it("measures in process, and sets nothing", async (test) => {
    const server = await startChronyd({ fakeTime: "+3s" });
    const watched = await watch([`127.0.0.1:${server.port}`]);
    test.after(async () => {
      await watched.dispose();
      await server.stop();
    });
    await watched.agent.stop();
    const { code, stdout } = await watched.run("time status");
    assert.equal(code, 9);
    assert.match(stdout, /^The clock has not been measured yet\. `steward time reselect` measures it/);
    const measured = /^The agent is not running; [\s\S]*^Measured: this clock is 3\.00 s behind/m;
    await withClockUntouched(() => watched.says("time sync", 0, measured));
  });
});
