import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { before, describe, it } from "node:test";
import { startRun } from "../../lab/agents/make-run.ts";
import { endOfSuite } from "../../lab/basics/ending.ts";
import { readPages } from "../../scripts/docs/pages.ts";
import { blocksOf } from "./fixture.ts";

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

  const rules = "alert tcp any any -> any 23\nalert tcp any any -> any 2323\n";
  for (const [page, block, ...expected] of [
    ["getting-started", 0, /"role": ?"admin"/],
    ["getting-started", 1, /log-reader\s+readonly/],
    ["getting-started", 2, /"name": ?"edge 7"/],
    ["apply", 0, /(^created user monitor\n[\s\S]*){2}^no change\n$/m],
    ["settings", 0, /^time\.min_agreeing=2$/m],
    ["sign-in", 0, /^enabled +yes$/m, /^recovery codes left +10$/m],
    // The code is taken once.
    ["sign-in", 1, /"username": ?"log-reader"[\s\S]*"code": ?"totp_reused"/],
    ["sign-in", 2, /(330|360) seconds ahead of the device's/],
    // After a lost phone.
    ["sign-in", 3, /^enabled +no$/m],
    ["updates/publish", 1, /^rules base 1\.0\.0 is installed/m],
    ["updates/publish", 2, /1\.1\.0/, new RegExp(`^${rules}`, "m")],
    // Bad ones are undone: the rules are as before.
    ["updates/publish", 3, /^exit code 1: it was undone$/m, new RegExp(`^${rules}(?!alert)`, "m")],
    ["updates/publish", 3, /1\.2\.0/, /the engine stops at line 3:alert telnet/],
    ["updates/publish", 4, /The last check, at \S+, found nothing newer/],
    ["updates/publish", 5, /^base 1\.2\.1 was applied .* and is healthy/m],
    ["updates/offline", 1, /^base 1\.3\.0 was applied .* and is healthy/m],
    ["troubleshooting", 1, /"code": ?"no_time_source"/],
    // A new token works on the corrected clock.
    ["troubleshooting", 2, /"name": ?"edge 7"/],
    ["logs-and-events", 0, /clock\.set_by_hand/, /^changes +\d+ .*\nrefusals +\d+ /m],
    ["fleet", 0, /"state": ?"(ok|attention)"/],
    ["fleet", 1, /^steward_clock_synchronised [01]$/m],
    ["fleet", 2, /^YWdlLWVuY3J5cHRpb24ub3JnL3Yx[\w+/=]{200,}$/m],
  ] as const)
    it(`in block ${block} of ${page} has the result ${expected.join(" and ")}`, () => {
      for (const words of expected) assert.match(printed(page, block), words);
    });

  it("ends with the refusal that the page shows", () => {
    const [settings, refusal] = objectsIn(printed("getting-started", 3));
    assert.equal(settings?.device.name, "edge 7");
    const { request_id: _, ...problem } = refusal ?? {};
    const { request_id: __, ...expected } = shownProblem("docs/getting-started.md");
    assert.deepEqual(problem, expected);
  });

  it("explains codes of a wrong clock: one says nothing where the clock is trusted", () => {
    const [, refusals = ""] = /^(\{.*\})(.*)$/s.exec(printed("sign-in", 2).trim()) ?? [];
    const answers = objectsIn(refusals);
    assert.deepEqual(
      answers.map(({ code, title }) => [code, title]),
      Array(3).fill(["totp_invalid", "Invalid token"]),
    );
    const [first, ...others] = answers.map(({ clock }) => clock.skew_suspected);
    assert.deepEqual([first, others.includes(true)], [false, true]);
  });

  it("shows the 401 of a token that a step of the clock has invalidated", () => {
    const [{ request_id: _, clock, ...problem } = { clock: {} }] = objectsIn(printed("troubleshooting", 0));
    const { request_id: __, clock: shownClock, ...expected } = shownProblem("docs/troubleshooting.md");
    assert.deepEqual(problem, expected);
    assert.deepEqual(Object.keys(clock), Object.keys(shownClock));
    assert.ok(Math.abs(clock.last_step_seconds - 7_200) < 60, `stepped by ${clock.last_step_seconds} s`);
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
