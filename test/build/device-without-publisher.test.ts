import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { build } from "esbuild";
import { deviceEntries } from "../../scripts/build/programs.ts";

const root = join(import.meta.dirname, "../..");

/** Words of the publisher's that a bundle with its code would have: the mark of its configuration, and a refusal. */
const words = [/steward_repository/, /Nothing was published, because devices would refuse it/];

const textsBelow = (directory: string): string[] =>
  readdirSync(join(root, directory), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.c?js$/.test(path))
    .map((path) => readFileSync(join(root, directory, path), "utf8"));

describe("the device's programs", () => {
  it("are made of no file of the publisher's", async () => {
    const { metafile } = await build({
      entryPoints: [...deviceEntries],
      ...{ bundle: true, platform: "node", packages: "external", format: "esm", outdir: "unwritten" },
      ...{ write: false, metafile: true, logLevel: "silent", absWorkingDir: root },
    });
    const inputs = Object.keys(metafile.inputs);
    assert.ok(inputs.includes("src/updates/updater.ts") && inputs.includes("src/cli/command-table.ts"));
    assert.deepEqual(
      inputs.filter((path) => /^src\/publish(er|ing)\//.test(path)),
      [],
    );
  });

  it("have none of its words in what is built, where the publisher's own has them", () => {
    for (const word of words) {
      assert.ok(
        textsBelow("dist-publisher").some((text) => word.test(text)),
        String(word),
      );
      assert.ok(!textsBelow("dist").some((text) => word.test(text)), String(word));
    }
  });
});
