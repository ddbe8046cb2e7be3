import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, it } from "node:test";
import vm from "node:vm";
import { build } from "esbuild";
import { slimPackages } from "../../scripts/packages-in-bundles.ts";

const conf = join(import.meta.dirname, "../../node_modules/conf/dist/source");

/** Returns the node:assert that a file of conf gets in a bundle of this program. */
async function assertOfConf(): Promise<Pick<typeof assert, "deepEqual">> {
  const { outputFiles } = await build({
    stdin: {
      contents: `module.exports = require("node:assert");`,
      resolveDir: conf,
      sourcefile: join(conf, "a.js"),
    },
    ...{ bundle: true, platform: "node", format: "cjs", write: false, plugins: [slimPackages] },
  });
  const module: { exports: unknown } = { exports: null };
  const run = vm.runInThisContext(`(module, require) => {${outputFiles[0]?.text}}`) as (
    ...words: unknown[]
  ) => void;
  run(module, createRequire(import.meta.url));
  return module.exports as Pick<typeof assert, "deepEqual">;
}

describe("node:assert as conf has it in a bundle", () => {
  it("tells apart two stores that differ", async () => {
    const { deepEqual } = await assertOfConf();
    assert.throws(() => deepEqual({ users: [{ name: "anna" }] }, { users: [{ name: "bert" }] }));
    assert.throws(() => deepEqual({ users: [] }, { users: [], added: 1 }));
  });

  it("takes a store without a prototype for the same, as the real one does", async () => {
    const { deepEqual }: { deepEqual: (one: unknown, other: unknown) => void } = await assertOfConf();
    const [store, bare] = [{ users: [{ name: "anna" }] }, Object.create(null)];
    // A difference would have conf write the store at each reading.
    deepEqual(store, Object.assign(bare, structuredClone(store)));
  });
});
