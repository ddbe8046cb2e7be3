import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openDevice } from "../../../lab/devices/checking-device.ts";

describe("settings whose channel the host file does not allow", () => {
  it("stop automatic checks, and have a person's check refused", async () => {
    const device = await openDevice({ enabled: true, channel: "beta" });
    device.allowedChannels = ["stable"];
    device.room.start();
    await device.runUntil(86_400);
    await assert.rejects(device.room.check({}), { code: "pinned_by_host" });
    assert.deepEqual(device.opened, []);
    assert.equal(device.room.status().state, "blocked");
    assert.equal(device.room.problems()[0]?.code, "channel_not_allowed");
    assert.match(device.room.problems()[0]?.detail ?? "", /the channel beta \(update\.ota\.channel\)/);
    await device.room.stop();
  });
});
