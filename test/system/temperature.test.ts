import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { createTemperature } from "../../src/system/temperature.ts";

describe("the temperature of the processor", () => {
  const put = (directory: string, sensor: string, members: Readonly<Record<string, string>>) => {
    mkdirSync(join(directory, sensor), { recursive: true });
    for (const [name, text] of Object.entries(members)) writeFileSync(join(directory, sensor, name), text);
  };

  it("is that of its thermal zone, read anew each time, and not that of another", async (test) => {
    const directory = await temporaryDirectory(test);
    put(directory, "thermal/thermal_zone0", { type: "acpitz\n", temp: "27800\n" });
    put(directory, "thermal/thermal_zone1", { type: "x86_pkg_temp\n", temp: "41250\n" });
    const read = createTemperature(directory);
    assert.equal(await read(), 41.25);
    put(directory, "thermal/thermal_zone1", { temp: "-3000\n" });
    assert.equal(await read(), -3);
    rmSync(join(directory, "thermal/thermal_zone1/temp"));
    assert.equal(await read(), null);
  });
  it("is that of a monitoring chip where there is no such zone", async (test) => {
    const directory = await temporaryDirectory(test);
    put(directory, "thermal/thermal_zone0", { type: "acpitz\n", temp: "27800\n" });
    put(directory, "hwmon/hwmon0", { name: "nvme\n", temp1_input: "30000\n" });
    put(directory, "hwmon/hwmon1", { name: "k10temp\n", temp1_input: "52000\n" });
    assert.equal(await createTemperature(directory)(), 52);
  });
  it("is not known where no sensor says so", async (test) => {
    const directory = await temporaryDirectory(test);
    assert.equal(await createTemperature(directory)(), null);
    put(directory, "thermal/thermal_zone0", { type: "cpu-thermal\n" });
    assert.equal(await createTemperature(directory)(), null);
  });
});
