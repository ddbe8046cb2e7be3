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

  it("go on as soon as they name one that it does", async () => {
    const device = await openDevice({ enabled: true, channel: "beta" });
    device.allowedChannels = ["stable"];
    device.room.start();
    await device.runUntil(3_600);
    device.settings = { ...device.settings, ota: { ...device.settings.ota, channel: "stable" } };
    device.room.settingsChanged();
    await device.runUntil(7_200);
    assert.equal(device.opened.length > 0, true, "the server is asked");
    assert.equal(device.room.problems()[0] ?? null, null);
    await device.room.stop();
  });

  it("block nothing where the host file names none", async () => {
    const device = await openDevice({ channel: "beta" });
    await device.check();
    assert.equal(device.room.status().schedule.last_check?.outcome, "ok");
    await device.room.stop();
  });
});
