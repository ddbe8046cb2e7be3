import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createOtherDaemon } from "../../../src/clock/daemons/external-daemons.ts";
import { StewardError } from "../../../src/contract/errors.ts";

const isConflict = (error: unknown) => error instanceof StewardError && error.code === "conflict_discipliner";

describe("a time daemon that Steward cannot ask", () => {
  const words: [boolean | null, string][] = [
    [true, "accepted"],
    [false, "none"],
    [null, "none"],
  ];
  for (const [flag, trust] of words)
    it(`has trust "${trust}" where the kernel's flag is ${flag}`, async () => {
      const report = await createOtherDaemon("openntpd", () => flag).read();
      assert.deepEqual([report.trust, report.isSynchronised], [trust, flag === true]);
      assert.equal(report.trouble?.code, "not_observable");
    });

  it("cannot be controlled: another program sets the clock", async () => {
    const daemon = createOtherDaemon("ntpd", () => true);
    await assert.rejects(daemon.sync(true), isConflict);
    await assert.rejects(daemon.reselect(), isConflict);
  });
});
