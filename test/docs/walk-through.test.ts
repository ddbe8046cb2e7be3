import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { startRun } from "../make-run.ts";
import { endOfSuite } from "../store/state-directory.ts";

const root = join(import.meta.dirname, "../..");
const readme = readFileSync(join(root, "README.md"), "utf8");

/** The walk through, block by block, as it stands. */
const blocks = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);

describe("the README's walk through", () => {
  const ending = endOfSuite();
  let output: string[];

  before(async () => {
    const { directory, url } = await startRun(ending);
    // Only the address differs from what a reader types: a test takes a port that is free.
    const typed = blocks.map((block) => block.replaceAll("http://127.0.0.1:8470", url));
    const script = typed.join("\nprintf '\\n=====\\n'\n");
    const { stdout, stderr, status } = spawnSync("bash", ["-eu", "-c", script], {
      cwd: directory,
      encoding: "utf8",
    });
    assert.equal(status, 0, stderr);
    output = stdout.split("\n=====\n");
  });

  it("has a block for each step", () => assert.equal(blocks.length, 16));

  it("makes the first administrator", () => {
    assert.equal(JSON.parse(output[0] ?? "").role, "admin");
  });

  it("adds a readonly user with the command line", () => {
    assert.match(output[1] ?? "", /log-reader\s+readonly/);
  });

  it("signs in and changes a setting", () => {
    assert.equal(JSON.parse(output[2] ?? "").device.name, "edge 7");
  });

  it("ends with the refusal that the README shows", () => {
    const answers = (output[3] ?? "").trim().split(/(?<=\})(?=\{)/);
    assert.equal(JSON.parse(answers[0] ?? "").device.name, "edge 7");
    const shown = JSON.parse(/^```json\n([\s\S]*?)^```$/m.exec(readme)?.[1] ?? "");
    const { request_id: _, ...problem } = JSON.parse(answers[1] ?? "");
    const { request_id: __, ...expected } = shown;
    assert.deepEqual(problem, expected);
  });

  it("enrols a phone", () => {
    assert.match(output[4] ?? "", /^enabled +yes$/m);
    assert.match(output[4] ?? "", /^recovery codes left +10$/m);
  });

  it("signs in with a code, once", () => {
    const [first, second] = (output[5] ?? "").trim().split(/(?<=\})(?=\{)/);
    assert.equal(JSON.parse(first ?? "").user.username, "log-reader");
    assert.equal(JSON.parse(second ?? "").code, "totp_reused");
  });

  it("loses the phone and recovers with a code", () => {
    assert.match(output[6] ?? "", /^enabled +no$/m);
  });

  it("tells a wrong clock, and lets local root help", () => {
    const [, refusals = "", diagnosis = ""] = /^(\{.*\})(.*)$/s.exec((output[7] ?? "").trim()) ?? [];
    const answers = refusals.split(/(?<=\})(?=\{)/).map((text) => JSON.parse(text));
    const codes = answers.map(({ code, title }) => [code, title]);
    assert.deepEqual(codes, Array(3).fill(["totp_invalid", "Invalid token"]));
    const suspected = answers.map(({ clock }) => clock.skew_suspected);
    assert.equal(suspected[0], false, "one wrong code says nothing where somebody vouches for the clock");
    assert.ok(suspected.slice(1).includes(true), `of ${suspected}`);
    assert.match(diagnosis, /a code of a clock (330|360) seconds ahead of the device's/);
    assert.match(diagnosis, /^[0-9a-z]{5}(-[0-9a-z]{5}){3}$/m, "the one-use password");
  });

  it("publishes signed rules, and has the device apply them", () => {
    assert.match(output[9] ?? "", /^rules base 1\.0\.0 is in force\. It proved healthy: /m);
  });

  it("has the next ones applied unasked", () => {
    assert.match(output[10] ?? "", /1\.1\.0/);
    assert.match(output[10] ?? "", /^alert tcp any any -> any 23\nalert tcp any any -> any 2323\n?$/m);
  });

  it("has bad ones undone by themselves, and says why", () => {
    const shown = output[11] ?? "";
    assert.match(shown, /^alert tcp any any -> any 23\nalert tcp any any -> any 2323\nNUMBER/m, "as before");
    assert.match(shown, /^3 .* rules +base +1\.2\.0 +1\.1\.0 +failed /m);
    assert.match(
      shown,
      /^rules base 1\.2\.0 has failed, and was undone\..* 1\.1\.0 is in force again, and healthy\.$/m,
    );
    assert.match(shown, /the engine stops at line 3:alert telnet/);
  });

  it("takes the mended ones, and does not forget what has failed", () => {
    const shown = output[12] ?? "";
    // The check that follows a change of the server is made at some moment of the next minute, perhaps this one.
    assert.match(shown, /^state +(good|checking)$/m);
    assert.match(shown, /^rules +1\.3\.0$/m);
    assert.match(shown, /^failed +rules base 1\.2\.0, since /m);
  });

  it("shows the 401 of a token that a step of the clock has spoilt", () => {
    const { request_id: _, clock, ...problem } = JSON.parse(output[13] ?? "");
    const shown = [...readme.matchAll(/^```json\n(\{"type".*"clock".*)\n```$/gm)].map(
      ([, text = ""]) => text,
    );
    const { request_id: __, clock: shownClock, ...expected } = JSON.parse(shown[0] ?? "");
    assert.deepEqual(problem, expected);
    assert.deepEqual(Object.keys(clock), Object.keys(shownClock));
    assert.ok(Math.abs(clock.last_step_seconds - 7_200) < 60, `stepped by ${clock.last_step_seconds} s`);
  });

  it("lets that very token ask for the time", () => {
    assert.equal(JSON.parse(output[14] ?? "").code, "no_time_source");
  });

  it("mends the clock from the box, after which a new token works", () => {
    assert.equal(JSON.parse(output[15] ?? "").device.name, "edge 7");
  });
});
