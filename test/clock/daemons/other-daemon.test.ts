import assert from "node:assert/strict";
import { it } from "node:test";
import { createOtherDaemon } from "../../../src/clock/daemons/external-daemons.ts";

for (const [flag, trust] of [
  [true, "accepted"],
  [false, "none"],
  [null, "none"],
] as const)
  it(`a time daemon that Steward cannot ask has trust "${trust}" where the kernel's flag is ${flag}, and no orders`, async () => {
    const daemon = createOtherDaemon("openntpd", () => flag);
    const report = await daemon.read();
    assert.deepEqual([report.trust, report.isSynchronised], [trust, flag === true]);
    assert.equal(report.trouble?.code, "not_observable");
    for (const order of [daemon.sync(true), daemon.reselect()])
      await assert.rejects(order, { code: "conflict_discipliner" });
  });
