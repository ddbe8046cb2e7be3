import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StewardError } from "../../src/contract/errors.ts";
import type { CommandResult } from "../../src/host/ports.ts";
import { createSelfCheck } from "../../src/system/self-check.ts";

const well = "signatures ok\ntwo-factor ok\npasswords ok\nclock ok\nsandbox ok\nrights ok\n";
const ill = well.replace("passwords ok", "passwords failed: no binding");
const ended = (stdout: string, status: number | null = 0, stderr = ""): CommandResult => ({
  ...{ status, stdout, stderr },
});

/** A check of a program whose trials end so, one after the other, the last again and again. */
function checkOf(...endings: (CommandResult | Error)[]) {
  const said: string[] = [];
  const timers: { seconds: number; call: () => void }[] = [];
  const host = { uptime: 100, trials: 0 };
  const check = createSelfCheck({
    node: "/usr/bin/node",
    script: "/usr/lib/steward/self-check.js",
    run: async () => {
      const ending = endings[Math.min(host.trials, endings.length - 1)] ?? assert.fail("no ending");
      host.trials += 1;
      if (ending instanceof Error) throw ending;
      return ending;
    },
    timers: {
      after: (seconds, call) => {
        timers.push({ seconds, call });
        return () => void timers.splice(0);
      },
    },
    uptime: () => host.uptime,
    onFailure: (detail) => void said.push(detail),
  });
  /** The words of the refusal; empty: it is ready. */
  const refusal = async (isDetailed = true): Promise<string> => {
    const error = await check.require(isDetailed).catch((reason: unknown) => reason);
    if (error === undefined) return "";
    assert.ok(error instanceof StewardError && error.code === "not_ready", String(error));
    return error.message;
  };
  return { check, refusal, host, said, timers };
}

describe("the self-check", () => {
  it("is made once a process where all is well, for all who ask at one time too", async () => {
    const { check, refusal, host } = checkOf(ended(well));
    assert.equal(check.trouble(), null);
    assert.deepEqual(await Promise.all([refusal(), refusal()]), ["", ""]);
    host.uptime += 86_400;
    assert.deepEqual([await refusal(), host.trials], ["", 1]);
  });

  it("is made again when it failed, at most every ten seconds, until it is well", async () => {
    const { check, refusal, host, said } = checkOf(ended(ill, 1), ended(ill, 1), ended(well));
    assert.match(await refusal(), /passwords cannot be checked.* self-check says: passwords: no binding\./);
    host.uptime += 9;
    assert.match(check.trouble()?.detail ?? "", /no binding/);
    assert.match(await refusal(), /no binding/);
    assert.equal(host.trials, 1);
    host.uptime += 1;
    assert.match(await refusal(), /no binding/);
    assert.deepEqual([host.trials, said.length], [2, 1]);
    host.uptime += 10;
    assert.deepEqual([await refusal(), check.trouble()], ["", null]);
  });

  it("names protections that the surroundings have taken off, and is ready even so", async () => {
    const open = well.replace("sandbox ok", "sandbox failed: ProtectHome, PrivateTmp");
    const { check, refusal, host } = checkOf(ended(open, 1));
    assert.equal(await refusal(), "");
    const { code, level, facts } = check.trouble() ?? assert.fail("no trouble");
    const members = ["ProtectHome", "PrivateTmp"];
    assert.deepEqual([code, level, facts], ["sandbox_reduced", "attention", { members }]);
    host.uptime += 60;
    check.trouble();
    assert.equal(host.trials, 1, "it is tried again, though nothing can have changed");
    const both = checkOf(ended(open.replace("passwords ok", "passwords failed: no binding"), 1));
    assert.match(await both.refusal(), /passwords: no binding\. /);
    assert.deepEqual(both.check.trouble()?.facts, { parts: ["passwords"] });
  });

  it("tells strangers what does not work, and not what the trial said", async () =>
    assert.match(
      await checkOf(ended(ill, 1)).refusal(false),
      /^(?!.*no binding).*passwords cannot be check/,
    ));

  const absent = "node:internal\nError: Cannot find module '/x/self-check.js'\n";
  // The trial's leftovers, how it ended, and the words about it.
  for (const [what, ending, words] of [
    ["was ended by a signal at a part", ended("signatures ok\ntwo-factor ok\n", null), /passwords: .*signal/],
    [
      "cannot be begun",
      ended("", 1, absent),
      /could not test itself\. The self-check says: .*Cannot find mod/,
    ],
    ["has no runtime", Object.assign(new Error("spawn"), { code: "ENOENT" }), /could not be run \(ENOENT\)/],
    [
      "finds two parts broken",
      ended(ill.replace("signatures ok", "signatures failed: an altered signature was accepted"), 1),
      /signatures of updates cannot be verified; passwords .*signatures: .*accepted; passwords/,
    ],
  ] as const)
    it(`has failed when the trial ${what}`, async () => assert.match(await checkOf(ending).refusal(), words));

  it("is made some time after the start without being asked for, and told, and not after the stop", async () => {
    const { check, timers, said } = checkOf(ended(ill, 1));
    check.start();
    assert.deepEqual([timers.length, timers[0]?.seconds], [1, 20]);
    timers[0]?.call();
    await new Promise((resolve) => setImmediate(resolve));
    for (const text of [said[0], check.trouble()?.detail]) assert.match(text ?? "", /no binding/);
    check.stop();
    assert.deepEqual(timers, []);
  });
});
