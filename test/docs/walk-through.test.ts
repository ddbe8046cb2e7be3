import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { before, describe, it } from "node:test";
import { startRun } from "../../lab/agents/make-run.ts";
import { endOfSuite } from "../../lab/basics/ending.ts";
import { readPages } from "../../scripts/docs/pages.ts";
import { blocksOf } from "./blocks.ts";

/** The pages whose `sh` blocks are typed, in the order in which a reader comes to them; one agent for all. */
const order = [
  ...["getting-started", "settings", "sign-in", "updates/publish", "updates/offline", "troubleshooting"],
  ...["logs-and-events", "fleet", "apply"],
].map((name) => `docs/${name}.md`);
const pages = readPages();
const textOf = (path: string): string => pages.find((page) => page.path === path)?.text ?? "";
const typedBlocks = (path: string): string[] =>
  blocksOf(textOf(path))
    .filter(({ kind }) => kind === "sh")
    .map(({ text }) => text);

describe("what the documents type", () => {
  const ending = endOfSuite();
  const output = new Map<string, string[]>();
  /** Returns the output of a block of a page. */
  const printed = (path: string, index: number): string => output.get(`docs/${path}.md`)?.[index] ?? "";

  before(async () => {
    const { directory, url } = await startRun(ending);
    const all = order.flatMap(typedBlocks);
    // Only the address differs from what a reader types: a test takes a port that is free.
    const typed = all.map((block) => block.replaceAll("http://127.0.0.1:8470", url));
    const script = typed.join("\nprintf '\\n=====\\n'\n");
    const { stdout, stderr, status } = spawnSync("bash", ["-eu", "-c", script], {
      cwd: directory,
      encoding: "utf8",
    });
    assert.equal(status, 0, `${stdout}\n${stderr}`);
    const pieces = stdout.split("\n=====\n");
    for (const path of order) output.set(path, pieces.splice(0, typedBlocks(path).length));
  });

  it("is all of it: each page with such a block is in the order", () => {
    const found = pages.filter(({ text }) => blocksOf(text).some(({ kind }) => kind === "sh"));
    assert.deepEqual(found.map(({ path }) => path).toSorted(), order.toSorted());
  });

  it("makes the first administrator", () => {
    assert.equal(JSON.parse(printed("getting-started", 0)).role, "admin");
  });

  it("applies one file to a device, and finds nothing to change the second time", () => {
    const lines = printed("apply", 0).trim().split("\n");
    assert.equal(lines.filter((line) => line === "created user monitor").length, 2);
    assert.equal(lines.at(-1), "no change");
  });

  it("adds a readonly user with the command line", () => {
    assert.match(printed("getting-started", 1), /log-reader\s+readonly/);
  });

  it("signs in and changes a setting", () => {
    assert.equal(JSON.parse(printed("getting-started", 2)).device.name, "edge 7");
  });

  it("ends with the refusal that the page shows", () => {
    const [settings, refusal] = objectsIn(printed("getting-started", 3));
    assert.equal(settings?.device.name, "edge 7");
    const { request_id: _, ...problem } = refusal ?? {};
    const { request_id: __, ...expected } = shownProblem("docs/getting-started.md");
    assert.deepEqual(problem, expected);
  });

  it("changes settings on the command line", () => {
    assert.match(printed("settings", 0), /^time\.min_agreeing=2$/m);
  });

  it("enrols a phone", () => {
    assert.match(printed("sign-in", 0), /^enabled +yes$/m);
    assert.match(printed("sign-in", 0), /^recovery codes left +10$/m);
  });

  it("signs in with a code, once", () => {
    const [first, second] = objectsIn(printed("sign-in", 1));
    assert.equal(first?.user.username, "log-reader");
    assert.equal(second?.code, "totp_reused");
  });

  it("explains codes of a wrong clock", () => {
    const [, refusals = "", diagnosis = ""] = /^(\{.*\})(.*)$/s.exec(printed("sign-in", 2).trim()) ?? [];
    const answers = objectsIn(refusals);
    const codes = answers.map(({ code, title }) => [code, title]);
    assert.deepEqual(codes, Array(3).fill(["totp_invalid", "Invalid token"]));
    const suspected = answers.map(({ clock }) => clock.skew_suspected);
    assert.equal(suspected[0], false, "one wrong code says nothing where the clock is trusted");
    assert.ok(suspected.slice(1).includes(true), `of ${suspected}`);
    assert.match(diagnosis, /(330|360) seconds ahead of the device's/);
  });

  it("recovers from a lost phone with a recovery code", () => {
    assert.match(printed("sign-in", 3), /^enabled +no$/m);
  });

  it("publishes signed rules, and has the device apply them", () => {
    assert.match(printed("updates/publish", 1), /^rules base 1\.0\.0 is installed/m);
  });

  it("exports them, and has a device without a network apply them", () => {
    assert.match(printed("updates/offline", 1), /^base 1\.3\.0 was applied .* and is healthy/m);
  });

  it("has the next ones applied unattended", () => {
    assert.match(printed("updates/publish", 2), /1\.1\.0/);
    assert.match(
      printed("updates/publish", 2),
      /^alert tcp any any -> any 23\nalert tcp any any -> any 2323\n?$/m,
    );
  });

  it("has bad ones undone, and says why", () => {
    const shown = printed("updates/publish", 3);
    assert.match(shown, /^exit code 1: it was undone$/m);
    assert.match(
      shown,
      /^alert tcp any any -> any 23\nalert tcp any any -> any 2323\n(?!alert)/m,
      "as before",
    );
    assert.match(shown, /1\.2\.0/);
    assert.match(shown, /the engine stops at line 3:alert telnet/);
  });

  it("makes the publisher's folder again, from which the device goes on", () => {
    assert.match(printed("updates/publish", 4), /The last check, at \S+, found nothing newer/);
  });

  it("publishes from a checkout of git", () => {
    assert.match(printed("updates/publish", 5), /^base 1\.2\.1 was applied .* and is healthy/m);
  });

  it("shows the 401 of a token that a step of the clock has invalidated", () => {
    const [{ request_id: _, clock, ...problem } = { clock: {} }] = objectsIn(printed("troubleshooting", 0));
    const { request_id: __, clock: shownClock, ...expected } = shownProblem("docs/troubleshooting.md");
    assert.deepEqual(problem, expected);
    assert.deepEqual(Object.keys(clock), Object.keys(shownClock));
    assert.ok(Math.abs(clock.last_step_seconds - 7_200) < 60, `stepped by ${clock.last_step_seconds} s`);
  });

  it("lets that very token ask for the time", () => {
    assert.equal(JSON.parse(printed("troubleshooting", 1)).code, "no_time_source");
  });

  it("corrects the clock on the device, after which a new token works", () => {
    assert.equal(objectsIn(printed("troubleshooting", 2)).at(-1)?.device.name, "edge 7");
  });

  it("lists events, and verifies their chains", () => {
    assert.match(printed("logs-and-events", 0), /clock\.set_by_hand/);
    assert.match(printed("logs-and-events", 0), /^changes +\d+ .*\nrefusals +\d+ /m);
  });

  it("asks for the status with a token of a program", () => {
    assert.match(JSON.parse(printed("fleet", 0)).state, /^(ok|attention)$/);
  });

  it("shows the figures for Prometheus", () => {
    assert.match(printed("fleet", 1), /^steward_clock_synchronised [01]$/m);
  });

  it("seals a second factor", () => {
    assert.match(printed("fleet", 2), /^YWdlLWVuY3J5cHRpb24ub3JnL3Yx[\w+/=]{200,}$/m);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what the tests look at.
function objectsIn(text: string): any[] {
  const objects = text.trim().match(/^\{.*\}$/ms)?.[0] ?? "";
  return objects === "" ? [] : objects.split(/(?<=\})\s*(?=\{")/).map((one) => JSON.parse(one));
}

// biome-ignore lint/suspicious/noExplicitAny: the same.
function shownProblem(path: string): any {
  const block = blocksOf(textOf(path)).find(
    ({ kind, text }) => kind === "json" && text.startsWith('{"type"'),
  );
  return JSON.parse(block?.text ?? "{}");
}
