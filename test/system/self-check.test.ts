import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StewardError } from "../../src/contract/errors.ts";
import type { CommandResult } from "../../src/host/ports.ts";
import { createSelfCheck } from "../../src/system/self-check.ts";

const well = "signatures ok\ntwo-factor ok\npasswords ok\nclock ok\nsandbox ok\nrights ok\n";
const ill = "signatures ok\ntwo-factor ok\npasswords failed: no binding\nclock ok\nsandbox ok\nrights ok\n";
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
  const refusal = async (isDetailed = true): Promise<string | null> => {
    try {
      await check.require(isDetailed);
      return null;
    } catch (error) {
      assert.ok(error instanceof StewardError && error.code === "not_ready", String(error));
      return error.message;
    }
  };
  return { check, refusal, host, said, timers };
}

describe("the self-check", () => {
  it("is made once a process where all is well, for all who ask at one time too", async () => {
    const { check, refusal, host } = checkOf(ended(well));
    assert.equal(check.trouble(), null);
    assert.deepEqual(await Promise.all([refusal(), refusal()]), [null, null]);
    host.uptime += 86_400;
    assert.equal(await refusal(), null);
    assert.equal(host.trials, 1);
  });

  it("is made again when it failed, at most every ten seconds, until it is well", async () => {
    const { check, refusal, host, said } = checkOf(ended(ill, 1), ended(ill, 1), ended(well));
    const text = (await refusal()) ?? "";
    assert.match(text, /passwords cannot be checked.* self-check says: passwords: no binding\./);
    host.uptime += 9;
    assert.match(check.trouble()?.detail ?? "", /no binding/);
    assert.match((await refusal()) ?? "", /no binding/);
    assert.equal(host.trials, 1);
    host.uptime += 1;
    assert.match((await refusal()) ?? "", /no binding/);
    assert.deepEqual([host.trials, said.length], [2, 1]);
    host.uptime += 10;
    assert.equal(await refusal(), null);
    assert.equal(check.trouble(), null);
  });

  it("names protections that the surroundings have taken off, and is ready even so", async () => {
    const open = well.replace("sandbox ok", "sandbox failed: ProtectHome, PrivateTmp");
    const { check, refusal, host } = checkOf(ended(open, 1));
    assert.equal(await refusal(), null);
    const found = check.trouble();
    const seen = [found?.code, found?.level, found?.facts];
    assert.deepEqual(seen, ["sandbox_reduced", "attention", { members: ["ProtectHome", "PrivateTmp"] }]);
    host.uptime += 60;
    check.trouble();
    assert.equal(host.trials, 1, "it is tried again, though nothing can have changed");
    const both = checkOf(ended(open.replace("passwords ok", "passwords failed: no binding"), 1));
    assert.match((await both.refusal()) ?? "", /passwords: no binding\. /);
    assert.deepEqual(both.check.trouble()?.facts, { parts: ["passwords"] });
  });

  it("tells strangers what does not work, and not what the trial said", async () => {
    const { refusal } = checkOf(ended(ill, 1));
    const said = (await refusal(false)) ?? "";
    assert.match(said, /passwords cannot be checked/);
    assert.doesNotMatch(said, /no binding/);
  });

  // The trial's leftovers, how it ended, and the words about it.
  const endings: [string, CommandResult | Error, RegExp][] = [
    ["was ended by a signal at a part", ended("signatures ok\ntwo-factor ok\n", null), /passwords: .*signal/],
    [
      "cannot be begun",
      ended("", 1, "node:internal\nError: Cannot find module '/x/self-check.js'\n"),
      /could not test itself\. The self-check says: .*Cannot find module/,
    ],
    ["has no runtime", Object.assign(new Error("spawn"), { code: "ENOENT" }), /could not be run \(ENOENT\)/],
    [
      "finds two parts broken",
      ended(ill.replace("signatures ok", "signatures failed: an altered signature was accepted"), 1),
      /signatures of updates cannot be verified; passwords .*signatures: .*accepted; passwords/,
    ],
  ];
  for (const [what, ending, words] of endings)
    it(`has failed when the trial ${what}`, async () => {
      assert.match((await checkOf(ending).refusal()) ?? "", words);
    });

  it("is made some time after the start without being asked for, and told", async () => {
    const { check, timers, said } = checkOf(ended(ill, 1));
    check.start();
    const found = timers.map(({ seconds }) => seconds);
    assert.deepEqual(found, [20]);
    timers[0]?.call();
    await new Promise((resolve) => setImmediate(resolve));
    assert.match(said[0] ?? "", /no binding/);
    assert.match(check.trouble()?.detail ?? "", /no binding/);
  });

  it("is not made after the stop", () => {
    const { check, timers } = checkOf(ended(well));
    check.start();
    check.stop();
    assert.deepEqual(timers, []);
  });
});
