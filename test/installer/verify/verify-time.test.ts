import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import {
  isRoot,
  openVerifyLab,
  takesNothing,
  type VerifyLab,
} from "../../../lab/devices/verifying-device.ts";
import { SignedRepository } from "../../../lab/publisher/signed-repository.ts";
import type { VerificationOptions } from "../../../src/installer/verify/verify-and-copy.ts";

/** A publisher's today; the timestamp is good for 7 days from it. */
const today = new Date("2026-12-01T00:00:00Z");
const days = (count: number): Date => new Date(today.getTime() + count * 86_400_000);

/** The agent has set the wall clock; it cannot set the uptime and the boot id. No clock of this host is touched. */
function clocks(day: number, { uptimeDays = 0, bootId = "one" } = {}): Partial<VerificationOptions> {
  return { wall: () => days(day), uptime: () => 1_000 + uptimeDays * 86_400, bootId };
}

async function withRelease(test: TestContext): Promise<{ lab: VerifyLab; id: string }> {
  const lab = await openVerifyLab(test, new SignedRepository({ now: today }));
  const added = lab.publisher.addRelease({ version: "1.0.0" });
  lab.publisher.publish("rules");
  await lab.hold();
  return { lab, id: await lab.stage(added) };
}

const code = "update_metadata_expired";
const saying = /role timestamp/;

describe("an old timestamp with the clock set back", { skip: !isRoot && "needs root" }, () => {
  it("is refused, when it had expired before this program was built", async (test) => {
    const { lab, id } = await withRelease(test);
    await takesNothing(lab, { id, code, saying }, { ...clocks(1), builtAt: days(8) });
  });

  it("is refused in the boot in which its like was taken in: monotonic time has gone on", async (test) => {
    const { lab, id } = await withRelease(test);
    await lab.verifyAndCopy(id, clocks(1));
    await lab.verifyAndCopy(id, clocks(1, { uptimeDays: 5 }));
    await takesNothing(lab, { id, code, saying }, clocks(1, { uptimeDays: 7 }));
    await takesNothing(lab, { id, code, saying }, clocks(-300, { uptimeDays: 7 }));
  });
});

describe("a clock that is set forward", { skip: !isRoot && "needs root" }, () => {
  it("brings the floor no further than a signed expiry date", async (test) => {
    const { lab, id } = await withRelease(test);
    await takesNothing(lab, { id, code }, clocks(3_000));
    await lab.verifyAndCopy(id, clocks(6.9));
    const { floor } = JSON.parse(await readFile(join(lab.trust, "time-floor.json"), "utf8"));
    assert.equal(floor, days(6.9).toISOString());
    // The publisher's next release is taken, with the clock right again.
    const next = new SignedRepository({ now: days(2) });
    lab.publisher.timestamp.expires = next.timestamp.expires;
    await lab.verifyNew("1.1.0", clocks(2));
  });
});
