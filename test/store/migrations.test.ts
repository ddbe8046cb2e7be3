import assert from "node:assert/strict";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import { leftovers, onDisk, open } from "../../lab/state/state-directory.ts";
import { inFormat, kindOf } from "./fixture.ts";

interface Lamp {
  brightness: number;
  colour: string;
}

/** Format 1 had `level` from 0 to 10; 2 has `brightness` from 0 to 100; 2.1 has a colour. */
const members = { brightness: { type: "integer" }, colour: { type: "string" } };
const lampKind = kindOf<Lamp>("lamp", "2.1.0", members, {
  defaults: { brightness: 50, colour: "white" },
  migrations: {
    "2.0.0": (lamp) => {
      lamp.set("brightness", Number(lamp.get("level")) * 10);
      lamp.delete("level");
    },
    "2.1.0": (lamp) => lamp.set("colour", "amber"),
  },
});

describe("migrations", () => {
  for (const [from, members, expected] of [
    ["1.0.0", { level: 3 }, { brightness: 30, colour: "amber" }],
    ["2.0.0", { brightness: 35 }, { brightness: 35, colour: "amber" }],
    ["2.1.0", { brightness: 35, colour: "red" }, { brightness: 35, colour: "red" }],
  ] as const)
    it(`lead from format ${from} to the present one, which is then on the disk`, async (test) => {
      const directory = await temporaryDirectory(test);
      await writeFile(join(directory, "lamp.json"), inFormat(from, members), { mode: 0o600 });
      const document = await open(directory, lampKind);
      assert.deepEqual(document.read(), expected);
      assert.deepEqual(await onDisk(directory, "lamp.json"), {
        ...expected,
        __internal__: {
          migrations: { version: "2.1.0" },
          ...(from !== "2.1.0" && { unchanged_since: from }),
        },
      });
      assert.equal((await stat(join(directory, "lamp.json"))).mode & 0o777, 0o600);
      assert.equal(document.trouble(), null);
      assert.deepEqual(await leftovers(directory), []);
      await document.close();
    });
});
